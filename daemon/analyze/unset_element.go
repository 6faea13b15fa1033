package analyze

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// unsetElement is bash's unset of NAME[SUBSCRIPT]. What isn't sure to go leaves the
// whole variable unknown.
func (x *run) unsetElement(st *state, base, sub string, ref bool) status {
	if !ref {
		base = x.target(st, base)
	}
	if x.fixed(st, base) {
		return no
	}
	old := x.get(st, base)
	sub, closed := strings.CutSuffix(sub, "]")
	lost := func() status {
		st.setVar(base, word.Value{Exported: old.Exported})
		return either
	}
	switch all := sub == "@" || sub == "*"; {
	case !closed || sub == "" || st.zsh || old.State == word.Unknown || strings.ContainsAny(sub, "[]$`\"'\\"):
		return lost()
	case old.Map != nil:
		if all { // a key of this name, or all keys, as the version is
			return lost()
		}
		m := copyMap(old.Map)
		delete(m, sub)
		old.Map = m
	case old.List != nil && all:
		old.List, old.Scalar = map[int]access.Word{}, access.Word{}
	case old.State == word.Unset:
		return either
	default:
		n, err := strconv.Atoi(sub)
		if err != nil && syntax.ValidName(sub) {
			n, err = strconv.Atoi(litOf(x.arithText(st, access.Text(sub))))
		}
		if err != nil {
			return lost()
		}
		if old.List == nil {
			if n != 0 { // "not an array variable"
				return no
			}
			st.setVar(base, word.Value{State: word.Unset, Exported: old.Exported})
			return yes
		}
		if n < 0 {
			last := -1
			for i := range old.List {
				last = max(last, i)
			}
			n += last + 1
		}
		list := copyList(old.List)
		delete(list, n)
		old.List, old.Scalar = list, list[0]
	}
	st.setVar(base, old)
	return yes
}
