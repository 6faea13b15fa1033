package server

import (
	"sync"
	"time"
)

// matters keeps the lines that wait for their shell to tell something. The shell
// does so at once, over a connection of its own, or never.
type matters struct {
	mu sync.Mutex
	m  map[string]*matter
}

const (
	matterAge  = 5 * time.Second
	maxMatters = 256
)

func newMatters() *matters { return &matters{m: map[string]*matter{}} }

func (w *matters) put(id string, m *matter) {
	m.since = time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	oldest := ""
	for id, other := range w.m {
		if m.since.Sub(other.since) > matterAge {
			delete(w.m, id)
		} else if oldest == "" || other.since.Before(w.m[oldest].since) {
			oldest = id
		}
	}
	if len(w.m) >= maxMatters {
		delete(w.m, oldest)
	}
	w.m[id] = m
}

// take hands a matter out, once.
func (w *matters) take(id string) *matter {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.m[id]
	delete(w.m, id)
	if m == nil || time.Since(m.since) > matterAge {
		return nil
	}
	return m
}
