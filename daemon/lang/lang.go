// Package lang reads the small languages that stand in the words of commands
// (sed, awk, jq, SQL, python, …) and reports the files their programs name.
//
// One file a language. A reader never guesses: what a program names as constant
// is an access, what it computes is unknown, what is a pattern or text is nothing.
//
// A spec names a reader as code(NAME). The names:
//
//	sed awk jq yq            filters
//	sql sqlite psql mysql duckdb   SQL, with the commands of each shell
//	filequery                      SQL whose tables are files
//	vim elisp ed less        commands of editors and pagers
//	python pytest javascript ruby perl php lua R tcl applescript   interpreters
//	other                    an interpreter whose language has no grammar here
//	gdb                      commands of the debugger
//	make m4 cinclude         makefiles, m4 and C text: what they include and run
//	sshconfig gitconfig npmscripts npminstall compose sftp patch   files that name others
//	constants foreign    source text that is read for its strings, or not at all
//	sshoption curlconfig tarcheckpoint rsyncfilter opensslpass
//	gitpathspec gitalias magick ffmpegfilter   the value of one option or operand
//
// Filters and editors are read by their grammar. The interpreters are read by one
// reader of expressions (script.go) over the tables of each language: it folds
// constants, follows variables, functions and modules by name, and looks up what
// is called. It can't be complete; what it can't name it says is unknown, and a
// constant that looks like a path outside and isn't plainly text is an access.
package lang

import "extdir/daemon/access"

// Host is what a program can do to the world. command.Ground satisfies it by way
// of an adapter.
//
// Words that come from a program are quoted, so * and ~ are plain characters in
// them. Where the language itself expands them, the segment is not quoted: a
// word whose first segment is unquoted and begins with "~" names the home
// directory, an unquoted * ? or [ is a pattern.
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

// Importer is what a Host may add to hear of what a program loads as a part of
// itself: a module by its name, for which a language looks in many places
// ("pkg.mod" in python, "pkg::mod" in perl), or a file. A file that is reported as
// executed is included as well.
type Importer interface {
	Import(module string)
	Include(file access.Word)
}

// Located is what a Host may add to tell in which file the program stands.
type Located interface{ Script() (access.Word, bool) }

// include reports a file that is read as a part of the program.
func include(h Host, file access.Word, why string) {
	h.File(file, access.Read, why)
	if h, ok := h.(Importer); ok {
		h.Include(file)
	}
}

// Reader reads one program text. The text may have unknown parts.
type Reader func(program access.Word, h Host)
