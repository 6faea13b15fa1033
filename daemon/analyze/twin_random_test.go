package analyze

import (
	"flag"
	"maps"
	"math/rand"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/integration/term"
)

var (
	twinLineCount = flag.Int("twin.lines", 300, "number of random lines that bash and the analyzer are compared on; 2000 in CI")
	twinSeed      = flag.Int64("twin.seed", 0, "seed of the first random line; 0: three quarters of the lines are the same each time, the others new; -1: all are new")
)

// TestTwinRandom makes lines at random, nested and joined in all ways, and runs
// them in bash. Whatever bash hands to cat the analyzer must know, unless it says
// that it doesn't. A line that fails belongs into testdata/twin-found.txt.
func TestTwinRandom(t *testing.T) {
	bash := term.Need(t, "bash", "bash")
	seed, count := *twinSeed, *twinLineCount
	if os.Getenv("CI") == "true" && count == 300 {
		count = 2000
	}
	// Lines that are new each time find what nobody thought of; few enough of them that
	// one which is found doesn't keep every other change waiting.
	fresh := time.Now().UnixNano() % 1e12
	of := func(i int) int64 {
		switch {
		case seed > 0:
			return seed + int64(i)
		case seed < 0 || i%4 == 3:
			return fresh + int64(i)
		}
		return int64(i)
	}
	t.Logf("-twin.seed=%d for the new ones", of(3))
	cat := loggingCat(t)
	var made, judged, same atomic.Int32
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0)+1)
	for i := range count {
		g := &randomLine{r: rand.New(rand.NewSource(of(i)))}
		line := "n=0; x=; y=ab; set -- p; arr=(); " + g.list() + "; " + g.list()
		if _, err := syntax.NewParser().Parse(strings.NewReader(line), ""); err != nil {
			continue // a quote in the wrong place: not a line
		}
		made.Add(1)
		slots <- struct{}{}
		dir := twinTree(t, cat)
		wait.Go(func() {
			defer func() { <-slots }()
			defer os.RemoveAll(dir)
			got, l := analyzeTwin(t, "bash", dir, line)
			if l.Dynamic {
				return
			}
			judged.Add(1)
			want := runTwin(t, bash, dir, line)
			for name := range want {
				if !names(l, dir, name) {
					t.Errorf("bash hands %q to cat, the analyzer doesn't know. Again: -twin.seed=%d -twin.lines=1. Cut it down to the fault, and put it in testdata/twin-found.txt:\n%s",
						name, of(i), strings.ReplaceAll(line, "\n", "⏎"))
					return
				}
			}
			if maps.Equal(got, want) {
				same.Add(1)
			}
		})
	}
	wait.Wait()
	t.Logf("%d lines, %d judged without doubt, %d of them name just what bash does", made.Load(), judged.Load(), same.Load())
	if judged.Load() < made.Load()/2 {
		t.Errorf("only %d of %d lines were judged without doubt", judged.Load(), made.Load())
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
	switch g.r.Intn(23) {
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
	case 12:
		return `"${` + g.pick("arr[@]", "arr[*]", "@", "*") + g.pick(":1", ":0:1", "#a", "%b", "/a/q", "^", ":-d", "@Q") + `}"`
	case 13:
		return g.pick("$arr", "${arr[@]}", "${#arr[@]}", `"${!arr[@]}"`, "$*", `"$*"`, "$#", "${arr[n]}", "${arr[-1]:-e}")
	case 14:
		return g.pick("${m[k]}", `"${m[$y]}"`, `"${m[@]}"`, `"${!m[@]}"`, "${m[nope]:-q}", "${#m[@]}")
	case 15:
		if g.r.Intn(3) > 0 {
			return "${" + g.v() + ":-k}"
		}
		return "${!" + g.pick("r", "r:-d", "r#a", "r@Q") + "}"
	case 16:
		return `"` + g.pick("a $"+g.v(), "$"+g.v()+" b", `\"`+g.pick("a", "b"), "$(echo \"$"+g.v()+"\")", `'$`+g.v()+`'`) + `"`
	case 17:
		return "$'" + g.pick(`a\tb`, `\x61`, `it\'s`, `\141b`, "c d") + "'" + g.pick("", "x", "/y")
	case 18: // some are errors, which end what is running
		return g.pick("${x:?}", "$((n/n))", "$((3/(n-1)))", "none*", "${y:1:-2}", "${arr[n-1]}", "$((y))", "$((08))")
	}
	return g.pick("a", "b", "ab", "c/d", "../o", "src", "docs/e", "src/*.go", "l1", "xy")
}

func (g *randomLine) sub(f func() string) string {
	g.depth++
	defer func() { g.depth-- }()
	return f()
}

func (g *randomLine) dir() string {
	return g.pick("src", "docs", "docs/deep", "..", ".", "link_in", "link_up", "../other", "nodir", "-", "$x", "~", "-P link_up", "src/..", "../..")
}

func (g *randomLine) cond() string {
	switch g.r.Intn(17) {
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
	case 11:
		return "[ " + g.pick("! ", "", "") + `"` + g.pick("$x", "$y", "a", "") + `" ` + g.pick("-a", "-o") + " " + g.pick("$n", "b", "! a", "-n a", "-z $x", "a = b", "$n -eq 0", `"$x" \< b`, `\( $n -gt 1 \)`) + g.pick("", " -o a = $y", " -a c") + " ]"
	case 12:
		return "[ " + g.pick("$n", "$#", "1", "a") + " " + g.pick("-eq", "-lt", "-ge", "-ne", `\<`, `\>`) + " " + g.pick("$n", "0", "1", "ab") + " ]"
	case 13:
		return "[[ " + g.word2() + " " + g.pick("<", ">", "-eq", "-lt") + " " + g.pick("$n", "b", "1", "n+1", "1/n") + " ]]"
	case 14:
		return g.pick("((n/n))", "((x/2))", "let n++", "let n-1 n", "let n/n", "((n=0))", "((1/(n-1)))")
	case 15:
		return g.pick("eval ", "command ", "") + g.pick("false", "true", "return 1", "f", "unset f", "cd a b 2>/dev/null")
	}
	return "(exit " + g.pick("0", "1") + ")"
}

func (g *randomLine) word2() string { return g.pick("$x", "$y", "ab", `"a b"`, "'b'") }

func (g *randomLine) stmt() string {
	if g.depth > 4 {
		return "cat " + g.word()
	}
	return g.sub(func() string {
		switch g.r.Intn(70) {
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
		case 33:
			return g.pick("m=()", "unset m", "unset m", "unset m") + "; declare -A m; m[k]=" + g.word1() + "; m[" + g.pick("ab", "$y", "j") + "]=" + g.word1()
		case 34:
			return "r=" + g.pick("x", "y", "n", "'arr[0]'")
		case 35:
			return g.group() + " > " + g.pick("t2", "t3", "/dev/null") + "; read -r " + g.v() + " < " + g.pick("t2", "README.md") + "; cat $x"
		case 36:
			return "{ read -r x y; " + g.stmt() + "; } <<< " + g.word2()
		case 37:
			return "{ while read -r l; do cat $l; " + g.stmt() + "; done <<E\n" + g.pick("a", "$x", "../o\nb", `"$y" q`, "$(echo s)") + "\nE\n}"
		case 38:
			return "{ bash -s " + g.word() + " <<'E'\n" + strings.ReplaceAll(g.stmt(), "\n", " ") + "\nE\n}"
		case 39:
			return "(trap " + quote(g.stmt()) + " EXIT; " + g.list() + ")"
		case 40:
			return "f() { " + g.list() + "; } " + g.pick("", "> t4", "<<< 'p q'", "2>/dev/null") + "; f " + g.word() + " " + g.pick("", "| while read -r l; do cat $l; done", "|| "+g.stmt())
		case 41:
			g.loop++
			defer func() { g.loop-- }()
			i := "j" + strconv.Itoa(g.depth)
			return "for ((" + i + "=0; " + i + "<3; " + i + "++)); do ((" + i + "==" + g.pick("0", "1", "2") + ")) && " + g.pick("break", "continue", "{ "+g.list()+"; }") + "; " + g.list() + "; done"
		case 42:
			g.loop++
			defer func() { g.loop-- }()
			return "for v in " + g.pick("a b", `"$@"`, "$x $y", `"${arr[@]}"`, "src/*.go", "{1..2}") + "; do case $v in a*) " + g.stmt() + ";; ?) " + g.pick("continue", "break", g.stmt()) + ";; *) " + g.stmt() + ";; esac; done"
		case 43:
			return "(cd " + g.dir() + " >/dev/null && " + g.list() + "); " + g.stmt()
		case 44:
			return "exec 5<<< " + g.word2() + "; read -r x <&5; read -u 5 y; cat _$x _$y"
		case 45:
			return "mapfile -t arr <<< $'a\nb c'; " + g.stmt()
		case 46:
			return "IFS=" + g.pick(":", "/", "a", "' '", "$' \\t\\n'") + "; " + g.stmt() + "; unset IFS"
		case 47:
			return "f() { local " + g.v() + "=" + g.word1() + " " + g.v() + "; " + g.list() + "; return $n; }; f \"$@\" && " + g.stmt()
		case 48:
			return g.pick("set -f", "set +f", "shopt -s nullglob", "shopt -s extglob", "shopt -s lastpipe", "set -P", "set -e", "set +e")
		case 49:
			return "x=$(" + g.list() + "); cat \"_$x\""
		case 50:
			return "select v in a b; do " + g.stmt() + "; break; done <<< " + g.pick("1", "2")
		case 51:
			return "echo " + quote(g.stmt()) + " > s.sh; " + g.pick(". ./s.sh "+g.word(), "bash s.sh "+g.word(), "source ./s.sh", "bash < s.sh")
		case 52:
			return g.stmt() + " & wait"
		case 53:
			return "printf '%s\\n' " + g.word() + " b | xargs " + g.pick("-n1 ", "-I{} ", "") + g.pick("cat", "bash -c 'cat \"$@\"' _", "cat {}")
		case 54:
			return g.pick("set -e", "set -u", "set -o pipefail", "shopt -s failglob", "shopt -s inherit_errexit", "set -eu") + "; " + g.list()
		case 55:
			return "readonly " + g.v() + g.pick("", "", "="+g.word1())
		case 56:
			return "(" + g.pick("exit "+g.pick("0", "1", "256", "x", "1 2", "$n"), "set -e; "+g.list(), "exec cat a", "readonly x; "+g.list()) + "; " + g.stmt() + ")"
		case 57:
			return "eval " + quote(g.stmt()+"\n"+g.stmt()) + g.pick("", " && ", " || ") + g.pick("", "; ") + g.stmt()
		case 58:
			return "bash " + g.pick("-ec ", "-uc ", "-e -o pipefail -c ", "-c ") + quote(g.list()+g.pick("; ", "\n")+g.stmt()) + " _ " + g.word()
		case 59:
			return g.group() + " <<< " + g.pick("$((1/n))", "${x:?}", "$y")
		case 60:
			return "set -e; " + g.cond() + "; " + g.stmt()
		case 61:
			return "(set -e; " + g.pick("f() { "+g.list()+"; }; f", "eval "+quote(g.list()), "{ "+g.list()+"; }", "x=$("+g.list()+")", g.list()+" | cat", "("+g.list()+")", g.cond()) + g.pick("", " && true", " || true", " && "+g.stmt()) + "; " + g.stmt() + ")"
		case 62:
			return "f() { " + g.list() + "; " + g.pick("exit 1", "return 1 2", "return x", "return $n", "false", "cat ${x:?}", g.cond()) + "; }; " + g.pick("f", "f || "+g.stmt(), "(f; "+g.stmt()+")", "x=$(f); cat _$x", "unset f; f 2>/dev/null || cat b")
		case 63:
			return "(trap " + quote(g.pick(g.list(), "cd src 2>/dev/null", "x=t", "((n++))", g.v()+"+=t", "exit", "break", "return 1")) + " " + g.pick("ERR", "ERR", "DEBUG", "RETURN", "EXIT") + "; " + g.list() + "; " + g.stmt() + ")"
		case 64:
			return g.pick("set -E", "set -T", "f() { trap 'x=r; cat \"r$1\"' RETURN; "+g.list()+"; }; f a", "trap 'cat e$?' ERR", "trap 'n=$((n+1))' DEBUG", "trap - ERR DEBUG", "trap 'x=e' ERR", "f() { trap 'cat ef' ERR; "+g.list()+"; }; f") + "; " + g.list()
		case 65:
			return "(trap 'cd src; x=s' USR1; " + g.stmt() + "; kill -USR1 $BASHPID; " + g.list() + ")"
		case 66:
			return "for v in a b; do " + g.pick("break 0", "continue 0", "break 1 2", "break x", "((1/n))") + " 2>/dev/null; " + g.list() + "; done; cat v$v"
		}
		return "cat " + g.word()
	})
}

// group is some statements with one output.
func (g *randomLine) group() string {
	return g.pick("{ echo "+g.word()+"; "+g.stmt()+"; }", "(echo "+g.word()+"; echo b)", "echo "+g.word())
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
