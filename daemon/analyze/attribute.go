package analyze

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// What earlier lines of the shell gave its variables: attributes, which last, and
// values that this line evaluates.

// attributed gives a variable that the line did not set the attributes it has in
// the shell.
func (x *run) attributed(st *state, name string, v word.Value) word.Value {
	if st.child || len(x.r.Attributes) == 0 {
		return v
	}
	for _, f := range x.r.Attributes[name] {
		switch f {
		case 'r':
			v.ReadOnly = true
		case 'i':
			v.Integer = true
		case 'l':
			v.Lower = true
		case 'u':
			v.Upper = true
		case 'n':
			v.Ref = true
		}
	}
	return v
}

// before is a variable that an assignment meets: one of the line, or one of the
// shell with attributes.
func (x *run) before(st *state, name string) (word.Value, bool) {
	if v, ok := st.vars[name]; ok {
		return v, true
	}
	if st.child || x.r.Attributes[name] == "" {
		return word.Value{}, false
	}
	return x.get(st, name), true
}

// shaped handles an assignment to a variable of the shell whose value is another
// than the text that is assigned: zsh's numbers with a fraction, fixed widths and
// tied pairs, and arrays, of which one element is set.
func (x *run) shaped(st *state, name string, v word.Value) (word.Value, bool) {
	if _, own := st.vars[name]; own || st.child {
		return v, false
	}
	flags := x.r.Attributes[name]
	switch {
	case strings.ContainsRune(flags, 'f'):
		x.arithText(st, v.Scalar)
		return word.Value{State: word.Set, Scalar: access.Unknowable(access.Name, 0, 0), Exported: v.Exported}, true
	case strings.ContainsRune(flags, 'T'):
		for other, f := range x.r.Attributes {
			if strings.ContainsRune(f, 'T') {
				st.setVar(other, word.Value{Exported: v.Exported})
			}
		}
		return word.Value{Exported: v.Exported}, true
	case strings.ContainsRune(flags, 'L'):
		return word.Value{Exported: v.Exported}, true
	case (x.r.Vars[name].List != nil || x.r.Vars[name].Map != nil) && v.State == word.Set && v.List == nil && v.Map == nil && !st.zsh:
		old := x.get(st, name)
		if old.Map != nil {
			old.Map = copyMap(old.Map)
			old.Map["0"] = v.Scalar
		} else {
			list := map[int]access.Word{}
			for k, w := range old.List {
				list[k] = w
			}
			list[0] = v.Scalar
			old.List = list
		}
		old.Scalar, old.State = v.Scalar, word.Set
		return old, true
	}
	return v, false
}

// Evaluates is told of variables whose value is read as an expression. One that
// only the shell knows may hold a[$(command)].
func (e *env) Evaluates(name string) {
	if name == "" || name == "?" || name == "#" || name == "$" || name == "!" || name == "-" {
		return
	}
	if name == "@" || name == "*" {
		if !e.st.argsOK {
			e.x.must("1")
		}
		return
	}
	if _, own := e.st.vars[name]; own || e.x.get(e.st, name).State != word.Unknown {
		return
	}
	if e.st.child && !alwaysExported[name] && !e.x.r.Interactive {
		return // of a shell below this line: what it inherits was given to the line
	}
	e.x.must(name)
}

// Elements is told of variables with one value whose elements are asked for. In
// bash an assignment to an array of an earlier line sets its first element alone.
func (e *env) Elements(name string) {
	if _, own := e.st.vars[name]; !own || e.st.zsh || e.st.child || !e.x.r.Interactive {
		return
	}
	if _, told := e.x.r.Vars[name]; !told {
		e.x.must(name)
	}
}

// evaluatesWord is Evaluates for a text whose unknown parts are known by where
// they came from.
func (x *run) evaluatesWord(st *state, w access.Word) {
	e := &env{x: x, st: st}
	for _, s := range w.Segs {
		if s.Class != access.Any {
			continue
		}
		name := strings.TrimPrefix(s.From, "$")
		if i := strings.IndexByte(name, '['); i >= 0 {
			name = strings.TrimPrefix(name[:i], "{")
		}
		if name == s.From || !syntax.ValidName(name) && (name == "" || name[0] < '1' || name[0] > '9') && name != "@" && name != "*" {
			continue
		}
		e.Evaluates(name)
	}
}

// lasting are the attributes that change what later assignments do.
func (d *declaration) lasting() bool {
	return d.readonly || d.integer || d.ref || d.lower || d.upper || d.plain || d.shape ||
		d.variant == "readonly" || d.variant == "nameref"
}

// declares notes that later lines find other attributes.
func (x *run) declares(st *state, d *declaration) {
	if d.lasting() && !st.child && !st.apart {
		x.line.Changes = true
	}
}
