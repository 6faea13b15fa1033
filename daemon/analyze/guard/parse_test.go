package guard

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// Recursion without end must be refused from inside the parser: the process
// would die otherwise. The forms are all ways in which bash syntax nests.
func TestDeep(t *testing.T) {
	forms := []struct{ open, middle, close string }{
		{"(", ":", ")"},
		{"{ ", ":", "; }"},
		{"$(", ":", ")"},
		{`"$(`, ":", `)"`},
		{"$((", "1", "))"},
		{"${x:-", "y", "}"},
		{`"${x:-`, "y", `}"`},
		{"if ", ":", "; then :; fi"},
		{"while ", ":", "; do :; done"},
		{"time ", ":", ""},
		{"f() ", ":", ""},
		{"[[ ! ", "a", " ]]"},
		{"[[ ( ", "a", " ) ]]"},
		{"coproc ", ":", ""},
		{"echo $((1?1:", "1", "))"},
		{"echo $((- ", "1", "))"},
		{"echo <(", ":", ")"},
		{"case a in a) ", ":", ";; esac"},
		{"for x in a; do ", ":", "; done"},
	}
	for _, f := range forms {
		n := 100_000 / len(f.open+f.close)
		inner := strings.TrimPrefix(f.open, "echo ")
		text := f.open + strings.Repeat(inner, n) + f.middle + strings.Repeat(f.close, n+1)
		for _, zsh := range []bool{false, true} {
			if zsh && f.open == "coproc " {
				continue // a plain word to the parser's zsh: a long call, no recursion
			}
			var b Budget
			if _, err := Parse(text, zsh, &b); err == nil {
				t.Errorf("%q ×%d (zsh %v) was parsed", f.open, n, zsh)
			}
		}
	}
}

// Lines of real length must pass, nested as people nest.
func TestReal(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("a && ", 2000) + "b",
		strings.Repeat("a | ", 2000) + "b",
		"echo $((" + strings.Repeat("1+", 5000) + "1))",
		strings.Repeat("(", 20) + "ls" + strings.Repeat(")", 20) + strings.Repeat(" ", 1000),
		strings.Repeat(`x="$(echo `, 12) + strings.Repeat("a", 500) + strings.Repeat(`)"`, 12),
		"cat <<E\n" + strings.Repeat("((((((((((\n", 500) + "E",
		"echo '" + strings.Repeat("(", 5000) + "'",
	} {
		var b Budget
		if _, err := Parse(text, false, &b); err != nil {
			t.Errorf("%.40q…: %v", text, err)
		}
		if over := b.Over(); over != nil {
			t.Errorf("%.40q…: over %q", text, over)
		}
	}
}

// Whatever bytes a word has, the tree holds them and their offsets.
func TestBytes(t *testing.T) {
	for _, word := range []string{"a\xff\xfeb", "x\r", "\r", "é\xc3", "\U0010ff41\xff", "\U0010fff0", "'\r\n'", "日本\x80"} {
		text := "cat " + word + " end"
		f, err := Parse(text, false, nil)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		args := f.Stmts[0].Cmd.(*syntax.CallExpr).Args
		if len(args) != 3 {
			t.Errorf("%q: %d words", text, len(args))
			continue
		}
		got := ""
		switch p := args[1].Parts[0].(type) {
		case *syntax.Lit:
			got = p.Value
		case *syntax.SglQuoted:
			got = "'" + p.Value + "'"
		}
		if got != word {
			t.Errorf("%q: word %q", text, got)
		}
		for i, want := range []string{"cat", word, "end"} {
			if s := text[args[i].Pos().Offset():args[i].End().Offset()]; s != want {
				t.Errorf("%q: span of word %d is %q", text, i, s)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ls \x00", "1:4: a NUL byte, which no shell takes"},
		{strings.Repeat("a", 256<<10+1), "longer than 262144 bytes"},
		{"a\n\xff)", "2:2: "},
		{"echo \"", "1:6: "},
	} {
		_, err := Parse(c.text, false, nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.20q: %v, want %s", c.text, err, c.want)
		}
	}
}

// bash accepts a here-document that ends with the text.
func TestUnclosedDocument(t *testing.T) {
	for _, text := range []string{"cat <<E\n/etc/passwd", "cat <<'E F'\nx $y\n", "cat <<E"} {
		f, err := Parse(text, false, nil)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if end := int(f.End().Offset()); end > len(text) {
			t.Errorf("%q: ends at %d", text, end)
		}
	}
}

func TestBudget(t *testing.T) {
	var b Budget
	for range Max(Files) {
		if !b.Spend(Files, 1) {
			t.Fatal("spent early")
		}
	}
	first, second := b.Spend(Files, 1), b.Spend(Files, 1)
	if first || second {
		t.Error("spent more than there is")
	}
	for range Max(Calls) {
		if !b.Enter(Calls) {
			t.Fatal("full early")
		}
	}
	if b.Enter(Calls) {
		t.Error("entered a full limit")
	}
	b.Leave(Calls)
	if !b.Enter(Calls) {
		t.Error("a level that was left stays taken")
	}
	if b.Fits(Value, Max(Value)+1) || !b.Fits(Value, Max(Value)) {
		t.Error("Fits")
	}
	if b.Spend(Steps, -1) {
		t.Error("a negative amount was spent")
	}
	if got := len(b.Over()); got != 4 {
		t.Errorf("%d reasons: %q", got, b.Over())
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a\xff\r\n", "cat <<E\n\xf4\x8f\xbc\x80", "echo \"${x:-`y`}\"", "{a,b}$((1+2))"} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, zsh bool) {
		m, ok := MapBytes(text)
		if ok && Restore(m.Text) != text {
			t.Errorf("mapping %q isn't exact", text)
		}
		var b Budget
		tree, err := Parse(text, zsh, &b)
		if err == nil && int(tree.End().Offset()) > len(text) {
			t.Errorf("%q ends at %d", text, tree.End().Offset())
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"short", "git status --short"},
		{"long", `for f in $(git ls-files "*.go"); do gofmt -l "$f" | grep -v vendor >> /tmp/list.txt; done; wc -l < /tmp/list.txt; echo "${PWD##*/} is done in $((SECONDS / 60)) minutes"`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := Parse(c.text, false, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
