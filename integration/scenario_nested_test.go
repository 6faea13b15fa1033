package integration

import (
	"os"
	"strings"
	"testing"
)

// Scenario 71: a shell started in the guarded one is guarded as well, in the same
// session.
func TestScenarioNested(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		s := scenes(t, "")
		s.write(s.home+"/.bash_profile", "PS1='"+prompt+"'\n") // doesn't read .bashrc
		for _, k := range []struct{ start, shell string }{
			{"bash", "bash"},
			{"zsh", "zsh"},
			{"exec bash", "bash"},
			{"exec zsh", "zsh"},
			{"env A=b bash", "bash"},
			{"sh -c bash", "bash"},
			{"bash -l", "bash"},
			{"zsh -l", "zsh"},
		} {
			a := s.anAgents(shell)
			a.scenario("71 "+k.start, func(t *testing.T) {
				a.cut()
				a.run(k.start)
				a.blocks("touch a BLOCK")
				a.run("touch b")
				a.hasFiles("b")
				a.blocks("( touch c; : <BLOCK )")
				a.prints("echo $0 | grep -c "+k.shell, "1")
				all := a.since()
				for _, d := range all {
					if d.Session != all[0].Session || d.Driver != "agent" {
						t.Errorf("%q is judged in session %s of %s, the first line in %s", d.Line, d.Session, d.Driver, all[0].Session)
					}
				}
			})
			a.line("exit")
		}
	})
}

// Scenario 67: a shell without a terminal, that reads its lines from a file.
func TestScenarioWithoutTerminal(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		s := scenes(t, "")
		a := s.anAgents(shell)
		a.scenario("67 no tty", func(t *testing.T) {
			s.write(s.project+"/lines", "touch a\ntouch b BLOCK\nsleep 0.5\ntouch c\n")
			a.run("setsid -w " + shell + " -i <lines >out 2>err")
			b, err := os.ReadFile(s.project + "/err")
			if err != nil {
				t.Fatal(err)
			}
			has(t, string(b), "extdir: blocked: touch b BLOCK: ")
			if have := strings.Join(s.files(), " "); strings.Contains(have, "b") || strings.Contains(have, "BLOCK") {
				t.Errorf("the refused line ran: %s", have)
			}
			t.Logf("files: %v; errors:\n%s", s.files(), b)
		})
	})
}
