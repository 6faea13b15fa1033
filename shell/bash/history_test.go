package bash

import (
	"os"
	"strings"
	"testing"
)

func TestHistoryRules(t *testing.T) {
	t.Run("22 ignorespace", func(t *testing.T) {
		g := start(t, setup{rc: "HISTCONTROL=ignoreboth"})
		g.Run(" touch first")
		g.blocks(" touch a BLOCK")
		g.hasFiles("first")
		g.checked(" touch first", " touch a BLOCK")
		if out := g.Run("history"); strings.Contains(out, "touch") {
			t.Fatalf("the history keeps private lines: %q", out)
		}
	})
	t.Run("22 a private line that needs more of the shell", func(t *testing.T) {
		g := start(t, setup{rc: "HISTCONTROL=ignorespace"})
		g.Run(" echo NEED; touch a")
		g.hasFiles("a")
		if out := g.Run("history"); strings.Contains(out, "touch") {
			t.Fatalf("the history keeps private lines: %q", out)
		}
	})
	t.Run("23 the user's values are seen", func(t *testing.T) {
		g := start(t, setup{rc: "HISTCONTROL=ignoreboth HISTIGNORE='secret*'"})
		for range 2 {
			g.prints(" echo $HISTCONTROL $HISTIGNORE", "ignoreboth secret*")
			g.Run("") // an empty line must not make the guard forget them
		}
		g.Run("HISTCONTROL=")
		g.prints("echo [$HISTCONTROL]", "[]")
		g.Run("unset HISTCONTROL")
		g.prints("echo ${HISTCONTROL-unset}", "unset")
	})
	t.Run("24 ignoredups", func(t *testing.T) {
		g := start(t, setup{rc: "HISTCONTROL=ignoredups"})
		g.Lines("touch a", "touch a", "touch a")
		g.checked("touch a", "touch a", "touch a")
		if n := strings.Count(g.Run("history"), "touch a"); n != 1 {
			t.Fatalf("the history has the line %d times", n)
		}
	})
	t.Run("25 HISTIGNORE", func(t *testing.T) {
		g := start(t, setup{rc: "HISTIGNORE='secret*:ls'"})
		g.blocks("secret BLOCK")
		g.Run("ls")
		out := g.Run("history")
		if strings.Contains(out, "secret") || strings.Contains(out, "ls") {
			t.Fatalf("the history keeps ignored lines: %q", out)
		}
	})
	t.Run("25 HISTFILE stays private", func(t *testing.T) {
		g := start(t, setup{rc: "HISTCONTROL=ignorespace", after: "PROMPT_COMMAND+=('history -a')"})
		g.Lines(" echo private", "echo public", "true")
		b, err := os.ReadFile(strings.TrimSuffix(g.dir, "work") + ".hist")
		if err != nil {
			t.Fatal(err)
		}
		if s := string(b); strings.Contains(s, "private") || !strings.Contains(s, "public") {
			t.Fatalf("history file: %q", s)
		}
	})
	t.Run("26 history off", func(t *testing.T) {
		g := start(t, setup{})
		g.Run("echo old")
		g.Run("set +o history")
		g.d.Forget()
		g.blocks("touch a")
		g.hasFiles("")
		g.checked("") // nothing stale was judged
	})
	t.Run("27 HISTSIZE=0", func(t *testing.T) {
		g := start(t, setup{})
		g.Run("HISTSIZE=0")
		g.blocks("touch a")
		g.hasFiles("")
	})
	t.Run("readonly HISTCONTROL", func(t *testing.T) {
		g := start(t, setup{after: "readonly HISTCONTROL=ignorespace"})
		g.Run("touch a")
		g.blocks(" touch b")
		g.hasFiles("a")
	})
	t.Run("28 history edited", func(t *testing.T) {
		g := start(t, setup{})
		for _, l := range []string{"history -c", "history -d 1", "history -s x", "history -a", "history -n", "HISTSIZE=3", "echo b", "echo c", "echo d", "history -c"} {
			g.Run(l)
			g.prints("echo ok", "ok")
		}
	})
	t.Run("28 history rewritten at every prompt", func(t *testing.T) {
		g := start(t, setup{rc: "HISTCONTROL=ignoreboth; shopt -s histappend", after: "PROMPT_COMMAND='history -a; history -c; history -r'"})
		for range 3 {
			g.prints("echo ok", "ok")
			g.prints(" echo private", "private")
		}
		g.blocks("touch a BLOCK")
		g.hasFiles("")
		b, err := os.ReadFile(strings.TrimSuffix(g.dir, "work") + ".hist")
		if err != nil || strings.Contains(string(b), "private") || !strings.Contains(string(b), "echo ok") {
			t.Fatalf("history file: %q, %v", b, err)
		}
	})
	t.Run("29 time format", func(t *testing.T) {
		g := start(t, setup{rc: "HISTTIMEFORMAT='%F %T '"})
		g.Run("touch a")
		g.checked("touch a")
	})
}

func TestText(t *testing.T) {
	g := start(t, setup{rc: "set -o histexpand"})
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
				g.WaitUntil(m, "PS2", func(s string) bool { return strings.Count(s, "\n> ") >= n })
			}
		}
		g.WaitPromptAfter(m)
	}
	each("30 loop with a comment over several lines", func(t *testing.T) {
		more("for i in 1", "do # c", "touch $i BLOCK", "done")
		g.checked("for i in 1\ndo # c\ntouch $i BLOCK\ndone")
		g.hasFiles("")
	})
	each("31 here-document", func(t *testing.T) {
		more("cat <<EOF > f", "BLOCK", "EOF")
		g.checked("cat <<EOF > f\nBLOCK\nEOF\n")
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
		g.d.Forget()
		g.Run("echo x!$")
		g.checked("echo xBLOCK")
	})
	each("41 Ctrl-C at the prompt", func(t *testing.T) {
		m := g.Mark()
		g.Type("touch half")
		g.WaitText(m, "half")
		g.Type("\x03")
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
}
