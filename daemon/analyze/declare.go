package analyze

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// declClause runs declare, local, export, readonly, typeset and nameref in their
// form with assignments.
func (x *run) declClause(c *syntax.DeclClause, st *state) []*state {
	d := declaration{variant: c.Variant.Value, zsh: st.zsh}
	if d.variant == "float" {
		d.variant, d.shape = "typeset", true
	}
	st.status = yes
	sts := []*state{st}
	for _, as := range c.Args {
		sts = x.eachState(sts, func(s *state) []*state {
			return x.each1(s, func(e *env) bool { return x.declare(e, &d, as) })
		})
	}
	if d.ties {
		for _, s := range sts {
			x.tie(s, c)
		}
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
	plain                                          bool // +l, +u
	trace                                          bool // -t
	shape                                          bool // zsh: -L -R -Z -T -E -F
	zsh, ties, based                               bool
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
			if f == 'F' && d.zsh {
				d.shape = true
			} else {
				d.funcs = on
			}
		case 'g':
			d.global = on
		case 'i':
			d.integer = on
			d.based = d.zsh && on // -i BASE may follow
		case 'l':
			d.lower, d.plain = on, !on
		case 'u':
			d.upper, d.plain = on, !on
		case 'L', 'R', 'Z', 'T', 'E':
			d.shape = true // zsh's
			d.ties = d.ties || f == 'T'
		case 'p':
			d.printing = true
		case 't':
			d.trace = on // functrace for one function
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
			if !x.declareWord(st, d, w, as) {
				return true
			}
		}
		return e.unmatched(fields)
	}
	if as.Naked && as.Value == nil && as.Array == nil && as.Index == nil {
		return !x.declareWord(st, d, access.Text(as.Name.Value), as)
	}
	v, stop := x.assignedIn(e, as, d.assoc)
	if stop {
		return true
	}
	return !x.declareValue(st, d, as.Name.Value, v, as)
}

// declareWord handles a word of a declaring builtin: an option, NAME, or NAME=VALUE.
func (x *run) declareWord(st *state, d *declaration, w access.Word, n syntax.Node) bool {
	if lit, ok := w.Lit(); ok && len(lit) > 1 && (lit[0] == '-' || lit[0] == '+') {
		d.option(lit)
		return true
	}
	if lit, ok := w.Lit(); ok && d.zsh && (d.based || d.shape) && lit != "" && strings.Trim(lit, "0123456789") == "" {
		d.shape = d.shape || lit != "10" // a width, a precision, or the base of numbers
		return true
	}
	before, value, found := w.Cut('=')
	name, known := before.Lit()
	if lit, _ := w.Lit(); lit == "-" && d.variant == "local" {
		st.hideOptions()
		return true
	}
	if name == "OPTIND" {
		if d.variant == "local" {
			st.hide("__getopts")
		}
		st.setVar("__getopts", word.Value{State: word.Unset})
	}
	if !known {
		if len(w.Segs) > 0 {
			// Any variable may get any value.
			x.clobber(st)
		}
		return true
	}
	if d.funcs || name == "" {
		if d.trace && !st.zsh && isGuardName(name) && !st.apart && !st.child {
			x.onGuard(access.SelfDeny, x.at[0], x.at[1], "has traps run in "+name+", a part of the guard")
		}
		x.line.Changes = x.line.Changes || st.zsh // -F is a float there
		if f, ok := st.funcs[name]; ok && (d.export || d.variant == "export") {
			f.exported = true
			st.setFunc(name, f)
		}
		return true
	}
	if !found {
		x.guarded(st, name, x.get(st, name).Scalar, n)
		old := x.get(st, name)
		if x.globalFixed(st, d, name) {
			st.refused = true
			return true
		}
		isLocal := d.variant == "local" || (d.variant == "declare" || d.variant == "typeset") && len(st.frames) > 0 && !d.global
		if isLocal && !st.local(name) {
			st.hide(name)
			old = word.Value{State: word.Unset, Exported: old.Exported} // bash hands the attribute down
			if x.option(st, "localvar_inherit") {
				old = x.get(st, name)
			}
		} else {
			x.declares(st, d)
		}
		if d.assoc && old.List != nil && !st.zsh { // an indexed array can't become the other kind
			st.refused = true
			return true
		}
		x.attributes(d, &old)
		if d.shape && !d.ties && old.State != word.Unset {
			old.State, old.Scalar, old.Shaped = word.Unknown, access.Word{}, true
		}
		old.Shaped = old.Shaped || d.shape && !d.ties
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
		return true
	}
	plus := strings.HasSuffix(name, "+")
	name = strings.TrimSuffix(name, "+")
	if base, _, ok := strings.Cut(name, "["); ok {
		// declare 'a[…]=v': the subscript is evaluated.
		if x.tableByName(st, name, x.at[0], x.at[1]) {
			return true
		}
		sub := before.From(len(base))
		x.subscript(st, sub)
		st.setVar(base, word.Value{})
		return true
	}
	if plus {
		value = x.get(st, name).Scalar.Concat(value)
	}
	v := word.Value{State: word.Set, Scalar: value}
	return x.declareValue(st, d, name, v, n)
}

// cased is what a variable with the attribute l or u makes of its value.
func cased(w access.Word, upper bool) access.Word {
	lit, ok := w.Lit()
	switch {
	case !ok:
		return anything
	case upper:
		return access.Text(strings.ToUpper(lit))
	}
	return access.Text(strings.ToLower(lit))
}

func (x *run) attributes(d *declaration, v *word.Value) {
	if d.lower || d.upper {
		v.Lower, v.Upper = d.lower, d.upper && !d.lower
	}
	if d.plain {
		v.Lower, v.Upper = false, false
	}
	if d.export || d.variant == "export" {
		v.Exported = true
	}
	if d.unexport {
		v.Exported = false
	}
	if d.integer {
		v.Integer = true
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

// declareValue gives a variable its value and attributes. It is false at an error
// that gives the line up.
func (x *run) declareValue(st *state, d *declaration, name string, v word.Value, n syntax.Node) bool {
	x.guarded(st, name, v.Scalar, n)
	if st.zsh {
		x.hookList(st, name, v)
	}
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
		if !st.zsh && x.fixed(st, x.target(st, name)) {
			st.refused = true
			return true
		}
		return x.store(st, as, v)
	}
	if x.globalFixed(st, d, name) {
		st.refused = true
		return true
	}
	if d.variant == "local" || (d.variant == "declare" || d.variant == "typeset") && len(st.frames) > 0 && !d.global {
		exported := x.get(st, name).Exported
		base := alwaysExported[name] || x.r.Vars[name].Exported
		st.hide(name)
		// Not dropped: a local has none of the attributes of the shell's variable.
		st.setVar(name, word.Value{State: word.Unset, Exported: base})
		v.Exported = v.Exported || exported && !st.zsh
	} else {
		x.declares(st, d)
		if old, ok := x.before(st, name); ok && old.Ref && !d.ref {
			if name, ok = x.aim(st, name); !ok {
				return true
			}
		}
	}
	old, had := x.before(st, name)
	if lit, ok := v.Scalar.Lit(); ok && (d.array || d.assoc) && v.List == nil && v.Map == nil && strings.HasPrefix(lit, "(") {
		v = x.arrayText(st, d, v.Scalar)
	}
	if (d.integer || had && old.Integer) && v.List == nil && v.Map == nil {
		v.Integer = true
		var ok bool
		if v.Scalar, ok = x.evaluated(st, v.Scalar); !ok {
			return false
		}
	}
	if d.shape && !d.ties || had && old.Shaped {
		x.arithText(st, v.Scalar)
		v = word.Value{Shaped: true, Exported: v.Exported}
	}
	v.Lower, v.Upper = d.lower, d.upper && !d.lower
	if had && !d.lower && !d.upper && !d.plain {
		v.Lower, v.Upper = old.Lower, old.Upper
	}
	if v.Lower || v.Upper {
		v.Scalar = cased(v.Scalar, v.Upper)
	}
	x.attributes(d, &v)
	if v.Ref {
		x.refers(st, v.Scalar, n)
	}
	if v.Exported || alwaysExported[name] || x.get(st, name).Exported {
		x.loadsLater(st, name, v, n)
	}
	if d.assoc && old.List != nil && !st.zsh {
		st.refused = true
		return true
	}
	if had && old.ReadOnly {
		if st.refused = true; d.variant == "export" && !d.unexport && !st.zsh {
			old.Exported = true // for all that (measured, 5.2)
			st.setVar(name, old)
		}
		return st.zsh || v.List == nil && v.Map == nil
	}
	if shaped, ok := x.shaped(st, name, v); ok {
		v = shaped
	}
	v.Exported = v.Exported || x.get(st, name).Exported
	v.Scalar = x.limited(v.Scalar)
	st.setVar(name, v)
	return true
}

// globalFixed tells whether a declaration would make a variable local that bash holds
// to be one of the shell, and readonly: that is refused (make_local_variable).
func (x *run) globalFixed(st *state, d *declaration, name string) bool {
	if st.zsh || len(st.frames) == 0 || d.global || d.variant != "local" && d.variant != "declare" && d.variant != "typeset" || !x.fixed(st, name) {
		return false
	}
	return !slices.ContainsFunc(st.frames, func(f frame) bool { _, ok := f[name]; return ok })
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

// refers looks at what a nameref names: later lines may set it by another name, and
// a subscript in it is evaluated each time.
func (x *run) refers(st *state, to access.Word, n syntax.Node) {
	start, end := x.at[0], x.at[1]
	if as, ok := n.(*syntax.Assign); ok && as != nil {
		start, end = int(as.Pos().Offset()), int(as.End().Offset())
	}
	name, known := to.Lit()
	if !known {
		if p, _ := to.Prefix(); p == "" || strings.Contains(p, "[") {
			x.unclear(st, access.Read, "variable that a reference names", to, start, end)
		}
		return
	}
	x.guardedName(st, name, anything, start, end)
	if strings.Contains(name, "[") {
		w := to
		w.Start, w.End = start, end
		x.subscript(st, w)
	}
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
