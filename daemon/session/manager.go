package session

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Saved is what outlives a restart of the daemon: a session and the interactive
// shells that belong to it.
type Saved struct {
	Session Session
	Shells  []Shell
}

// Keeper stores sessions. Its methods are never called on the allow path of a
// shell that is known already.
type Keeper interface {
	PutSession(Saved) error
	DropSession(key string) error
	Sessions() ([]Saved, error)
}

// Config is what a Manager depends on.
type Config struct {
	Table Table  // nil: this machine's
	Keep  Keeper // nil: nothing outlives the daemon
	// Own are the files of our own control command: only it may act for a person.
	Own []File
	UID int
	// Home is the user's home directory: that of sessions that name none.
	Home string
	// Programs are names beside those that are known; nil: none. It is called often,
	// and must give the same value as long as nothing changed.
	Programs func() *Programs
	// Command is how a person calls extdird, for refusals; "": by its name.
	Command string
	// Ended is called after a session ended, from the goroutine that noticed.
	Ended func(Session)
	// Warn is told what went wrong without a caller to return it to.
	Warn func(error)
	Now  func() time.Time
}

// Manager keeps the sessions. It is safe for concurrent use.
type Manager struct {
	cfg   Config
	table Table
	boot  string

	keeping sync.Mutex // held while the Keeper works; taken before mu

	mu       sync.Mutex
	sessions map[string]Session
	anchors  map[ID]string      // anchor or wrapper → key
	shells   map[ID]Shell       // guarded interactive shells, and -c shells that were judged
	taint    map[ID]string      // seen below an agent session: they stay tainted when orphaned
	unkept   map[string]bool    // sessions that changed since they were written down
	former   map[string]Session // ended agent sessions that left processes behind

	real      bool            // the table is this machine's
	tracker   *tracker        // nil: forks aren't followed
	untracked error           // why
	followed  map[string]bool // sessions followed from their beginning, without a gap
}

// NewManager returns a Manager that knows the kept sessions which still run.
func NewManager(cfg Config) (*Manager, error) {
	real := cfg.Table == nil
	if cfg.Table == nil {
		cfg.Table = System()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Command == "" {
		cfg.Command = programName
	}
	if cfg.Warn == nil {
		cfg.Warn = func(error) {}
	}
	boot, err := cfg.Table.Boot()
	if err != nil {
		return nil, fmt.Errorf("sessions can't be told apart: %w", err)
	}
	m := &Manager{
		cfg: cfg, table: cfg.Table, boot: boot,
		sessions: map[string]Session{}, anchors: map[ID]string{},
		shells: map[ID]Shell{}, taint: map[ID]string{}, former: map[string]Session{}, unkept: map[string]bool{},
		real: real, followed: map[string]bool{},
	}
	if cfg.Keep == nil {
		return m, nil
	}
	kept, err := cfg.Keep.Sessions()
	if err != nil {
		return nil, err
	}
	for _, k := range kept {
		s := k.Session
		ok, err := alive(m.table, s.Anchor)
		if err != nil {
			m.cfg.Warn(fmt.Errorf("session %s: %w", s.Key, err))
		}
		if !ok || s.Anchor.Boot != boot {
			if err := cfg.Keep.DropSession(s.Key); err != nil {
				m.cfg.Warn(err)
			}
			continue
		}
		m.insert(s)
		for _, sh := range k.Shells {
			if ok, _ := alive(m.table, sh.ID); ok {
				m.shells[sh.ID] = sh
			}
		}
	}
	return m, nil
}

func (m *Manager) insert(s Session) {
	m.sessions[s.Key] = s
	m.anchors[s.Anchor] = s.Key
	if s.Wrapper != (ID{}) {
		m.anchors[s.Wrapper] = s.Key
	}
}

// key makes a short name that no live session has.
func (m *Manager) key(agent string) string {
	prefix := "sh"
	if agent != "" {
		prefix = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
				return r
			}
			return -1
		}, agent)
		prefix = prefix[:min(len(prefix), 16)]
	}
	for n := 2; ; n++ {
		b := make([]byte, n)
		_, _ = rand.Read(b) // never fails (crypto/rand)
		key := strings.TrimPrefix(prefix+"-"+hex.EncodeToString(b), "-")
		if _, taken := m.sessions[key]; !taken {
			return key
		}
	}
}

// peerChain returns the peer and all above it, proven to be the process that
// connected.
func (m *Manager) peerChain(p Peer) ([]Proc, error) {
	if p.UID != m.cfg.UID {
		return nil, fmt.Errorf("process %d belongs to another user", p.Pid)
	}
	chain, err := ancestry(m.table, p.Pid)
	if err != nil {
		return nil, err
	}
	if p.Start != 0 && chain[0].Start != p.Start || chain[0].Dead() || !p.Alive() {
		return nil, fmt.Errorf("process %d ended while it was looked at", p.Pid)
	}
	return chain, nil
}

// Register makes the peer the anchor of a new session. The peer is the child of
// "extdird run", about to become the driver's program. Inside an agent session
// no new one begins: sub-agents belong to it, and so nobody gets out of a
// session by starting another.
func (m *Manager) Register(p Peer, o Options) (Session, error) {
	chain, err := m.peerChain(p)
	if err != nil {
		return Session{}, fmt.Errorf("the session can't start: %w", err)
	}
	driver := o.Driver
	if driver == "" {
		driver = Human
		if o.Agent != "" {
			driver = Agent
		}
	}
	if o.Home == "" {
		o.Home = m.cfg.Home
	}
	roots, err := chooseRoots(o, driver)
	if err != nil {
		return Session{}, err
	}

	if driver == Agent {
		m.track()
	}
	s, begun := m.begin(chain, o, driver, roots)
	if begun {
		m.keep(s.Key)
	}
	return s, nil
}

func (m *Manager) begin(chain []Proc, o Options, driver string, roots []string) (s Session, begun bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, up := range chain {
		if s, ok := m.above(up.ID); ok && (s.Driver == Agent || s.Anchor == chain[0].ID) {
			return s, false
		}
	}
	s = Session{
		Key: m.key(o.Agent), Anchor: chain[0].ID, Driver: driver, Agent: o.Agent, Run: !o.Found,
		Roots: roots, TTY: m.table.TTYName(chain[0].TTY), Home: o.Home, Shell: o.Shell,
		Started: m.cfg.Now(),
	}
	if len(chain) > 1 {
		if exe, err := m.table.Exe(chain[1].Pid); err == nil && m.own(exe) {
			s.Wrapper = chain[1].ID
		} else if driver == Agent && chain[1].Pid != 1 && !(o.Found && m.persons(chain[1])) {
			// Not a terminal or multiplexer that the agent was started by directly: it
			// goes on starting the person's own shells.
			s.Parent = chain[1].ID
		}
	}
	m.inherit(&s, chain)
	delete(m.shells, s.Anchor)
	m.insert(s)
	if s.Driver == Agent {
		m.taint[s.Anchor] = s.Key
		if m.tracker != nil {
			m.followed[s.Key] = true
			m.tracker.add(s.Anchor.Pid, s.Key)
			if s.Wrapper != (ID{}) {
				m.tracker.add(s.Wrapper.Pid, s.Key)
			}
		}
	}
	return s, true
}

// own tells whether a program is ours: a file that the daemon was started from,
// or what lies at its name by now. An update replaces the file, and whatever lies
// there is what shells would start the next daemon from.
func (m *Manager) own(f File) bool {
	return slices.ContainsFunc(m.cfg.Own, func(own File) bool {
		return own.Same(f) || FileAt(own.Path).Same(f)
	})
}

// program is where the daemon was started from.
func (m *Manager) program() string {
	if len(m.cfg.Own) == 0 {
		return "which is not known"
	}
	return m.cfg.Own[0].Path
}

// above finds the session of an anchor, a wrapper or a tainted process.
func (m *Manager) above(id ID) (Session, bool) {
	key, ok := m.anchors[id]
	if !ok {
		if key, ok = m.taint[id]; !ok {
			return Session{}, false
		}
	}
	s, ok := m.sessions[key]
	return s, ok
}

// RootsFor returns the roots that a line in cwd is judged by: those of the start
// in an agent session, found anew in a human one, where Roots holds only what
// was named by hand. None: everything is outside.
func (s Session) RootsFor(cwd string) []string {
	if s.Driver == Agent {
		return s.Roots
	}
	roots := slices.Clone(s.Roots)
	if dir := FindRoot(cwd, s.Home); dir != "" && !slices.Contains(roots, dir) {
		roots = append(roots, dir)
	}
	return roots
}

// chooseRoots checks asked-for roots, or finds the one of an agent session.
func chooseRoots(o Options, driver string) ([]string, error) {
	var roots []string
	add := func(dir string) {
		if !slices.Contains(roots, dir) {
			roots = append(roots, dir)
		}
	}
	for _, dir := range o.Roots {
		real, err := physical(dir)
		if err != nil {
			return nil, err
		}
		if Never(real, o.Home) && !slices.Contains(o.Trusted, real) {
			return nil, fmt.Errorf("%s can't be a root: it is a home or system directory; name it in \"roots\" of your configuration if you mean it", dir)
		}
		add(real)
	}
	if len(o.Roots) == 0 && driver == Agent {
		if dir := FindRoot(o.Cwd, o.Home); dir != "" {
			add(dir)
		}
	}
	for _, dir := range o.Trusted {
		if real, err := physical(dir); err == nil {
			add(real)
		}
	}
	return roots, nil
}

func physical(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("root %q is not an absolute path", dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("root %s: %w", dir, err)
	}
	if st, err := os.Stat(real); err != nil || !st.IsDir() {
		return "", fmt.Errorf("root %s is not a directory", dir)
	}
	return real, nil
}

// keep writes a session down as it is now. The caller does not hold the lock:
// other shells ask on while the disk works.
func (m *Manager) keep(key string) {
	if m.cfg.Keep == nil {
		m.mu.Lock()
		delete(m.unkept, key)
		m.mu.Unlock()
		return
	}
	m.keeping.Lock()
	defer m.keeping.Unlock()
	m.mu.Lock()
	delete(m.unkept, key)
	s, ok := m.sessions[key]
	saved := Saved{Session: s}
	for _, sh := range m.shells {
		if sh.Session == key && sh.Interactive {
			saved.Shells = append(saved.Shells, sh)
		}
	}
	m.mu.Unlock()
	if !ok {
		return // ended meanwhile
	}
	if err := m.cfg.Keep.PutSession(saved); err != nil {
		m.cfg.Warn(fmt.Errorf("session %s won't survive a restart of the daemon: %w", key, err))
	}
}

// Sessions lists the live sessions, oldest first.
func (m *Manager) Sessions() []Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.sessions), func(a, b Session) int {
		if c := a.Started.Compare(b.Started); c != 0 {
			return c
		}
		return strings.Compare(a.Key, b.Key)
	})
}

// Get returns the session with that key.
func (m *Manager) Get(key string) (Session, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessions[key]
	return s, ok
}

// AddRoot extends the roots of a session. Who may ask for it is the caller's
// business.
func (m *Manager) AddRoot(key, dir string) (Session, error) {
	real, err := physical(dir)
	if err != nil {
		return Session{}, err
	}
	return m.change(key, func(s *Session) error {
		if Never(real, s.Home) {
			return fmt.Errorf("%s can't be a root: it is a home or system directory; name it in \"roots\" of your configuration if you mean it", dir)
		}
		if !slices.Contains(s.Roots, real) {
			s.Roots = append(slices.Clone(s.Roots), real)
		}
		return nil
	})
}

// SetGuard switches a session's guard: "on", "off", or "" for what the
// configuration says.
func (m *Manager) SetGuard(key, guard string) (Session, error) {
	return m.change(key, func(s *Session) error {
		if guard != "" && guard != "on" && guard != "off" {
			return fmt.Errorf("guard is on or off, not %q", guard)
		}
		s.Guard = guard
		return nil
	})
}

func (m *Manager) change(key string, do func(*Session) error) (Session, error) {
	m.mu.Lock()
	s, ok := m.sessions[key]
	err := fmt.Errorf("there is no session %s", key)
	if ok {
		if err = do(&s); err == nil {
			m.sessions[key] = s
		}
	}
	m.mu.Unlock()
	if err != nil {
		return Session{}, err
	}
	m.keep(key)
	return s, nil
}

// End ends a session: its grants and its guard with it.
func (m *Manager) End(key string) {
	m.keeping.Lock()
	m.mu.Lock()
	s, ok := m.sessions[key]
	if ok {
		delete(m.sessions, key)
		if s.Driver == Agent {
			m.former[key] = s
		}
		maps.DeleteFunc(m.anchors, func(_ ID, k string) bool { return k == key })
		maps.DeleteFunc(m.shells, func(_ ID, sh Shell) bool { return sh.Session == key })
	}
	m.mu.Unlock()
	if ok && m.cfg.Keep != nil {
		if err := m.cfg.Keep.DropSession(key); err != nil {
			m.cfg.Warn(err)
		}
	}
	m.keeping.Unlock()
	if ok && m.cfg.Ended != nil {
		m.cfg.Ended(s)
	}
}

// keepAll writes down what changed. A shell that asks never waits for it.
func (m *Manager) keepAll() {
	m.mu.Lock()
	keys := slices.Collect(maps.Keys(m.unkept))
	m.mu.Unlock()
	for _, key := range keys {
		m.keep(key)
	}
}

// Sweep ends the sessions whose anchor is gone, forgets dead processes and
// writes down what changed. What can't be read is kept: unknown is not gone.
func (m *Manager) Sweep() {
	defer m.keepAll()
	m.mu.Lock()
	sessions := slices.Collect(maps.Values(m.sessions))
	shells := slices.Collect(maps.Keys(m.shells))
	m.mu.Unlock()
	for _, s := range sessions {
		if ok, err := alive(m.table, s.Anchor); err == nil && !ok {
			m.End(s.Key)
		}
	}
	for _, id := range shells {
		if ok, err := alive(m.table, id); err == nil && !ok {
			m.mu.Lock()
			delete(m.shells, id)
			m.mu.Unlock()
		}
	}
	if err := m.scan(); err != nil {
		m.cfg.Warn(err)
	}
}

// isGone: no such process, as opposed to not known.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
