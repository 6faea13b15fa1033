package ere

import "slices"

// Answer is what an expression finds in a text.
type Answer struct {
	Matched bool
	Sure    bool // whether it matches is known
	// Groups are the text found and what the groups hold, "" for those that took no
	// part; nil where that isn't known.
	Groups []string
}

// maxSteps bounds the search for all ways to match.
const maxSteps = 5000

// Match looks for an expression in a text.
func (e *Expr) Match(s string) Answer {
	if len(s) > 1<<12 {
		return Answer{}
	}
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] == 0 { // what a character is depends on the locale
			return Answer{}
		}
	}
	at := e.find.FindStringIndex(s)
	if at == nil {
		return Answer{Sure: true}
	}
	a := Answer{Matched: true, Sure: true}
	if e.groups == 0 {
		a.Groups = []string{s[at[0]:at[1]]}
		return a
	}
	if e.loose {
		return a
	}
	m := &search{s: s, to: at[1], spans: make([]span, e.groups+1)}
	for i := range m.spans {
		m.spans[i] = span{-1, -1}
	}
	m.spans[0] = span{at[0], at[1]}
	m.run(e.root, at[0], func(i int) {
		if i == m.to {
			m.found = append(m.found, slices.Clone(m.spans))
		}
	})
	if m.steps > maxSteps || len(m.found) == 0 {
		return a
	}
	a.Groups = m.agreed(e.root.repeats())
	return a
}

type span struct{ from, to int }

// length of a group that took no part is less than that of an empty one.
func (p span) length() int {
	if p.from < 0 {
		return -1
	}
	return p.to - p.from
}

type search struct {
	s     string
	to    int
	steps int
	spans []span
	found [][]span // all ways to match, in the order of a search that goes back
}

// run matches a part from i on in all ways and goes on with what follows.
func (m *search) run(n *node, i int, next func(int)) {
	if m.steps++; m.steps > maxSteps {
		return
	}
	switch n.kind {
	case set:
		if i < m.to && n.chars[m.s[i]] {
			next(i + 1)
		}
	case begin:
		if i == 0 {
			next(i)
		}
	case end:
		if i == len(m.s) {
			next(i)
		}
	case all:
		m.sequence(n.parts, i, next)
	case choice:
		for _, p := range n.parts {
			m.run(p, i, next)
		}
	case repeat:
		m.rounds(n, i, 0, next)
	case group:
		old := m.spans[n.number]
		m.run(n.parts[0], i, func(to int) {
			inner := m.spans[n.number]
			m.spans[n.number] = span{i, to}
			next(to)
			m.spans[n.number] = inner
		})
		m.spans[n.number] = old
	}
}

func (m *search) sequence(parts []*node, i int, next func(int)) {
	if len(parts) == 0 {
		next(i)
		return
	}
	m.run(parts[0], i, func(i int) { m.sequence(parts[1:], i, next) })
}

func (m *search) rounds(n *node, i, round int, next func(int)) {
	if n.max < 0 || round < n.max {
		m.run(n.parts[0], i, func(to int) { m.rounds(n, to, round+1, next) })
	}
	if round >= n.min {
		next(i)
	}
}

// repeats are the groups that stand in a repetition.
func (n *node) repeats() map[int]bool {
	out := map[int]bool{}
	var walk func(n *node, inside bool)
	walk = func(n *node, inside bool) {
		inside = inside || n.kind == repeat && n.max != 1
		if n.kind == group && inside {
			out[n.number] = true
		}
		for _, p := range n.parts {
			walk(p, inside)
		}
	}
	walk(n, false)
	return out
}

// agreed is what the groups hold by all rules: that of a search that goes back and
// takes the first way, and that of the longest text for each from left to right. A
// repeated group must hold the same in all ways.
func (m *search) agreed(repeated map[int]bool) []string {
	first, longest := m.found[0], m.found[0]
	for _, f := range m.found {
		for g := range f {
			if repeated[g] && m.text(f[g]) != m.text(first[g]) {
				return nil
			}
			if f[g].length() != longest[g].length() {
				if f[g].length() > longest[g].length() {
					longest = f
				}
				break
			}
		}
	}
	var out []string
	for g := range first {
		if m.text(first[g]) != m.text(longest[g]) {
			return nil
		}
		out = append(out, m.text(first[g]))
	}
	return out
}

func (m *search) text(p span) string {
	if p.from < 0 {
		return ""
	}
	return m.s[p.from:p.to]
}
