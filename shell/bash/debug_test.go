package bash

import (
	"strings"
	"testing"

	"extdir/integration/term"
)

// debugHoles are forms that begin with something the DEBUG trap does not fire
// for. They are known and documented; should a test here fail, the
// documentation is out of date.
var debugHoles = map[string]bool{"5 subshell first": true, "11 define": true, "13 coproc": true}

func TestDebugForms(t *testing.T) {
	for _, m := range matrix {
		t.Run(m.name, func(t *testing.T) {
			g := start(t, setup{via: "debug"})
			if debugHoles[m.name] {
				if out := g.Run(m.line); m.name != "13 coproc" && strings.Contains(out, "blocked") {
					t.Fatalf("seen after all: %q", out)
				}
				return
			}
			g.blocks(m.line)
			g.prints("echo $?", "130")
			g.hasFiles("")
			if m.after != "" && m.name != "10 define and call" {
				g.prints(m.after, "")
			}
			g.prints("echo ok", "ok")
		})
	}
}

func TestDebug(t *testing.T) {
	t.Run("2 simple allow, one check", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		g.prints("touch a; touch b | cat; for i in 1 2; do touch c$i; done", "")
		g.hasFiles("a b c1 c2")
		g.checked("touch a; touch b | cat; for i in 1 2; do touch c$i; done")
	})
	t.Run("17-19 what the shell remembers", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		g.Run("false")
		g.prints("echo $?", "1")
		g.Run("echo a b")
		g.prints("echo $_", "b")
		g.Run("true | false | (exit 7)")
		g.prints("echo ${PIPESTATUS[@]}", "0 1 7")
		g.Run("[[ foobar =~ o(b)a ]]")
		g.prints("echo ${BASH_REMATCH[1]}", "b")
	})
	t.Run("20 jobs", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		g.Run("sleep 1 & p=$!")
		g.prints("[[ $! == $p ]] && echo same", "same")
		g.prints("jobs | wc -l", "1")
		g.Run("wait")
	})
	t.Run("ignorespace and ignoredups", func(t *testing.T) {
		g := start(t, setup{via: "debug", rc: "HISTCONTROL=ignoreboth"})
		g.Lines(" touch a", "touch b", "touch b")
		g.checked(" touch a", "touch b", "touch b")
		g.prints(" echo $HISTCONTROL", "ignoreboth")
		if out := g.Run("history"); strings.Contains(out, "touch a") || strings.Count(out, "touch b") != 1 {
			t.Fatalf("history: %q", out)
		}
	})
	t.Run("26 history off", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		g.Run("set +o history")
		g.blocks("touch a")
		g.hasFiles("")
	})
	t.Run("34 typed ahead", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		m := g.Mark()
		g.Type("sleep 0.3; touch a\rtouch b BLOCK\rtouch c\r")
		g.WaitUntil(m, "a refusal", func(s string) bool { return strings.Contains(s, "blocked") && strings.HasSuffix(s, term.Prompt) })
		g.prints("echo ok", "ok")
		g.hasFiles("a")
	})
	t.Run("36 history expansion", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		g.Run("echo BLO")
		g.blocks("!!CK")
	})
	t.Run("40 no command, no check", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		g.Lines("", "   ", "# comment", ")")
		g.checked()
	})
	t.Run("42 completion and bind -x", func(t *testing.T) {
		g := start(t, setup{via: "debug", rc: `
			comp() { touch x; COMPREPLY=(done); }; complete -F comp cmd
			bind -x '"\C-t": touch y'
		`, after: "PROMPT_COMMAND+=('touch p')"})
		g.d.Forget()
		m := g.Mark()
		g.Type("cmd \t")
		g.WaitText(m, "cmd done")
		g.Type("\x15\x14")
		g.Run("true")
		g.checked("true")
		g.hasFiles("p x y")
	})
	t.Run("43 Ctrl-C in the check", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		m := g.Mark()
		g.Type("touch a SLEEP\r")
		g.waitCheck()
		g.Type("\x03")
		g.WaitPromptAfter(m)
		g.hasFiles("")
		g.prints("echo ok", "ok")
	})
	t.Run("60 daemon down and back", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		g.d.Stop()
		g.blocks("touch a")
		g.hasFiles("")
		g.d.Start()
		g.Run("touch b")
		g.hasFiles("b")
	})
	t.Run("need", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		g.d.SetNeeds("var:x")
		g.Run("x=BLO; x=${x}CK")
		g.blocks("touch a; echo NEED")
		g.Run("x=1")
		g.Run("touch b; : NEED")
		g.hasFiles("b")
	})
	t.Run("a DEBUG trap that was there", func(t *testing.T) {
		g := start(t, setup{via: "debug", rc: "trap 'touch dbg' DEBUG"})
		g.blocks("touch a BLOCK")
		g.Run("rm dbg")
		g.Run("touch b")
		g.hasFiles("b dbg")
	})
	t.Run("hole: the user's INT trap", func(t *testing.T) {
		g := start(t, setup{via: "debug"})
		g.Run("trap 'true' INT")
		if out := g.Run("touch a BLOCK"); !strings.Contains(out, "blocked") {
			t.Fatalf("%q", out)
		}
		g.hasFiles("BLOCK a")
	})
}
