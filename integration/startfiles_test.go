package integration

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// guardEveryShell puts the integration into the start files, as init tells to.
func (s *stage) guardEveryShell(bashOptions ...string) {
	// What `init` prints on a terminal, with the path of the binary under test.
	line := func(shell string, n int) string {
		out := s.pane().run("extdird --dir " + s.dir + " init " + shell)
		var lines []string
		for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
			if !strings.HasPrefix(l, "#") {
				lines = append(lines, strings.ReplaceAll(l, "extdird --dir", extdird()+" --dir"))
			}
		}
		if len(lines) <= n {
			s.t.Fatalf("init %s prints %q", shell, out)
		}
		return lines[n] + "\n"
	}
	s.write(s.home+"/.bashrc", "PS1='"+prompt+"'\n"+line(strings.Join(append([]string{"bash"}, bashOptions...), " "), 0))
	s.write(s.home+"/.bash_profile", "[ -f ~/.bashrc ] && . ~/.bashrc\n")
	s.write(s.home+"/.zshrc", "PROMPT='"+prompt+"'\nunsetopt prompt_sp\n"+line("zsh", 0))
	s.write(s.home+"/.zshenv", line("zsh", 1))
}

// Logins, ssh commands, scp and git servers never depend on the daemon: it is not
// there, and can't be started either.
func TestLoginsWithoutDaemon(t *testing.T) {
	needs(t, "git")
	s := newStage(t)
	s.guardEveryShell()
	run := func(stdin string, argv ...string) (string, error) {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = s.environ()
		cmd.Dir = s.home
		cmd.Stdin = strings.NewReader(stdin)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		return out.String(), err
	}
	for _, args := range []string{"init -q", "-c user.name=t -c user.email=t@t commit -q --allow-empty -m x"} {
		if out, err := exec.Command("git", append([]string{"-C", s.project}, strings.Fields(args)...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	tests := []struct {
		name, want string
		argv       []string
	}{
		{"env -i zsh -lc", "", []string{"env", "-i", "zsh", "-lc", "true"}},
		{"zsh -lc in the user's home", "ok\n", []string{"zsh", "-lc", "echo ok"}},
		{"bash -lc", "ok\n", []string{"bash", "-lc", "echo ok"}},
		{"bash -c as sshd calls it", "ok\n", []string{"bash", "-c", "echo ok"}},
		{"a path outside, no session above", "the-secret\n", []string{"bash", "-c", "cat " + s.outside + "/secret.txt"}},
		{"the same in zsh", "the-secret\n", []string{"zsh", "-c", "cat " + s.outside + "/secret.txt"}},
		{"scp's server side", "", []string{"bash", "-lc", "test -d " + s.outside}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if out, err := run("", tt.argv...); err != nil || out != tt.want {
				t.Errorf("printed %q (%v), want %q", out, err, tt.want)
			}
		})
	}
	for _, shell := range shells {
		t.Run("git-upload-pack through a login "+shell, func(t *testing.T) {
			out, err := run("0000", shell, "-lc", "git-upload-pack '"+s.project+"'")
			if err != nil || !strings.Contains(out, "refs/heads/") {
				t.Errorf("%v\n%q", err, out)
			}
		})
	}
	if pid := s.daemonPid(); pid != 0 {
		t.Error("a -c shell without a session started a daemon")
	}
}

// With the integration in every start file a person's other shells are guarded
// too, and are still where answers come from.
func TestAnswersFromGuardedShells(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		s.guardEveryShell()
		agent := s.guarded("--agent", "robot", "--shell", shell)
		person := s.paneOf(shell, "-i")
		m := agent.line("cat " + s.outside + "/secret.txt")
		id := agent.waitingID(m)
		person.run("extdird --dir " + s.dir + " approve " + id)
		agent.wait(m, "the file", func(x string) bool { return strings.Contains(x, "the-secret") && atPrompt(x) })

		// Refused at the agent's own terminal and below it.
		m = agent.line("cat " + s.outside + "/other.txt")
		id = agent.waitingID(m)
		agent.cancel(m)
		has(t, agent.run("extdird --dir "+s.dir+" approve "+id), "blocked")
		agent.run(shell) // a child shell
		has(t, agent.run("extdird --dir "+s.dir+" approve "+id), "blocked")
	})
}

// The same where both terminals are panes of one tmux server that a person
// started from a guarded shell: that server is older than the agent and nobody's
// but the person's.
func TestAnswersInsideOneTmux(t *testing.T) {
	s := newStage(t)
	s.guardEveryShell()
	first := s.paneOf("bash", "-i") // guarded by its start file
	sock := s.top + "/inner"
	first.run("env -u TMUX tmux -S " + sock + " -f /dev/null new-session -d -x 150 -y 50 bash -i")
	outer := s.socket
	s.socket = sock // from here on panes are made there
	defer func() {
		exec.Command("tmux", "-S", sock, "kill-server").Run()
		s.socket = outer
	}()
	agent := s.guarded("--agent", "robot", "--shell", "bash")
	person := s.paneOf("bash", "-i")
	m := agent.line("cat " + s.outside + "/secret.txt")
	id := agent.waitingID(m)
	person.run("extdird --dir " + s.dir + " approve " + id)
	agent.wait(m, "the file", func(x string) bool { return strings.Contains(x, "the-secret") && atPrompt(x) })
	m = agent.line("cat " + s.outside + "/other.txt")
	id = agent.waitingID(m)
	agent.cancel(m)
	has(t, agent.run("extdird --dir "+s.dir+" approve "+id), "blocked")
}

// Guarded by its start file alone, a person's shell is watched: denies refuse,
// nothing is asked.
func TestStartFileObserves(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		s.guardEveryShell()
		s.config(`{"permission": {"external_directory": {"` + s.outside + `/other.txt": {"read": "deny", "reason": "not this one"}}}}`)
		p := s.paneOf(shell, "-i")
		has(t, p.run("cat "+s.outside+"/secret.txt"), "the-secret")
		out := p.run("cat " + s.outside + "/other.txt")
		has(t, out, "extdir: blocked", "not this one")
		hasNot(t, out, "the-other")
	})
}

// Under `run --agent NAME -- PROGRAM` the -c lines of the program are judged, and
// what runs below a line that was judged passes.
// In bash that holds for either way of guarding its interactive shells (scenario 64).
func TestStringsOfAnAgent(t *testing.T) {
	t.Run("ps0", func(t *testing.T) { stringsOfAnAgent(t) })
	t.Run("debug", func(t *testing.T) { stringsOfAnAgent(t, "--via", "debug") })
}

func stringsOfAnAgent(t *testing.T, bashOptions ...string) {
	s := newStage(t)
	s.config(`{"permission": {"external_directory": {"` + s.outside + `": "deny"}}}`)
	s.guardEveryShell(bashOptions...)
	person := s.pane()
	forms := [][]string{
		{"bash", "-c"},
		{"bash", "-lc"},
		{"bash", "-xc"},
		{"bash", "-ic"},
		{"zsh", "-c"},
		{"zsh", "-lc"},
		{"zsh", "-ic"},
		{"timeout", "9", "bash", "-c"},
		{"env", "A=b", "bash", "-c"},
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary is the agent: TestMain.
	self = "env EXTDIR_TEST_AGENT=1 " + self
	with := func(text string) string {
		var b strings.Builder
		for _, f := range forms {
			b.WriteString(strings.Join(append(slices.Clone(f), text), "\t") + "\n")
		}
		return b.String()
	}
	run := func(argvs string) string {
		s.write(s.project+"/argvs", argvs)
		return person.run("extdird --dir " + s.dir + " run --agent robot -- " + self + " ./argvs")
	}
	out := run(with("touch ran; cat " + s.outside + "/secret.txt"))
	if n := strings.Count(out, " 126  refused"); n != len(forms) {
		t.Errorf("%d of %d forms were refused with 126:\n%s", n, len(forms), out)
	}
	hasNot(t, out, "the-secret")
	if _, err := os.Stat(s.project + "/ran"); err == nil {
		t.Error("something of a refused text ran")
	}
	out = run(with("cat in.txt"))
	if n := strings.Count(out, " 0 the-inside"); n != len(forms) {
		t.Errorf("%d of %d forms ran:\n%s", n, len(forms), out)
	}
	out = run("bash\t-c\t\n")
	has(t, out, " 0 ")
}
