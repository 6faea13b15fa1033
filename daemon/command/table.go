package command

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"extdir/daemon/access"
)

// Table is the command knowledge: specs, the base table below them and user
// specs above them. It is immutable and safe for concurrent use.
type Table struct {
	specs map[string]*spec
	vars  map[string]kind
	// below is the layer underneath: the built-in specs below a user's, and the
	// generated base table below those. Nil ends the chain.
	below *Table
	// base: the layer is the generated table, and holds no specs of its own.
	base bool
	// tries are the examples of the layer's files.
	tries []try
	// bare are files whose examples were left out: a daemon has no use for them.
	// They are read again when somebody wants to run them.
	bare []File
}

var builtin = sync.OnceValues(func() (*Table, error) {
	t, err := (&Table{base: true}).over(builtinFiles, true)
	if err == nil {
		t.bare = builtinFiles
	}
	return t, err
})

// Builtin is the knowledge that is compiled in. It is parsed once.
func Builtin() (*Table, error) { return builtin() }

// File is the text of a spec file. Name is what errors call it.
type File struct{ Name, Text string }

// Over lays spec files over the table: the first that describes a command wins
// as a whole, unless it says extend.
func (t *Table) Over(files []File) (*Table, error) { return t.over(files, false) }

// over lays files over the table; bare: without their examples.
func (t *Table) over(files []File, bare bool) (*Table, error) {
	size := 0
	for _, f := range files {
		size += len(f.Text)
	}
	out := &Table{specs: make(map[string]*spec, size/perName), vars: map[string]kind{}, below: t}
	p := parser{t: out, bare: bare}
	files = slices.Clone(files) // places refer to them
	for i := range files {
		if err := p.read(&files[i]); err != nil {
			return nil, err
		}
	}
	for _, c := range p.commands {
		if low := t.final(c.name); low != nil {
			return nil, c.spec.wrong("%s is described for good at %s; leave it out here", c.name, low.place)
		}
		if !c.spec.extends {
			continue
		}
		low, ok := t.find(c.name)
		if !ok {
			return nil, c.spec.wrong("%s extends nothing, no layer below describes it; drop the extend line", c.name)
		}
		// Several names of one description may be several below.
		s := c.spec.clone()
		out.specs[c.name] = s
		s.merge(low)
	}
	for _, c := range p.commands {
		if err := out.resolve(out.specs[c.name], nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// perName is how many bytes of a spec file come on a name of a command, about.
const perName = 150

// final is the description of a command that no layer above may replace.
func (t *Table) final(name string) *spec {
	for ; t != nil && !t.base; t = t.below {
		if s, ok := t.spec(name); ok {
			if s.final {
				return s
			}
			return nil
		}
	}
	return nil
}

// resolve carries out like lines.
func (t *Table) resolve(s *spec, path []*spec) error {
	if s.whole {
		return nil
	}
	for _, p := range path {
		if p == s {
			return s.like.at.wrong("%s is like itself; name a command that is described", s.name())
		}
	}
	path = append(path, s)
	if s.from != nil {
		s.merge(s.from)
	}
	if s.like != nil {
		words := strings.Fields(strings.ReplaceAll(s.like.name, "/", " "))
		from, ok := t.find(words[0])
		for _, w := range words[1:] {
			if ok {
				from = from.sub(w)
				ok = from != nil
			}
		}
		if !ok {
			return s.like.at.wrong("%s is like %s, which no spec describes; name a command that is described", s.name(), s.like.name)
		}
		if err := t.resolve(from, path); err != nil {
			return err
		}
		s.merge(from)
	}
	s.whole = true
	for _, n := range sortedKeys(s.subs) {
		if err := t.resolve(s.subs[n], path); err != nil {
			return err
		}
	}
	return nil
}

// wrong is a mistake in the description as a whole.
func (s *spec) wrong(format string, args ...any) error {
	return at{s.place, 1}.wrong(format, args...)
}

func (a at) wrong(format string, args ...any) error {
	return &SpecError{a.file.Name, a.line, a.col, fmt.Sprintf(format, args...)}
}

// clone is a copy that merge may change.
func (s *spec) clone() *spec {
	c := *s
	c.subs, c.whole = nil, false
	c.whens, c.effects = slices.Clone(s.whens), slices.Clone(s.effects)
	for n, sub := range s.subs {
		c.setSub(n, sub.clone())
	}
	return &c
}

// merge adds what other says and s doesn't.
func (s *spec) merge(other *spec) {
	other = other.written()
	s.opts = s.opts.with(other.opts)
	for n, sub := range other.subs {
		switch mine := s.subs[n]; {
		case mine == nil:
			s.setSub(n, sub)
		case s.extends || mine.extends:
			mine.extends = true
			mine.merge(sub)
		}
	}
	if s.usage == nil {
		s.usage = other.usage
		s.whens = append(s.whens, other.whens...)
	}
	if s.stdin == nil {
		s.stdin = other.stdin
	}
	s.parse |= other.parse
	if s.unknown == unknownGuess {
		s.unknown = other.unknown
	}
	s.effects = append(s.effects, other.effects...)
	if s.extends {
		s.also |= other.also
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func (t *Table) find(name string) (*spec, bool) {
	for ; t != nil; t = t.below {
		if s, ok := t.spec(name); ok {
			return s, true
		}
	}
	return nil, false
}

// spec is what this layer alone says.
func (t *Table) spec(name string) (*spec, bool) {
	if t.base {
		return baseSpec(name)
	}
	if s, ok := t.specs[name]; ok {
		return s, true
	}
	return t.byOtherName(name)
}

// Describes tells whether some spec describes the command.
func (t *Table) Describes(name string) bool {
	_, ok := t.find(baseName(name))
	return ok
}

// Run classifies the words of one simple command, argv[0] being its name, and
// reports what it touches to g. The command word itself is the ground's to
// judge. A name no spec describes is read by the fallback: each word that may
// hold a path is a guess.
func (t *Table) Run(argv []access.Word, g Ground) {
	if len(argv) == 0 {
		return
	}
	name, known := argv[0].Lit()
	if !known {
		fallback(argv, g)
		return
	}
	if s, ok := t.find(baseName(name)); ok {
		note(g, argv[0], s.place, Note{Role: "command"})
		t.read(s, argv, g)
		return
	}
	fallback(argv, g)
}

// Assign reports what giving the variable to a program makes it load or open
// (LD_PRELOAD, PATH, GIT_DIR, …). Other variables report nothing.
func (t *Table) Assign(name string, value access.Word, g Ground) {
	for ; t != nil; t = t.below {
		if k, ok := t.vars[name]; ok {
			valuer{g: g, why: "value of " + name}.apply(k, value)
			return
		}
	}
}
