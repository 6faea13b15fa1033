package integration

import (
	"slices"
	"strings"
	"testing"
)

type form struct{ name, line, after, zsh string }

// forms are the forms a line can have. None may leave a trace when it is refused:
// no file, no variable, no function, no job. zsh is the status there; bash's is 130.
var forms = []form{
	{"1 simple-block", "touch a BLOCK", "", "126"},
	{"3 list", "touch a; touch BLOCK; touch b", "", "126"},
	{"4 pipe-andor", "touch a | cat BLOCK && touch b || touch c", "", "126"},
	{"5 subshell-first", "( touch a; : <BLOCK )", "", "126"},
	{"6 late-subshell", "touch a; (touch b; : <BLOCK)", "", "126"},
	{"7 group", "{ touch a; : <BLOCK; }", "", "126"},
	{"8 for", "for i in a b; do touch $i BLOCK; done", "", "126"},
	{"9 while-no-hang", "while touch w BLOCK; do break; done", "", "126"},
	{"10 fn-define-call", "f() { touch BLOCK; }; f", "typeset -f f", "1"},
	{"11 fn-define and more", "g() { :; }; : <BLOCK", "typeset -f g", "1"},
	{"12 background", "touch a BLOCK &", "jobs", "0"},
	{"13 coproc", "coproc { touch a BLOCK; }", "jobs", "0"},
	{"14 cmdsubst", "echo $(touch a BLOCK)", "", "126"},
	{"15 assign", "x=$(cat BLOCK)", `echo "$x"`, "1"},
	{"15 dbl", "[[ BLOCK == $(touch d BLOCK) ]]", "", "1"},
	{"15 arith", "((y=5, $(cat BLOCK)))", `echo "$y"`, "1"},
	{"15 case", "case x in *) touch a BLOCK;; esac", "", "126"},
	{"15 exec", "exec touch BLOCK", "", "126"},
	{"redirection alone", "> aBLOCK", "", "126"},
	{"time", "time touch aBLOCK", "", "126"},
	{"not", "! touch aBLOCK", "", "126"},
	{"command word", "touch a; blockme", "", "126"},
}

var zshForms = []form{
	{"always", "{ touch aBLOCK } always { touch b }", "", "126"},
	{"repeat", "repeat 2 touch aBLOCK", "", "126"},
	{"anonymous function", "() { touch aBLOCK }", "", "1"},
}

// Scenarios 1 to 21: nothing of a refused line runs, and an allowed one leaves the
// shell as it would be without a guard.
func TestScenarioForms(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		s := scenes(t, "")
		a := s.anAgents(shell)
		bash := shell == "bash"
		a.scenario("21 no-extra-jobs", func(*testing.T) {
			a.prints("jobs", "")
			a.prints("echo $!", map[bool]string{false: "0"}[bash])
			a.prints("wait", "")
		})
		all := forms
		if !bash {
			all = slices.Concat(forms, zshForms)
		}
		for _, f := range all {
			a.scenario(f.name, func(t *testing.T) {
				a.blocks(f.line)
				a.prints("echo $?", map[bool]string{true: "130", false: f.zsh}[bash])
				a.hasFiles("")
				if f.after != "" {
					a.prints(f.after, "")
				}
				a.run("touch ok")
				a.hasFiles("ok") // 16 recover
			})
		}
		// A definition touches nothing: the daemon lets it pass, and refuses what
		// calls it, from the text of the function that it asks the shell for.
		a.scenario("11 fn-define", func(*testing.T) {
			a.prints("g() { touch BLOCK; }", "")
			a.blocks("touch a; g")
		})
		a.scenario("2 simple-allow", func(*testing.T) {
			a.cut()
			a.prints("touch a", "")
			a.hasFiles("a")
			a.judged("touch a")
		})
		a.scenario("3 one check for a list", func(t *testing.T) {
			a.cut()
			a.blocks("touch a; touch BLOCK; touch b")
			d := a.since()
			if len(d) != 1 || d[0].Verdict != "block" || d[0].Driver != "agent" {
				t.Errorf("the log has %+v", d)
			}
			has(t, d[0].Text, "extdir: blocked: ", "BLOCK", `"*BLOCK*"`, "config.json:")
		})
		for _, k := range []struct{ name, first, bash, zsh, want string }{
			{"17 status-kept", "false", "echo $?", "", "1"},
			{"17 status-kept of a function", "f7() { return 7; }; f7", "echo $?", "", "7"},
			{"18 lastarg-kept", "echo a b", "echo $_", "", "b"},
			{"19 pipestatus", "true | false | (exit 7)", "echo ${PIPESTATUS[@]}", "echo $pipestatus", "0 1 7"},
			{"19 rematch", "[[ foobar =~ o(b)a ]]", "echo ${BASH_REMATCH[1]}", "echo $match[1]", "b"},
		} {
			a.scenario(k.name, func(*testing.T) {
				a.run(k.first)
				second := k.bash
				if !bash && k.zsh != "" {
					second = k.zsh
				}
				a.prints(second, k.want)
			})
		}
		a.scenario("20 bang-jobs-wait", func(*testing.T) {
			a.run("sleep 4 & p=$!")
			a.prints("[[ $! == $p ]] && echo same", "same")
			a.prints("jobs | wc -l", "1")
			a.run("wait")
			a.prints("jobs", "")
		})
		a.scenario("50 IFS=0123456789", func(*testing.T) {
			a.run("IFS=0123456789")
			a.blocks("touch a BLOCK")
			a.run("touch b")
			a.hasFiles("b")
			a.run("unset IFS")
		})
		a.scenario("48 set -e", func(*testing.T) {
			a.run("set -e")
			a.blocks("touch a BLOCK")
			a.prints("echo alive", "alive")
			a.run("set +e")
		})
		a.scenario("35 tmux send-keys", func(t *testing.T) {
			a.run("clear")
			a.s.tmux("send-keys", "-t", a.id, "touch a BLOCK", "Enter")
			a.s.until("the refusal in the pane", func() bool {
				return strings.Contains(a.s.tmux("capture-pane", "-p", "-t", a.id), "extdir: blocked: touch a BLOCK: ")
			})
			pause()
			a.hasFiles("")
		})
	})
}
