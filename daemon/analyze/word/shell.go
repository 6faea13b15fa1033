// Package word expands the words of a command line the way bash 5.2 and zsh 5.9
// do, over values that may be known only in part.
//
// The expander of the parsing library differs from bash in ways that lose paths
// silently, so this one is our own; every case of its tables is also run in the
// real shells (testdata, confirm_test.go).
package word

import (
	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// State says what is known of a variable.
type State uint8

const (
	Unknown State = iota // nothing is known: it may be unset, too
	Unset                // surely unset
	Set
)

// Value is the value of a variable or parameter.
type Value struct {
	State  State
	Scalar access.Word            // the value; for arrays element 0
	List   map[int]access.Word    // indexed array by subscript (bash from 0, zsh from 1), nil if it is none
	Map    map[string]access.Word // associative array, nil if it is none
	// Each: what the elements are, where State is Unknown; Known if nothing is.
	Each access.Class
	// Ref: a nameref, Scalar names the target.
	Ref      bool
	Exported bool
	ReadOnly bool
	Integer  bool // what is assigned is evaluated first
	Lower    bool // what is assigned is written in small letters
	Upper    bool // or in capitals
	Shaped   bool // zsh's -Z -L -R -E -F, -i with a base: what is read is another text
	// Tied is the other one of a pair that zsh's typeset -T ties, Sep stands between
	// the elements in the one that is no array.
	Tied, Sep string
}

// Shell is what the expander asks of the abstract shell it works for.
// The analyzer implements it.
type Shell interface {
	// Get looks a variable up, namerefs not followed. Positional and special
	// parameters ("1", "#", "?", "$", "!", "-", "0", "_") too, but not "@" and "*".
	Get(name string) Value
	// Set is called for ${x:=word}, $((x=1)) and the like.
	Set(name string, v Value)
	// Names are the names of all variables that are or may be set with this
	// prefix (${!pre@}); complete tells whether there can be no others.
	Names(prefix string) (names []string, complete bool)
	// Args are the positional parameters from $1 on; complete is false where
	// their number isn't known.
	Args() (args []access.Word, complete bool)
	// Subst runs a command substitution and returns its output without the
	// trailing newlines.
	Subst(s *syntax.CmdSubst) access.Word
	// Proc starts a process substitution and returns the name of its pipe (a
	// word of class Name below /dev/fd).
	Proc(p *syntax.ProcSubst) access.Word
	// Eval runs the commands hidden in a text that the shell expands once more:
	// a prompt string (${x@P}), a subscript in an arithmetic value.
	Eval(text access.Word, start, end int)
	// Home is the home directory of user, "" meaning $HOME when that is unset;
	// false: it isn't known (that user may not exist).
	Home(user string) (string, bool)
	// Dirs are the directory stack entries for ~+N and ~-N; PWD and OLDPWD for
	// ~+ and ~- come through Get.
	Dirs() []access.Word
	// Option tells whether a shopt or set -o option is on (extglob, nullglob,
	// failglob, dotglob, globstar, noglob, nounset, braceexpand, and zsh's names
	// in lower case without underscores).
	Option(name string) bool
	// Choose picks one of n alternatives (an unset-or-set variable with a default
	// word has two). The caller expands again until all were chosen.
	Choose(n int) int
	// Zsh: the dialect is zsh.
	Zsh() bool
	// Spend takes n from the budget of expansion steps; false: used up, the
	// expander answers with an unknown of class Any.
	Spend(n int) bool
}

// Finder is what a Shell of zsh may add: Program tells which file =name is, and
// Named the directory that ~name stands for (hash -d).
type Finder interface {
	Program(name string) (string, bool)
	Named(name string) (access.Word, bool)
	// Real is an absolute name with all links followed; what isn't there stays.
	Real(name string) (string, bool)
}

// Asker is what a Shell may add: Evaluates is told of variables whose value isn't
// known and is read as an arithmetic expression, so that what it holds is run;
// Elements of ones that are known to have one value, of which an element is taken.
type Asker interface {
	Evaluates(name string)
	Elements(name string)
}

// Ender is what a Shell may add: Fatal is told of an error that ends a shell which
// isn't interactive (${x:?}, nounset), where others end only the line it has read.
// Doubt chooses whether arithmetic over what isn't known is an error; once for all
// words that are expanded together. Strict: an error that is only told otherwise
// ends the shell.
type Ender interface {
	Fatal()
	Doubt() bool
	Strict() bool
}

// The expander's entry points:
//
//	Fields(sh, words...)  words of a simple command: braces, tilde, parameters,
//	                      splitting; a glob stays as written, its characters unquoted
//	Assign(sh, w)         right side of an assignment: tilde also after ':', no splitting
//	Single(sh, w)         here-string, case word, redirect target before globbing: no splitting
//	Document(sh, w)       body of an unquoted here-document
//	Pattern(sh, w)        pattern of case, [[ == ]], ${x#…}: quoting kept in Segment.Quoted
//	Arith(sh, expr)       arithmetic: a number, or class Name
//
// each with a second result, stop: the shell gives the line up there (${x:?}).
// bash expands a here-string the way Assign does (a tilde counts after ':' too).
// Match(sh, pattern, text, fold) compares what Pattern and Single returned.
