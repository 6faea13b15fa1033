package analyze

import (
	"strings"

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
		if old := x.get(st, name); as.Append && old.Map != nil && v.List != nil && old.State == word.Set {
			m := copyMap(old.Map)
			for i := 0; i < len(v.List); i += 2 {
				key, ok := v.List[i].Lit()
				if !ok {
					old.State, m = word.Unknown, nil
					break
				}
				m[key] = v.List[i+1]
			}
			old.Map = m
			x.assign(st, name, old, access.Word{})
			return true
		}
		return false
	}
	old := x.get(st, name)
	if old.Map != nil {
		return false
	}
	if x.zshPlaces(st, as, old, v) {
		return true
	}
	// Arrays count from 1; an element of a text is a character.
	i, ok := x.index(&env{x: x, st: st}, as.Index)
	if !ok || i == 0 || x.option(st, "ksharrays") || old.State == word.Unknown || old.State == word.Set && old.List == nil || as.Array != nil {
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

// setArray is set -A NAME VALUE...: an array; with + the values replace its first
// ones.
func (x *run) setArray(c *invocation, whole bool, args []access.Word, sorts bool) {
	if len(args) == 0 {
		return
	}
	name, ok := args[0].Lit()
	if !ok {
		x.clobber(c.st)
		return
	}
	if zshTables[name] || isHookList(name) || name == "argv" {
		x.unknown("set -A: what it does to "+name+" isn't followed", c.start, c.end)
		x.line.Changes = true
	}
	x.guardedName(c.st, name, args[0], c.start, c.end)
	values, sure := x.spread(c.st, args[1:])
	v := word.Value{State: word.Set, List: map[int]access.Word{}}
	old := x.get(c.st, name)
	if !sure || sorts || !whole && (old.State == word.Unknown || old.Map != nil) {
		x.assign(c.st, name, word.Value{}, args[0])
		return
	}
	if !whole {
		for i, w := range old.List {
			v.List[i] = w
		}
	}
	for i, w := range values {
		v.List[i] = w
	}
	v.Scalar = v.List[0]
	if tied[name] != "" {
		old := x.at
		x.at = [2]int{c.start, c.end}
		x.loadsLater(c.st, name, v, &syntax.Word{})
		x.at = old
	}
	x.assign(c.st, name, v, args[0])
}

// zshGet is parameters that have their value from others: argv, and one of a pair
// that typeset -T ties when the line has changed the other. Which are tied isn't
// known; their names mostly differ in nothing but their case.
func (x *run) zshGet(st *state, name string) (word.Value, bool) {
	if name == "argv" && !st.child {
		if !st.argsOK {
			return word.Value{}, true
		}
		v := word.Value{State: word.Set, List: map[int]access.Word{}}
		for i, w := range st.args {
			v.List[i] = w
		}
		v.Scalar = v.List[0]
		return v, true
	}
	other := strings.ToLower(name)
	if other == name {
		other = strings.ToUpper(name)
	}
	if other != name && other != "PATH" && other != "path" {
		if _, changed := st.vars[other]; changed {
			return word.Value{Exported: x.r.Vars[name].Exported}, true
		}
	}
	return word.Value{}, false
}

// zshPaths is the line's own cdpath, joined like CDPATH.
func (x *run) zshPaths(st *state) (access.Word, bool) {
	v, ok := st.vars["cdpath"]
	if !ok || !st.zsh {
		return access.Word{}, false
	}
	if v.List == nil {
		return v.Scalar, v.State != word.Unset
	}
	var out access.Word
	for i := range len(v.List) {
		if i > 0 {
			out = out.Concat(access.Text(":"))
		}
		out = out.Concat(v.List[i])
	}
	return out, true
}

// zshStack is dirs DIR...: the directories become the stack.
func (x *run) zshStack(c *invocation) {
	var stack []access.Word
	for _, w := range c.argv[1:] {
		if lit, ok := w.Lit(); ok && len(lit) > 1 && (lit[0] == '-' || lit[0] == '+') {
			x.printStack(c.st)
			return
		}
		x.touch(c.st, c.st.cwd, target{word: w, kind: access.Read, why: "directory of dirs"})
		stack = append(stack, absolute(c.st.cwd, w))
	}
	c.st.stack, c.st.stackSet = stack, true
}
