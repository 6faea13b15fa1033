package lang

import (
	"strconv"
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
	toks  []token
	i     int
	depth int
	learn bool
	vars  map[string]value  // of the reading before
	next  map[string]value  // of this one
	alias map[string]string // names that stand for modules and functions
	defs  map[string][]string
	inDef string
	code  int // nesting of code in code
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
	p := &script{source: src, g: g, alias: map[string]string{}, defs: map[string][]string{}, code: code, vars: map[string]value{}}
	for pass := 0; pass < 3; pass++ {
		p.learn, p.h = pass < 2, nowhere{}
		if !p.learn {
			p.h = h
		}
		if pass > 0 {
			p.vars = p.next
		}
		p.next = map[string]value{}
		p.toks, p.i, p.depth, p.inDef = toks, 0, 0, ""
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
		if n := p.at(1); closer != "" && n.kind == 'o' && (n.text == "=" && closer == ")" || n.text == "=>" && p.g.name != "javascript" || n.text == ":" && (p.at(2).kind != 'o' || p.at(2).text != ":") && p.g.member != ":") {
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
	for p.op("=") || p.op("<-") { // a = b = c
		p.i++
		targets = append(targets[:1:1], right[0])
		right = []term{p.expr()}
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

var comparisons = map[string]bool{
	"==": true, "===": true, "!=": true, "!==": true, "<": true, ">": true, "<=": true, ">=": true, "<=>": true, "=~": true, "!~": true,
	"in": true, "is": true, "eq": true, "ne": true, "lt": true, "gt": true, "le": true, "ge": true, "cmp": true, "instanceof": true, "~=": true,
}

var logical = map[string]bool{"||": true, "&&": true, "??": true, "or": true, "and": true, "//": true}

// expr reads an expression.
func (p *script) expr() term {
	if !p.enter() {
		return term{v: computed}
	}
	defer p.leave()
	v := p.sum()
	for {
		t := p.peek()
		if t.kind != 'o' && t.kind != 'i' {
			return v
		}
		switch {
		case comparisons[t.text]:
			if t.text == "in" && p.g.name == "javascript" && v.name != "" {
				return v
			}
			p.i++
			p.newlines()
			for p.isName("not") {
				p.i++
			}
			p.sum()
			v = term{v: computed}
		case t.text == "not" && p.at(1).text == "in":
			p.i++
		case logical[t.text]:
			p.i++
			p.newlines()
			v = term{v: v.v.or(p.sum().v)}
		case t.text == "?" && t.kind == 'o':
			p.i++
			p.newlines()
			a := p.expr()
			p.newlines()
			if p.accept(":") {
				p.newlines()
				a = term{v: a.v.or(p.expr().v)}
			}
			v = a
		case t.text == "if" && p.g.name == "python":
			p.i++
			p.expr()
			if p.accept("else") {
				v = term{v: v.v.or(p.expr().v)}
			}
		case t.text == "|>" || t.text == "%>%":
			p.i++
			p.newlines()
			p.mention(v.v, 0)
			v = p.sum()
		default:
			return v
		}
	}
}

// sum reads operands joined by operators that make text or numbers.
func (p *script) sum() term {
	v := p.operand()
	for {
		t := p.peek()
		if t.kind != 'o' {
			return v
		}
		switch {
		case t.text == p.g.concat || p.g.name == "javascript" && t.text == "+":
			p.i++
			p.newlines()
			o := p.operand()
			if v.v.list != nil || o.v.list != nil {
				v = term{v: v.v.or(o.v)}
			} else {
				v = term{v: v.v.concat(o.v)}
			}
		case t.text == "/" && p.g.join:
			p.i++
			p.newlines()
			v = term{v: joinPath(v.v, p.operand().v)}
		case t.text == "%" && p.g.percent:
			p.i++
			p.newlines()
			o := p.operand()
			args := []value{o.v}
			if o.v.list != nil {
				args = o.v.list
			}
			if len(v.v.forms) == 1 {
				v = term{v: format(v.v.forms[0], args)}
			} else {
				v = term{v: computed}
			}
		case t.text == "+" || t.text == "-" || t.text == "*" || t.text == "/" || t.text == "%" || t.text == "**" ||
			t.text == "|" || t.text == "^" || t.text == "&" || t.text == "<<" || t.text == ">>" || t.text == ".." || t.text == "...":
			p.i++
			p.newlines()
			o := p.operand()
			if t.text == "<<" {
				p.mention(o.v, 0)
			}
			v = term{v: computed}
		default:
			return v
		}
	}
}

// operand reads a constant, a name or a bracket, and what hangs on it.
func (p *script) operand() term {
	if !p.enter() {
		return term{v: computed}
	}
	defer p.leave()
	t := p.peek()
	if p.g.primary != nil {
		if v, ok := p.g.primary(p, t); ok {
			return p.hang(v)
		}
	}
	switch t.kind {
	case 's':
		p.i++
		v := term{v: p.text(t)}
		for p.peek().kind == 's' && !p.g.stringly && p.g.member != "" {
			v.v = v.v.concat(p.text(p.peek()))
			p.i++
		}
		return p.hang(v)
	case '`':
		p.i++
		p.text(t).shell(p.h, p.g.name)
		return p.hang(term{v: computed})
	case 'n':
		p.i++
		return p.hang(term{v: constant(piece(t.text, access.Segment{}))})
	case '/':
		p.i++
		return p.hang(term{v: computed})
	case '?':
		p.i++
		if c, ok := p.hole(t.a); !ok || c == access.Any {
			p.h.Unknown(p.g.name + " code that is not in the line")
			return p.hang(term{v: computed})
		}
		return p.hang(term{v: constant(access.Unknowable(access.Name, p.offset(t.a), p.offset(t.b)))})
	case 'i':
		return p.name(t)
	case 'o':
		switch t.text {
		case "(", "[", "{":
			p.i++
			closer := map[string]string{"(": ")", "[": "]", "{": "}"}[t.text]
			args := p.bracket(closer)
			v := p.group(t.text, args)
			if p.op("=>") && p.g.name == "javascript" { // (a, b) => …
				pars := v.v.names
				if len(args) == 1 {
					pars = []string{args[0].t.name}
				}
				return p.arrow(pars)
			}
			return p.hang(v)
		case "-", "+", "!", "~", "*", "**", "...", "&", "\\", "@", "++", "--", "->", "..", "$", "%", "&&", "<", "::":
			p.i++
			v := p.operand()
			if t.text == "..." || t.text == "*" || t.text == "\\" || t.text == "@" {
				return v
			}
			return term{v: computed}
		}
	}
	return term{v: computed}
}

// group is the value of a bracket.
func (p *script) group(opener string, args []arg) term {
	if opener == "(" && len(args) == 1 && args[0].key == "" {
		return args[0].t
	}
	v := value{list: []value{}}
	for _, a := range args {
		v.list = append(v.list, a.t.v)
		v.names = append(v.names, a.t.name)
		v.keys = append(v.keys, a.key)
	}
	if len(args) == 0 {
		v.computed = opener == "("
		v.list = []value{}
	}
	return term{v: v}
}

// text is the value of a string.
func (p *script) text(t token) value {
	v := constant(access.Word{Start: p.offset(t.a), End: p.offset(t.b)})
	for _, f := range t.parts {
		if f.code == nil {
			v = v.concat(constant(f.word))
			continue
		}
		toks, i := p.toks, p.i
		p.toks, p.i = f.code, 0
		var part value
		first := true
		for p.peek().kind != 'e' {
			if a, ok := p.item("}"); ok && first {
				part, first = a.t.v, false
			}
		}
		if first || len(part.list) > 0 {
			part = computed
		}
		p.toks, p.i = toks, i
		v = v.concat(part)
	}
	if t.bare {
		for i, w := range v.forms {
			v.forms[i] = bare(w)
		}
	}
	return v
}

func (p *script) name(t token) term {
	p.i++
	name := t.text
	if p.g.beforeOperand[name] && !p.op("(") && !p.op("=") {
		return p.operand()
	}
	if p.op("=>") && p.g.name == "javascript" { // x => …
		return p.arrow([]string{name})
	}
	v := term{name: name, path: name, v: p.lookup(name)}
	if a, ok := p.alias[name]; ok {
		v.path = a
	}
	if c, ok := p.g.consts[v.path]; ok {
		v.v = p.named(c)
	}
	return p.hang(v)
}

// arrow reads what follows the parameters of a function without a name.
func (p *script) arrow(pars []string) term {
	outer := p.inDef
	p.inDef = "=>" + strconv.Itoa(p.i)
	mine := p.inDef
	p.i++
	p.newlines()
	block := p.op("{")
	v := p.expr()
	p.inDef = outer
	if block {
		v.v = p.lookup(mine + "()")
	}
	return term{v: v.v, fn: true, pars: pars}
}

// named is a value that a table gives.
func (p *script) named(c string) value {
	switch c {
	case "@":
		return judged
	case "~":
		return constant(home(0, 0))
	case "#":
		return constant(access.Unknowable(access.Name, 0, 0))
	case "?":
		return computed
	}
	return constant(access.Text(c))
}

// hang reads members, calls and subscripts behind an operand.
func (p *script) hang(v term) term {
	for n := 0; ; n++ {
		t := p.peek()
		if t.kind == '\n' && p.g.soft {
			k := 1
			for p.at(k).kind == '\n' {
				k++
			}
			if m := p.at(k); m.kind == 'o' && p.isMember(m.text) && p.at(k+1).kind == 'i' {
				p.i += k
				t = m
			}
		}
		if v.path != "" && p.block(v, t) {
			v = term{v: v.v, recv: v.recv, has: true, path: "?"}
			continue
		}
		switch {
		case t.kind == 'o' && p.isMember(t.text):
			m := p.at(1)
			if m.kind != 'i' {
				if m.kind == 'o' && (m.text == "(" || m.text == "[" || m.text == "{") { // ?.( ->[
					p.i++
					continue
				}
				p.i++
				return term{v: computed}
			}
			p.i += 2
			v = p.get(v, m.text)
			if n := p.peek(); p.g.commands && (n.kind != 'o' || n.text != "(" && n.text != "[") && !p.operandFollows(v, n) && !(n.text == "{" || n.text == "do") {
				// A method without arguments needs no parentheses.
				if _, ok := p.action(v.path); ok {
					v = p.called(v, nil)
				}
			}
		case t.kind == 'o' && t.text == "(":
			if v.path == "" && v.name == "" && n == 0 && !v.has && p.g.soft {
				return v
			}
			p.i++
			v = p.called(v, p.bracket(")"))
		case t.kind == 'o' && t.text == "[" && !(p.g.commands && t.gap), t.kind == 'o' && t.text == "{" && p.subscript(v, t):
			p.i++
			closer := "]"
			if t.text == "{" {
				closer = "}"
			}
			if n := p.at(0); n.kind == 'i' && closer == "}" && p.at(1).text == "}" {
				p.i += 2
				v = p.index(v, []arg{{"", term{v: constant(access.Text(n.text))}}})
				continue
			}
			v = p.index(v, p.bracket(closer))
		case t.kind == 's' && (p.g.stringly || p.g.name == "javascript") && (v.path != "" || v.has):
			p.i++
			a := []arg{{"", term{v: p.text(t)}}}
			v = p.called(v, a)
		case p.g.commands && v.path != "" && v.has == (n > 0) && p.operandFollows(v, t):
			var args []arg
			for len(args) < 256 {
				p.newlinesAfterComma(len(args))
				a, ok := p.item(")")
				if !ok {
					break
				}
				args = append(args, a)
				if !p.accept(",") && !p.accept("=>") {
					break
				}
			}
			return p.called(v, args)
		case t.kind == 'o' && (t.text == "++" || t.text == "--") && v.name != "" && p.g.name != "python":
			p.i++
			return term{v: computed}
		default:
			return v
		}
	}
}

func (p *script) newlinesAfterComma(n int) {
	if n > 0 {
		p.newlines()
	}
}

// subscript tells whether a brace behind v is one (Perl).
func (p *script) subscript(v term, t token) bool {
	return p.g.name == "perl" && !t.gap && (v.has || strings.HasPrefix(v.name, "$") || v.name == "" && v.path == "")
}

// operandFollows tells whether a name is called without parentheses.
func (p *script) operandFollows(v term, t token) bool {
	if strings.IndexByte("$@%", v.path[0]) >= 0 || !t.gap || v.name == "" && !v.has {
		return false
	}
	switch t.kind {
	case 's', '`', '/':
		return true
	case 'n':
		return true
	case 'i':
		return !p.g.beforeOperand[t.text] && !logical[t.text] && !comparisons[t.text] && !p.g.skip[t.text] || t.text == "my"
	case 'o':
		if t.text == "[" || t.text == "\\" || t.text == "->" {
			return true
		}
		n := p.at(1)
		return (t.text == "-" || t.text == "*" || t.text == "&" || t.text == ":" || t.text == "::" || t.text == "<") && !n.gap && n.kind != 'e'
	}
	return false
}

func (p *script) isMember(op string) bool {
	switch op {
	case ".":
		return p.g.member == "."
	case "?.", "&.":
		return p.g.member == "."
	case "->":
		return p.g.member == "->"
	case "::":
		return p.g.member != "$" || p.g.name == "R"
	case ":":
		return p.g.name == "lua"
	case "$":
		return p.g.name == "R"
	}
	return false
}

// get is the member of v that is called name.
func (p *script) get(v term, name string) term {
	if name == "__subclasses__" || name == "__bases__" || name == "__mro__" {
		p.h.Unknown("computed name in " + p.g.name + " code")
	}
	out := term{v: computed, path: "?." + name, recv: v.v, has: true}
	if v.path != "" && len(v.path) < 200 {
		out.path = v.path + "." + name
		if name == "promises" || name == "default" || name == "__dict__" {
			out.path = v.path
		}
	}
	if c, ok := p.g.consts[out.path]; ok {
		out.v = p.named(c)
		out.has = false
		return out
	}
	switch name {
	case "parent", "dirname":
		out.v = dirOf(v.v)
	case "name", "stem", "suffix", "basename":
		out.v = constant(access.Unknowable(access.Name, 0, 0))
	}
	return out
}

// index is v[args].
func (p *script) index(v term, args []arg) term {
	if len(args) == 0 {
		return term{v: v.v.element(), recv: v.v}
	}
	key, ok := args[0].t.v.lit()
	base := v.path
	if base != "" && ok && (key == "" || !wordByte(key[0]) || key[0] <= '9') {
		if c, ok := p.g.consts[base]; ok {
			return term{v: p.named(c)}
		}
	}
	switch {
	case base != "" && ok:
		full := base + "." + key
		if c, ok := p.g.consts[full]; ok {
			return term{v: p.named(c)}
		}
		if p.g.modules[base] {
			return term{v: computed, path: full}
		}
		if _, known := p.g.calls[full]; known {
			return term{v: computed, path: full}
		}
	case base != "" && p.g.modules[base]:
		if _, isConst := p.g.consts[base]; !isConst {
			p.h.Unknown("computed name in " + p.g.name + " code")
		}
	}
	if v.v.judged {
		return term{v: judged}
	}
	if ok && len(v.v.list) > 0 {
		return term{v: v.v.element(), recv: v.v, has: true, path: "?.[]"}
	}
	return term{v: v.v.element(), recv: v.v, has: true, path: "?.[]"}
}
