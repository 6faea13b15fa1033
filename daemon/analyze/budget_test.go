package analyze

import (
	"fmt"
	"strings"
	"testing"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// TestBudgets: a line that overruns a budget is unknown, with the reason; one just
// below it is judged exactly.
func TestBudgets(t *testing.T) {
	const probe = "cat /etc/p"
	rep := strings.Repeat
	a := analyzer(t, world(t))
	for _, c := range []struct {
		limit guard.Limit
		why   string // of an unknown access of the line over the budget
		line  func(n int) string
		below int
		above int
	}{
		{guard.Line, "longer than 262144 bytes", func(n int) string { return probe + rep(" ", n-len(probe)) }, 256 << 10, 256<<10 + 1},
		{guard.Frames, "nested too deep", func(n int) string { return rep("( ", n) + probe + rep(" )", n) }, 60, 1000},
		{guard.NestDepth, "more than 20 shells or evals", func(n int) string { return rep("eval ", n) + probe }, 20, 21},
		{guard.NestBytes, "nested texts of more than 262144 bytes", func(n int) string {
			return "v='" + probe + " #" + rep("x", 50_000) + "'; " + rep(`eval "$v"; `, n)
		}, 5, 6},
		{guard.Statements, "more than 20000 statements", func(n int) string {
			return fmt.Sprintf("f() { %s}; for i in {1..190}; do f; done; %s", rep(":; ", n), probe)
		}, 100, 106},
		{guard.Alternatives, "more than 16 readings", func(n int) string { return probe + "; echo " + rep("${a:-x}", 1) + alternatives(n) }, 3, 5},
		{guard.Fields, "a word of more than 4096 fields", func(n int) string { return probe + fmt.Sprintf(" /dev/fd/{1..%d}", n) }, 4090, 4097},
		{guard.Value, "a value of more than 65536 bytes", func(n int) string { return "x=" + rep("a", n/2) + "; y=$x$x; " + probe }, 64 << 10, 64<<10 + 2},
		{guard.Values, "values of more than 1048576 bytes", func(n int) string { return "x=" + rep("a", 50_000) + "; " + rep("y=$x; ", n) + probe }, 19, 20},
		{guard.Calls, "functions more than 40 calls deep", func(n int) string {
			var b strings.Builder
			fmt.Fprintf(&b, "f0() { %s; }; ", probe)
			for i := 1; i < n; i++ {
				fmt.Fprintf(&b, "f%d() { f%d; }; ", i, i-1)
			}
			return b.String() + fmt.Sprintf("f%d", n-1)
		}, 40, 41},
		{guard.Items, "a loop over more than 200 items", func(n int) string { return fmt.Sprintf("for i in ./{1..%d}; do %s $i; done", n, probe) }, 200, 201},
		{guard.Files, "more than 2000 questions to the file system", func(n int) string { return probe + fmt.Sprintf(" f{1..%d}", n) }, 1900, 2100},
		{guard.Patterns, "more than 1000 pattern operations", func(n int) string { return probe + rep(" */q", n) }, 100, 1000},
		{guard.Steps, "more than 200000 steps of expansion", func(n int) string {
			return "x=" + rep("a", 32<<10) + fmt.Sprintf("; for i in {1..200}; do : %s; done; %s", rep(" $x", n), probe)
		}, 1, 2},
	} {
		l := a.Analyze(request(c.line(c.below)))
		if l.Dynamic || l.Error != "" || found(l) != "r /etc/p" {
			t.Errorf("%s, just below: %s, %s", c.why, found(l), l.Error)
		}
		l = a.Analyze(request(c.line(c.above)))
		said := false
		for _, x := range l.Accesses {
			said = said || x.Certainty == access.Unknown && x.External && strings.Contains(x.Why, c.why)
		}
		if !said || !l.Dynamic {
			var whys []string
			for _, x := range l.Accesses {
				whys = append(whys, x.Why)
			}
			t.Errorf("%s, just above: %.300q", c.why, whys)
		}
	}
}

// alternatives are n variables with a default each.
func alternatives(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "${b%d:-y}", i)
	}
	return b.String()
}

// TestStates: states beyond the budget are joined. What they differ in is unknown,
// and no access is lost.
func TestStates(t *testing.T) {
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "test -e f%d && x%d=/etc/a || x%d=/etc/b; ", i, i, i)
	}
	cases(t, analyzer(t, world(t)), "bash", b.String()+`cat /etc/p $x0 ⇒ ?, r /etc/p`)
}
