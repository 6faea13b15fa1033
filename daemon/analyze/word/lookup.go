package word

import (
	"maps"
	"slices"
	"strconv"

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
	byIFS bool // joined by IFS where there is only one field (measured, bash 5.2)
	// docIFS: a [*] that is joined by IFS in a here-document as well (measured).
	docIFS bool
	keys   []string // of a list, in order; "" for positional parameters
	apart  bool     // zsh: its elements stay apart in quotes
	parted bool     // zsh: it was split, and not with (@): empty parts inside vanish in quotes as well
	done   bool     // zsh: it is appended already
	short  bool     // the value, one unknown part, lost something at its end
	open   bool     // a list that may have other elements
	raw    Value
	// put stores a value where this one came from (${x:=…}); nil if it can't.
	put func(access.Word)
}

// class is what an unknown value may be.
func (p *parameter) class() access.Class {
	if p.raw.Each == access.Known {
		return access.Any
	}
	return p.raw.Each
}

func (p *parameter) scalar() access.Word {
	if p.state == Unknown {
		w := access.Unknowable(p.class(), 0, 0)
		if p.name != "" {
			w.Segs[0].From = "$" + p.name
		}
		return w
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

// aim is the name at the end of a chain of namerefs.
func (e *expander) aim(name string) string {
	for range 8 {
		v := e.sh.Get(name)
		target, ok := v.Scalar.Lit()
		if !v.Ref || v.State != Set || !ok {
			break
		}
		name = target
	}
	return name
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
	if a, is := e.sh.(Asker); is && v.State == Set && v.List == nil && v.Map == nil {
		a.Elements(e.aim(name))
	}
	if all := wordLit(index); all == "@" || all == "*" {
		p.list, p.star, p.open, p.docIFS = true, all == "*", v.State == Unknown, true
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
			if sh, ok := e.sh.(Ender); ok && sh.Strict() {
				e.fatal()
			}
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
