// Package command knows commands: for each one, which words are paths, which are
// patterns, scripts or text, and which are commands of their own.
//
// The knowledge is data. Spec files (specs/*.spec, embedded; README.md describes
// their language) say for each command how its words are told apart, what each
// option takes and what the operands are. [Builtin] parses them once; a user's
// files lie over them ([Table.Over]).
//
// [Table.Run] reads the words of one simple command. parse.go and parse_kind.go
// read the language, classify.go tells options from operands, operands.go gives
// operands to the slots of a usage, value.go takes composed words apart, peel.go
// runs the commands inside wrappers, code.go hands programs to package lang, and
// guess.go reads what nobody described. All of it is said to a [Ground].
//
// Three rules keep unknown from becoming "no":
//   - A word is cut in its known and unknown parts, never flattened to a string.
//   - Where an option's arity or the place of a word is in doubt, the words are
//     read both ways; what only one reading takes for a path is a guess.
//   - Only what a spec says for sure is text. The rest is a guess, and the
//     ground looks where it leads.
package command

import "extdir/daemon/access"

// Path is a word of a command that names a file or directory.
type Path struct {
	Word access.Word
	Kind access.Kind
	Why  string // "operand of cat", "value of --output"
	// Dir: the command works on the whole directory (ls -R, find, rm -r, tar -C).
	Dir bool
	// Follow: links met below the path are followed (find -L, cp -L, grep -R).
	Follow bool
	// Itself: the command works on a link, not on what it leads to (rm, mv).
	Itself bool
	// Guess: the command is not known well enough: the word is an access only if
	// it looks like an outside path, or names something on disk that resolves
	// outside.
	Guess bool
	// Here: the word is the working directory, in which the command makes files whose
	// names it alone knows.
	Here bool
}

// Ground is where the words of a command land: the abstract shell at that point
// of the line. The analyzer implements it; specs and small languages call it.
type Ground interface {
	// Path reports a path the command would touch, relative to the ground's
	// directory. An unknown word becomes an unknown access.
	Path(p Path)
	// In returns the ground with dir, taken relative to this one, as directory
	// (git -C, tar -C, make -C). Entering is reported by the caller as a Path.
	In(dir access.Word) Ground
	// With returns the ground with name=value in the environment (env, sudo A=b).
	With(name string, value access.Word) Ground
	// Run runs argv as a command of its own (sudo, env, xargs, find -exec). A
	// peeled form is recorded for the command gate.
	Run(argv []access.Word)
	// Shell runs text as shell code in a new shell of the dialect named ("sh",
	// "bash", "zsh") with args as $0 $1 ….
	Shell(dialect string, text access.Word, args []access.Word)
	// Unknown reports that the command touches something that can't be named.
	Unknown(w access.Word, why string)
	// Self reports that the command acts on the guard.
	Self(level access.SelfLevel, w access.Word, why string)
	// Stdin is the text on the command's standard input, if it is known.
	Stdin() (access.Word, bool)
	// Stat tells whether the word names something that exists on disk, and
	// whether that is a directory. Unknown words: false, false.
	Stat(w access.Word) (exists, dir bool)
	// Var is the value of a variable in the command's environment.
	Var(name string) (access.Word, bool)
	// OS is "linux" or "darwin".
	OS() string
}

// Piper is what a Ground may add to say more about standard input whose text is
// not known: Piped tells whether it is the output of another command, and not a
// terminal or a file that the line names and that was judged with it. Without
// it, a program that is read from unknown input is unknown.
type Piper interface{ Piped() bool }

// Typer is what a Ground may add to say whether standard input may be what a
// person or an agent types later. Without it, it may be if its text isn't known.
type Typer interface{ Typed() bool }

// Detacher is what a Ground may add for commands that start others with an empty
// standard input (xargs): Detached is the ground that those run on.
type Detacher interface{ Detached() Ground }

// Former is what a Ground may add to hear of a command in the short form that
// rules are written in: its name without a directory, and its subcommand without
// the options before it ("git push" for "/usr/bin/git -C sub push").
type Former interface{ Form(argv []access.Word) }
