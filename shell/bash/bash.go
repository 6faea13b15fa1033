// Package bash is the integration of bash: what `extdird init bash` prints, and
// the file that BASH_ENV names.
//
// The scripts lie beside this file as they are read by bash; Script puts the
// constants in front. README.md tells how each trick works.
package bash

import (
	_ "embed"
	"strconv"
	"strings"

	"extdir/shell/below"
)

//go:embed guard.bash
var guard string

//go:embed facts.bash
var facts string

//go:embed ps0.bash
var ps0 string

//go:embed debug.bash
var debug string

//go:embed string.bash
var dashCText string

// dashC is string.bash with the names that package below has.
var dashC = strings.NewReplacer("LEVELS", strconv.Itoa(below.Levels), "PROGRAMS", below.Pattern(below.Programs)).Replace(dashCText)

// Params are the constants of one integration. They are held in readonly
// variables of the shell: what a session changes later has no effect on them.
type Params struct {
	Hook    string   // absolute path of extdir-hook
	Extdird string   // absolute path of extdird, for its start; "" means never start it
	Socket  string   // absolute path of the daemon's socket
	Dir     string   // --dir of the daemon, or ""
	Via     string   // "ps0", "debug", or "" for what the bash at hand can do
	Config  string   // the daemon's configuration file, where Dir is ""
	State   string   // the daemon's directory for state, where Dir is ""
	Keep    []string // NAME=VALUE that the daemon is started with
	Fail    string   // "open" lets lines pass without a daemon
	// Env is the path of a file with the text of Env, for BASH_ENV. "" leaves
	// BASH_ENV alone, and -c shells below this one unjudged.
	Env string
}

// Script is the text that an interactive bash evaluates in a start file.
func Script(p Params) string {
	var b strings.Builder
	b.WriteString("# extdir guards this shell: each line is judged before it runs.\n")
	// bash expands aliases as it reads, and each line here when the one before has run:
	// in those behind this one no more. Under set -k nothing could be declared.
	b.WriteString("\\builtin shopt -q expand_aliases\n__extdir_aliases=$? __extdir_set=$-\n\\builtin shopt -u expand_aliases\n\\builtin set +k\n")
	b.WriteString("if [[ -n ${BASH_EXECUTION_STRING-} ]]; then\n")
	writeString(&b, p)
	b.WriteString("elif [[ $- == *i* && ${BASH_VERSINFO[0]} -ge 3 ]] && ! { [[ -n ${__extdir_on+x} ]] && builtin declare -F __extdir_pre; } >/dev/null 2>&1; then\n")
	writeConstants(&b, p, "")
	b.WriteString("builtin readonly __extdir_hook\n")
	b.WriteString("__extdir_side=" + quote(dirOf(p.Socket)+"/bash.") + "$$\n")
	b.WriteString("__extdir_hc= __extdir_hi= __extdir_back=1 __extdir_next=0 __extdir_seen= __extdir_said= __extdir_len=0\n")
	b.WriteString(facts)
	b.WriteString(guard)
	b.WriteString("__extdir_hello() {\n  __extdir_said=1\n  (\"${__extdir_hook[@]}\" hello \"shell=bash\" \"version=$BASH_VERSION\" \"shpid=$$\" </dev/null >/dev/null 2>&1 &)\n}\n")
	switch p.Via {
	case "ps0":
		b.WriteString(ps0)
	case "debug":
		b.WriteString(debug)
	default:
		b.WriteString("if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then\n" + ps0 + "else\n" + debug + "fi\n")
	}
	b.WriteString("builtin readonly __extdir_on=\n")
	b.WriteString("extdir_blocked=('') extdir_need=([98]=1)\nbuiltin readonly extdir_blocked extdir_need\n")
	b.WriteString("builtin readonly -f __extdir_line __extdir_there __extdir_check __extdir_tell __extdir_facts __extdir_attributes __extdir_private __extdir_save __extdir_pre __extdir_again __extdir_hello fc\n")
	b.WriteString("if [[ -n ${1-} && $1 == __extdir_check && ${BASH_SUBSHELL} -gt 0 ]]; then\n" + alone + "else\n")
	b.WriteString("builtin export EXTDIR_SESSION=${EXTDIR_SESSION-1} " + below.Variable + "=$$\n")
	if p.Config != "" {
		// A command in the session looks for the daemon where the session has it.
		b.WriteString("builtin export EXTDIR_SOCKET=" + quote(p.Socket) + " EXTDIR_CONFIG=" + quote(p.Config) + " EXTDIR_STATE=" + quote(p.State) + "\n")
	}
	if p.Env != "" {
		writeEnv(&b, p.Env)
	}
	b.WriteString("__extdir_pre_loaded\nfi\n")
	b.WriteString("elif [[ $- == *i* ]]; then\n  # loaded before: a start file may have moved it\n  __extdir_again\nfi\n")
	b.WriteString("((__extdir_aliases)) || builtin shopt -s expand_aliases\nif [[ $__extdir_set == *k* ]]; then builtin set -k; fi\nbuiltin unset -v __extdir_aliases __extdir_set\n")
	return b.String()
}

// alone judges the first line of a bash that has inherited PS0 but not loaded the
// guard: it runs inside PS0's substitution. Whether the history took the line
// can't be told there, so it is refused where the history may leave lines out.
const alone = `  if [[ -n ${HISTCONTROL-}${HISTIGNORE-} ]]; then
    builtin printf 'extdir: blocked: the guard was loaded into this shell only now: run the line again\n' >&2
    builtin exit 126
  fi
  __extdir_there || builtin exit 126
  __extdir_line ps0 "$2" | "${__extdir_hook[@]}" check "needfile=$__extdir_side.need"
  __extdir_st=$?
  if ((__extdir_st == 98)); then __extdir_tell; fi
  builtin exit "$__extdir_st"
`

// Env is the text of the file that BASH_ENV names: -c shells are judged, if a
// session is above them; a BASH_ENV that was there before is still read.
func Env(p Params) string {
	var b strings.Builder
	writeString(&b, p)
	b.WriteString(`if { [[ -n ${EXTDIR_BASH_ENV-} ]]; } 2>/dev/null; then
  builtin eval "__extdir_env=\"$EXTDIR_BASH_ENV\""
  if [[ -r $__extdir_env ]]; then builtin . "$__extdir_env"; fi
  builtin unset -v __extdir_env
fi
`)
	return b.String()
}

// writeString writes the part for -c shells.
func writeString(b *strings.Builder, p Params) {
	b.WriteString(dashC)
	writeConstants(b, p, "  ")
	b.WriteString(facts)
	b.WriteString("  __extdir_string || builtin exit 126\n")
	b.WriteString("  builtin export " + below.Variable + "=$$\n")
	b.WriteString("  builtin unset -f __extdir_string __extdir_below __extdir_facts __extdir_attributes\n")
	b.WriteString("  builtin unset -v __extdir_hook\n")
	b.WriteString("  if [[ -n $__extdir_x ]]; then builtin unset -v __extdir_x; builtin set -x; else builtin unset -v __extdir_x; fi\nfi\n")
}

// Words are the command line of the hook up to its verb: the program and its options.
// The hook takes its options before the verb as well as after it.
func (p Params) Words() []string {
	words := []string{p.Hook, "socket=" + p.Socket}
	for _, o := range [][2]string{{"extdird", p.Extdird}, {"dir", p.Dir}, {"config", p.Config}, {"state", p.State}, {"fail", p.Fail}} {
		if o[1] != "" {
			words = append(words, o[0]+"="+o[1])
		}
	}
	for _, kv := range p.Keep {
		words = append(words, "keep="+kv)
	}
	return words
}

func writeConstants(b *strings.Builder, p Params, lead string) {
	words := p.Words()
	for i, w := range words {
		words[i] = quote(w)
	}
	b.WriteString(lead + "__extdir_hook=(" + strings.Join(words, " ") + ")\n")
}

// PS0 is the value of PS0 under the guard. Exported together with EXTDIR_LOAD, a
// command that loads the guard, it reaches every interactive bash below, also one
// whose start files don't load it: bash takes PS0 from the environment, and PS0
// loads what is missing.
func PS0() string {
	_, s, _ := strings.Cut(ps0, "__extdir_ps0='")
	s, _, _ = strings.Cut(s, "'\n")
	return s
}

// Environ is what the environment needs for -c shells: BASH_ENV, naming the file
// path with the text of Env, and what BASH_ENV was before. Where there was none,
// the value is an expansion that is empty in a script, so that a script reads no
// file at all: bash expands the value before it opens the file (bash(1),
// INVOCATION).
func Environ(path, before string) []string {
	if before != "" {
		return []string{"BASH_ENV=" + path, "EXTDIR_BASH_ENV=" + before}
	}
	return []string{"BASH_ENV=" + conditional(path)}
}

func conditional(path string) string {
	if !plain(path) {
		return path
	}
	return "${BASH_EXECUTION_STRING:+${EXTDIR_SESSION:+" + path + "}}"
}

// writeEnv exports what Environ says, if it isn't so yet.
func writeEnv(b *strings.Builder, path string) {
	b.WriteString("if [[ ${BASH_ENV-} != *" + quote(path) + "* ]]; then\n")
	b.WriteString("  if [[ -n ${BASH_ENV-} ]]; then builtin export EXTDIR_BASH_ENV=\"$BASH_ENV\" BASH_ENV=" + quote(path) + "\n")
	b.WriteString("  else builtin export BASH_ENV=" + quote(conditional(path)) + "; fi\nfi\n")
}

// plain tells whether path means itself inside an expansion.
func plain(path string) bool {
	return strings.Trim(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+@,") == ""
}

// quote makes one shell word of s.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func dirOf(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }
