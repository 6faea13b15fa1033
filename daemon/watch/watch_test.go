package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func temp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	do(t, err)
	return dir
}

// counter is a subject that counts how often it was looked at.
type counter struct {
	looks, reloads atomic.Int32
	deaf           atomic.Value
}

func (c *counter) of(file string, again time.Duration) Subject {
	return Subject{
		Dirs:     func() []string { return Resolve(file).Dirs() },
		Concerns: func(name string) bool { return Resolve(file).Concerns(name) },
		Look: func(always bool, deaf string) time.Duration {
			c.deaf.Store(deaf)
			c.looks.Add(1)
			if always {
				c.reloads.Add(1)
			}
			return again
		},
	}
}

func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

func TestTwoFollowersOfOneWatcher(t *testing.T) {
	t.Parallel()
	dir := temp(t)
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "deep/er/two")
	w := With(fsnotify.NewWatcher, time.Hour)
	defer w.Close()
	var a, b counter
	fa := w.Follow(a.of(one, 0))
	w.Follow(b.of(two, 0))
	if a.looks.Load() != 1 || b.looks.Load() != 1 {
		t.Fatal("Follow looks once before it returns")
	}
	do(t, os.WriteFile(one, nil, 0o600))
	until(t, "a new file", func() bool { return a.looks.Load() == 2 })
	if b.looks.Load() != 1 {
		t.Error("what doesn't concern a follower has it look")
	}
	// Directories that are made later, one by one.
	do(t, os.MkdirAll(filepath.Dir(two), 0o700))
	until(t, "a new directory", func() bool { return b.looks.Load() >= 2 })
	n := b.looks.Load()
	until(t, "a file in it", func() bool {
		do(t, os.WriteFile(two, nil, 0o600))
		return b.looks.Load() > n
	})
	fa.Reload()
	until(t, "reload", func() bool { return a.reloads.Load() == 1 })
	fa.Close()
	fa.Close() // twice is fine
	n = b.looks.Load()
	do(t, os.WriteFile(two, []byte("x"), 0o600))
	until(t, "the other after one is closed", func() bool { return b.looks.Load() > n })
}

func TestAgain(t *testing.T) {
	t.Parallel()
	w := With(fsnotify.NewWatcher, time.Hour)
	defer w.Close()
	var c counter
	w.Follow(c.of(filepath.Join(temp(t), "x"), time.Millisecond))
	until(t, "looks that were asked for", func() bool { return c.looks.Load() > 5 })
}

func TestDeaf(t *testing.T) {
	t.Parallel()
	for want, notifier := range map[string]func() (*fsnotify.Watcher, error){
		"max_user_instances": func() (*fsnotify.Watcher, error) { return nil, os.NewSyscallError("inotify_init1", syscall.EMFILE) },
		"max_user_watches":   func() (*fsnotify.Watcher, error) { return nil, syscall.ENOSPC },
		"within 2 s only":    func() (*fsnotify.Watcher, error) { return nil, errors.New("no") },
		// A watcher that takes no directory.
		"already closed": func() (*fsnotify.Watcher, error) {
			n, err := fsnotify.NewWatcher()
			if err == nil {
				n.Close()
			}
			return n, err
		},
	} {
		w := With(notifier, 5*time.Millisecond)
		var c counter
		w.Follow(c.of(filepath.Join(temp(t), "x"), 0))
		if got := c.deaf.Load().(string); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		until(t, "polling", func() bool { return c.looks.Load() > 2 })
		w.Close()
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	dir := temp(t)
	for _, d := range []string{"a/b", "c"} {
		do(t, os.MkdirAll(filepath.Join(dir, d), 0o700))
	}
	for name, target := range map[string]string{
		"to-b": "a/b", "c/up": "../to-b", "a/b/file": dir + "/c/real", "loop": "loop", "gone": "nowhere/x",
	} {
		do(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	for _, c := range []struct{ path, file, links, dirs string }{
		{"c/real", "c/real", "", "c"},
		{"c/up/file", "c/real", "c/up to-b a/b/file", " a/b c"},
		{"c/up/new/x", "a/b/new/x", "c/up to-b", " a/b c"},
		{"c/up/../x", "a/x", "c/up to-b", " a c"},
		{"gone", "nowhere/x", "gone", ""},
		{"no/such/file", "no/such/file", "", ""},
	} {
		at := Resolve(dir + "/" + c.path)
		short := func(list []string) string {
			for i, p := range list {
				list[i] = strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
			}
			return strings.Join(list, " ")
		}
		var links []string
		for _, l := range at.Links {
			links = append(links, l.Name)
		}
		if got := short([]string{at.File}); got != c.file {
			t.Errorf("%s: %s, want %s", c.path, got, c.file)
		}
		if got := short(links); got != c.links {
			t.Errorf("%s: links %s, want %s", c.path, got, c.links)
		}
		if got := short(at.Dirs()); got != c.dirs {
			t.Errorf("%s: directories %q, want %q", c.path, got, c.dirs)
		}
	}
	if n := len(Resolve(filepath.Join(dir, "loop")).Links); n != maxLinks {
		t.Errorf("a loop ends after %d links", n)
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	dir := temp(t)
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	do(t, os.Symlink("file", link))
	var seen []string
	for what, change := range []func() error{
		func() error { return nil },
		func() error { return os.WriteFile(file, []byte("1"), 0o600) },
		func() error { return os.WriteFile(file, []byte("22"), 0o600) },
		func() error { return os.Chmod(file, 0o666) },
		func() error { return errors.Join(os.Remove(link), os.Symlink("./file", link)) },
		func() error { return os.Remove(file) },
	} {
		do(t, change())
		sig := Resolve(link).Signature()
		if slices.Contains(seen, sig) {
			t.Errorf("change %d isn't seen", what)
		}
		seen = append(seen, sig)
	}
}
