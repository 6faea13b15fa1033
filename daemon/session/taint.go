package session

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
)

// scan notes every process that descends from an agent session: once seen there
// it stays tainted, also when its parent ends and the kernel gives it another.
// Dead processes are forgotten. Without agent sessions nothing is read.
//
// A double fork between two scans is missed here. Under "extdird run" it isn't
// lost, since orphans go to the wrapper; elsewhere the proc connector or the
// rule about how a chain ends must catch it (person.go).
func (m *Manager) scan() error {
	m.mu.Lock()
	seeds := m.seeds()
	m.mu.Unlock()
	if len(seeds) == 0 {
		return nil
	}
	procs, err := snapshot(m.table)
	if err != nil {
		return fmt.Errorf("the process table can't be read: %w", err)
	}
	below := descend(procs, seeds)
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, key := range below {
		m.taint[id] = key
	}
	left := map[string]bool{}
	maps.DeleteFunc(m.taint, func(id ID, key string) bool {
		p, ok := procs[id.Pid]
		if !ok || p.ID != id {
			// The snapshot may have missed it; only a look at the process itself
			// forgets.
			if live, err := alive(m.table, id); err == nil && !live {
				return true
			}
		}
		left[key] = true
		return false
	})
	maps.DeleteFunc(m.former, func(key string, _ Session) bool { return !left[key] })
	return nil
}

// seeds are the processes whose descendants are tainted. The caller holds the lock.
func (m *Manager) seeds() map[ID]string {
	seeds := maps.Clone(m.taint)
	for id, key := range m.anchors {
		if m.sessions[key].Driver == Agent {
			seeds[id] = key
		}
	}
	return seeds
}

// snapshot reads the whole process table. Processes that end meanwhile are left
// out, and so are those of other users where the mount hides them (hidepid in
// proc(5)); any other error is returned, since what can't be seen can't be
// cleared.
func snapshot(t Table) (map[int]Proc, error) {
	pids, err := t.Pids()
	if err != nil {
		return nil, err
	}
	procs := make(map[int]Proc, len(pids))
	for _, pid := range pids {
		p, err := t.Proc(pid)
		if isGone(err) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !p.Dead() {
			procs[pid] = p
		}
	}
	return procs, nil
}

// descend finds all processes below the seeds, the seeds among them.
func descend(procs map[int]Proc, seeds map[ID]string) map[ID]string {
	out := map[ID]string{}
	clean := map[int]bool{}
	for _, p := range procs {
		var walked []Proc
		key, found := "", false
		for at := p; len(walked) <= maxDepth; {
			if key, found = seeds[at.ID]; found {
				walked = append(walked, at)
				break
			}
			if key, found = out[at.ID]; found || clean[at.Pid] {
				break
			}
			walked = append(walked, at)
			up, ok := procs[at.Parent]
			if !ok || up.Start > at.Start {
				break
			}
			at = up
		}
		for _, w := range walked {
			if found {
				out[w.ID] = key
			} else {
				clean[w.Pid] = true
			}
		}
	}
	return out
}
