// Package analyze turns a command line and what is known of the shell it will
// run in into the accesses the line would make.
package analyze

import (
	"extdir/daemon/command"
	"extdir/daemon/resolve"
)

// Var is the value a shell variable has before the line runs.
type Var struct {
	Set      bool // false: surely unset
	Exported bool
	Value    string
	List     []string          // indexed array, if not nil
	Map      map[string]string // associative array, if not nil
}

// Request is a line to judge, with what is known of the shell.
// Names that stand in none of the maps are unknown, not unset or undefined.
type Request struct {
	Line   string
	Shell  string // "bash" or "zsh"
	Cwd    string // physical; "" is unknown
	OldPwd string // "" is unknown
	Home   string // "" is unknown
	Roots  []string
	Vars   map[string]Var
	// Aliases and Functions the shell has. ShellKnown: the two maps are complete
	// by name (a body may be missing: value "" of Functions), so that any other
	// name is surely neither.
	Aliases    map[string]string
	Functions  map[string]string
	ShellKnown bool
	Options    map[string]bool // shopt and set -o names; others have the shell's defaults
	CDPath     string
	Args       []string // positional parameters, $1 first
	// Interactive: aliases are expanded, the line comes from a prompt.
	Interactive bool
}

// Analyzer judges lines. It is safe for concurrent use.
type Analyzer struct {
	FS       resolve.FS
	Commands *command.Table
	// OS is "linux" or "darwin"; "" is the system this program was built for.
	OS string
	// HomeOf looks up another user's home directory (~name); nil knows none.
	HomeOf func(user string) (string, bool)
}
