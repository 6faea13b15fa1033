package facts

import "sort"

// Node is a command or subcommand. In the file it is
//
//	flags, number of options, operands, subcommands
//	options: name id << 10 | inherited << 9 | kind, sorted
//	operands: their kinds
//	subcommands: name id, node; sorted
type Node struct{ at uint32 }

// What is in a node's first word.
const (
	flagStop = 1 << iota
	flagLong1
	flagRest
)

// How an option is packed.
const (
	nameShift = 10
	inherited = 1 << 9
	kindMask  = inherited - 1
)

func (n Node) word(i uint32) uint32 { return word(nodesAt() + n.at + i) }

func (n Node) has(f uint32) bool { return n.word(0)&f != 0 }

// Stop: options end at the first operand.
func (n Node) Stop() bool { return n.has(flagStop) }

// Long1: long options may have one dash.
func (n Node) Long1() bool { return n.has(flagLong1) }

// Rest: what follows "--" is a command.
func (n Node) Rest() bool { return n.has(flagRest) }

// Fact is what is known of one option: the number of its kind, and whether
// subcommands have the option too.
type Fact struct {
	Kind      int
	Inherited bool
}

func fact(w uint32) Fact { return Fact{int(w & kindMask), w&inherited != 0} }

// Option looks an option up.
func (n Node) Option(option string) (Fact, bool) {
	id, ok := id(option)
	if !ok {
		return Fact{}, false
	}
	i, ok := sort.Find(int(n.word(1)), func(i int) int { return int(id) - int(n.word(4+uint32(i))>>nameShift) })
	if !ok {
		return Fact{}, false
	}
	return fact(n.word(4 + uint32(i))), true
}

// Options lists all options.
func (n Node) Options() map[string]Fact {
	out := make(map[string]Fact, n.word(1))
	for i := range n.word(1) {
		w := n.word(4 + i)
		out[name(w>>nameShift)] = fact(w)
	}
	return out
}

// Operands are the numbers of the operands' kinds.
func (n Node) Operands() []int {
	out := make([]int, n.word(2))
	for i := range out {
		out[i] = int(n.word(4 + n.word(1) + uint32(i)))
	}
	return out
}

func (n Node) subsAt() uint32 { return nodesAt() + n.at + 4 + n.word(1) + n.word(2) }

// HasSubs tells whether the node has subcommands.
func (n Node) HasSubs() bool { return n.word(3) > 0 }

// Sub is a subcommand.
func (n Node) Sub(sub string) (Node, bool) {
	if !n.HasSubs() {
		return Node{}, false
	}
	id, ok := id(sub)
	if !ok {
		return Node{}, false
	}
	at, ok := pairs(n.subsAt(), n.word(3), id)
	return Node{at}, ok
}

// Subs lists the subcommands, sorted.
func (n Node) Subs() []string {
	out := make([]string, n.word(3))
	for i := range out {
		out[i] = name(word(n.subsAt() + 2*uint32(i)))
	}
	return out
}
