package integration

import (
	"strings"
	"testing"
)

// Scenarios 22 to 25, 28 and 29: what a person's history options keep out of the
// history is judged all the same, and still kept out.
func TestScenarioHistory(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		bash := shell == "bash"
		s := scenes(t, map[bool]string{
			true:  "HISTCONTROL=ignoreboth HISTIGNORE='secret*' HISTTIMEFORMAT='%F %T '",
			false: "setopt hist_ignore_space hist_ignore_dups extended_history; HISTORY_IGNORE='(secret*)' HISTSIZE=100",
		}[bash])
		a := s.anAgents(shell)
		list := map[bool]string{true: "history", false: "fc -l 1"}[bash]
		a.scenario("22 ignorespace", func(t *testing.T) {
			a.cut()
			a.blocks(" touch a BLOCK")
			a.run(" touch b")
			a.hasFiles("b")
			// zsh hands its own rendering of the line to its hooks.
			lead := map[bool]string{true: " "}[bash]
			a.judged(lead+"touch a BLOCK", lead+"touch b")
			hasNot(t, a.run(list), "touch a", "touch b")
		})
		if bash {
			a.scenario("23 histcontrol-visible", func(*testing.T) {
				for range 2 {
					a.prints(" echo $HISTCONTROL $HISTIGNORE", "ignoreboth secret*")
					a.run("") // an empty line must not make the guard forget them
				}
			})
		}
		a.scenario("24 ignoredups", func(t *testing.T) {
			a.cut()
			for range 3 {
				a.run("touch dup")
			}
			a.judged("touch dup", "touch dup", "touch dup")
			if n := strings.Count(a.run(list), "touch dup"); n != 1 {
				t.Errorf("the history has the line %d times", n)
			}
		})
		a.scenario("25 HISTIGNORE", func(t *testing.T) {
			a.blocks("secret <BLOCK")
			a.run("true")
			if bash { // HISTORY_IGNORE of zsh is about the file alone
				hasNot(t, a.run(list), "secret")
			}
		})
		edits := []string{"history -c", "history -s x", "history -d 1", "history -a", "history -n"}
		if !bash {
			edits = []string{"fc -p", "fc -P", "fc -W ./hist"}
		}
		a.scenario("28 history-edit", func(*testing.T) {
			for _, l := range edits {
				a.run(l)
				a.run("touch a")
				a.prints("rm a && echo ok", "ok")
			}
		})
		a.scenario("29 timefmt", func(*testing.T) {
			a.cut()
			a.run("touch a")
			a.judged("touch a")
		})
	})
}

// Scenarios 28 and 27: a short history, and none.
func TestScenarioShortHistory(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		bash := shell == "bash"
		s := scenes(t, "HISTSIZE=3")
		a := s.anAgents(shell)
		a.scenario("28 HISTSIZE=3", func(*testing.T) {
			a.cut()
			want := []string{}
			for _, l := range []string{"touch a", "touch b", "touch b", "touch c", "touch d", "touch e"} {
				a.run(l)
				want = append(want, l)
			}
			a.hasFiles("a b c d e")
			a.judged(want...)
			a.s.sweep()
			a.blocks("touch a BLOCK")
		})
		s.add(s.home+"/."+shell+"rc", "HISTSIZE=0")
		none := s.anAgents(shell)
		none.scenario("27 HISTSIZE=0", func(t *testing.T) {
			none.blocks("touch a BLOCK")
			out := none.run("touch b")
			if bash {
				// The text can't be seen: nothing runs.
				has(t, out, "history")
				none.hasFiles("")
			} else {
				none.hasFiles("b")
			}
		})
	})
}

// Scenarios 30 to 32, 36, 40 to 42: one check for each line, with the text that
// the shell is about to run.
func TestScenarioText(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		bash := shell == "bash"
		s := scenes(t, map[bool]string{
			true: `comp() { touch x; COMPREPLY=(done); }; complete -F comp cmd
bind 'set bell-style none'
bind -x '"\C-t": touch y'
trap 'touch z' USR1
PROMPT_COMMAND='[ ! -e armed ] || touch p'`,
			false: `setopt interactive_comments
alias al='touch aliased'; alias -g GL=BLOCK
w() { touch y }; zle -N w; bindkey '^T' w; TRAPUSR1() { touch z }
precmd_functions+=(pc); pc() { [[ ! -e armed ]] || touch p }`,
		}[bash])
		a := s.anAgents(shell)
		// more types a line of several, waiting for the shell to ask for the rest.
		more := func(keys ...string) string {
			m := a.mark()
			for i, k := range keys {
				a.keys(k)
				a.enter()
				if i < len(keys)-1 {
					a.wait(m, "PS2", func(x string) bool {
						return strings.Count(x, "\n")-strings.Count(x, "\n"+prompt) > i && strings.HasSuffix(x, "> ")
					})
				}
			}
			text := a.wait(m, "the prompt", func(x string) bool { return strings.Contains(x, "\n") && atPrompt(x) })
			pause()
			return text
		}
		for _, k := range []struct {
			name, bash, zsh string
			keys            []string
		}{
			{"30 PS2 loop with comment", "for i in 1\ndo # c\ntouch $i BLOCK\ndone", "for i in 1\ndo\n\ttouch $i BLOCK\ndone", []string{"for i in 1", "do # c", "touch $i BLOCK", "done"}},
			{"31 heredoc", "sh <<EOF > f\ntouch BLOCK\nEOF\n", "sh <<EOF > f\ntouch BLOCK\nEOF", []string{"sh <<EOF > f", "touch BLOCK", "EOF"}},
			{"32 backslash-newline", "touch ab BLOCK", "", []string{`touch a\`, "b BLOCK"}},
			{"32 open quote", "touch 'a\nb BLOCK'", "", []string{"touch 'a", "b BLOCK'"}},
		} {
			a.scenario(k.name, func(t *testing.T) {
				a.cut()
				has(t, more(k.keys...), "extdir: blocked: ")
				a.hasFiles("")
				want := k.bash
				if !bash && k.zsh != "" {
					want = k.zsh
				}
				a.judged(want)
			})
		}
		a.scenario("31 heredoc that is only text", func(t *testing.T) {
			hasNot(t, more("cat <<EOF > f", "BLOCK", "EOF"), "extdir:")
			a.hasFiles("f")
		})
		a.scenario("36 history expansion", func(t *testing.T) {
			a.run("touch BLO")
			a.cut()
			a.run("echo BLO")
			a.blocks("cat !$CK")
			a.run("touch BLO")
			a.blocks("!!CK")
			a.judged("echo BLO", "cat BLOCK", "touch BLO", "touch BLOCK")
		})
		a.scenario("40 no command, no check", func(t *testing.T) {
			a.cut()
			for _, l := range []string{"", "   ", "# comment", ")"} {
				hasNot(t, a.run(l), "extdir:")
			}
			a.judged()
		})
		a.scenario("41 Ctrl-C at prompt", func(*testing.T) {
			a.cut()
			m := a.mark()
			a.keys("touch half")
			a.waitFor(m, "half")
			a.key("C-c")
			a.wait(m, "the prompt", atPromptAgain)
			a.run("touch a")
			a.hasFiles("a")
			a.judged("touch a")
		})
		a.scenario("42 completion, bind -x, trap USR1, PROMPT_COMMAND", func(*testing.T) {
			a.cut()
			a.run("touch armed")
			if bash {
				m := a.mark()
				a.keys("cmd \t")
				a.waitFor(m, "cmd done")
				a.key("C-u")
			}
			a.key("C-t")
			a.s.until("the key's command", func() bool { return strings.Contains(strings.Join(a.s.files(), " "), "y") })
			a.run("kill -USR1 $$")
			a.run("rm armed")
			a.hasFiles(map[bool]string{true: "p x y z", false: "p y z"}[bash])
			a.judged("touch armed", "kill -USR1 $$", "rm armed")
		})
		if !bash {
			a.scenario("aliases", func(*testing.T) {
				a.cut()
				a.blocks("al GL")
				a.judged("touch aliased BLOCK")
			})
		}
	})
}
