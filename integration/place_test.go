package integration

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// The place of the daemon, and with it the rules, are those of the moment when the
// session began, also where no --dir names it: a daemon that is started later by a
// line, or by a session inside, reads the same configuration, whatever a person
// has said yes to since.
func TestPlaceOfTheSession(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell string) {
		s := newStage(t)
		runtime := s.top + "/r"
		evil := s.project + "/c"
		for _, dir := range []string{runtime, s.home + "/.config/extdir", evil + "/extdir", evil + "/.config/extdir"} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		s.write(s.home+"/.config/extdir/config.json", `{"defaults": false, "permission": {"external_directory": {"`+s.outside+`": "deny"}}}`)
		for _, dir := range []string{evil, evil + "/.config"} {
			s.write(dir+"/extdir/config.json", `{"permission": {"external_directory": {"`+s.outside+`": "allow"}}}`)
		}
		s.write(evil+"/.bashrc", "PS1='"+prompt+"'\n")
		s.write(evil+"/.zshrc", "PROMPT='"+prompt+"'\nunsetopt prompt_sp\n")
		pid := func() int {
			cmd := exec.Command(extdird(), "status", "--json")
			cmd.Env = append(s.environ(), "XDG_RUNTIME_DIR="+runtime)
			out, err := cmd.Output()
			var st struct{ Pid int }
			if err != nil || json.Unmarshal(out, &st) != nil {
				return 0
			}
			return st.Pid
		}
		kill := func() {
			t.Helper()
			old := pid()
			if old == 0 {
				t.Fatal("no daemon to kill")
			}
			syscall.Kill(old, syscall.SIGKILL)
			s.until("the daemon to be gone", func() bool { return syscall.Kill(old, 0) != nil || zombie(old) })
		}
		t.Cleanup(func() {
			if pid := pid(); pid != 0 {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		})
		secret := "cat " + s.outside + "/secret.txt"
		denied := func(p *pane) {
			t.Helper()
			out := p.run(secret)
			has(t, out, "blocked", "deny")
			hasNot(t, out, "the-secret")
		}

		p := s.pane()
		p.run("export XDG_RUNTIME_DIR=" + runtime)
		p.run("exec extdird run --shell " + shell)
		denied(p)
		for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME"} {
			m := p.line("export " + name + "=" + evil)
			p.answer(m, "y")
		}
		kill()
		denied(p)

		// A command in the session speaks to the session's daemon.
		kill()
		has(t, p.run("extdird status"), s.home+"/.config/extdir/config.json")

		m := p.line("extdird run --shell " + shell)
		text := p.wait(m, "a shell inside", func(x string) bool {
			return strings.Contains(x, asks) || strings.Count(x, prompt) > 0 && atPrompt(x)
		})
		if strings.Contains(text, asks) {
			p.answer(m, "y")
		}
		denied(p)
		kill()
		denied(p)
	})
}
