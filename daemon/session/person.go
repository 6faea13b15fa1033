package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Tier is how much evidence stands behind "this peer is a person".
type Tier int

const (
	// TierTracked: the kernel reported every fork since the agent sessions began.
	TierTracked Tier = 1
	// TierAdopted: orphans of every agent session stay below its run wrapper.
	TierAdopted Tier = 2
	// TierTerminal: ancestry and terminals alone.
	TierTerminal Tier = 3
)

func (t Tier) String() string {
	switch t {
	case TierTracked:
		return "1 (every fork is followed)"
	case TierAdopted:
		return "2 (orphans stay below extdird run)"
	}
	return "3 (ancestry and terminal)"
}

// Standing is the answer to "may this peer act for a person?".
type Standing struct {
	OK      bool
	Refusal string // one sentence, if not OK
	Tier    Tier
	Pid     int
	UID     int
	TTY     string
}

// refusal is an error whose text is shown to whoever asked.
type refusal string

func (r refusal) Error() string { return string(r) }

// Person decides whether a peer counts as a person. It is slow (it reads the
// whole process table) and meant for approvals, not for lines.
//
// What is asked, in this order: our own program, of this user, traced by nobody;
// not descended from an agent session, now or ever seen; in the foreground of a
// terminal on which nothing of an agent session runs; the other end of that
// terminal held by somebody who passes the same test; and a chain upwards that
// passes a login, a terminal, a multiplexer or a desktop older than every agent
// session. Why older: a process that is older than an agent session doesn't
// descend from it, and whoever is its child by birth doesn't either; adoption
// goes to init and to the manager of a user's services alone, and those two are
// not on the list. What can't be read refuses.
func (m *Manager) Person(p Peer) Standing { return m.standing(p, m.own) }

// Stopper is Person for ending the daemon, which any extdird may ask for: one
// that was installed elsewhere couldn't replace an old daemon otherwise. It asks
// the same of the process but which file its program is, and loosens nothing.
func (m *Manager) Stopper(p Peer) Standing {
	return m.standing(p, func(f File) bool {
		return m.own(f) || filepath.Base(strings.TrimSuffix(f.Path, " (deleted)")) == programName
	})
}

const programName = "extdird"

func (m *Manager) standing(p Peer, program func(File) bool) Standing {
	out := Standing{Pid: p.Pid, UID: p.UID, Tier: m.Tier()}
	tty, err := m.person(p, program)
	out.TTY = tty
	if err != nil {
		out.Refusal = err.Error()
		if _, ours := err.(refusal); !ours {
			out.Refusal = fmt.Sprintf("who process %d is can't be told (%v); try again from another terminal", p.Pid, err)
		}
		return out
	}
	out.OK = true
	return out
}

// Tier tells what evidence there is for the agent sessions of now.
func (m *Manager) Tier() Tier {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tracked() {
		return TierTracked
	}
	for _, s := range m.sessions {
		if s.Driver != Agent {
			continue
		}
		if ok, err := alive(m.table, s.Wrapper); s.Wrapper == (ID{}) || err != nil || !ok {
			return TierTerminal
		}
	}
	for key := range m.former {
		if m.former[key].Wrapper == (ID{}) {
			return TierTerminal
		}
	}
	return TierAdopted
}

func (m *Manager) person(p Peer, program func(File) bool) (tty string, err error) {
	if p.UID != m.cfg.UID {
		return "", refusal(fmt.Sprintf("process %d belongs to another user; ask from an account of user %d", p.Pid, m.cfg.UID))
	}
	chain, err := m.peerChain(p)
	if err != nil {
		return "", err
	}
	peer := chain[0]
	tty = m.table.TTYName(peer.TTY)

	exe, err := m.table.Exe(p.Pid)
	if err != nil {
		return tty, err
	}
	if !program(exe) {
		return tty, refusal(fmt.Sprintf("%s is not the extdird that this daemon was started from (%s): use that one, or end the daemon with %s stop, and the next line starts a new one", exe.Path, m.program(), m.cfg.Command))
	}
	owner, err := m.table.Owner(p.Pid)
	if err != nil {
		return tty, err
	}
	if owner.Real != m.cfg.UID || owner.Effective != m.cfg.UID || owner.Saved != m.cfg.UID {
		return tty, refusal(fmt.Sprintf("process %d runs with another user's rights; run it as yourself", p.Pid))
	}
	if owner.Tracer != 0 {
		return tty, refusal(fmt.Sprintf("process %d is being traced by process %d; run it without a debugger", p.Pid, owner.Tracer))
	}
	if peer.TTY == 0 {
		return tty, refusal("this needs a person at a terminal, and the request comes without one")
	}
	if peer.Foreground != peer.Group {
		return tty, refusal("this needs a person at a terminal, and the request comes from the background")
	}

	e, err := m.evidence()
	if err != nil {
		return tty, err
	}
	if err := e.chain(chain); err != nil {
		return tty, err
	}
	if key, ok := e.terminals[peer.TTY]; ok {
		return tty, refusal(fmt.Sprintf("agent session %s runs on this terminal (%s); answer from another one", key, tty))
	}
	if err := m.holders(e, chain); err != nil {
		return tty, err
	}
	// All of it was read of this peer: it must still be the same.
	if ok, err := alive(m.table, peer.ID); err != nil {
		return tty, err
	} else if !ok || !p.Alive() {
		return tty, refusal(fmt.Sprintf("process %d ended while it was looked at; try again", p.Pid))
	}
	return tty, nil
}

// evidence is one look at the whole machine.
type evidence struct {
	m         *Manager
	tainted   map[ID]string
	terminals map[uint64]string // terminal of a tainted process → session
	oldest    uint64            // start of the oldest agent session; 0: there is none
	key       string            // of that session
}

func (m *Manager) evidence() (*evidence, error) {
	if err := m.follow(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	seeds := m.seeds()
	e := &evidence{m: m, terminals: map[uint64]string{}}
	for _, sessions := range []map[string]Session{m.sessions, m.former} {
		for key, s := range sessions {
			if s.Driver == Agent && (e.oldest == 0 || s.Anchor.Start < e.oldest) {
				e.oldest, e.key = s.Anchor.Start, key
			}
		}
	}
	m.mu.Unlock()
	procs, err := snapshot(m.table)
	if err != nil {
		return nil, err
	}
	m.siblings(procs, seeds)
	for _, p := range procs {
		if name := m.agent(p); name != "" && seeds[p.ID] == "" {
			seeds[p.ID] = name // no session of its own yet
		}
	}
	e.tainted = descend(procs, seeds)
	for id, key := range e.tainted {
		if tty := procs[id.Pid].TTY; tty != 0 {
			e.terminals[tty] = key
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, key := range e.tainted {
		m.taint[id] = key
	}
	return e, nil
}

// chain asks of a process and all above it: nothing tainted, and a proper end.
func (e *evidence) chain(chain []Proc) error {
	for _, up := range chain {
		if key, ok := e.tainted[up.ID]; ok {
			return refusal(fmt.Sprintf("process %d descends from agent session %s: an agent can't answer for a person; use a terminal of your own", chain[0].Pid, key))
		}
		if name := e.m.agent(up); name != "" {
			return refusal(fmt.Sprintf("process %d descends from the agent program %s (process %d): an agent can't answer for a person; use a terminal of your own", chain[0].Pid, name, up.Pid))
		}
	}
	young := ""
	for _, up := range chain {
		switch ok, name, err := e.login(up, chain[0]); {
		case err != nil:
			return err
		case ok:
			return nil
		case name != "":
			young = name
		}
	}
	if young != "" {
		return refusal(fmt.Sprintf("%s was started after agent session %s, so it can't be told from one that the agent started; use a terminal that was open before", young, e.key))
	}
	return refusal(fmt.Sprintf("above process %d stands no login, terminal or multiplexer that is known, so it can't be told who started it; use a terminal window, a console or an ssh login", chain[0].Pid))
}

// login tells whether up is where a person came in. name is set for a program
// of the right kind that is too young.
func (e *evidence) login(up, peer Proc) (ok bool, name string, err error) {
	if up.Parent == 0 && up.Pid != 1 {
		return true, "", nil // entered from outside the pid namespace (docker exec, nsenter)
	}
	if up.Pid == 1 {
		// The shell that a container was started for.
		return interactiveShells[up.Comm] && up.TTY != 0 && up.TTY == peer.TTY, "", nil
	}
	kind := e.m.classOf(up.Comm)
	if exe, err := e.m.table.Exe(up.Pid); err == nil {
		if k := e.m.classOf(exe.Path); k != classNone {
			kind = k
		}
	}
	// The program of another user's process (sshd, login) can't be read; its
	// name in the process table was set by that user.
	if kind == classNone {
		return false, "", nil
	}
	if e.oldest != 0 && up.Start >= e.oldest {
		return false, up.Comm, nil
	}
	return true, "", nil
}

// holders asks who holds the other end of the peer's terminal: whoever does can
// type there.
func (m *Manager) holders(e *evidence, chain []Proc) error {
	tty := m.table.TTYName(chain[0].TTY)
	h, ok, err := m.table.Holders(chain[0].TTY)
	if err != nil {
		return err
	}
	if !ok {
		return nil // a console, or a platform that doesn't tell
	}
	inChain := func(pid int) bool {
		return slices.ContainsFunc(chain, func(p Proc) bool { return p.Pid == pid })
	}
	for _, pid := range h.Pids {
		if inChain(pid) {
			continue // was asked already
		}
		up, err := ancestry(m.table, pid)
		if isGone(err) {
			continue
		}
		if err != nil {
			return err
		}
		if err := e.chain(up); err != nil {
			return refusal(fmt.Sprintf("the other end of terminal %s is held by process %d (%s), and %v", tty, pid, up[0].Comm, err))
		}
	}
	if len(h.Pids) > 0 || slices.ContainsFunc(h.Hidden, inChain) {
		return nil
	}
	if slices.ContainsFunc(chain, func(p Proc) bool { return p.Parent == 0 }) && !e.initChain(chain) {
		return nil // the holder is outside the pid namespace, as the peer's origin is
	}
	return refusal(fmt.Sprintf("it can't be seen who holds the other end of terminal %s; use a terminal window, a console or an ssh login", tty))
}

// initChain: the chain ends at this namespace's own init, and that is no shell
// on the peer's terminal.
func (e *evidence) initChain(chain []Proc) bool {
	top := chain[len(chain)-1]
	if top.Pid != 1 {
		return false
	}
	ok, _, _ := e.login(top, chain[0])
	return !ok
}

// fromShell tells whether a chain of parents leads from its first process to the
// shell over nothing but forks of that shell.
func fromShell(chain []Proc, sh Shell) bool {
	at := slices.IndexFunc(chain, func(p Proc) bool { return p.ID == sh.ID })
	if at < 0 {
		return false
	}
	shell := chain[at]
	for i, p := range chain[:at] {
		if i > 0 && (p.Comm != shell.Comm || p.Group != shell.Group) {
			return false
		}
	}
	return true
}

// Answers tells whether a peer may answer for the waiting terminal of a shell: it
// is that shell, its child, or a child of its subshells in its own process group
// (a guard asks from within substitutions, where job control is off; what a line
// started has a group of its own), in the foreground of the shell's terminal,
// traced by nobody. What it may answer depends on the session's driver.
func (m *Manager) Answers(p Peer, sh Shell) error {
	chain, err := m.peerChain(p)
	if err != nil {
		return err
	}
	if !fromShell(chain, sh) {
		return fmt.Errorf("process %d is not the shell that waits, nor started by it", p.Pid)
	}
	owner, err := m.table.Owner(p.Pid)
	if err != nil {
		return err
	}
	if owner.Tracer != 0 {
		return fmt.Errorf("process %d is being traced by process %d", p.Pid, owner.Tracer)
	}
	if chain[0].TTY == 0 || m.table.TTYName(chain[0].TTY) != sh.TTY || chain[0].Foreground != chain[0].Group {
		return fmt.Errorf("process %d is not in the foreground of %s", p.Pid, sh.TTY)
	}
	return nil
}
