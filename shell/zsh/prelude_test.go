package zsh

import "testing"

// TestPreludes: what a start file says before the guard is loaded keeps it neither
// from being loaded nor from working, and is as it was afterwards.
func TestPreludes(t *testing.T) {
	for _, rc := range []string{
		"alias r=make fc='history -l' builtin='echo hi' local=typeset printf='echo hi' print='echo hi'",
		"alias typeset='echo hi' emulate='echo hi' setopt='echo hi' unsetopt='echo hi' zmodload='echo hi' export='echo hi' '[[=test'",
		"alias -g L='| less' G='| grep' NUL='>/dev/null' 1=one check=chk",
		"alias -s log=cat; alias if='echo hi' case='echo hi'",
		"alias echo='echo -e' set='echo set' exec='echo exec' kill='echo kill' trap='echo trap' read='read -r' return='echo hi' command='echo hi' eval='echo hi'",
		"setopt ignore_braces",
		"setopt ignore_close_braces",
		"setopt sh_glob",
		"setopt ksh_glob no_bare_glob_qual",
		"setopt ksh_arrays",
		"setopt sh_word_split",
		"setopt glob_subst",
		"setopt no_unset",
		"setopt no_equals magic_equal_subst",
		"setopt err_return",
		"setopt no_glob",
		"setopt csh_null_glob",
		"setopt null_glob glob_dots extended_glob",
		"setopt no_nomatch no_bad_pattern",
		"setopt rc_quotes",
		"setopt rc_expand_param",
		"setopt csh_junkie_quotes",
		"setopt posix_builtins posix_identifiers posix_traps posix_aliases",
		"setopt no_short_loops no_multi_func_def",
		"setopt all_export typeset_silent warn_create_global warn_nested_var",
		"setopt no_function_argzero no_prompt_subst no_prompt_percent",
		"setopt local_options local_traps",
		"setopt no_multios no_clobber noclobber path_dirs",
		"setopt sh_nullcmd sh_option_letters sh_file_expansion",
		"setopt hist_ignore_space hist_ignore_all_dups hist_no_functions hist_no_store share_history inc_append_history extended_history",
		"setopt no_bang_hist no_interactive_comments",
		"setopt auto_cd auto_pushd correct correct_all cdable_vars",
		"setopt debug_before_cmd xtrace; unsetopt xtrace",
		"setopt no_monitor no_notify",
		"setopt typeset_to_unset 2>/dev/null",
		"emulate sh",
		"emulate ksh",
		"IFS=",
		"export LC_ALL=C LANG=C",
		"precmd_functions=(true); preexec_functions=(true); preexec() { : }; precmd() { : }",
		"TRAPDEBUG() { : }; TRAPZERR() { : }; TRAPEXIT() { : }",
		"print() { builtin print \"$@\"; }; cat() { command cat \"$@\"; }",
		"unset HISTFILE; HISTSIZE=1; SAVEHIST=0",
		"FUNCNEST=20",
		"typeset -r REPORTTIME=10",
		"disable r fc; enable -f r 2>/dev/null",
		"ulimit -n 64",
	} {
		t.Run(rc, func(t *testing.T) {
			g := start(t, setup{rc: rc + "; true"})
			g.blocks("touch a BLOCK")
			g.hasFiles("")
			g.Run("touch b")
			g.hasFiles("b")
			g.checked("touch a BLOCK", "touch b")
			plain := start(t, setup{rc: rc + "; true", bare: true})
			const settings = `\builtin printf '%s\n' "$(\setopt)" "$(\unsetopt)" "${(qq)IFS-unset}" "$(\alias)"`
			if have, want := g.Run(settings), plain.Run(settings); have != want {
				t.Errorf("settings afterwards:\n%s\nwithout the guard:\n%s", have, want)
			}
		})
	}
}

// Options and aliases that a line sets keep the next one from nothing.
func TestOptionsAtThePrompt(t *testing.T) {
	for _, line := range []string{
		"setopt ignore_braces", "setopt sh_glob", "setopt ksh_arrays", "setopt no_unset", "setopt sh_word_split", "setopt no_equals", "setopt err_return",
		"setopt csh_junkie_quotes", "setopt posix_builtins", "setopt no_glob", "setopt xtrace 2>/dev/null; unsetopt xtrace", "emulate sh", "emulate ksh", "emulate csh",
		"alias builtin='echo hi' print='echo hi' eval='echo hi' if='echo hi'", "alias -g check=chk 1=one", "IFS=/", "exec 3<&0", "setopt all_export", "setopt no_rcs no_multios",
	} {
		t.Run(line, func(t *testing.T) {
			g := start(t, setup{})
			g.Run(line)
			g.d.Forget()
			g.blocks("touch a BLOCK")
			g.Run("touch b")
			g.hasFiles("b")
			g.checked("touch a BLOCK", "touch b")
		})
	}
}
