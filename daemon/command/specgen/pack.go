package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
)

// What daemon/command/facts reads; its comments say what is what.
const (
	magic     = 0x31746278 // xbt1
	flagStop  = 1
	flagLong1 = 2
	flagRest  = 4
	nameShift = 10
	inherited = 1 << 9
)

type packer struct {
	ids   map[string]uint32
	kinds map[string]uint32
	nodes []uint32
	seen  map[string]uint32 // a node that is there already
}

func pack(text []byte) ([]byte, error) {
	var all facts
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	p := &packer{map[string]uint32{}, map[string]uint32{}, nil, map[string]uint32{}}
	names, kinds := p.strings(all)
	if len(kinds) > inherited {
		return nil, fmt.Errorf("%d kinds, there is room for %d", len(kinds), inherited)
	}
	var commands []uint32
	places := map[string]uint32{}
	for _, c := range keys(all) {
		if all[c].Alias == "" {
			places[c] = p.node(all[c])
		}
	}
	for _, c := range keys(all) {
		at := c
		if a := all[c].Alias; a != "" {
			at = a
		}
		place, ok := places[at]
		if !ok {
			return nil, fmt.Errorf("%s is an alias of %s, which is none", c, at)
		}
		commands = append(commands, p.ids[c], place)
	}
	size := 0
	for _, n := range names {
		size += len(n)
	}
	words := []uint32{magic, uint32(len(kinds)), uint32(len(names)), uint32(len(commands) / 2), uint32(size), uint32(len(p.nodes)), slotCount(names)}
	for _, k := range kinds {
		words = append(words, p.ids[k])
	}
	at := uint32(0)
	for _, n := range names {
		words = append(words, at)
		at += uint32(len(n))
	}
	words = append(words, at)
	words = append(append(words, commands...), p.nodes...)
	words = append(words, p.slots(names)...)
	var out []byte
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	for _, n := range names {
		out = append(out, n...)
	}
	return out, nil
}

// strings numbers all names and kinds in their order.
func (p *packer) strings(all facts) (names, kinds []string) {
	name, kind := map[string]bool{}, map[string]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		for o, k := range n.Opts {
			name[o], kind[k] = true, true
		}
		for _, k := range n.Args {
			kind[k] = true
		}
		for s, sub := range n.Subs {
			name[s] = true
			walk(sub)
		}
	}
	for c, n := range all {
		name[c] = true
		walk(n)
	}
	kinds = keys(kind)
	for i, k := range kinds {
		p.kinds[k], name[k] = uint32(i), true
	}
	names = keys(name)
	for i, n := range names {
		p.ids[n] = uint32(i)
	}
	return names, kinds
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// node puts a node and what is below it, once.
func (p *packer) node(n *node) uint32 {
	flags := uint32(0)
	if n.Stop != 0 {
		flags |= flagStop
	}
	if n.Long1 != 0 {
		flags |= flagLong1
	}
	if n.Rest != "" && n.Rest[0] == 'c' {
		flags |= flagRest
	}
	words := []uint32{flags, uint32(len(n.Opts)), uint32(len(n.Args)), 0}
	for _, o := range keys(n.Opts) {
		w := p.ids[o]<<nameShift | p.kinds[n.Opts[o]]
		if slices.Contains(n.Glob, o) {
			w |= inherited
		}
		words = append(words, w)
	}
	for _, k := range n.Args {
		words = append(words, p.kinds[k])
	}
	places := map[string]uint32{}
	for _, s := range keys(n.Subs) {
		if n.Subs[s].Alias == "" {
			places[s] = p.node(n.Subs[s])
		}
	}
	for _, s := range keys(n.Subs) {
		at := s
		if a := n.Subs[s].Alias; a != "" {
			at = a
		}
		words = append(words, p.ids[s], places[at])
		words[3]++
	}
	key := fmt.Sprint(words)
	if at, ok := p.seen[key]; ok {
		return at
	}
	at := uint32(len(p.nodes))
	p.seen[key] = at
	p.nodes = append(p.nodes, words...)
	return at
}

// slotCount leaves a third of the slots free.
func slotCount(names []string) uint32 {
	n := uint32(1)
	for n < uint32(len(names))*3/2 {
		n *= 2
	}
	return n
}

func (p *packer) slots(names []string) []uint32 {
	out := make([]uint32, slotCount(names))
	for _, n := range names {
		h := fnv.New32a()
		h.Write([]byte(n))
		i := h.Sum32() & uint32(len(out)-1)
		for out[i] != 0 {
			i = (i + 1) & uint32(len(out)-1)
		}
		out[i] = p.ids[n] + 1
	}
	return out
}
