// Package facts holds what public completion collections know of some 2,300
// commands: the options of each, whether they take a value, and of what kind. It
// is facts alone (names and kinds), good for options and poor for operands, and
// lies below what is written by hand.
//
// The table is read where it lies in the program: opening it costs nothing, a
// look-up is a few binary searches, and nothing is decoded ahead or kept.
package facts

import (
	_ "embed"
	"sort"
)

//go:embed base.bin
var data string

// Notices are the notices of the works that the table was made from; they go with
// every copy.
//
//go:embed NOTICE
var Notices string

// The file is made of 32-bit little-endian words and the bytes of the names:
//
//	0 magic; 1 number of kinds, 2 of names, 3 of commands; 4 bytes of the names, 5 words of the nodes
//	kinds: their name ids
//	names: where each begins in the bytes, and the end; sorted
//	commands: name id, node; sorted
//	nodes: see node.go
//	slots: 1 + name id, or 0; a name is at its hash modulo their number or, with the next ones in use, behind
//	the bytes of the names
const header = 7 // 6 is the number of slots, a power of two

func word(i uint32) uint32 {
	b := data[4*i : 4*i+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// The parts of the file, in words.
func kindsAt() uint32    { return header }
func namesAt() uint32    { return kindsAt() + word(1) }
func commandsAt() uint32 { return namesAt() + word(2) + 1 }
func nodesAt() uint32    { return commandsAt() + 2*word(3) }

func slotsAt() uint32 { return nodesAt() + word(5) }

func name(id uint32) string {
	at := 4 * (slotsAt() + word(6))
	return data[at+word(namesAt()+id) : at+word(namesAt()+id+1)]
}

// id is the number of a name in the file.
func id(s string) (uint32, bool) {
	mask := word(6) - 1
	for i := hash(s) & mask; ; i = (i + 1) & mask {
		switch id := word(slotsAt() + i); {
		case id == 0:
			return 0, false
		case name(id-1) == s:
			return id - 1, true
		}
	}
}

// hash is FNV-1a.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// pairs looks a name up among pairs of name id and value.
func pairs(at, n, id uint32) (uint32, bool) {
	i, ok := sort.Find(int(n), func(i int) int { return int(id) - int(word(at+2*uint32(i))) })
	if !ok {
		return 0, false
	}
	return word(at + 2*uint32(i) + 1), true
}

// Find is the node of a command.
func Find(command string) (Node, bool) {
	id, ok := id(command)
	if !ok {
		return Node{}, false
	}
	at, ok := pairs(commandsAt(), word(3), id)
	return Node{at}, ok
}

// Names lists the commands, sorted.
func Names() []string {
	out := make([]string, word(3))
	for i := range out {
		out[i] = name(word(commandsAt() + 2*uint32(i)))
	}
	return out
}

// Kinds lists the kinds by their number.
func Kinds() []string {
	out := make([]string, word(1))
	for i := range out {
		out[i] = name(word(kindsAt() + uint32(i)))
	}
	return out
}
