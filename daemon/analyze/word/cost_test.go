package word

import (
	"strings"
	"testing"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// Words that burn time must run into the budget soon. The bound is far above what
// they take, so that a loaded machine doesn't fail it.
func TestCost(t *testing.T) {
	big := strings.Repeat("ab/", guard.Max(guard.Value)/3)
	for _, text := range []string{
		"${x//*a*a*a*b/}", "${x//a/bb}", "${x//[ab]/&&}", "${x%%*a*b*c*}", "${x##+(a|b|/)}", "${x//+(a|+(b|+(/)))/}",
		"${x%%*(*(*(a)))}", "${x^^[ab]}", "${x@Q}", "${#x}", "${x/%*z/}", "$(( $x ))",
		strings.Repeat("$x", 3000), strings.Repeat("${x//b/}", 200), strings.Repeat("{a,b}", 20), "{1..99999999}{1..9}",
		"{1..4000}" + strings.Repeat("z", 50_000), strings.Repeat("{a,", 400) + strings.Repeat("}", 400),
		strings.Repeat("{", 100_000), strings.Repeat("~", 50_000), "a=" + strings.Repeat(":~", 50_000),
		`"` + strings.Repeat("$@", 5000) + `"`, strings.Repeat("${x:-", 40) + strings.Repeat("}", 40),
		"$((" + strings.Repeat("1+", 30_000) + "1))", "$((" + strings.Repeat("a=", 40) + "1))", "$((y))",
		"@(" + strings.Repeat("a|", 20_000) + "b)", "${x%%@(" + strings.Repeat("a|", 5000) + "b)}",
	} {
		b := newBench(false)
		b.options["extglob"] = true
		b.vars["x"] = Value{State: Set, Scalar: access.Text(big)}
		b.vars["y"] = Value{State: Set, Scalar: access.Text("y+y")}
		for range 100 {
			b.args = append(b.args, access.Text(strings.Repeat("q ", 100)))
		}
		begin := time.Now()
		_, _, err := expand(b, row{text: text})
		if d := time.Since(begin); d > time.Minute { // it hangs: steps are what is counted
			t.Errorf("%.30s took %v", text, d)
		} else {
			t.Logf("%-32.32s %v (parse error: %v, steps left %d)", text, d.Round(time.Microsecond), err, b.steps)
		}
	}
}
