package approval

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"extdir/daemon/access"
	"extdir/daemon/session"
)

// clock is a time of day and an uptime that a test moves.
type clock struct {
	mu   sync.Mutex
	wall time.Time
	up   time.Duration
}

func newClock() *clock {
	return &clock{wall: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), up: time.Hour}
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall
}

func (c *clock) uptime() (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up, nil
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.up = c.wall.Add(d), c.up+d
}

// open opens a store that is closed with the test, and knows testSession.
func openStore(t *testing.T, path string, change ...func(*Options)) *Store {
	t.Helper()
	opt := testOptions()
	for _, c := range change {
		c(&opt)
	}
	s, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.PutSession(session.Saved{Session: testSession}); err != nil && s.Status() == "" {
		t.Fatal(err)
	}
	return s
}

func reopen(t *testing.T, s *Store, change ...func(*Options)) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return openStore(t, s.path, change...)
}

func readGrant(path string, tree bool) Grant {
	return Grant{
		Session: testSession.Key, Anchor: testSession.Anchor, Scope: InSession, Line: "cat " + path,
		Paths: []PathGrant{{Path: path, Tree: tree, Kinds: access.Kinds(access.Read)}},
	}
}

func add(t *testing.T, s *Store, g Grant) Grant {
	t.Helper()
	g, err := s.Add(g)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func certain(kind access.Kind, path string) access.Access {
	return access.Access{Typed: path, Path: path, Kind: kind, External: true}
}

func TestCovers(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "db"))
	add(t, s, readGrant("/data/file", false))
	add(t, s, readGrant("/data/tree", true))
	glob := readGrant("/data/*.txt", false)
	glob.Paths[0].Glob = true
	add(t, s, glob)
	dir := certain(access.Read, "/data/file")
	dir.Dir = true
	unknown := certain(access.Read, "/data/tree/x")
	unknown.Certainty = access.Unknown
	self := certain(access.Read, "/data/tree/x")
	self.Kind = access.Self
	pattern := func(p string) access.Access { a := certain(access.Read, p); a.Glob = true; return a }
	for _, tt := range []struct {
		name string
		a    access.Access
		want bool
	}{
		{"the path", certain(access.Read, "/data/file"), true},
		{"another kind", certain(access.Write, "/data/file"), false},
		{"below a path that is no tree", certain(access.Read, "/data/file/x"), false},
		{"the parent", certain(access.Read, "/data"), false},
		{"a sibling with the same beginning", certain(access.Read, "/data/file2"), false},
		{"the tree of a path", dir, false},
		{"the tree itself", certain(access.Read, "/data/tree"), true},
		{"below the tree", certain(access.Read, "/data/tree/a/b"), true},
		{"beside the tree", certain(access.Read, "/data/treehouse"), false},
		{"the root directory", certain(access.Read, "/"), false},
		{"unknown below the tree", unknown, false},
		{"the guard itself", self, false},
		{"the same pattern", pattern("/data/*.txt"), true},
		{"a pattern below the tree", pattern("/data/tree/*"), true},
		{"a pattern that climbs out", pattern("/data/tree/*/../../x"), false},
		{"a file called like the pattern", certain(access.Read, "/data/*.txt"), false},
		{"a match of the pattern", certain(access.Read, "/data/a.txt"), false},
		{"no path", access.Access{Kind: access.Read}, false},
	} {
		if got := s.Grants(testSession).Path(tt.a) != ""; got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	other := testSession
	other.Anchor.Start++
	if s.Grants(other).Path(certain(access.Read, "/data/file")) != "" {
		t.Error("a session with the same key and another anchor is served")
	}
	other = testSession
	other.Key = "other"
	if s.Grants(other).Path(certain(access.Read, "/data/file")) != "" {
		t.Error("another session is served")
	}
}

func TestGrantsThatCantBe(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "db"))
	d := LineDigest("a", "/")
	for name, g := range map[string]Grant{
		"nothing":     {Session: "x", Scope: InSession},
		"no scope":    {Session: "x", Exact: &d},
		"no session":  {Scope: InSession, Exact: &d},
		"no time":     {Scope: Until, Exact: &d},
		"all":         readGrant("/", true),
		"all homes":   readGrant("/home", true),
		"a home":      readGrant("/home/other", true),
		"root's home": readGrant("/root", true),
		"relative":    readGrant("x", false),
		"no kinds":    {Session: "x", Scope: InSession, Paths: []PathGrant{{Path: "/x"}}},
		"kind self":   {Session: "x", Scope: InSession, Paths: []PathGrant{{Path: "/x", Kinds: access.Kinds(access.Self)}}},
	} {
		if g, err := s.Add(g); err == nil {
			t.Errorf("%s: stored %+v", name, g)
		}
	}
	if len(s.List()) != 0 {
		t.Error(s.List())
	}
}

func TestSurvivesARestart(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "state/db"))
	g := add(t, s, readGrant("/data", true))
	if !g.Saved {
		t.Error("not saved")
	}
	gone := add(t, s, readGrant("/gone", true))
	if err := s.Revoke(gone.ID); err != nil {
		t.Fatal(err)
	}
	once := add(t, s, Grant{Session: testSession.Key, Anchor: testSession.Anchor, Scope: Once, Exact: new(Digest)})
	s = reopen(t, s)
	list := s.List()
	if len(list) != 1 || list[0].ID != g.ID || !list[0].Saved {
		t.Fatalf("%+v", list)
	}
	if s.Revoke(once.ID) == nil {
		t.Error("a grant for once outlived the daemon")
	}
	for _, name := range []string{"", ".key"} {
		st, err := os.Stat(s.path + name)
		if err != nil || st.Mode().Perm() != 0o600 {
			t.Error(name, st.Mode(), err)
		}
	}
	// With its session it ends.
	if err := s.DropSession(testSession.Key); err != nil {
		t.Fatal(err)
	}
	if s.Grants(testSession).Path(certain(access.Read, "/data")) != "" || len(reopen(t, s).List()) != 0 {
		t.Error("a grant outlived its session")
	}
}

func TestExpires(t *testing.T) {
	c := newClock()
	with := func(o *Options) { o.Now, o.Uptime = c.now, c.uptime }
	s := openStore(t, filepath.Join(t.TempDir(), "db"), with)
	g := readGrant("/data", false)
	g.Scope, g.Expires = Until, c.now().Add(time.Hour)
	add(t, s, g)
	holds := func() bool { return s.Grants(testSession).Path(certain(access.Read, "/data")) != "" }
	c.pass(59 * time.Minute)
	if !holds() {
		t.Error("over too early")
	}
	// Setting the clock back doesn't help.
	c.mu.Lock()
	c.wall = c.wall.Add(-24 * time.Hour)
	c.mu.Unlock()
	s = reopen(t, s, with)
	if !holds() {
		t.Error("lost")
	}
	c.pass(time.Minute)
	if holds() || len(s.List()) != 0 {
		t.Error("still there after its time, with the clock set back")
	}
	s = reopen(t, s, with)
	if holds() {
		t.Error("back after a restart")
	}
	// Nothing of a session outlives a boot.
	add(t, s, readGrant("/data", false))
	s = reopen(t, s, with, func(o *Options) { o.Boot = "other" })
	if len(s.List()) != 0 {
		t.Error("a session's grant outlived a boot")
	}
}

func TestOnce(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "db"))
	d := LineDigest("cat /x", "/code")
	add(t, s, Grant{Session: testSession.Key, Anchor: testSession.Anchor, Scope: Once, Exact: &d})
	if s.Grants(testSession).ExactLine("cat /x", "/") != "" || s.Grants(testSession).ExactLine("cat /x ", "/code") != "" {
		t.Error("another line or directory is covered")
	}
	one, two := s.Grants(testSession), s.Grants(testSession)
	if one.ExactLine("cat /x", "/code") == "" || two.ExactLine("cat /x", "/code") == "" {
		t.Fatal("not covered")
	}
	if !one.Consume() {
		t.Error("the first line can't have it")
	}
	if two.Consume() {
		t.Error("a second line has it as well")
	}
	if s.Grants(testSession).ExactLine("cat /x", "/code") != "" {
		t.Error("it is there still")
	}
}

// While another process holds the file, approvals count in memory, and get to
// the disk when it lets go. What was taken back meanwhile doesn't come back.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s := openStore(t, path)
	old := add(t, s, readGrant("/old", false))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	holder, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s = openStore(t, path, func(o *Options) { o.Retry = 20 * time.Millisecond })
	if d := time.Since(began); d > 20*time.Second {
		t.Errorf("waited %v for the lock", d)
	}
	if !strings.Contains(s.Status(), "held by another process") {
		t.Errorf("status %q", s.Status())
	}
	g, err := s.Add(readGrant("/new", false))
	if !errors.Is(err, ErrNotSaved) || g.ID == "" || g.Saved {
		t.Fatal(g, err)
	}
	if s.Grants(testSession).Path(certain(access.Read, "/new")) == "" {
		t.Error("it doesn't count")
	}
	back, err := s.Add(readGrant("/back", false))
	if !errors.Is(err, ErrNotSaved) {
		t.Fatal(err)
	}
	if err := s.Revoke(back.ID); !errors.Is(err, ErrNotSaved) {
		t.Error(err)
	}
	if err := holder.Close(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); s.Status() != ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("status %q", s.Status())
		}
	}
	s = reopen(t, s)
	var ids []string
	for _, g := range s.List() {
		ids = append(ids, g.ID)
	}
	if len(ids) != 2 || ids[0] != old.ID || ids[1] != g.ID {
		t.Errorf("on disk: %v, want %s and %s", ids, old.ID, g.ID)
	}
}

// A disk that refuses (full, read-only) costs nobody an approval while the daemon
// runs, and is tried again.
func TestDiskRefuses(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "db"), func(o *Options) { o.Retry = 20 * time.Millisecond })
	s.disk.mu.Lock()
	good := s.disk.db
	if err := good.Close(); err != nil {
		t.Fatal(err)
	}
	bad, err := bolt.Open(s.path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	s.disk.db = bad
	s.disk.mu.Unlock()
	g, err := s.Add(readGrant("/x", false))
	if !errors.Is(err, ErrNotSaved) || s.Grants(testSession).Path(certain(access.Read, "/x")) != g.ID {
		t.Fatal(g, err)
	}
	if !strings.Contains(s.Status(), "not saved") {
		t.Errorf("status %q", s.Status())
	}
	s.disk.mu.Lock()
	if err := bad.Close(); err != nil {
		t.Fatal(err)
	}
	if s.disk.db, err = bolt.Open(s.path, 0o600, nil); err != nil {
		t.Fatal(err)
	}
	s.disk.mu.Unlock()
	for end := time.Now().Add(10 * time.Second); s.Status() != ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("status %q", s.Status())
		}
	}
	if list := reopen(t, s).List(); len(list) != 1 || list[0].ID != g.ID {
		t.Errorf("%+v", list)
	}
}

func TestTamperedRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s := openStore(t, path)
	a := add(t, s, readGrant("/a", false))
	b := add(t, s, readGrant("/b", false))
	c := add(t, s, readGrant("/c", false))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		bucket := tx.Bucket([]byte(grantBucket))
		// One byte changed; a record under another's name; one without a MAC.
		v := append([]byte(nil), bucket.Get([]byte(a.ID))...)
		v = []byte(strings.Replace(string(v), `"Path":"/a"`, `"Path":"/e"`, 1))
		return errors.Join(
			bucket.Put([]byte(a.ID), v),
			bucket.Put([]byte("gffff"), append([]byte(nil), bucket.Get([]byte(b.ID))...)),
			bucket.Put([]byte(c.ID), []byte(`{}`)),
		)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	if list := s.List(); len(list) != 1 || list[0].ID != b.ID {
		t.Errorf("%+v", list)
	}
	if !strings.Contains(s.Status(), "3 stored approvals") {
		t.Errorf("status %q", s.Status())
	}
	// Without the key nothing verifies.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + ".key"); err != nil {
		t.Fatal(err)
	}
	if s = openStore(t, path); len(s.List()) != 0 {
		t.Errorf("%+v", s.List())
	}
}

// A damaged file never takes the daemon down, and nothing in it counts that
// doesn't verify. Grants that are found must be exactly those that were stored.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	s := openStore(t, path)
	stored := map[string]string{}
	for i := range 60 {
		g := add(t, s, readGrant(fmt.Sprintf("/data/%d", i), false))
		stored[g.ID] = g.Line
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(path + ".key")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	page := os.Getpagesize()
	damage := map[string]func([]byte) []byte{
		"header": func(b []byte) []byte { clear(b[:2*page]); return b },
		"cut":    func(b []byte) []byte { return b[:rng.IntN(len(b))] },
		"page": func(b []byte) []byte {
			at := rng.IntN(len(b)/page) * page
			for i := range page {
				b[at+i] = byte(rng.Uint32())
			}
			return b
		},
		"bytes": func(b []byte) []byte {
			for range 20 {
				b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
			}
			return b
		},
		"text": func([]byte) []byte { return []byte("not a database\n") },
	}
	moved := 0
	for name, f := range damage {
		for range 20 {
			sub := filepath.Join(t.TempDir(), "db")
			if err := errors.Join(
				os.WriteFile(sub, f(append([]byte(nil), good...)), 0o600),
				os.WriteFile(sub+".key", key, 0o600)); err != nil {
				t.Fatal(err)
			}
			s := openStore(t, sub)
			for _, g := range s.List() {
				if stored[g.ID] != g.Line {
					t.Fatalf("%s: a grant that was never given: %+v", name, g)
				}
			}
			// It goes on: a new approval stands.
			g, err := s.Add(readGrant("/after", false))
			if err != nil && !errors.Is(err, ErrNotSaved) {
				t.Fatalf("%s: %v", name, err)
			}
			if s.Grants(testSession).Path(certain(access.Read, "/after")) != g.ID {
				t.Fatalf("%s: a new approval doesn't count", name)
			}
			if aside, _ := filepath.Glob(sub + ".corrupt-*"); len(aside) > 0 {
				moved++
				if s.Status() == "" {
					t.Errorf("%s: the file was moved aside and status is silent", name)
				}
			}
		}
	}
	if moved < 40 {
		t.Errorf("only %d of 100 damaged files were moved aside", moved)
	}
	t.Logf("%d of 100 damaged files moved aside", moved)
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), path); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, path)
	if !strings.Contains(s.Status(), "not a regular file") {
		t.Errorf("status %q", s.Status())
	}
	if _, err := os.Stat(filepath.Join(dir, "elsewhere")); err == nil {
		t.Error("wrote through a link")
	}
}

func TestTrust(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "db"))
	sum := LineDigest("content", "")
	if err := s.Trust("/code/.extdir.json", sum, By{}); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s)
	if !s.Trusted("/code/.extdir.json", sum) || s.Trusted("/code/.extdir.json", LineDigest("edited", "")) || s.Trusted("/other", sum) {
		t.Error("trust is for a path and its content")
	}
	if err := s.Distrust("/code/.extdir.json"); err != nil {
		t.Fatal(err)
	}
	if reopen(t, s).Trusted("/code/.extdir.json", sum) {
		t.Error("still trusted")
	}
}

func TestManyAtOnce(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "db"))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 5 {
				p := fmt.Sprintf("/data/%d/%d", i, j)
				g, err := s.Add(readGrant(p, false))
				if err != nil {
					t.Error(err)
					return
				}
				if s.Grants(testSession).Path(certain(access.Read, p)) != g.ID {
					t.Error("not covered")
				}
				if j%2 == 0 {
					if err := s.Revoke(g.ID); err != nil {
						t.Error(err)
					}
				}
				s.List()
				s.Status()
			}
		})
	}
	wg.Wait()
	if n := len(reopen(t, s).List()); n != 16 {
		t.Errorf("%d grants, want 16", n)
	}
}
