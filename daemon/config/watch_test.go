package config

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"extdir/daemon/access"
	"extdir/daemon/watch"
)

// Two files of which no mix is sound: exactly one of /srv/1 and /srv/2 is denied.
// The padding makes them long enough to be seen half written.
var (
	pad   = strings.Repeat("// padding so that a write takes more than one page\n", 400)
	fileA = `{"permission": {"external_directory": {"/srv/1": "allow", ` + "\n" + pad + `"/srv/2": "deny"}}}` + "\n"
	fileB = `{"permission": {"external_directory": {"/srv/1": "deny", ` + "\n" + pad + `"/srv/2": "allow"}}}` + "\n"
)

// inForce tells which of the two holds: "A", "B", "none", or what it is instead.
func inForce(c *Config) string {
	p := c.Policy("/code/app", "")
	one, two := judge(p, access.Read, "/srv/1"), judge(p, access.Read, "/srv/2")
	switch {
	case one == allow && two == block:
		return "A"
	case one == block && two == allow:
		return "B"
	case one == prompt && two == prompt:
		return "none"
	}
	return "1: " + one.String() + ", 2: " + two.String()
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits for a state, at most as long as promised plus what a busy machine
// may take.
func until(t *testing.T, promised time.Duration, what string, f func() bool) {
	t.Helper()
	end := time.Now().Add(promised + 3*time.Second)
	for !f() {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s", what, promised)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// open is Open with a source of notices and a time between two looks.
func open(o Options, notifier func() (*fsnotify.Watcher, error), every time.Duration) (*Config, error) {
	o.Watch = watch.With(notifier, every)
	c, err := Open(o)
	if err == nil {
		c.close = o.Watch.Close
	}
	return c, err
}

func start(t *testing.T, name string) *Config {
	t.Helper()
	// Without polling: what these tests see, the watch alone saw.
	c, err := open(Options{File: name, Home: "/home/u", Resolve: same}, fsnotify.NewWatcher, time.Hour)
	do(t, err)
	t.Cleanup(c.Close)
	return c
}

// The ways editors and dotfile managers save.
var styles = []struct {
	name string
	save func(t *testing.T, file, text string)
}{
	{"truncate and write", func(t *testing.T, file, text string) {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		do(t, err)
		for i := 0; i < len(text); i += 5000 {
			_, err = f.WriteString(text[i:min(i+5000, len(text))])
			do(t, err)
		}
		do(t, f.Close())
	}},
	{"rename over", func(t *testing.T, file, text string) {
		write(t, file+".tmp", text)
		do(t, os.Rename(file+".tmp", file))
	}},
	{"backup and rename", func(t *testing.T, file, text string) {
		do(t, os.Rename(file, file+"~"))
		write(t, file+".new", text)
		do(t, os.Rename(file+".new", file))
	}},
	{"swap a link", func(t *testing.T, file, text string) {
		target := filepath.Join(t.TempDir(), "target.json")
		write(t, target, text)
		do(t, os.Symlink(target, file+".link"))
		do(t, os.Rename(file+".link", file))
	}},
	{"delete and create", func(t *testing.T, file, text string) {
		do(t, os.Remove(file))
		write(t, file, text)
	}},
	{"swap the directory", func(t *testing.T, file, text string) {
		dir := filepath.Dir(file)
		do(t, os.Mkdir(dir+".new", 0o700))
		write(t, filepath.Join(dir+".new", filepath.Base(file)), text)
		do(t, os.Rename(dir, dir+".old"))
		do(t, os.Rename(dir+".new", dir))
		do(t, os.RemoveAll(dir+".old"))
	}},
}

func TestEditorsWhileReadersJudge(t *testing.T) {
	for _, s := range styles {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "d", "config.json")
			do(t, os.Mkdir(filepath.Dir(file), 0o700))
			write(t, file, fileA)
			c := start(t, file)
			if got := inForce(c); got != "A" {
				t.Fatalf("after Open: %s", got)
			}
			stop := make(chan struct{})
			var readers sync.WaitGroup
			for range 2 {
				readers.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
						}
						if got := inForce(c); got != "A" && got != "B" {
							t.Errorf("a mix is in force: %s", got)
							return
						}
						time.Sleep(time.Millisecond)
					}
				})
			}
			for i := range 6 {
				text, want := fileB, "B"
				if i%2 == 1 {
					text, want = fileA, "A"
				}
				s.save(t, file, text)
				until(t, 300*time.Millisecond, "save", func() bool { return inForce(c) == want })
			}
			close(stop)
			readers.Wait()
			until(t, time.Second, "no problem", func() bool { return c.Status().Problem == "" })
		})
	}
}

// However a file is saved, and however often without a pause: the last one holds.
func TestManySavesInARow(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "d", "config.json")
	do(t, os.Mkdir(filepath.Dir(file), 0o700))
	write(t, file, fileA)
	c := start(t, file)
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 8 {
		for range 10 {
			styles[random.IntN(len(styles))].save(t, file, fileA)
			styles[random.IntN(len(styles))].save(t, file, fileB)
			if got := inForce(c); got != "A" && got != "B" {
				t.Fatalf("a mix is in force: %s", got)
			}
		}
		text, want := fileA, "A"
		if round%2 == 0 {
			text, want = fileB, "B"
		}
		styles[random.IntN(len(styles))].save(t, file, text)
		until(t, 300*time.Millisecond, "the last save", func() bool { return inForce(c) == want })
	}
}

func TestPolling(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.json")
	write(t, file, fileA)
	c, err := open(Options{File: file, Resolve: same}, func() (*fsnotify.Watcher, error) {
		return nil, os.NewSyscallError("inotify_init1", syscall.EMFILE)
	}, watch.PollEvery)
	do(t, err)
	defer c.Close()
	until(t, watch.PollEvery, "status", func() bool { return strings.Contains(c.Status().Polling, "max_user_instances") })
	write(t, file, fileB)
	until(t, watch.PollEvery+500*time.Millisecond, "poll", func() bool { return inForce(c) == "B" })
}

// A watcher that takes no directory (fs.inotify.max_user_watches) is no worse than
// none.
func TestPollingWithoutWatches(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.json")
	write(t, file, fileA)
	c, err := open(Options{File: file, Resolve: same}, func() (*fsnotify.Watcher, error) {
		n, err := fsnotify.NewWatcher()
		if err == nil {
			n.Close()
		}
		return n, err
	}, watch.PollEvery)
	do(t, err)
	defer c.Close()
	if p := c.Status().Polling; !strings.Contains(p, "within 2 s only") {
		t.Errorf("polling: %q", p)
	}
	write(t, file, fileB)
	until(t, watch.PollEvery+500*time.Millisecond, "poll", func() bool { return inForce(c) == "B" })
}

func TestTargetOfLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	do(t, os.MkdirAll(filepath.Join(dir, "dotfiles/extdir"), 0o700))
	target := filepath.Join(dir, "dotfiles/extdir/config.json")
	write(t, target, fileA)
	do(t, os.Symlink("dotfiles", filepath.Join(dir, ".config")))
	c := start(t, filepath.Join(dir, ".config/extdir/config.json"))
	if got := inForce(c); got != "A" {
		t.Fatal(got)
	}
	write(t, target, fileB)
	until(t, 300*time.Millisecond, "write to the target", func() bool { return inForce(c) == "B" })
	do(t, os.MkdirAll(filepath.Join(dir, "other/extdir"), 0o700))
	write(t, filepath.Join(dir, "other/extdir/config.json"), fileA)
	do(t, os.Remove(filepath.Join(dir, ".config")))
	do(t, os.Symlink("other", filepath.Join(dir, ".config")))
	until(t, 300*time.Millisecond, "a directory's link swapped", func() bool { return inForce(c) == "A" })
}

func TestBrokenFileKeepsTheLastGoodOne(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.json")
	write(t, file, fileA)
	changes := make(chan Status, 100)
	c, err := Open(Options{File: file, Resolve: same, OnChange: func(s Status) { changes <- s }})
	do(t, err)
	defer c.Close()
	before := c.Status()
	write(t, file, "{\n  \"permission\": {\"external_directory\": \"alow\"}}")
	until(t, 300*time.Millisecond, "problem", func() bool { return c.Status().Problem != "" })
	s := c.Status()
	want := `config.json:2:40: "external_directory" must be "allow", "ask" or "deny", not "alow"`
	if s.Problem != want || s.Since.IsZero() || s.Generation != before.Generation {
		t.Errorf("status: %+v", s)
	}
	if got := inForce(c); got != "A" {
		t.Errorf("in force: %s", got)
	}
	write(t, file, fileB)
	until(t, 300*time.Millisecond, "repaired", func() bool { return inForce(c) == "B" && c.Status().Problem == "" })
	if s := c.Status(); !s.Since.IsZero() || s.Generation != before.Generation+1 || s.Loaded.IsZero() {
		t.Errorf("status: %+v", s)
	}
	if len(changes) < 3 {
		t.Errorf("OnChange was called %d times", len(changes))
	}
}

func TestNoLastGoodFileLoosensNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"broken":  `{"permission": {"external_directory": "allow"}`,
		"invalid": `{"defaults": false, "permission": {"external_directory": "allow"}, "x": 1}`,
	} {
		file := filepath.Join(t.TempDir(), "config.json")
		write(t, file, text)
		c := start(t, file)
		if got := inForce(c); got != "none" {
			t.Errorf("%s: in force: %s", name, got)
		}
		if s := c.Status(); !strings.HasPrefix(s.Problem, "config.json:1:") || s.Generation != 0 {
			t.Errorf("%s: status %+v", name, s)
		}
	}
	file := filepath.Join(t.TempDir(), "none", "config.json")
	c := start(t, file)
	if s := c.Status(); s.Problem != "" || !s.Missing || inForce(c) != "none" {
		t.Errorf("missing: %+v", s)
	}
	do(t, os.Mkdir(filepath.Dir(file), 0o700))
	write(t, file, fileA)
	until(t, 300*time.Millisecond, "made later", func() bool { return inForce(c) == "A" && !c.Status().Missing })
}

func TestVanishedFile(t *testing.T) {
	t.Parallel()
	for name, vanish := range map[string]func(t *testing.T, file string){
		"removed": func(t *testing.T, file string) { do(t, os.Remove(file)) },
		"emptied": func(t *testing.T, file string) { write(t, file, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "config.json")
			write(t, file, fileA)
			c := start(t, file)
			vanish(t, file)
			gone := time.Now()
			until(t, grace+watch.PollEvery, "allows end", func() bool { return inForce(c) != "A" })
			if took := time.Since(gone); took < grace-100*time.Millisecond {
				t.Errorf("the allows ended after %s", took)
			}
			if got := inForce(c); got != "1: prompt, 2: block" {
				t.Errorf("in force: %s", got)
			}
			if s := c.Status(); !strings.Contains(s.Problem, "what it allowed no longer holds") {
				t.Errorf("status: %+v", s)
			}
			write(t, file, fileB)
			until(t, 300*time.Millisecond, "back", func() bool { return inForce(c) == "B" && c.Status().Problem == "" })
		})
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.json")
	do(t, syscall.Mkfifo(file, 0o600))
	c := start(t, file) // must not wait for a writer
	if s := c.Status(); !strings.Contains(s.Problem, "is not a regular file") {
		t.Errorf("fifo: %+v", s)
	}
	loop := filepath.Join(dir, "loop.json")
	do(t, os.Symlink("loop.json", loop))
	c = start(t, loop)
	if s := c.Status(); s.Problem == "" || inForce(c) != "none" {
		t.Errorf("a link to itself: %+v", s)
	}
	if _, err := Open(Options{File: "config.json"}); err == nil {
		t.Error("a relative name was taken")
	}
}

func TestReload(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.json")
	write(t, file, fileA)
	c := start(t, file)
	n := c.Status().Generation
	c.Reload()
	until(t, 300*time.Millisecond, "reload", func() bool { return c.Status().Generation > n })
	c.Close()
	c.Close() // twice is fine
	if inForce(c) != "A" {
		t.Error("after Close the rules stay")
	}
}
