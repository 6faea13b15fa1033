package zsh

import (
	"strings"
	"testing"
	"time"

	"extdir/integration/term"
)

func TestHistoryRules(t *testing.T) {
	t.Run("22 ignorespace", func(t *testing.T) {
		g := start(t, setup{rc: "setopt hist_ignore_space"})
		g.blocks(" touch a BLOCK")
		g.hasFiles("")
		g.Run("true")
		if out := g.Run("fc -l"); strings.Contains(out, "touch") {
			t.Fatalf("the history keeps private lines: %q", out)
		}
	})
	t.Run("24 ignoredups", func(t *testing.T) {
		g := start(t, setup{rc: "setopt hist_ignore_dups"})
		g.Lines("touch a", "touch a", "touch a")
		g.checked("touch a", "touch a", "touch a")
	})
	t.Run("27 HISTSIZE=0", func(t *testing.T) {
		g := start(t, setup{rc: "HISTSIZE=0"})
		g.blocks("touch a BLOCK")
		g.Run("touch b")
		g.hasFiles("b")
	})
	t.Run("25 hist_no_store", func(t *testing.T) {
		g := start(t, setup{rc: "setopt hist_no_store hist_no_functions; zshaddhistory() { return 1 }"})
		g.blocks("touch a BLOCK")
		g.hasFiles("")
	})
}

func TestText(t *testing.T) {
	g := start(t, setup{rc: "alias al='touch aliased'; alias -g GL=BLOCK; setopt interactive_comments"})
	each := func(name string, f func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			g.t = t
			g.d.Forget()
			f(t)
		})
	}
	more := func(keys ...string) {
		t.Helper()
		m := g.Mark()
		for i, k := range keys {
			g.Type(k + "\r")
			if i < len(keys)-1 {
				n := i + 1
				g.WaitUntil(m, "PS2", func(s string) bool { return strings.Count(s, "> ") >= n })
			}
		}
		g.WaitPromptAfter(m)
	}
	each("30 loop with a comment over several lines", func(t *testing.T) {
		more("for i in 1", "do # c", "touch $i BLOCK", "done")
		g.checked("for i in 1\ndo\n\ttouch $i BLOCK\ndone")
		g.hasFiles("")
	})
	each("31 here-document", func(t *testing.T) {
		more("cat <<EOF > f", "BLOCK", "EOF")
		if c := g.d.Checked(); len(c) != 1 || !strings.Contains(c[0], "BLOCK\nEOF") {
			t.Fatalf("checked %q", c)
		}
		g.hasFiles("")
	})
	each("32 backslash-newline", func(t *testing.T) {
		more("touch a\\", "b BLOCK")
		g.checked("touch ab BLOCK")
		g.hasFiles("")
	})
	each("32 open quote", func(t *testing.T) {
		more("touch 'a", "b BLOCK'")
		g.checked("touch 'a\nb BLOCK'")
		g.hasFiles("")
	})
	each("36 history expansion", func(t *testing.T) {
		g.Run("echo BLO")
		g.d.Forget()
		g.Run("!!CK")
		g.checked("echo BLOCK")
	})
	each("aliases", func(t *testing.T) {
		g.Run("al GL")
		g.checked("touch aliased BLOCK")
		if have := g.d.Requests("check")[0].Get("typed"); have != "al GL" {
			t.Errorf("typed %q", have)
		}
		g.Run("rm aliased BLOCK; :")
	})
	each("41 Ctrl-C at the prompt", func(t *testing.T) {
		m := g.Mark()
		g.Type("touch half")
		g.WaitText(m, "half")
		// On a busy machine zsh 5.9 now and then takes no notice of the first INT
		// (the cause isn't known); a person presses the key again.
		for range 5 {
			g.Type("\x03")
			for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				if strings.HasSuffix(g.TextAfter(m), "\n"+term.Prompt) {
					break
				}
			}
			if strings.HasSuffix(g.TextAfter(m), "\n"+term.Prompt) {
				break
			}
		}
		g.WaitPromptAfter(m)
		g.Run("touch a")
		g.checked("touch a")
		g.hasFiles("a")
	})
	each("40 no command, no check", func(t *testing.T) {
		g.Lines("", "   ", "# comment", ")")
		g.checked()
	})
	each("bytes as they are", func(t *testing.T) {
		g.Run("echo 'ä€😀' $'\\x01'")
		g.checked("echo 'ä€😀' $'\\x01'")
	})
	each("physical directory", func(t *testing.T) {
		g.Run("mkdir -p r/d; ln -s r/d l; cd l")
		g.d.Forget()
		g.Run("true")
		if have := g.d.Requests("check")[0].Get("cwd"); have != g.dir+"/r/d" {
			t.Errorf("cwd %q", have)
		}
		g.Run("cd ..; rm -rf r l a")
	})
}
