package word

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// searched is a subscript with flags, $a[(r)pattern] (zshparam(1), "Subscript Flags"):
// r and R find the first and the last element that matches, i and I its place, in an
// associative array its key. Others aren't known here.
func (e *expander) searched(v parameter, index *syntax.FlagsArithm) (parameter, bool) {
	how, exact := byte(0), false
	for _, f := range []byte(index.Flags.Value) {
		switch f {
		case 'r', 'R', 'i', 'I':
			how = f
		case 'e':
			exact = true
		default:
			return v, false
		}
	}
	w, ok := index.X.(*syntax.Word)
	if !ok || how == 0 || v.open && v.raw.Map == nil || v.state == Unknown {
		return v, false
	}
	pattern := e.sub(w, mode{ctx: patternText}, false)
	if !pattern.Known() {
		return v, false
	}
	if exact {
		for i := range pattern.Segs {
			pattern.Segs[i].Quoted, pattern.Segs[i].Special = true, false
		}
	}
	nodes := compile(e.sh, pattern, false, true)
	matches := func(w access.Word) (hit, sure bool) {
		m := matcher{text: cells(unfold(w)), spend: e.sh.Spend}
		s := m.from(nodes, 0)
		may, must := s.may[m.end()], s.must[m.end()]
		return may, may == must
	}
	last := how == 'R' || how == 'I'
	set := func(w access.Word) (parameter, bool) {
		return parameter{name: v.name, state: Set, words: []access.Word{w}}, true
	}
	if v.raw.Map != nil && v.name != "" {
		byKey := how == 'i' || how == 'I'
		out := parameter{name: v.name, state: Set, list: last}
		for k, value := range v.raw.Map {
			key := access.Text(k)
			hit, sure := matches(map[bool]access.Word{true: key, false: value}[byKey])
			if !sure {
				return v, false
			}
			if hit {
				out.words = append(out.words, map[bool]access.Word{true: key, false: value}[byKey])
				out.keys = append(out.keys, k)
			}
		}
		if len(out.words) > 1 {
			return v, false // in an order of its own
		}
		if !last && len(out.words) == 0 {
			out.words = []access.Word{{}}
		}
		return out, true
	}
	if !v.list {
		return v, false
	}
	found := -1
	for i, w := range v.words {
		hit, sure := matches(w)
		if !sure {
			return v, false
		}
		if hit && (found < 0 || last) {
			found = i
		}
	}
	if how == 'r' || how == 'R' {
		if found < 0 {
			return parameter{name: v.name, state: Unset, words: []access.Word{{}}}, true
		}
		return set(v.words[found])
	}
	if e.sh.Option("ksharrays") {
		return v, false
	}
	switch {
	case found >= 0:
		found++
	case last:
		found = 0
	default:
		found = len(v.words) + 1
	}
	return set(access.Text(strconv.Itoa(found)))
}
