package policy

import (
	"maps"
	"slices"
	"strings"
)

// trie holds the path patterns of one surface by component, so that a look-up
// costs what the path is long, not what the rules are many: literal components
// and the shapes *TEXT and TEXT* are found by map, only other shapes one by one.
type trie struct {
	root node
	all  []int32 // rules with the pattern "*"
}

type node struct {
	lit    map[string]*node
	names  []string // keys of lit, sorted
	suffix byLength // *TEXT
	prefix byLength // TEXT*
	globs  []edge   // every glob child
	rest   []edge   // those of another shape
	byGlob map[string]*node
	deep   *node   // **: stays active for every component that follows
	star   bool    // this node is the end of **
	rules  []int32 // ascending
	strict bool    // some rule here or below asks or denies
}

type edge struct {
	text string
	glob []atom
	to   *node
}

type byLength struct {
	lens []int
	to   map[string]*node
}

func (m *byLength) add(text string, to *node) {
	if m.to == nil {
		m.to = map[string]*node{}
	}
	m.to[text] = to
	if !slices.Contains(m.lens, len(text)) {
		m.lens = append(m.lens, len(text))
	}
}

func (t *trie) add(p pattern, rule int32, strict bool) {
	if p.all {
		t.all = append(t.all, rule)
		return
	}
	n := &t.root
	n.strict = n.strict || strict
	for _, c := range p.pieces {
		n = n.child(c)
		n.strict = n.strict || strict
	}
	if k := len(n.rules); k == 0 || n.rules[k-1] != rule {
		n.rules = append(n.rules, rule)
	}
}

func (n *node) child(c piece) *node {
	switch {
	case c.deep:
		if n.deep == nil {
			n.deep = &node{star: true}
		}
		return n.deep
	case c.glob == nil:
		if n.lit == nil {
			n.lit = map[string]*node{}
		}
		to := n.lit[c.text]
		if to == nil {
			to = &node{}
			n.lit[c.text] = to
		}
		return to
	}
	if to := n.byGlob[c.whole]; to != nil {
		return to
	}
	if n.byGlob == nil {
		n.byGlob = map[string]*node{}
	}
	to := &node{}
	n.byGlob[c.whole] = to
	n.globs = append(n.globs, edge{c.whole, c.glob, to})
	last := len(c.glob) - 1
	if text, ok := literal(c.glob[1:]); ok && c.glob[0].kind == atomAny {
		n.suffix.add(text, to)
	} else if text, ok := literal(c.glob[:last]); ok && c.glob[last].kind == atomAny {
		n.prefix.add(text, to)
	} else {
		n.rest = append(n.rest, edge{c.whole, c.glob, to})
	}
	return to
}

// finish sorts what is walked through in order, so that equal findings name the
// same rule every time.
func (n *node) finish() {
	if !n.strict {
		return
	}
	n.names = slices.Sorted(maps.Keys(n.lit))
	for _, to := range n.lit {
		to.finish()
	}
	for _, e := range n.globs {
		e.to.finish()
	}
	if n.deep != nil {
		n.deep.finish()
	}
}

// match calls visit for the rules of every node on the way: patterns name trees.
// Rules come in no order, some more than once.
func (t *trie) match(path string, visit func([]int32)) {
	t.walk(path, func(n *node, c string, enter func(*node)) {
		if to := n.lit[c]; to != nil {
			enter(to)
		}
		for _, k := range n.suffix.lens {
			if k <= len(c) {
				if to := n.suffix.to[c[len(c)-k:]]; to != nil {
					enter(to)
				}
			}
		}
		for _, k := range n.prefix.lens {
			if k <= len(c) {
				if to := n.prefix.to[c[:k]]; to != nil {
					enter(to)
				}
			}
		}
		for _, e := range n.rest {
			if matchAtoms(e.glob, c) {
				enter(e.to)
			}
		}
	}, visit)
}

// cover is match for a path with active pattern characters: only rules that hold
// for every name the path may stand for are visited.
func (t *trie) cover(path string, visit func([]int32)) {
	t.walk(path, func(n *node, c string, enter func(*node)) {
		text, plain := c, !strings.ContainsAny(c, `*?[\`)
		if !plain {
			if atoms, err := parseComponent(c); err == "" {
				text, plain = literal(atoms)
			}
		}
		if c := text; plain {
			if to := n.lit[c]; to != nil {
				enter(to)
			}
			for _, e := range n.globs {
				if matchAtoms(e.glob, c) {
					enter(e.to)
				}
			}
			return
		}
		for _, e := range n.globs {
			if e.text == c || e.text == "*" {
				enter(e.to)
			}
		}
	}, visit)
}

func (t *trie) walk(path string, step func(*node, string, func(*node)), visit func([]int32)) {
	var bufA, bufB [8]*node
	active, next := bufA[:0], bufB[:0]
	enter := func(n *node) {
		if slices.Contains(next, n) {
			return
		}
		if len(n.rules) > 0 {
			visit(n.rules)
		}
		next = append(next, n)
		// "**" matches no component as well.
		if n.deep != nil && !slices.Contains(next, n.deep) {
			next = append(next, n.deep)
			if len(n.deep.rules) > 0 {
				visit(n.deep.rules)
			}
		}
	}
	enter(&t.root)
	for path != "" && len(next) > 0 {
		var c string
		c, path, _ = strings.Cut(strings.TrimLeft(path, "/"), "/")
		if c == "" {
			break
		}
		active, next = next, active[:0]
		for _, n := range active {
			if n.star {
				enter(n)
			}
			step(n, c, enter)
		}
	}
}
