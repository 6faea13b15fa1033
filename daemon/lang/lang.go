// Package lang reads the small languages that stand in the words of commands
// (sed, awk, jq, SQL, python, …) and reports the files their programs name.
//
// One file a language. A reader never guesses: what a program names as constant
// is an access, what it computes is unknown, what is a pattern or text is nothing.
package lang

import "extdir/daemon/access"

// Host is what a program can do to the world. command.Ground satisfies it by way
// of an adapter.
type Host interface {
	// File reports a file the program opens.
	File(name access.Word, kind access.Kind, why string)
	// Shell reports text that the program hands to a shell.
	Shell(text access.Word)
	// Exec reports a command that the program runs without a shell.
	Exec(argv []access.Word)
	// Unknown reports that the program touches something that can't be named.
	Unknown(why string)
}

// Reader reads one program text. The text may have unknown parts.
type Reader func(program access.Word, h Host)
