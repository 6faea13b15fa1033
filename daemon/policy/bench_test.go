package policy

import (
	"fmt"
	"strings"
	"testing"
)

// manyRules makes n rules of every shape that has an index.
func manyRules(n int) []Entry {
	var out []Entry
	add := func(surface, pat string, a Action) {
		out = append(out, Entry{Surface: surface, Pattern: pat, Read: a, Write: a, Execute: a})
	}
	for i := 0; len(out) < n; i++ {
		add("external_directory", fmt.Sprintf("/srv/d%d/sub/*", i), Allow)
		add("external_directory", fmt.Sprintf("~/data/p%d*", i), Allow)
		add("path", fmt.Sprintf("*.ext%d", i), Ask)
		add("path", fmt.Sprintf("**/gen%d/out", i), Deny)
		add("bash", fmt.Sprintf("tool%d run *", i), Ask)
	}
	return out[:n]
}

// Ten thousand rules cost what ten cost.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			p := compile(b, testEnv, Layer{Author: User, Rules: manyRules(n)})
			line := both(acc("read /srv/d1/sub/x/y", "write /home/u/data/p1/z", "read /code/app/src/main.go"), cmd("tool1x build ./...", "go test ./..."))
			if d := p.Decide(line, inWork); d.Verdict != VerdictAllow {
				b.Fatal(d.Findings)
			}
			b.ReportAllocs()
			for b.Loop() {
				p.Decide(line, inWork)
			}
		})
	}
}

func BenchmarkDecideTree(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			p := compile(b, testEnv, Layer{Author: User, Rules: manyRules(n)})
			line := acc("read /code/app dir", "read /code/app/*.go glob")
			b.ReportAllocs()
			for b.Loop() {
				p.Decide(line, inWork)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			layer := Layer{Author: User, Rules: manyRules(n)}
			b.ReportAllocs()
			for b.Loop() {
				Compile([]Layer{layer}, testEnv)
			}
		})
	}
}

// The time is linear in the length of a path.
func BenchmarkLongPath(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("components=%d", n), func(b *testing.B) {
			p := compile(b, testEnv, Layer{Author: User, Rules: manyRules(100)}, user(b, "p **/a/a/a deny\np a*a*b ask\nx /srv/**/a/**/b deny"))
			a := acc("read /srv"+strings.Repeat("/aa", n), "read /srv"+strings.Repeat("/a*", n)+" glob")
			for b.Loop() {
				p.Decide(a, inWork)
			}
		})
	}
}
