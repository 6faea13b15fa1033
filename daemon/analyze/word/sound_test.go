package word

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"extdir/daemon/access"
)

// operators are put on a variable v in the property tests below; %s is a pattern.
var operators = []string{
	"${v#%s}", "${v##%s}", "${v%%%s}", "${v%%%%%s}", "${v/%s/X}", "${v//%s/X}", "${v/#%s/X}", "${v/%%%s/X}",
	"${v/%s}", "${v//%s/<&>}", "${v^^%s}", "${v:1}", "${v:0:2}", "${v: -2}", "${v:2:-1}", "${v: -3:2}", "${#v}",
	"${v:-d}", "${v:+a}", "${v^}", "${v,,}", "${v@Q}", "${v}x", "${v%%.c}.d", "${v%%/*}/e", "${v##*/}",
}

var patternAtom = rapid.SampledFrom([]string{"a", "b", "/", ".", "*", "?", "[ab]", "[!a]", "*/", "/*", ".*", `\*`, "'a'", "@(a|b)", "+(a)", "*(b|/)", "?(a)", "!(a)"})

var valueAtom = rapid.SampledFrom([]string{"a", "b", "/", ".", "..", "ab", "*", "c", "/etc/", "a.c"})

var zshOperators = append([]string{
	"${v:h}", "${v:t}", "${v:r}", "${v:e}", "$v:h/x", "${v:h:t}", "${v[2]}", "${v[-1]}", "${v[1,3]}", "${v[2,-2]}",
	"${(U)v}", "${(s:/:)v}", "${(j:,:)v}", "${${v%%/*}:t}", "${${v:h}##*/}", "$#v", "${+v}", "${(P)v}", "${~v}", "$=v",
}, operators...)

func drawExpression(rt *rapid.T, zsh bool) string {
	ops := operators
	if zsh {
		ops = zshOperators
	}
	op := rapid.SampledFrom(ops).Draw(rt, "operator")
	if strings.Contains(strings.ReplaceAll(op, "%%", ""), "%s") {
		op = fmt.Sprintf(op, strings.Join(rapid.SliceOfN(patternAtom, 1, 3).Draw(rt, "pattern"), ""))
	} else {
		op = strings.ReplaceAll(op, "%%", "%")
	}
	return op
}

// Whatever stands in place of an unknown part, what comes out must be covered by
// what the expander said with the part unknown: unknown never becomes a wrong
// certainty.
func TestSound(t *testing.T) {
	t.Run("bash", func(t *testing.T) { sound(t, false) })
	t.Run("zsh", func(t *testing.T) { sound(t, true) })
}

func sound(t *testing.T, zsh bool) {
	classes := map[access.Class]*rapid.Generator[string]{
		access.Any:  rapid.Custom(func(rt *rapid.T) string { return strings.Join(rapid.SliceOfN(valueAtom, 0, 3).Draw(rt, "any"), "") }),
		access.Name: rapid.SampledFrom([]string{"a", "b", "...", "a.c", "ab", ".", "*", "1"}),
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := drawExpression(rt, zsh)
		class := rapid.SampledFrom([]access.Class{access.Any, access.Name}).Draw(rt, "class")
		before := strings.Join(rapid.SliceOfN(valueAtom, 0, 3).Draw(rt, "before"), "")
		after := strings.Join(rapid.SliceOfN(valueAtom, 0, 3).Draw(rt, "after"), "")
		value := access.Text(before).Concat(access.Unknowable(class, 0, 0)).Concat(access.Text(after))

		var readings []string
		var pattern []string
		b := newBench(zsh)
		for {
			b.options["extglob"] = true
			b.vars["v"] = Value{State: Set, Scalar: value}
			b.chosen = 0
			fields, stop, err := expand(b, row{kind: "assign", text: text})
			if err != nil {
				return // the parser doesn't take it
			}
			readings = append(readings, fmt.Sprint(show(fields[0]), stop))
			pattern = append(pattern, cover(fields[0]))
			if stop {
				pattern[len(pattern)-1] = ".*"
			}
			if !b.next() {
				break
			}
		}
		re := regexp.MustCompile(`(?s)\A(?:` + strings.Join(pattern, "|") + `)\z`)
		for range 5 {
			u := classes[class].Draw(rt, "part")
			c := newBench(zsh)
			c.options["extglob"] = true
			c.vars["v"] = Value{State: Set, Scalar: access.Text(before + u + after)}
			fields, stop, err := expand(c, row{kind: "assign", text: text})
			if err != nil {
				rt.Fatal(err)
			}
			got, known := fields[0].Lit()
			if !stop && known && !re.MatchString(got) {
				rt.Fatalf("%s with v=%s‹%s›%s is %q, which none of %q covers", text, before, u, after, got, readings)
			}
		}
	})
}

func cover(w access.Word) string {
	var b strings.Builder
	for _, s := range w.Segs {
		switch s.Class {
		case access.Known:
			b.WriteString(regexp.QuoteMeta(s.Text))
		case access.Name:
			b.WriteString("[^/]+")
		default:
			b.WriteString(".*")
		}
	}
	return b.String()
}

// Operators on known values agree with bash.
func TestRandomOperators(t *testing.T) {
	path := realBash(t)
	var rows []row
	rapid.Check(t, func(rt *rapid.T) {
		text := drawExpression(rt, false)
		value := strings.Join(rapid.SliceOfN(valueAtom, 0, 5).Draw(rt, "value"), "")
		r := row{setup: "shopt -s extglob; v='" + value + "'", text: `"` + text + `" ` + text}
		if got := result(r, false); strings.HasPrefix(got, "error: ") || strings.Contains(got, "<any>") {
			return
		}
		rows = append(rows, r)
	})
	if len(rows) < 20 {
		t.Fatalf("only %d expressions were parsed", len(rows))
	}
	for i, want := range ask(t, path, "bash", rows) {
		got := strings.NewReplacer("‘", "", "’", "").Replace(result(rows[i], false))
		if got != want {
			t.Errorf("> %s\n\tsetup %s\n\tgot  %s\n\tbash %s", rows[i].text, rows[i].setup, got, want)
		}
	}
}
