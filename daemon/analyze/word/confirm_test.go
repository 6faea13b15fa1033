package word

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the real shells say into the tables")

// Each case of the tables is run in the real shell, all of a table in one process:
// a wrong belief about a shell fails here.
func TestConfirmBash(t *testing.T) {
	for _, table := range bashTables {
		confirm(t, table, "bash", "5.2")
	}
}

func TestConfirmZsh(t *testing.T) { confirm(t, "testdata/zsh.txt", "zsh", "5.9") }

func confirm(t *testing.T, table, shell, version string) {
	path := realShell(t, shell, version)
	rows, lines := readTable(t, table)
	answers := ask(t, path, shell, rows)
	t.Logf("%s: %d cases run by %s", table, len(rows), shell)
	for i, r := range rows {
		got := answers[i]
		if *update {
			if r.want == "" {
				lines[r.line-1] += "\n= " + got
			} else {
				lines[r.line] = "= " + got
			}
			continue
		}
		want := strings.NewReplacer("‘", "", "’", "").Replace(r.want)
		if got != want {
			t.Errorf("%s:%d: %s> %s\n\tsetup %s\n\t%s says %s\n\ttable says %s", table, r.line, r.kind, r.text, r.setup, shell, got, r.want)
		}
	}
	if *update {
		if err := os.WriteFile(table, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// ask runs the rows in one process of the real shell.
func ask(t *testing.T, path, shell string, rows []row) []string {
	t.Helper()
	var script strings.Builder
	script.WriteString("BASH_ARGV0=sh OLDPWD=/old\nf() { printf '%s\\0' \"$#\" \"$@\"; }\n")
	for _, r := range rows {
		text := "f " + r.text
		switch r.kind {
		case "assign":
			text = "v=" + r.text + "; f \"$v\""
		case "single", "here":
			text = "f \"$(command cat <<<" + r.text + "; echo .)\""
		case "doc":
			text = "f \"$(command cat <<'E_N D'\n" + r.text + "\nE_N D\necho .)\""
			text = strings.Replace(text, "'E_N D'", "E_N_D", 1)
			text = strings.Replace(text, "\nE_N D\n", "\nE_N_D\n", 1)
		case "arith":
			text = "f $((" + r.text + "))"
		case "match":
			word, pattern, _ := strings.Cut(r.text, " ")
			text = "case " + word + " in " + pattern + ") f yes;; *) f no;; esac"
		}
		setup := r.setup
		if shell == "bash" {
			setup = "set -f\n" + setup
		} else {
			setup = "setopt noglob\n" + setup
		}
		fmt.Fprintf(&script, "( eval %s; eval %s ) 2>/dev/null; printf 'end of case\\0'\n", quoteShell(setup), quoteShell(text))
	}
	file := t.TempDir() + "/cases"
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--norc", "--noprofile", file}
	if shell == "zsh" {
		args = []string{"-f", file}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"HOME=/home/me", "PATH=/usr/bin:/bin", "OLDPWD=/old", "LC_ALL=C.UTF-8"}
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	cases := bytes.Split(data, []byte("end of case\x00"))
	if len(cases) != len(rows)+1 {
		t.Fatalf("%s answered %d of %d cases", shell, len(cases)-1, len(rows))
	}
	answers := make([]string, len(rows))
	for i, r := range rows {
		answers[i] = answer(r, string(cases[i]))
	}
	return answers
}

// answer reads the NUL-ended fields that a shell printed for a case.
func answer(r row, out string) string {
	if out == "" {
		return notation(nil, true)
	}
	f := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")[1:]
	for i := range f {
		if r.kind == "single" || r.kind == "here" || r.kind == "doc" {
			f[i] = strings.TrimSuffix(f[i], "\n.")
		}
	}
	if f[0:] == nil || strings.HasPrefix(out, "0\x00") {
		f = nil
	}
	return notation(f, false)
}

func missing(t *testing.T, shell, why string) {
	t.Helper()
	msg := shell + " " + fmt.Sprintf(why, shell)
	if os.Getenv("CI") == "true" {
		t.Fatal(msg)
	}
	t.Skip(msg)
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func realBash(t *testing.T) string { return realShell(t, "bash", "5.2") }

// realShell finds the shell of that version.
func realShell(t *testing.T, shell, version string) string {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		missing(t, shell, "isn't installed (apt install %[1]s, brew install %[1]s)")
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil || !strings.Contains(string(out), version) {
		missing(t, shell, "isn't version "+version+", which the tables describe (%[1]s first on PATH)")
	}
	return path
}
