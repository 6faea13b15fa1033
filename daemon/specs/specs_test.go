package specs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"extdir/daemon/command"
	"extdir/daemon/watch"
)

func base(t *testing.T) *command.Table {
	t.Helper()
	table, err := command.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// folders are a user's and an administrator's, who is the user running the test.
func folders(t *testing.T) Options {
	t.Helper()
	dir := t.TempDir()
	return Options{User: filepath.Join(dir, "u", "specs"), Managed: filepath.Join(dir, "m"), administrator: os.Getuid()}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func touches(s *Set, line string) string {
	return strings.Join(s.Table().Explain(strings.Fields(line), "linux").Touches, " ")
}

func TestLayers(t *testing.T) {
	o := folders(t)
	write(t, o.User, "a.spec", "deploy\n    usage [text]...\ncat\n    extend\n    --to <file/w>\n")
	write(t, o.Managed, "m.spec", "deploy\n    usage [file/w]...\nship\n    final\n    usage [file/w]...\n")
	s := Open(o, base(t))
	for line, want := range map[string]string{
		"deploy /srv":         "",               // the user's counts alone
		"ship /srv":           "w:/srv",         // the administrator's, where the user says nothing
		"cat --to /x /etc/fo": "r:/etc/fo w:/x", // extended
		"grep x /etc/fo":      "r:/etc/fo",      // built in
	} {
		if got := touches(s, line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if st := s.Status(); st.Problem() != "" || len(st.Files) != 2 {
		t.Errorf("status %+v", st)
	}
}

// TestFinal: no user's file describes what the administrator described for good.
func TestFinal(t *testing.T) {
	o := folders(t)
	write(t, o.Managed, "m.spec", "ship\n    final\n    usage [file/w]...\ncat\n    extend\n    final\n")
	write(t, o.User, "a.spec", "ship\n    usage [text]...\n")
	write(t, o.User, "b.spec", "cat\n    usage [text]...\n")
	write(t, o.User, "c.spec", "deploy\n    usage [file/w]...\n")
	s := Open(o, base(t))
	for line, want := range map[string]string{"ship /srv": "w:/srv", "cat /etc/fo": "r:/etc/fo", "deploy /srv": "w:/srv"} {
		if got := touches(s, line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	want := []string{
		o.User + "/a.spec:1:1: ship is described for good at " + o.Managed + "/m.spec:1; leave it out here; the file is not in force",
		o.User + "/b.spec:1:1: cat is described for good at " + o.Managed + "/m.spec:4; leave it out here; the file is not in force",
	}
	got := slices.Sorted(slices.Values(s.Status().Problems))
	if !slices.Equal(got, want) {
		t.Errorf("problems\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestBroken: a file with a mistake is left out alone, and a second description is
// named with both places.
func TestBroken(t *testing.T) {
	o := folders(t)
	write(t, o.User, "a.spec", "deploy\n    usage [file/w]...\n")
	write(t, o.User, "b.spec", "other\n    usage [fil]...\n")
	write(t, o.User, "c.spec", "third\n    usage [text]...\ndeploy\n    usage [text]...\n")
	write(t, o.User, ".#a.spec", "nonsense ( \n")
	s := Open(o, base(t))
	if got := touches(s, "deploy /srv"); got != "w:/srv" {
		t.Errorf("deploy: %q", got)
	}
	if got := touches(s, "third /srv"); got != "r:/srv w:/srv" {
		t.Errorf("third is read by the fallback, not %q", got)
	}
	p := s.Status().Problems
	if len(p) != 2 || !strings.HasPrefix(p[0]+p[1], o.User+"/b.spec:2:11: ") && !strings.HasPrefix(p[1]+p[0], o.User+"/b.spec:2:11: ") {
		t.Errorf("problems %q", p)
	}
	if all := strings.Join(p, "\n"); !strings.Contains(all, "/c.spec:3:1: deploy is described twice, first at specs/a.spec:1") {
		t.Errorf("problems %q", p)
	}
}

// TestManagedOwner: what others may write is no administrator's.
func TestManagedOwner(t *testing.T) {
	o := folders(t)
	write(t, o.Managed, "m.spec", "deploy\n    usage [text]...\n")
	for name, spoil := range map[string]func(){
		"another owner":    func() { o.administrator++ },
		"a writable file":  func() { os.Chmod(filepath.Join(o.Managed, "m.spec"), 0o666) },
		"a writable place": func() { os.Chmod(o.Managed, 0o777) },
	} {
		old := o
		spoil()
		s := Open(o, base(t))
		if got := touches(s, "deploy /srv"); got != "r:/srv w:/srv" {
			t.Errorf("%s: %q", name, got)
		}
		if p := s.Status().Problem(); !strings.Contains(p, "others than the administrator may write it") {
			t.Errorf("%s: problem %q", name, p)
		}
		o = old
		os.Chmod(filepath.Join(o.Managed, "m.spec"), 0o644)
		os.Chmod(o.Managed, 0o755)
	}
}

// TestWatch: each way of changing the folder comes into force.
func TestWatch(t *testing.T) {
	for _, every := range []time.Duration{time.Hour, 20 * time.Millisecond} {
		o := folders(t)
		os.MkdirAll(filepath.Dir(o.User), 0o755)
		s := Open(o, base(t))
		watcher := watch.With(fsnotify.NewWatcher, every)
		s.Follow(watcher, func(Status) {})
		file := filepath.Join(o.User, "a.spec")
		aside := filepath.Join(filepath.Dir(o.User), "real.spec")
		for _, step := range []struct {
			name string
			do   func()
			want string
		}{
			{"a new folder", func() { write(t, o.User, "a.spec", "deploy\n    usage [text]...\n") }, ""},
			{"a write", func() { write(t, o.User, "a.spec", "deploy\n    usage [file/w]...\n") }, "w:/srv"},
			{"a mistake", func() { write(t, o.User, "a.spec", "deploy\n    usage [fil]...\n") }, "r:/srv w:/srv"},
			{"a save by rename", func() {
				write(t, o.User, "x", "deploy\n    usage [text]...\n")
				os.Rename(filepath.Join(o.User, "x"), file)
			}, ""},
			{"gone", func() { os.Remove(file) }, "r:/srv w:/srv"},
			{"a link", func() {
				write(t, filepath.Dir(o.User), "real.spec", "deploy\n    usage [text]...\n")
				os.Symlink(aside, file)
			}, ""},
			{"its target", func() { write(t, filepath.Dir(o.User), "real.spec", "deploy\n    usage [file/w]...\n") }, "w:/srv"},
		} {
			step.do()
			end := time.Now().Add(5 * time.Second)
			for touches(s, "deploy /srv") != step.want {
				if time.Now().After(end) {
					t.Fatalf("%s (every %v): %q, want %q", step.name, every, touches(s, "deploy /srv"), step.want)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
		if own := s.Own(); !slices.Contains(own, o.User) || !slices.Contains(own, aside) {
			t.Errorf("own files %q lack %s or %s", own, o.User, aside)
		}
		watcher.Close()
	}
}
