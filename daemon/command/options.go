package command

import "slices"

// options are the options of a spec by their names, sorted. A name stands there
// once for each system that has an option of its own.
type options []named

type named struct {
	name string
	*option
}

// from is where names that are not less begin.
func (o options) from(name string) int {
	low, high := 0, len(o)
	for low < high {
		if mid := int(uint(low+high) >> 1); o[mid].name < name {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func (o options) has(name string) bool {
	i := o.from(name)
	return i < len(o) && o[i].name == name
}

// lookup finds an option: that of the system goes before that of all.
func (o options) lookup(name, os string) *option {
	var any *option
	for i := o.from(name); i < len(o) && o[i].name == name; i++ {
		switch o[i].os {
		case os:
			return o[i].option
		case "":
			any = o[i].option
		}
	}
	return any
}

// add declares an option. It takes the place of a flag of the same name, which a
// condition may have declared before; of anything else there can't be two: false.
func (o *options) add(name string, opt *option) bool {
	i := o.from(name)
	for ; i < len(*o) && (*o)[i].name == name; i++ {
		if old := (*o)[i]; old.os == opt.os {
			if len(old.vals) > 0 || old.gives != "" || len(old.effects) > 0 {
				return false
			}
			(*o)[i].option = opt
			return true
		}
	}
	*o = slices.Insert(*o, i, named{name, opt})
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
