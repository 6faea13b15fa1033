package command

import (
	"strings"
	"sync"

	"extdir/daemon/command/facts"
)

// The base table lies below everything written by hand. It is made from
// completion data, which says what to offer and not what is touched, so it is
// believed in one direction: it never makes a word that may lead out harmless,
// unless two sources say that the word is text, or the option's own name does.
//
// Its operands hide nothing at all. Two sources call the same operand text for
// 19 commands of 2,300; those that matter are described by hand.

// basePlace is what notes say of facts that no spec file holds.
var basePlace = place{file: &File{Name: "base table"}}

// baseOption is what a kind of the table means.
type baseOption struct {
	*option
	sure    bool // two sources agree
	command bool // as an operand: a command begins
}

// baseKinds are shared by all options of a kind.
var baseKinds = sync.OnceValue(func() []baseOption {
	kinds := facts.Kinds()
	out := make([]baseOption, len(kinds))
	for i, k := range kinds {
		out[i] = readBaseKind(k)
	}
	return out
})

// readBaseKind reads a kind of the table:
//
//	[!] value [ value]... [=] [number of sources]
//
// "!" marks that the sources disagree whether a value follows; "=" that it is
// attached or absent. See specgen/README.md.
func readBaseKind(k string) baseOption {
	out := baseOption{option: &option{place: basePlace}}
	if n := len(k) - 1; n >= 0 && k[n] >= '2' && k[n] <= '9' {
		out.sure, k = true, k[:n]
	}
	out.command = k[0] == 'c' && !strings.Contains(k, "~")
	k, unsure := strings.CutPrefix(k, "!")
	if unsure {
		out.arity = arityUnsure
		if k != "-" {
			k = strings.TrimPrefix(k, "-")
		}
	}
	if strings.HasSuffix(k, "=") && !unsure {
		out.arity = arityAttached
	}
	for i, v := range strings.Fields(k) {
		switch {
		case v[0] == '-':
			continue
		case i > 0 && strings.HasSuffix(v, "?") && len(v) > 1, i > 0 && v == "=":
			continue // may be absent: it is read as an operand, which hides nothing
		}
		out.vals = append(out.vals, slot{name: "value", kind: baseValue(v, out.sure)})
	}
	if unsure && len(out.vals) == 0 {
		out.vals = []slot{{name: "value", kind: kind{base: kGuess}}}
	}
	return out
}

// baseValue is the kind of a value. What is a path to the table is a guess here:
// it doesn't say whether the path is read or written.
func baseValue(v string, sure bool) kind {
	switch v[0] {
	case 't', 'T', 'x', 'X':
		if sure && !strings.ContainsAny(v, "~%") {
			return kind{base: kText}
		}
	case 'c', 'C':
		return kind{base: kFlags} // a command in one word: each of its words is a guess
	}
	return kind{base: kGuess}
}

// baseSpecs are the nodes in use as specs.
var baseSpecs sync.Map // facts.Node: *spec

// baseSpec is the table's description of a command.
func baseSpec(name string) (*spec, bool) {
	n, ok := facts.Find(name)
	if !ok {
		return nil, false
	}
	return nodeSpec(name, n), true
}

func nodeSpec(name string, n facts.Node) *spec {
	if s, ok := baseSpecs.Load(n); ok {
		return s.(*spec)
	}
	s := &spec{operandOf: operandOf + name, place: basePlace, whole: true, node: &n}
	if n.Stop() {
		s.parse |= parseStop
	}
	if n.Long1() {
		s.parse |= parseLongdash
	}
	// Where a command follows, the words before it are guesses.
	kinds := baseKinds()
	var slots []slot
	for _, k := range n.Operands() {
		if kinds[k].command {
			slots = append(slots, slot{name: "command", kind: kind{base: kCommand}, many: true})
			s.usage = &usage{basePlace, slots}
			break
		}
		slots = append(slots, slot{name: "operand", kind: kind{base: kGuess}})
	}
	kept, _ := baseSpecs.LoadOrStore(n, s)
	return kept.(*spec)
}

// sub is a subcommand.
func (s *spec) sub(name string) *spec {
	if s.node == nil {
		return s.subs[name]
	}
	if n, ok := s.node.Sub(name); ok {
		return nodeSpec(name, n)
	}
	return nil
}

func (s *spec) hasSubs() bool { return len(s.subs) > 0 || s.node != nil && s.node.HasSubs() }

// written is the spec with everything in it that the table says, for those that
// extend it.
func (s *spec) written() *spec {
	if s.node == nil {
		return s
	}
	out := *s
	out.node = nil
	kinds := baseKinds()
	for name, f := range s.node.Options() {
		out.opts.add(name, kinds[f.Kind].option)
	}
	for _, name := range s.node.Subs() {
		out.setSub(name, s.sub(name).written())
	}
	return &out
}

// lookupBase looks an option up in nodes of the table, the innermost last. Those
// outside give only what subcommands inherit.
func lookupBase(nodes []facts.Node, name string, onlySure bool) *option {
	if len(name) < 2 || name[0] != '-' && name[0] != '+' {
		return nil
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		f, ok := nodes[i].Option(name)
		if !ok || i < len(nodes)-1 && !f.Inherited {
			continue
		}
		o := baseKinds()[f.Kind]
		if onlySure && !o.sure {
			return nil
		}
		return o.option
	}
	return nil
}

// enterBase finds what the base table says of the command. Options that a spec
// doesn't name are looked up there.
func (r *reader) enterBase() {
	s := r.chain[0]
	if s.node != nil {
		r.nodes = append(r.nodes0[:0], *s.node)
		return
	}
	if s.parse&(parseFind|parseWords) != 0 || s.unknown == unknownText {
		return
	}
	name, _ := r.words[0].Lit()
	if n, ok := facts.Find(baseName(name)); ok {
		r.nodes = append(r.nodes0[:0], n)
	}
}

// enter goes on with a subcommand.
func (r *reader) enter(name string, sub *spec) {
	r.chain = append(r.chain, sub)
	if len(r.nodes) == 0 {
		return
	}
	n, ok := r.nodes[len(r.nodes)-1].Sub(name)
	if !ok {
		r.nodes = nil
		return
	}
	r.nodes = append(r.nodes, n)
}
