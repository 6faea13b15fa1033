package term

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Tmux is a program in a pane of a private tmux server.
type Tmux struct {
	tb     testing.TB
	socket string
	env    []string
}

// StartTmux runs argv in a new session of a tmux server of its own and waits for
// the first prompt. The server is ended with the test.
func StartTmux(tb testing.TB, o Options, argv ...string) *Tmux {
	tb.Helper()
	Need(tb, "tmux", "tmux")
	// A socket's path may have 107 bytes; a test's own directory is often longer.
	dir, err := os.MkdirTemp("", "tmux")
	if err != nil {
		tb.Fatal(err)
	}
	t := &Tmux{tb: tb, socket: filepath.Join(dir, "s"), env: environ(o)}
	tb.Cleanup(func() {
		t.command("kill-server").Run()
		os.RemoveAll(dir)
	})
	args := append([]string{"-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", "-c", o.Dir, "--"}, argv...)
	if out, err := t.command(args...).CombinedOutput(); err != nil {
		tb.Fatalf("cannot start tmux: %v\n%s", err, out)
	}
	t.WaitPrompt()
	return t
}

func (t *Tmux) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...)
	cmd.Env = t.env
	return cmd
}

// Send sends keys by tmux's names for them; words that are no key name are sent
// as they are.
func (t *Tmux) Send(keys ...string) {
	t.tb.Helper()
	if out, err := t.command(append([]string{"send-keys"}, keys...)...).CombinedOutput(); err != nil {
		t.tb.Fatalf("tmux send-keys: %v\n%s", err, out)
	}
}

// Screen is what the pane shows.
func (t *Tmux) Screen() string {
	t.tb.Helper()
	out, err := t.command("capture-pane", "-p", "-J").Output()
	if err != nil {
		t.tb.Fatalf("tmux capture-pane: %v", err)
	}
	return strings.TrimRight(string(out), "\n ") + "\n"
}

// WaitPrompt waits until the last line on the screen is the prompt.
func (t *Tmux) WaitPrompt() string {
	t.tb.Helper()
	prompt := strings.TrimRight(Prompt, " ")
	return t.WaitUntil("a prompt", func(s string) bool {
		return strings.HasSuffix("\n"+strings.TrimRight(s, "\n"), "\n"+prompt)
	})
}

// WaitUntil waits for a condition on the screen.
func (t *Tmux) WaitUntil(what string, ok func(screen string) bool) string {
	t.tb.Helper()
	for end := time.Now().Add(Patience); ; time.Sleep(20 * time.Millisecond) {
		s := t.Screen()
		if ok(s) {
			return s
		}
		if time.Now().After(end) {
			t.tb.Fatalf("no sign of %s in tmux; screen:\n%s", what, s)
		}
	}
}
