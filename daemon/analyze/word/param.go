package word

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// param expands ${…} the way of bash.
func (e *expander) param(p *syntax.ParamExp, quoted bool) {
	if p.Param == nil || p.Width || p.IsSet || p.Flags != nil || len(p.Modifiers) > 0 || !e.spend(1) {
		e.walk(p)
		e.unknown(access.Any, quoted, p)
		return
	}
	if p.Names != 0 {
		names, complete := e.sh.Names(p.Param.Value)
		words := make([]access.Word, len(names))
		for i, n := range slices.Sorted(slices.Values(names)) {
			words[i] = access.Text(n)
		}
		e.emit(&parameter{words: words, state: Set, list: true, star: p.Names == syntax.NamesPrefix, docIFS: true, open: !complete}, quoted, p)
		return
	}
	v, ok := e.named(p)
	if !ok {
		e.walk(p)
		e.unknown(access.Any, quoted, p)
		return
	}
	if e.stop {
		return
	}
	e.operate(p, &v, quoted)
}

// named finds the parameter that p names, through an indirection if there is one.
func (e *expander) named(p *syntax.ParamExp) (parameter, bool) {
	name := p.Param.Value
	if !p.Excl {
		return e.lookup(name, p.Index), true
	}
	if all := wordLit(p.Index); p.Index != nil && (all == "@" || all == "*") && p.Exp == nil && p.Slice == nil && p.Repl == nil {
		v := e.lookup(name, p.Index) // ${!a[@]}: the keys
		for i, k := range v.keys {
			v.words[i] = access.Text(k)
		}
		v.docIFS = false
		v.raw.Each = access.Known
		return v, true
	}
	if raw := e.sh.Get(name); raw.Ref && raw.State == Set && p.Index == nil {
		return parameter{name: name, words: []access.Word{access.Text(e.aim(name))}, state: Set}, true
	}
	holder := e.lookup(name, p.Index)
	if holder.state == Unset {
		e.stop = true // invalid indirect expansion
		return holder, true
	}
	if holder.state == Unknown && e.sh.Choose(2) == 1 {
		e.stop = true // it may be unset as well
		return holder, true
	}
	text, ok := holder.scalar().Lit()
	if holder.list {
		ok = false
	}
	if !ok {
		return parameter{}, false
	}
	v, ok := e.target(text, p)
	if !ok {
		if e.spent || e.depth >= maxDepth {
			return parameter{}, false
		}
		e.stop = true // invalid variable name
	}
	return v, true
}

// operate applies the operator of p and appends the result.
func (e *expander) operate(p *syntax.ParamExp, v *parameter, quoted bool) {
	if p.Exp != nil && p.Exp.Op <= syntax.AssignUnsetOrNull {
		e.fallback(p, v, quoted)
		return
	}
	if v.state == Unset && !v.list && e.sh.Option("nounset") {
		e.fatal()
		return
	}
	if p.Repl != nil || p.Exp != nil {
		v.raw.Each = access.Known // it may be something else behind an operator
	}
	v.byIFS = quoted && (p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Excl)
	switch {
	case p.Length:
		e.value(length(v), quoted, p)
		return
	case p.Slice != nil:
		v.docIFS = false
		if !e.slice(p.Slice, v) {
			return
		}
	case p.Repl != nil:
		v.docIFS = true
		e.substitute(p, v)
	case p.Exp != nil && p.Exp.Op == syntax.OtherParamOps:
		e.transform(p, v, quoted)
		return
	case p.Exp != nil:
		e.trim(p.Exp, v)
	}
	if !e.stop {
		e.emit(v, quoted, p)
	}
}

// emit appends a parameter's value.
func (e *expander) emit(v *parameter, quoted bool, n syntax.Node) {
	switch {
	case v.open && v.list && !v.star && ofGlobs(v.words):
		// Each glob may be several words: what is done with them is done with each.
		e.list(v.words, v.star, false, quoted, n)
	case v.open:
		e.unknown(v.class(), quoted && (!v.list || v.star), n) // "$@" may be any number of words
	case v.list:
		byIFS := v.byIFS
		if e.ctx == document {
			byIFS = v.star && v.docIFS
		}
		e.list(v.words, v.star, byIFS, quoted, n)
	case v.state != Unset:
		from := len(e.out)
		e.value(v.scalar(), quoted, n)
		if v.short && len(e.out) > from {
			e.out[len(e.out)-1].short = true
		}
	}
}

// ofGlobs tells whether the words of a list aren't counted only because globs are
// among them.
func ofGlobs(words []access.Word) bool {
	found := false
	for _, w := range words {
		if w.OneOfMany() {
			found = true
		}
	}
	return found
}

// each changes every value.
func (v *parameter) each(f func(access.Word) access.Word) {
	if v.state == Unknown && !v.list {
		v.words = []access.Word{v.scalar()}
		v.state = Set
	}
	words := make([]access.Word, len(v.words))
	for i, w := range v.words {
		words[i] = f(w)
	}
	v.words = words
}

func length(v *parameter) access.Word {
	switch {
	case v.open || v.state == Unknown:
		return access.Number(0, 0)
	case v.list:
		return access.Text(strconv.Itoa(len(v.words)))
	}
	s, ok := v.scalar().Lit()
	if !ok {
		return access.Number(0, 0)
	}
	return access.Text(strconv.Itoa(utf8.RuneCountInString(s)))
}

// emptiness tells whether a parameter counts as missing for an operator.
func emptiness(v *parameter, colon bool) (missing, sure bool) {
	switch {
	case v.open:
		return false, false
	case v.list && len(v.words) == 0:
		return true, true
	case v.state == Unset:
		return true, true
	case v.state == Unknown:
		return false, false
	case !colon:
		return false, true
	case len(v.words) > 1:
		return false, true
	}
	for _, s := range v.scalar().Segs {
		switch {
		case s.Class == access.Any:
			sure = true // remember: it may be empty
		case s.Class != access.Known || s.Text != "":
			return false, true
		}
	}
	return !sure, !sure
}

// fallback is ${x:-w}, ${x:=w}, ${x:?w}, ${x:+w} and the forms without colon.
func (e *expander) fallback(p *syntax.ParamExp, v *parameter, quoted bool) {
	op := p.Exp.Op
	missing, sure := emptiness(v, colonOp(op))
	stops := op == syntax.ErrorUnset || op == syntax.ErrorUnsetOrNull
	if !sure && !stops {
		missing = e.sh.Choose(2) == 1
	}
	switch {
	case op == syntax.AlternateUnset || op == syntax.AlternateUnsetOrNull:
		if !missing {
			e.operand(p.Exp.Word, quoted, p)
		} else if v.list && quoted && !v.star {
			e.emptyAt = true
		}
	case !missing:
		if v.state == Unset {
			return
		}
		if e.sh.Zsh() {
			e.zshEmit(v, quoted, p)
			return
		}
		e.emit(v, quoted, p)
	case stops:
		if p.Exp.Word != nil {
			e.sub(p.Exp.Word, mode{ctx: one}, quoted)
		}
		e.fatal()
	case op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull:
		if v.put == nil {
			e.stop = true // $1: cannot assign in this way
			return
		}
		m := e.mode
		m.ctx, m.inBraces = one, quoted
		w := e.sub(p.Exp.Word, m, quoted)
		v.put(w)
		e.value(w, quoted, p)
	default:
		e.operand(p.Exp.Word, quoted, p)
	}
}

// operand expands the word of ${x:-word} in place. In double quotes it is read
// like their inside, else its literal text is split.
func (e *expander) operand(w *syntax.Word, quoted bool, p *syntax.ParamExp) {
	if w == nil {
		return
	}
	old := e.mode
	e.inBraces, e.splitLits, e.assignWord = quoted, !quoted && e.ctx == command && (!e.sh.Zsh() || e.zsplit), false
	n, empty := len(e.out), e.emptyAt
	e.emptyAt = false
	e.parts(merge(w.Parts), quoted, !quoted)
	if len(e.out) > n {
		e.emptyAt = empty
	} else {
		e.emptyAt = e.emptyAt || empty
	}
	e.mode = old
}

// trim is # ## % %% and the case operators.
func (e *expander) trim(x *syntax.Expansion, v *parameter) {
	v.docIFS = true
	switch op := x.Op; op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		v.byIFS, v.docIFS = true, false
	}
	switch op := x.Op; op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		pat := e.pattern(x.Word)
		v.each(func(w access.Word) access.Word { return e.trimPrefix(w, pat, op == syntax.RemLargePrefix) })
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		pat := e.pattern(x.Word)
		if w := unfold(v.scalar()); !v.list && len(w.Segs) == 1 && (w.Segs[0].Class == access.Name || w.Segs[0].Class == access.Inside) && slashless(pat) {
			v.short = true
			return
		}
		v.each(func(w access.Word) access.Word { return e.trimSuffix(w, pat, op == syntax.RemLargeSuffix) })
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		var pat []node
		if x.Word != nil {
			pat = e.pattern(x.Word)
		}
		upper, all := op == syntax.UpperFirst || op == syntax.UpperAll, op == syntax.UpperAll || op == syntax.LowerAll
		v.each(func(w access.Word) access.Word { return recase(e.sh, w, pat, upper, all) })
	default:
		if x.Word != nil {
			e.walk(x.Word)
		}
		v.state, v.open = Unknown, v.list
	}
}
