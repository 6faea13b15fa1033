package zshform

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the present results into testdata/forms.txt")

// A row is a text and what becomes of it: "> " a long form that zsh prints as the
// same code, "~ " one that behaves the same, "? " one with stand-ins,
// "& " one with a job for a coprocess, "= " left alone, "! " the construct
// that stands in the way. "␤" is a newline.
type row struct {
	text, mark, want string
	line             int
}

func rows(t *testing.T) (rows []row, lines []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i, l := range lines {
		switch {
		case l == "" || strings.HasPrefix(l, "# "):
		case len(l) > 1 && strings.IndexByte(">~&?=!", l[0]) >= 0 && l[1] == ' ' || l == "=" || l == "!":
			r := &rows[len(rows)-1]
			r.mark, r.want = l[:1], strings.TrimPrefix(l[1:], " ")
		default:
			rows = append(rows, row{text: l, line: i + 1})
		}
	}
	return rows, lines
}

func written(s string) string  { return strings.ReplaceAll(s, "\n", "␤") }
func original(s string) string { return strings.ReplaceAll(s, "␤", "\n") }

func TestForms(t *testing.T) {
	table, lines := rows(t)
	for i := len(table) - 1; i >= 0; i-- {
		r := table[i]
		text := original(r.text)
		f, ok, why := Rewrite(text)
		got := "> " + written(f.Text)
		switch {
		case !ok:
			got = strings.TrimSpace("! " + why)
		case !f.Changed():
			got = "="
		case strings.Contains(f.Text, unknown):
			got = "?" + got[1:]
		case r.mark == "~" || r.mark == "&":
			got = r.mark + got[1:]
		}
		if *update {
			if r.mark != "" {
				lines = append(lines[:r.line], lines[r.line+1:]...)
			}
			lines = append(lines[:r.line], append([]string{got}, lines[r.line:]...)...)
			continue
		}
		if want := strings.TrimSpace(r.mark + " " + r.want); got != want {
			t.Errorf("testdata/forms.txt:%d: %s\n\tgot   %s\n\ttable %s", r.line, r.text, got, want)
		}
		// What wasn't rewritten stands where it stood.
		for n := range len(f.Text) {
			at := f.Offset(n)
			if at < 0 || at > len(text) || n > 0 && at < f.Offset(n-1) {
				t.Errorf("testdata/forms.txt:%d: offset %d of %q is %d of %q", r.line, n, f.Text, at, text)
			}
			inserted := false
			for _, e := range f.edits {
				inserted = inserted || n >= e.out && n < e.out+len(e.text)
			}
			if !inserted && text[at] != f.Text[n] {
				t.Errorf("testdata/forms.txt:%d: byte %d of %q isn't byte %d of %q", r.line, n, f.Text, at, text)
			}
		}
	}
	if *update {
		if err := os.WriteFile("testdata/forms.txt", []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

var countdown = regexp.MustCompile(`for \(\((__repeat\d)=(.*); __repeat\d>0; __repeat\d--\)\) do`)

// zsh prints both texts of an exact rewriting as the same code.
func TestConfirm(t *testing.T) {
	zsh := realZsh(t)
	table, _ := rows(t)
	var script strings.Builder
	script.WriteString("show() { unfunction f g 2>/dev/null; if eval \"f() { $1\n}\" 2>/dev/null; then functions f; else print error; fi; print -rN }\n")
	var asked []row
	for _, r := range table {
		if r.mark != ">" {
			continue
		}
		asked = append(asked, r)
		for _, s := range []string{r.text, r.want} {
			script.WriteString("show '" + strings.ReplaceAll(original(s), "'", `'\''`) + "'\n")
		}
	}
	answers := strings.Split(run(t, zsh, script.String()), "\x00")
	if len(answers) < 2*len(asked) {
		t.Fatalf("zsh answered %d of %d times", len(answers), 2*len(asked))
	}
	for i, r := range asked {
		was, is := strings.TrimSpace(answers[2*i]), strings.TrimSpace(answers[2*i+1])
		tabs := regexp.MustCompile(`\n\t*do\b`)
		is = countdown.ReplaceAllString(is, "repeat $2 do")
		was, is = tabs.ReplaceAllString(was, " do"), tabs.ReplaceAllString(is, " do")
		if was == "error" || was != is {
			t.Errorf("testdata/forms.txt:%d: zsh makes of %s\n%s\nand of %s\n%s", r.line, r.text, was, r.want, is)
		}
	}
	t.Logf("%d rewritings confirmed", len(asked))
}

// Where zsh's code differs, both texts print the same.
func TestBehaviour(t *testing.T) {
	zsh := realZsh(t)
	table, _ := rows(t)
	n := 0
	for _, r := range table {
		if r.mark != "~" {
			continue
		}
		n++
		was, is := run(t, zsh, original(r.text)+"\nprint $?"), run(t, zsh, original(r.want)+"\nprint $?")
		if was != is || strings.TrimSpace(was) == "" {
			t.Errorf("testdata/forms.txt:%d: %s prints\n%s\nand %s\n%s", r.line, r.text, was, r.want, is)
		}
	}
	if n == 0 {
		t.Error("nothing to compare")
	}
}

func run(t *testing.T, zsh, script string) string {
	t.Helper()
	cmd := exec.Command(zsh, "-fc", script)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
	out, _ := cmd.Output() // the status is printed by the script
	return string(out)
}
