package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"extdir/integration/term"
)

// onTerminal runs a command of ours with a terminal, and gives what it shows.
func onTerminal(t *testing.T, dir, typed string, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "extdird"), args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir, "TERM=dumb", "SHELL=/bin/bash"}
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	kill := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer kill.Stop()
	if _, err := tty.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	out.ReadFrom(tty) // ends with an error when the other side is closed
	cmd.Wait()
	return strings.ReplaceAll(out.String(), "\r", "")
}

// On a terminal init prints the lines to put into start files, as they work there.
func TestInitOnTerminal(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"init", "bash"}, `eval "$(extdird init bash)"; fi`},
		{[]string{"init", "bash", "--via", "debug"}, `eval "$(extdird init bash --via debug)"; fi`},
		{[]string{"init", "bash", "--dir", "d"}, `eval "$(extdird --dir ` + dir + `/d init bash)"; fi`},
		{[]string{"init", "zsh", "--dir", dir + "/it's"}, `eval "$(extdird --dir '` + dir + `/it'\''s' init zsh)"`},
	} {
		if got := onTerminal(t, dir, "", c.args...); !strings.Contains(got, c.want+"\n") {
			t.Errorf("%v prints\n%s", c.args, got)
		}
	}
}

// Whoever starts a guarded shell hears that the configuration is broken.
func TestRunGreets(t *testing.T) {
	term.Need(t, "bash", "bash")
	dir := t.TempDir()
	t.Cleanup(func() { killAll(dir) })
	for text, want := range map[string]bool{"{}": false, "{\n\"unknown\": 1}": true} {
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := onTerminal(t, dir, "exit\n", "run", "--dir", dir)
		if !strings.Contains(got, "extdir: this shell asks before a line leaves the project") {
			t.Errorf("no greeting:\n%s", got)
		}
		says := "extdir: the configuration is not in force: " + dir + "/config.json:2:12: "
		if strings.Contains(got, says) != want || want && !strings.Contains(got, "(extdird --dir "+dir+" status says what holds)") {
			t.Errorf("with %s:\n%s", text, got)
		}
	}
}
