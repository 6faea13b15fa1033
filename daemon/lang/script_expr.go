package lang

import (
	"strconv"
	"strings"

	"extdir/daemon/access"
)

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
		case (t.text == "or" || t.text == "and") && (p.g.commands || p.g.name == "php"):
			return v // binds weaker than the comma
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
	case "FILE", "DIR": // the program's own
		if h, ok := p.host.(Located); ok {
			if name, known := h.Script(); known {
				if c == "DIR" {
					return dirOf(constant(name))
				}
				return constant(name)
			}
		}
		if c == "DIR" {
			return constant(access.Text("."))
		}
		return judged
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
				for p.isName("my") || p.isName("our") || p.isName("local") {
					p.i++
				}
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

// field is what was stored into a member of self.
func (p *script) field(name string) (value, bool) {
	if v, ok := p.next[name]; ok {
		return v, true
	}
	v, ok := p.vars[name]
	return v, ok
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
	if v.v.judged && len(v.v.forms) == 0 && (name == "path" || name == "fullPath" || name == "parentPath" ||
		p.g.name == "python" && !v.v.computed && v.v.list == nil) { // what argparse took from the command line
		out.v = judged
	}
	for i, k := range v.v.keys {
		if k == name && i < len(v.v.list) {
			out.v = v.v.list[i]
		}
	}
	if field, ok := p.field("." + name); ok {
		out.v = field
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
	if action, ok := p.g.calls[v.path+".[]"]; ok && v.path != "" {
		return p.act(action, v, v.path+"[]", args)
	}
	key, ok := args[0].t.v.lit()
	base := v.path
	if base == "sys.modules" {
		if !ok {
			p.h.Unknown("computed name in " + p.g.name + " code")
		}
		return term{v: computed, path: key}
	}
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
	for i, k := range v.v.keys {
		if ok && k == key && k != "" && i < len(v.v.list) {
			return term{v: v.v.list[i], recv: v.v, has: true, path: "?.[]"}
		}
	}
	if ok && len(v.v.list) > 0 {
		return term{v: v.v.element(), recv: v.v, has: true, path: "?.[]"}
	}
	return term{v: v.v.element(), recv: v.v, has: true, path: "?.[]"}
}
