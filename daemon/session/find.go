package session

import (
	"fmt"
	"slices"
)

// Hello notes a guarded interactive shell. shpid is the peer itself or a process
// above it.
func (m *Manager) Hello(p Peer, shpid int, name, version string) error {
	_, _, err := m.find(p, shpid, name, version, true)
	return err
}

// Find returns the session that a guarded shell belongs to, and begins a human
// one if there is none. shpid is a hint: it must be the peer itself or a process
// above it.
func (m *Manager) Find(p Peer, shpid int, name string) (Session, Shell, error) {
	return m.find(p, shpid, name, "", true)
}

// Of returns the session a peer belongs to, without beginning one.
func (m *Manager) Of(p Peer) (Session, bool, error) {
	chain, err := m.peerChain(p)
	if err != nil {
		return Session{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessionOf(chain)
	return s, ok, nil
}

// sessionOf finds the nearest session upwards.
func (m *Manager) sessionOf(chain []Proc) (Session, bool) {
	for _, up := range chain {
		if s, ok := m.above(up.ID); ok {
			return s, true
		}
	}
	return Session{}, false
}

// maxHops is how far below its shell a hook may be for the short way.
const maxHops = 4

// known is the short way of a shell that spoke before: two or three reads of the
// process table instead of a walk to its top.
func (m *Manager) known(p Peer, shpid int) (Session, Shell, bool) {
	if p.UID != m.cfg.UID {
		return Session{}, Shell{}, false
	}
	// The shell itself, the hook it started, or a hook below its subshells.
	sh, err := m.table.Proc(p.Pid)
	if err != nil || p.Start != 0 && sh.Start != p.Start {
		return Session{}, Shell{}, false
	}
	var below []ID
	for sh.Pid != shpid {
		up, err := m.table.Proc(sh.Parent)
		if err != nil || up.Start > sh.Start || len(below) == maxHops {
			return Session{}, Shell{}, false
		}
		below = append(below, sh.ID)
		sh = up
	}
	if sh.Dead() {
		return Session{}, Shell{}, false
	}
	if !p.Alive() {
		return Session{}, Shell{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range below {
		if _, anchor := m.anchors[id]; anchor {
			return Session{}, Shell{}, false
		}
	}
	shell, ok := m.shells[sh.ID]
	if !ok || !shell.Interactive {
		return Session{}, Shell{}, false
	}
	s, ok := m.sessions[shell.Session]
	return s, shell, ok
}

func (m *Manager) find(p Peer, shpid int, name, version string, interactive bool) (Session, Shell, error) {
	if interactive {
		if s, shell, ok := m.known(p, shpid); ok {
			return s, shell, nil
		}
	}
	chain, err := m.peerChain(p)
	if err != nil {
		return Session{}, Shell{}, err
	}
	if chain, err = m.from(chain, shpid); err != nil {
		return Session{}, Shell{}, err
	}
	if at, lost := m.lostRun(chain); lost {
		m.restore(chain[at:])
	}
	m.drive(chain, interactive)
	s, shell := m.join(chain, name, version, interactive)
	return s, shell, nil
}

// from cuts the peer's chain so that it begins at the shell it names. The shell
// must be above the peer, and of the same session: what an agent runs can't speak
// for the person's shell that the agent was started from.
func (m *Manager) from(chain []Proc, shpid int) ([]Proc, error) {
	at := slices.IndexFunc(chain, func(q Proc) bool { return q.Pid == shpid })
	if at < 0 {
		return nil, fmt.Errorf("process %d says its shell is %d, which is not above it", chain[0].Pid, shpid)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	peer, _ := m.sessionOf(chain)
	shell, _ := m.sessionOf(chain[at:])
	if peer.Key != shell.Key || m.left(chain) != -1 && m.left(chain[at:]) == -1 {
		return nil, fmt.Errorf("process %d says its shell is %d, which belongs to another session", chain[0].Pid, shpid)
	}
	return chain[at:], nil
}

// join makes a shell known to its session, and begins one if there is none. The
// chain begins at the shell.
func (m *Manager) join(chain []Proc, name, version string, interactive bool) (Session, Shell) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessionOf(chain)
	if !ok {
		top := chain[0]
		for _, up := range chain {
			if sh, ok := m.shells[up.ID]; ok && sh.Interactive {
				top = up
			}
		}
		if i := m.left(chain); i >= 0 {
			top = chain[i]
		}
		s = Session{
			Key: m.key(""), Anchor: top.ID, Driver: Human, TTY: m.table.TTYName(top.TTY),
			Shell: name, Home: m.cfg.Home, Started: m.cfg.Now(),
		}
		m.inherit(&s, chain)
		m.insert(s)
	}
	shell := Shell{
		ID: chain[0].ID, Session: s.Key, Name: name, Version: version,
		TTY: m.table.TTYName(chain[0].TTY), Interactive: interactive,
	}
	m.shells[shell.ID] = shell
	m.unkept[s.Key] = true
	return s, shell
}

// left finds the topmost process that an ended agent session left behind, -1 if
// there is none. The caller holds the lock.
func (m *Manager) left(chain []Proc) int {
	for i := len(chain) - 1; i >= 0; i-- {
		if _, ok := m.former[m.taint[chain[i].ID]]; ok {
			return i
		}
	}
	return -1
}

// inherit: what an agent session left behind stays the agent's, with its roots.
// The caller holds the lock.
func (m *Manager) inherit(s *Session, chain []Proc) {
	for _, up := range chain {
		if old, ok := m.former[m.taint[up.ID]]; ok {
			s.Key, s.Driver, s.Agent, s.Run = m.key(old.Agent), Agent, old.Agent, old.Run
			s.Roots, s.Home, s.Guard = old.Roots, old.Home, old.Guard
			return
		}
	}
}
