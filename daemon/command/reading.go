package command

import (
	"slices"

	"extdir/daemon/access"
)

// What a reader collects.

// names is a small set. A command has few options: looking through a list costs
// less than making a map does.
type names []string

func (n names) has(name string) bool {
	for _, have := range n {
		if have == name {
			return true
		}
	}
	return false
}

func (n *names) add(name string) {
	if !n.has(name) {
		*n = append(*n, name)
	}
}

// slots are words by the name of what they were given to, in the order of the line.
type slots []slotWord

type slotWord struct {
	name string
	word access.Word
}

func (s slots) of(name string) []access.Word {
	var words []access.Word
	for i := range s {
		if s[i].name == name {
			words = append(words, s[i].word)
		}
	}
	return words
}

func (s *slots) add(name string, w access.Word) { *s = append(*s, slotWord{name, w}) }

func (s *slots) set(name string, words []access.Word) {
	*s = slices.DeleteFunc(*s, func(w slotWord) bool { return w.name == name })
	for _, w := range words {
		s.add(name, w)
	}
}

type operand struct {
	word access.Word
	base int
	// open: what stands before it may have taken it as a value.
	open bool
	// tells: and the name of that option tells of a file or folder.
	tells bool
	// says: it is a sentence behind an option whose name tells of what is said.
	says bool
	// onDisk: it is a path if something of its name exists.
	onDisk bool
}

// finding is a word whose kind is known.
type finding struct {
	word  access.Word
	kind  kind
	slot  string
	place place // the line of a spec that says so; none for a guess
	base  int
	at    Ground // instead of base, for the values of chdir options
	why   string
	value string // instead of why: it is the value of this option
	open  bool
	args  []access.Word // for sh
}

type variable struct {
	name  string
	value access.Word
}
