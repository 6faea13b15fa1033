package lang

import (
	"strings"

	"extdir/daemon/access"
)

// grammar is what tells one interpreter's language from another. The tables
// are data: what a language calls its ways to the file system.
type grammar struct {
	name string

	// tokens
	comment       []string
	block         [][2]string
	quotes        string
	style         func(quote byte) style
	special       func(l *lexer, c byte) bool
	wordExtra     byte            // a character of names besides letters, digits and _
	semicolons    bool            // a newline ends nothing
	braceless     bool            // a newline ends nothing in {} either
	patterns      bool            // /…/ is a pattern
	classes       bool            // in which [/] doesn't end it
	beforeOperand map[string]bool // names that an operand follows

	// expressions
	concat  string // the operator that joins text; "+" and "." differ
	member  string // operators that reach a member, blanks between
	join    bool   // "/" joins paths (pathlib)
	percent bool   // text % values
	soft    bool   // a line may go on with a member on the next
	// commands: a name may be called with operands and no parentheses.
	commands bool
	stringly bool // a string or table behind a name is its argument (Lua)

	skip   map[string]bool // words that begin a statement and mean nothing here
	text   map[string]bool // calls whose strings are text: print, match …
	calls  map[string]string
	consts map[string]string
	// modules whose members must be known: a computed one is unknown.
	modules map[string]bool
	// statement reads what only this language has. It is asked first.
	statement func(p *script, t token) bool
	primary   func(p *script, t token) (term, bool)
	call      func(p *script, t term, args []arg) (term, bool)
}

// words makes a set of the words of a text.
func words(lists ...string) map[string]bool {
	m := map[string]bool{}
	for _, l := range lists {
		for _, w := range strings.Fields(l) {
			m[w] = true
		}
	}
	return m
}

// table reads lines "ACTION: name name …" into a map from name to action.
//
// An action is one letter for each argument, the last one repeated by "*", and
// after ">" what comes back:
//
//	r read  w write  x run as a program  b read and write  l list
//	g a pattern that is listed  m opened as the next argument says
//	t text  s text for a shell (a program and its arguments, if there are more)
//	a a program and its arguments  c code of this language
//	i a module, or a file of code
//	R W L G B M first: the receiver; with ? only if its name is known
//	>p the first argument  >j the arguments joined  >v the receiver
//	>n a name without slashes  >o something already judged  >~ home  >. here
func table(text string) map[string]string {
	m := map[string]string{}
	for _, line := range strings.Split(text, "\n") {
		action, names, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		for _, n := range strings.Fields(names) {
			m[n] = action
		}
	}
	return m
}

// mention reports the constants of a value that nothing else was found out about
// and that look like paths outside.
func (p *script) mention(v value, depth int) {
	for _, w := range v.forms {
		if pathLike(w) {
			if w.HasPrefix("~/") {
				w = home(w.Start, w.End).Concat(w.From(1))
			}
			p.h.File(w, access.Read, "string in "+p.g.name+" code")
		}
	}
	if depth < 8 {
		for _, e := range v.list {
			p.mention(e, depth+1)
		}
	}
}

// pathLike tells whether a constant looks like an absolute path, one below the
// home directory or one that climbs, and like nothing else: no blanks, no signs
// of a pattern, a URL or markup.
func pathLike(w access.Word) bool {
	if len(w.Segs) == 0 || w.Segs[0].Class != access.Known {
		return false
	}
	head := w.Segs[0].Text
	switch {
	case strings.HasPrefix(head, "/"):
		if w.Known() && len(strings.Trim(w.String(), "/")) == 0 {
			return false
		}
		if strings.HasPrefix(head, "//") {
			return false
		}
	case strings.HasPrefix(head, "~/"), strings.HasPrefix(head, "../"):
	case head == "~" && !w.Segs[0].Quoted:
	default:
		return false
	}
	for _, s := range w.Segs {
		if strings.ContainsAny(s.Text, " \t\n\r\x00<>{}|^$()\\:?&=#%,;\"'`") {
			return false
		}
	}
	return true
}
