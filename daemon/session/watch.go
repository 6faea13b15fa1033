package session

import (
	"context"
	"time"
)

// sweepEvery is how late the end of a session is noticed at the most. A request
// never depends on it: identities are checked when they are used.
const sweepEvery = time.Second

// Watch ends sessions whose anchor is gone, until the context does. Then nothing
// follows forks any more.
func (m *Manager) Watch(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	defer m.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			m.Sweep()
		}
	}
}
