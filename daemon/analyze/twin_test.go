package analyze

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/command"
	"extdir/daemon/resolve"
	"extdir/integration/term"
)

// The real bash is the judge of the abstract one: each line runs in a scratch
// tree with a cat that logs its operands, and the analyzer must name just those.
func TestTwin(t *testing.T) {
	bash := term.Need(t, "bash", "bash")
	if out, _ := exec.Command(bash, "-c", "echo $((BASH_VERSINFO[0]*100+BASH_VERSINFO[1]))").Output(); strings.TrimSpace(string(out)) < "501" {
		t.Skipf("bash %s is older than the one that is followed", out)
	}
	text, err := os.ReadFile("testdata/twin.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range twinLines(string(text)) {
		more := strings.HasPrefix(line, "~ ")
		line = strings.TrimPrefix(line, "~ ")
		dir := twinTree(t)
		// The analyzer first: it judges what hasn't run yet.
		got, l := analyzeTwin(t, dir, line)
		want := runTwin(t, bash, dir, line)
		for name := range want {
			if !got[name] {
				t.Errorf("%s\n\tbash hands %q to cat, the analyzer doesn't know: %s", line, name, keys(got))
			}
		}
		for name := range got {
			if !want[name] && !more {
				t.Errorf("%s\n\tthe analyzer names %q, bash: %s", line, name, keys(want))
			}
		}
		if l.Dynamic {
			t.Errorf("%s\n\tunknown, although all of it is known", line)
		}
	}
}

// twinLines reads the table: a line each, here-documents up to their "E".
func twinLines(text string) []string {
	var out []string
	rows := strings.Split(text, "\n")
	for i := 0; i < len(rows); i++ {
		line := rows[i]
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.Contains(line, "<<E") || strings.Contains(line, "<<'E'") {
			for i++; rows[i] != "E"; i++ {
				line += "\n" + rows[i]
			}
			line += "\nE\n"
		}
		out = append(out, line)
	}
	return out
}

// twinTree makes a scratch tree with a project, a home, and a cat that logs.
func twinTree(t *testing.T) string {
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
		"bin/cat": "#!/bin/sh\n" +
			`[ $# = 0 ] && exec /bin/cat` + "\n" +
			`for a; do [ "$a" ] && printf '%s\0' "$(realpath -m -- "$a")"; done >>` + dir + "/log\n" +
			`exec /bin/cat "$@" 2>/dev/null` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
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

func runTwin(t *testing.T, bash, dir, line string) map[string]bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "--norc", "--noprofile", "-c", line)
	cmd.Dir, cmd.Env = dir+"/p/app", twinEnv(dir)
	_ = cmd.Run() // the status of the line is its own affair
	log, _ := os.ReadFile(dir + "/log")
	want := map[string]bool{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(log), "\x00"), "\x00") {
		if name != "" {
			want[strings.TrimPrefix(name, dir)] = true
		}
	}
	return want
}

func analyzeTwin(t *testing.T, dir, line string) (map[string]bool, access.Line) {
	t.Helper()
	table, err := command.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	a := &Analyzer{FS: resolve.OS(), Commands: table}
	r := Request{
		Line: line, Shell: "bash", Cwd: dir + "/p/app", Home: dir + "/home",
		Roots: []string{dir + "/p/app"}, ShellKnown: true, Vars: map[string]Var{},
	}
	for _, kv := range twinEnv(dir) {
		k, v, _ := strings.Cut(kv, "=")
		r.Vars[k] = Var{Set: true, Exported: true, Value: v}
	}
	for _, unset := range []string{"n", "x", "y"} {
		r.Vars[unset] = Var{}
	}
	r.Vars["BASH_VERSION"] = Var{Set: true, Value: "5"}
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
		names, _ := filepath.Glob(ac.Path)
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
