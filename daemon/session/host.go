package session

import "fmt"

// Host returns the session of an agent's host that asks by itself, before it hands a
// line to a shell or uses a tool of its own. name is the agent's, in case the program
// above the peer isn't known; then the session is anchored at the first process above
// that is no shell, or at the peer where a plug-in asks from within the host.
//
// What a line of the agent starts is not its host: it may ask, but a person's answer
// in the host would be given to words that the host never showed.
func (m *Manager) Host(p Peer, name string, within bool) (Session, Shell, error) {
	chain, err := m.peerChain(p)
	if err != nil {
		return Session{}, Shell{}, err
	}
	if at, lost := m.lostRun(chain); lost {
		m.restore(chain[at:])
	}
	m.drive(chain, false)
	m.mu.Lock()
	s, ok := m.sessionOf(chain)
	m.mu.Unlock()
	if !ok || s.Driver != Agent {
		at := 1
		if within {
			at = 0
		}
		for at > 0 && at < len(chain)-1 && (interactiveShells[chain[at].Comm] || chain[at].Comm == "env") {
			at++
		}
		if at >= len(chain) || chain[at].Pid == 1 || m.persons(chain[at]) {
			return Session{}, Shell{}, fmt.Errorf("no program of an agent is above process %d", p.Pid)
		}
		m.found(chain[at:], name)
		m.mu.Lock()
		s, _ = m.sessionOf(chain)
		m.mu.Unlock()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, up := range chain {
		if up.ID == s.Anchor || up.ID == s.Wrapper {
			break
		}
		if _, below := m.shells[up.ID]; below {
			return Session{}, Shell{}, fmt.Errorf("process %d was started by a line of the agent, and speaks for its host", p.Pid)
		}
	}
	return s, Shell{ID: chain[0].ID, Session: s.Key, Name: "bash", TTY: m.table.TTYName(chain[0].TTY)}, nil
}
