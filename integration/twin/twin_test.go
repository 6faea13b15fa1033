// Package twin holds the analyzer against the kernel: every line of
// testdata/lines is run for real in a world of its own (testdata/world.sh,
// testdata/run.sh) under strace, and what the kernel saw touched outside of the
// project must be among the accesses the analyzer names, and the other way round.
//
// A difference is a fault of the product, or it is explained in the table beside
// its line, or it is what programs do whatever the line says (testdata/noise.txt).
// An explanation that explains nothing is a fault of the table.
package twin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"extdir/daemon/access"
	"extdir/daemon/analyze"
	"extdir/daemon/command"
	"extdir/daemon/resolve"
)

const (
	project = "/projects/app"
	home    = "/home/u"
	search  = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

func TestTwin(t *testing.T) {
	w := newWorld(t)
	table := readTable(t)
	noise := readNoise(t)
	var mu sync.Mutex
	explained, left, touched := 0, map[string]int{}, 0
	w.each(table, func(tw *twin) {
		if missing := w.missing(tw); missing != "" {
			mu.Lock()
			left[missing]++
			mu.Unlock()
			return
		}
		seen, err := w.run(tw)
		if err != nil {
			t.Errorf("%s: %s\n\t%v", tw.place, tw.line, err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, d := range compare(w.analyze(tw), seen, tw, noise) {
			t.Errorf("%s: %s\n\t%s", tw.place, tw.line, d)
		}
		for _, n := range tw.notes {
			if !n.used {
				t.Errorf("%s: %s\n\tthe note %q explains nothing: take it away", tw.place, tw.line, n.sign+" "+n.path)
			}
			explained++
		}
		for _, s := range seen {
			if outside(s.path) {
				touched++
			}
		}
	})
	for tool, n := range left {
		t.Logf("%d lines left out: %s isn't installed here", n, tool)
	}
	for _, n := range noise {
		if !n.used {
			t.Logf("noise.txt: nothing touched %s here (%s)", n.path, n.reason)
		}
	}
	t.Logf("%d lines, %d touches outside, %d differences explained", len(table), touched, explained)
	for _, tw := range table {
		for _, n := range tw.notes {
			t.Logf("%s: %s %s: %s", tw.place, n.sign, n.path, n.reason)
		}
	}
}

// The comparison itself must be able to fail: what one line touches is held
// against what the analyzer says of another.
func TestTwinTellsApart(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ run, judge, want string }{
		{"cat /etc/secret", "true", "the kernel saw /etc/secret read"},
		{"true", "cat /etc/secret", "the analyzer names /etc/secret"},
		{"echo x >/etc/secret", "cat /etc/secret", "the kernel saw /etc/secret written"},
		{"cat /etc/secret", "echo x >/etc/secret", "the analyzer has /etc/secret written"},
		{"cd ..; rm -r other/dir", "ls ..", "the kernel saw /projects/other/dir written"},
		{"ln -s /srv l; echo x >l/data/a.txt", "ln -s /srv l", "the kernel saw /srv/data/a.txt written"},
		{"(cd /srv; mkdir data/x) & (cd /etc; mkdir x); wait", "ls /srv/data/x /etc", "the kernel saw /etc/x written"},
		{"true", `cat "$u"`, "an access is unknown"},
	} {
		seen, err := w.run(&twin{line: c.run, shell: "bash"})
		if err != nil {
			t.Fatal(err)
		}
		judged := &twin{line: c.judge, shell: "bash"}
		found := compare(w.analyze(judged), seen, judged, readNoise(t))
		if !strings.Contains(strings.Join(found, "\n"), c.want) {
			t.Errorf("%q run, %q judged: no %q in %q", c.run, c.judge, c.want, found)
		}
	}
}

// compare lists the differences that nothing explains.
func compare(l access.Line, seen []touch, tw *twin, all []*noise) []string {
	out := map[string]bool{}
	report := func(sign, p, format string, args ...any) {
		if !tw.explains(sign, p) {
			out[fmt.Sprintf(format, args...)] = true
		}
	}
	for _, s := range seen {
		if s.mark || !outside(s.path) || quiet(all, s) || covered(l, s) {
			continue
		}
		if s.look && tw.explains("l", s.path) {
			continue
		}
		did := "read"
		switch {
		case s.write:
			did = "written"
		case s.look:
			did = "looked at"
		}
		report("+", s.path, "the kernel saw %s %s; the analyzer: %s", s.path, did, names(l))
	}
	for _, a := range l.Accesses {
		if !a.External || a.Certainty != access.Certain || a.Kind == access.Self {
			continue
		}
		name := a.Name(outside)
		touched, written := false, false
		for _, s := range seen {
			if matches(a, s.path) || matches(a, s.at) || a.Glob && looksUp(a.Path, s.path) {
				touched = true
				written = written || s.write
			}
			// What is used of a tree is used of its top, and what is written into a
			// directory is written to it.
			if (a.Dir && a.Kind == access.Read || a.Kind == access.Write && s.write) && (below(s.path, a.Path) || below(s.path, a.Typed)) {
				touched, written = true, written || s.write
			}
		}
		switch {
		case !touched:
			report("-", name, "the analyzer names %s (%s), the kernel didn't see it", name, a.Why)
		case a.Kind == access.Write && !written:
			report("w", name, "the analyzer has %s written (%s), the kernel only saw it read", name, a.Why)
		}
	}
	if l.Dynamic {
		report("~", "", "an access is unknown, though the table says nothing of it: %s", names(l))
	}
	var sorted []string
	for d := range out {
		sorted = append(sorted, d)
	}
	sort.Strings(sorted)
	return sorted
}

// covered tells whether an access answers for a touch: of its kind, or a stronger
// one, on the path or a directory above it that the access names. What is run in a
// directory (make -C) may do anything there.
func covered(l access.Line, s touch) bool {
	if s.path == "/" && s.look || s.look && below(project, s.path) {
		return true // looked at on the way to anywhere
	}
	for _, a := range l.Accesses {
		if !a.External || a.Kind == access.Self {
			continue
		}
		fits := a.Kind != access.Read || !s.write
		for _, name := range []string{a.Typed, a.Path} {
			switch {
			case name == "" && a.Certainty == access.Unknown:
				return true
			case name == "":
			case s.look && below(name, s.path), s.made && fits && below(name, s.path):
				return true // the way to what is named
			case fits && (a.Certainty == access.Unknown || !a.Glob) && strings.HasSuffix(name, "/*") && below(s.path, strings.TrimSuffix(name, "/*")):
				return true
			case fits && (below(s.path, name) || below(s.at, name)):
				return true
			case a.Glob && !s.write && looksUp(name, s.path), fits && a.Glob && globCovers(name, s.path):
				return true
			}
		}
	}
	return false
}

func matches(a access.Access, p string) bool {
	if dir, wide := anyBelow(a); wide && below(p, dir) && p != dir {
		return true
	}
	return p == a.Path || p == a.Typed || a.Glob && (globMatch(a.Path, p) || globMatch(a.Typed, p))
}

// anyBelow tells of an access that is reported as DIR/*: something below DIR.
func anyBelow(a access.Access) (string, bool) {
	if a.Glob {
		return "", false
	}
	return strings.CutSuffix(a.Path, "/*")
}

// globMatch matches a pattern of bash, with @(a|b) but without the other extended ones.
func globMatch(glob, p string) bool {
	if strings.Contains(glob, "@(") {
		glob = strings.NewReplacer("@(", "{", "|", ",", ")", "}").Replace(glob)
	}
	return doublestar.MatchUnvalidated(glob, p)
}

// globCovers: a glob covers what it matches and, where that is a directory, its tree.
func globCovers(glob, p string) bool {
	for ; p != "/"; p = path.Dir(p) {
		if globMatch(glob, p) {
			return true
		}
	}
	return false
}

// looksUp tells whether the shell lists a directory, or looks at a name in it, to
// find what a pattern matches.
func looksUp(glob, p string) bool {
	parts := strings.Split(glob, "/")
	for i := range parts {
		if !strings.ContainsAny(strings.Join(parts[:i+1], "/"), "*?[(") {
			if i+1 < len(parts) && strings.ContainsAny(parts[i+1], "*?[(") && p == path.Clean("/"+strings.Join(parts[:i+1], "/")) {
				return true
			}
			continue
		}
		if parts[i] == "**" {
			return below(p, path.Clean("/"+strings.Join(parts[:i], "/")))
		}
		// A pattern that is no last component makes the shell look at every name there.
		if dir := strings.Join(parts[:i], "/"); i+1 < len(parts) && globMatch(path.Clean("/"+dir), path.Dir(p)) {
			return true
		}
	}
	return false
}

func quiet(all []*noise, s touch) bool {
	found := false
	for _, n := range all {
		if (n.write || !s.write) && doublestar.MatchUnvalidated(n.path, s.path) {
			n.used, found = true, true
		}
	}
	return found
}

func below(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir+"/")
}

func outside(p string) bool { return !below(p, project) }

// names shows the accesses outside, for a report.
func names(l access.Line) string {
	var out []string
	for _, a := range l.Accesses {
		if a.External {
			n := a.Kind.String() + " " + a.Name(outside)
			if a.Certainty == access.Unknown {
				n = "unknown " + n
			}
			out = append(out, n)
		}
	}
	if out == nil {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// A world is the tree that lines run in, and the analyzer that sees the same tree.
type world struct {
	t        *testing.T
	dir      string // holds world, stage and a log for each line
	links    linkTree
	analyzer *analyze.Analyzer
	mu       sync.Mutex
	logs     int
	has      map[string]bool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	refuse := t.Skipf
	if os.Getenv("CI") == "true" && os.Getuid() == 0 {
		refuse = t.Fatalf
	}
	if runtime.GOOS != "linux" {
		refuse("lines are run under strace in a mount namespace: that is Linux")
	}
	if os.Getuid() != 0 {
		refuse("lines are run in a mount namespace of their own: that takes root")
	}
	for _, tool := range []string{"strace", "unshare", "chroot", "git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			refuse("%s is missing: apt-get install %s", tool, tool)
		}
	}
	if out, err := exec.Command("unshare", "--mount", "--pid", "--net", "--fork", "mount", "-t", "tmpfs", "x", t.TempDir()).CombinedOutput(); err != nil {
		refuse("this machine makes no mount namespace: %s", bytes.TrimSpace(out))
	}
	table, err := command.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree := dir + "/world"
	if err := errors.Join(os.Mkdir(tree, 0o755), os.Mkdir(dir+"/stage", 0o755)); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/world.sh")
	if err != nil {
		t.Fatal(err)
	}
	build := exec.Command("sh", script)
	build.Dir = tree
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the world: %v\n%s", err, out)
	}
	w := &world{
		t: t, dir: dir, links: linkTree{}, has: map[string]bool{},
		analyzer: &analyze.Analyzer{FS: resolve.Rooted(tree), Commands: table, OS: "linux", HomeOf: homeOf},
	}
	err = filepath.WalkDir(tree, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSymlink != 0 {
			w.links[strings.TrimPrefix(p, tree)], err = os.Readlink(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// homeOf knows the users of the world's /etc/passwd.
func homeOf(user string) (string, bool) {
	dir, known := map[string]string{"u": home, "w": "/srv/w", "root": "/root"}[user]
	return dir, known
}

// each calls do for every line of the table, a few at a time.
func (w *world) each(table []*twin, do func(*twin)) {
	lines := make(chan *twin)
	var wg sync.WaitGroup
	for range max(2, runtime.NumCPU()) {
		wg.Go(func() {
			for tw := range lines {
				do(tw)
			}
		})
	}
	for _, tw := range table {
		lines <- tw
	}
	close(lines)
	wg.Wait()
}

// missing is a tool that the line needs and the machine doesn't have.
func (w *world) missing(tw *twin) string {
	need := tw.tools
	if tw.shell != "bash" {
		need = append(need, tw.shell)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, tool := range need {
		if _, known := w.has[tool]; !known {
			for _, dir := range filepath.SplitList(search) {
				if _, err := os.Stat(filepath.Join(dir, tool)); err == nil {
					w.has[tool] = true
				}
			}
		}
		if !w.has[tool] {
			return tool
		}
	}
	return ""
}

const seconds = "20"

// run runs a line and reads what it touched.
func (w *world) run(tw *twin) ([]touch, error) {
	w.mu.Lock()
	w.logs++
	log := fmt.Sprintf("%s/%d.log", w.dir, w.logs)
	w.mu.Unlock()
	defer os.Remove(log)
	shell := "/bin/" + tw.shell
	args := []string{
		"--mount", "--pid", "--net", "--fork", "--kill-child=KILL", "sh", "testdata/run.sh",
		w.dir + "/world", w.dir + "/stage", log, seconds, shell,
	}
	if tw.shell == "zsh" {
		args = append(args, "-f", "-c", tw.line)
	} else {
		args = append(args, "--norc", "--noprofile", "-c", tw.line)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run() // the status of the line is its own affair
	if cmd.ProcessState != nil && (cmd.ProcessState.ExitCode() == 124 || cmd.ProcessState.ExitCode() == 137) || ctx.Err() != nil {
		return nil, fmt.Errorf("it ran for more than %s s", seconds)
	}
	links := linkTree{}
	for name, target := range w.links {
		links[name] = target
	}
	seen, terr := readTrace(log, w.dir+"/stage", shell, links)
	if terr != nil {
		return nil, fmt.Errorf("%w (%v, %s)", terr, err, bytes.TrimSpace(out.Bytes()))
	}
	if os.Getenv("TWIN_SHOW") != "" {
		w.t.Logf("%s\n%s", tw.line, out.Bytes())
	}
	return seen, nil
}

func (w *world) analyze(tw *twin) access.Line {
	set := func(v string) analyze.Var { return analyze.Var{Set: true, Exported: true, Value: v} }
	return w.analyzer.Analyze(analyze.Request{
		Line: tw.line, Shell: tw.shell, Cwd: project, Home: home, Roots: []string{project},
		ShellKnown: true, Aliases: map[string]string{}, Functions: map[string]string{},
		Vars: map[string]analyze.Var{
			"HOME": set(home), "PWD": set(project), "USER": set("u"), "LC_ALL": set("C"), "PATH": set(search),
		},
	})
}
