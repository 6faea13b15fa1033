package bash

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"extdir/integration/term"
)

func TestPaste(t *testing.T) {
	t.Run("33 bracketed paste", func(t *testing.T) {
		// Each line of a paste is a command of its own. The burst that follows a
		// refusal is the daemon's to refuse; the stand-in judges each by itself.
		g := start(t, setup{})
		m := g.Mark()
		g.Paste("touch a\ntouch b BLOCK\ntouch cBLOCK")
		g.Type("\r")
		g.WaitUntil(m, "a refusal", func(s string) bool { return strings.Contains(s, "blocked") && strings.HasSuffix(s, term.Prompt) })
		g.prints("echo ok", "ok")
		g.hasFiles("a")
	})
	t.Run("34 typed ahead", func(t *testing.T) {
		g := start(t, setup{})
		m := g.Mark()
		g.Type("sleep 0.3; touch a\rtouch b BLOCK\rtouch c\r")
		g.WaitUntil(m, "a refusal", func(s string) bool { return strings.Contains(s, "blocked") && strings.HasSuffix(s, term.Prompt) })
		g.prints("echo ok", "ok")
		g.hasFiles("a") // the third was thrown away with the second
	})
	t.Run("35 tmux send-keys", func(t *testing.T) {
		d := term.NewDaemon(t)
		dir, env := home(t, d, setup{})
		tm := term.StartTmux(t, term.Options{Dir: dir, Env: env}, "bash", "-i")
		tm.Send("touch a BLOCK", "Enter")
		tm.WaitUntil("the refusal", func(s string) bool { return strings.Contains(s, "extdir: blocked: ") })
		tm.WaitPrompt()
		tm.Send("touch b", "Enter")
		tm.WaitUntil("two prompts", func(s string) bool { return strings.Count(s, strings.TrimSpace(term.Prompt)) >= 3 })
		if m, _ := filepath.Glob(filepath.Join(dir, "[ab]")); len(m) != 1 || filepath.Base(m[0]) != "b" {
			t.Fatalf("files: %q", m)
		}
	})
}

func TestRerun(t *testing.T) {
	t.Run("37 fc", func(t *testing.T) {
		g := start(t, setup{})
		g.Run("true touch a B_LOCK")
		if out := g.Run("fc -s true="); !strings.Contains(out, "fc runs what the guard does not see") {
			t.Fatalf("fc -s: %q", out)
		}
		g.Run("fc -e true")
		g.Run("fc")
		g.hasFiles("")
		if out := g.Run("fc -l"); !strings.Contains(out, "B_LOCK") {
			t.Fatalf("fc -l: %q", out)
		}
		if out := g.Run("fc -ln -1"); !strings.Contains(out, "fc") {
			t.Fatalf("fc -ln: %q", out)
		}
	})
	t.Run("38 edit and execute", func(t *testing.T) {
		g := start(t, setup{rc: "EDITOR=true VISUAL=true"})
		g.Type("touch a\x18\x05") // C-x C-e
		g.Type("\x15")
		g.prints("echo ok", "ok")
		g.hasFiles("")
	})
	t.Run("38 vi v", func(t *testing.T) {
		g := start(t, setup{rc: "set -o vi; EDITOR=true VISUAL=true"})
		g.Type("touch a\x1bv")
		g.Type("\x1bddi")
		g.prints("echo ok", "ok")
		g.hasFiles("")
	})
	t.Run("39 other keys that run a line", func(t *testing.T) {
		g := start(t, setup{})
		for _, key := range []string{"\x0f", "\n"} { // C-o, C-j
			m := g.Mark()
			g.Type("touch a BLOCK" + key)
			g.WaitText(m, "blocked")
			g.WaitPromptAfter(m)
		}
		g.hasFiles("")
	})
	t.Run("42 not lines", func(t *testing.T) {
		g := start(t, setup{rc: `
			comp() { touch x; COMPREPLY=(done); }; complete -F comp cmd
			bind -x '"\C-t": touch y'
			trap 'touch z' USR1
		`, after: "PROMPT_COMMAND+=('touch p')"})
		g.d.Forget()
		m := g.Mark()
		g.Type("cmd \t")
		g.WaitText(m, "cmd done")
		g.Type("\x15\x14")
		g.Type("true\r")
		g.WaitPromptAfter(m)
		g.Run("kill -USR1 $$")
		g.checked("true", "kill -USR1 $$")
		g.hasFiles("p x y z")
	})
}

func TestSignals(t *testing.T) {
	t.Run("43 Ctrl-C in the check", func(t *testing.T) {
		g := start(t, setup{})
		m := g.Mark()
		g.Type("touch a SLEEP\r")
		g.waitCheck()
		g.Type("\x03")
		g.WaitPromptAfter(m)
		g.hasFiles("")
		g.prints("echo ok", "ok")
	})
	t.Run("44 Ctrl-Z and Ctrl-backslash in the check", func(t *testing.T) {
		g := start(t, setup{})
		for _, key := range []string{"\x1a", "\x1c"} {
			g.d.Forget()
			m := g.Mark()
			g.Type("touch a SLEEP BLOCK\r")
			g.waitCheck()
			g.Type(key)
			g.WaitPromptAfter(m)
			g.hasFiles("")
			g.prints("jobs", "")
		}
	})
	for _, c := range []struct{ name, trap string }{
		{"45 INT ignored", "trap '' INT"},
		{"46 INT trapped", "trap 'echo I' INT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := start(t, setup{})
			g.Run(c.trap)
			for _, m := range matrix {
				g.blocks(m.line)
				g.hasFiles("")
			}
			if out := g.Run("trap -p INT"); !strings.Contains(out, strings.Fields(c.trap)[1]) {
				t.Fatalf("the trap is gone: %q", out)
			}
			g.Run("touch ok")
			g.hasFiles("ok")
		})
	}
	t.Run("47 started with INT ignored", func(t *testing.T) {
		g := start(t, setup{argv: []string{"sh", "-c", "trap '' INT; exec bash -i"}})
		g.blocks("touch a BLOCK")
		g.hasFiles("")
	})
	t.Run("48 set -e", func(t *testing.T) {
		g := start(t, setup{rc: "set -e"})
		g.blocks("touch a BLOCK")
		g.prints("echo alive", "alive")
		g.hasFiles("")
	})
}

// waitCheck waits until the daemon has been asked.
func (g *guarded) waitCheck() {
	g.t.Helper()
	g.d.WaitFor("check")
}

func TestOptions(t *testing.T) {
	for _, o := range []string{
		"set -u", "set -x", "set -v", "set -f", "set -C", "set -T", "set -E", "set -o posix", "set -b", "set -m", "set +m", "set -k",
		"IFS=0123456789", "IFS=", "readonly IFS=x", "shopt -s nullglob", "shopt -s failglob", "shopt -s extglob", "shopt -s lastpipe", "shopt -s nocasematch",
		"shopt -u cmdhist", "set +H", "alias echo=false touch=false", "LC_ALL=C", "PS0=", "shopt -u promptvars", "PROMPT_COMMAND=true",
		"trap 'true dbg' DEBUG", "trap 'true err' ERR", "trap 'echo' RETURN", "set -o vi", "HISTSIZE=3", "unset HISTFILE", "umask 777; umask 022",
		"printf() { :; }", "history() { :; }", "exec() { :; }", "trap() { :; }", "builtin true",
	} {
		t.Run("49 "+o, func(t *testing.T) {
			g := start(t, setup{})
			g.Run(o)
			out := g.Run("touch a BLOCK")
			if !strings.Contains(out, "extdir: blocked: ") {
				t.Fatalf("not refused: %q", out)
			}
			if strings.Contains(out, "__extdir") {
				t.Fatalf("the guard shows its work: %q", out)
			}
			g.hasFiles("")
			if out := g.Run("/usr/bin/touch b"); strings.Contains(out, "__extdir") {
				t.Fatalf("the guard shows its work: %q", out)
			}
			g.hasFiles("b")
		})
	}
	t.Run("51 the user's DEBUG trap goes on", func(t *testing.T) {
		g := start(t, setup{})
		g.Run("trap 'echo dbg' DEBUG")
		g.blocks("touch a BLOCK")
		if out := g.Run("true"); !strings.Contains(out, "dbg") {
			t.Fatalf("the trap is gone: %q", out)
		}
	})
	t.Run("55 other prompt commands", func(t *testing.T) {
		for _, c := range []string{
			`PROMPT_COMMAND="echo st=\$?;$PROMPT_COMMAND"`,
			`PROMPT_COMMAND="$PROMPT_COMMAND;echo st=\$?"`,
			`PROMPT_COMMAND="$PROMPT_COMMAND"$'\n''echo st=$?'`,
			`PROMPT_COMMAND="true;$PROMPT_COMMAND;echo st=\$?"`,
			`PROMPT_COMMAND='echo st=$?'`,
			`PROMPT_COMMAND+=('echo st=$?')`,
			`PROMPT_COMMAND=('echo st=$?')`,
		} {
			g := start(t, setup{after: c})
			want := "st=3\n"
			if strings.Contains(c, "true;") {
				want = "st=0\n"
			}
			for range 2 {
				if out := g.Run("(exit 3)"); out != want {
					t.Errorf("%s: printed %q, want %q", c, out, want)
				}
			}
			g.blocks(" ( touch a BLOCK )")
			g.hasFiles("")
		}
	})
	t.Run("55 direnv", func(t *testing.T) {
		if _, err := exec.LookPath("direnv"); err != nil {
			t.Skip("direnv is missing: install direnv")
		}
		const load = `eval "$(direnv hook bash)"`
		for _, s := range []setup{{rc: load}, {after: load}} {
			g := start(t, s)
			write(t, filepath.Join(g.dir, ".envrc"), "export FROM_DIRENV=1\n")
			g.Run("direnv allow")
			g.prints("echo $FROM_DIRENV", "1")
			g.blocks("( touch a BLOCK )")
			g.hasFiles(".envrc")
			g.Run("false")
			g.prints("echo $?", "1")
		}
	})
	t.Run("59 the guard's own names", func(t *testing.T) {
		g := start(t, setup{})
		g.Lines("unset extdir_blocked", "extdir_blocked=(1 2 3)", "unset -f __extdir_check", "__extdir_check() { :; }", "__extdir_hook=/bin/true", "unset -f __extdir_pre", "readonly __extdir_next=0 __extdir_back", "readonly PROMPT_COMMAND HISTCONTROL=ignoreboth")
		g.blocks("touch a BLOCK")
		g.hasFiles("")
	})
	t.Run("63 no descriptors left in children", func(t *testing.T) {
		g := start(t, setup{})
		for range 10 {
			g.Run("true")
		}
		plain := term.Start(t, term.Options{Dir: g.dir, Env: []string{"PS1=" + term.Prompt}}, "bash", "--norc", "-i")
		const count = "ls /proc/self/fd | wc -l"
		g.prints(count, strings.TrimSpace(plain.Run(count)))
	})
	t.Run("loading twice", func(t *testing.T) {
		g := start(t, setup{})
		g.prints(". ~/.bashrc", "")
		g.d.Forget()
		g.Run("touch a")
		g.checked("touch a")
	})
	t.Run("load prints nothing", func(t *testing.T) {
		g := start(t, setup{})
		if s := g.TextAfter(0); s != term.Prompt {
			t.Fatalf("printed at load: %q", s)
		}
	})
}
