package session

// Judge tells whether the line of a "-c" shell is to be judged: whether it is
// the driver's own word. Below a line that was judged already (make recipes,
// npm scripts, git hooks, an editor's ":!") it isn't: that line answered for it.
// With no session above there is nobody to ask for.
//
// Upwards from the shell, the first of these decides:
//
//   - a guarded interactive shell, or a -c shell whose line was judged (make,
//     started by exec in its place, is still that process): below a judged line;
//   - the anchor of a session that is no guarded shell itself, the "run" wrapper
//     (an orphan's parent, and the anchor's when the anchor is the -c shell), an
//     agent program, or a process that an ended parent left behind in an agent
//     session: the driver speaks.
//
// Wrappers between (env, timeout, nice, script …) need no list: they are neither.
// A program between driver and shell that no judged line started is the driver's
// own helper, and speaks for it.
//
// A line that is judged makes its shell known, so that what it starts passes.
func (m *Manager) Judge(p Peer, shpid int, name string) (judge bool, s Session, sh Shell, err error) {
	chain, err := m.peerChain(p)
	if err != nil {
		return false, Session{}, Shell{}, err
	}
	if chain, err = m.from(chain, shpid); err != nil {
		return false, Session{}, Shell{}, err
	}
	if at, lost := m.lostRun(chain); lost {
		m.restore(chain[at:])
	}
	m.drive(chain, false)
	at := m.agentAbove(chain)
	m.mu.Lock()
	s, ok := m.sessionOf(chain)
	judge = ok && m.speaks(chain, at) || !ok && m.left(chain) >= 0
	m.mu.Unlock()
	if !judge {
		return false, s, Shell{}, nil
	}
	s, sh = m.join(chain, name, "", false)
	return true, s, sh, nil
}

// agentAbove finds the nearest program of an agent above a -c shell, 0 if there is none
// below what is known.
func (m *Manager) agentAbove(chain []Proc) int {
	for i, up := range chain[1:] {
		m.mu.Lock()
		_, shell := m.shells[up.ID]
		_, anchor := m.anchors[up.ID]
		m.mu.Unlock()
		if anchor || shell {
			return 0
		}
		if m.agent(up) != "" {
			return i + 1
		}
	}
	return 0
}

// speaks walks up from a -c shell. agent is where the nearest agent's program stands:
// what it hands to a shell is its own words, whoever started it. The caller holds the
// lock.
func (m *Manager) speaks(chain []Proc, agent int) bool {
	for i, up := range chain {
		if i > 0 { // the shell itself may have asked before: a second line of it
			if _, known := m.shells[up.ID]; known {
				return false
			}
		}
		_, anchor := m.anchors[up.ID]
		if anchor && i > 0 {
			return true
		}
		if i > 0 && (i == agent || m.orphaned(up)) {
			return true
		}
	}
	return true
}

// orphaned: a process of an agent session whose parent is not of the session any
// more, so that the line it came from can't be told.
func (m *Manager) orphaned(p Proc) bool {
	_, tainted := m.taint[p.ID]
	return tainted && p.Parent <= 1
}
