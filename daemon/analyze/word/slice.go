package word

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

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

// leadingSlash repairs ${x///…}: for bash the third slash begins the pattern, the
// parser takes the pattern for empty. In zsh it is empty, and matches everywhere.
// ok is false if it can't be told.
func (e *expander) leadingSlash(p *syntax.ParamExp) (r syntax.Replace, ok bool) {
	r = *p.Repl
	if !r.All || r.Orig != nil {
		return r, true
	}
	if e.sh.Zsh() {
		return r, r.With == nil
	}
	slash := &syntax.Lit{ValuePos: p.Rbrace, ValueEnd: p.Rbrace, Value: "/"}
	if r.With == nil { // ${x//} or ${x///}
		name := p.Param.End()
		if p.Index != nil {
			name = p.Index.End()
			name = syntax.NewPos(name.Offset()+1, name.Line(), 0)
		}
		switch int(p.Rbrace.Offset()) - int(name.Offset()) {
		case 2:
			return r, true
		case 3:
			r.Orig = &syntax.Word{Parts: []syntax.WordPart{slash}}
			return r, true
		}
		return r, false
	}
	r.Orig = &syntax.Word{Parts: []syntax.WordPart{slash}}
	parts := r.With.Parts
	r.With = nil
	for i, part := range parts {
		l, isLit := part.(*syntax.Lit)
		at := -1
		if isLit {
			at = unescaped(l.Value, '/')
		}
		if at < 0 {
			r.Orig.Parts = append(r.Orig.Parts, part)
			continue
		}
		head, tail := *l, *l
		head.Value, tail.Value = l.Value[:at], l.Value[at+1:]
		r.Orig.Parts = append(r.Orig.Parts, &head)
		r.With = &syntax.Word{Parts: append([]syntax.WordPart{&tail}, parts[i+1:]...)}
		break
	}
	return r, true
}

func unescaped(s string, c byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case c:
			return i
		}
	}
	return -1
}

// substitute is ${x/pattern/string} and its relatives.
func (e *expander) substitute(p *syntax.ParamExp, v *parameter) {
	r, ok := e.leadingSlash(p)
	if !ok {
		e.walk(p)
		v.each(func(access.Word) access.Word { return access.Word{Segs: []access.Segment{anything()}} })
		return
	}
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
	nodes := compile(e.sh, pat, e.sh.Option("extglob"), false)
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
