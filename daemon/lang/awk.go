package lang

import (
	"strings"

	"extdir/daemon/access"
)

// readAwk reads POSIX awk with what gawk, mawk and the one true awk add: output
// to files and commands, getline, system, @include, @load, ARGV.
//
// The program is read twice: the first time to learn which variables only ever
// hold constants, the second to report.
func readAwk(program access.Word, h Host) {
	src := newSource(program)
	first := awk{source: src, h: nowhere{}, vars: map[string]value{}, learn: true}
	first.program()
	second := awk{source: src, h: h, vars: first.vars}
	second.program()
}

// nowhere is a host for readings that only learn.
type nowhere struct{}

func (nowhere) File(access.Word, access.Kind, string) {}
func (nowhere) Shell(access.Word)                     {}
func (nowhere) Exec([]access.Word)                    {}
func (nowhere) Unknown(string)                        {}

type awk struct {
	*source
	h     Host
	vars  map[string]value
	learn bool

	i     int
	depth int
	// The current token: kind 's' string, 'n' number, 'i' name, 'o' operator,
	// 'e' end, '?' an unknown part. A newline is the operator "\n".
	kind byte
	tok  string
	val  access.Word
	last string // the token before
}

func (p *awk) is(op string) bool { return p.kind == 'o' && p.tok == op || p.kind == 'i' && p.tok == op }

func (p *awk) accept(op string) bool {
	if p.is(op) {
		p.next()
		return true
	}
	return false
}

func (p *awk) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.h.Unknown("awk program too deep to read")
		p.i = len(p.s)
		p.kind, p.tok = 'e', ""
		return false
	}
	return true
}

// program reads patterns, actions and functions as one run of statements: what
// is looked for doesn't depend on which is which.
func (p *awk) program() {
	p.next()
	for p.kind != 'e' {
		p.statement()
	}
}

func (p *awk) statement() {
	if p.kind == 'i' {
		switch p.tok {
		case "print", "printf":
			p.print()
			return
		case "BEGIN", "END", "BEGINFILE", "ENDFILE", "if", "else", "while", "for", "do", "switch", "case", "default",
			"next", "nextfile", "exit", "return", "delete", "break", "continue", "function", "func":
			fn := p.tok == "function" || p.tok == "func"
			p.next()
			if fn {
				p.next() // its name
			}
			return
		}
	}
	if p.kind == 'o' {
		switch p.tok {
		case "{", "}", ";", "\n", ")", ",", ":", "]":
			p.next()
			return
		case "@":
			p.directive()
			return
		}
	}
	at, kind := p.i, p.kind
	p.expr(false)
	if p.i == at && p.kind == kind && p.kind != 'e' {
		p.next() // an operator that begins no expression
	}
}

func (p *awk) directive() {
	p.next()
	switch word := p.tok; word {
	case "include", "load", "namespace":
		p.next()
		if p.kind != 's' {
			return
		}
		if word == "include" || word == "load" && strings.Contains(p.val.String(), "/") {
			include(p.h, p.val, "@"+word+" in awk program")
		}
		p.next()
	case "/", "/=": // a strongly typed pattern of gawk
		p.regex(p.i - len(word) + 1)
	default:
		p.h.Unknown("indirect call in awk program")
	}
}

// print reads "print LIST", "print(LIST)" and the redirection behind.
func (p *awk) print() {
	p.next()
	for p.kind != 'e' && !p.is(";") && !p.is("\n") && !p.is("}") {
		switch {
		case p.is(">") || p.is(">>"):
			p.next()
			p.file(p.concat(true), access.Write, "output of print in awk program")
		case p.is("|") || p.is("|&"):
			net := p.tok == "|&"
			p.next()
			p.command(p.concat(true), net)
		case p.is(","):
			p.next()
			p.newlines()
		default:
			at, kind := p.i, p.kind
			p.expr(true)
			if p.i == at && p.kind == kind {
				p.next()
			}
		}
	}
}

func (p *awk) file(v value, kind access.Kind, why string) {
	var kept []access.Word
	for _, w := range v.forms {
		if s, ok := w.Lit(); ok && (s == "-" || s == "") {
			continue // standard input; an error
		}
		kept = append(kept, w)
	}
	if len(kept) == 0 && len(v.forms) > 0 && !v.computed {
		return
	}
	v.forms = kept
	v.open(p.h, kind, why, "awk")
}

func (p *awk) command(v value, network bool) {
	if network && len(v.forms) == 1 && v.forms[0].HasPrefix("/inet") {
		return
	}
	v.shell(p.h, "awk")
}

func (p *awk) set(name string, v value) {
	if !p.learn {
		return
	}
	if old, ok := p.vars[name]; ok {
		v = old.or(v)
	}
	p.vars[name] = v
}

// expr reads an expression down to the level of concatenation; above that every
// operator makes a computed value. In the list of print, > and | are not its own.
func (p *awk) expr(list bool) value {
	if !p.enter() {
		return computed
	}
	defer func() { p.depth-- }()
	v := p.concat(list)
	for p.kind == 'o' || p.kind == 'i' && p.tok == "in" {
		switch p.tok {
		case "|", "|&":
			if list {
				return v
			}
			net := p.tok == "|&"
			p.next()
			if p.is("getline") {
				p.command(v, net)
				p.next()
				p.lvalue()
				v = computed
				continue
			}
		case "<":
			p.next()
			p.concat(list)
			v = computed
			continue
		case ">":
			if list {
				return v
			}
			p.next()
			p.concat(list)
			v = computed
			continue
		case "?":
			p.next()
			a := p.expr(list)
			if p.accept(":") {
				a = a.or(p.expr(list))
			}
			v = a
			continue
		case "==", "!=", "<=", ">=", "~", "!~", "&&", "||", "in":
			p.next()
			p.newlines()
			p.concat(list)
			v = computed
			continue
		}
		return v
	}
	return v
}

func (p *awk) newlines() {
	for p.is("\n") {
		p.next()
	}
}

// concat reads primaries that stand side by side, and arithmetic.
func (p *awk) concat(list bool) value {
	v := p.primary()
	for {
		switch {
		case p.kind == 's' || p.kind == 'n' || p.kind == '?' || p.kind == 'i' && p.tok != "in" && !awkWords[p.tok] ||
			p.is("$") || p.is("(") || p.is("!") && !list:
			at := p.i
			o := p.primary()
			if p.i == at {
				return v
			}
			v = v.concat(o)
		case p.is("+") || p.is("-") || p.is("*") || p.is("/") || p.is("%") || p.is("^") || p.is("**"):
			p.next()
			p.primary()
			v = value{forms: []access.Word{access.Unknowable(access.Name, 0, 0)}}
		default:
			return v
		}
	}
}

// awkWords can't begin or continue an expression.
var awkWords = map[string]bool{
	"print": true, "printf": true, "if": true, "else": true, "while": true, "for": true, "do": true, "next": true,
	"nextfile": true, "exit": true, "return": true, "delete": true, "break": true, "continue": true, "function": true,
	"func": true, "BEGIN": true, "END": true, "BEGINFILE": true, "ENDFILE": true, "switch": true, "case": true, "default": true,
}

// lvalue reads what getline stores into, if it is named, and reports what of it
// is an access.
func (p *awk) lvalue() {
	switch {
	case p.is("$"):
		p.next()
		p.primary()
	case p.kind == 'i' && !awkWords[p.tok]:
		name := p.tok
		p.next()
		if p.is("[") {
			p.index()
			return
		}
		p.set(name, computed)
	}
}

// index reads [ … ] and returns the first expression in it.
func (p *awk) index() value {
	p.next()
	v := p.expr(false)
	for p.accept(",") {
		p.expr(false)
		v = computed
	}
	p.accept("]")
	return v
}

func (p *awk) primary() value {
	if !p.enter() {
		return computed
	}
	defer func() { p.depth-- }()
	switch p.kind {
	case 's':
		v := constant(p.val)
		p.next()
		return v
	case '?':
		v := constant(p.val)
		p.next()
		return v
	case 'n':
		v := constant(access.Text(p.tok))
		p.next()
		return v
	case 'i':
		return p.name()
	case 'e':
		return computed
	}
	switch p.tok {
	case "(":
		p.next()
		p.newlines()
		v := p.expr(false)
		for p.is(",") || p.is("\n") {
			p.next()
			p.newlines()
			p.expr(false)
			v = computed
		}
		p.accept(")")
		return v
	case "$":
		p.next()
		p.primary()
		return computed
	case "/", "/=":
		p.regex(p.i - len(p.tok) + 1)
		return computed
	case "!", "-", "+", "++", "--":
		p.next()
		p.primary()
		return computed
	case "@":
		p.directive()
		return computed
	}
	return computed
}

// regex moves behind the pattern whose text begins at i.
func (p *awk) regex(i int) {
	for ; i < len(p.s) && p.s[i] != '/' && p.s[i] != '\n'; i++ {
		switch p.s[i] {
		case '\\':
			i++
		case '[':
			if e := bracket(p.s, i, '/'); e > 0 {
				i = e
			}
		}
	}
	p.i = min(i+1, len(p.s))
	p.kind, p.tok = 'o', "/re/"
	p.next()
}

func (p *awk) name() value {
	name := p.tok
	if awkWords[name] {
		return computed
	}
	called := p.i < len(p.s) && p.s[p.i] == '('
	p.next()
	switch name {
	case "getline":
		p.lvalue()
		if p.accept("<") {
			v := p.primary()
			p.file(v, access.Read, "getline in awk program")
			if p.kind == 's' || p.is("$") || p.kind == 'i' && p.tok != "in" && !awkWords[p.tok] {
				// getline < "a" "b" reads a file "a" here and "ab" there.
				p.file(v.concat(p.concat(false)), access.Read, "getline in awk program")
			}
		}
		return computed
	case "system", "sprintf", "close", "fflush", "sub", "gsub", "split", "length", "tolower", "toupper", "substr",
		"index", "match", "gensub", "strftime", "asort", "asorti", "patsplit":
		called = called || p.is("(")
	}
	if called {
		return p.call(name)
	}
	if p.is("[") {
		at := p.index()
		return p.element(name, at)
	}
	switch {
	case p.is("="):
		p.next()
		p.newlines()
		v := p.expr(false)
		p.set(name, v)
		return v
	case p.is("+=") || p.is("-=") || p.is("*=") || p.is("/=") || p.is("%=") || p.is("^=") || p.is("**="):
		p.next()
		p.expr(false)
		p.set(name, computed)
		return computed
	case p.is("++") || p.is("--"):
		p.next()
		p.set(name, computed)
		return computed
	case p.is("in"):
		p.set(name, computed)
		return computed
	}
	switch name {
	case "FILENAME":
		return judged
	case "NR", "NF", "FNR", "RSTART", "RLENGTH", "ARGC":
		return constant(access.Unknowable(access.Name, 0, 0))
	}
	if v, ok := p.vars[name]; ok {
		return v
	}
	return computed
}

// element is name[at]: the arguments and the environment are known arrays.
func (p *awk) element(name string, at value) value {
	if p.is("=") {
		p.next()
		p.newlines()
		v := p.expr(false)
		if name == "ARGV" {
			p.file(v, access.Read, "ARGV in awk program")
		}
		p.set(name+"[]", v)
		return v
	}
	switch name {
	case "ARGV":
		return judged
	case "ENVIRON":
		if s, _ := at.lit(); s == "HOME" {
			return constant(home(0, 0))
		}
		return computed
	}
	if p.is("++") || p.is("--") {
		p.next()
		p.set(name+"[]", computed)
		return computed
	}
	if v, ok := p.vars[name+"[]"]; ok {
		return v
	}
	return computed
}

func (p *awk) call(name string) value {
	var args []value
	var names []string
	p.next()
	p.newlines()
	for p.kind != 'e' && !p.is(")") && !p.is(";") && !p.is("}") && !p.is("{") {
		if p.kind == 'i' {
			names = append(names, p.tok)
		} else {
			names = append(names, "")
		}
		at := p.i
		args = append(args, p.expr(false))
		if !p.is(",") && !p.is("\n") && p.i == at && !p.is(")") {
			p.next()
		}
		for p.is(",") || p.is("\n") {
			p.next()
		}
	}
	p.accept(")")
	arg := func(i int) value {
		if i < len(args) {
			return args[i]
		}
		return computed
	}
	switch name {
	case "system":
		arg(0).shell(p.h, "awk")
	case "sprintf":
		if f := arg(0); len(f.forms) == 1 && !f.computed {
			return format(f.forms[0], args[1:])
		}
	case "tolower", "toupper":
		return computed
	case "sub", "gsub":
		if len(names) > 2 {
			p.set(names[2], computed)
		}
	case "split", "patsplit":
		if len(names) > 1 {
			p.set(names[1]+"[]", computed)
		}
	default:
		// A function of the program may store into its parameters: they are
		// unknown inside it (no assignment), and arrays stay what they are.
	}
	return computed
}
