package command

import (
	"errors"
	"slices"

	"extdir/daemon/command/facts"
)

// Lay lays a person's spec files over the table. A file with a mistake is left
// out alone, and named by an error: the commands it describes are as the layers
// below say.
func (t *Table) Lay(files []File) (*Table, []error) {
	var wrong []error
	files = slices.Clone(files)
	for {
		out, err := t.Over(files)
		if err == nil {
			return out, wrong
		}
		wrong = append(wrong, err)
		var e *SpecError
		if !errors.As(err, &e) {
			return t, wrong
		}
		n := len(files)
		files = slices.DeleteFunc(files, func(f File) bool { return f.Name == e.File })
		if len(files) == n {
			return t, wrong // not a mistake of these files
		}
	}
}

// Described is one place that describes a command.
type Described struct {
	Name  string `json:"name"`
	Place string `json:"place"`            // file:line
	Rest  bool   `json:"extend,omitempty"` // it extends the next
	// Options: only options that the ones before leave out count here.
	Options bool `json:"options,omitempty"`
}

// Where lists who describes the command, the one that counts first.
func (t *Table) Where(name string) []Described {
	var out []Described
	for ; t != nil; t = t.below {
		if s, ok := t.spec(name); ok {
			out = append(out, Described{Name: name, Place: s.place.String(), Rest: s.extends, Options: t.base && len(out) > 0})
		}
	}
	return out
}

// Names lists the commands that the layer's own files describe.
func (t *Table) Names() []string {
	if t.base {
		return facts.Names()
	}
	return sortedKeys(t.specs)
}

// Below is the layer underneath, nil below the last.
func (t *Table) Below() *Table { return t.below }
