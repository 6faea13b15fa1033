package integration

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// took runs a line that can't be judged: it is refused and leaves no file.
func (a *act) took(line string) time.Duration {
	a.s.t.Helper()
	m := a.line(line)
	begin := time.Now()
	text := a.wait(m, "the prompt after "+line, func(x string) bool { return strings.Contains(x, "\n") && atPrompt(x) })
	d := time.Since(begin)
	has(a.s.t, text, "extdir: blocked: ")
	a.hasFiles("")
	pause()
	return d
}

// Scenario 60: no line runs unjudged while the daemon is killed, hung or gone with
// its files, and the shell is as before when it is back.
func TestScenarioDaemonFails(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		s := scenes(t, "")
		// Binaries of its own: they are taken away below.
		for _, name := range []string{"extdird", "extdir-hook"} {
			if out, err := exec.Command("cp", bin+"/"+name, s.top+"/"+name).CombinedOutput(); err != nil {
				t.Fatalf("cp: %v\n%s", err, out)
			}
		}
		p := s.pane()
		p.run("exec " + s.top + "/extdird --dir " + s.dir + " run --agent robot --shell " + shell)
		a := &act{pane: p, shell: shell}
		a.scenario("60 killed", func(*testing.T) {
			s.killDaemon()
			a.cut() // started again by the line itself
			a.run("touch a")
			a.hasFiles("a")
			a.judged("touch a")
			s.killDaemon()
			a.blocks("touch b BLOCK")
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
		a.scenario("60 hung", func(t *testing.T) {
			pid := s.daemonPid()
			syscall.Kill(pid, syscall.SIGSTOP)
			defer syscall.Kill(pid, syscall.SIGCONT)
			// 1.1 s and 0.15 s on a machine with nothing else to do; the limits leave
			// room for one that is busy.
			if d := a.took("touch a"); d > 1600*time.Millisecond {
				t.Errorf("the first line took %v", d)
			} else {
				t.Logf("first line %v", d)
			}
			for range 3 {
				if d := a.took("touch b"); d > 700*time.Millisecond {
					t.Errorf("a later line took %v", d)
				} else {
					t.Logf("later line %v", d)
				}
			}
			syscall.Kill(pid, syscall.SIGCONT)
			a.run("touch c")
			a.hasFiles("c")
			a.blocks("touch d BLOCK")
		})
		a.scenario("60 socket removed", func(t *testing.T) {
			pid := s.daemonPid()
			if err := os.Remove(s.dir + "/run/extdird.sock"); err != nil {
				t.Fatal(err)
			}
			// The daemon that can't be reached ends, and the next line starts another one;
			// until then nothing runs.
			removed := time.Now()
			s.until("a line to be judged again", func() bool {
				out := a.run("touch a")
				if strings.Contains(out, "extdir: blocked: ") {
					a.hasFiles("")
					return false
				}
				return true
			})
			a.hasFiles("a")
			if d := time.Since(removed); d > 1500*time.Millisecond {
				t.Errorf("lines were refused for %v", d)
			}
			a.blocks("touch b BLOCK")
			t.Logf("daemon %d, then %d", pid, s.daemonPid())
		})
		a.scenario("60 binary and socket removed", func(t *testing.T) {
			s.killDaemon()
			for _, name := range []string{"extdird", "extdir-hook"} {
				if err := os.Rename(s.top+"/"+name, s.top+"/away-"+name); err != nil {
					t.Fatal(err)
				}
			}
			os.Remove(s.dir + "/run/extdird.sock")
			// Often: bash 5.2 loses its terminal now and then when an exec fails in a
			// subshell, and then ends.
			for range 10 {
				a.blocks("touch a")
			}
			a.blocks("( touch b )")
			os.Rename(s.top+"/away-extdir-hook", s.top+"/extdir-hook")
			if d := a.took("touch c"); d > 1600*time.Millisecond {
				t.Errorf("without extdird a line took %v", d)
			}
			os.Rename(s.top+"/away-extdird", s.top+"/extdird")
			a.run("touch d")
			a.hasFiles("d")
			a.blocks("touch e BLOCK")
		})
	})
}
