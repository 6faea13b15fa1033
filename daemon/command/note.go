package command

import (
	"strings"

	"extdir/daemon/access"
)

// Note says what one word was taken for, and which line of which spec says so.
type Note struct {
	Word  string `json:"word"`
	Role  string `json:"role"`            // "command", "subcommand", "option -v", "operand of cp", "value of -o"
	Kind  string `json:"kind,omitempty"`  // as a spec writes it
	Name  string `json:"name,omitempty"`  // of the operand or value
	Place string `json:"place,omitempty"` // file:line; "" if no line does: the word is a guess
	Start int    `json:"-"`               // of the word
}

// Noter is what a Ground may add to hear how each word was read. Of a line that
// can be read in two ways it hears the first.
type Noter interface{ Note(Note) }

func note(g Ground, w access.Word, at place, n Note) {
	if g, ok := g.(Noter); ok {
		n.Word, n.Start, n.Place = w.String(), w.Start, at.String()
		g.Note(n)
	}
}

// note tells what a finding is, if anybody listens.
func (r *reader) note(f finding) {
	if _, ok := r.g.(Noter); !ok {
		return
	}
	role, _, _ := strings.Cut(f.why, " (")
	if f.value != "" {
		role = "value of " + f.value
	}
	w := f.word
	if len(f.args) > 0 && w.Empty() {
		w = f.args[0]
	}
	note(r.g, w, f.place, Note{Role: role, Kind: f.kind.String(), Name: f.slot})
}

// told adds the place to a reason if it is not in a spec that ships with extdir:
// who reads the reason must see that somebody here said so.
func told(why string, at place) string {
	if at.file == nil || !strings.Contains(at.file.Name, "/") {
		return why
	}
	return why + " (" + at.String() + ")"
}

var kindNames = func() map[base]string {
	m := map[base]string{}
	for n, b := range baseNames {
		m[b] = n
	}
	return m
}()

// String is the kind as a spec writes it.
func (k kind) String() string {
	s := kindNames[k.base]
	switch {
	case k.arg != "" && k.base != kFileURL:
		s += "(" + k.arg + ")"
	}
	if k.modes == 0 {
		return s
	}
	s += "/"
	for _, m := range []struct {
		kind access.Kind
		name string
	}{{access.Read, "r"}, {access.Write, "w"}, {access.Execute, "x"}} {
		if k.modes.Has(m.kind) {
			s += m.name
		}
	}
	return s
}
