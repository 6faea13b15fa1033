package analyze

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// assignments runs a command that is nothing but assignments. Its status is that of
// the last command substitution; ran: there was one in words that came to nothing.
func (x *run) assignments(list []*syntax.Assign, st *state, ran bool) []*state {
	sts := []*state{st}
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
					stop = !x.store(e.st, as, v)
				}
				if e.ran { // the status is that of the last substitution, and $? until then what it was
					ran = true
					e.st.status = e.status
				}
				return stop
			})
		})
	}
	for _, s := range sts {
		switch {
		case s.flow != goesOn:
		case !ran:
			s.status = yes
		}
	}
	return sts
}

// each1 runs f in all readings of the words it expands.
func (x *run) each1(st *state, f func(e *env) (stop bool)) []*state {
	var out []*state
	for _, a := range x.each(st, func(e *env) ([]access.Word, bool) { return nil, f(e) }) {
		if a.stop {
			x.halt(a.st, a.fatal)
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
	if list, ok := tied[name]; ok && st.zsh && v.List == nil {
		name = list // one more element, or the only one
	} else if ok && st.zsh {
		name, value = list, tiedText(v.List)
	}
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	g := &ground{x: x, st: st, sink: st, rec: -1, start: start, end: end, quiet: new(bool), ext: new(bool)}
	x.loads(g, name, value)
}

// tiedText is a list as the variable that zsh ties to it holds it.
func tiedText(list map[int]access.Word) access.Word {
	var out access.Word
	for i := range len(list) {
		if i > 0 {
			out = out.Concat(access.Text(":"))
		}
		out = out.Concat(list[i])
	}
	return out
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
	var pairs []access.Word // m=(key value …): zsh, and bash since 5.1
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
		if assoc && !e.st.zsh {
			// bash neither splits nor globs the words of such a list.
			w, stop := word.Assign(e, el.Value)
			if stop {
				return v, true
			}
			pairs = append(pairs, w)
			continue
		}
		var fields []access.Word
		fields, stop = word.Fields(e, el.Value)
		if stop {
			return v, true
		}
		if e.unmatched(fields) {
			return v, true
		}
		for _, f := range fields {
			x.listed(e.st, f)
		}
		fields, _ = x.spread(e.st, x.renamed(e.st, fields))
		for _, f := range fields {
			sure = sure && !maybeNone(f)
			if next > guard.Max(guard.Fields) {
				sure = false
				break
			}
			if assoc {
				pairs = append(pairs, f)
				continue
			}
			v.List[next] = f
			next++
		}
	}
	for i, w := range pairs {
		if i%2 == 1 {
			continue
		}
		key, ok := w.Lit()
		sure = sure && ok
		v.Map[key] = access.Word{}
		if i+1 < len(pairs) {
			v.Map[key] = pairs[i+1]
		}
	}
	if !sure {
		// What lists of directories load is looked at element by element.
		return word.Value{Each: each(v), Scalar: tiedText(v.List)}, stop
	}
	if !assoc {
		v.Scalar = v.List[0]
	}
	return v, stop
}

// each is what all elements of a list are that can't be told one by one.
func each(v word.Value) access.Class {
	if v.State == word.Unknown {
		return v.Each
	}
	for _, w := range v.List {
		if len(w.Segs) == 0 || !onlyInside(w) {
			return access.Known
		}
	}
	if len(v.List) == 0 {
		return access.Known
	}
	return access.Inside
}

// index evaluates an array subscript.
func (x *run) index(e *env, a syntax.ArithmExpr) (int, bool) {
	w, stop := word.Arith(e, a)
	e.denied = e.denied || stop && !e.st.zsh
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
// to what is there. It is false if bash refuses it.
func (x *run) store(st *state, as *syntax.Assign, v word.Value) bool {
	name := as.Name.Value
	if as.Naked {
		return true
	}
	if st.zsh && x.zshStore(st, as, v) {
		return true
	}
	old := x.get(st, x.target(st, name))
	e := &env{x: x, st: st}
	if table := x.target(st, name); !st.zsh && (table == "BASH_ALIASES" || table == "BASH_CMDS") {
		x.named(st, table, as, v)
		return true
	}
	switch {
	case as.Index != nil:
		if old.Map != nil {
			key, ok := x.key(e, as.Index)
			if ok && key == "" && !st.zsh {
				return false // "bad array subscript"
			}
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
			return x.assign(st, name, old, v.Scalar)
		}
		i, ok := x.index(e, as.Index)
		if e.denied {
			return false
		}
		list := map[int]access.Word{}
		for k, w := range old.List {
			list[k] = w
		}
		if old.List == nil && old.State == word.Set {
			list[0] = old.Scalar
		}
		if !ok || old.State == word.Unknown {
			return x.assign(st, name, word.Value{Exported: old.Exported}, v.Scalar)
		}
		list[i] = appended(as, list[i], v.Scalar)
		return x.assign(st, name, word.Value{State: word.Set, Scalar: list[0], List: list, Exported: old.Exported}, v.Scalar)
	case as.Append:
		switch {
		case old.Integer && as.Array == nil:
			v.Scalar = x.sum(st, old.Scalar, v.Scalar)
		case old.State == word.Unknown && as.Array == nil:
			v.Scalar = anything.Concat(v.Scalar)
		case old.State == word.Unknown:
			class := each(v)
			v = word.Value{}
			if class == old.Each {
				v.Each = class
			}
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
	return x.assign(st, name, v, v.Scalar)
}

// named is an assignment to one of the tables in which bash keeps aliases and the
// places of programs.
func (x *run) named(st *state, table string, as *syntax.Assign, v word.Value) {
	x.line.Changes = true
	start, end := int(as.Pos().Offset()), int(as.End().Offset())
	key, ok := "", false
	if as.Index != nil {
		key, ok = x.key(&env{x: x, st: st}, as.Index)
	}
	text, known := v.Scalar.Lit()
	switch {
	case !ok || !known:
		x.unclear(st, access.Read, "what "+table+" gets", v.Scalar, start, end)
	case table == "BASH_ALIASES":
		x.defines(st, key, start, end)
		st.setAlias(key, alias{text: text, src: x.src, line: as.Pos().Line()})
	default:
		x.touch(st, st.cwd, target{word: v.Scalar, kind: access.Execute, why: "program that " + table + " names"})
	}
}

// sum is what += makes of a variable that holds a number.
func (x *run) sum(st *state, old, more access.Word) access.Word {
	a, err := strconv.ParseInt(litOf(old), 10, 64)
	number, _ := x.evaluated(st, more)
	b, err2 := strconv.ParseInt(litOf(number), 10, 64)
	if err != nil || err2 != nil {
		return access.Unknowable(access.Name, 0, 0)
	}
	return access.Text(strconv.FormatInt(a+b, 10))
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
		v, ok := x.before(st, name)
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

// aim is target for an assignment. ok is false if only the shell knows what a
// reference names: the line can't be allowed before that was told.
func (x *run) aim(st *state, name string) (to string, ok bool) {
	to = x.target(st, name)
	if v, is := x.before(st, to); is && v.Ref && v.State == word.Unknown {
		if _, own := st.vars[to]; !own {
			x.must(to)
			x.clobber(st)
			return to, false
		}
	}
	return to, true
}

// assign sets a variable, following namerefs: whatever gives a name of its words a
// value goes through here. w is where the value or the name stands. It is false if
// bash refuses it: the variable is readonly, or its number can't be calculated.
func (x *run) assign(st *state, name string, v word.Value, w access.Word) bool {
	name, ok := x.aim(st, name)
	if !ok {
		return true
	}
	value := v.Scalar
	if v.State == word.Unknown {
		value = anything
	}
	start, end := w.Start, w.End
	if end <= start {
		start, end = x.at[0], x.at[1]
	}
	x.guardedName(st, name, value, start, end)
	if name == "BASH_ARGV0" && !st.zsh {
		st.arg0 = value
	}
	base, sub, isElem := strings.Cut(name, "[")
	if isElem { // a nameref to an element
		old := x.get(st, base)
		i, err := strconv.Atoi(strings.TrimSuffix(sub, "]"))
		if err != nil || old.State == word.Unknown {
			st.setVar(base, word.Value{})
			return true
		}
		list := map[int]access.Word{}
		for k, e := range old.List {
			list[k] = e
		}
		list[i] = v.Scalar
		old.List, old.Scalar, old.State = list, list[0], word.Set
		st.setVar(base, old)
		return true
	}
	if x.fixed(st, name) {
		return st.zsh
	}
	old, had := x.before(st, name)
	if shaped, ok := x.shaped(st, name, v); ok {
		st.setVar(name, shaped)
		return true
	}
	if had && old.Shaped {
		x.arithText(st, v.Scalar)
		v = word.Value{Shaped: true, Exported: v.Exported}
	}
	if had && (old.Lower || old.Upper) && v.List == nil && v.Map == nil {
		v.Lower, v.Upper = old.Lower, old.Upper
		v.Scalar = cased(v.Scalar, old.Upper)
	}
	if had && old.Integer || numbers[name] && v.State == word.Set {
		if v.List == nil && v.Map == nil {
			ok := true
			if v.Scalar, ok = x.evaluated(st, v.Scalar); !ok && had && old.Integer {
				return false
			}
		}
		v.Integer = had && old.Integer
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
	return true
}

// fixed tells whether a variable can't be set.
func (x *run) fixed(st *state, name string) bool {
	v, ok := x.before(st, name)
	return ok && v.ReadOnly || fixedByBash[name] && (!st.child && !st.zsh || st.bash)
}

// fixedByBash are variables that bash makes readonly itself (variables.c of 5.2).
var fixedByBash = words("BASHOPTS BASH_VERSINFO EUID PPID SHELLOPTS UID")

// numbers are variables that evaluate what they are given (variables.c of bash 5.2).
var numbers = words("RANDOM SRANDOM SECONDS OPTIND LINENO HISTCMD")

// evaluated is the number that an integer variable makes of its value. It is false
// where that is an error.
func (x *run) evaluated(st *state, w access.Word) (access.Word, bool) {
	lit, known := w.Lit()
	if _, err := strconv.Atoi(lit); known && err == nil {
		return w, true
	}
	return x.calculated(st, w)
}

// subscript runs the commands in "[…]" text that the shell evaluates as
// arithmetic.
func (x *run) subscript(st *state, w access.Word) {
	lit, ok := w.Lit()
	if !ok {
		x.evaluatesWord(st, w)
		if strings.Contains(w.String(), "[") {
			x.unclear(st, access.Read, "subscript that is evaluated", w, w.Start, w.End)
		}
		return
	}
	if strings.ContainsAny(lit, "$`") {
		x.hidden(st, w)
		return
	}
	base, sub, found := strings.Cut(lit, "[")
	sub, whole := strings.CutSuffix(sub, "]")
	if found && whole && sub != "" && sub != "@" && sub != "*" && x.get(st, base).Map == nil {
		if _, err := strconv.Atoi(sub); err != nil {
			inner := access.Text(sub)
			inner.Start, inner.End = w.Start, w.End
			x.arithText(st, inner)
		}
	}
}

// arithText evaluates text as arithmetic, with the commands hidden in it.
func (x *run) arithText(st *state, w access.Word) access.Word {
	v, _ := x.calculated(st, w)
	return v
}

// calculated is arithText, and false where bash finds an error in the expression.
func (x *run) calculated(st *state, w access.Word) (access.Word, bool) {
	number := access.Number(w.Start, w.End)
	lit, ok := w.Lit()
	if !ok {
		x.evaluatesWord(st, w)
		return number, true
	}
	if strings.ContainsAny(lit, "$`") {
		x.hidden(st, w)
		return number, true
	}
	if e, err := guard.Arithmetic(lit, st.zsh, x.b); err == nil && e != nil {
		x.place(e, w, lit)
		here := &env{x: x, st: st}
		v, stop := word.Arith(here, e)
		return v, st.zsh || !stop && !here.denied
	}
	return number, true
}
