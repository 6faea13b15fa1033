package integration

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

var shells = []string{"bash", "zsh"}

// inEachShell runs a test in both shells.
func inEachShell(t *testing.T, f func(t *testing.T, shell string)) {
	for _, sh := range shells {
		t.Run(sh, func(t *testing.T) { f(t, sh) })
	}
}

const asks = "run it?" // what a question on a terminal ends with

var waiting = regexp.MustCompile(`extdird? (?:--dir \S+ )?approve (?:--dir \S+ )?(?:--dir=\S+ )?([0-9a-f]{3,})`)

// waitingID waits for the line that says where to answer, and returns the id.
func (p *pane) waitingID(mark int) string {
	p.s.t.Helper()
	text := p.wait(mark, "an id to answer to", waiting.MatchString)
	return waiting.FindStringSubmatch(text)[1]
}

// settle waits until a key counts as an answer: faster ones are thrown away.
func settle() { time.Sleep(700 * time.Millisecond) }

// answer waits for the question on a person's own terminal and answers it.
func (p *pane) answer(mark int, key string) string {
	p.s.t.Helper()
	p.waitFor(mark, asks)
	settle()
	after := p.mark()
	p.keys(key)
	defer pause()
	text := p.wait(after, "the prompt after the answer", atPrompt)
	if strings.Contains(text, "answered elsewhere") {
		p.s.t.Errorf("the answer came too late: %s", text)
	}
	return text
}

func has(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in:\n%s", w, text)
		}
	}
}

func hasNot(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if strings.Contains(text, w) {
			t.Errorf("%q must not be in:\n%s", w, text)
		}
	}
}

// The first two minutes of a person with extdir.
func TestPersonIsAsked(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		p := s.guarded("--shell", shell)
		if out := p.run("cat in.txt"); out != "the-inside\n" {
			t.Errorf("a line inside printed %q", out)
		}
		secret := "cat " + s.outside + "/secret.txt"

		m := p.line(secret)
		text := p.answer(m, "n")
		hasNot(t, text, "the-secret")
		has(t, p.textAfter(m), s.outside+"/secret.txt", "read")

		m = p.line(secret)
		has(t, p.answer(m, "y"), "the-secret")

		m = p.line(secret) // once was once
		has(t, p.answer(m, "s"), "the-secret")

		has(t, p.run(secret), "the-secret") // for the session
		m = p.line("cat " + s.outside + "/other.txt")
		hasNot(t, p.answer(m, "n"), "the-other")
	})
}

// Scenario 69: what was typed ahead is no answer.
func TestTypedAheadYes(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		p := s.guarded("--shell", shell)
		m := p.mark()
		p.keys("cat " + s.outside + "/secret.txt\ny\ny")
		p.waitFor(m, asks)
		settle()
		hasNot(t, p.textAfter(m), "the-secret")
		p.cancel(m)
		hasNot(t, p.textAfter(m), "the-secret")
		has(t, p.run("echo alive"), "alive")
	})
}

// A question of an agent is answered in another terminal, and nowhere near the agent.
func TestAgentIsAskedElsewhere(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		agent := s.guarded("--agent", "robot", "--shell", shell)
		person := s.pane()
		secret := "cat " + s.outside + "/secret.txt"

		m := agent.line(secret)
		id := agent.waitingID(m)
		has(t, person.run("extdird --dir "+s.dir+" pending"), id, s.outside+"/secret.txt", "robot")
		person.run("extdird --dir " + s.dir + " approve " + id)
		has(t, agent.wait(m, "the file", func(x string) bool { return strings.Contains(x, "the-secret") && atPrompt(x) }), "the-secret")
		has(t, agent.run(secret), "the-secret") // approve without flags is for the session

		m = agent.line("cat " + s.outside + "/other.txt")
		id = agent.waitingID(m)
		person.run("extdird --dir " + s.dir + " deny " + id + " --reason 'use the copy in src'")
		text := agent.wait(m, "the refusal", func(x string) bool { return strings.Contains(x, "blocked") && atPrompt(x) })
		has(t, text, "use the copy in src")
		hasNot(t, text, "the-other")
	})
}

// Scenario 70: an agent does not answer its own question, by whatever way it would find by itself.
func TestAgentCannotAnswerItself(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		agent := s.guarded("--agent", "robot", "--shell", shell)
		other := "cat " + s.outside + "/other.txt"

		// Typed: the line itself is refused.
		m := agent.line(other)
		id := agent.waitingID(m)
		agent.cancel(m)
		has(t, agent.run("extdird --dir "+s.dir+" approve "+id), "blocked")

		// From a program of the agent's, where no line shows it: the daemon refuses
		// the peer. The question is open all the while.
		forms := []string{
			"extdird --dir DIR approve ID",
			"setsid extdird --dir DIR approve ID",
			"setsid -w extdird --dir DIR approve ID",
			"env -i PATH=$PATH HOME=$HOME extdird --dir DIR approve ID",
			"script -qec 'extdird --dir DIR approve ID' /dev/null",
			"( ( setsid env -i PATH=$PATH HOME=$HOME script -qec 'extdird --dir DIR approve ID' /dev/null ) & ); sleep 1",
			"tmux -S ./mux -f /dev/null new-session -d 'extdird --dir DIR approve ID >>said 2>&1; sleep 1'; sleep 2",
		}
		script := "until [ -s id ]; do sleep 0.05; done\n"
		for _, f := range forms {
			script += strings.NewReplacer("DIR", s.dir, "ID", `'$(cat id)'`).Replace("echo \"== form\" >>said; eval '{ " + strings.ReplaceAll(f, "'", `'"'"'`) + "; } >>said 2>&1 </dev/null'\n")
		}
		s.write(s.project+"/innocent.sh", script+"tmux -S ./mux kill-server\necho all done >>said\n")
		agent.run("sh ./innocent.sh &")
		m = agent.line(other)
		id = agent.waitingID(m)
		s.write(s.project+"/id", id)
		var said string
		s.until("all attempts to be made", func() bool {
			b, _ := os.ReadFile(s.project + "/said")
			said = string(b)
			return strings.Contains(said, "all done")
		})
		t.Logf("what the attempts were told:\n%s", said)
		if out, err := s.extdird("pending", "--json"); err != nil || !strings.Contains(out, id) {
			t.Fatalf("the question is no longer open: %s", out)
		}
		hasNot(t, agent.textAfter(0), "the-other")
		person := s.pane()
		person.run("extdird --dir " + s.dir + " approve " + id)
		agent.wait(m, "the file", func(x string) bool { return strings.Contains(x, "the-other") })
	})
}

// Scenario 34 and the burst rule: the line behind a refused one doesn't run.
func TestBurst(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		s.config(`{"permission": {"external_directory": {"` + s.outside + `": "deny"}}}`)
		p := s.guarded("--agent", "robot", "--shell", shell)
		m := p.mark()
		p.keys("touch one\ncd " + s.outside + "\ntouch three\n")
		p.wait(m, "the refusal", func(x string) bool { return strings.Contains(x, "blocked") && atPrompt(x) })
		time.Sleep(500 * time.Millisecond)
		p.run("touch four")
		if out := p.run("ls"); !strings.Contains(out, "one") || strings.Contains(out, "three") || !strings.Contains(out, "four") {
			t.Errorf("one and four run, three doesn't; ls shows:\n%s", out)
		}
	})
}

// What a session was granted survives a killed daemon, covers what was shown and
// no more, and ends with the session.
func TestSessionGrant(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		p := s.guarded("--shell", shell)
		m := p.line("ls " + s.outside)
		has(t, p.answer(m, "s"), "secret.txt")

		s.killDaemon()
		has(t, p.run("ls "+s.outside), "secret.txt")
		has(t, p.run("cat "+s.outside+"/secret.txt"), "the-secret") // below the directory
		m = p.line("ls " + s.top)                                   // its parent
		hasNot(t, p.answer(m, "n"), "home")

		// A deny is not undone by a grant.
		s.config(`{"permission": {"external_directory": {"` + s.outside + `/secret.txt": "deny"}}}`)
		s.until("the deny to be live", func() bool {
			return strings.Contains(p.run("cat "+s.outside+"/secret.txt"), "blocked")
		})
		has(t, p.run("cat "+s.outside+"/other.txt"), "the-other")

		p.line("exit")
		s.until("the session to end", func() bool {
			out, err := s.extdird("grants", "--json")
			return err == nil && !strings.Contains(out, s.outside)
		})
		p = s.guarded("--shell", shell)
		m = p.line("ls " + s.outside)
		hasNot(t, p.answer(m, "n"), "secret.txt")
	})
}

// Variables set inside the session move nothing: after the daemon was killed the
// one that is started again is the one with the person's rules.
func TestVariablesMoveNothing(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		for _, driver := range []string{"", "--agent robot"} {
			p := s.guarded(driver, "--shell", shell)
			m := p.line("export XDG_RUNTIME_DIR=$PWD/r XDG_CONFIG_HOME=$PWD/c")
			text := p.wait(m, "an answer", func(x string) bool {
				return strings.Contains(x, asks) || strings.Contains(x, "\n") && atPrompt(x)
			})
			if driver == "" {
				if !strings.Contains(text, asks) {
					t.Errorf("a person isn't asked: %s", text)
				} else {
					p.answer(m, "y") // and even then
				}
			} else {
				has(t, text, "blocked")
			}
			s.killDaemon()
			m = p.line("cat " + s.outside + "/secret.txt")
			text = p.wait(m, "a question", func(x string) bool {
				return strings.Contains(x, asks) || waiting.MatchString(x) || strings.Contains(x, "\n") && atPrompt(x)
			})
			if !strings.Contains(text, asks) && !waiting.MatchString(text) {
				t.Errorf("%s %s: no question after the kill:\n%s", shell, driver, text)
			}
			settle()
			p.cancel(m)
			hasNot(t, p.textAfter(m), "the-secret")
		}
	})
}

// An agent stays an agent when what the daemon knew of its session is lost: more
// questions, never fewer.
func TestLostRecord(t *testing.T) {
	losses := map[string]func(s *stage){
		"socket directory removed": func(s *stage) { os.RemoveAll(s.dir + "/run") },
		"killed, state removed":    func(s *stage) { s.killDaemon(); os.RemoveAll(s.dir + "/state") },
		"killed, grants.db is garbage": func(s *stage) {
			s.killDaemon()
			s.write(s.dir+"/state/grants.db", strings.Repeat("garbage ", 8192))
		},
	}
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			agent := s.guarded("--agent", "robot", "--shell", "bash")
			agent.run("true")
			lose(s)
			m := agent.line("cat " + s.outside + "/secret.txt")
			agent.wait(m, "an answer", func(x string) bool {
				return strings.Contains(x, "blocked") || waiting.MatchString(x) || strings.Contains(x, "the-secret")
			})
			hasNot(t, agent.textAfter(m), "the-secret")
			agent.cancel(m)
			// Inside is still inside.
			s.until("a line inside to run", func() bool { return strings.Contains(agent.run("cat in.txt"), "the-inside") })
		})
	}
}
