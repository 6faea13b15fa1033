package integration

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// An allowed line costs bash two forks and one exec at most, and zsh neither.
func TestScenarioCost(t *testing.T) {
	needs(t, "strace")
	playInEachShell(t, func(t *testing.T, shell string) {
		s := scenes(t, "HISTCONTROL=ignoreboth")
		a := s.anAgents(shell)
		a.run("true") // the first prompt says hello
		pid := strings.TrimSpace(a.run("echo $$"))
		trace := s.top + "/trace"
		cmd := exec.Command("strace", "-f", "-qq", "-e", "trace=process", "-o", trace, "-p", pid)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() }()
		s.until("the tracer", func() bool {
			b, _ := os.ReadFile("/proc/" + pid + "/status")
			return strings.Contains(string(b), "TracerPid:\t") && !strings.Contains(string(b), "TracerPid:\t0\n")
		})
		a.run(": allowed")
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		b, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		// Threads of the hook's runtime are no processes.
		forks := len(regexp.MustCompile(`(?m) (fork|vfork|clone3?)\(.*SIGCHLD`).FindAll(b, -1))
		execs := len(regexp.MustCompile(`(?m) execve\(.*= 0|execve resumed.*= 0`).FindAll(b, -1))
		most, one := 2, 1
		if shell == "zsh" {
			most, one = 0, 0
		}
		if forks > most || execs != one {
			t.Errorf("an allowed line takes %d forks and %d execs, want at most %d and exactly %d:\n%s", forks, execs, most, one, b)
		}
	})
}

// The history file of a guarded shell is that of an unguarded one. In bash the guard
// keeps lithist on, since its text is what is judged: a command of several lines is
// written with its newlines, where bash itself would join it with semicolons.
func TestScenarioHistoryFile(t *testing.T) {
	lines := []string{
		"echo one", "echo one", " echo private", "echo two # with a comment", "secret x", "echo 'open\nquote'", "for i in 1 2\ndo echo $i\ndone",
		"cat <<EOF\ntext\nEOF", `echo a\` + "\nb", "false", "echo ä€😀", "echo one", "!!", "true | false",
	}
	playInEachShell(t, func(t *testing.T, shell string) {
		s := scenes(t, "")
		file := s.home + "/hist"
		s.add(s.home+"/.bashrc", "HISTFILE="+file+" HISTCONTROL=ignoreboth HISTIGNORE='secret*'")
		s.add(s.home+"/.zshrc", "HISTFILE="+file+" HISTSIZE=100 SAVEHIST=100; setopt hist_ignore_space hist_ignore_dups interactive_comments; HISTORY_IGNORE='secret*'")
		var have [2]string
		plain := s.paneOf(shell, "-i")
		if shell == "bash" {
			plain.run(" shopt -s lithist")
		}
		for i, p := range []*pane{plain, s.guarded("--agent", "robot", "--shell", shell)} {
			for _, l := range lines {
				parts := strings.Split(l, "\n")
				m := p.mark()
				for n, part := range parts {
					p.keys(part)
					p.enter()
					if n < len(parts)-1 {
						p.wait(m, "PS2", func(x string) bool { return strings.Count(x, "\n") > n && strings.HasSuffix(x, "> ") })
					}
				}
				p.wait(m, "the prompt after "+l, func(x string) bool { return strings.Contains(x, "\n") && atPrompt(x) })
			}
			pid := strings.TrimSpace(p.run("echo $$"))
			p.line("exit")
			s.until("the shell to end", func() bool { _, err := os.Stat("/proc/" + pid); return err != nil })
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			have[i] = regexp.MustCompile(`(?m)^exec extdird.*\n`).ReplaceAllString(string(b), "")
			os.Remove(file)
		}
		if have[0] != have[1] {
			t.Errorf("unguarded:\n%s\nguarded:\n%s", have[0], have[1])
		}
	})
}
