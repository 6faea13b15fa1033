package zsh

import (
	"strings"
	"testing"
)

// matrix are the forms a line can have. None may leave a trace when it is
// refused: no file, no variable, no function, no job, and the shell is alive.
var matrix = []struct{ name, line, after, status string }{
	{"1 simple", "touch a BLOCK", "", "126"},
	{"3 list", "touch a; touch BLOCK; touch b", "", "126"},
	{"4 pipe and or", "touch a | cat BLOCK && touch b || touch c", "", "126"},
	{"5 subshell first", "( touch a; : BLOCK )", "", "126"},
	{"6 late subshell", "touch a; (touch b; : BLOCK)", "", "126"},
	{"7 group", "{ touch a; : BLOCK; }", "", "126"},
	{"8 for", "for i in a b; do touch $i BLOCK; done", "", "126"},
	{"9 while", "while touch w BLOCK; do break; done", "", "126"},
	{"10 define and call", "f() { touch BLOCK; }; f", "print ${+functions[f]}x", "1"},
	{"11 define", "g() { : BLOCK; }", "print ${+functions[g]}x", "1"},
	{"12 background", "touch a BLOCK &", "jobs", "0"},
	{"13 coproc", "coproc { touch a BLOCK; }", "jobs", "0"},
	{"14 substitution", "echo $(touch a BLOCK)", "", "126"},
	{"15 assignment", "x=BLOCK", "print ${+x}x", "1"},
	{"15 test", "[[ BLOCK == $(touch d) ]]", "", "1"},
	{"15 arithmetic", "((y=5, 0 * BLOCK))", "print ${+y}x", "1"},
	{"15 case", "case BLOCK in *) touch a;; esac", "", "126"},
	{"15 exec", "exec touch BLOCK", "", "126"},
	{"redirection alone", "> aBLOCK", "", "126"},
	{"always", "{ touch aBLOCK } always { touch b }", "", "126"},
	{"repeat", "repeat 2 touch aBLOCK", "", "126"},
	{"anonymous function", "() { touch aBLOCK }", "", "1"},
	{"time", "time touch aBLOCK", "", "126"},
	{"not", "! touch aBLOCK", "", "126"},
}

func TestBlockedForms(t *testing.T) {
	g := start(t, setup{})
	for _, m := range matrix {
		t.Run(m.name, func(t *testing.T) {
			g.t = t
			g.d.Forget()
			g.blocks(m.line)
			if n := len(g.d.Checked()); n != 1 {
				t.Fatalf("%d checks for one line", n)
			}
			g.prints("echo $?", m.status)
			g.hasFiles("")
			if m.after != "" {
				g.prints(m.after, map[bool]string{true: "0x"}[strings.Contains(m.after, "x")])
			}
			// 16: the shell goes on.
			g.prints("echo ok", "ok")
		})
	}
	g.t = t
}

func TestAllowed(t *testing.T) {
	g := start(t, setup{})
	t.Run("2 simple allow", func(t *testing.T) {
		g.t = t
		g.d.Forget()
		g.prints("touch a", "")
		g.hasFiles("a")
		g.checked("touch a")
		req := g.d.Requests("check")[0]
		for _, kv := range [][2]string{{"cwd", g.dir}, {"shell", "zsh"}, {"via", "preexec"}, {"home", strings.TrimSuffix(g.dir, "/work")}} {
			if have := req.Get(kv[0]); have != kv[1] {
				t.Errorf("%s: have %q, want %q", kv[0], have, kv[1])
			}
		}
	})
	for _, c := range []struct{ name, first, second, want string }{
		{"17 status kept", "false", "echo $?", "1"},
		{"17 status kept of a function", "f() { return 7; }; f", "echo $?", "7"},
		{"18 last argument kept", "echo a b", "echo $_", "b"},
		{"19 pipestatus kept", "true | false | (exit 7)", "echo $pipestatus", "0 1 7"},
		{"19 match kept", "[[ foobar =~ o(b)a ]]", "echo $match[1]", "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g.t = t
			g.Run(c.first)
			g.prints(c.second, c.want)
		})
	}
	t.Run("20 last job kept", func(t *testing.T) {
		g.t = t
		g.Run("sleep 1 & p=$!")
		g.prints("[[ $! == $p ]] && echo same", "same")
		g.prints("jobs | wc -l", "1")
		g.Run("wait")
		g.prints("jobs", "")
	})
}

func TestNoExtraJobs(t *testing.T) {
	g := start(t, setup{})
	g.prints("jobs", "")
	g.prints("echo $!", "0")
	g.prints("wait", "")
}
