package zshform

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/analyze/guard"
)

// Whatever the text: no panic, offsets within it, and what is called rewritten
// parses and needs no second rewriting.
func FuzzRewrite(f *testing.F) {
	for _, name := range []string{"testdata/forms.txt", "testdata/typed.txt"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for l := range strings.SplitSeq(string(data), "\n") {
			f.Add(original(l))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		form, ok, why := Rewrite(text)
		if ok && why != "" || !ok && form.Changed() {
			t.Errorf("%q: ok %v, changed %v, construct %q", text, ok, form.Changed(), why)
		}
		last := 0
		for n := range len(form.Text) + 1 {
			at := form.Offset(n)
			if at < last || at > len(text) {
				t.Fatalf("%q: offset %d of %q is %d after %d", text, n, form.Text, at, last)
			}
			last = at
		}
		if ok {
			if _, err := guard.Parse(form.Text, true, nil); err != nil {
				t.Errorf("%q became %q: %v", text, form.Text, err)
			}
		}
		if file, err := Parse(text, true, nil); err == nil {
			syntax.Walk(file, func(n syntax.Node) bool {
				if n != nil && int(n.Pos().Offset()) > len(text) {
					t.Errorf("%q: %T begins at %d", text, n, n.Pos().Offset())
				}
				return true
			})
		}
	})
}

// Long and deep texts cost steps and memory in proportion to their length, and end.
func TestLinear(t *testing.T) {
	for _, unit := range []string{
		"for f (a b) c; ", "if [[ x ]] { y }; ", "$((", "((", "$(", "\"$(", "${x:-", "`", "{ ", "( ", "for f (a) ", "repeat 2 ", "() ", "f() ",
		"case x in (a) ", "[[ ((", "a=(", "time ", "! ", "coproc ", "<(", "$x[", "[[ -prefix ", "if ", "{a,", "((a|b)|c) ", "cat <<E\n", ";", "&", "$'", "function ",
		"$(( $(( 1 )) + $(", "for a b (c d) ", "x && ", "x | ", "(x) ", "${x[(r)a]} ", "$((x) ) ", "((x) ) ",
	} {
		cost := func(n int) int {
			text := strings.Repeat(unit, n/len(unit))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			steps := 0
			for _, standIns := range []bool{false, true} {
				p := &parser{s: text, end: len(text), standIns: standIns}
				p.list()
				steps += p.steps
				rewrite(text, standIns)
			}
			runtime.ReadMemStats(&after)
			return steps + int(after.TotalAlloc-before.TotalAlloc)/64
		}
		small, large := cost(4<<10), cost(128<<10)
		if large > 2*32*max(small, 4<<10) {
			t.Errorf("%q: %d steps and pieces of memory for 4 KB, %d for 128 KB", unit, small, large)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"plain", "git status --short"},
		{"short form", "for f (*.jpg) convert $f ${f:r}.png"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := Parse(c.text, true, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
