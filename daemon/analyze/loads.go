package analyze

import (
	"strings"

	"extdir/daemon/access"
)

// loaded reports what the assignments before a command make it load or open.
func (x *run) loaded(c *invocation) {
	for _, b := range c.vars {
		g := &ground{x: x, st: c.st, sink: c.st, rec: c.rec, argv: c.argv, start: c.start, end: c.end, quiet: new(bool), ext: new(bool)}
		x.loads(g, b.name, b.value.Scalar)
	}
}

// loads reports what a variable's value makes a program load. What the variable
// holds already is no news.
func (x *run) loads(g *ground, name string, value access.Word) {
	if name == "PATH" || strings.HasSuffix(name, "PATH") {
		value = x.newParts(g.st, name, value)
		if len(value.Segs) == 0 {
			return
		}
	}
	x.a.Commands.Assign(name, value, g)
}

// newParts removes from a list variable's new value the parts it has now.
func (x *run) newParts(st *state, name string, value access.Word) access.Word {
	have := map[string]bool{"": true}
	old := x.get(st, name)
	if lit, ok := old.Scalar.Lit(); ok {
		for p := range strings.SplitSeq(lit, ":") {
			have[p] = true
		}
	}
	var out access.Word
	rest, found := value, true
	for found {
		var part access.Word
		part, rest, found = rest.Cut(':')
		if lit, ok := part.Lit(); ok && have[lit] {
			continue
		}
		if len(part.Segs) == 1 && part.Segs[0].Class != access.Known {
			continue // $PATH itself, not known
		}
		if len(out.Segs) > 0 {
			out = out.Concat(access.Text(":"))
		}
		out = out.Concat(part)
	}
	out.Start, out.End = value.Start, value.End
	return out
}
