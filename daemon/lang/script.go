package lang

import (
	"strings"

	"extdir/daemon/access"
)

// script reads the programs of interpreters. It is no interpreter: it walks over
// expressions and calls in the order of the text, folds constants, and looks up
// what is called in the tables of its grammar. A variable is whatever is assigned
// to it anywhere, so it is read three times: twice to learn, once to report.
type script struct {
	*source
	g     *grammar
	h     Host
	host  Host // h once all is learnt
	toks  []token
	i     int
	depth int
	learn bool
	// first: nothing is learnt yet. What a function gives itself, as one that walks
	// folders does, must not begin with what isn't known yet.
	first bool
	vars  map[string]value  // of the reading before
	next  map[string]value  // of this one
	alias map[string]string // names that stand for modules and functions
	defs  map[string][]string
	inDef string   // the function that is read
	class string   // the class that is read
	stars []string // modules whose names were imported all together
	cwd   value    // where the program went, if it did
	// listed are the directories and patterns that judged names came from.
	listed value
	code   int // nesting of code in code
}

// term is an expression and what it is called.
type term struct {
	v    value
	path string // dotted name of a module, function or constant
	name string // the variable it is, if it is one
	recv value  // what path's last name is a member of
	has  bool   // recv is something
	fn   bool   // a function without a name: its parameters, v what it returns
	pars []string
}

// arg is an argument of a call.
type arg struct {
	key string
	t   term
}

// reader makes the Reader of a grammar.
func (g *grammar) reader() Reader {
	return func(program access.Word, h Host) { g.read(program, h, 0) }
}

func (g *grammar) read(program access.Word, h Host, code int) {
	src := newSource(program)
	toks, _, deep := g.lex(src, 0, 0, "")
	if deep {
		h.Unknown(g.name + " code nested too deep to read")
		return
	}
	toks = append(toks, token{kind: 'e', a: len(src.s), b: len(src.s)})
	p := &script{source: src, g: g, host: h, alias: map[string]string{}, defs: map[string][]string{}, code: code, vars: map[string]value{}}
	for pass := 0; pass < 3; pass++ {
		p.learn, p.first, p.h = pass < 2, pass == 0, nowhere{}
		if !p.learn {
			p.h = h
		}
		if pass > 0 {
			p.vars = p.next
		}
		p.next = map[string]value{}
		p.toks, p.i, p.depth, p.inDef, p.cwd = toks, 0, 0, "", value{}
		for p.peek().kind != 'e' {
			p.item("")
		}
	}
}

func (p *script) peek() token {
	if p.i < len(p.toks) {
		return p.toks[p.i]
	}
	return token{kind: 'e'}
}

func (p *script) at(n int) token {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n]
	}
	return token{kind: 'e'}
}

func (p *script) op(text string) bool {
	t := p.peek()
	return t.kind == 'o' && t.text == text
}

func (p *script) isName(text string) bool {
	t := p.peek()
	return t.kind == 'i' && t.text == text
}

func (p *script) accept(text string) bool {
	if t := p.peek(); (t.kind == 'o' || t.kind == 'i') && t.text == text {
		p.i++
		return true
	}
	return false
}

func (p *script) newlines() {
	for p.peek().kind == '\n' {
		p.i++
	}
}

// enter guards the recursion; leave goes with it.
func (p *script) enter() bool {
	p.depth++
	if p.depth <= maxDepth {
		return true
	}
	p.h.Unknown(p.g.name + " code nested too deep to read")
	p.i = len(p.toks)
	return false
}

func (p *script) leave() { p.depth-- }

func (p *script) assign(name string, t term) {
	if name == "" {
		return
	}
	if name == "@ARGV" && p.g.name == "perl" && !t.v.judged {
		p.open(t.v, access.Read, "@ARGV in perl code")
	}
	if t.fn {
		p.defs[name] = t.pars
		name += "()"
	}
	if t.path != "" && len(t.v.forms) == 0 && t.v.list == nil {
		p.alias[name] = t.path
	}
	v := t.v
	if old, ok := p.next[name]; ok {
		v = old.or(v)
	}
	p.next[name] = v
}

func (p *script) lookup(name string) value {
	if v, ok := p.next[name]; ok {
		return v
	}
	if v, ok := p.vars[name]; ok {
		return v
	}
	return computed
}

// item reads one statement, or one element of a bracket. What it returns is for
// the bracket's owner.
func (p *script) item(closer string) (a arg, ok bool) {
	if !p.enter() {
		return arg{}, false
	}
	defer p.leave()
	from := p.i
	defer func() {
		if p.i == from { // whatever it is, go on behind it
			p.i++
		}
	}()
	t := p.peek()
	if p.g.statement != nil && p.g.statement(p, t) {
		return arg{}, false
	}
	switch t.kind {
	case '\n':
		p.i++
		return arg{}, false
	case 'o':
		switch t.text {
		case ")", "]", "}":
			if closer == "" {
				p.i++ // nothing is open: text that isn't read right
			}
			return arg{}, false
		case ",", ";", ":", "=>":
			p.i++
			return arg{}, false
		}
	case 'i':
		if p.g.skip[t.text] {
			if n := p.at(1); n.kind != 'o' || n.text != "." && n.text != "=" && n.text != ":" || t.text == "else" {
				p.i++
				return arg{}, false
			}
		}
		// key: value, key=value as an element
		if n := p.at(1); closer != "" && n.kind == 'o' && (n.text == "=" && (closer == ")" || p.g.name == "lua") || n.text == "=>" && p.g.name != "javascript" || n.text == ":" && (p.at(2).kind != 'o' || p.at(2).text != ":") && p.g.member != ":") {
			p.i += 2
			p.newlines()
			v := p.expr()
			return arg{t.text, v}, true
		}
	}
	v := p.expr()
	switch {
	case p.op("=") || p.op(":=") || p.op("||=") || p.op("&&=") || p.op("??=") || p.op("<-") && p.g.name == "R" || p.op("<<-"):
		p.i++
		p.store([]term{v})
		return arg{}, false
	case p.op(",") && closer == "":
		// a, b = …
		targets := []term{v}
		for p.accept(",") && len(targets) < 64 {
			if p.peek().kind == '\n' || p.peek().kind == 'e' || p.op("=") || p.op("*") {
				break
			}
			targets = append(targets, p.expr())
		}
		if p.accept("=") {
			p.store(targets)
		}
		return arg{}, false
	case p.op(p.g.concat + "="):
		p.i++
		p.newlines()
		right := p.expr()
		if v.name != "" {
			p.assign(v.name, term{v: p.lookup(v.name).concat(right.v)})
		} else {
			p.mention(right.v, 0)
		}
		return arg{}, false
	case p.peek().kind == 'o' && len(p.peek().text) > 1 && strings.HasSuffix(p.peek().text, "=") && !comparisons[p.peek().text]:
		p.i++
		p.newlines()
		right := p.expr()
		if v.name != "" {
			p.assign(v.name, term{v: computed.or(right.v)})
		}
		return arg{}, false
	case p.op("=>") || closer != "" && p.op(":") && p.g.member != ":":
		// a key of a table
		p.i++
		p.newlines()
		key := ""
		if s, ok := v.v.lit(); ok {
			key = s
		}
		return arg{key, p.expr()}, true
	case p.isName("as"):
		p.i++
		if n := p.peek(); n.kind == 'i' {
			p.assign(n.text, v)
		}
		return arg{}, false
	}
	return arg{"", v}, closer != ""
}

// store reads the right side of an assignment.
func (p *script) store(targets []term) {
	p.newlines()
	right := []term{p.expr()}
	for p.op(",") && len(targets) > 1 && len(right) < 64 {
		p.i++
		right = append(right, p.expr())
	}
	if p.op("=") || p.op("<-") { // a = b = c
		for p.op("=") || p.op("<-") {
			p.i++
			targets = append(targets, right[0])
			right = []term{p.expr()}
		}
		for _, t := range targets {
			p.put(t, right[0])
		}
		return
	}
	if len(targets) == 1 {
		if len(targets[0].v.list) > 0 && targets[0].name == "" {
			// [a, b] = …, {a, b} = …, my ($a, $b) = …
			p.spread(targets[0], right[0])
			return
		}
		p.put(targets[0], right[0])
		return
	}
	for i, t := range targets {
		switch {
		case len(right) == len(targets):
			p.put(t, right[i])
		case i < len(right[0].v.list) && len(right[0].v.list) == len(targets):
			p.put(t, term{v: right[0].v.list[i]})
		default:
			p.put(t, term{v: right[0].v.element()})
		}
	}
}

func (p *script) put(to, from term) {
	if to.name != "" {
		p.assign(to.name, from)
		return
	}
	for _, self := range []string{"self.", "this.", "$this.", "cls."} {
		if name, ok := strings.CutPrefix(to.path, self); ok && to.has {
			p.assign("."+name, term{v: from.v})
			return
		}
	}
	// A member or an element: nobody looks where it goes.
	p.mention(from.v, 0)
}

// spread stores into the names of a bracket.
func (p *script) spread(to, from term) {
	for i, name := range to.v.names {
		if name == "" {
			continue
		}
		switch {
		case from.path != "" && len(from.v.forms) == 0:
			p.alias[name] = from.path + "." + name
		case i < len(from.v.list):
			p.assign(name, term{v: from.v.list[i]})
		default:
			p.assign(name, term{v: from.v.element()})
		}
	}
}

// bracket reads the elements up to a closer; the opener is behind.
func (p *script) bracket(closer string) []arg {
	var args []arg
	for {
		p.newlines()
		t := p.peek()
		if t.kind == 'e' {
			return args
		}
		if t.kind == 'o' && t.text == closer {
			p.i++
			return args
		}
		if t.kind == 'o' && (t.text == ")" || t.text == "]" || t.text == "}") {
			return args // closes something else
		}
		if a, ok := p.item(closer); ok && len(args) < 256 {
			args = append(args, a)
		} else if ok {
			p.mention(a.t.v, 0)
		}
	}
}
