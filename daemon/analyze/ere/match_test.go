package ere

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"extdir/integration/term"
)

func chars(s string) (out []Char) {
	for i := range len(s) {
		out = append(out, Char{Byte: s[i]})
	}
	return out
}

// bash tells for pairs of an expression and a text what [[ =~ ]] finds.
func bashFinds(t *testing.T, pairs [][2]string) []string {
	t.Helper()
	script := `ulimit -t 20; while IFS= read -r -d '' re && IFS= read -r -d '' s; do
		[[ $s =~ $re ]]; n=$?
		printf '%s' $n; for m in "${BASH_REMATCH[@]}"; do (( n == 0 )) && printf ' <%s>' "$m"; done; printf '\0'
	done 2>/dev/null`
	var in strings.Builder
	for _, p := range pairs {
		in.WriteString(p[0] + "\x00" + p[1] + "\x00")
	}
	cmd := exec.Command(term.Need(t, "bash", "bash"), "--norc", "-c", script)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// said is an answer the way bashFinds writes it.
func said(a Answer) string {
	if !a.Matched {
		return "1"
	}
	out := "0"
	for _, g := range a.Groups {
		out += " <" + g + ">"
	}
	return out
}

// compareWithBash runs pairs in both and tells how many of those that bash accepts
// are known, and how many with their groups.
func compareWithBash(t *testing.T, pairs [][2]string) (accepted, known, grouped int) {
	t.Helper()
	real := bashFinds(t, pairs)
	if len(real) != len(pairs) {
		t.Fatalf("bash answers %d of %d", len(real), len(pairs))
	}
	for i, p := range pairs {
		if real[i] != "2" {
			accepted++
		}
		e, ok := Compile(chars(p[0]))
		if !ok {
			continue
		}
		a := e.Match(p[1])
		if !a.Sure {
			continue
		}
		known++
		want := real[i]
		if a.Matched && a.Groups == nil {
			want, _, _ = strings.Cut(want, " ")
		} else {
			grouped++
		}
		if got := said(a); got != want {
			t.Errorf("%q in %q: bash %s, here %s", p[0], p[1], want, got)
		}
	}
	return accepted, known, grouped
}

// Expressions that people write, and ones at the edges: each is known, or marked.
func TestMatch(t *testing.T) {
	cases := []struct{ re, s, open string }{
		{"^(.*)/(.*)$", "a/b/c", ""},
		{"(b)(c)", "abc", ""},
		{"(a)|(b)", "b", ""},
		{"(a)?(b)", "b", ""},
		{"(a|b)*", "abab", ""},
		{"([^/]+)/*$", "a/b//", ""},
		{"^(.+)-([0-9.]+)(-r[0-9]+)?$", "foo-bar-1.2-r3", ""},
		{"^([^=]+)=(.*)$", "k=v=w", ""},
		{"(.+)@(.+)", "a@b@c", ""},
		{"^v?([0-9]+)\\.([0-9]+)(\\.([0-9]+))?$", "v1.22", ""},
		{"^([[:alpha:]_][[:alnum:]_]*)=", "x_1=2", ""},
		{"^[[:space:]]*(#|$)", "  # x", ""},
		{"^(https?)://([^/:]+)(:[0-9]+)?(/.*)?$", "https://h.example:80/p/q", ""},
		{"a{2,3}", "caaaab", ""},
		{"x*", "aaa", ""},
		{"(x*)", "aaa", ""},
		{"[]a]+", "a]", ""},
		{"[^]a]+", "b]", ""},
		{"[a-]+", "a-", ""},
		{`[\.]`, `\`, ""},
		{`a\.b`, "a.b", ""},
		{"a.c", "a\nc", ""},
		{"^b", "a\nb", ""},
		{"a$b", "a$b", ""},
		{"a^b", "a^b", ""},
		{"(^a|b$)", "b", ""},
		{"(a|ab)(c|bcd)(d*)", "abcd", "groups"},
		{"(foo|foobar)(bar)?", "foobar", "groups"},
		{"((a)|(b))*", "ab", "groups"},
		{"(a*)+", "aaa", "all"},
		{"a||b", "b", "all"},
		{"()", "a", "all"},
		{"*a", "a", "all"},
		{"a**", "a", "all"},
		{"a{,2}", "a", "all"},
		{"{", "{", "all"},
		{"a{2", "a{2", "all"},
		{")", ")", "all"},
		{"(", "(", "all"},
		{"[", "[", "all"},
		{"[[=a=]]", "a", "all"},
		{"[A-z]", "_", "all"},
		{`\w`, "a", "all"},
		{`(a)\1`, "aa", "all"},
		{`\<a`, "a", "all"},
		{`a\`, "a", "all"},
		{"é", "é", "all"},
		{"^.$", "é", "all"},
	}
	var pairs [][2]string
	for _, c := range cases {
		pairs = append(pairs, [2]string{c.re, c.s})
		open := "all"
		if e, ok := Compile(chars(c.re)); ok {
			if a := e.Match(c.s); a.Sure {
				open = ""
				if a.Matched && a.Groups == nil {
					open = "groups"
				}
			}
		}
		if open != c.open {
			t.Errorf("%q in %q: unknown is %q, not %q", c.re, c.s, open, c.open)
		}
	}
	compareWithBash(t, pairs)
}

// Random expressions must find what bash finds, or say that they don't know.
func TestMatchRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 52))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var expr func(deep int) string
	expr = func(deep int) string {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			switch n := r.IntN(12); {
			case n < 4 || deep == 0:
				b.WriteString(pick("a", "b", "c", "ab", ".", "[ab]", "[^a]", "[b-c]", "/", `\.`, "[[:alpha:]]"))
			case n < 8:
				b.WriteString("(" + expr(deep-1) + ")")
			case n < 10:
				b.WriteString("(" + expr(deep-1) + "|" + expr(deep-1) + ")")
			default:
				b.WriteString(pick("^", "$", "a|b", "()", "*", `\w`))
			}
			if r.IntN(3) == 0 {
				b.WriteString(pick("*", "+", "?", "*", "?", "{1,2}"))
			}
		}
		return b.String()
	}
	n := 3000
	if testing.Short() {
		n = 400
	}
	var pairs [][2]string
	for range n {
		var s strings.Builder
		for range r.IntN(7) {
			s.WriteString(pick("a", "a", "b", "b", "c", "/", "."))
		}
		pairs = append(pairs, [2]string{expr(2), s.String()})
	}
	accepted, known, grouped := compareWithBash(t, pairs)
	t.Logf("%d of %d expressions bash accepts; %d are known, %d with their groups", accepted, n, known, grouped)
	if known < accepted/2 {
		t.Errorf("only %d of %d are known", known, accepted)
	}
}
