package word

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"extdir/daemon/access"
)

// cut splits w at a position of its cells; one inside an unknown part stands
// before it in the first half and behind it in the second.
func cut(w access.Word, c []cell, p int) (before, after access.Word) {
	at := c[p]
	before.Segs = append(before.Segs, w.Segs[:at.seg]...)
	if at.seg == len(w.Segs) {
		return before, after
	}
	s := w.Segs[at.seg]
	switch {
	case !at.unknown:
		if at.off > 0 {
			head := s
			head.Text = s.Text[:at.off]
			before.Segs = append(before.Segs, head)
		}
		s.Text = s.Text[at.off:]
		after.Segs = append(after.Segs, s)
		after.Segs = append(after.Segs, w.Segs[at.seg+1:]...)
	case at.inside:
		after.Segs = append(after.Segs, w.Segs[at.seg+1:]...)
	default:
		after.Segs = append(after.Segs, w.Segs[at.seg:]...)
	}
	return before, after
}

func anything() access.Segment { return access.Segment{Class: access.Any} }

// trimPrefix is ${x#pat} and ${x##pat}, trimSuffix ${x%pat} and ${x%%pat}.
// Where the place of the cut depends on something unknown, only the text that
// every possible cut leaves is kept.
func (e *expander) trimPrefix(w access.Word, pat []node, longest bool) access.Word {
	w = unfold(w)
	c := cells(w)
	m := matcher{text: c, spend: e.sh.Spend}
	p, sure := pick(m.from(pat, 0), m.end(), longest)
	if sure {
		_, after := cut(w, c, p)
		return after
	}
	_, after := cut(w, c, p)
	after.Segs = append([]access.Segment{anything()}, after.Segs...)
	return after
}

func (e *expander) trimSuffix(w access.Word, pat []node, longest bool) access.Word {
	w = unfold(w)
	c := cells(w)
	m := matcher{text: reverseCells(c), spend: e.sh.Spend}
	n := m.end()
	p, sure := pick(m.from(backward(pat), 0), n, longest)
	before, _ := cut(w, c, n-p)
	if !sure {
		before.Segs = append(before.Segs, anything())
	}
	return before
}

// pick finds the end of the match: the first that must be, unless another may be
// before it. Not sure: the farthest that is possible. No match is an end at 0.
func pick(s reach, n int, longest bool) (p int, sure bool) {
	far, open := 0, false
	for i := range n + 1 {
		p := i
		if longest {
			p = n - i
		}
		switch {
		case s.must[p] && !open:
			return p, true
		case s.must[p]:
			return max(far, p), false
		case s.may[p]:
			far, open = max(far, p), true
		}
	}
	return far, !open
}

// slashless tells whether the pattern can't match a slash.
func slashless(pat []node) bool {
	for i := range pat {
		n := &pat[i]
		switch n.op {
		case char, oneOf:
			if n.matches('/', true) {
				return false
			}
		case anyChar, star, hole, not:
			return false
		}
		for _, a := range n.alts {
			if !slashless(a) {
				return false
			}
		}
	}
	return true
}

// anchor of a replacement.
type anchor byte

const (
	anywhere anchor = iota
	atStart
	atEnd
)

// replace is ${x/pat/with}, ${x//pat/with}, ${x/#pat/with} and ${x/%pat/with}.
// with makes the replacement of a match.
func (e *expander) replace(w access.Word, pat []node, where anchor, all bool, with func(access.Word) access.Word) access.Word {
	if len(pat) == 0 && where == anywhere {
		return w
	}
	if w.Empty() {
		for _, n := range pat {
			if n.alts != nil { // bash 5.2 answers differently from group to group
				return access.Word{Segs: []access.Segment{anything()}}
			}
		}
	}
	w = unfold(w)
	c := cells(w)
	m := matcher{text: c, spend: e.sh.Spend}
	n := m.end()
	between := func(a, b int) access.Word {
		_, tail := cut(w, c, a)
		before, _ := cut(w, c, b)
		skip := tail.Segs
		return access.Word{Segs: middle(w, c, a, b, before.Segs, skip)}
	}
	switch where {
	case atStart:
		p, ok, sure := longestEnd(m.from(pat, 0), 0)
		if !sure {
			return access.Word{Segs: []access.Segment{anything()}}
		}
		if !ok {
			return w
		}
		_, after := cut(w, c, p)
		return with(between(0, p)).Concat(after)
	case atEnd:
		r := matcher{text: reverseCells(c), spend: e.sh.Spend}
		p, ok, sure := longestEnd(r.from(backward(pat), 0), 0)
		if !sure {
			return access.Word{Segs: []access.Segment{anything()}}
		}
		if !ok {
			return w
		}
		before, _ := cut(w, c, n-p)
		return before.Concat(with(between(n-p, n)))
	}
	if all && !w.Known() {
		if r, ok := e.replaceEach(w, pat, with); ok {
			return r
		}
	}
	var out access.Word
	last := 0
	for p := 0; p <= n; {
		if c[p].unknown {
			// Could the match begin in there? Then all that follows is open.
			if s := m.from(pat, p); possible(s, p) || all {
				return out.Concat(between(last, p)).Concat(access.Word{Segs: []access.Segment{anything()}})
			}
			p += 2
			continue
		}
		if len(pat) > 0 && pat[0].op == char && (p == n || !pat[0].matches(c[p].r, false)) {
			p++
			continue
		}
		q, ok, sure := longestEnd(m.from(pat, p), p)
		if !sure {
			return out.Concat(between(last, p)).Concat(access.Word{Segs: []access.Segment{anything()}})
		}
		if !ok || q == p && p == n && n > 0 {
			p++
			continue
		}
		out = out.Concat(between(last, p)).Concat(with(between(p, q)))
		last = q
		if !all {
			break
		}
		if q == p {
			if p == n {
				break
			}
			q++
		}
		p = q
	}
	return out.Concat(between(last, n))
}

// replaceEach replaces one-character matches in the known parts; in an unknown
// part there may be matches too, unless it is a name and the match a slash.
func (e *expander) replaceEach(w access.Word, pat []node, with func(access.Word) access.Word) (access.Word, bool) {
	if len(pat) != 1 || pat[0].op != char && pat[0].op != oneOf {
		return w, false
	}
	var out access.Word
	for _, s := range w.Segs {
		one := access.Word{Segs: []access.Segment{s}}
		switch {
		case s.Class == access.Known:
			out = out.Concat(e.replace(one, pat, anywhere, true, with))
		case s.Class == access.Name && pat[0].onlySlash():
			out = out.Concat(one)
		default:
			out = out.Concat(access.Word{Segs: []access.Segment{anything()}})
		}
	}
	return out, true
}

// middle is w from position a to b.
func middle(w access.Word, c []cell, a, b int, before, tail []access.Segment) []access.Segment {
	if a >= b {
		return nil
	}
	from, to := c[a], c[b]
	if from.seg == to.seg && !from.unknown && !to.unknown {
		s := w.Segs[from.seg]
		s.Text = s.Text[from.off:to.off]
		return []access.Segment{s}
	}
	// Both halves are whole segments but for their ends: drop from the first half
	// what lies before a.
	drop := from.seg
	if len(before) <= drop {
		return nil
	}
	out := append([]access.Segment{tail[0]}, before[drop+1:]...)
	return out
}

// longestEnd finds where the longest match that begins at p ends.
func longestEnd(s reach, p int) (end int, ok, sure bool) {
	for q := s.hi; q >= p; q-- {
		if s.must[q] {
			return q, true, true
		}
		if s.may[q] {
			return q, true, false
		}
	}
	return 0, false, true
}

func possible(s reach, p int) bool {
	for q := p; q <= s.hi; q++ {
		if s.may[q] {
			return true
		}
	}
	return false
}

// recase is ${x^pat}, ${x^^pat}, ${x,pat} and ${x,,pat}.
func recase(sh Shell, w access.Word, pat []node, upper, all bool) access.Word {
	var out access.Word
	first := true
	for _, s := range w.Segs {
		switch {
		case !first && !all:
		case s.Class != access.Known:
			if s.Class == access.Any && !all { // it may be empty: the next one is first
				return access.Word{Segs: []access.Segment{anything()}}
			}
			if s.Class != access.Name { // a name stays one
				s.Class = access.Any
			}
			s.Glob = ""
			first = false
		default:
			var b strings.Builder
			for i := 0; i < len(s.Text); {
				r, n := utf8.DecodeRuneInString(s.Text[i:])
				hit, sure := first || all, true
				if hit && len(pat) > 0 {
					m := matcher{text: cells(access.Text(s.Text[i : i+n])), spend: sh.Spend}
					end := m.from(pat, 0)
					hit, sure = end.may[1], end.may[1] == end.must[1]
				}
				if !sure {
					return access.Word{Segs: []access.Segment{anything()}}
				}
				if hit && (r != utf8.RuneError || n > 1) {
					if upper {
						r = unicode.ToUpper(r)
					} else {
						r = unicode.ToLower(r)
					}
					b.WriteRune(r)
				} else {
					b.WriteString(s.Text[i : i+n])
				}
				first = false
				i += n
			}
			s.Text = b.String()
		}
		out.Segs = append(out.Segs, s)
	}
	return out
}
