package session

import (
	"context"
	"time"
)

// sweepEvery is how late the end of a session is noticed at the most. A request
// never depends on it: identities are checked when they are used.
const sweepEvery = time.Second

// Watch ends sessions whose anchor is gone, until the context does.
func (m *Manager) Watch(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			m.Sweep()
		}
	}
}

// tracked tells whether the kernel reported every fork below the agent sessions
// of now. Nothing asks the kernel for it yet, so the evidence is of a lower tier.
func (m *Manager) tracked() bool { return false }
