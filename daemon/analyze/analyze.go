// Package analyze turns a command line and what is known of the shell it will
// run in into the accesses the line would make.
//
// It is an abstract shell: the line is parsed (package guard bounds what that may
// cost) and run, only that programs aren't started but looked up (package command)
// and files aren't opened but named. A state (state.go) is the shell at one point
// of the line: directory, variables, functions, what standard input holds, what
// was printed so far, whether the last command succeeded. Running a command maps a
// state to the few states it may leave (walk.go, loop.go): "&&" goes on with those
// that may have succeeded, a cd into a directory that may not exist leaves two.
//
// Words are expanded by package word, which asks the state through env
// (expand.go). Redirections are set up in redirect.go, assignments in assign.go and
// declare.go, builtins are the builtin_*.go and cd.go. Programs stand on a ground
// (ground.go); shells among them run their text in a new state (nested.go). What
// programs print follows from tables (prints.go, filter.go), what they make of
// files is laid over the disk (effects.go, overlay.go). A path becomes an access in
// path.go and glob.go. What acts on the guard itself is in self.go.
//
// Where something can't be told the answer is an unknown access, never none. The
// real bash is the judge: testdata/twin.txt is run by both.
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
	// Ref: a name reference, Value is the name.
	Ref bool
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
	// Attributes of variables that make an assignment do something else than to
	// store the text: letters of declare, r i n l u, and zsh's f (float), L
	// (any of -L -R -Z) and T (tied).
	Attributes map[string]string
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
	// First: the line is the first that its shell runs, as that of zsh -c is, and no
	// start file has changed what the line doesn't tell.
	First bool
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
