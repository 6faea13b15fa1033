package integration

import (
	"strings"
	"testing"
)

// tampering are lines that would take the guard out or blind it: refused in an
// agent's session, asked about in a person's. answered is what a person who says
// yes gets from the next lines: "guarded" (they are judged as ever), "refused"
// (the shell can't show them to the daemon any more) or "" (not tried).
var tampering = []struct{ name, bash, zsh, answered string }{
	{"26 set +o history", "set +o history", "", "refused"},
	{"27 HISTSIZE=0", "HISTSIZE=0", "", "refused"},
	{"23 HISTCONTROL", "HISTCONTROL=ignorespace", "", "guarded"},
	{"25 HISTIGNORE", "HISTIGNORE='touch*'", "", "guarded"},
	{"37 builtin fc -s", "builtin fc -s BLO=BLOCK", "builtin fc -e - BLO=BLOCK", ""},
	{"45 INT ignored", "trap '' INT", "trap '' INT", "guarded"},
	{"46 INT trapped", "trap 'echo I' INT", "trap 'echo I' INT", "guarded"},
	{"46 TRAPINT", "", "TRAPINT() { echo I }", "guarded"},
	{"51 DEBUG trap", "trap ': dbg' DEBUG", "trap ': dbg' DEBUG", "guarded"},
	{"57 PS0=", "PS0=", "", "guarded"},
	{"57 promptvars", "shopt -u promptvars", "", "guarded"},
	{"57 PROMPT_COMMAND=", "PROMPT_COMMAND=", "", "guarded"},
	{"57 preexec_functions", "", "preexec_functions=()", "guarded"},
	{"57 precmd_functions", "", "precmd_functions=()", "guarded"},
	{"59 a variable", "unset extdir_blocked", "unset _extdir_socket", "guarded"},
	{"59 another", "__extdir_hook=/bin/true", "_extdir_hook=(/bin/true)", "guarded"},
	{"59 a function", "unset -f __extdir_check", "unfunction _extdir_judge", ""},
	{"59 a function of one's own", "__extdir_check() { :; }", "_extdir_judge() { :; }", ""},
	{"HOME", "export HOME=/tmp", "export HOME=/tmp", ""},
	{"BASH_ENV and ZDOTDIR", "export BASH_ENV=/dev/null", "export ZDOTDIR=/tmp", ""},
	{"killing the daemon", "pkill -0 extdird", "killall -0 extdird", ""},
}

func of(shell, bash, zsh string) string {
	if shell == "bash" {
		return bash
	}
	return zsh
}

// An agent is refused, whatever it tries, and the shell stays as it was.
func TestScenarioAgentTampers(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		a := scenes(t, "").anAgents(shell)
		for _, k := range tampering {
			line := of(shell, k.bash, k.zsh)
			if line == "" {
				continue
			}
			a.scenario(k.name, func(*testing.T) {
				a.run("touch BLO")
				a.blocks(line)
				a.blocks("touch a BLOCK")
				a.run("touch b")
				a.hasFiles("BLO b")
			})
		}
		// The guard's own fc and r refuse by themselves, so that the daemon, which is
		// told what they do, has nothing against them.
		for _, l := range []string{"fc -s BLO=BLOCK", "fc -e true", "r BLO=BLOCK"} {
			if shell == "bash" && strings.HasPrefix(l, "r ") {
				continue
			}
			a.scenario("37 "+l, func(t *testing.T) {
				a.run("touch BLO")
				has(t, a.run(l), "runs what the guard does not see")
				a.hasFiles("BLO")
			})
		}
		a.scenario("37 an fc of one's own", func(t *testing.T) {
			a.run(`fc() { builtin fc "$@"; }`) // readonly in bash
			a.run("touch BLO")
			hasNot(t, a.run(of(shell, "fc -s BLO=BLOCK", "fc -e - BLO=BLOCK")), "run it?")
			a.hasFiles("BLO")
		})
		a.scenario("37 fc -l", func(t *testing.T) {
			has(t, a.run("fc -l"), "touch b")
		})
		a.scenario("other traps are nobody's business", func(t *testing.T) {
			a.prints("trap 'echo z' USR1", "")
			has(t, a.run("kill -USR1 $$; true"), "z")
		})
		a.scenario("58 in one paste", func(*testing.T) {
			m := a.mark()
			a.paste(of(shell, "PS0=", "preexec_functions=()") + "\ntouch a\ntouch BLOCK")
			a.wait(m, "the refusal", func(x string) bool { return strings.Contains(x, "blocked") && atPrompt(x) })
			pause()
			a.run("touch ok")
			a.hasFiles("ok")
		})
	})
}

// A person is asked, never more than asked, and what was said yes to doesn't let
// the next lines by.
func TestScenarioPersonTampers(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		s := scenes(t, "")
		a := s.aPersons(shell)
		for _, k := range tampering {
			line := of(shell, k.bash, k.zsh)
			if line == "" {
				continue
			}
			a.scenario(k.name, func(t *testing.T) {
				switch k.answered {
				case "guarded":
					a.asked(line, "y")
					a.blocks("touch a BLOCK")
					a.run("touch b")
					a.hasFiles("b")
				case "refused":
					// Nothing can be judged, so nothing runs; the person starts another shell.
					last := s.aPersons(shell)
					last.asked(line, "y")
					has(t, last.blocks("touch a"), "history")
					has(t, last.blocks("touch a"), "new shell")
				default:
					a.asked(line, "n")
					a.blocks("touch a BLOCK")
				}
			})
		}
	})
}

// A shell without a guard: a person is asked, in either session.
func TestScenarioUnguardedShell(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		s := scenes(t, "")
		robot, person := s.anAgents(shell), s.aPersons(shell)
		for _, l := range []string{"bash --norc", "bash --posix", "bash -p", "zsh -f", "env -i bash", "env -u BASH_ENV bash", "sh", "exec dash -i"} {
			robot.scenario("71 "+l, func(t *testing.T) {
				has(t, robot.run(l), "waiting for a person")
				has(t, person.asked(l, "n"), "extdir: ")
			})
		}
		has(t, person.asked("sh -c 'touch ASK'", "n"), "extdir: ")
		person.prints("sh -c 'echo judged by its text'", "judged by its text")
	})
}

// Scenarios 45 and 46: INT ignored or trapped by the start files, where a refusal
// can't be a signal; the user's trap stays as it was.
func TestScenarioTraps(t *testing.T) {
	t.Parallel()
	traps := []struct{ name, shell, trap, see string }{
		{"45 INT ignored", "bash", "trap '' INT", "trap -- '' SIGINT"},
		{"46 INT trapped", "bash", "trap 'echo I' INT", "trap -- 'echo I' SIGINT"},
		{"45 INT ignored", "zsh", "trap '' INT", "trap -- '' INT"},
		{"46 INT trapped", "zsh", "trap 'echo I' INT", "trap -- 'echo I' INT"},
		{"46 TRAPINT", "zsh", "TRAPINT() { echo I }", "TRAPINT () {"},
	}
	for _, k := range traps {
		t.Run(k.shell+" "+k.name, func(t *testing.T) {
			t.Parallel()
			a := trapped(t, k.shell, k.trap).anAgents(k.shell)
			for _, f := range forms[:9] {
				a.scenario(f.name, func(*testing.T) {
					a.blocks(f.line)
					a.prints("echo $?", of(k.shell, "2", f.zsh))
				})
			}
			has(t, a.run("trap"), k.see)
			a.run("touch ok")
			a.hasFiles("ok")
		})
	}
}

// Scenario 47: started with INT ignored, which a shell can't undo.
func TestScenarioStartedWithoutInt(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		s.guardEveryShell()
		s.config(rules)
		p := &act{pane: s.pane(), shell: shell}
		p.run(`exec sh -c "trap '' INT; exec ` + shell + ` -i"`)
		p.blocks("touch a BLOCK")
		p.run("touch b")
		p.hasFiles("b")

		// The same below an agent's shell, out of a script that no line shows.
		s.sweep()
		s.write(s.project+"/start", "trap '' INT; exec "+shell+" -i\n")
		a := s.anAgents(shell)
		a.run("sh ./start")
		a.blocks("touch a BLOCK")
		a.run("touch b")
		a.hasFiles("b start")
	})
}

// trapped is a stage whose start file of one shell sets a trap.
func trapped(t *testing.T, shell, trap string) *stage {
	t.Helper()
	s := scenes(t, "")
	s.add(s.home+"/."+shell+"rc", trap)
	return s
}
