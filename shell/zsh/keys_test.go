package zsh

import (
	"path/filepath"
	"strings"
	"testing"

	"extdir/integration/term"
)

func TestPaste(t *testing.T) {
	t.Run("33 bracketed paste", func(t *testing.T) {
		// One paste is one line to preexec: one check, one verdict.
		g := start(t, setup{})
		m := g.Mark()
		g.Paste("touch a\ntouch b BLOCK\ntouch cBLOCK")
		g.Type("\r")
		g.WaitText(m, "blocked")
		g.WaitPromptAfter(m)
		g.hasFiles("")
		if n := len(g.d.Checked()); n != 1 {
			t.Errorf("%d checks", n)
		}
	})
	t.Run("34 typed ahead", func(t *testing.T) {
		g := start(t, setup{})
		m := g.Mark()
		g.Type("sleep 0.3; touch a\rtouch b BLOCK\rtouch c\r")
		g.WaitUntil(m, "a refusal", func(s string) bool { return strings.Contains(s, "blocked") && strings.HasSuffix(s, term.Prompt) })
		g.prints("echo ok", "ok")
		g.hasFiles("a")
	})
	t.Run("35 tmux send-keys", func(t *testing.T) {
		d := term.NewDaemon(t)
		dir, env := home(t, d, setup{})
		tm := term.StartTmux(t, term.Options{Dir: dir, Env: env}, "zsh", "-i")
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
	t.Run("37 fc and r", func(t *testing.T) {
		g := start(t, setup{})
		g.Run("true touch a B_LOCK")
		for _, l := range []string{"r true=", "fc -e - true=", "fc -s true=", "fc"} {
			if out := g.Run(l); !strings.Contains(out, "runs what the guard does not see") {
				t.Fatalf("%s: %q", l, out)
			}
		}
		g.hasFiles("")
		if out := g.Run("fc -l"); !strings.Contains(out, "B_LOCK") {
			t.Fatalf("fc -l: %q", out)
		}
		if out := g.Run("history"); !strings.Contains(out, "B_LOCK") {
			t.Fatalf("history: %q", out)
		}
	})
	t.Run("39 other keys that run a line", func(t *testing.T) {
		g := start(t, setup{})
		for _, key := range []string{"\x0f", "\n", "\x1ba"} { // C-o, C-j, M-a
			m := g.Mark()
			g.Type("touch a BLOCK" + key)
			g.WaitText(m, "blocked")
			g.Type("\x15")
			g.WaitUntil(m, "a prompt", func(s string) bool { return strings.Contains(s, "\n"+term.Prompt) })
		}
		g.Type("\x15")
		m := g.Mark()
		g.Type("print -z 'touch a BLO'CK\r")
		g.WaitText(m, term.Prompt+"touch a BLOCK")
		m = g.Mark()
		g.Type("\r")
		g.WaitText(m, "blocked")
		g.WaitPromptAfter(m)
		g.hasFiles("")
	})
	t.Run("39 vi mode", func(t *testing.T) {
		g := start(t, setup{rc: "bindkey -v"})
		m := g.Mark()
		g.Type("touch a BLOCK\x1b\r")
		g.WaitText(m, "blocked")
		g.WaitPromptAfter(m)
		g.hasFiles("")
	})
	t.Run("42 not lines", func(t *testing.T) {
		g := start(t, setup{
			rc:    "w() { touch y }; zle -N w; bindkey '^T' w; TRAPUSR1() { touch z }",
			after: "precmd_functions+=(pc); pc() { touch p }",
		})
		g.d.Forget()
		g.Type("\x14")
		g.Run("true")
		g.Run("kill -USR1 $$")
		g.checked("true", "kill -USR1 $$")
		g.hasFiles("p y z")
	})
}

// waitCheck waits until the daemon has been asked.
func (g *guarded) waitCheck() {
	g.t.Helper()
	g.d.WaitFor("check")
}

func TestSignals(t *testing.T) {
	t.Run("43 Ctrl-C in the check", func(t *testing.T) {
		g := start(t, setup{})
		m := g.Mark()
		g.Type("touch a SLEEP\r")
		g.waitCheck()
		g.Type("\x03")
		g.WaitText(m, "^C"+term.Prompt)
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
	t.Run("44 Ctrl-Z while a person is asked", func(t *testing.T) {
		g := start(t, setup{})
		m := g.Mark()
		g.Type("touch aASK\r")
		g.WaitText(m, "a person is asked")
		g.Type("\x1a")
		g.WaitPromptAfter(m) // the wait is over, or the line was cancelled
		g.hasFiles("")
		g.prints("jobs", "")
	})
	for _, c := range []struct{ name, trap, see string }{
		{"45 INT ignored", "trap '' INT", "trap -- '' INT"},
		{"46 INT trapped", "trap 'echo I' INT", "trap -- 'echo I' INT"},
		{"46 TRAPINT", "TRAPINT() { echo I }", "TRAPINT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := start(t, setup{})
			g.Run(c.trap)
			for _, m := range matrix {
				g.blocks(m.line)
				g.hasFiles("")
			}
			if out := g.Run("trap"); !strings.Contains(out, c.see) {
				t.Fatalf("the trap is gone: %q", out)
			}
			g.Run("touch ok")
			g.hasFiles("ok")
		})
	}
	t.Run("47 started with INT ignored", func(t *testing.T) {
		g := start(t, setup{argv: []string{"sh", "-c", "trap '' INT; exec zsh -i"}})
		g.blocks("touch a BLOCK")
		g.hasFiles("")
	})
	t.Run("48 errexit", func(t *testing.T) {
		g := start(t, setup{rc: "setopt errexit"})
		for _, m := range matrix {
			g.blocks(m.line)
			g.hasFiles("")
		}
		g.prints("echo alive; [[ -o errexit ]] && echo still", "alive\nstill")
	})
}

func TestOptions(t *testing.T) {
	for _, o := range []string{
		"setopt xtrace", "setopt verbose", "setopt ksh_arrays", "setopt local_traps", "setopt local_options", "setopt sh_word_split", "setopt glob_subst",
		"setopt no_unset", "setopt err_return", "setopt posix_builtins", "setopt posix_traps", "setopt no_debug_before_cmd", "setopt no_monitor",
		"setopt ksh_glob", "setopt null_glob", "setopt no_glob", "setopt no_nomatch", "setopt csh_null_glob", "setopt no_short_loops", "setopt ignore_braces",
		"setopt sh_file_expansion", "setopt extended_glob", "setopt no_function_argzero", "setopt warn_create_global", "setopt no_multibyte", "setopt no_clobber",
		"setopt rc_expand_param", "setopt ksh_typeset", "setopt no_equals", "setopt no_bare_glob_qual", "setopt posix_identifiers", "setopt c_bases", "setopt no_rcs",
		"setopt no_aliases", "setopt alias_func_def", "setopt no_multi_func_def", "setopt octal_zeroes", "setopt pipe_fail", "setopt restricted_x 2>/dev/null",
		"emulate ksh", "emulate sh", "IFS=0123456789", "IFS=", "unset HOME", "LC_ALL=C", "alias local=false", "cd /", "+Z=1 2>/dev/null", "unsetopt zle",
	} {
		t.Run("49 "+o, func(t *testing.T) {
			g := start(t, setup{})
			g.Run(o)
			opts := lastLine(g.Run("/bin/echo $-"))
			out := g.Run("/usr/bin/touch a BLOCK")
			if !strings.Contains(out, "extdir: blocked: ") {
				t.Fatalf("not refused: %q", out)
			}
			if strings.Contains(out, "_extdir") {
				t.Fatalf("the guard shows its work: %q", out)
			}
			g.hasFiles("")
			if out := g.Run("/usr/bin/touch " + g.dir + "/b"); strings.Contains(out, "_extdir") {
				t.Fatalf("the guard shows its work: %q", out)
			}
			g.hasFiles("b")
			if now := lastLine(g.Run("/bin/echo $-")); now != opts {
				t.Fatalf("options: %q, before %q", now, opts)
			}
		})
	}
	t.Run("52 debug_before_cmd is given back", func(t *testing.T) {
		g := start(t, setup{rc: "unsetopt debug_before_cmd"})
		g.blocks("touch a BLOCK")
		g.prints("[[ -o debug_before_cmd ]]; echo $?", "1")
	})
	for _, c := range []struct{ name, trap string }{
		{"function", "TRAPDEBUG() { touch dbg }"}, {"list", "trap 'touch dbg' DEBUG"},
	} {
		t.Run("51 the user's DEBUG trap goes on: "+c.name, func(t *testing.T) {
			g := start(t, setup{})
			g.Run(c.trap)
			g.Run("rm -f dbg")
			g.blocks("touch a BLOCK")
			g.Run("command rm dbg")
			g.Run("touch b")
			g.hasFiles("b dbg")
		})
	}
	t.Run("53 a preexec hook behind ours", func(t *testing.T) {
		g := start(t, setup{after: "autoload -Uz add-zsh-hook; later() { touch hook }; add-zsh-hook preexec later"})
		g.blocks("touch a BLOCK")
		g.hasFiles("hook")
		g.Run("touch ok")
		g.hasFiles("hook ok")
	})
	t.Run("53 syntax highlighting and suggestions", func(t *testing.T) {
		const dir = "/usr/share/"
		load := ""
		for _, p := range []string{"zsh-syntax-highlighting", "zsh-autosuggestions"} {
			load += "[[ -r " + dir + p + "/" + p + ".zsh ]] && source " + dir + p + "/" + p + ".zsh\n"
		}
		for _, s := range []setup{{rc: load}, {after: load}} {
			g := start(t, s)
			g.blocks("touch a BLOCK")
			g.Run("touch ok")
			g.hasFiles("ok")
		}
	})
	t.Run("57 disarmed on a line of its own", func(t *testing.T) {
		g := start(t, setup{})
		g.Run("preexec_functions=()")
		g.blocks("touch a BLOCK")
		g.Run("precmd_functions=()")
		g.blocks("touch a BLOCK")
		g.hasFiles("")
	})
	t.Run("59 the guard's own names", func(t *testing.T) {
		g := start(t, setup{})
		g.Lines("_extdir_socket=/x", "_extdir_hook=(true)", "unset _extdir_socket", "unfunction _extdir_judge")
		g.Run("touch a BLOCK")
		g.hasFiles("")
	})
	t.Run("loading twice", func(t *testing.T) {
		g := start(t, setup{})
		g.prints(". ~/.zshrc", "")
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
	t.Run("63 no descriptors left in children", func(t *testing.T) {
		g := start(t, setup{})
		for range 10 {
			g.Run("true")
		}
		plain := term.Start(t, term.Options{Dir: g.dir, Env: []string{"PS1=" + term.Prompt}}, "zsh", "-f", "-i", "-o", "no_prompt_sp")
		const count = "ls /proc/self/fd | wc -l"
		g.prints(count, strings.TrimSpace(plain.Run(count)))
	})
}

// lastLine is the last line of output, behind the trace of xtrace.
func lastLine(s string) string {
	s = strings.TrimRight(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}
