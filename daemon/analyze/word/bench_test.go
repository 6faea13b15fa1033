package word

import (
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

func BenchmarkFields(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"plain", "status"},
		{"quoted", "'a b'"},
		{"three", "git status --short"},
		{"variable", "$x"},
		{"suffix", "${x%/*}"},
		{"quotedSuffix", `"${x%/*}/y"`},
		{"replace", `"${x//\//_}"`},
		{"braces", "{a,b}/{c,d}"},
	} {
		b.Run(c.name, func(b *testing.B) {
			sh := newBench(false)
			sh.vars["x"] = Value{State: Set, Scalar: access.Text("/etc/ssh/sshd_config")}
			sh.steps = 1 << 60
			f, err := guard.Parse(": "+c.text, false, nil)
			if err != nil {
				b.Fatal(err)
			}
			words := f.Stmts[0].Cmd.(*syntax.CallExpr).Args[1:]
			b.ReportAllocs()
			for range b.N {
				Fields(sh, words...)
			}
		})
	}
}
