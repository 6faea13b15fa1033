package bash

import (
	"regexp"
	"testing"
)

// ours are the options that the guard needs.
var ours = regexp.MustCompile(`\b(promptvars|cmdhist|lithist):`)

// TestPreludes: what a start file says before the guard is loaded keeps it neither
// from being loaded nor from working, and is as it was afterwards.
func TestPreludes(t *testing.T) {
	for _, rc := range []string{
		"alias r=make fc='history -l' builtin='echo hi' local=typeset eval='echo hi' printf='echo hi'",
		"alias [='test' [[='test' if='echo hi' case='echo hi' while='echo hi' for='echo hi' 'in=echo hi'",
		"alias echo='echo -e' set='echo set' shopt='echo shopt' exec='echo exec' kill='echo kill' trap='echo trap' read='read -r' return='echo hi' command='echo hi'",
		"alias __extdir_line=true",
		"set -u",
		"set -e",
		"set -o pipefail",
		"set -o noglob",
		"set -C",
		"set -a",
		"set -E -T",
		"set -o vi",
		"set +o emacs",
		"set -b",
		"set -k",
		"set -p",
		"set +h",
		"set +B",
		"set +H",
		"set -o posix",
		"shopt -s failglob",
		"shopt -s nullglob dotglob nocaseglob nocasematch extglob globstar",
		"shopt -u extglob interactive_comments",
		"shopt -u promptvars",
		"shopt -u cmdhist; shopt -s lithist histappend histverify histreedit",
		"shopt -s autocd cdspell checkjobs checkwinsize lastpipe xpg_echo inherit_errexit localvar_inherit",
		"shopt -s compat44",
		"shopt -s expand_aliases execfail login_shell 2>/dev/null",
		"IFS=",
		"IFS=/_",
		"export LC_ALL=C LANG=C",
		"export POSIXLY_CORRECT=1",
		"PROMPT_COMMAND='true'; PROMPT_COMMAND+=(false)",
		"PS0='\\t\\n'; trap 'true' DEBUG",
		"trap 'echo ERR' ERR; trap 'true' EXIT RETURN",
		"HISTCONTROL=ignoreboth HISTIGNORE='touch*' HISTSIZE=3",
		"HISTTIMEFORMAT='%F %T '",
		"unset HISTFILE",
		"FUNCNEST=3",
		"TMOUT=100 PS4='+ '",
		"echo() { builtin echo \"$@\"; }; cat() { command cat \"$@\"; }; history() { builtin history \"$@\"; }",
		"local() { :; }; printf() { :; }; set() { :; }; read() { :; }; shopt() { :; }; trap() { :; }; exit() { :; }",
		"readonly PROMPT_DIRTRIM=2; declare -r LC_COLLATE=C",
		"ulimit -n 64",
		"umask 777; umask 077",
	} {
		t.Run(rc, func(t *testing.T) {
			g := start(t, setup{rc: rc + "; true"})
			g.blocks("touch a BLOCK")
			g.hasFiles("")
			g.Run("touch b")
			g.hasFiles("b")
			g.checked("touch a BLOCK", "touch b")
			plain := start(t, setup{rc: rc + "; true", bare: true})
			const settings = `\builtin shopt -s sourcepath; \builtin printf '%q\n' "$SHELLOPTS" "$BASHOPTS" "${IFS-unset}" "${!BASH_ALIASES[*]}" "${BASH_ALIASES[*]}"`
			if have, want := ours.ReplaceAllString(g.Run(settings), ""), ours.ReplaceAllString(plain.Run(settings), ""); have != want {
				t.Errorf("settings afterwards:\n%s\nwithout the guard:\n%s", have, want)
			}
		})
	}
}

// Options that a line turns on keep the next one from nothing.
func TestOptionsAtThePrompt(t *testing.T) {
	for _, line := range []string{"set -k", "set -u", "set -f", "set -a", "set -C", "set -o posix", "set +B", "shopt -s failglob nullglob", "shopt -u promptvars", "shopt -u expand_aliases", "IFS=/", "alias '[['=test builtin='echo hi'", "set -T; set -E", "exec 3<&0"} {
		t.Run(line, func(t *testing.T) {
			g := start(t, setup{})
			g.Run(line)
			g.blocks("touch a BLOCK")
			g.Run("touch b")
			g.hasFiles("b")
			g.checked(line, "touch a BLOCK", "touch b")
		})
	}
}
