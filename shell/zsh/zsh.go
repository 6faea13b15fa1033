// Package zsh is the integration of zsh: what `extdird init zsh` prints for
// .zshrc, and the part for .zshenv.
//
// The scripts lie beside this file as they are read by zsh; Script and Env put
// the constants in front. README.md tells how each trick works.
package zsh

import (
	_ "embed"
	"strconv"
	"strings"

	"extdir/shell/below"
)

//go:embed guard.zsh
var guard string

//go:embed facts.zsh
var facts string

//go:embed string.zsh
var dashCText string

// dashC is string.zsh with the names that package below has.
var dashC = strings.NewReplacer("LEVELS", strconv.Itoa(below.Levels), "PROGRAMS", below.Pattern(below.Programs)).Replace(dashCText)

// Params are the constants of one integration. They are held in readonly
// parameters of the shell: what a session changes later has no effect on them.
type Params struct {
	Hook    string   // absolute path of extdir-hook
	Extdird string   // absolute path of extdird, for its start; "" means never start it
	Socket  string   // absolute path of the daemon's socket
	Dir     string   // --dir of the daemon, or ""
	Config  string   // the daemon's configuration file, where Dir is ""
	State   string   // the daemon's directory for state, where Dir is ""
	Keep    []string // NAME=VALUE that the daemon is started with
	Fail    string   // "open" lets lines pass without a daemon
}

// Script is the text that an interactive zsh evaluates in .zshrc.
func Script(p Params) string {
	var b strings.Builder
	b.WriteString("if [[ -o interactive && -z \"${ZSH_EXECUTION_STRING-}\" && \"${(t)_extdir_socket-}\" != *readonly* ]]; then\n")
	b.WriteString("() {\nemulate -L zsh\nunsetopt localtraps\n")
	b.WriteString(constants(p, "typeset -gr "))
	b.WriteString("typeset -gr _extdir_socket=" + quote(p.Socket) + "\n")
	b.WriteString(facts)
	b.WriteString(guard)
	b.WriteString("typeset -ga preexec_functions precmd_functions\n")
	b.WriteString("preexec_functions=(_extdir_preexec ${preexec_functions:#_extdir_preexec})\n")
	b.WriteString("precmd_functions=(_extdir_precmd ${precmd_functions:#_extdir_precmd})\n")
	b.WriteString("export EXTDIR_SESSION=${EXTDIR_SESSION-1} " + below.Variable + "=$$\n")
	if p.Config != "" {
		// A command in the session looks for the daemon where the session has it.
		b.WriteString("export EXTDIR_SOCKET=" + quote(p.Socket) + " EXTDIR_CONFIG=" + quote(p.Config) + " EXTDIR_STATE=" + quote(p.State) + "\n")
	}
	b.WriteString("}\n")
	b.WriteString("elif [[ -o interactive ]] && (( ${+functions[_extdir_heal]} )); then\n  # loaded before: a start file may have moved it\n  _extdir_heal\nfi\n")
	return "# extdir guards this shell: each line is judged before it runs.\n" + loaded(b.String())
}

// Env is the text for .zshenv: -c shells are judged, if a session is above them.
func Env(p Params) string {
	var b strings.Builder
	b.WriteString("if [[ -n \"${ZSH_EXECUTION_STRING-}\" && -n \"${EXTDIR_SESSION-}\" ]]; then\n")
	b.WriteString(constants(p, "typeset -ga "))
	b.WriteString(facts)
	b.WriteString(dashC)
	b.WriteString("export " + below.Variable + "=$$\nunfunction _extdir_facts _extdir_attributes _extdir_below\nunset _extdir_hook\nfi\n")
	return "if [[ -n \"${ZSH_EXECUTION_STRING-}\" && -n \"${EXTDIR_SESSION-}\" ]]; then\n" + loaded(b.String()) + "fi\n"
}

// loaded is text that reads a script as zsh is by itself. Aliases and options of the
// user (ignorebraces, shglob …) count when a text is parsed, and that is done for the
// whole of it before any of it runs: so the script is a word of a text in which
// nothing can be otherwise, no alias since each command has a backslash before it, no
// brace, no line end in quotes (cshjunkiequotes).
func loaded(script string) string {
	return `_extdir_load() \builtin eval '\builtin emulate -L zsh; \builtin setopt noaliases; \builtin eval "$1"'
_extdir_load $'` + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(script) + `'
\builtin unfunction _extdir_load
`
}

// constants is the command line of the hook up to its verb.
func constants(p Params, lead string) string {
	words := []string{quote(p.Hook), quote("socket=" + p.Socket)}
	for _, o := range [][2]string{{"extdird", p.Extdird}, {"dir", p.Dir}, {"config", p.Config}, {"state", p.State}, {"fail", p.Fail}} {
		if o[1] != "" {
			words = append(words, quote(o[0]+"="+o[1]))
		}
	}
	for _, kv := range p.Keep {
		words = append(words, quote("keep="+kv))
	}
	return lead + "_extdir_hook=(" + strings.Join(words, " ") + ")\n"
}

// quote makes one shell word of s.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
