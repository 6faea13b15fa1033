package word

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// In zsh (5.9, native mode) the value of a parameter is neither split nor a
// pattern; arrays count from 1 and expand to their elements; modifiers stand
// behind a name (zshexpn(1)). What isn't understood here is unknown.

// zshParam expands ${…} the way of zsh.
func (e *expander) zshParam(p *syntax.ParamExp, quoted bool) {
	split, force, glob := e.zsplit, e.zforce, e.zglob
	defer func() { e.zsplit, e.zforce, e.zglob = split, force, glob }()
	e.zsplit = option(p.Split, e.sh.Option("shwordsplit"))
	e.zforce = p.Split == syntax.OptOn // in double quotes too
	e.zglob = option(p.GlobSubst, e.sh.Option("globsubst"))
	v, ok := e.zshValue(p, quoted)
	if e.stop {
		return
	}
	if !ok || e.spent {
		e.walk(p)
		e.unknown(access.Any, quoted, p)
		return
	}
	e.zshEmit(&v, quoted, p)
}

func option(o syntax.OptState, set bool) bool {
	switch o {
	case syntax.OptOn:
		return true
	case syntax.OptOff:
		return false
	}
	return set
}

func (e *expander) zshEmit(v *parameter, quoted bool, n syntax.Node) {
	if v.done {
		return
	}
	if v.parted && v.list && quoted {
		v.words = solid(v.words, true)
	}
	if v.list && !v.open && quoted && !v.star && !v.apart {
		v.star = true // "$a" is one word, "$a[@]" several
	}
	e.emit(v, quoted, n)
}

// zshValue finds what ${…} stands for. ok is false if it can't be told.
func (e *expander) zshValue(p *syntax.ParamExp, quoted bool) (v parameter, ok bool) {
	if !e.spend(1) || p.Excl || p.Width || p.Names != 0 || p.RcExpand == syntax.OptOn && !quoted {
		return v, false
	}
	ksh := e.sh.Option("ksharrays")
	if ksh && p.Short && p.Index != nil {
		return v, false // $a[0] is $a and a text
	}
	e.zshAgain(p)
	flags, ok := zshFlags(p.Flags)
	if !ok {
		return v, false
	}
	switch {
	case p.NestedParam != nil:
		if v, ok = e.zshNested(p.NestedParam, quoted); !ok {
			return v, false
		}
	case p.Param == nil:
		v.state = Unset
	default:
		v = e.zshLookup(p.Param.Value)
	}
	if p.Index != nil && p.Param != nil && p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		e.sh.Set(p.Param.Value+"[]", Value{}) // an element, which isn't followed
	}
	switch {
	case p.Index != nil && (flags.keys || flags.values):
		return v, false
	case p.Index != nil:
		if v, ok = e.zshIndex(v, p.Index); !ok {
			return v, false
		}
	case ksh && v.list && v.name != "@" && v.name != "*":
		if v.raw.List == nil || len(v.words) == 0 {
			return v, false
		}
		v.list, v.words = false, v.words[:1]
	case flags.keys || flags.order != 0 && v.raw.Map != nil:
		if !e.entries(&v, flags) {
			return v, false
		}
	}
	if flags.each {
		v.apart = v.list
	}
	// What rcExpand has not put into the word.
	if v.list && (!quoted || v.apart) && option(p.RcExpand, e.sh.Option("rcexpandparam")) {
		return v, false
	}
	if flags.indirect {
		name, ok := v.scalar().Lit()
		if !ok || v.list || !syntax.ValidName(name) {
			return v, false
		}
		v = e.zshLookup(name)
	}
	if quoted && v.list && !v.apart && !v.open && !p.Length && p.Slice == nil && !p.IsSet && !(p.Exp != nil && p.Exp.Op <= syntax.AssignUnsetOrNull) {
		sep, ok := e.ifs()
		if sep != "" {
			_, n := utf8.DecodeRuneInString(sep)
			sep = sep[:n]
		}
		if flags.joins {
			sep, ok = flags.join, true
		}
		if !ok {
			return v, false
		}
		v.join(sep) // before any operator (zshexpn(1), rule 5)
	}
	return e.zshOperate(p, v, flags, quoted)
}

// zshAgain runs what hides in a value that ${(e)x} expands once more, as ${(%)x}
// does with promptsubst.
func (e *expander) zshAgain(p *syntax.ParamExp) {
	if p.Flags == nil || p.Param == nil {
		return
	}
	f := p.Flags.Value
	if !strings.ContainsRune(f, 'e') && !(strings.ContainsRune(f, '%') && e.sh.Option("promptsubst")) {
		return
	}
	for _, w := range e.zshLookup(p.Param.Value).words {
		e.sh.Eval(w, start(p), end(p))
	}
}

func (e *expander) zshOperate(p *syntax.ParamExp, v parameter, flags zshFlag, quoted bool) (parameter, bool) {
	text := func(s string) (parameter, bool) {
		return parameter{state: Set, words: []access.Word{access.Text(s)}}, true
	}
	switch {
	case p.IsSet:
		if v.state == Unknown || v.open {
			return parameter{state: Set, words: []access.Word{access.Unknowable(access.Name, 0, 0)}}, true
		}
		if v.state == Unset {
			return text("0")
		}
		return text("1")
	case p.Length:
		return parameter{state: Set, words: []access.Word{length(&v)}}, true
	case p.Exp != nil && p.Exp.Op <= syntax.AssignUnsetOrNull:
		missing, known := emptiness(&v, colonOp(p.Exp.Op))
		n := len(e.out)
		e.fallback(p, &v, quoted)
		if !flags.changes {
			v.done = true
			return v, true
		}
		// The flags are for what has come of it.
		words := e.out[n:]
		e.out = e.out[:n:n]
		if e.stop {
			v.done = true
			return v, true
		}
		if p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull {
			missing = !missing
		}
		switch {
		case !known:
			return v, false
		case missing:
			for _, piece := range words {
				if piece.brk || piece.split && strings.ContainsAny(piece.seg.Text, " \t\n") || !piece.seg.Quoted && strings.ContainsAny(piece.seg.Text, "*?[(|<#^~") {
					return v, false
				}
			}
			v = parameter{state: Set, words: []access.Word{e.join(words, start(p), end(p))}}
		case p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull:
			v = parameter{state: Set, words: []access.Word{{}}}
		}
		return e.flagged(flags, v)
	}
	if v.state == Unset && !v.list && e.sh.Option("nounset") {
		e.stop = true
		return v, true
	}
	switch {
	case p.Slice != nil:
		e.slice(p.Slice, &v)
	case p.Repl != nil:
		e.substitute(p, &v)
	case p.Exp != nil:
		switch p.Exp.Op {
		case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
			if flags.match {
				return v, e.zshMatched(p.Exp, &v) && !flags.others
			}
			e.trim(p.Exp, &v)
		case syntax.MatchEmpty:
			if !e.zshFilter(p.Exp.Word, &v, flags.match) {
				return v, false
			}
			flags.match = false
		case syntax.ArrayExclude, syntax.ArrayIntersect:
			if !e.zshSet(p.Exp, &v) {
				return v, false
			}
		default:
			return v, false
		}
	}
	if flags.match {
		return v, false
	}
	for _, m := range p.Modifiers {
		if !e.modify(&v, m.Value) {
			return v, false
		}
	}
	return e.flagged(flags, v)
}

func colonOp(op syntax.ParExpOperator) bool {
	return op == syntax.AlternateUnsetOrNull || op == syntax.DefaultUnsetOrNull || op == syntax.ErrorUnsetOrNull || op == syntax.AssignUnsetOrNull
}

// zshLookup finds a whole parameter; an array is the list of its elements.
func (e *expander) zshLookup(name string) parameter {
	if name == "@" || name == "*" {
		v := e.lookup(name, nil)
		v.apart = name == "@"
		return v
	}
	raw := e.get(name)
	v := parameter{name: name, state: raw.State, raw: raw, words: []access.Word{raw.Scalar}}
	if raw.List != nil || raw.Map != nil {
		v.list = true
		v.all()
		v.open = len(raw.Map) > 1 // in an order of its own
	}
	if syntax.ValidName(name) {
		v.put = func(w access.Word) { e.sh.Set(name, Value{State: Set, Scalar: w, Exported: raw.Exported}) }
	}
	return v
}

func (e *expander) zshNested(p syntax.WordPart, quoted bool) (parameter, bool) {
	switch p := p.(type) {
	case *syntax.DblQuoted:
		if len(p.Parts) == 1 {
			v, ok := e.zshNested(p.Parts[0], true)
			if v.list && !v.apart {
				return v, false
			}
			return v, ok
		}
	case *syntax.ParamExp:
		n := len(e.out)
		v, ok := e.zshValue(p, quoted)
		if ok && v.done { // ${${x:-word}:h}: take back what was appended
			words := e.out[n:]
			e.out = e.out[:n:n]
			for _, piece := range words {
				if piece.brk || piece.split {
					return v, false
				}
			}
			return parameter{state: Set, words: []access.Word{e.join(words, start(p), end(p))}}, true
		}
		if v.list && !v.open && (!quoted || v.parted) {
			v.words = solid(v.words, false)
			v.keys = make([]string, len(v.words))
		}
		return v, ok
	case *syntax.CmdSubst:
		w := e.sh.Subst(p)
		if quoted {
			return parameter{state: Set, words: []access.Word{w}}, true
		}
		var one expander // split it
		one.sh = e.sh
		one.ctx, one.zsplit = command, true
		one.value(w, false, p)
		words := one.build(nil, start(p), end(p))
		return parameter{state: Set, words: words, list: len(words) != 1, keys: make([]string, len(words))}, w.Known()
	}
	return parameter{}, false
}

// zshIndex is a subscript: an element, a range, a character, a key.
func (e *expander) zshIndex(v parameter, index syntax.ArithmExpr) (parameter, bool) {
	if all := wordLit(index); all == "@" || all == "*" {
		if v.state == Unset {
			return parameter{state: Set, list: true, apart: all == "@"}, true
		}
		if v.state == Unknown {
			v.list, v.open = true, true
		}
		v.apart, v.star = all == "@", all == "*"
		return v, true
	}
	if f, flags := index.(*syntax.FlagsArithm); flags && v.raw.Map != nil {
		return e.searched(v, f)
	}
	if v.raw.Map != nil && v.name != "" {
		key, ok := e.key(index)
		if !ok {
			return v, false
		}
		w, set := v.raw.Map[key]
		return parameter{name: v.name, state: map[bool]State{true: Set, false: Unset}[set], words: []access.Word{w}}, true
	}
	from, ok := index, true
	to := index
	ranged := false
	if b, isRange := index.(*syntax.BinaryArithm); isRange && b.Op == syntax.Comma {
		from, to, ranged = b.X, b.Y, true
	}
	if f, flags := index.(*syntax.FlagsArithm); flags {
		return e.searched(v, f)
	}
	a, ok := e.number(from)
	b := a
	if ranged && ok {
		b, ok = e.number(to)
	}
	if !ok || v.open || v.state == Unknown {
		return v, false
	}
	if v.state == Unset {
		return v, true
	}
	if e.sh.Option("ksharrays") { // from 0
		if a >= 0 {
			a++
		}
		if b >= 0 {
			b++
		}
	}
	n := int64(len(v.words))
	var c []cell
	if !v.list {
		if !v.scalar().Known() {
			return v, false
		}
		c = cells(v.scalar())
		n = int64(len(c) - 1)
	}
	if a < 0 {
		a += n + 1
	}
	if b < 0 {
		b += n + 1
	}
	empty := a > n || b < 1 || a > b || a == 0 && !ranged
	a, b = max(a, 1), min(b, n)
	out := v
	switch {
	case v.list && !ranged:
		out.list = false
		out.words = nil
		if empty {
			out.state = Unset
		} else {
			out.words = v.words[a-1 : a]
		}
	case v.list:
		out.words = nil
		if !empty {
			out.words = v.words[a-1 : b]
		}
	case empty:
		out.words = []access.Word{{}}
	default:
		_, tail := cut(v.scalar(), c, int(a-1))
		head, _ := cut(tail, cells(tail), int(b-a+1))
		out.words = []access.Word{head}
	}
	out.put = nil
	return out, true
}

// zshSuffix reads what belongs to $x though the parser made it text: more digits
// of $10, and modifiers ($x:h). It returns the parameter to expand and the text
// that is left; ok is false if a modifier isn't known here.
func (e *expander) zshSuffix(p *syntax.ParamExp, l *syntax.Lit) (whole *syntax.ParamExp, left *syntax.Lit, ok bool) {
	if !p.Short || p.Param == nil {
		return p, l, true
	}
	s := l.Value
	out := *p
	name := *p.Param
	if p.Index == nil && name.Value[0] >= '1' && name.Value[0] <= '9' {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		name.Value += s[:n]
		s = s[n:]
		out.Param = &name
	}
	ok = true
	// The parser leaves the subscript of $@[2] behind after some words. Digits have none.
	if p.Index == nil && (name.Value == "@" || name.Value == "*") && strings.HasPrefix(s, "[") {
		n := strings.IndexByte(s, ']')
		if n < 0 {
			return &out, nil, false
		}
		w := e.reparse("${"+name.Value+s[:n+1]+"}", start(l), start(l))
		if w == nil || len(w.Parts) != 1 {
			return &out, nil, false
		}
		x, is := w.Parts[0].(*syntax.ParamExp)
		if !is || x.Index == nil {
			return &out, nil, false
		}
		out.Index = x.Index
		s = s[n+1:]
	}
	for len(s) > 1 && s[0] == ':' && (s[1]|0x20 >= 'a' && s[1]|0x20 <= 'z' || s[1] == '&') {
		if strings.IndexByte("htreulaAPqQ", s[1]) < 0 {
			return &out, nil, false
		}
		out.Modifiers = append(out.Modifiers[:len(out.Modifiers):len(out.Modifiers)], &syntax.Lit{ValuePos: l.ValuePos, ValueEnd: l.ValueEnd, Value: s[1:2]})
		s = s[2:]
	}
	if len(s) == len(l.Value) {
		return p, l, true
	}
	rest := *l
	rest.Value = s
	return &out, &rest, true
}

// zshLiteral deals with what only zsh makes of literal text. It is true if
// nothing is left to do.
func (e *expander) zshLiteral(l *syntax.Lit, quoted, first, last bool) bool {
	s := l.Value
	if i := loneDollar(s); i >= 0 && strings.HasPrefix(s[i:], "$[") && e.oldSum(l, i, quoted) {
		return true
	}
	hidden := func() { e.sh.Eval(access.Unknowable(access.Any, start(l), end(l)), start(l), end(l)) }
	if i := loneDollar(s); i >= 0 && strings.HasPrefix(s[i:], "$[") { // the old $((…)), text to the parser
		hidden()
		e.unknown(access.Any, quoted, l)
		return true
	}
	if quoted {
		return false
	}
	if first && s != "" && s[0] == '=' && e.ctx == command && (len(s) == 1 && !last || nameLength(s[1:]) > 0) {
		// =cmd: where the command lies.
		if f, ok := e.sh.(Finder); ok && last && nameLength(s[1:]) == len(s)-1 {
			if file, ok := f.Program(s[1:]); ok {
				e.out = append(e.out, piece{seg: access.Segment{Text: file, Quoted: true, Start: start(l), End: end(l)}})
				return true
			}
		}
		e.unknown(access.Any, true, l)
		return true
	}
	if s != "" && s[0] == '(' && strings.HasSuffix(s, ")") && strings.ContainsAny(s, "$`\\'\"") && e.ctx == command {
		e.groupOf("(", s[1:len(s)-1], start(l), start(l)+1, end(l), l)
		if glob := s[1:]; strings.Contains(glob, "e") || strings.Contains(glob, "+") {
			hidden()
		}
		return true
	}
	if open := strings.IndexByte(s, '('); open >= 0 && strings.HasSuffix(s, ")") {
		// Glob qualifiers: (e:'…':) and (+f) run commands.
		for i := open + 1; i+1 < len(s); i++ {
			next := s[i+1]
			if s[i] == '+' || s[i] == 'e' && next != '|' && next != ')' && nameLength(s[i+1:i+2]) == 0 {
				hidden()
				break
			}
		}
	}
	return false
}
