package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"extdir/daemon/access"
	"extdir/daemon/policy"
)

const broken = "{\n  \"permission\": perhaps\n}"

// A daemon that starts while the file is broken goes on with the last good bytes.
func TestStartWithABrokenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, keep := filepath.Join(dir, "config.json"), filepath.Join(dir, "state")
	do(t, os.Mkdir(keep, 0o700))
	run := func(name string) *Config {
		c, err := Open(Options{File: name, Keep: keep, Home: "/home/u", Resolve: same})
		do(t, err)
		return c
	}
	again := func(name string) *Config {
		run(name).Close() // a start in between must not lose them either
		return run(name)
	}

	write(t, file, "\ufeff"+fileA)
	run(file).Close()
	copied := filepath.Join(keep, "last-good-user.json")
	st, err := os.Stat(copied)
	do(t, err)
	if st.Mode().Perm() != 0o600 {
		t.Errorf("the copy's mode is %v", st.Mode())
	}
	// Nothing is written while nothing changes.
	old := time.Now().Add(-time.Hour)
	do(t, os.Chtimes(copied, old, old))
	run(file).Close()
	if st, err := os.Stat(copied); err != nil || time.Since(st.ModTime()) < time.Minute {
		t.Errorf("written again: %v, %v", st, err)
	}

	write(t, file, broken)
	c := again(file)
	if got := inForce(c); got != "A" {
		t.Errorf("in force is %s", got)
	}
	s := c.Status()
	if !strings.HasPrefix(s.Problem, "config.json:2:17: ") || s.Kept != copied || s.Holds != "the last good rules hold, those in "+copied || s.Loaded.IsZero() {
		t.Errorf("%+v", s)
	}
	// The rules name the lines that are in force: line 2 and on of the copy.
	d := c.Policy("/code/app", "").Decide(access.Line{Accesses: []access.Access{{
		Typed: "/srv/2", Path: "/srv/2", Kind: access.Read, External: true,
	}}}, policy.Context{Driver: "agent", Roots: []string{"/code/app"}})
	if r := d.Findings[0].Rule; r == nil || r.Origin.File != copied || r.Origin.Line != 2+1+400 {
		t.Errorf("%+v", r)
	}
	// Mended, the file itself holds again.
	write(t, file, fileB)
	c.Reload()
	until(t, time.Second, "the mended file", func() bool { return inForce(c) == "B" })
	if s := c.Status(); s.Problem != "" || s.Kept != "" || s.Holds != "" {
		t.Errorf("%+v", s)
	}
	c.Close()

	// What can't be read is broken, too.
	do(t, os.Remove(file))
	do(t, os.Mkdir(file, 0o700))
	c = run(file)
	if got := inForce(c); got != "B" {
		t.Errorf("a directory in its place: %s", got)
	}
	c.Close()
	do(t, os.Remove(file))

	// Another place's file has no copy here.
	other := filepath.Join(dir, "other.json")
	write(t, other, broken)
	c = run(other)
	if got, s := inForce(c), c.Status(); got != "none" || s.Holds != "none of its rules hold" {
		t.Errorf("%s, %+v", got, s)
	}
	c.Close()

	// A file that is gone at the start takes its copy along.
	run(file).Close()
	write(t, file, broken)
	c = run(file)
	if got := inForce(c); got != "none" {
		t.Errorf("after it was gone: %s", got)
	}
	c.Close()
}

func TestCopyThatIsNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, keep := filepath.Join(dir, "config.json"), filepath.Join(dir, "state")
	write(t, file, broken)
	for name, set := range map[string]func(copied string){
		"broken":    func(c string) { write(t, c, string(keptHead(file))+broken) },
		"headless":  func(c string) { write(t, c, fileA) },
		"others'":   func(c string) { write(t, c, string(keptHead(file))+fileA); do(t, os.Chmod(c, 0o666)) },
		"directory": func(c string) { do(t, os.Mkdir(c, 0o700)) },
	} {
		do(t, os.RemoveAll(keep))
		do(t, os.Mkdir(keep, 0o700))
		set(filepath.Join(keep, "last-good-user.json"))
		c, err := Open(Options{File: file, Keep: keep, Resolve: same})
		do(t, err)
		if got := inForce(c); got != "none" {
			t.Errorf("%s: %s", name, got)
		}
		c.Close()
	}
	// Where it can't be kept, the status says so and the file is in force.
	do(t, os.RemoveAll(keep))
	write(t, file, fileA)
	c, err := Open(Options{File: file, Keep: keep, Resolve: same})
	do(t, err)
	defer c.Close()
	if got, s := inForce(c), c.Status(); got != "A" || !strings.Contains(s.Unkept, "can't be kept") {
		t.Errorf("%s, %+v", got, s)
	}
}

// Both files are watched by one inotify instance.
func TestOneWatcher(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	user, admin := filepath.Join(dir, "a/config.json"), filepath.Join(dir, "b/config.json")
	for _, f := range []string{user, admin} {
		do(t, os.Mkdir(filepath.Dir(f), 0o700))
		write(t, f, fileA)
	}
	n := 0
	c, err := open(Options{File: user, Managed: admin, Resolve: same, administrator: os.Getuid()}, func() (*fsnotify.Watcher, error) {
		n++
		return fsnotify.NewWatcher()
	}, time.Hour)
	do(t, err)
	defer c.Close()
	if n != 1 {
		t.Errorf("%d watchers", n)
	}
	// Each is noticed, also after the other's directory is watched no more.
	moved := filepath.Join(dir, "c.json")
	write(t, moved, fileB)
	do(t, os.Remove(user))
	do(t, os.Symlink(moved, user))
	until(t, time.Second, "the user's file", func() bool { return c.Status().Generation >= 3 })
	at := c.Status().Generation
	write(t, admin, fileB)
	until(t, time.Second, "the administrator's file", func() bool { return c.Status().Generation > at })
}
