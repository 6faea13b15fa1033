package bash

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"extdir/integration/term"
)

func TestNeed(t *testing.T) {
	g := start(t, setup{rc: `
		x='a value'; declare -a arr=(1 '2 3'); declare -A map=([k]=v); export ex=1; declare un
		f() { echo body; }
		alias al='ls -l'
	`})
	g.d.SetNeeds("var:x var:arr var:map var:ex var:un var:none func:f func:nof alias:al alias:noal names:*")
	g.Run("touch NEED")
	g.hasFiles("NEED")
	told := g.d.Requests("tell")
	if len(told) != 1 {
		t.Fatalf("%d tells", len(told))
	}
	for _, kv := range [][2]string{
		{"var.x", "a value"},
		{"declare.ex", `declare -x ex="1"`},
		{"alias.al", "ls -l"},
		{"func.f", "{ \n    echo body\n}"},
		{"declare.arr", `declare -a arr=([0]="1" [1]="2 3")`},
		{"declare.map", `declare -A map=([k]="v" )`},
	} {
		if have := told[0].Get(kv[0]); have != kv[1] {
			t.Errorf("%s: have %q, want %q", kv[0], have, kv[1])
		}
	}
	for key, want := range map[string]bool{"unset.un": true, "unset.none": true, "func.nof": false, "alias.noal": false, "var.un": false} {
		if told[0].Has(key) != want {
			t.Errorf("%s: there is %v, want %v", key, !want, want)
		}
	}
	if names := " " + told[0].Get("names") + " "; !strings.Contains(names, " f ") || !strings.Contains(names, " al ") {
		t.Errorf("names: %q", names)
	}
	t.Run("refused for what it was told", func(t *testing.T) {
		g.t = t
		g.Run("x=BLO; x=${x}CK")
		g.blocks("touch a; echo NEED")
		g.hasFiles("NEED")
		g.prints("echo $?", "130")
		// The line ends by INT alone: bash has nothing to say about it.
		g.prints("touch a; echo NEED", "extdir: blocked: the line holds a forbidden word")
		g.Run("set -x")
		if out := g.Run("touch a; echo NEED"); strings.Contains(out, "exit") || strings.Contains(out, "readonly") {
			t.Errorf("printed %q", out)
		}
		g.Run("set +x")
		g.Run("trap 'echo I' INT")
		g.blocks("touch a; echo NEED")
		g.hasFiles("NEED")
		g.Run("trap - INT")
	})
	t.Run("status and jobs stay", func(t *testing.T) {
		g.t = t
		g.Run("x=1; false")
		g.prints("echo $?; : NEED", "1")
		g.prints("jobs", "")
	})
}

func TestPrompt(t *testing.T) {
	t.Run("asked elsewhere, allowed", func(t *testing.T) {
		g := start(t, setup{})
		m := g.Mark()
		g.Type("touch aASK\r")
		g.WaitText(m, "a person is asked")
		g.d.Answer("once")
		g.WaitPromptAfter(m)
		g.hasFiles("aASK")
	})
	t.Run("asked elsewhere, nobody answers", func(t *testing.T) {
		g := start(t, setup{})
		g.d.SetWait(200 * time.Millisecond)
		if out := g.Run("touch aASK"); !strings.Contains(out, "waiting for a person: extdird approve d") {
			t.Fatalf("printed %q", out)
		}
		g.hasFiles("")
		g.prints("echo $?", "130")
	})
	t.Run("asked elsewhere, cancelled here", func(t *testing.T) {
		g := start(t, setup{})
		m := g.Mark()
		g.Type("touch aASK\r")
		g.WaitText(m, "a person is asked")
		g.Type("\x03")
		g.WaitPromptAfter(m)
		g.hasFiles("")
		g.d.WaitFor("cancel")
	})
	for _, c := range []struct{ name, key, choice, files string }{
		{"y", "y", "once", "aASKTTY"},
		{"s", "s", "session", "aASKTTY"},
		{"n", "n", "deny", ""},
		{"Ctrl-C", "\x03", "deny", ""},
	} {
		t.Run("asked at the terminal: "+c.name, func(t *testing.T) {
			g := start(t, setup{})
			m := g.Mark()
			g.Type("touch aASKTTY\r")
			g.WaitText(m, "run it?")
			time.Sleep(700 * time.Millisecond) // a key by itself
			g.Type(c.key)
			g.WaitPromptAfter(m)
			g.hasFiles(c.files)
			if have := g.d.WaitFor("answer").Get("choice"); have != c.choice {
				t.Fatalf("choice: have %q, want %q", have, c.choice)
			}
			g.prints("stty -a | grep -c -w -e -echo -e -icanon -e -isig", "0")
		})
	}
	t.Run("69 typed ahead yes", func(t *testing.T) {
		g := start(t, setup{})
		m := g.Mark()
		g.Type("touch aASKTTY\ry\r")
		g.WaitText(m, "run it?")
		g.Type("y") // and at once after the question
		time.Sleep(time.Second)
		g.hasFiles("")
		g.Type("n")
		g.WaitPromptAfter(m)
		g.hasFiles("")
	})
	t.Run("the terminal question ends when somebody answers elsewhere", func(t *testing.T) {
		g := start(t, setup{})
		m := g.Mark()
		g.Type("touch aASKTTY\r")
		g.WaitText(m, "run it?")
		g.d.Answer("once")
		g.WaitPromptAfter(m)
		g.hasFiles("aASKTTY")
		g.prints("stty -a | grep -c -w -e -echo -e -icanon -e -isig", "0")
	})
}

func TestFailure(t *testing.T) {
	t.Run("60 daemon down and back", func(t *testing.T) {
		g := start(t, setup{})
		g.d.Stop()
		g.blocks("touch a")
		g.hasFiles("")
		g.d.Start()
		g.Run("touch b")
		g.hasFiles("b")
	})
	t.Run("60 fail open", func(t *testing.T) {
		g := start(t, setup{fail: "open"})
		g.d.Stop()
		if out := g.Run("touch a"); !strings.Contains(out, "not judged") {
			t.Fatalf("silent: %q", out)
		}
		g.hasFiles("a")
	})
	t.Run("60 daemon hung", func(t *testing.T) {
		g := start(t, setup{})
		wake := g.d.Hang()
		took := func(line string) time.Duration {
			begin := time.Now()
			g.blocks(line)
			return time.Since(begin)
		}
		if d := took("touch a"); d > 1600*time.Millisecond {
			t.Errorf("the first line took %v", d)
		}
		// The next lines are not made to pay again. (100 ms and two processes; the
		// limits leave room for a busy machine.)
		for range 3 {
			if d := took("touch b"); d > 700*time.Millisecond {
				t.Errorf("a later line took %v", d)
			}
		}
		g.hasFiles("")
		wake()
		g.Run("touch c")
		g.hasFiles("c")
	})
	t.Run("reply that is none", func(t *testing.T) {
		g := start(t, setup{})
		g.blocks("touch GARBAGE")
		g.hasFiles("")
	})
	t.Run("hook gone", func(t *testing.T) {
		g := start(t, setup{copied: true})
		g.Run("touch before")
		away := g.hook + ".away"
		move := func(from, to string) {
			t.Helper()
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
		move(g.hook, away)
		want := "extdir: blocked: " + g.hook + " is gone: put it back from another terminal, or end this shell (Ctrl-D) and start a new one"
		for range 3 {
			g.prints("touch a", want)
		}
		move(away, g.hook)
		g.Run("touch after")
		g.hasFiles("after before")
		// Names without their right are no better.
		if err := os.Chmod(g.hook, 0o600); err != nil {
			t.Fatal(err)
		}
		g.prints("touch a", want)
		g.hasFiles("after before")
	})
	t.Run("hook never there", func(t *testing.T) {
		d := term.NewDaemon(t)
		dir := t.TempDir()
		write(t, filepath.Join(dir, ".bashrc"), "PS1='"+term.Prompt+"'\n"+Script(Params{Hook: dir + "/none", Socket: d.Socket}))
		tt := term.Start(t, term.Options{Dir: dir}, "bash", "-i")
		for range 3 {
			if out := tt.Run("touch a; : BLOCK"); !strings.Contains(out, "none is gone") {
				t.Errorf("printed %q", out)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
			t.Fatal("the line ran")
		}
	})
	t.Run("daemon dies while it is asked", func(t *testing.T) {
		g := start(t, setup{revived: true, fail: "open"})
		g.Run("true")
		g.d.WaitFor("hello")
		g.d.DieOf("check", 1)
		g.prints("touch a", "")
		g.d.DieOf("check", 1)
		g.blocks("touch b BLOCK")
		for _, kind := range []string{"detail", "tell"} {
			g.d.DieOf(kind, 1)
			g.prints("touch b NEED", "extdir: blocked: extdird ended before this line was decided: run the line again")
		}
		g.Run("touch c NEED")
		g.d.DieOf("detail", 1)
		g.blocks("touch b BLOCK")
		g.d.DieOf("wait", 1)
		if out := g.Run("touch bASK"); !strings.Contains(out, "run the line again") {
			t.Errorf("printed %q", out)
		}
		g.hasFiles("NEED a c")
	})
}

func TestSize(t *testing.T) {
	g := start(t, setup{rc: "bind 'set enable-bracketed-paste off'"})
	// 70 KB come from a file that history reads: typing them is readline's test.
	for _, n := range []int{3 << 10, 70 << 10} {
		g.d.Forget()
		write(t, filepath.Join(g.dir, "h"), ": '"+strings.Repeat("x", n)+"'; touch end\n")
		g.Run("history -c; history -r h; rm h")
		m := g.Mark()
		g.Type("\x1b<\r") // beginning of the history
		g.WaitUntil(m, "the end", func(string) bool { return strings.Contains(g.files(), "end") })
		checked := g.d.Checked()
		if last := checked[len(checked)-1]; len(last) != n+len(": ''; touch end") {
			t.Fatalf("%d bytes checked of %d", len(last), n)
		}
		g.WaitUntil(m, "a prompt", func(s string) bool { return strings.HasSuffix(s, term.Prompt) })
		g.Run("rm end")
	}
}

// TestDashC: 64 and 65, what a -c shell that a session's program starts is told.
func TestDashC(t *testing.T) {
	d := term.NewDaemon(t)
	dir, _ := home(t, d, setup{rc: "[ -z ''  ]"})
	write(t, filepath.Join(dir, ".bash_profile"), "PATH=/usr/bin:/bin\n")
	run := func(session bool, args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir, "PATH=/usr/bin:/bin", "BASH_ENV=" + dir + "/.env.bash"}
		if session {
			cmd.Env = append(cmd.Env, "EXTDIR_SESSION=1")
		}
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	ran := func() bool {
		_, err := os.Stat(filepath.Join(dir, "f"))
		os.Remove(filepath.Join(dir, "f"))
		return err == nil
	}
	const bad, good = "touch f; : BLOCK", "touch f; echo $0 $1"
	for _, form := range [][]string{
		{"bash", "-c"},
		{"bash", "-lc"},
		{"bash", "-ec"},
		{"bash", "-uc"},
		{"bash", "--norc", "--noprofile", "-c"},
		{"timeout", "9", "bash", "-c"},
		{"bash", "-ic"},
	} {
		name := strings.Join(form, " ")
		t.Run("64 "+name, func(t *testing.T) {
			out, status := run(true, append(form, bad, "zero", "one")...)
			if status != 126 || ran() || !strings.Contains(out, "extdir: blocked: ") {
				t.Errorf("status %d, %q", status, out)
			}
			out, status = run(true, append(form, good, "zero", "one")...)
			if status != 0 || !ran() || !strings.HasSuffix(out, "zero one\n") {
				t.Errorf("status %d, %q", status, out)
			}
			d.Forget()
			if out, status = run(false, append(form, bad, "zero", "one")...); status != 0 || !ran() || len(d.Checked()) != 0 {
				t.Errorf("without a session: status %d, %q, checked %q", status, out, d.Checked())
			}
		})
	}
	t.Run("64 bash -xc shows its own commands only", func(t *testing.T) {
		if out, _ := run(true, "bash", "-xc", ": seen"); out != "+ : seen\n" {
			t.Errorf("%q", out)
		}
	})
	t.Run("logins do not depend on the daemon", func(t *testing.T) {
		d.Stop()
		defer d.Start()
		write(t, filepath.Join(dir, ".bash_profile"), ". ~/.bashrc\n")
		for _, args := range [][]string{
			{"bash", "-lc", "true"}, {"bash", "-c", "true"}, {"bash", "-l", "-c", "git --version >/dev/null"}, {"bash", "-ic", "true"},
		} {
			cmd := exec.Command("env", append([]string{"-i", "HOME=" + dir, "PATH=/usr/bin:/bin"}, args...)...)
			cmd.Dir = dir
			begin := time.Now()
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Contains(string(out), "extdir") {
				t.Errorf("%q: %v, %q", args, err, out)
			}
			if took := time.Since(begin); took > 3*time.Second {
				t.Errorf("%q took %v", args, took)
			}
		}
	})
	t.Run("64 empty", func(t *testing.T) {
		if out, status := run(true, "bash", "-c", ""); status != 0 || out != "" {
			t.Errorf("status %d, %q", status, out)
		}
	})
	t.Run("nothing stays behind", func(t *testing.T) {
		if out, _ := run(true, "bash", "-c", "declare -F; compgen -v | grep -i extdir; trap -p"); out != "EXTDIR_BELOW\nEXTDIR_SESSION\n" {
			t.Errorf("%q", out)
		}
	})
	t.Run("need", func(t *testing.T) {
		d.Forget()
		d.SetNeeds("var:HOME func:f names:*")
		if out, status := run(true, "bash", "-c", "touch f; : NEED"); status != 0 || !ran() {
			t.Errorf("status %d, %q", status, out)
		}
		if have := d.Requests("tell")[0].Get("declare.HOME"); have != `declare -x HOME="`+dir+`"` {
			t.Errorf("HOME %q", have)
		}
	})
	t.Run("long", func(t *testing.T) {
		d.Forget()
		text := "touch f; : '" + strings.Repeat("x", 100<<10) + "'"
		if out, status := run(true, "bash", "-c", text); status != 0 || !ran() {
			t.Errorf("status %d, %.100q", status, out)
		}
		if c := d.Checked(); len(c) != 1 || c[0] != text {
			t.Errorf("checked %d lines", len(c))
		}
	})
	t.Run("66 scripts", func(t *testing.T) {
		d.Forget()
		write(t, filepath.Join(dir, "s"), "set -euo pipefail\necho $0 $1 ${BASH_ENV:+env}\n(exit 3)\n")
		out, status := run(true, "bash", "s", "x")
		if out != "s x env\n" || status != 3 || len(d.Checked()) != 0 {
			t.Errorf("status %d, %q, checked %q", status, out, d.Checked())
		}
	})
	t.Run("a BASH_ENV that was there before", func(t *testing.T) {
		write(t, filepath.Join(dir, "mine"), "echo mine\n")
		g := start(t, setup{env: []string{"BASH_ENV=" + dir + "/mine"}})
		g.prints("bash -c 'echo text'", "mine\ntext")
		g.blocks("bash -c 'echo BLO'CK; exit; : BLOCK")
		write(t, filepath.Join(g.dir, "s"), "echo script\n")
		g.prints("bash s", "mine\nscript")
	})
	t.Run("BASH_ENV costs a script nothing", func(t *testing.T) {
		g := start(t, setup{})
		write(t, filepath.Join(g.dir, "s"), "echo script\n")
		g.prints("bash -x s", "+ echo script\nscript")
		g.prints("bash -c 'x=BLO; echo ${x}CK'", "BLOCK")
		g.d.Forget()
		g.Run("bash -c 'echo in'")
		g.checked("bash -c 'echo in'") // the line answered for it
	})
}

func TestWithoutTerminal(t *testing.T) {
	t.Run("67 no tty", func(t *testing.T) {
		d := term.NewDaemon(t)
		dir, env := home(t, d, setup{})
		cmd := exec.Command("setsid", "-w", "bash", "-i")
		cmd.Dir = dir
		cmd.Env = append(env, "HOME="+dir, "PATH=/usr/bin:/bin")
		cmd.Stdin = strings.NewReader("touch a\ntouch b BLOCK\ntouch c\n")
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), "extdir: blocked: ") {
			t.Errorf("%q", out)
		}
		m, _ := filepath.Glob(filepath.Join(dir, "[abc]"))
		if len(m) != 2 || filepath.Base(m[0]) != "a" || filepath.Base(m[1]) != "c" {
			t.Errorf("files %q", m)
		}
	})
	for _, c := range []struct {
		name string
		s    setup
	}{
		{"68 --noediting", setup{argv: []string{"bash", "--noediting", "-i"}}},
		{"68 dumb", setup{env: []string{"TERM=dumb", "INSIDE_EMACS=29,comint"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := start(t, c.s)
			g.blocks("touch a BLOCK")
			g.Run("touch b")
			g.hasFiles("b")
		})
	}
}

// TestNested: 71, a shell whose start file loads the guard.
func TestNested(t *testing.T) {
	g := start(t, setup{})
	for _, inner := range []string{"bash", "exec bash", "env bash"} {
		g.Run(inner)
		g.blocks("touch a BLOCK")
		g.hasFiles("")
	}
}

func TestSystemCalls(t *testing.T) {
	strace := term.Need(t, "strace", "strace")
	g := start(t, setup{rc: "HISTCONTROL=ignoreboth"})
	g.Run("true") // the first prompt says hello
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command(strace, "-f", "-qq", "-e", "trace=process", "-o", trace, "-p", itoa(g.Pid()))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if !attached(g.Pid()) {
		t.Skip("strace may not attach to processes here")
	}
	g.Run(": allowed")
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	// Threads of the hook's runtime are no processes.
	forks := len(regexp.MustCompile(`(?m) (fork|vfork|clone3?)\(.*SIGCHLD`).FindAll(b, -1))
	execs := len(regexp.MustCompile(`(?m) execve\(.*= 0|execve resumed.*= 0`).FindAll(b, -1))
	if forks > 2 || execs > 1 || execs == 0 {
		t.Errorf("an allowed line takes %d forks and %d execs, want at most 2 and exactly 1:\n%s", forks, execs, b)
	}
}
