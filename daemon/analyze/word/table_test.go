package word

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// A table file is a list of cases:
//
//	# comment
//	setup v=abc; set -- a b     commands in force until the next setup
//	> $v "$@"                   words of a command
//	= abc | a | b               the fields, separated by " | ", Go syntax where
//	                            they need it; "(none)", "(stop)"
//	! a reason                  why the expander leaves it unknown, if it does
//
// Other places than a command: "assign>", "single>" (here-string), "doc>",
// "here>"
// (a here-string that Assign expands: it knows the tilde after a colon), "arith>",
// "match>" (text, a blank, a pattern).
type row struct {
	line  int
	setup string
	kind  string
	text  string
	want  string
	// open is why the case is left unknown; "" is none of those.
	open string
}

func readTable(t testing.TB, name string) (rows []row, lines []string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	setup := ""
	for i, l := range lines {
		kind, text, ok := strings.Cut(l, "> ")
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
		case l == "setup" || strings.HasPrefix(l, "setup "):
			setup = strings.TrimPrefix(strings.TrimPrefix(l, "setup"), " ")
		case strings.HasPrefix(l, "= "):
			rows[len(rows)-1].want = l[2:]
		case strings.HasPrefix(l, "! "):
			rows[len(rows)-1].open = l[2:]
		case ok && !strings.Contains(kind, " "):
			rows = append(rows, row{line: i + 1, setup: setup, kind: kind, text: text})
		default:
			t.Fatalf("%s:%d: %q is no line of a table", name, i+1, l)
		}
	}
	return rows, lines
}

// notation writes fields the way the tables do.
func notation(fields []string, stop bool) string {
	switch {
	case stop:
		return "(stop)"
	case len(fields) == 0:
		return "(none)"
	}
	out := make([]string, len(fields))
	for i, f := range fields {
		q := strconv.Quote(f)
		if f == "" || q != `"`+f+`"` || strings.Contains(f, " | ") || strings.TrimSpace(f) != f || f[0] == '(' {
			f = q
		}
		out[i] = f
	}
	return strings.Join(out, " | ")
}

// show writes a word with unknown parts as <any>, <name>, <inside>, and quoted
// known text that holds pattern characters in ‘’.
func show(w access.Word) string {
	var b strings.Builder
	for _, s := range w.Segs {
		switch s.Class {
		case access.Known:
			if s.Quoted && strings.ContainsAny(s.Text, "*?[") {
				b.WriteString("‘" + s.Text + "’")
			} else {
				b.WriteString(s.Text)
			}
		case access.Name:
			b.WriteString("<name>")
		case access.Inside:
			b.WriteString("<inside>")
		default:
			b.WriteString("<any>")
		}
	}
	return b.String()
}

// expand runs a row in our expander.
func expand(b *bench, r row) (fields []access.Word, stop bool, err error) {
	one := func(w access.Word, stop bool) ([]access.Word, bool, error) { return []access.Word{w}, stop, nil }
	word := func(text string) (*syntax.Word, error) {
		f, err := guard.Parse(": "+text, b.zsh, nil)
		if err != nil {
			return nil, err
		}
		args := f.Stmts[0].Cmd.(*syntax.CallExpr).Args
		if len(args) != 2 {
			return nil, fmt.Errorf("%d words", len(args)-1)
		}
		return args[1], nil
	}
	switch r.kind {
	case "":
		f, err := guard.Parse(": "+r.text, b.zsh, nil)
		if err != nil {
			return nil, false, err
		}
		fields, stop = Fields(b, f.Stmts[0].Cmd.(*syntax.CallExpr).Args[1:]...)
		return fields, stop, nil
	case "assign":
		f, err := guard.Parse("v="+r.text, b.zsh, nil)
		if err != nil {
			return nil, false, err
		}
		return one(Assign(b, f.Stmts[0].Cmd.(*syntax.CallExpr).Assigns[0].Value))
	case "single", "here":
		f, err := guard.Parse("cat <<<"+r.text, b.zsh, nil)
		if err != nil {
			return nil, false, err
		}
		if r.kind == "here" {
			return one(Assign(b, f.Stmts[0].Redirs[0].Word))
		}
		return one(Single(b, f.Stmts[0].Redirs[0].Word))
	case "doc":
		w, err := guard.Document(r.text, b.zsh, nil)
		if err != nil {
			return nil, false, err
		}
		return one(Document(b, w))
	case "arith":
		x, err := guard.Arithmetic(r.text, b.zsh, nil)
		if err != nil {
			return nil, false, err
		}
		return one(Arith(b, x))
	case "match":
		text, pattern, _ := strings.Cut(r.text, " ")
		tw, err := word(text)
		if err != nil {
			return nil, false, err
		}
		f, err := guard.Parse("case x in "+pattern+") ;; esac", b.zsh, nil)
		if err != nil {
			return nil, false, err
		}
		w, stop := Single(b, tw)
		p, stop2 := Pattern(b, f.Stmts[0].Cmd.(*syntax.CaseClause).Items[0].Patterns[0])
		yes, sure := Match(b, p, w, false)
		return []access.Word{access.Text(map[[2]bool]string{{true, true}: "yes", {false, true}: "no"}[[2]bool{yes, sure}] + map[bool]string{false: "maybe"}[sure])}, stop || stop2, nil
	}
	return nil, false, fmt.Errorf("kind %q", r.kind)
}

// result runs a row in all its readings and writes what came out.
func result(r row, zsh bool) string {
	var all []string
	first := newBench(zsh)
	for b := first; ; {
		if err := b.run(r.setup); err != nil {
			return "setup: " + err.Error()
		}
		b.chosen = 0
		fields, stop, err := expand(b, r)
		if err != nil {
			return "error: " + err.Error()
		}
		texts := make([]string, len(fields))
		for i, f := range fields {
			texts[i] = show(f)
		}
		if s := notation(texts, stop); len(all) == 0 || all[len(all)-1] != s {
			all = append(all, s)
		}
		if !b.next() {
			return strings.Join(all, " || ")
		}
		fresh := newBench(zsh)
		fresh.choice, fresh.sizes = b.choice, b.sizes
		b = fresh
	}
}

func testTable(t *testing.T, zsh bool, tables ...string) {
	cases, same, open, lost := 0, 0, 0, 0
	for _, name := range tables {
		rows, _ := readTable(t, name)
		for _, r := range rows {
			cases++
			got := result(r, zsh)
			if !strings.ContainsRune(r.want, '‘') {
				got = strings.NewReplacer("‘", "", "’", "").Replace(got)
			}
			switch {
			case got == r.want && r.open == "":
				same++
			case got == r.want:
				t.Errorf("%s:%d: %s> %s: is known by now, take away %q", name, r.line, r.kind, r.text, "! "+r.open)
			case r.open != "" && leavesOpen(got):
				open++
				t.Logf("%s:%d: %s> %s: unknown: %s (%s)", name, r.line, r.kind, r.text, r.open, got)
			default:
				lost++
				t.Errorf("%s:%d: %s> %s\n\tsetup %s\n\tgot  %s\n\twant %s", name, r.line, r.kind, r.text, r.setup, got, r.want)
			}
		}
	}
	t.Logf("%d cases: %d identical, %d unknown, %d lost", cases, same, open, lost)
	if same < cases*98/100 {
		t.Errorf("only %d of %d cases are identical", same, cases)
	}
}

// leavesOpen tells whether an answer says that it isn't certain: it has an unknown
// part or several readings, or the parser refuses the text and with it the line.
func leavesOpen(got string) bool {
	return strings.HasPrefix(got, "error: ") || strings.Contains(got, "<any>") || strings.Contains(got, "<name>") || strings.Contains(got, "maybe") || strings.Contains(got, " || ")
}

var bashTables = []string{"testdata/bash.txt", "testdata/operators.txt"}

func TestBash(t *testing.T) { testTable(t, false, bashTables...) }

func TestUnknown(t *testing.T) { testTable(t, false, "testdata/unknown.txt") }

func TestZsh(t *testing.T) { testTable(t, true, "testdata/zsh.txt") }

func TestUnknownZsh(t *testing.T) { testTable(t, true, "testdata/unknown-zsh.txt") }

// What runs commands where no substitution stands must reach Shell.Eval.
func TestHidden(t *testing.T) {
	for _, c := range []struct {
		zsh         bool
		setup, text string
	}{
		{false, "s=$unknown", "${s@P}"},
		{false, "s='a[$('$unknown", "$((s))"},
		{false, "", "\"${z:-'a\"$(cmd)\"'}\""},
		{true, "", "*(e:'cmd':)"},
		{true, "", "x(+f)"},
		{true, "", "$[a[$(cmd)]]"},
	} {
		b := newBench(c.zsh)
		if err := b.run(c.setup); err != nil {
			t.Fatal(err)
		}
		if _, _, err := expand(b, row{text: c.text}); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if len(b.evals) == 0 {
			t.Errorf("%s: nothing was evaluated", c.text)
		}
	}
}

// Segments know where they come from.
func TestSpans(t *testing.T) {
	const text = `cat /etc/x$v"y z"\\*{a,bb}/q ~/f ${v:-w}`
	f, err := guard.Parse(text, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(false)
	if err := b.run("v=V"); err != nil {
		t.Fatal(err)
	}
	fields, _ := Fields(b, f.Stmts[0].Cmd.(*syntax.CallExpr).Args...)
	var got []string
	for _, f := range fields {
		s := text[f.Start:f.End] + ":"
		for _, g := range f.Segs {
			s += " " + g.Text + "=" + text[g.Start:g.End]
		}
		got = append(got, s)
	}
	want := []string{
		`cat: cat=cat`,
		`/etc/x$v"y z"\\*{a,bb}/q: /etc/x=/etc/x V=$v y z=y z \=\\*{a,bb}/q *a/q=\\*{a,bb}/q`,
		`/etc/x$v"y z"\\*{a,bb}/q: /etc/x=/etc/x V=$v y z=y z \=\\*{a,bb}/q *bb/q=\\*{a,bb}/q`,
		`~/f: /home/me=~ /f=/f`,
		`${v:-w}: V=${v:-w}`,
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			break
		}
	}
}
