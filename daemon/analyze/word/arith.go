package word

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// Arith evaluates an arithmetic expression to a number, or to an unknown one.
func Arith(sh Shell, x syntax.ArithmExpr) (access.Word, bool) {
	e := newExpander(sh)
	w := e.arith(x)
	w.Start, w.End = start(x), end(x)
	return w, e.stop
}

func (e *expander) arith(x syntax.ArithmExpr) access.Word {
	n, ok := e.number(x)
	if !ok {
		return access.Number(start(x), end(x))
	}
	return access.Text(strconv.FormatInt(n, 10))
}

// number evaluates x. The shell expands the text of an expression first and
// parses then, so $x may bring operators: where a value is more than a number or
// a name, the expression is written out and read again.
func (e *expander) number(x syntax.ArithmExpr) (n int64, ok bool) {
	if e.depth >= maxDepth || !e.spend(1) {
		e.walk(x)
		return 0, false
	}
	e.depth++
	defer func() { e.depth-- }()
	c := calc{expander: e, words: map[*syntax.Word]string{}}
	plain, known := c.prepare(x)
	if e.stop {
		return 0, false
	}
	if known && !plain {
		text, ok := c.render(x)
		if !ok {
			return 0, false
		}
		return e.evaluate(text, start(x))
	}
	v := c.eval(x)
	return v.n, v.ok
}

// evaluate reads a text as an expression.
func (e *expander) evaluate(text string, at int) (int64, bool) {
	if strings.TrimSpace(text) == "" {
		return 0, true
	}
	if n, ok := e.integer(strings.TrimSpace(text)); ok {
		return n, true
	}
	if e.depth >= maxDepth || !e.spend(20+len(text)/4) { // a parse costs as much as 20 steps
		e.sh.Eval(access.Text(text), at, at)
		return 0, false
	}
	x, err := guard.Arithmetic(text, e.sh.Zsh(), nil)
	if err != nil || x == nil {
		if strings.ContainsAny(text, "$`[") {
			e.sh.Eval(access.Text(text), at, at)
			return 0, false
		}
		e.stop = true // syntax error in expression
		return 0, false
	}
	if strings.ContainsAny(text, "\"'") && !strings.Contains(text, "[") {
		return 0, false // quotes in a value mostly are an error; in a subscript they are read
	}
	place(&x, at, at, len(text))
	e.depth++
	defer func() { e.depth-- }()
	return e.number(x)
}

// calc is one evaluation.
type calc struct {
	*expander
	words map[*syntax.Word]string // expanded words
	lost  map[*syntax.Word]bool   // words that aren't known
}

// prepare expands all words of the expression that hold expansions. plain: every
// value is a number or a name, so the tree is right as it is.
func (c *calc) prepare(x syntax.ArithmExpr) (plain, known bool) {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		// The left spine is as deep as a chain is long.
		plain, known = true, true
		for {
			p, k := c.prepare(x.Y)
			plain, known = plain && p, known && k
			left, ok := x.X.(*syntax.BinaryArithm)
			if !ok {
				p, k = c.prepare(x.X)
				return plain && p, known && k
			}
			x = left
		}
	case *syntax.UnaryArithm:
		return c.prepare(x.X)
	case *syntax.ParenArithm:
		return c.prepare(x.X)
	case *syntax.Word:
		if len(x.Parts) == 1 {
			switch p := x.Parts[0].(type) {
			case *syntax.Lit:
				return true, true
			case *syntax.ParamExp:
				if p.Short && !p.Dollar.IsValid() { // a[i]
					return true, true
				}
			}
		}
		w := c.sub(x, mode{ctx: document, dquote: true}, true)
		s, ok := w.Lit()
		if !ok {
			if runs(w) {
				c.sh.Eval(w, start(x), end(x))
			}
			if c.lost == nil {
				c.lost = map[*syntax.Word]bool{}
			}
			c.lost[x] = true
			if !w.Number() {
				c.doubts()
			}
			for _, p := range x.Parts {
				c.asks(p)
			}
			return true, false
		}
		c.words[x] = s
		_, num := c.integer(s)
		return num || syntax.ValidName(s), true
	}
	c.walk(x)
	return true, false
}

// render writes an expression out.
func (e *expander) render(x syntax.ArithmExpr) (string, bool) {
	c := calc{expander: e, words: map[*syntax.Word]string{}}
	if _, known := c.prepare(x); !known {
		return "", false
	}
	return c.render(x)
}

func (c *calc) render(x syntax.ArithmExpr) (string, bool) {
	var b strings.Builder
	ok := c.write(&b, x)
	return b.String(), ok
}

func (c *calc) write(b *strings.Builder, x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		if !c.write(b, x.X) {
			return false
		}
		b.WriteString(x.Op.String())
		return c.write(b, x.Y)
	case *syntax.UnaryArithm:
		if x.Post {
			ok := c.write(b, x.X)
			b.WriteString(x.Op.String())
			return ok
		}
		b.WriteString(x.Op.String())
		return c.write(b, x.X)
	case *syntax.ParenArithm:
		b.WriteByte('(')
		ok := c.write(b, x.X)
		b.WriteByte(')')
		return ok
	case *syntax.Word:
		if s, ok := c.words[x]; ok {
			b.WriteString(s)
			return true
		}
		if len(x.Parts) == 1 {
			switch p := x.Parts[0].(type) {
			case *syntax.Lit:
				b.WriteString(p.Value)
				return true
			case *syntax.ParamExp:
				b.WriteString(p.Param.Value)
				b.WriteByte('[')
				inner := calc{expander: c.expander, words: c.words}
				if _, known := inner.prepare(p.Index); !known || !inner.write(b, p.Index) {
					return false
				}
				b.WriteByte(']')
				return true
			}
		}
	}
	return false
}

// num is a number that may be unknown.
type num struct {
	n  int64
	ok bool
}

func (c *calc) eval(x syntax.ArithmExpr) num {
	if c.stop {
		return num{}
	}
	switch x := x.(type) {
	case *syntax.ParenArithm:
		return c.eval(x.X)
	case *syntax.UnaryArithm:
		return c.unary(x)
	case *syntax.BinaryArithm:
		return c.binary(x)
	case *syntax.Word:
		if c.lost[x] {
			return num{}
		}
		if s, ok := c.words[x]; ok {
			return c.atom(s, x)
		}
		if len(x.Parts) == 1 {
			switch p := x.Parts[0].(type) {
			case *syntax.Lit:
				return c.atom(p.Value, x)
			case *syntax.ParamExp:
				if c.sh.Zsh() {
					v, ok := c.zshIndex(c.zshLookup(p.Param.Value), p.Index)
					if !ok {
						v = parameter{}
					}
					return c.read(v, x)
				}
				return c.read(c.lookup(p.Param.Value, p.Index), x)
			}
		}
	}
	return num{}
}

// atom is a number or a name.
func (c *calc) atom(s string, at syntax.Node) num {
	if n, ok := c.integer(s); ok {
		return num{n, true}
	}
	if syntax.ValidName(s) {
		return c.read(c.lookup(s, nil), at)
	}
	if s == "" {
		return num{0, true}
	}
	c.stop = !c.sh.Zsh() // 08, 1x, …: an error; zsh has fractions
	return num{}
}

// read takes the value of a variable, which is an expression itself.
func (c *calc) read(p parameter, at syntax.Node) num {
	if p.state == Unset {
		if c.sh.Option("nounset") {
			c.fatal()
		}
		return num{0, true}
	}
	s, ok := p.scalar().Lit()
	if p.list || p.state == Unknown || !ok {
		if w := p.scalar(); p.state == Set && !p.list && runs(w) {
			c.sh.Eval(w, start(at), end(at))
		}
		if a, is := c.sh.(Asker); is && p.state == Unknown {
			a.Evaluates(c.aim(p.name))
		}
		if p.list || p.state == Unknown || !p.scalar().Number() {
			c.doubts()
		}
		return num{}
	}
	n, ok := c.evaluate(s, start(at))
	return num{n, ok}
}

// doubts stops in one of two readings: what isn't known may be an error.
func (c *calc) doubts() {
	if sh, ok := c.sh.(Ender); ok && !c.sh.Zsh() && !c.stop && sh.Doubt() {
		c.stop = true
	}
}

// asks names the variables that stand in a part of an expression that isn't known.
func (c *calc) asks(p syntax.WordPart) {
	a, is := c.sh.(Asker)
	if !is {
		return
	}
	switch p := p.(type) {
	case *syntax.ParamExp:
		// A length is a number, and so is what a loop over the keys counts.
		if p.Param != nil && !p.Length && !p.Width {
			a.Evaluates(c.aim(p.Param.Value))
		}
	case *syntax.DblQuoted:
		for _, q := range p.Parts {
			c.asks(q)
		}
	}
}

// runs tells whether a value that is known in part may hold a subscript with a
// command in it. What a program printed is data: like the text of a script in the
// tree it isn't guessed at.
func runs(w access.Word) bool {
	for _, s := range w.Segs {
		if s.Class == access.Known && strings.ContainsAny(s.Text, "$`") {
			return true
		}
	}
	return false
}

// assign stores a value in the variable that x names.
func (c *calc) assign(x syntax.ArithmExpr, v num) num {
	w := access.Number(start(x), end(x))
	if v.ok {
		w = access.Text(strconv.FormatInt(v.n, 10))
	}
	word, ok := x.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		return num{}
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		if target := c.lookup(p.Value, nil); target.put != nil {
			target.put(w)
		}
	case *syntax.ParamExp:
		if target := c.lookup(p.Param.Value, p.Index); target.put != nil {
			target.put(w)
		} else {
			c.sh.Set(p.Param.Value, Value{})
		}
	}
	return v
}

func (c *calc) unary(x *syntax.UnaryArithm) num {
	v := c.eval(x.X)
	switch x.Op {
	case syntax.Inc, syntax.Dec:
		next := v
		if next.n++; x.Op == syntax.Dec {
			next.n -= 2
		}
		c.assign(x.X, next)
		if x.Post {
			return v
		}
		return next
	case syntax.Not:
		return num{truth(v.n == 0), v.ok}
	case syntax.BitNegation:
		return num{^v.n, v.ok}
	case syntax.Minus:
		return num{-v.n, v.ok}
	}
	return v
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

var assignOps = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul,
	syntax.QuoAssgn: syntax.Quo, syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And,
	syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor, syntax.ShlAssgn: syntax.Shl,
	syntax.ShrAssgn: syntax.Shr, syntax.PowAssgn: syntax.Pow,
}

func (c *calc) binary(x *syntax.BinaryArithm) num {
	switch x.Op {
	case syntax.Assgn:
		return c.assign(x.X, c.eval(x.Y))
	case syntax.AndArit, syntax.OrArit:
		return c.logic(x)
	case syntax.TernQuest:
		branch, ok := x.Y.(*syntax.BinaryArithm)
		if !ok {
			return num{}
		}
		switch v := c.eval(x.X); {
		case !v.ok:
			c.eval(branch.X) // both may run
			c.eval(branch.Y)
			return num{}
		case v.n != 0:
			return c.eval(branch.X)
		}
		return c.eval(branch.Y)
	}
	if op, ok := assignOps[x.Op]; ok {
		a, b := c.eval(x.X), c.eval(x.Y)
		return c.assign(x.X, c.compute(op, a, b))
	}
	// The left spine in a loop: 1+1+1+… is as deep as it is long.
	var spine []*syntax.BinaryArithm
	var left syntax.ArithmExpr = x
	for {
		b, ok := left.(*syntax.BinaryArithm)
		if !ok || b.Op == syntax.AndArit || b.Op == syntax.OrArit || b.Op == syntax.TernQuest || b.Op == syntax.Assgn || assignOps[b.Op] != 0 {
			break
		}
		spine = append(spine, b)
		left = b.X
	}
	v := c.eval(left)
	for i := len(spine) - 1; i >= 0; i-- {
		v = c.compute(spine[i].Op, v, c.eval(spine[i].Y))
	}
	return v
}

func (c *calc) logic(x *syntax.BinaryArithm) num {
	a := c.eval(x.X)
	ends := x.Op == syntax.OrArit // the value of x.X that decides
	if a.ok && (a.n != 0) == ends {
		return num{truth(ends), true}
	}
	b := c.eval(x.Y)
	if b.ok && (b.n != 0) == ends {
		return num{truth(ends), true}
	}
	return num{truth(b.n != 0), a.ok && b.ok}
}

func (c *calc) compute(op syntax.BinAritOperator, a, b num) num {
	if op == syntax.Comma {
		return b
	}
	if c.sh.Zsh() && op == syntax.Pow && b.n < 0 {
		return num{} // a fraction
	}
	if (op == syntax.Quo || op == syntax.Rem) && b.ok && b.n == 0 || op == syntax.Pow && b.ok && b.n < 0 {
		c.stop = true // division by zero, exponent less than zero
		return num{}
	}
	if (op == syntax.Quo || op == syntax.Rem || op == syntax.Pow) && !b.ok {
		c.doubts()
	}
	if !a.ok || !b.ok {
		return num{}
	}
	switch x, y := a.n, b.n; op {
	case syntax.Add:
		return num{x + y, true}
	case syntax.Sub:
		return num{x - y, true}
	case syntax.Mul:
		return num{x * y, true}
	case syntax.Quo:
		return num{x / y, true}
	case syntax.Rem:
		return num{x % y, true}
	case syntax.Pow:
		r := int64(1)
		for ; y > 0; y >>= 1 {
			if y&1 == 1 {
				r *= x
			}
			x *= x
		}
		return num{r, true}
	case syntax.Shl:
		return num{x << (uint64(y) & 63), true}
	case syntax.Shr:
		return num{x >> (uint64(y) & 63), true}
	case syntax.And:
		return num{x & y, true}
	case syntax.Or:
		return num{x | y, true}
	case syntax.Xor:
		return num{x ^ y, true}
	case syntax.Eql:
		return num{truth(x == y), true}
	case syntax.Neq:
		return num{truth(x != y), true}
	case syntax.Lss:
		return num{truth(x < y), true}
	case syntax.Gtr:
		return num{truth(x > y), true}
	case syntax.Leq:
		return num{truth(x <= y), true}
	case syntax.Geq:
		return num{truth(x >= y), true}
	}
	return num{}
}

// integer reads a number; in zsh a leading zero means nothing (unless octalzeroes).
func (e *expander) integer(s string) (int64, bool) {
	if e.sh.Zsh() && len(s) > 1 && s[0] == '0' && !e.sh.Option("octalzeroes") && strings.Trim(s, "0123456789") == "" {
		if s = strings.TrimLeft(s, "0"); s == "" {
			s = "0"
		}
	}
	return integer(s)
}

// integer reads the shell's numbers: 10, 010, 0x10, 2#10, with a sign.
func integer(s string) (int64, bool) {
	neg := false
	digits := s
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		neg = digits[0] == '-'
		digits = digits[1:]
	}
	base := 10
	switch {
	case digits == "":
		return 0, false
	case strings.Contains(digits, "#"):
		head, tail, _ := strings.Cut(digits, "#")
		b, err := strconv.Atoi(head)
		if err != nil || b < 2 || b > 64 || tail == "" {
			return 0, false
		}
		base, digits = b, tail
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0X"):
		base, digits = 16, digits[2:]
	case digits[0] == '0':
		base = 8
	}
	var n int64
	for i := range len(digits) {
		d := baseDigit(digits[i], base)
		if d >= base {
			return 0, false
		}
		n = n*int64(base) + int64(d)
	}
	if neg {
		n = -n
	}
	return n, true
}

func baseDigit(c byte, base int) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'z':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'Z':
		if base <= 36 {
			return int(c-'A') + 10
		}
		return int(c-'A') + 36
	case c == '@':
		return 62
	case c == '_':
		return 63
	}
	return 99
}
