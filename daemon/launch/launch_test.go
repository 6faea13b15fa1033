package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"extdir/integration/term"
)

func TestSession(t *testing.T) {
	w := newWorld(t)
	// what a killed run left: pid 1<<22 is above the kernel's greatest
	if err := os.Mkdir(filepath.Join(filepath.Dir(w.d.Socket), "start-4194305-x"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, status := w.output([]string{"agent=claude", "root=/a", "root=/b"}, "sh", "-c", "echo $$ $EXTDIR_SESSION; exit 7")
	if status != 7 {
		t.Errorf("status %d, %q", status, out)
	}
	req := w.d.Requests("session")
	if len(req) != 1 {
		t.Fatalf("%d sessions", len(req))
	}
	if req[0].Get("agent") != "claude" || req[0].Get("cwd") != w.work || req[0].Get("shell") != "sh" || req[0].Get("home") != w.home {
		t.Errorf("%v", req[0].Fields)
	}
	var roots []string
	for _, f := range req[0].Fields {
		if f.Key == "root" {
			roots = append(roots, f.Value)
		}
	}
	if fmt.Sprint(roots) != "[/a /b]" {
		t.Errorf("roots %v", roots)
	}
	// the anchor is the program itself
	if pid := w.d.SessionPid(); fmt.Sprintf("%d 1\n", pid) != out {
		t.Errorf("anchor %d, program printed %q", pid, out)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.d.Socket), "start-*")); len(left) != 0 {
		t.Errorf("files left: %q", left)
	}
}

// TestPlace: what is started below knows the place of the daemon, not that of a run
// above it.
func TestPlace(t *testing.T) {
	w := newWorld(t)
	show := `echo "$EXTDIR_SOCKET $EXTDIR_CONFIG $EXTDIR_STATE"`
	if out, _ := w.output([]string{"config=/c/f", "state=/s"}, "sh", "-c", show); out != w.d.Socket+" /c/f /s\n" {
		t.Errorf("%q", out)
	}
	t.Setenv("EXTDIR_SOCKET", "/above")
	above := Options{}
	for _, kv := range files("/f").environ(os.Environ(), above) {
		if strings.HasPrefix(kv, "EXTDIR_SOCKET=") {
			t.Errorf("handed on: %s", kv)
		}
	}
}

func TestNoDaemon(t *testing.T) {
	w := newWorld(t)
	w.d.Stop()
	out, status := w.output(nil, "touch", "a")
	if status == 0 || w.files() != "" || !strings.Contains(out, "can't reach the daemon") {
		t.Errorf("status %d, %q, files %q", status, out, w.files())
	}
}

func TestStatus(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		command []string
		want    int
	}{
		{[]string{"true"}, 0},
		{[]string{"sh", "-c", "kill -TERM $$"}, 143},
		{[]string{"none-such"}, 127},
		// an orphan that ends first is not the program
		{[]string{"sh", "-c", "(sh -c 'exit 9' &); sleep 0.2; exit 3"}, 3},
	} {
		if out, status := w.output(nil, c.command...); status != c.want {
			t.Errorf("%q: status %d, want %d; %q", c.command, status, c.want, out)
		}
	}
	if out, status := w.output([]string{"shell=/bin/dash"}); status == 0 || !strings.Contains(out, "can't be guarded") {
		t.Errorf("dash: status %d, %q", status, out)
	}
}

func TestOrphansStayBelow(t *testing.T) {
	w := newWorld(t)
	out, _ := w.output(nil, "sh", "-c", `(sh -c 'sleep 0.2; ps -o ppid= -p $$ >o; mv o orphan' &); while [ ! -e orphan ]; do sleep 0.05; done; ps -o ppid= -p $$; cat orphan`)
	f := strings.Fields(out)
	if len(f) != 2 || f[0] != f[1] {
		t.Errorf("parents of anchor and orphan: %q", out)
	}
}

func TestShells(t *testing.T) {
	for _, shell := range []string{"bash", "zsh"} {
		t.Run(shell, func(t *testing.T) {
			term.Need(t, shell, shell)
			w := newWorld(t)
			g := w.run([]string{"shell=" + shell})
			run := func(line, want string) {
				t.Helper()
				if have := strings.TrimRight(g.Run(line), "\n"); have != want {
					t.Fatalf("%q printed %q, want %q; screen:\n%s", line, have, want, g.Screen())
				}
			}
			refused := func(line string) {
				t.Helper()
				if out := g.Run(line); !strings.Contains(out, "extdir: blocked: ") {
					t.Fatalf("%q was not refused: %q; screen:\n%s", line, out, g.Screen())
				}
			}
			run("echo $"+shell+"rc", "read")
			refused("touch a BLOCK")
			run("touch a", "")
			// -c shells below, of both kinds
			for _, inner := range []string{"bash", "zsh"} {
				refused("EXTDIR_BELOW= " + inner + ` -c 'x=BLO; touch b; : "BLO"CK; : BLOC'K`)
				run(inner+" -c 'echo in'", "in")
			}
			// 71: interactive shells below
			for _, inner := range []string{"bash", "zsh", "bash --norc", "exec bash", "exec zsh"} {
				if strings.HasSuffix(inner, "--norc") {
					m := g.Mark()
					g.Type("PS1='" + term.Prompt + "' bash --norc\r")
					g.WaitPromptAfter(m)
				} else {
					g.Run(inner)
				}
				refused("touch b BLOCK")
				refused("( touch b BLOCK )")
				run("touch c; rm c", "")
				if !strings.HasPrefix(inner, "exec") {
					g.Run("exit")
				}
			}
			if f := w.files(); f != "a" {
				t.Fatalf("files %q; screen:\n%s", f, g.Screen())
			}
			if n := len(w.d.Requests("session")); n != 1 {
				t.Errorf("%d sessions", n)
			}
			g.Type("exit 5\r")
			if status := g.Wait(); status != 5 {
				t.Errorf("status %d", status)
			}
		})
	}
}

// TestUsersStartFiles: what the user's own files do is not undone by the run.
func TestUsersStartFiles(t *testing.T) {
	t.Run("bash", func(t *testing.T) {
		w := newWorld(t)
		w.write(".bashrc", "PS1='"+term.Prompt+"'\nPROMPT_COMMAND='touch ~/pc'\nPS0=\nHISTCONTROL=ignoreboth\n")
		g := w.run([]string{"shell=bash"})
		for range 2 {
			if out := g.Run(" touch a BLOCK"); !strings.Contains(out, "blocked") {
				t.Fatalf("%q", out)
			}
		}
		if _, err := os.Stat(filepath.Join(w.home, "pc")); err != nil {
			t.Error("the user's PROMPT_COMMAND did not run")
		}
		// a nested shell that hides lines begins with a refusal and goes on guarded
		w.write(".bashrc", "PS1='"+term.Prompt+"'\nPROMPT_COMMAND='touch ~/pc'\nHISTCONTROL=ignoreboth\n")
		g.Run("bash")
		if out := g.Run(" touch a"); !strings.Contains(out, "run the line again") {
			t.Fatalf("%q", out)
		}
		if out := g.Run(" touch a BLOCK"); !strings.Contains(out, "blocked") {
			t.Fatalf("%q", out)
		}
		if out := g.Run("touch b"); out != "" {
			t.Fatalf("%q", out)
		}
		if f := w.files(); f != "b" {
			t.Errorf("files %q", f)
		}
	})
	t.Run("zsh with a ZDOTDIR of its own", func(t *testing.T) {
		w := newWorld(t)
		os.Mkdir(filepath.Join(w.home, "z"), 0o755)
		w.write(".zshenv", "export ZDOTDIR=$HOME/z\nenvread=1\n")
		w.write("z/.zshrc", "PS1='"+term.Prompt+"'\nunsetopt prompt_sp\nseen=$ZDOTDIR\nprecmd_functions=() preexec_functions=()\n")
		g := w.run([]string{"shell=zsh"})
		if out := g.Run("echo $envread $seen"); out != "1 "+w.home+"/z\n" {
			t.Fatalf("%q", out)
		}
		g.Run("zsh")
		if out := g.Run("echo $seen; : BLOCK"); !strings.Contains(out, "blocked") {
			t.Fatalf("%q", out)
		}
		if out := g.Run("echo $seen"); out != w.home+"/z\n" {
			t.Fatalf("%q", out)
		}
	})
}

func TestTerminal(t *testing.T) {
	t.Run("Ctrl-C reaches the program once", func(t *testing.T) {
		w := newWorld(t)
		m := w.run(nil, "sh", "-c", "trap 'n=$((n+1))' INT; echo ready; sleep 9; sleep 0.3; echo got $n; exit 4")
		m.WaitText(0, "ready")
		m.Type("\x03")
		m.WaitText(0, "got 1")
		if status := m.Wait(); status != 4 {
			t.Errorf("status %d", status)
		}
	})
	t.Run("TERM is passed on", func(t *testing.T) {
		w := newWorld(t)
		m := w.run(nil, "sh", "-c", "trap 'echo term; exit 6' TERM; echo ready; while :; do sleep 0.05; done")
		m.WaitText(0, "ready")
		syscall.Kill(m.Pid(), syscall.SIGTERM)
		if status := m.Wait(); status != 6 {
			t.Errorf("status %d", status)
		}
	})
	t.Run("job control around and inside", func(t *testing.T) {
		w := newWorld(t)
		script := filepath.Join(w.home, "run.sh")
		term.Program(t, script, []byte("#!/bin/sh\nTEST_RUN=$RUN exec "+os.Args[0]+"\n"))
		env := w.env("shell=bash")
		g := term.Start(t, term.Options{Dir: w.work, Env: []string{env[0], "RUN=" + strings.TrimPrefix(env[1], "TEST_RUN="), "PS1=" + term.Prompt}}, "bash", "--norc", "-i")
		g.Run(script)
		if out := g.Run("echo $bashrc"); out != "read\n" {
			t.Fatalf("%q", out)
		}
		m := g.Mark()
		g.Type("sleep 30\r")
		time.Sleep(200 * time.Millisecond)
		g.Type("\x1a")
		g.WaitPromptAfter(m)
		if out := g.Run("jobs"); !strings.Contains(out, "Stopped") {
			t.Fatalf("inner jobs: %q", out)
		}
		g.Run("kill %1")
		m = g.Mark()
		g.Type("suspend -f\r")
		g.WaitUntil(m, "the outer prompt", func(s string) bool { return strings.Contains(s, "Stopped") && strings.HasSuffix(s, term.Prompt) })
		g.Run("")
		if out := g.Run("jobs"); !strings.Contains(out, "Stopped") || !strings.Contains(out, "run.sh") {
			t.Fatalf("outer jobs: %q; screen:\n%s", out, g.Screen())
		}
		m = g.Mark()
		g.Type("fg\r")
		g.WaitText(m, "run.sh")
		g.Type("echo is $bashrc\r")
		g.WaitText(m, "is read")
	})
}
