package word

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"extdir/daemon/access"
)

// The matcher works on texts and patterns that are known only in part. For each
// position it keeps two answers: the pattern may reach it (for some content of
// the unknown parts), and it must (for every content). Where both agree the
// result is certain. Positions are sets instead of a path through a regular
// expression because that makes negation, !(…), a matter of complement.

// A cell is what stands at one position of the text. An unknown part has two
// positions before it is over: at its beginning, and inside it.
type cell struct {
	r       rune // of a known character
	unknown bool
	inside  bool
	class   access.Class
	seg     int // segment, and byte offset in it, for cutting
	off     int
}

// cells lays out a word. The last cell is the end.
func cells(w access.Word) []cell {
	n := 1
	for _, s := range w.Segs {
		n += max(2, len(s.Text))
	}
	out := make([]cell, 0, n)
	for i, s := range w.Segs {
		if s.Class != access.Known {
			out = append(out,
				cell{unknown: true, class: s.Class, seg: i},
				cell{unknown: true, inside: true, class: s.Class, seg: i})
			continue
		}
		for off := 0; off < len(s.Text); {
			r, n := utf8.DecodeRuneInString(s.Text[off:])
			if r == utf8.RuneError && n == 1 {
				r = -1 - rune(s.Text[off]) // a byte that is no character is only itself
			}
			out = append(out, cell{r: r, seg: i, off: off})
			off += n
		}
	}
	return append(out, cell{seg: len(w.Segs)})
}

// reverseCells lays the word out from its end. Position p of n there is position
// n-p of cells.
func reverseCells(c []cell) []cell {
	n := len(c) - 1
	out := make([]cell, 0, len(c))
	for i := n - 1; i >= 0; i-- {
		if c[i].unknown { // the beginning comes first again
			out = append(out, c[i-1], c[i])
			i--
			continue
		}
		out = append(out, c[i])
	}
	return append(out, c[n])
}

// A node is one element of a pattern.
type node struct {
	op   nodeOp
	r    rune
	neg  bool
	set  []span
	alts [][]node // groups
}

type nodeOp byte

const (
	char    nodeOp = iota
	anyChar        // ?
	oneOf          // […]
	star           // *
	hole           // an unknown part of the pattern
	choice         // @(…)
	maybe          // ?(…)
	many           // *(…)
	some           // +(…)
	not            // !(…)
)

// span is a range of characters, or a class like [:alpha:].
type span struct {
	lo, hi rune
	class  func(rune) bool
}

// symbol is a character of a pattern; quoted ones stand for themselves.
type symbol struct {
	r      rune
	quoted bool
	hole   bool
	glob   access.Pattern // of a hole that is one of the names a glob matched
}

func symbols(w access.Word) []symbol {
	var out []symbol
	for _, s := range w.Segs {
		if s.Class != access.Known {
			out = append(out, symbol{hole: true, glob: s.Glob})
			continue
		}
		for off := 0; off < len(s.Text); {
			r, n := utf8.DecodeRuneInString(s.Text[off:])
			if r == utf8.RuneError && n == 1 {
				r = -1 - rune(s.Text[off])
			}
			off += n
			if !s.Quoted && r == '\\' && off < len(s.Text) {
				r, n = utf8.DecodeRuneInString(s.Text[off:])
				off += n
				out = append(out, symbol{r: r, quoted: true})
				continue
			}
			out = append(out, symbol{r: r, quoted: s.Quoted})
		}
	}
	return out
}

// maxGroups is how deep extended patterns may nest.
const maxGroups = 30

// compile reads a pattern the way of the shell at hand. Of zsh's own patterns the
// plain ones and groups are read; ranges and extendedglob may match anything. whole:
// the pattern is matched against a whole text; elsewhere bash 5.2 takes !(…) in
// ways that follow no rule, so it may match anything there.
func compile(sh Shell, w access.Word, ext, whole bool) []node {
	return compileSymbols(sh, symbols(w), ext, whole)
}

func compileSymbols(sh Shell, in []symbol, ext, whole bool) []node {
	c := compiler{in: in, ext: ext, whole: whole}
	if sh.Zsh() {
		special := "<"
		if sh.Option("extendedglob") {
			special = "<^~#"
		}
		if sh.Option("kshglob") || sh.Option("shglob") {
			special += "("
		}
		c.ext, c.zsh = false, true
		for _, s := range c.in {
			if !s.quoted && !s.hole && strings.ContainsRune(special, s.r) {
				return []node{{op: hole}}
			}
		}
	}
	nodes := c.sequence(0)
	if c.odd {
		return []node{{op: hole}}
	}
	return nodes
}

type compiler struct {
	in    []symbol
	at    int
	ext   bool
	zsh   bool // (a|b) is a group
	whole bool // see compile
	odd   bool // holds a negation that follows no rule
}

func (c *compiler) is(i int, r rune) bool {
	return i < len(c.in) && c.in[i].r == r && !c.in[i].quoted && !c.in[i].hole
}

// sequence reads up to the end, or in a group (depth > 0) up to | or ).
func (c *compiler) sequence(depth int) []node {
	var out []node
	for c.at < len(c.in) {
		s := c.in[c.at]
		switch {
		case s.hole:
			out = append(out, node{op: hole})
		case s.quoted:
			out = append(out, node{op: char, r: s.r})
		case depth > 0 && (s.r == '|' || s.r == ')'):
			return out
		case c.ext && c.is(c.at+1, '(') && strings.ContainsRune("?*+@!", s.r) && depth < maxGroups && c.closed(c.at+2):
			ops := map[rune]nodeOp{'?': maybe, '*': many, '+': some, '@': choice, '!': not}
			g := node{op: ops[s.r]}
			c.at += 2
			g.alts = c.choices(depth)
			if n := len(out); g.op == not && (!c.whole || n > 0 && out[n-1].op == star) {
				c.odd = true
			}
			out = append(out, g)
		case c.ext && c.is(c.at+1, '(') && strings.ContainsRune("?*+@!", s.r):
			// A group without end, or too deep.
			c.at = len(c.in)
			return append(out, node{op: hole})
		case c.zsh && s.r == '(' && depth < maxGroups && c.closed(c.at+1):
			c.at++
			out = append(out, node{op: choice, alts: c.choices(depth)})
		case c.zsh && s.r == '(':
			c.at = len(c.in)
			return append(out, node{op: hole})
		case s.r == '*':
			out = append(out, node{op: star})
		case s.r == '?':
			out = append(out, node{op: anyChar})
		case s.r == '[':
			if n, ok := c.bracket(); ok {
				out = append(out, n)
				continue
			}
			out = append(out, node{op: char, r: s.r})
		default:
			out = append(out, node{op: char, r: s.r})
		}
		c.at++
	}
	return out
}

// choices reads the alternatives of a group up to its parenthesis.
func (c *compiler) choices(depth int) (alts [][]node) {
	for {
		alts = append(alts, c.sequence(depth+1))
		if c.at >= len(c.in) || c.is(c.at, ')') {
			return alts
		}
		c.at++
	}
}

// closed tells whether the group whose inside begins at i has an end.
func (c *compiler) closed(i int) bool {
	depth := 1
	for ; i < len(c.in); i++ {
		if c.is(i, '(') {
			depth++
		} else if c.is(i, ')') {
			if depth--; depth == 0 {
				return true
			}
		}
	}
	return false
}

var charClasses = map[string]func(rune) bool{
	"alpha": unicode.IsLetter, "digit": func(r rune) bool { return r >= '0' && r <= '9' },
	"alnum": func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) },
	"upper": unicode.IsUpper, "lower": unicode.IsLower, "space": unicode.IsSpace,
	"blank": func(r rune) bool { return r == ' ' || r == '\t' },
	"punct": func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) },
	"cntrl": unicode.IsControl, "print": unicode.IsPrint,
	"graph":  func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) },
	"xdigit": func(r rune) bool { return r < 128 && digit(byte(r)) < 16 && r >= 0 },
	"word":   func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' },
	"ascii":  func(r rune) bool { return r >= 0 && r < 128 },
}

// bracket reads […] at c.at and goes behind it. Without an end it is no bracket.
func (c *compiler) bracket() (node, bool) {
	i := c.at + 1
	n := node{op: oneOf}
	if c.is(i, '!') || c.is(i, '^') {
		n.neg = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(c.in) {
			return n, false
		}
		s := c.in[i]
		if s.hole {
			return node{op: hole}, c.skip(i)
		}
		if s.r == ']' && !s.quoted && !first {
			c.at = i + 1
			return n, true
		}
		if c.is(i, '[') && (c.is(i+1, ':') || c.is(i+1, '=') || c.is(i+1, '.')) {
			kind := c.in[i+1].r
			j := i + 2
			var name []rune
			for j+1 < len(c.in) && !(c.in[j].r == kind && c.is(j+1, ']')) {
				name = append(name, c.in[j].r)
				j++
			}
			if j+1 < len(c.in) {
				if kind == ':' {
					if f := charClasses[string(name)]; f != nil {
						n.set = append(n.set, span{class: f})
					}
				} else if len(name) == 1 {
					n.set = append(n.set, span{lo: name[0], hi: name[0]})
				}
				i = j + 2
				continue
			}
		}
		lo := s.r
		i++
		if c.is(i, '-') && i+1 < len(c.in) && !c.is(i+1, ']') && !c.in[i+1].hole {
			n.set = append(n.set, span{lo: lo, hi: c.in[i+1].r})
			i += 2
			continue
		}
		n.set = append(n.set, span{lo: lo, hi: lo})
	}
}

// skip goes behind the bracket that an unknown part made unknown.
func (c *compiler) skip(i int) bool {
	for ; i < len(c.in); i++ {
		if c.is(i, ']') {
			c.at = i + 1
			return true
		}
	}
	c.at = len(c.in)
	return true
}

func (n *node) matches(r rune, fold bool) bool {
	switch n.op {
	case anyChar:
		return true
	case char:
		return n.r == r || fold && unicode.ToLower(n.r) == unicode.ToLower(r)
	}
	if n.inSet(r) || fold && (n.inSet(unicode.ToLower(r)) || n.inSet(unicode.ToUpper(r))) {
		return !n.neg
	}
	return n.neg
}

func (n *node) inSet(r rune) bool {
	for _, s := range n.set {
		if s.class != nil && s.class(r) || s.class == nil && s.lo <= r && r <= s.hi {
			return true
		}
	}
	return false
}

// onlySlash tells whether the node matches nothing but a slash.
func (n *node) onlySlash() bool { return n.op == char && n.r == '/' }

// backward is the pattern read from its end.
func backward(nodes []node) []node {
	out := make([]node, len(nodes))
	for i, n := range nodes {
		if n.alts != nil {
			alts := make([][]node, len(n.alts))
			for j, a := range n.alts {
				alts[j] = backward(a)
			}
			n.alts = alts
		}
		out[len(nodes)-1-i] = n
	}
	return out
}
