package approval

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/session"
)

// Options of a Store.
type Options struct {
	Now    func() time.Time
	Uptime func() (time.Duration, error) // of the machine; nil: the kernel's
	Boot   string                        // boot id; "": the kernel's
	// Retry is how often a database that another process holds is tried again.
	Retry time.Duration // 0: 5 s
	Warn  func(error)
	// Command is how a person calls extdird, for hints; "": by its name.
	Command string
}

// Store holds grants, and sessions for package session. It is safe for
// concurrent use. Memory is the truth: the disk is read once, at the start, and written before
// a change is acknowledged.
type Store struct {
	path string
	opt  Options
	disk *disk

	mu     sync.RWMutex
	grants map[string]*Grant
	index  map[string]*index // session key, "" for all → what is granted there
	kept   map[string]session.Saved
	trust  map[string]trusted // path of a project's own file
	dirty  map[ref]bool       // what the disk doesn't know yet

	writing sync.Mutex

	stop chan struct{}
	once sync.Once
	done sync.WaitGroup
}

// index finds the grants of one session without walking through all of them.
type index struct {
	paths map[string][]string // path → ids of grants that name it
	exact map[Digest][]string
}

// ErrNotSaved is wrapped by errors of a grant that counts but doesn't stand on
// disk: it is lost when the daemon ends.
var ErrNotSaved = errors.New("not saved")

// Open opens the store at path, or an empty one that is kept in memory if the
// file can't be had: Status tells why.
func Open(path string, opt Options) (*Store, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Uptime == nil {
		opt.Uptime = uptime
	}
	if opt.Boot == "" {
		id, err := session.System().Boot()
		if err != nil {
			return nil, err
		}
		opt.Boot = id
	}
	if opt.Retry == 0 {
		opt.Retry = 5 * time.Second
	}
	if opt.Command == "" {
		opt.Command = "extdird"
	}
	if opt.Warn == nil {
		opt.Warn = func(error) {}
	}
	s := &Store{
		path: path, opt: opt, disk: newDisk(path, opt.Now),
		grants: map[string]*Grant{}, index: map[string]*index{}, kept: map[string]session.Saved{}, trust: map[string]trusted{},
		dirty: map[ref]bool{},
		stop:  make(chan struct{}),
	}
	if err := s.load(); err != nil {
		opt.Warn(err)
	}
	s.done.Add(1)
	go s.retry()
	return s, nil
}

// load reads the disk, merges what memory holds already, and writes what the
// disk lacks. Of a key that was changed while there was no disk, memory holds
// the truth: what was revoked meanwhile doesn't come back.
func (s *Store) load() error {
	found, err := s.disk.open()
	if err != nil {
		return err
	}
	s.mu.Lock()
	for key, v := range found.sessions {
		if _, ours := s.kept[key]; !ours && !s.dirty[ref{sessionBucket, key}] {
			s.kept[key] = v
		}
	}
	for path, t := range found.trust {
		if _, ours := s.trust[path]; !ours && !s.dirty[ref{trustBucket, path}] {
			s.trust[path] = t
		}
	}
	for _, g := range found.grants {
		r := ref{grantBucket, g.ID}
		if s.grants[g.ID] != nil || s.dirty[r] {
			continue
		}
		if _, live := s.kept[g.Session]; s.expired(&g) || g.Session != "" && !live {
			s.dirty[r] = true
			continue
		}
		g.Saved = true
		s.insert(&g)
	}
	s.mu.Unlock()
	return s.commit()
}

// ref names a record.
type ref struct{ bucket, key string }

// commit writes the present state of some keys, and of all that failed before:
// what memory holds is put, what it doesn't hold is removed.
func (s *Store) commit(refs ...ref) error {
	s.writing.Lock() // the later state of a key must be written later
	defer s.writing.Unlock()
	s.mu.Lock()
	for _, r := range refs {
		s.dirty[r] = true
	}
	var records []record
	for r := range s.dirty {
		records = append(records, record{r.bucket, r.key, s.value(r)})
	}
	s.mu.Unlock()
	if len(records) == 0 {
		return nil
	}
	// Not under the lock that lines are judged under.
	err := s.disk.write(records...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, errDamaged) {
		s.dirtyAll() // the next file begins empty
	}
	if err != nil {
		return err
	}
	for _, w := range records {
		delete(s.dirty, ref{w.bucket, w.key})
		if g := s.grants[w.key]; w.bucket == grantBucket && g != nil {
			g.Saved = true
		}
	}
	return nil
}

// dirtyAll marks everything as unwritten. The caller holds the lock.
func (s *Store) dirtyAll() {
	for id, g := range s.grants {
		if g.Scope != Once {
			g.Saved = false
			s.dirty[ref{grantBucket, id}] = true
		}
	}
	for key := range s.kept {
		s.dirty[ref{sessionBucket, key}] = true
	}
	for path := range s.trust {
		s.dirty[ref{trustBucket, path}] = true
	}
}

// value is what memory holds under a key, nil for nothing. The caller holds the lock.
func (s *Store) value(r ref) any {
	switch r.bucket {
	case grantBucket:
		if g := s.grants[r.key]; g != nil {
			return *g
		}
	case sessionBucket:
		if v, ok := s.kept[r.key]; ok {
			return v
		}
	case trustBucket:
		if t, ok := s.trust[r.key]; ok {
			return t
		}
	}
	return nil
}

// retry writes again what couldn't be written: a database that another process
// held, or that had no room. It also drops grants whose time is over.
func (s *Store) retry() {
	defer s.done.Done()
	tick := time.NewTicker(s.opt.Retry)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			s.expire()
			again := s.load
			if s.disk.ok() {
				again = func() error { return s.commit() }
			}
			if err := again(); err != nil {
				s.opt.Warn(err)
			}
		}
	}
}

// Close gives the file back. What was acknowledged is on disk already.
func (s *Store) Close() error {
	s.once.Do(func() { close(s.stop) })
	s.done.Wait()
	return s.disk.close()
}

// Status is "" while approvals are kept on disk, else a sentence that says what
// is wrong.
func (s *Store) Status() string {
	if state := s.disk.state(); state != "" {
		return state
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if n := len(s.dirty); n > 0 {
		return fmt.Sprintf("%d changes to approvals are not saved: %s can't be written", n, s.path)
	}
	return ""
}

// Add stores a grant under a new id. When it returns without an error, a grant
// that isn't for once stands on disk. An error that wraps ErrNotSaved means that
// the grant counts, in memory alone, until the disk takes it.
func (s *Store) Add(g Grant) (Grant, error) {
	if err := s.check(&g); err != nil {
		return Grant{}, err
	}
	s.mu.Lock()
	g.ID = s.newID()
	stored := g
	s.insert(&stored)
	s.mu.Unlock()
	if g.Scope == Once {
		return g, nil
	}
	if err := s.commit(ref{grantBucket, g.ID}); err != nil {
		return g, fmt.Errorf("the approval holds until the daemon ends: %w: %w", ErrNotSaved, err)
	}
	g.Saved = true
	return g, nil
}

func (s *Store) check(g *Grant) error {
	switch {
	case g.Scope != Once && g.Scope != InSession && g.Scope != Until:
		return fmt.Errorf("a grant can't last %q", g.Scope)
	case g.Scope == InSession && g.Session == "":
		return errors.New("a grant for a session names none")
	case g.Scope == Until && g.Expires.IsZero():
		return errors.New("a grant until a time names none")
	case len(g.Paths) == 0 && g.Exact == nil:
		return errors.New("a grant covers nothing")
	}
	for _, p := range g.Paths {
		if p.Path == "" || p.Path[0] != '/' || p.Kinds&^access.AllKinds != 0 || p.Kinds == 0 {
			return fmt.Errorf("a grant can't cover %q", p.Path)
		}
		if p.Tree && tooWide(p.Path, "") {
			return fmt.Errorf("a grant can't cover all of %s", p.Path)
		}
	}
	now := s.opt.Now()
	if g.Given.IsZero() {
		g.Given = now
	}
	g.Boot = s.opt.Boot
	if !g.Expires.IsZero() {
		up, err := s.opt.Uptime()
		if err != nil {
			return err
		}
		g.Uptime = up + g.Expires.Sub(now)
	}
	return nil
}

// expired: on the boot it was given on, a grant's time is the kernel's.
func (s *Store) expired(g *Grant) bool {
	if g.Session != "" && g.Boot != s.opt.Boot {
		return true // no session outlives a boot
	}
	if g.Expires.IsZero() {
		return false
	}
	if g.Boot == s.opt.Boot {
		up, err := s.opt.Uptime()
		return err != nil || up >= g.Uptime
	}
	return !s.opt.Now().Before(g.Expires)
}

func (s *Store) newID() string {
	for n := 2; ; n++ {
		b := make([]byte, n)
		_, _ = rand.Read(b) // never fails (crypto/rand)
		id := "g" + hex.EncodeToString(b)
		if _, taken := s.grants[id]; !taken {
			return id
		}
	}
}

// insert and remove keep the index. The caller holds the lock.
func (s *Store) insert(g *Grant) {
	s.grants[g.ID] = g
	ix := s.index[g.Session]
	if ix == nil {
		ix = &index{paths: map[string][]string{}, exact: map[Digest][]string{}}
		s.index[g.Session] = ix
	}
	if g.Exact != nil {
		ix.exact[*g.Exact] = append(ix.exact[*g.Exact], g.ID)
		return // its paths are looked up by the line
	}
	for _, p := range g.Paths {
		if !slices.Contains(ix.paths[p.Path], g.ID) {
			ix.paths[p.Path] = append(ix.paths[p.Path], g.ID)
		}
	}
}

func (s *Store) remove(id string) {
	g := s.grants[id]
	delete(s.grants, id)
	ix := s.index[g.Session]
	without := func(ids []string) []string {
		return slices.DeleteFunc(ids, func(x string) bool { return x == id })
	}
	for _, p := range g.Paths {
		if ix.paths[p.Path] = without(ix.paths[p.Path]); len(ix.paths[p.Path]) == 0 {
			delete(ix.paths, p.Path)
		}
	}
	if g.Exact != nil {
		if ix.exact[*g.Exact] = without(ix.exact[*g.Exact]); len(ix.exact[*g.Exact]) == 0 {
			delete(ix.exact, *g.Exact)
		}
	}
	if len(ix.paths) == 0 && len(ix.exact) == 0 {
		delete(s.index, g.Session)
	}
}

// List returns the grants that hold, oldest first.
func (s *Store) List() []Grant {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []Grant
	for _, g := range s.grants {
		if !s.expired(g) {
			out = append(out, *g)
		}
	}
	slices.SortFunc(out, func(a, b Grant) int {
		return cmp.Or(a.Given.Compare(b.Given), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// Revoke takes a grant back. It no longer holds when Revoke returns, whatever
// the error: an error that wraps ErrNotSaved means that the disk doesn't know yet.
func (s *Store) Revoke(id string) error {
	s.mu.RLock()
	g := s.grants[id]
	s.mu.RUnlock()
	if g == nil {
		return fmt.Errorf("there is no grant %s; `%s grants` lists them", Escape(id), s.opt.Command)
	}
	return s.drop(func(g *Grant) bool { return g.ID == id })
}

// EndSession drops the grants of a session that ended.
func (s *Store) EndSession(key string) error {
	if key == "" {
		return nil
	}
	return s.drop(func(g *Grant) bool { return g.Session == key })
}

func (s *Store) expire() {
	if err := s.drop(s.expired); err != nil {
		s.opt.Warn(err)
	}
}

func (s *Store) drop(which func(*Grant) bool, also ...ref) error {
	s.mu.Lock()
	for id, g := range maps.Clone(s.grants) {
		if which(g) {
			s.remove(id)
			if g.Scope != Once {
				also = append(also, ref{grantBucket, id})
			}
		}
	}
	s.mu.Unlock()
	if len(also) == 0 {
		return nil
	}
	if err := s.commit(also...); err != nil {
		return fmt.Errorf("it holds no more, but the disk doesn't know yet: %w: %w", ErrNotSaved, err)
	}
	return nil
}

// PutSession, DropSession and Sessions implement session.Keeper.
func (s *Store) PutSession(v session.Saved) error {
	s.mu.Lock()
	s.kept[v.Session.Key] = v
	s.mu.Unlock()
	return s.commit(ref{sessionBucket, v.Session.Key})
}

// DropSession forgets a session and its grants.
func (s *Store) DropSession(key string) error {
	s.mu.Lock()
	delete(s.kept, key)
	s.mu.Unlock()
	return s.drop(func(g *Grant) bool { return g.Session == key && key != "" }, ref{sessionBucket, key})
}

// know keeps a session that wasn't written down yet, with the next commit: a
// grant on disk counts only if its session is there as well.
func (s *Store) know(v session.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.kept[v.Key]; ok {
		return
	}
	if v.Driver == session.Human {
		v.Roots = nil // those of the line; they are found anew
	}
	s.kept[v.Key] = session.Saved{Session: v}
	s.dirty[ref{sessionBucket, v.Key}] = true
}

// Sessions lists the kept sessions.
func (s *Store) Sessions() ([]session.Saved, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Collect(maps.Values(s.kept)), nil
}

var _ session.Keeper = (*Store)(nil)
