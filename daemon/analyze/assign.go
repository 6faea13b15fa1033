package analyze

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// assignments runs a command that is nothing but assignments.
func (x *run) assignments(list []*syntax.Assign, st *state) []*state {
	sts := []*state{st}
	st.status = yes
	for _, as := range list {
		sts = x.eachState(sts, func(s *state) []*state {
			return x.each1(s, func(e *env) bool {
				v, stop := x.assignedIn(e, as, false)
				if as.Name != nil && !stop {
					x.guarded(e.st, as.Name.Value, v.Scalar, as)
					old := x.get(e.st, as.Name.Value)
					if old.Exported || alwaysExported[as.Name.Value] || e.st.zsh && tied[as.Name.Value] != "" {
						x.loadsLater(e.st, as.Name.Value, v, as)
					}
					x.store(e.st, as, v)
				}
				e.st.status = yes
				if e.ran {
					e.st.status = e.status
				}
				return stop
			})
		})
	}
	return sts
}

// each1 runs f in all readings of the words it expands.
func (x *run) each1(st *state, f func(e *env) (stop bool)) []*state {
	var out []*state
	for _, a := range x.each(st, func(e *env) ([]access.Word, bool) { return nil, f(e) }) {
		if a.stop {
			a.st.flow, a.st.status = exits, no
		}
		out = append(out, a.st)
	}
	return merge(out)
}

// tied are zsh's arrays that hold the parts of a list variable.
var tied = map[string]string{"path": "PATH", "fpath": "FPATH", "manpath": "MANPATH", "module_path": "MODULE_PATH"}

// loadsLater reports what a variable that stays in the environment makes later
// programs load.
func (x *run) loadsLater(st *state, name string, v word.Value, n syntax.Node) {
	value := v.Scalar
	if list, ok := tied[name]; ok && st.zsh && v.List != nil {
		name, value = list, access.Word{}
		for i := range len(v.List) {
			if i > 0 {
				value = value.Concat(access.Text(":"))
			}
			value = value.Concat(v.List[i])
		}
	}
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	g := &ground{x: x, st: st, sink: st, rec: -1, start: start, end: end, quiet: new(bool), ext: new(bool)}
	x.loads(g, name, value)
}

// assigned evaluates the right side of an assignment; only the first reading.
func (x *run) assigned(as *syntax.Assign, st *state, assoc bool) (word.Value, bool) {
	return x.assignedIn(&env{x: x, st: st}, as, assoc)
}

// assignedIn evaluates the right side of an assignment.
func (x *run) assignedIn(e *env, as *syntax.Assign, assoc bool) (v word.Value, stop bool) {
	v.State = word.Set
	if as.Array == nil {
		if as.Value != nil {
			v.Scalar, stop = word.Assign(e, as.Value)
		}
		return v, stop
	}
	if as.Name != nil && x.get(e.st, as.Name.Value).Map != nil {
		assoc = true
	}
	next := 0
	if assoc {
		v.Map = map[string]access.Word{}
	} else {
		v.List = map[int]access.Word{}
	}
	sure := true
	for _, el := range as.Array.Elems {
		if el.Index != nil {
			var val access.Word
			if el.Value != nil {
				val, stop = word.Assign(e, el.Value)
			}
			if assoc {
				key, ok := x.key(e, el.Index)
				sure = sure && ok
				v.Map[key] = val
				continue
			}
			i, ok := x.index(e, el.Index)
			sure = sure && ok
			v.List[i] = val
			next = i + 1
			continue
		}
		if el.Value == nil {
			continue
		}
		var fields []access.Word
		fields, stop = word.Fields(e, el.Value)
		if stop {
			return v, true
		}
		for _, f := range fields {
			x.listed(e.st, f)
			sure = sure && !maybeNone(f)
			if next > guard.Max(guard.Fields) {
				sure = false
				break
			}
			if assoc {
				key, _ := f.Lit()
				v.Map[key] = access.Word{}
				continue
			}
			v.List[next] = f
			next++
		}
	}
	if !sure {
		return word.Value{State: word.Set, Scalar: anything, List: map[int]access.Word{0: anything}}, stop
	}
	if !assoc {
		v.Scalar = v.List[0]
	}
	return v, stop
}

// index evaluates an array subscript.
func (x *run) index(e *env, a syntax.ArithmExpr) (int, bool) {
	w, _ := word.Arith(e, a)
	lit, ok := w.Lit()
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(lit)
	if err != nil || n < 0 || n > 1<<20 {
		return 0, false
	}
	return n, true
}

// key evaluates the subscript of an associative array.
func (x *run) key(e *env, a syntax.ArithmExpr) (string, bool) {
	if w, ok := a.(*syntax.Word); ok {
		v, _ := word.Single(e, w)
		return v.Lit()
	}
	return "", false
}

// store carries an assignment out: of a whole variable, an element, or more text
// to what is there.
func (x *run) store(st *state, as *syntax.Assign, v word.Value) {
	name := as.Name.Value
	if as.Naked {
		return
	}
	old := x.get(st, x.target(st, name))
	e := &env{x: x, st: st}
	switch {
	case as.Index != nil:
		if old.Map != nil {
			key, ok := x.key(e, as.Index)
			m := copyMap(old.Map)
			if !ok {
				m = nil
				old.State = word.Unknown
			} else {
				m[key] = appended(as, m[key], v.Scalar)
			}
			old.Map = m
			if m != nil {
				old.State = word.Set
			}
			x.assign(st, name, old, v.Scalar)
			return
		}
		i, ok := x.index(e, as.Index)
		list := map[int]access.Word{}
		for k, w := range old.List {
			list[k] = w
		}
		if old.List == nil && old.State == word.Set {
			list[0] = old.Scalar
		}
		if !ok || old.State == word.Unknown {
			x.assign(st, name, word.Value{Exported: old.Exported}, v.Scalar)
			return
		}
		list[i] = appended(as, list[i], v.Scalar)
		x.assign(st, name, word.Value{State: word.Set, Scalar: list[0], List: list, Exported: old.Exported}, v.Scalar)
		return
	case as.Append:
		switch {
		case old.State == word.Unknown && as.Array == nil:
			v.Scalar = anything.Concat(v.Scalar)
		case old.State == word.Unknown:
			v = word.Value{}
		case as.Array != nil && v.List != nil:
			list := map[int]access.Word{}
			next := 0
			for k, w := range old.List {
				list[k] = w
				next = max(next, k+1)
			}
			if old.List == nil && old.State == word.Set {
				list[0], next = old.Scalar, 1
			}
			for i := range len(v.List) {
				list[next+i] = v.List[i]
			}
			v.List, v.Scalar = list, list[0]
		case as.Array != nil && v.Map != nil:
			m := copyMap(old.Map)
			for k, w := range v.Map {
				m[k] = w
			}
			v.Map = m
		case old.List != nil:
			list := map[int]access.Word{}
			for k, w := range old.List {
				list[k] = w
			}
			list[0] = list[0].Concat(v.Scalar)
			v.List, v.Scalar = list, list[0]
		default:
			v.Scalar = x.limited(old.Scalar.Concat(v.Scalar))
		}
	}
	v.Exported = v.Exported || old.Exported || x.option(st, "allexport")
	x.assign(st, name, v, v.Scalar)
}

func appended(as *syntax.Assign, old, more access.Word) access.Word {
	if as.Append {
		return old.Concat(more)
	}
	return more
}

func copyMap(m map[string]access.Word) map[string]access.Word {
	out := make(map[string]access.Word, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	return out
}

// limited keeps a value within its budget.
func (x *run) limited(w access.Word) access.Word {
	n := 0
	for _, s := range w.Segs {
		n += len(s.Text)
	}
	if len(w.Segs) > 4096 || !x.b.Fits(guard.Value, n) || !x.b.Spend(guard.Values, n) {
		return anything
	}
	return w
}

// target follows namerefs.
func (x *run) target(st *state, name string) string {
	for range 10 {
		v, ok := st.vars[name]
		if !ok || !v.Ref {
			return name
		}
		to, ok := v.Scalar.Lit()
		if !ok || to == "" {
			return name
		}
		name = to
	}
	return name
}

// assign sets a variable, following namerefs. w is where the value stands.
func (x *run) assign(st *state, name string, v word.Value, w access.Word) {
	name = x.target(st, name)
	base, sub, isElem := strings.Cut(name, "[")
	if isElem { // a nameref to an element
		old := x.get(st, base)
		i, err := strconv.Atoi(strings.TrimSuffix(sub, "]"))
		if err != nil || old.State == word.Unknown {
			st.setVar(base, word.Value{})
			return
		}
		list := map[int]access.Word{}
		for k, e := range old.List {
			list[k] = e
		}
		list[i] = v.Scalar
		old.List, old.Scalar, old.State = list, list[0], word.Set
		st.setVar(base, old)
		return
	}
	old, had := st.vars[name]
	if had && old.ReadOnly {
		return
	}
	if !had {
		if base, ok := x.r.Vars[name]; ok && base.Exported || alwaysExported[name] {
			v.Exported = true
		}
	} else {
		v.Exported = v.Exported || old.Exported
	}
	v.Scalar = x.limited(v.Scalar)
	st.setVar(name, v)
}

// declClause runs declare, local, export, readonly, typeset and nameref in their
// form with assignments.
func (x *run) declClause(c *syntax.DeclClause, st *state) []*state {
	d := declaration{variant: c.Variant.Value}
	st.status = yes
	sts := []*state{st}
	for _, as := range c.Args {
		sts = x.eachState(sts, func(s *state) []*state {
			return x.each1(s, func(e *env) bool { return x.declare(e, &d, as) })
		})
	}
	// A local outside a function, a name that is no name, a readonly variable: the
	// builtin fails; what it may do all the same is done.
	for _, s := range sts {
		if d.funcs || d.printing || d.ref || d.variant == "local" && len(s.frames) == 0 || s.refused {
			s.status, s.refused = either, false
		}
	}
	if len(c.Args) == 0 && st.keep {
		st.print(anything)
	}
	start, end := int(c.Pos().Offset()), int(c.End().Offset())
	x.record(&invocation{x: x, st: st, argv: []access.Word{access.Text(c.Variant.Value)}, start: start, end: end})
	return sts
}

// declaration is what the options of a declaring builtin ask for.
type declaration struct {
	variant                                        string
	export, unexport, readonly, ref, array, assoc  bool
	funcs, global, integer, lower, upper, printing bool
}

func (d *declaration) option(o string) {
	on := o[0] == '-'
	for _, f := range o[1:] {
		switch f {
		case 'x':
			d.export, d.unexport = on, !on
		case 'r':
			d.readonly = on
		case 'n':
			if d.variant == "export" {
				d.unexport = on
			} else {
				d.ref = on
			}
		case 'a':
			d.array = on
		case 'A':
			d.assoc = on
		case 'f', 'F':
			d.funcs = on
		case 'g':
			d.global = on
		case 'i':
			d.integer = on
		case 'l':
			d.lower = on
		case 'u':
			d.upper = on
		case 'p':
			d.printing = true
		}
	}
}

// declare handles one argument of a declaring builtin.
func (x *run) declare(e *env, d *declaration, as *syntax.Assign) (stop bool) {
	st := e.st
	if as.Name == nil { // an option, or words that only expansion makes an assignment
		fields, stop := word.Fields(e, as.Value)
		if stop {
			return true
		}
		for _, w := range fields {
			if lit, ok := w.Lit(); !ok || lit == "" || lit[0] != '-' {
				st.refused = true
			}
			x.declareWord(st, d, w, as)
		}
		return false
	}
	if as.Naked && as.Value == nil && as.Array == nil && as.Index == nil {
		x.declareWord(st, d, access.Text(as.Name.Value), as)
		return false
	}
	v, stop := x.assignedIn(e, as, d.assoc)
	if stop {
		return true
	}
	x.declareValue(st, d, as.Name.Value, v, as)
	return false
}

// declareWord handles a word of a declaring builtin: an option, NAME, or NAME=VALUE.
func (x *run) declareWord(st *state, d *declaration, w access.Word, n syntax.Node) {
	if lit, ok := w.Lit(); ok && len(lit) > 1 && (lit[0] == '-' || lit[0] == '+') {
		d.option(lit)
		return
	}
	before, value, found := w.Cut('=')
	name, known := before.Lit()
	if !known {
		if len(w.Segs) > 0 {
			// Any variable may get any value.
			x.clobber(st)
		}
		return
	}
	if d.funcs || name == "" {
		if f, ok := st.funcs[name]; ok && d.export {
			f.exported = true
			st.setFunc(name, f)
		}
		return
	}
	if !found {
		x.guarded(st, name, x.get(st, name).Scalar, n)
		old := x.get(st, name)
		isLocal := d.variant == "local" || (d.variant == "declare" || d.variant == "typeset") && len(st.frames) > 0 && !d.global
		if isLocal {
			st.hide(name)
			old = word.Value{State: word.Unset}
			if x.option(st, "localvar_inherit") {
				old = x.get(st, name)
			}
		}
		x.attributes(d, &old)
		if d.assoc && old.Map == nil {
			old.Map, old.List = map[string]access.Word{}, nil
			old.State = word.Set
		} else if d.array && old.List == nil && old.State == word.Unset {
			old.List = map[int]access.Word{}
			old.State = word.Set
		}
		if d.export && !old.Exported {
			old.Exported = true
		}
		if d.export {
			x.loadsLater(st, name, old, n)
		}
		st.setVar(name, old)
		return
	}
	plus := strings.HasSuffix(name, "+")
	name = strings.TrimSuffix(name, "+")
	if base, _, ok := strings.Cut(name, "["); ok {
		// declare 'a[…]=v': the subscript is evaluated.
		sub := before.From(len(base))
		x.subscript(st, sub)
		st.setVar(base, word.Value{})
		return
	}
	if plus {
		value = x.get(st, name).Scalar.Concat(value)
	}
	v := word.Value{State: word.Set, Scalar: value}
	x.declareValue(st, d, name, v, n)
}

func (x *run) attributes(d *declaration, v *word.Value) {
	if d.export || d.variant == "export" {
		v.Exported = true
	}
	if d.unexport {
		v.Exported = false
	}
	if d.readonly || d.variant == "readonly" {
		v.ReadOnly = true
	}
	if d.ref || d.variant == "nameref" {
		v.Ref = true
	}
	if d.variant == "export" {
		d.export = !d.unexport
	}
}

// declareValue gives a variable its value and attributes.
func (x *run) declareValue(st *state, d *declaration, name string, v word.Value, n syntax.Node) {
	x.guarded(st, name, v.Scalar, n)
	if as, ok := n.(*syntax.Assign); ok && as.Append && as.Name != nil {
		old := x.get(st, name)
		if v.List == nil && v.Map == nil {
			v.Scalar = old.Scalar.Concat(v.Scalar)
			if old.State == word.Unknown {
				v.Scalar = anything
			}
		} else {
			v = word.Value{}
		}
	}
	if as, ok := n.(*syntax.Assign); ok && as.Index != nil {
		x.store(st, as, v)
		return
	}
	if d.variant == "local" || (d.variant == "declare" || d.variant == "typeset") && len(st.frames) > 0 && !d.global {
		st.hide(name)
		st.dropVar(name)
	} else if old, ok := st.vars[name]; ok && old.Ref {
		name = x.target(st, name)
	}
	if lit, ok := v.Scalar.Lit(); ok && (d.array || d.assoc) && v.List == nil && v.Map == nil && strings.HasPrefix(lit, "(") {
		v = x.arrayText(st, d, v.Scalar)
	}
	if d.integer && v.List == nil && v.Map == nil {
		if _, err := strconv.Atoi(litOf(v.Scalar)); err != nil {
			v.Scalar = x.arithText(st, v.Scalar)
		}
	}
	if lit, ok := v.Scalar.Lit(); ok && v.List == nil && v.Map == nil {
		if d.lower {
			v.Scalar = access.Text(strings.ToLower(lit))
		} else if d.upper {
			v.Scalar = access.Text(strings.ToUpper(lit))
		}
	} else if (d.lower || d.upper) && !ok {
		v.Scalar = anything
	}
	x.attributes(d, &v)
	if v.Exported || alwaysExported[name] || x.get(st, name).Exported {
		x.loadsLater(st, name, v, n)
	}
	if old, ok := st.vars[name]; ok && old.ReadOnly {
		st.refused = true
		return
	}
	v.Exported = v.Exported || x.get(st, name).Exported
	v.Scalar = x.limited(v.Scalar)
	st.setVar(name, v)
}

// arrayText parses the text of an array once more: declare -a "x=(…)".
func (x *run) arrayText(st *state, d *declaration, w access.Word) word.Value {
	lit, _ := w.Lit()
	text := access.Text("a=" + lit)
	text.Start, text.End = w.Start, w.End
	file, err := x.parse(text, st.zsh)
	if err != nil || len(file.Stmts) != 1 {
		return word.Value{}
	}
	c, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) > 0 || len(c.Assigns) != 1 || c.Assigns[0].Array == nil {
		return word.Value{}
	}
	v, _ := x.assigned(c.Assigns[0], st, d.assoc)
	return v
}

func litOf(w access.Word) string {
	s, _ := w.Lit()
	return s
}

// clobber makes every variable the line knows unknown.
func (x *run) clobber(st *state) {
	for name, v := range st.vars {
		st.setVar(name, word.Value{Exported: v.Exported})
	}
}

// subscript runs the commands in "[…]" text that the shell evaluates as
// arithmetic.
func (x *run) subscript(st *state, w access.Word) {
	lit, ok := w.Lit()
	if !ok {
		if strings.Contains(w.String(), "[") {
			x.unknown("a subscript that is evaluated can't be determined", w.Start, w.End)
		}
		return
	}
	if strings.ContainsAny(lit, "$`") {
		x.hidden(st, w)
	}
}

// arithText evaluates text as arithmetic, with the commands hidden in it.
func (x *run) arithText(st *state, w access.Word) access.Word {
	number := access.Unknowable(access.Name, w.Start, w.End)
	lit, ok := w.Lit()
	if !ok {
		return number
	}
	if strings.ContainsAny(lit, "$`") {
		x.hidden(st, w)
		return number
	}
	if e, err := guard.Arithmetic(lit, st.zsh, x.b); err == nil && e != nil {
		x.place(e, w, lit)
		v, _ := word.Arith(&env{x: x, st: st}, e)
		return v
	}
	return number
}
