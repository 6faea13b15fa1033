package analyze

import (
	"flag"
	"math/rand"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"testing"

	"extdir/daemon/access"
	"extdir/integration/term"
)

var (
	twinLineCount = flag.Int("twin.lines", 120, "number of random lines that bash and the analyzer are compared on")
	twinSeed      = flag.Int64("twin.seed", 1, "seed of the first random line")
)

// TestTwinRandom makes lines at random, nested and joined in all ways, and runs
// them in bash. Whatever bash hands to cat the analyzer must know, unless it says
// that it doesn't.
func TestTwinRandom(t *testing.T) {
	bash := term.Need(t, "bash", "bash")
	judged, cat := 0, loggingCat(t)
	for i := range *twinLineCount {
		g := &randomLine{r: rand.New(rand.NewSource(*twinSeed + int64(i)))}
		line := "n=0; x=; y=ab; set -- p; arr=(); " + g.list() + "; " + g.list()
		if exec.Command(bash, "-n", "-c", line).Run() != nil {
			continue // a quote in the wrong place: not a line
		}
		dir := twinTree(t, cat)
		_, l := analyzeTwin(t, "bash", dir, line)
		if l.Dynamic {
			continue
		}
		judged++
		for name := range runTwin(t, bash, dir, line) {
			if !names(l, dir, name) {
				t.Errorf("seed %d: %s\n\tbash hands %q to cat, the analyzer doesn't know", *twinSeed+int64(i), line, name)
			}
		}
	}
	if judged < *twinLineCount/2 {
		t.Errorf("only %d of %d lines were judged without doubt", judged, *twinLineCount)
	}
}

// names tells whether a certain access names a file: itself, by a pattern, or by
// the folder below which all is meant.
func names(l access.Line, dir, name string) bool {
	for _, a := range l.Accesses {
		p := strings.TrimPrefix(a.Path, dir)
		if p == name || strings.HasSuffix(p, "/*") && under(name, p[:len(p)-2]) {
			return true
		}
		if ok, err := path.Match(p, name); a.Glob && err == nil && ok {
			return true
		}
	}
	return false
}

// randomLine makes random lines.
type randomLine struct {
	r     *rand.Rand
	depth int // of nesting
	loop  int // loops around
	fn    int // functions around
}

func (g *randomLine) pick(s ...string) string { return s[g.r.Intn(len(s))] }

func (g *randomLine) v() string { return g.pick("x", "y", "n") }

func (g *randomLine) word() string {
	switch g.r.Intn(16) {
	case 0:
		return "$" + g.v()
	case 1:
		return `"$` + g.v() + `"`
	case 2:
		return "${" + g.v() + g.pick(":-d", "-d", ":+p", "%/*", "##*/", "/a/b", ":1", ":0:2", "^^", "#a", "%%b*", ":=z") + "}"
	case 3:
		return "$1"
	case 4:
		return `"$@"`
	case 5:
		if g.depth > 3 {
			return "w"
		}
		return "$(" + g.sub(func() string { return g.pick("echo "+g.word(), "pwd", "printf %s "+g.word(), g.stmt()) }) + ")"
	case 6:
		return g.pick("a", "b/c", "../q", "src/m", "link_in/k", "link_up/z", "~/h", "'s p'", `e\ f`)
	case 7:
		return g.word() + g.pick("/t", "x", "")
	case 8:
		return "{" + g.pick("a,b", "1..3", "p,q/r") + "}" + g.pick("", "/s")
	case 9:
		return "$((" + g.pick("1+2", "n+1", "2*3") + "))"
	case 10:
		return `"${arr[` + g.pick("0", "1", "@", "*") + `]}"`
	case 11:
		return "${#" + g.v() + "}"
	}
	return g.pick("a", "b", "ab", "c/d", "../o", "src", "docs/e", "src/*.go", "l1", "xy")
}

func (g *randomLine) sub(f func() string) string {
	g.depth++
	defer func() { g.depth-- }()
	return f()
}

func (g *randomLine) dir() string {
	return g.pick("src", "docs", "docs/deep", "..", ".", "link_in", "link_up", "../other", "nodir", "-", "$x", "~", "-P link_up", "src/..", "/")
}

func (g *randomLine) cond() string {
	switch g.r.Intn(12) {
	case 0:
		return "true"
	case 1:
		return "false"
	case 2:
		return "[ " + `"` + g.pick("$x", "$y", "a") + `"` + g.pick(" = ", " != ") + g.pick("a", "b", "ab") + " ]"
	case 3:
		return "[[ " + g.word2() + " == " + g.pick("a*", "*b", "?", "[ab]*", "a") + " ]]"
	case 4:
		return "test -d " + g.pick("src", "nodir")
	case 5:
		return "((" + g.pick("n<2", "n==0", "1", "0", "n++<1") + "))"
	case 6:
		return "cd " + g.dir() + " >/dev/null 2>&1"
	case 7:
		return "! " + g.cond()
	case 8:
		return "ls " + g.pick("nothing", "src") + " >/dev/null 2>&1"
	case 9:
		return "[ -" + g.pick("n", "z") + ` "` + g.pick("$x", "$y", "") + `" ]`
	case 10:
		return "read -r " + g.v() + " <<< " + g.word2()
	}
	return "(exit " + g.pick("0", "1") + ")"
}

func (g *randomLine) word2() string { return g.pick("$x", "$y", "ab", `"a b"`, "'b'") }

func (g *randomLine) stmt() string {
	if g.depth > 4 {
		return "cat " + g.word()
	}
	return g.sub(func() string {
		switch g.r.Intn(36) {
		case 0, 1:
			return "cd " + g.dir() + " >/dev/null"
		case 2, 3:
			return g.v() + "=" + g.word1()
		case 4:
			return "if " + g.cond() + "; then " + g.list() + "; else " + g.list() + "; fi"
		case 5:
			return "if " + g.cond() + "; then " + g.list() + "; elif " + g.cond() + "; then " + g.list() + "; fi"
		case 6:
			return g.cond() + " && " + g.stmt()
		case 7:
			return g.cond() + " || " + g.stmt()
		case 8:
			g.loop++
			defer func() { g.loop-- }()
			return "for " + g.v() + " in " + g.word() + " " + g.word() + "; do " + g.list() + "; done"
		case 9:
			name := g.pick("f", "g")
			g.fn++
			defer func() { g.fn-- }()
			return name + "() { " + g.list() + "; }; " + name + " " + g.word()
		case 10:
			return "(" + g.list() + ")"
		case 11:
			return "{ " + g.list() + "; }"
		case 12:
			i := "i" + strconv.Itoa(g.depth)
			g.loop++
			defer func() { g.loop-- }()
			return i + "=0; while ((" + i + "++<2)); do " + g.list() + "; done"
		case 13:
			return "case " + g.word2() + " in a) " + g.stmt() + ";; *b) " + g.stmt() + g.pick(";;", ";&", ";;&") + " *) " + g.stmt() + ";; esac"
		case 14:
			return "read -r x y <<< " + `"` + g.pick("a b c", "$x q", "l1 ../o") + `"`
		case 15:
			return "eval " + quote(g.stmt())
		case 16:
			return "bash -c " + quote(g.stmt()) + " _ " + g.word()
		case 17:
			if g.fn > 0 {
				return "local " + g.v() + "=" + g.word1()
			}
			return "export " + g.v() + "=" + g.word1()
		case 18:
			return `printf '%s\n' ` + g.word() + " " + g.word() + " | while read -r l; do cat $l; " + g.stmt() + "; done"
		case 19:
			return "set -- " + g.word() + " " + g.word()
		case 20:
			return "shift"
		case 21:
			if g.loop > 0 {
				return g.pick("break", "continue", "break 2")
			}
			return g.pick("break", "true")
		case 22:
			if g.fn > 0 {
				return "return " + g.pick("0", "1")
			}
			return "unset " + g.v()
		case 23:
			return "printf -v " + g.v() + " '%s-%s' " + g.word2() + " b"
		case 24:
			return "arr=(" + g.word() + " " + g.word() + ")"
		case 25:
			return "pushd " + g.pick("src", "docs", "..") + " >/dev/null; " + g.stmt() + "; popd >/dev/null"
		case 26:
			return g.v() + "=" + g.word1() + " " + g.pick("eval 'cat $x'", "bash -c 'cat _$x'", "f")
		case 27:
			return "echo " + g.word() + " > t1; read -r x < t1; cat $x"
		case 28:
			return "ln -sfn " + g.pick("..", "../other", "src") + " lk; cat lk/" + g.pick("a", "b")
		case 29:
			return "echo 'cat " + g.pick("a", "../o", "$x") + "' | bash"
		case 30:
			return "(( n += 1 ))"
		case 31:
			return "mkdir -p " + g.pick("m1", "m1/m2") + "; cd m1"
		case 32:
			return g.v() + "+=" + g.pick("a", "/b")
		}
		return "cat " + g.word()
	})
}

func (g *randomLine) word1() string {
	for {
		w := g.word()
		if !strings.ContainsAny(w, "{*") || strings.HasPrefix(w, "$") {
			return w
		}
	}
}

func (g *randomLine) list() string {
	n := 1 + g.r.Intn(2)
	var out []string
	for range n {
		out = append(out, g.stmt())
	}
	return strings.Join(out, "; ")
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
