package word

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/analyze/guard"
)

// globFiles are in the folder in which the shells expand the table.
var globFiles = strings.Fields("a b ab abc aab abab b1 x1 x12 xa .x .xy .xx A id_rsa id_rsa.pub a[b] a[b]c a*b a*c x c " +
	"d/a d/.h d/b d/e/b.go d/c.go e.go q/a q/x .b .a1")

// What a shell matches is held by what Globs says, and not among what is excluded.
func TestGlobs(t *testing.T) {
	dir := t.TempDir()
	for _, f := range globFiles {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile("testdata/globs.txt")
	if err != nil {
		t.Fatal(err)
	}
	real := map[string]string{"bash": realShell(t, "bash", "5.2"), "zsh": realShell(t, "zsh", "5.9")}
	var shell, setup string
	rows, found := 0, 0
	for n, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		switch {
		case strings.HasPrefix(l, "#"):
			continue
		case !strings.HasPrefix(l, "> "):
			shell, setup, _ = strings.Cut(l, " ")
			continue
		}
		rows++
		text, want, _ := strings.Cut(l[2:], " = ")
		zsh := shell == "zsh"
		b := newBench(zsh)
		if setup != "" {
			if err := b.run(setup); err != nil {
				t.Fatal(err)
			}
		}
		f, err := guard.Parse(": "+text, zsh, nil)
		if err != nil {
			t.Errorf("%d: %s: %v", n+1, text, err)
			continue
		}
		fields, _ := Fields(b, f.Stmts[0].Cmd.(*syntax.CallExpr).Args[1:]...)
		if len(fields) != 1 || !fields[0].Glob() {
			t.Errorf("%d: %s is no pattern", n+1, text)
			continue
		}
		matches, except := Globs(b, fields[0]).Says()
		got := strings.Join(matches, " ")
		if len(except) > 0 {
			got += " not " + strings.Join(except, " ")
		}
		if got != want {
			t.Errorf("%d: %s %s: %s\n\tgot  %s\n\twant %s", n+1, shell, setup, text, got, want)
		}
		// eval: the options count when the pattern is parsed.
		script := setup + "\n[ -z \"$ZSH_VERSION\" ] && shopt -s nullglob || setopt nullglob\neval 'printf \"%s\\n\" " + strings.ReplaceAll(text, "'", `'\''`) + "'"
		args := []string{"--norc", "--noprofile", "-c", script}
		if zsh {
			args = []string{"-fc", script}
		}
		cmd := exec.Command(real[shell], args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%d: %s: %v: %s", n+1, text, err, out)
			continue
		}
		one, _ := Components(b, fields[0])
		for _, name := range strings.Fields(string(out)) {
			found++
			if !slices.ContainsFunc(matches, func(m string) bool { return plainMatch(m, name) }) {
				t.Errorf("%d: %s %s: %s matches %s, which %s doesn't hold", n+1, shell, setup, text, name, got)
			}
			if slices.ContainsFunc(except, func(m string) bool { return plainMatch(m, name) }) {
				t.Errorf("%d: %s %s: %s matches %s, which %s excludes", n+1, shell, setup, text, name, got)
			}
			if len(one) == 1 && !strings.Contains(name, "/") && !one[0].May(b, name) {
				t.Errorf("%d: %s %s: May says that %s doesn't match %s", n+1, shell, setup, text, name)
			}
		}
	}
	if rows < 60 || found < 100 {
		t.Errorf("only %d patterns, %d names", rows, found)
	}
}

// plainMatch matches a name against a pattern of rules, where a leading dot must be
// written out.
func plainMatch(pattern, name string) bool {
	p, ps, _ := strings.Cut(pattern, "/")
	n, ns, more := strings.Cut(name, "/")
	if p == "**" {
		return ps == "" || plainMatch(ps, name) || more && plainMatch(pattern, ns)
	}
	if strings.HasPrefix(n, ".") && !strings.HasPrefix(p, ".") {
		return false
	}
	ok, err := path.Match(strings.ReplaceAll(p, "[!", "[^"), n)
	if err != nil || !ok {
		return false
	}
	if !more {
		return ps == ""
	}
	return plainMatch(ps, ns)
}
