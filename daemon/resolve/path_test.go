package resolve

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes files ("a/b"), directories ("a/") and links ("a -> b") below a new
// directory.
func tree(t testing.TB, entries ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, e := range entries {
		name, target, link := strings.Cut(e, " -> ")
		full := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		switch {
		case link:
			must(t, os.Symlink(target, full))
		case strings.HasSuffix(e, "/"):
			must(t, os.MkdirAll(full, 0o755))
		default:
			must(t, os.WriteFile(full, []byte("x"), 0o644))
		}
	}
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPath(t *testing.T) {
	dir := tree(t,
		"etc/passwd", "p/app/src/main.go", "p/other/",
		"p/app/abs -> /etc", "p/app/rel -> ../other", "p/app/file -> /etc/passwd",
		"p/app/chain -> abs", "p/app/dangling -> /var/gone", "p/app/slash -> /etc/",
		"p/app/loop -> loop", "p/app/up -> ..", "dev/",
		"p/app/self -> /proc/self/cwd", "p/app/in -> /dev/stdin",
	)
	for _, c := range []struct{ name, want string }{
		{"/", "/"},
		{"//etc//./passwd", "/etc/passwd"},
		{"/..", "/"},
		{"/p/app/src/../abs/passwd", "/etc/passwd"},
		{"/p/app/abs/..", "/"},
		{"/p/app/abs/../p/other", "/p/other"},
		{"/p/app/rel/x", "/p/other/x"},
		{"/p/app/rel/../app", "/p/app"},
		{"/p/app/file", "/etc/passwd"},
		{"/p/app/chain/passwd", "/etc/passwd"},
		{"/p/app/slash/passwd", "/etc/passwd"},
		{"/p/app/dangling", "/var/gone"},
		{"/p/app/dangling/a", "/var/gone/a"},
		{"/p/app/missing/../abs/x", "/etc/x"},
		{"/p/app/missing/a/../../abs", "/etc"},
		{"/etc/passwd/../../p/app/abs", "/etc"},
		{"/p/app/up/up/x", "/p/up/x"},
		{"/p/app/self/x", "/proc/self/cwd/x"},
		{"/p/app/in", "/dev/stdin"},
		{"/dev/fd/3", "/dev/fd/3"},
		{"/proc/self/root/etc", "/proc/self/root/etc"},
		{"/proc/self/../../etc", "/etc"},
		{"/proc/1/net/../status", "/proc/1/status"},
		{"/etc/" + strings.Repeat("n", 300) + "/../passwd", "/etc/passwd"},
	} {
		got, err := Path(Rooted(dir), c.name, nil)
		if err != nil || got != c.want {
			t.Errorf("Path(%q) = %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	if _, err := Path(Rooted(dir), "/p/app/loop/x", nil); !errors.Is(err, ErrLoop) {
		t.Errorf("loop: %v, want ErrLoop", err)
	}
	if _, err := Path(Rooted(dir), "/p/app/abs/passwd", &Budget{Calls: 3}); !errors.Is(err, ErrBudget) {
		t.Errorf("small budget: %v, want ErrBudget", err)
	}
	if _, err := Path(Rooted(dir), "etc", nil); err == nil {
		t.Error("a relative name was resolved")
	}
}

// The kernel itself is the judge: what the walk finds is what EvalSymlinks and
// the directory entry of the opened file say.
func TestPathAgreesWithTheKernel(t *testing.T) {
	dir := tree(t, "a/b/c/f", "a/l1 -> b", "a/b/l2 -> ../b/c", "a/b/c/l3 -> ../../l1/l2", "top -> a/b/c")
	real, err := filepath.EvalSymlinks(dir)
	must(t, err)
	for _, name := range []string{
		"a/l1/c/f", "a/l1/l2/f", "a/b/c/l3/f", "top/f", "top/../c/f", "top/l3/../l2/f", "a/l1/../b/c/f",
	} {
		got, err := Path(OS(), dir+"/"+name, nil)
		must(t, err)
		a, err := os.Stat(dir + "/" + name)
		must(t, err)
		b, err := os.Lstat(got)
		must(t, err)
		if !os.SameFile(a, b) || got != real+"/a/b/c/f" {
			t.Errorf("%s: resolved to %s, another file than the kernel opens", name, got)
		}
	}
}

func TestRootedKeepsAbsoluteLinksInside(t *testing.T) {
	dir := tree(t, "etc/only-here", "app/e -> /etc", "app/climb -> ../../../../../../etc")
	for _, name := range []string{"/app/e/only-here", "/app/climb/only-here"} {
		if _, err := Rooted(dir).Lstat(name); err != nil {
			t.Errorf("Lstat(%s): %v", name, err)
		}
	}
	entries, err := Rooted(dir).ReadDir("/app/e")
	if err != nil || len(entries) != 1 || entries[0].Name() != "only-here" {
		t.Errorf("ReadDir(/app/e) = %v, %v", entries, err)
	}
}

func TestLinksBelow(t *testing.T) {
	dir := tree(t, "etc/passwd", "app/a/e -> /etc", "app/b/in -> ../a", "app/b/up -> ..", "app/c/p -> /etc/passwd", "app/d/e2 -> /etc")
	outside := func(p string) bool { return p != "/app" && !strings.HasPrefix(p, "/app/") }
	got, complete := LinksBelow(Rooted(dir), "/app", outside, nil)
	slices.Sort(got)
	if !complete || !slices.Equal(got, []string{"/etc", "/etc/passwd"}) {
		t.Errorf("LinksBelow = %v, %v", got, complete)
	}
	if _, complete := LinksBelow(Rooted(dir), "/app", outside, &Budget{Calls: 2}); complete {
		t.Error("a walk that ran out of its budget calls itself complete")
	}
}

// ".." behind a link that each process has its own of leads nobody knows where.
func TestAboveOwnLinks(t *testing.T) {
	for _, name := range []string{
		"/proc/self/fd/9/../../etc", "/proc/self/cwd/..", "/proc/self/root/a/../b", "/proc/17/cwd/../x",
		"/proc/thread-self/exe/..", "/proc/self/task/17/root/..", "/dev/fd/3/../x", "/dev/fd/..", "/dev/stdin/..",
	} {
		if got, err := Path(OS(), name, nil); err == nil {
			t.Errorf("%s is %s", name, got)
		}
	}
}

// folded is a volume on which case doesn't count, as they are on macOS: all that
// is stored is in lower case.
type folded struct{ FS }

func (f folded) Lstat(name string) (os.FileInfo, error) { return f.FS.Lstat(strings.ToLower(name)) }

func (f folded) Readlink(name string) (string, error) { return f.FS.Readlink(strings.ToLower(name)) }
func (f folded) TrueName(name string) string          { return strings.ToLower(name) }

func TestTrueNames(t *testing.T) {
	dir := tree(t, "etc/passwd", "p/app/x", "p/app/l -> /ETC")
	for name, want := range map[string]string{
		"/ETC/Passwd":       "/etc/passwd",
		"/p/App/L/PASSWD":   "/etc/passwd",
		"/P/app/../APP/X":   "/p/app/x",
		"/P/App/New/File":   "/p/app/New/File", // how they will be stored
		"/Gone/A":           "/Gone/A",
		"/proc/self/FD/3":   "/proc/self/FD/3",
		"/P/App/X/Not/A/..": "/p/app/x/Not",
		"/P/App/X/.":        "/p/app/x",
	} {
		if got, err := Path(folded{Rooted(dir)}, name, nil); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
}
