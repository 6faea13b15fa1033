package approval

import (
	"sync"
	"time"
)

// burstGap is how soon after a refused line another one belongs to the same
// paste: a person needs longer to read the refusal and type.
const burstGap = 300 * time.Millisecond

// Burst remembers refusals, so that the rest of a paste doesn't run after its
// first line was refused ("cd ../other⏎rm -rf build"). The zero Burst is ready.
type Burst struct {
	Now func() time.Time // nil: time.Now

	mu    sync.Mutex
	until map[[2]string]time.Time // session and terminal → end of the burst
}

func (b *Burst) now() time.Time {
	if b.Now != nil {
		return b.Now()
	}
	return time.Now()
}

// Refused notes that a line was refused.
func (b *Burst) Refused(session, tty string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	for k, t := range b.until {
		if now.After(t) {
			delete(b.until, k)
		}
	}
	if b.until == nil {
		b.until = map[[2]string]time.Time{}
	}
	b.until[[2]string{session, tty}] = now.Add(burstGap)
}

// Follows tells whether a line belongs to a burst whose beginning was refused.
// It is refused then, and the burst goes on.
func (b *Burst) Follows(session, tty string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := [2]string{session, tty}
	until, ok := b.until[key]
	now := b.now()
	if !ok || now.After(until) {
		delete(b.until, key)
		return false
	}
	b.until[key] = now.Add(burstGap)
	return true
}
