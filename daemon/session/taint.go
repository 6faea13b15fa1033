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
	if err := m.follow(); err != nil {
		return err
	}
	m.mu.Lock()
	seeds := m.seeds()
	tracked := m.tracked()
	idle := m.tracker
	if len(seeds) > 0 {
		idle = nil
	} else {
		m.tracker = nil
	}
	m.mu.Unlock()
	if idle != nil {
		idle.close()
	}
	if len(seeds) == 0 {
		return nil
	}
	below := seeds
	if !tracked { // else the tracker knows them all
		procs, err := snapshot(m.table)
		if err != nil {
			return fmt.Errorf("the process table can't be read: %w", err)
		}
		m.siblings(procs, seeds)
		below = descend(procs, seeds)
	}
	gone := map[ID]bool{}
	for id := range seeds {
		if live, err := alive(m.table, id); err == nil && !live {
			gone[id] = true
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.taint, below)
	maps.DeleteFunc(m.taint, func(id ID, _ string) bool { return gone[id] })
	left := map[string]bool{}
	for _, key := range m.taint {
		left[key] = true
	}
	maps.DeleteFunc(m.former, func(key string, _ Session) bool { return !left[key] })
	return nil
}

// track begins to follow forks, before the first agent session does.
func (m *Manager) track() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.real || m.tracker != nil {
		return
	}
	t, err := startTracker(m.table)
	if m.untracked = err; err == nil {
		m.tracker = t
	}
}

// Close writes down what changed, and ends what follows forks.
func (m *Manager) Close() {
	m.keepAll()
	m.mu.Lock()
	t := m.tracker
	m.tracker, m.followed = nil, map[string]bool{}
	m.mu.Unlock()
	if t != nil {
		t.close()
	}
}

// follow notes what the tracker saw.
func (m *Manager) follow() error {
	m.mu.Lock()
	t := m.tracker
	m.mu.Unlock()
	if t == nil {
		return nil
	}
	// Not under the lock that shells are served under.
	live, complete := t.below()
	seen := map[ID]string{}
	for pid, key := range live {
		p, err := m.table.Proc(pid)
		if isGone(err) {
			continue
		}
		if err != nil {
			return err
		}
		seen[p.ID] = key
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(m.taint, seen)
	if !complete {
		m.followed = map[string]bool{}
	}
	return nil
}

// tracked tells whether the kernel reported every fork of all agent sessions
// from their beginning. The caller holds the lock.
func (m *Manager) tracked() bool {
	if m.tracker == nil {
		return false
	}
	for _, sessions := range []map[string]Session{m.sessions, m.former} {
		for key, s := range sessions {
			if s.Driver == Agent && !m.followed[key] {
				return false
			}
		}
	}
	return true
}

// CanFollow tells why the kernel won't report forks to us, nil if it will.
func CanFollow() error {
	t, err := startTracker(System())
	if err == nil {
		t.close()
	}
	return err
}

// Untracked tells why forks aren't followed, nil if they are or if there was no
// agent session yet.
func (m *Manager) Untracked() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.untracked
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

// siblings adds what an anchor may have made its parent's child: all children of
// that parent that are younger than the anchor.
func (m *Manager) siblings(procs map[int]Proc, seeds map[ID]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, sessions := range []map[string]Session{m.sessions, m.former} {
		for key, s := range sessions {
			if s.Parent == (ID{}) || procs[s.Parent.Pid].ID != s.Parent {
				continue
			}
			for _, p := range procs {
				if p.Parent == s.Parent.Pid && p.Start >= s.Anchor.Start {
					seeds[p.ID] = key
				}
			}
		}
	}
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
		procs[pid] = p // the dead as well: their children may not know yet
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
