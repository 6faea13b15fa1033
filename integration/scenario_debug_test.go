package integration

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestScenarioDebugInterruptedRefusal(t *testing.T) {
	t.Parallel()
	interrupt(t, throughDebug(t))
}

// throughDebug opens a terminal of a person's whose .bashrc guards bash by a DEBUG
// trap: it is watched, and what a rule denies is refused.
func throughDebug(t *testing.T) *act {
	t.Helper()
	s := newStage(t)
	s.config(rules)
	s.write(s.home+"/.bashrc", "PS1='"+prompt+"'\neval \"$("+extdird()+" --dir "+s.dir+" init bash --via debug)\"\n")
	return &act{pane: s.paneOf("bash", "-i"), shell: "bash"}
}

// debugHoles are forms that begin with what a DEBUG trap doesn't fire for: they run
// (below), as shell/bash/README.md says.
var debugHoles = map[string]bool{"5 subshell-first": true, "13 coproc": true}

// The scenarios that the DEBUG way must hold, and its holes.
func TestScenarioDebugTrap(t *testing.T) {
	t.Parallel()
	a := throughDebug(t)
	s := a.s
	a.scenario("21 no-extra-jobs", func(*testing.T) {
		a.prints("jobs; wait; jobs", "")
	})
	for _, f := range forms {
		if debugHoles[f.name] {
			continue
		}
		a.scenario(f.name, func(*testing.T) {
			a.blocks(f.line)
			a.prints("echo $?", "130")
			a.hasFiles("")
			// A definition isn't a command that the trap fires for: it stays.
			if f.after != "" && !strings.Contains(f.after, "typeset") {
				a.prints(f.after, "")
			}
			a.run("touch ok")
			a.hasFiles("ok") // 16 recover
		})
	}
	a.scenario("11 hole: a definition stays", func(t *testing.T) {
		hasNot(t, a.run("h() { touch BLOCK; }"), "blocked")
		a.blocks("h")
	})
	a.scenario("2 simple-allow", func(*testing.T) {
		a.cut()
		const line = "touch a; touch b | cat; for i in 1 2; do touch c$i; done"
		a.prints(line, "")
		a.hasFiles("a b c1 c2")
		a.judged(line)
	})
	for _, k := range []struct{ name, first, second, want string }{
		{"17 status-kept", "false", "echo $?", "1"},
		{"18 lastarg-kept", "echo a b", "echo $_", "b"},
		{"19 pipestatus", "true | false | (exit 7)", "echo ${PIPESTATUS[@]}", "0 1 7"},
		{"19 rematch", "[[ foobar =~ o(b)a ]]", "echo ${BASH_REMATCH[1]}", "b"},
	} {
		a.scenario(k.name, func(*testing.T) {
			a.run(k.first)
			a.prints(k.second, k.want)
		})
	}
	a.scenario("20 bang-jobs-wait", func(*testing.T) {
		a.run("sleep 4 & p=$!")
		a.prints("[[ $! == $p ]] && echo same", "same")
		a.prints("jobs | wc -l", "1")
		a.run("wait")
		a.prints("jobs", "")
	})
	a.scenario("34 raw typeahead", func(*testing.T) {
		m := a.mark()
		a.keys("sleep 0.3; touch a\ntouch b BLOCK\ntouch c\n")
		a.wait(m, "the refusal", func(x string) bool { return strings.Contains(x, "blocked") && atPrompt(x) })
		time.Sleep(500 * time.Millisecond)
		a.run("touch ok")
		a.hasFiles("a ok")
	})
	a.scenario("35 tmux send-keys", func(*testing.T) {
		a.run("clear")
		s.tmux("send-keys", "-t", a.id, "touch a BLOCK", "Enter")
		s.until("the refusal in the pane", func() bool {
			return strings.Contains(s.tmux("capture-pane", "-p", "-t", a.id), "extdir: blocked: touch a BLOCK: ")
		})
		pause()
		a.hasFiles("")
	})
	a.scenario("36 history expansion", func(*testing.T) {
		a.run("touch BLO")
		a.blocks("!!CK")
	})
	a.scenario("40 no command, no check", func(t *testing.T) {
		a.cut()
		for _, l := range []string{"", "   ", "# comment", ")"} {
			hasNot(t, a.run(l), "extdir:")
		}
		a.judged()
	})
	a.scenario("43 Ctrl-C while the daemon is silent", func(*testing.T) {
		pid := s.daemonPid()
		syscall.Kill(pid, syscall.SIGSTOP)
		defer syscall.Kill(pid, syscall.SIGCONT)
		m := a.line("touch a")
		time.Sleep(100 * time.Millisecond)
		a.key("C-c")
		a.wait(m, "the prompt", atPromptAgain)
		syscall.Kill(pid, syscall.SIGCONT)
		pause()
		a.hasFiles("")
		a.run("touch b")
		a.hasFiles("b")
	})
	a.scenario("60 killed and hung", func(t *testing.T) {
		s.killDaemon()
		a.run("touch a")
		a.hasFiles("a") // started again by the line itself
		a.s.sweep()
		pid := s.daemonPid()
		syscall.Kill(pid, syscall.SIGSTOP)
		defer syscall.Kill(pid, syscall.SIGCONT)
		for i := range 3 {
			if d := a.took("touch b"); d > 1600*time.Millisecond || i > 0 && d > 700*time.Millisecond {
				t.Errorf("line %d took %v", i, d)
			}
		}
		syscall.Kill(pid, syscall.SIGCONT)
		a.run("touch c")
		a.hasFiles("c")
		a.blocks("touch d BLOCK")
	})
	a.scenario("hole: a subshell that begins the line", func(t *testing.T) {
		hasNot(t, a.run("( touch a BLOCK )"), "blocked")
		a.hasFiles("BLOCK a")
	})
	a.scenario("hole: a coproc that begins the line", func(t *testing.T) {
		a.run("coproc { touch a BLOCK; }")
		s.until("the files", func() bool { return len(s.files()) == 2 })
		pause()
	})
	a.scenario("hole: the user's INT trap", func(t *testing.T) {
		a.run("trap 'true' INT")
		has(t, a.run("touch a BLOCK"), "blocked") // said, and run all the same
		a.hasFiles("BLOCK a")
	})
}
