package analyze

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"extdir/daemon/access"
	"extdir/daemon/command"
	"extdir/daemon/resolve"
	"extdir/integration/term"
)

// The real shells are the judges of the abstract one: each line runs in a scratch
// tree with a cat that logs its operands, and the analyzer must name just those.
func TestTwin(t *testing.T) {
	bash := term.Need(t, "bash", "bash")
	if out, _ := exec.Command(bash, "-c", "echo $((BASH_VERSINFO[0]*100+BASH_VERSINFO[1]))").Output(); strings.TrimSpace(string(out)) < "501" {
		tooOld(t, "bash", out)
	}
	twins(t, bash, "testdata/twin.txt", "testdata/twin-flow.txt", "testdata/twin-ends.txt", "testdata/twin-found.txt", "testdata/twin-written.txt")
}

func TestTwinZsh(t *testing.T) {
	zsh := term.Need(t, "zsh", "zsh")
	if out, _ := exec.Command(zsh, "-fc", "echo $ZSH_VERSION").Output(); strings.TrimSpace(string(out)) < "5.8" {
		tooOld(t, "zsh", out)
	}
	twins(t, zsh, "testdata/twin-zsh.txt")
}

// twins runs the lines of tables in the shell and in the analyzer.
func twins(t *testing.T, shell string, tables ...string) {
	var lines []twinLine
	for _, name := range tables {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, twinLines(name, string(text))...)
	}
	cat := loggingCat(t)
	var same, more, open, lost atomic.Int32
	// A line waits for its shell more than it computes.
	slots := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for _, line := range lines {
		slots <- struct{}{}
		dir := twinTree(t, cat)
		wait.Go(func() {
			defer func() { <-slots }()
			// The analyzer first: it judges what hasn't run yet.
			got, l := analyzeTwin(t, shell, dir, line.text)
			want := runTwin(t, shell, dir, line.text)
			if line.either {
				for _, w := range worlds {
					dir := twinTree(t, cat)
					w.change(dir + "/p/app")
					maps.Copy(want, runTwin(t, shell, dir, line.text, w.env...))
				}
			}
			faults := line.compare(got, want, l)
			for _, f := range faults {
				t.Errorf("%s: %s\n\t%s", line.place, line.text, f)
			}
			switch {
			case len(faults) > 0:
				lost.Add(1)
			case line.open != "":
				t.Logf("%s: %s: unknown: %s", line.place, line.text, line.open)
				open.Add(1)
			case line.more:
				more.Add(1)
			default:
				same.Add(1)
			}
		})
	}
	wait.Wait()
	t.Logf("%d lines: %d identical, %d may name more, %d unknown, %d wrong",
		len(lines), same.Load(), more.Load(), open.Load(), lost.Load())
	// What may name more, or is unknown, asks in vain.
	if 1000*int(same.Load()) < 970*len(lines) {
		t.Errorf("%d of %d lines are judged just as the shell runs them: at least 97 %% must be", same.Load(), len(lines))
	}
}

// worlds are what may be otherwise when a line runs than when it was judged: a program
// succeeds or fails, and what the line looks for is there or isn't. A line judged by what
// may happen is compared with all that does in one of them.
var worlds = []struct {
	env    []string
	change func(project string)
}{
	{[]string{"TWIN_CAT=0"}, func(string) {}},
	{[]string{"TWIN_CAT=1"}, func(string) {}},
	{nil, func(p string) {
		os.Mkdir(p+"/nodir", 0o755)
		os.WriteFile(p+"/nothing", nil, 0o644)
		os.WriteFile(p+"/README.md", []byte("zzz\n"), 0o755)
	}},
	{nil, func(p string) {
		for _, name := range []string{"src", "link_in", "README.md"} {
			os.RemoveAll(p + "/" + name)
		}
	}},
	{nil, func(p string) {
		os.RemoveAll(p + "/src")
		os.WriteFile(p+"/src", nil, 0o644)
	}},
}

// twinLine is a line of a table.
type twinLine struct {
	place, text string
	more        bool   // the analyzer may name more than the shell
	either      bool   // it names what happens in any of the worlds
	open        string // why the line stays unknown, "" if it doesn't
}

// compare tells what is wrong with what the analyzer names.
func (l twinLine) compare(got, want map[string]bool, line access.Line) (faults []string) {
	if line.Dynamic != (l.open != "") {
		if !line.Dynamic {
			return []string{"is known by now: take away the mark that says " + l.open}
		}
		why := line.Error
		for _, a := range line.Accesses {
			if a.Certainty == access.Unknown {
				why += "; " + a.Why
			}
		}
		faults = append(faults, "unknown, although all of it is known: "+why)
	}
	for name := range want {
		if !got[name] && !line.Dynamic && !covers(got, name) {
			faults = append(faults, fmt.Sprintf("the shell hands %q to cat, the analyzer doesn't know: %s", name, keys(got)))
		}
	}
	for name := range got {
		if !want[name] && !l.more && !line.Dynamic && !strings.HasSuffix(name, "/*") && !strings.ContainsAny(name, "*?[@(^") {
			faults = append(faults, fmt.Sprintf("the analyzer names %q, the shell: %s", name, keys(want)))
		}
	}
	if l.more && len(faults) == 0 && !line.Dynamic {
		l.more = false
		if len(l.compare(got, want, line)) == 0 {
			faults = append(faults, "names just what the shell does by now: take away the ~")
		}
	}
	return faults
}

// covers tells whether a pattern or a folder, below which all is meant, stands for
// a name.
func covers(got map[string]bool, name string) bool {
	for g := range got {
		if dir, ok := strings.CutSuffix(g, "/*"); ok && under(name, dir) {
			return true
		}
		if dir, base := path.Split(g); strings.ContainsAny(base, "*?[@(^") && path.Dir(name)+"/" == dir {
			return true
		}
	}
	return false
}

// twinLines reads a table: a line each, "⏎" for a newline, here-documents up to
// their "E".
func twinLines(name, text string) (out []twinLine) {
	rows := strings.Split(text, "\n")
	open := ""
	for i := 0; i < len(rows); i++ {
		line := twinLine{place: fmt.Sprintf("%s:%d", filepath.Base(name), i+1), text: rows[i]}
		switch {
		case line.text == "" || line.text[0] == '#':
			continue
		case strings.HasPrefix(line.text, "?? "): // a reason
			open = line.text[3:]
			continue
		case strings.HasPrefix(line.text, "~ "):
			line.more, line.text = true, line.text[2:]
		case strings.HasPrefix(line.text, "| "):
			line.either, line.text = true, line.text[2:]
		}
		line.open, open = open, ""
		if strings.Contains(line.text, "⏎") {
			line.text = strings.ReplaceAll(line.text, "⏎", "\n")
		} else if strings.Contains(line.text, "<<E") || strings.Contains(line.text, "<<'E'") {
			for i++; rows[i] != "E"; i++ {
				line.text += "\n" + rows[i]
			}
			line.text += "\nE\n"
		}
		out = append(out, line)
	}
	return out
}

// loggingCat writes the cat that logs the files it is given, beside the bin directory
// that it is linked into.
func loggingCat(t *testing.T) string {
	t.Helper()
	name := t.TempDir() + "/cat"
	text := "#!/bin/sh\n" +
		`[ $# = 0 ] && exec /bin/cat` + "\n" +
		"(for w do shift; case $all$w in --) all=all; continue;; -?*) continue;; esac; set -- \"$@\" \"$w\"; done\n" +
		`[ $# = 0 ] || realpath -mz -- "$@" >>"${0%/bin/cat}/log" 2>/dev/null)` + "\n" +
		`[ -z "$TWIN_CAT" ] && exec /bin/cat "$@" 2>/dev/null` + "\n" +
		`/bin/cat "$@" 2>/dev/null; exit $TWIN_CAT` + "\n"
	term.Program(t, name, []byte(text))
	return name
}

// twinTree makes a scratch tree with a project, a home, and the cat that logs.
func twinTree(t *testing.T, cat string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"bin", "home", "p/app/src", "p/app/docs/deep", "p/other/dir"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"p/app/README.md": "text\n", "p/app/src/main.go": "", "p/app/src/util.go": "", "p/other/secret": "",
	} {
		term.Program(t, filepath.Join(dir, name), []byte(text))
	}
	if err := os.Symlink(cat, dir+"/bin/cat"); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link_up": "..", "link_in": "src", "link_out": "../other/dir"} {
		if err := os.Symlink(target, filepath.Join(dir, "p/app", name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func twinEnv(dir string) []string {
	return []string{"HOME=" + dir + "/home", "PATH=" + dir + "/bin:/usr/bin:/bin", "PWD=" + dir + "/p/app", "USER=u"}
}

func runTwin(t *testing.T, shell, dir, line string, env ...string) map[string]bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	args := []string{"--norc", "--noprofile", "-c", line}
	if filepath.Base(shell) == "zsh" {
		args = []string{"-f", "-c", strings.Repeat(" ", len(line)-len(strings.TrimPrefix(line, "-"))) + line} // not an option
	}
	cmd := exec.CommandContext(ctx, shell, args...)
	cmd.Args[0] = filepath.Base(shell) // $0
	cmd.WaitDelay = time.Second        // a job in the background may hold the pipes
	cmd.Dir, cmd.Env = dir+"/p/app", append(twinEnv(dir), env...)
	_ = cmd.Run() // the status of the line is its own affair
	log, _ := os.ReadFile(dir + "/log")
	want := map[string]bool{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(log), "\x00"), "\x00") {
		if name != "" && !strings.HasPrefix(name, "/proc/") && !strings.HasPrefix(name, "/tmp/zsh") { // a pipe, the file of =(…)
			want[strings.TrimPrefix(name, dir)] = true
		}
	}
	return want
}

// matches is what a pattern stands for: zsh's, with its groups and qualifiers, only
// zsh can tell.
func matches(shell, dir, pattern string) []string {
	if filepath.Base(shell) != "zsh" {
		names, _ := doublestar.FilepathGlob(pattern, doublestar.WithNoFollow())
		return names
	}
	cmd := exec.Command(shell, "-fc", `setopt extendedglob nullglob; print -rNn -- ${~1}`, "zsh", pattern)
	cmd.Dir, cmd.Env = dir+"/p/app", twinEnv(dir)
	out, _ := cmd.Output()
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
}

func analyzeTwin(t *testing.T, shellFile, dir, line string) (map[string]bool, access.Line) {
	t.Helper()
	shell := filepath.Base(shellFile)
	table, err := command.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	a := &Analyzer{FS: resolve.OS(), Commands: table}
	r := Request{
		Line: line, Shell: shell, Cwd: dir + "/p/app", Home: dir + "/home",
		Roots: []string{dir + "/p/app"}, ShellKnown: true, Vars: map[string]Var{}, First: true,
	}
	for _, kv := range twinEnv(dir) {
		k, v, _ := strings.Cut(kv, "=")
		r.Vars[k] = Var{Set: true, Exported: true, Value: v}
	}
	for _, unset := range strings.Fields("n x y v w zz arr m f i d k p q LC_ALL LC_COLLATE LANG") {
		r.Vars[unset] = Var{}
	}
	if shell == "bash" {
		r.Vars["BASH_VERSION"] = Var{Set: true, Value: "5"}
	}
	l := a.Analyze(r)
	got := map[string]bool{}
	for _, ac := range l.Accesses {
		if !strings.HasPrefix(ac.Why, "operand of cat") || ac.Certainty == access.Unknown {
			continue
		}
		if !ac.Glob {
			got[strings.TrimPrefix(ac.Path, dir)] = true
			continue
		}
		// A pattern stands for what it matches, or for itself.
		names := matches(shellFile, dir, ac.Path)
		if len(names) == 0 {
			names = []string{ac.Path}
		}
		for _, n := range names {
			got[strings.TrimPrefix(n, dir)] = true
		}
	}
	return got, l
}

func keys(m map[string]bool) string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

// tooOld leaves a test out whose shell isn't the one that is followed; in CI it
// must be.
func tooOld(t *testing.T, shell string, version []byte) {
	t.Helper()
	why := shell + " " + strings.TrimSpace(string(version)) + " is older than the one that is followed"
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}
