package command

import (
	"slices"
	"strings"
)

// options are the options of a spec by their names, sorted. A name stands there
// once for each system that has an option of its own.
type options []named

type named struct {
	// head is how the name begins, as a number that sorts as names do: most differ
	// in it, and their text needn't be read.
	head uint64
	name string
	*option
}

func head(name string) (h uint64) {
	for i := range 8 {
		h <<= 8
		if i < len(name) {
			h |= uint64(name[i])
		}
	}
	return h
}

// from is where names that are not less begin.
func (o options) from(h uint64, name string) int {
	low, high := 0, len(o)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if n := &o[mid]; n.head < h || n.head == h && n.name < name {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// all are the options of one name.
func (o options) all(name string) options {
	h := head(name)
	i := o.from(h, name)
	j := i
	for j < len(o) && o[j].head == h && o[j].name == name {
		j++
	}
	return o[i:j]
}

// begin are the options whose names begin so.
func (o options) begin(start string) options {
	i := o.from(head(start), start)
	j := i
	for j < len(o) && strings.HasPrefix(o[j].name, start) {
		j++
	}
	return o[i:j]
}

// lookup finds an option: that of the system goes before that of all.
func (o options) lookup(name, os string) *option {
	var any *option
	for _, n := range o.all(name) {
		switch n.os {
		case os:
			return n.option
		case "":
			any = n.option
		}
	}
	return any
}

// add declares an option. It takes the place of a flag of the same name, which a
// condition may have declared before; of anything else there can't be two: false.
func (o *options) add(name string, opt *option) bool {
	same := o.all(name)
	for i, old := range same {
		if old.os != opt.os {
			continue
		}
		if len(old.vals) > 0 || old.gives != "" || len(old.effects) > 0 {
			return false
		}
		same[i].option = opt
		return true
	}
	h := head(name)
	*o = slices.Insert(*o, o.from(h, name), named{h, name, opt})
	return true
}

// with are the options and those of others whose names they don't have. Neither
// list is changed.
func (o options) with(others options) options {
	if len(o) == 0 {
		return others
	}
	all := make(options, 0, len(o)+len(others))
	i := 0
	for _, other := range others {
		for ; i < len(o) && o[i].name < other.name; i++ {
			all = append(all, o[i])
		}
		if i == len(o) || o[i].name != other.name {
			all = append(all, other)
		}
	}
	return append(all, o[i:]...)
}
