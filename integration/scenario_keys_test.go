package integration

import (
	"strings"
	"testing"
	"time"
)

// Scenarios 33 and 34: more than one line at once. What follows a refused line is
// thrown away with it.
func TestScenarioPaste(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		a := scenes(t, "").anAgents(shell)
		refused := func(x string) bool { return strings.Contains(x, "blocked") && atPrompt(x) }
		a.scenario("33 bracketed paste", func(*testing.T) {
			a.cut()
			m := a.mark()
			a.paste("touch a\ntouch b BLOCK\ntouch c")
			a.wait(m, "the refusal", refused)
			time.Sleep(500 * time.Millisecond)
			// One line after the other in bash, one of three in zsh.
			a.hasFiles(of(shell, "a", ""))
			for _, d := range a.since() {
				if d.Line == "touch c" && d.Verdict != "block" {
					a.s.t.Errorf("the third line: %+v", d)
				}
			}
		})
		a.scenario("34 raw typeahead", func(*testing.T) {
			m := a.mark()
			a.keys("sleep 0.3; touch a\ntouch b BLOCK\ntouch c\n")
			a.wait(m, "the refusal", refused)
			time.Sleep(500 * time.Millisecond)
			a.run("touch ok")
			a.hasFiles("a ok")
		})
		a.scenario("33 a paste that is allowed", func(*testing.T) {
			m := a.mark()
			a.paste("touch a\ntouch b\ntouch c")
			a.wait(m, "the files", func(x string) bool { return len(a.s.files()) == 3 && atPrompt(x) })
			a.hasFiles("a b c")
		})
		a.scenario("39 C-j and C-o", func(t *testing.T) {
			for _, key := range []string{"C-j", "C-o"} {
				m := a.mark()
				a.keys("touch a BLOCK")
				a.key(key)
				a.waitFor(m, "extdir: blocked: ")
				a.key("C-u")
				pause()
			}
			a.hasFiles("")
		})
	})
}

// Scenarios 43 and 44: keys that signal while a question waits. Nothing runs
// without an answer, the shell is back, and no stopped job is left.
func TestScenarioKeysInQuestion(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		s := scenes(t, "")
		s.config(strings.Replace(rules, `"wait": "3s"`, `"wait": "20s"`, 1))
		for _, who := range []string{"an agent's", "a person's"} {
			t.Run(who, func(t *testing.T) {
				s.t = t
				a, question := s.anAgents, "approve"
				if who == "a person's" {
					a, question = s.aPersons, asks
				}
				act := a(shell)
				for _, k := range []struct{ name, key string }{
					{"43 Ctrl-C", "C-c"}, {"43 Ctrl-C in haste", "C-c C-c C-c"}, {"44 Ctrl-Z", "C-z"}, {`44 Ctrl-\`, `C-\`},
				} {
					act.scenario(k.name, func(*testing.T) {
						m := act.line("touch ASK")
						act.waitFor(m, question)
						settle()
						for _, key := range strings.Fields(k.key) {
							act.key(key)
						}
						time.Sleep(300 * time.Millisecond)
						act.hasFiles("")
						if !atPrompt(act.textAfter(m)) { // the key says nothing: the question stands
							act.cancel(m)
						}
						pause()
						act.hasFiles("")
						act.prints("jobs", "")
						act.run("touch ok")
						act.hasFiles("ok")
						act.s.until("the question to be closed", func() bool {
							out, err := s.extdird("pending", "--json")
							return err == nil && !strings.Contains(out, "ASK")
						})
						act.prints("stty -a | grep -c -w -e -echo -e -isig", "0")
					})
				}
			})
		}
	})
}

// Scenario 43: Ctrl-C at any moment of a refusal. It must not save the line.
func TestScenarioInterruptedRefusal(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		interrupt(t, scenes(t, "").anAgents(shell))
	})
}

// interrupt refuses a line again and again, with Ctrl-C a little later each time.
func interrupt(t *testing.T, a *act) {
	t.Helper()
	a.s.config(strings.Replace(rules, `"wait": "3s"`, `"burst": "run"`, 1))
	for i := range 60 {
		m := a.line("touch a BLOCK")
		time.Sleep(time.Duration(i) * 300 * time.Microsecond)
		a.key("C-c")
		// A late one finds the shell before its prompt or its editor, where it is taken
		// note of with the next key.
		a.wait(m, "the prompt", func(x string) bool { return atPromptAgain(x) || strings.HasSuffix(x, "^C") })
		m = a.mark()
		a.enter()
		a.wait(m, "the next prompt", func(x string) bool { return strings.HasSuffix(x, prompt) })
		a.hasFiles("")
		if t.Failed() {
			return
		}
	}
}
