package session

import "strings"

// lostRun finds a run wrapper above a shell that belongs to no session that is
// known: the record was lost (the database was removed, damaged, or is held by a
// daemon whose socket is gone). It returns where in the chain the session's anchor
// stands: right below the wrapper, the topmost of several.
//
// Without this the shell of an agent would come back as one that a person typed
// into, where nothing is asked.
func (m *Manager) lostRun(chain []Proc) (anchor int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.sessionOf(chain); known || m.left(chain) >= 0 {
		return 0, false
	}
	for i := len(chain) - 1; i > 0; i-- {
		exe, err := m.table.Exe(chain[i].Pid)
		if err == nil && (m.own(exe) || strings.TrimSuffix(exe.Path, " (deleted)") == m.program()) {
			return i - 1, true
		}
	}
	return 0, false
}

// restore begins the session of a run wrapper anew. Who drives it isn't known any
// more, so it is an agent: that asks for more than need be and never for less. Its
// root is the one around the directory in which the wrapper was started.
func (m *Manager) restore(chain []Proc) {
	o := Options{Home: m.cfg.Home}
	var roots []string
	if cwd, err := m.table.Cwd(chain[1].Pid); err == nil {
		if root := FindRoot(cwd, o.Home); root != "" {
			roots = []string{root}
		}
	}
	m.track()
	if s, begun := m.begin(chain, o, Agent, roots); begun {
		m.keep(s.Key)
	}
}
