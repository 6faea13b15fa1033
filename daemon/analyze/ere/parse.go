// Package ere matches the extended regular expressions of bash's [[ =~ ]], as far
// as all C libraries agree on them: what they match, and what their groups hold.
//
// POSIX wants the leftmost longest match, and in it the longest text for each part
// from left to right (regex(7)). The libraries keep to the first and not always to
// the second: glibc 2.36 finds (a)(bcd)() for (a|ab)(c|bcd)(d*) in abcd. So groups
// are only told where each rule gives the same.
package ere

import (
	"regexp"
	"strconv"
	"strings"
)

// Char is a character of an expression. One that is quoted stands for itself.
type Char struct {
	Byte   byte
	Quoted bool
}

// Expr is an expression that was read.
type Expr struct {
	root   *node
	groups int
	// loose: a group stands in a repeated one. Libraries differ in whether it
	// forgets what it held in the round before.
	loose bool
	find  *regexp.Regexp
}

type kind uint8

const (
	set kind = iota
	begin
	end
	all    // its parts one after the other
	choice // one of its parts
	repeat
	group
)

type node struct {
	kind     kind
	chars    [128]bool
	parts    []*node
	min, max int // of repeat; max -1: any number
	number   int // of group
}

type reader struct {
	in     []Char
	at     int
	groups int
	loose  bool
	deep   int
}

const (
	maxDeep   = 50
	maxRepeat = 255 // RE_DUP_MAX of POSIX
)

// Compile reads an expression. ok is false where it is wrong, or holds something
// that libraries add to POSIX (\w, \<, \1), leave open (a**, a|, an empty group), or
// that depends on the locale.
func Compile(in []Char) (e *Expr, ok bool) {
	if len(in) == 0 || len(in) > 1<<10 {
		return nil, false
	}
	r := &reader{in: in}
	root := r.choice(false)
	if root == nil || r.at < len(in) {
		return nil, false
	}
	e = &Expr{root: root, groups: r.groups, loose: r.loose}
	var b strings.Builder
	b.WriteString("(?s)")
	root.write(&b)
	find, err := regexp.Compile(b.String())
	if err != nil {
		return nil, false
	}
	find.Longest()
	e.find = find
	return e, true
}

// is tells whether the next character is one with a meaning.
func (r *reader) is(c byte) bool {
	return r.at < len(r.in) && r.in[r.at].Byte == c && !r.in[r.at].Quoted
}

func (r *reader) take(c byte) bool {
	if r.is(c) {
		r.at++
		return true
	}
	return false
}

func (r *reader) choice(repeated bool) *node {
	n := &node{kind: choice}
	for {
		p := r.sequence(repeated)
		if p == nil {
			return nil
		}
		n.parts = append(n.parts, p)
		if !r.take('|') {
			break
		}
	}
	if len(n.parts) == 1 {
		return n.parts[0]
	}
	return n
}

func (r *reader) sequence(repeated bool) *node {
	n := &node{kind: all}
	for r.at < len(r.in) && !r.is('|') && !r.is(')') {
		p := r.repeated(repeated)
		if p == nil {
			return nil
		}
		n.parts = append(n.parts, p)
	}
	if len(n.parts) == 0 {
		return nil
	}
	return n
}

func (r *reader) repeated(inside bool) *node {
	from, groups := r.at, r.groups
	p := r.atom(inside)
	if p == nil {
		return nil
	}
	min, max := 1, 1
	switch {
	case r.take('*'):
		min, max = 0, -1
	case r.take('+'):
		min, max = 1, -1
	case r.take('?'):
		min, max = 0, 1
	case r.is('{'):
		var ok bool
		if min, max, ok = r.bounds(); !ok {
			return nil
		}
	default:
		return p
	}
	if r.is('*') || r.is('+') || r.is('?') || r.is('{') || p.kind == begin || p.kind == end || p.nullable() {
		return nil
	}
	if max != 1 && r.groups > groups {
		if !inside { // once more, now as a part of something repeated
			to := r.at
			r.at, r.groups = from, groups
			p = r.atom(true)
			r.at = to
		}
		r.loose = r.loose || r.groups > groups+1
	}
	return &node{kind: repeat, min: min, max: max, parts: []*node{p}}
}

// bounds reads {n}, {n,} and {n,m}.
func (r *reader) bounds() (min, max int, ok bool) {
	number := func() (n int, ok bool) {
		from := r.at
		for r.at < len(r.in) && !r.in[r.at].Quoted && r.in[r.at].Byte >= '0' && r.in[r.at].Byte <= '9' && n <= maxRepeat {
			n = 10*n + int(r.in[r.at].Byte-'0')
			r.at++
		}
		return n, r.at > from && n <= maxRepeat
	}
	r.take('{')
	if min, ok = number(); !ok {
		return 0, 0, false
	}
	max = min
	if r.take(',') {
		if max = -1; !r.is('}') {
			if max, ok = number(); !ok {
				return 0, 0, false
			}
		}
	}
	return min, max, r.take('}') && max != 0 && (max < 0 || max >= min)
}

// plainEscapes are the characters that a backslash takes the meaning from.
const plainEscapes = `.[]{}()*+?^$|\/-:;=,@#%&!~" `

func (r *reader) atom(inside bool) *node {
	c := r.in[r.at]
	r.at++
	if c.Byte >= 0x80 || c.Byte == 0 {
		return nil
	}
	n := &node{}
	n.chars[c.Byte] = true
	if c.Quoted {
		return n
	}
	switch c.Byte {
	case '(':
		r.groups++
		g := &node{kind: group, number: r.groups}
		if r.deep++; r.deep > maxDeep {
			return nil
		}
		body := r.choice(inside)
		r.deep--
		if body == nil || !r.take(')') {
			return nil
		}
		g.parts = []*node{body}
		return g
	case ')', '*', '+', '?', '{', '|':
		return nil
	case '^':
		return &node{kind: begin}
	case '$':
		return &node{kind: end}
	case '.':
		for i := range n.chars {
			n.chars[i] = i != 0
		}
	case '[':
		return r.bracket()
	case '\\':
		if r.at >= len(r.in) || r.in[r.at].Quoted || strings.IndexByte(plainEscapes, r.in[r.at].Byte) < 0 {
			return nil
		}
		n.chars['\\'] = false
		n.chars[r.in[r.at].Byte] = true
		r.at++
	}
	return n
}

// bracket reads a bracket expression. Quotes in it mean something else to each
// version of bash.
func (r *reader) bracket() *node {
	n := &node{}
	not := r.take('^')
	for first := true; ; first = false {
		if r.at >= len(r.in) || r.in[r.at].Quoted || r.in[r.at].Byte >= 0x80 || r.in[r.at].Byte == 0 {
			return nil
		}
		c := r.in[r.at].Byte
		r.at++
		switch {
		case c == ']' && !first:
			if not {
				for i := range n.chars {
					n.chars[i] = !n.chars[i] && i != 0
				}
			}
			return n
		case c == '[' && (r.is('=') || r.is('.')):
			return nil
		case c == '[' && r.is(':'):
			name := ""
			for r.at++; r.at < len(r.in) && !r.is(':'); r.at++ {
				name += string(r.in[r.at].Byte)
			}
			member := classes[name]
			if !r.take(':') || !r.take(']') || member == nil || r.range0() {
				return nil
			}
			for i := range n.chars {
				n.chars[i] = n.chars[i] || member(byte(i))
			}
			continue
		}
		if !r.range0() {
			n.chars[c] = true
			continue
		}
		r.at++ // the hyphen
		to := r.in[r.at].Byte
		r.at++
		if r.in[r.at-1].Quoted || !alike(c, to) || r.range0() {
			return nil
		}
		for i := c; i <= to; i++ {
			n.chars[i] = true
		}
	}
}

// range0 tells whether a hyphen that makes a range comes next.
func (r *reader) range0() bool {
	return r.is('-') && r.at+1 < len(r.in) && !(r.in[r.at+1].Byte == ']' && !r.in[r.at+1].Quoted)
}

// alike tells whether a range runs from one to the other in every locale.
func alike(a, b byte) bool {
	for _, in := range []func(byte) bool{digit, lower, upper} {
		if in(a) && in(b) {
			return a <= b
		}
	}
	return false
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
func lower(c byte) bool { return c >= 'a' && c <= 'z' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func alpha(c byte) bool { return lower(c) || upper(c) }
func graph(c byte) bool { return c > ' ' && c < 0x7f }

var classes = map[string]func(byte) bool{
	"digit": digit, "lower": lower, "upper": upper, "alpha": alpha, "graph": graph,
	"alnum":  func(c byte) bool { return alpha(c) || digit(c) },
	"punct":  func(c byte) bool { return graph(c) && !alpha(c) && !digit(c) },
	"print":  func(c byte) bool { return graph(c) || c == ' ' },
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"space":  func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"cntrl":  func(c byte) bool { return c > 0 && c < ' ' || c == 0x7f },
	"xdigit": func(c byte) bool { return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' },
}

// nullable tells whether a part may match nothing.
func (n *node) nullable() bool {
	switch n.kind {
	case set:
		return false
	case repeat:
		return n.min == 0 || n.parts[0].nullable()
	case choice:
		for _, p := range n.parts {
			if p.nullable() {
				return true
			}
		}
		return false
	case all, group:
		for _, p := range n.parts {
			if !p.nullable() {
				return false
			}
		}
	}
	return true
}

// write writes a part in the syntax of Go.
func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case set:
		b.WriteByte('[')
		for i, in := range n.chars {
			if in {
				b.WriteString(`\x{` + strconv.FormatInt(int64(i), 16) + `}`)
			}
		}
		b.WriteByte(']')
	case begin:
		b.WriteString(`\A`)
	case end:
		b.WriteString(`\z`)
	case all, group:
		b.WriteString("(?:")
		for _, p := range n.parts {
			p.write(b)
		}
		b.WriteByte(')')
	case choice:
		for i, p := range n.parts {
			b.WriteString([]string{"(?:", "|"}[min(i, 1)])
			p.write(b)
		}
		b.WriteByte(')')
	case repeat:
		b.WriteString("(?:")
		n.parts[0].write(b)
		b.WriteString("){" + strconv.Itoa(n.min) + ",")
		if n.max >= 0 {
			b.WriteString(strconv.Itoa(n.max))
		}
		b.WriteByte('}')
	}
}
