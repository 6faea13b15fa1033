package word

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// A parameter is what ${…} names, looked up.
type parameter struct {
	name  string
	words []access.Word // the elements of a list, or the one value
	state State
	list  bool // [@], [*], $@ or $*
	star  bool
	byIFS bool     // joined by IFS where there is only one field (measured, bash 5.2)
	keys  []string // of a list, in order; "" for positional parameters
	apart bool     // zsh: its elements stay apart in quotes
	done  bool     // zsh: it is appended already
	short bool     // the value, one unknown part, lost something at its end
	open  bool     // a list that may have other elements
	raw   Value
	// put stores a value where this one came from (${x:=…}); nil if it can't.
	put func(access.Word)
}

func (p *parameter) scalar() access.Word {
	if p.state == Unknown {
		return access.Unknowable(access.Any, 0, 0)
	}
	if len(p.words) == 0 {
		return access.Word{}
	}
	return p.words[0]
}

// get looks a variable up and follows namerefs.
func (e *expander) get(name string) Value {
	v := e.sh.Get(name)
	for range 8 {
		if !v.Ref || v.State != Set {
			return v
		}
		target, ok := v.Scalar.Lit()
		if !ok {
			return Value{}
		}
		if !syntax.ValidName(target) {
			q, ok := e.target(target, nil)
			if !ok || q.list {
				return Value{}
			}
			return Value{State: q.state, Scalar: q.scalar()}
		}
		v = e.sh.Get(target)
	}
	return Value{}
}

// lookup finds a parameter with its subscript.
func (e *expander) lookup(name string, index syntax.ArithmExpr) parameter {
	if name == "@" || name == "*" {
		args, complete := e.sh.Args()
		return parameter{name: name, words: args, state: Set, list: true, star: name == "*", open: !complete, keys: make([]string, len(args))}
	}
	v := e.get(name)
	p := parameter{name: name, state: v.State, raw: v, words: []access.Word{v.Scalar}}
	if index == nil {
		if v.List != nil || v.Map != nil {
			p.element("0")
		}
		if !syntax.ValidName(name) {
			return p
		}
		p.put = func(w access.Word) { e.sh.Set(name, Value{State: Set, Scalar: w, Exported: v.Exported}) }
		if v.List != nil || v.Map != nil {
			p.put = p.putter(e, "0")
		}
		return p
	}
	if all := wordLit(index); all == "@" || all == "*" {
		p.list, p.star, p.open = true, all == "*", v.State == Unknown
		p.all()
		return p
	}
	if v.Map != nil {
		key, ok := e.key(index)
		if !ok {
			return e.someElement(p)
		}
		p.element(key)
		p.put = p.putter(e, key)
		return p
	}
	n, ok := e.number(index)
	if v.State == Unknown {
		return p
	}
	if !ok {
		return e.someElement(p)
	}
	if n < 0 {
		last := -1
		for i := range v.List {
			last = max(last, i)
		}
		n += int64(last) + 1
		if n < 0 || v.List == nil { // bad array subscript: an empty value
			p.words, p.state = nil, Unset
			return p
		}
	}
	key := strconv.FormatInt(n, 10)
	p.element(key)
	p.put = p.putter(e, key)
	return p
}

// element makes p one element of its variable.
func (p *parameter) element(key string) {
	var w access.Word
	ok := false
	switch {
	case p.state != Set:
		return
	case p.raw.Map != nil:
		w, ok = p.raw.Map[key]
	case p.raw.List != nil:
		n, err := strconv.Atoi(key)
		w, ok = p.raw.List[n]
		ok = ok && err == nil
	default:
		w, ok = p.raw.Scalar, key == "0"
	}
	p.words = []access.Word{w}
	if !ok {
		p.words, p.state = nil, Unset
	}
}

func (p *parameter) all() {
	p.words, p.keys = nil, nil
	switch {
	case p.state != Set:
	case p.raw.Map != nil:
		p.keys = hashOrder(p.raw.Map)
		for _, k := range p.keys {
			p.words = append(p.words, p.raw.Map[k])
		}
	case p.raw.List != nil:
		for _, i := range slices.Sorted(maps.Keys(p.raw.List)) {
			p.keys = append(p.keys, strconv.Itoa(i))
			p.words = append(p.words, p.raw.List[i])
		}
	default:
		p.keys, p.words = []string{"0"}, []access.Word{p.raw.Scalar}
	}
}

func (p *parameter) putter(e *expander, key string) func(access.Word) {
	v, name := p.raw, p.name
	return func(w access.Word) {
		v.State = Set
		if v.Map != nil {
			v.Map = maps.Clone(v.Map)
			v.Map[key] = w
		} else if n, err := strconv.Atoi(key); err == nil {
			old := v.List
			v.List = map[int]access.Word{n: w}
			if old == nil && p.raw.State == Set {
				v.List[0] = p.raw.Scalar
				v.List[n] = w
			}
			for i, x := range old {
				if i != n {
					v.List[i] = x
				}
			}
			v.Scalar = v.List[0]
		}
		e.sh.Set(name, v)
	}
}

// someElement is an element whose subscript isn't known: any of them.
func (e *expander) someElement(p parameter) parameter {
	p.all()
	if n := len(p.words); p.state == Set && n > 0 && n <= 8 {
		if i := e.sh.Choose(n + 1); i < n {
			p.words = p.words[i : i+1]
		} else {
			p.words, p.state = nil, Unset
		}
	} else if p.state == Set {
		p.words, p.state = nil, Unknown
	}
	p.keys = nil
	return p
}

// hashOrder is the order in which bash keeps the keys of an associative array:
// FNV-1 over 1,024 buckets (hashlib.c, assoc.h of bash 5.2).
func hashOrder(m map[string]access.Word) []string {
	hash := func(s string) uint32 {
		h := uint32(2166136261)
		for i := range len(s) {
			h *= 16777619
			h ^= uint32(int32(int8(s[i])))
		}
		return h & 1023
	}
	keys := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(keys, func(a, b string) int { return int(hash(a)) - int(hash(b)) })
	return keys
}

func wordLit(x syntax.ArithmExpr) string {
	if w, ok := x.(*syntax.Word); ok {
		return w.Lit()
	}
	return ""
}

// key is the subscript of an associative array.
func (e *expander) key(index syntax.ArithmExpr) (string, bool) {
	if w, ok := index.(*syntax.Word); ok {
		return e.sub(w, mode{ctx: one}, false).Lit()
	}
	text, ok := e.render(index)
	if !ok || end(index)-start(index) != len(text) {
		return "", false // blanks are part of a key, and lost in the tree
	}
	return text, true
}

// target is the parameter that a text names (${!name}). ok is false if the text
// is no parameter.
func (e *expander) target(text string, at syntax.Node) (parameter, bool) {
	if e.depth >= maxDepth || !e.spend(1) {
		return parameter{}, false
	}
	if syntax.ValidName(text) {
		return e.lookup(text, nil), true
	}
	from := 0
	if at != nil {
		from = start(at)
	}
	w := e.reparse("${"+text+"}", from, from)
	if w == nil || len(w.Parts) != 1 {
		return parameter{}, false
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	if !ok || p.Excl || p.Length || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Param == nil {
		return parameter{}, false
	}
	e.depth++
	defer func() { e.depth-- }()
	return e.lookup(p.Param.Value, p.Index), true
}

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
		e.emit(&parameter{words: words, state: Set, list: true, star: p.Names == syntax.NamesPrefix, open: !complete}, quoted, p)
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
		return v, true
	}
	if raw := e.sh.Get(name); raw.Ref && raw.State == Set && p.Index == nil {
		return parameter{name: name, words: []access.Word{raw.Scalar}, state: Set}, true
	}
	holder := e.lookup(name, p.Index)
	if holder.state == Unset {
		e.stop = true // invalid indirect expansion
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
		e.stop = true
		return
	}
	v.byIFS = quoted && (p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Excl)
	switch {
	case p.Length:
		e.value(length(v), quoted, p)
		return
	case p.Slice != nil:
		if !e.slice(p.Slice, v) {
			return
		}
	case p.Repl != nil:
		e.substitute(p.Repl, v)
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
	case v.open:
		e.unknown(access.Any, quoted, n)
	case v.list:
		e.list(v.words, v.star, v.byIFS, quoted, n)
	case v.state != Unset:
		from := len(e.out)
		e.value(v.scalar(), quoted, n)
		if v.short && len(e.out) > from {
			e.out[len(e.out)-1].short = true
		}
	}
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
		return access.Unknowable(access.Name, 0, 0)
	case v.list:
		return access.Text(strconv.Itoa(len(v.words)))
	}
	s, ok := v.scalar().Lit()
	if !ok {
		return access.Unknowable(access.Name, 0, 0)
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
		e.stop = true
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

// slice is ${x:offset:length}.
func (e *expander) slice(s *syntax.Slice, v *parameter) bool {
	offset, ok := int64(0), true
	if s.Offset != nil {
		offset, ok = e.number(s.Offset)
	}
	size, known := int64(0), true
	if s.Length != nil {
		size, known = e.number(s.Length)
	}
	if e.stop {
		return false
	}
	switch {
	case v.state == Unset && !v.list:
		return true
	case v.open || v.state == Unknown || !ok || !known || v.list && v.raw.Map != nil:
		if v.list { // what bash cuts out of an associative array follows no rule
			v.open = true
		} else {
			v.state = Unknown
		}
		return true
	case v.list:
		return e.sliceList(v, offset, size, s.Length != nil)
	}
	w := v.scalar()
	c := cells(w)
	n := int64(len(c) - 1)
	head, tail := int64(0), n // known characters at both ends
	for head < n && !c[head].unknown {
		head++
	}
	for tail > 0 && !c[tail-1].unknown {
		tail--
	}
	all := head == n
	from, to := offset, n
	var sure bool
	if offset < 0 {
		from = n + offset
		sure = from >= tail || all
		if from < 0 { // before the beginning: nothing
			v.words = []access.Word{{}}
			if !all {
				v.state = Unknown
			}
			return true
		}
	} else {
		sure = from <= head || all
		if all && from > n {
			v.words = []access.Word{{}}
			return true
		}
	}
	if s.Length != nil {
		if size < 0 {
			to = n + size
			sure = sure && (all || to >= tail)
			if sure && to < from {
				e.stop = true // substring expression < 0
				return false
			}
		} else {
			to = min(from+size, n)
			if from+size < from { // overflow
				to = n
			}
			sure = sure && (all || offset >= 0 && to <= head || offset < 0)
		}
	}
	if !sure || from > to {
		v.state = Unknown
		return true
	}
	_, after := cut(w, c, int(from))
	ca := cells(after)
	out, _ := cut(after, ca, int(to-from))
	v.words = []access.Word{out}
	return true
}

func (e *expander) sliceList(v *parameter, offset, size int64, sized bool) bool {
	words, index := v.words, make([]int64, len(v.words))
	limit := int64(len(words))
	positional := v.name == "@" || v.name == "*"
	for i, k := range v.keys {
		n, err := strconv.ParseInt(k, 10, 64)
		switch {
		case positional:
			n = int64(i) + 1
		case v.raw.Map != nil || err != nil || e.sh.Zsh():
			n = int64(i)
		}
		index[i] = n
		limit = n + 1
	}
	if positional {
		limit = int64(len(words)) + 1
		if offset <= 0 { // $0 comes first
			zero := e.get("0")
			if zero.State != Set {
				zero.Scalar = access.Unknowable(access.Any, 0, 0)
			}
			words = append([]access.Word{zero.Scalar}, words...)
			index = append([]int64{0}, index...)
		}
	}
	if offset < 0 {
		offset += limit
		if offset < 0 {
			v.words = nil
			return true
		}
	}
	if sized && size < 0 {
		e.stop = true // substring expression < 0
		return false
	}
	var out []access.Word
	for i, w := range words {
		if index[i] >= offset && (!sized || int64(len(out)) < size) {
			out = append(out, w)
		}
	}
	v.words = out
	return true
}

// substitute is ${x/pattern/string} and its relatives.
func (e *expander) substitute(r *syntax.Replace, v *parameter) {
	where := anywhere
	pat := e.sub(r.Orig, mode{ctx: patternText}, false)
	if r.Orig != nil && len(r.Orig.Parts) > 0 && !r.All {
		if l, ok := r.Orig.Parts[0].(*syntax.Lit); ok && len(pat.Segs) > 0 && pat.Segs[0].Class == access.Known {
			switch {
			case strings.HasPrefix(l.Value, "#"):
				where = atStart
			case strings.HasPrefix(l.Value, "%"):
				where = atEnd
			}
		}
		if where != anywhere {
			pat.Segs[0].Text = pat.Segs[0].Text[1:]
		}
	}
	nodes := compile(e.sh, pat, e.sh.Option("extglob"))
	with := e.sub(r.With, mode{ctx: patternText}, false)
	insert := func(match access.Word) access.Word {
		if e.sh.Zsh() {
			return with
		}
		return insertion(with, match)
	}
	v.each(func(w access.Word) access.Word { return e.replace(w, nodes, where, r.All, insert) })
}

// insertion puts the match in place of every unquoted & (patsub_replacement).
func insertion(with, match access.Word) access.Word {
	var out access.Word
	for _, s := range with.Segs {
		if s.Class != access.Known || s.Quoted || !strings.ContainsAny(s.Text, `&\`) {
			out.Segs = append(out.Segs, s)
			continue
		}
		text := s.Text
		done := 0
		put := func(i int) {
			if i > done {
				s.Text = text[done:i]
				out.Segs = append(out.Segs, s)
			}
		}
		for i := 0; i < len(text); i++ {
			switch {
			case text[i] == '&':
				put(i)
				out.Segs = append(out.Segs, match.Segs...)
				done = i + 1
			case text[i] == '\\' && i+1 < len(text) && (text[i+1] == '&' || text[i+1] == '\\'):
				put(i)
				done = i + 1
				i++
			}
		}
		put(len(text))
	}
	return out
}

// trim is # ## % %% and the case operators.
func (e *expander) trim(x *syntax.Expansion, v *parameter) {
	switch op := x.Op; op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		v.byIFS = true
	}
	switch op := x.Op; op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		pat := e.pattern(x.Word)
		v.each(func(w access.Word) access.Word { return e.trimPrefix(w, pat, op == syntax.RemLargePrefix) })
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		pat := e.pattern(x.Word)
		if w := v.scalar(); !v.list && len(w.Segs) == 1 && (w.Segs[0].Class == access.Name || w.Segs[0].Class == access.Inside) && slashless(pat) {
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
		v.each(func(w access.Word) access.Word { return recase(w, pat, upper, all) })
	default:
		if x.Word != nil {
			e.walk(x.Word)
		}
		v.state, v.open = Unknown, v.list
	}
}
