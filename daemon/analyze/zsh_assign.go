package analyze

import (
	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// zshStore carries out the assignments of zsh that differ from those of bash:
// tables, positional parameters, elements. It is false for all others.
func (x *run) zshStore(st *state, as *syntax.Assign, v word.Value) bool {
	name := as.Name.Value
	x.hookList(st, name, v)
	_, own := st.vars[name]
	switch {
	case zshTables[name] && !own:
		x.table(st, as, v)
		return true
	case name == "argv":
		st.args, st.argsOK = nil, false
		if as.Index == nil && !as.Append && v.List != nil {
			list := make([]access.Word, 0, len(v.List))
			for i := range len(v.List) {
				list = append(list, v.List[i])
			}
			st.args, st.argsOK = x.spread(st, list)
		}
		return true
	case as.Index == nil:
		return false
	}
	old := x.get(st, name)
	if old.Map != nil {
		return false
	}
	// Arrays count from 1; an element of a text is a character.
	i, ok := x.index(&env{x: x, st: st}, as.Index)
	if !ok || i == 0 || old.State == word.Unknown || old.State == word.Set && old.List == nil || as.Array != nil {
		x.assign(st, name, word.Value{Exported: old.Exported}, v.Scalar)
		return true
	}
	list := map[int]access.Word{}
	for k := range max(len(old.List), i) {
		list[k] = old.List[k]
	}
	list[i-1] = appended(as, list[i-1], v.Scalar)
	x.assign(st, name, word.Value{State: word.Set, Scalar: list[0], List: list, Exported: old.Exported}, v.Scalar)
	return true
}
