package analyze

import (
	"strings"
	"testing"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/zshform"
)

// Lines that would cost without bound must answer soon, and never as if nothing
// had been found.
func TestDeepAndDear(t *testing.T) {
	a := analyzer(t, world(t))
	n := 1_000_000
	many := strings.Repeat
	for name, line := range map[string]string{
		"subshells":      many("(", n),
		"groups":         many("{ ", n),
		"substitutions":  many("$(", n),
		"quoted":         many(`"$(`, n),
		"arithmetic":     many("$((", n),
		"defaults":       many("${x:-", n),
		"if":             many("if ", n),
		"while":          many("while ", n),
		"time":           many("time ", n),
		"coproc":         many("coproc ", n),
		"functions":      many("f() ", n),
		"negations":      "[[ " + many("! ", n),
		"parentheses":    "[[ " + many("( ", n),
		"backquotes":     many("`", n),
		"process":        many("cat <(", n),
		"case":           many("case a in a) ", n),
		"for":            many("for x in a; do ", n),
		"here-documents": many("cat <<E\n", n),
		"quarter M":      "echo " + many("a", 300<<10),
		"recursion":      "f() { f; f; }; f",
		"forks":          many("ls && x=$x/a; ", 60) + "cat $x",
		"doubling":       "x=aaaaaaaaaaaaaaaa;" + many("x=$x$x;", 40) + "cat $x",
		"braces":         "cat " + many("{a,b}", 40),
		"range":          "cat {1..99999999}",
		"defaults again": "cat " + many("${u:-/etc/a}", 12),
		"loops":          many("for i in {1..200}; do ", 6) + "cat /etc/$i" + many("; done", 6),
		"endless":        "while true; do cat /etc/a; done",
		"eval":           "e='eval \"$e\"'; eval \"$e\"",
		"sh":             `sh -c '` + many("sh -c ", 100) + `'`,
		"seq":            "for i in $(seq 1000); do cat /etc/$i; done",
		"case states":    many("case $u in a) x=$x/1;; b) y=$y/2;; *) cd /etc/$x;; esac; ", 30),
	} {
		from := time.Now()
		l := a.Analyze(request(line))
		took := time.Since(from)
		t.Logf("%-15s %v", name, took)
		if took > time.Minute { // it hangs
			t.Errorf("%s: took %v", name, took)
		}
		if name == "seq" || name == "sh" || name == "case states" || name == "endless" {
			continue // these are judged to the end
		}
		if !l.Dynamic {
			t.Errorf("%s: not unknown", name)
		}
	}
}

// Long lines without depth are judged in full.
func TestLong(t *testing.T) {
	a := analyzer(t, world(t))
	for name, line := range map[string]string{
		"and":   strings.Repeat("ls && ", 3000) + "cat /etc/p",
		"or":    strings.Repeat("ls || ", 3000) + "cat /etc/p",
		"pipe":  strings.Repeat("ls | ", 3000) + "cat /etc/p",
		"semi":  strings.Repeat("ls; ", 5000) + "cat /etc/p",
		"elif":  "if ls; then :;" + strings.Repeat("elif ls; then :;", 1000) + "else cat /etc/p; fi",
		"words": "cat " + strings.Repeat("a ", 4000) + "/etc/p",
		"tests": "[[ " + strings.Repeat("a && ", 100) + "-f /etc/p ]]",
	} {
		l := a.Analyze(request(line))
		if got := found(l); got != "r /etc/p" || l.Error != "" {
			t.Errorf("%s: %s (%s)", name, got, l.Error)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{
		`cat /etc/passwd`, `cd /etc && cat "$x"/*`, `for i in a b; do cat $i; done`, `f() { local x=$1; cat $x; }; f /etc`,
		`echo 'cat /etc/p' | sh`, `case $x in a|b) ;; *) cat;; esac`, `x=(a b [5]=c); unset 'x[1]'; cat ${x[@]:1}`,
		"cat <<E\n$(cat /etc/p)\nE", `exec 3<>x {fd}>y; read -u 3 a <&$fd`, `declare -A m=([a]=b); export "x=$y" -f f`,
		`while getopts ab: o; do shift; done; set -- $*; printf -v x %s "$@"`, `[[ $x =~ a && -f /b || ( ! c ) ]]`,
		`trap 'rm $x' EXIT; alias a=b; eval "$(cat)"`, `pushd +1; popd; cd -; dirs -c`, `mapfile -C 'cat' -c 1 m <<< x`, "\xff\r(",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	a := analyzer(f, world(f))
	f.Fuzz(func(t *testing.T, line string, zsh bool) {
		r := request(line)
		if zsh {
			r.Shell = "zsh"
		}
		done, budget := make(chan access.Line, 1), new(guard.Budget)
		go func() { done <- a.judge(&r, budget) }()
		var l access.Line
		select {
		case l = <-done:
		case <-time.After(5 * time.Second):
			panic("no end: " + line)
		}
		if strings.Contains(l.Error, "judging the line failed") {
			t.Fatalf("%q: %s", line, l.Error)
		}
		// Nothing is allowed that wasn't read to its end, and no budget is overrun
		// in silence.
		if _, err := zshform.Parse(line, zsh, nil); err != nil && (!l.Dynamic || l.Error == "") {
			t.Fatalf("%q: doesn't parse (%v), but is known", line, err)
		}
		if why := budget.Over(); len(why) > 0 && (!l.Dynamic || l.Error == "") {
			t.Fatalf("%q: over budget (%s), but known", line, strings.Join(why, "; "))
		}
		for _, ac := range l.Accesses {
			if ac.Start < 0 || ac.End > len(line) || ac.Start > ac.End {
				t.Fatalf("%q: span %d:%d", line, ac.Start, ac.End)
			}
			if ac.Certainty == access.Unknown && !l.Dynamic {
				t.Fatalf("%q: unknown but not dynamic", line)
			}
			if ac.Certainty == access.Certain && ac.Kind != access.Self && !strings.HasPrefix(ac.Path, "/") {
				t.Fatalf("%q: certain but relative: %+v", line, ac)
			}
		}
		for _, c := range l.Commands {
			if c.Start < 0 || c.End > len(line) || c.Start > c.End || len(c.Forms) == 0 {
				t.Fatalf("%q: command %+v", line, c)
			}
		}
	})
}
