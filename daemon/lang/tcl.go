package lang

import (
	"strings"

	"extdir/daemon/access"
)

// readTcl reads scripts of Tcl and Expect: words, [commands], {bodies}. Every
// body in braces is read as a script when its command takes one.
func readTcl(program access.Word, h Host) {
	p := &tcl{source: newSource(program), h: h, vars: map[string]value{}}
	p.script(0)
}

type tcl struct {
	*source
	h     Host
	i     int
	depth int
	vars  map[string]value
}

// tclWord is a word: what it comes to, and the text of its braces.
type tclWord struct {
	v      value
	braced bool
	a, b   int // inside the braces
}

// script reads commands up to the end, or up to the closing sign.
func (p *tcl) script(end byte) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > 60 {
		p.h.Unknown("tcl script nested too deep to read")
		p.i = len(p.s)
		return
	}
	for p.i < len(p.s) {
		for p.i < len(p.s) && strings.IndexByte(" \t\r\n;", p.s[p.i]) >= 0 {
			p.i++
		}
		if p.i >= len(p.s) {
			return
		}
		if end != 0 && p.s[p.i] == end {
			p.i++
			return
		}
		if p.s[p.i] == '#' {
			for p.i < len(p.s) && p.s[p.i] != '\n' {
				p.i++
			}
			continue
		}
		var words []tclWord
		for p.i < len(p.s) && strings.IndexByte("\n;", p.s[p.i]) < 0 && (end == 0 || p.s[p.i] != end) {
			if c := p.s[p.i]; c == ' ' || c == '\t' || c == '\r' {
				p.i++
				continue
			}
			if strings.HasPrefix(p.s[p.i:], "\\\n") {
				p.i += 2
				continue
			}
			words = append(words, p.word(end))
		}
		p.command(words)
	}
}

func (p *tcl) word(end byte) tclWord {
	a := p.i
	switch p.s[p.i] {
	case '{':
		depth := 0
		for ; p.i < len(p.s); p.i++ {
			switch p.s[p.i] {
			case '\\':
				p.i++
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth == 0 {
				break
			}
		}
		b := min(p.i, len(p.s))
		p.i = min(p.i+1, len(p.s))
		return tclWord{v: constant(p.text(a+1, max(a+1, b))), braced: true, a: a + 1, b: max(a+1, b)}
	case '"':
		p.i++
		v := p.parts('"', end)
		p.i = min(p.i+1, len(p.s))
		return tclWord{v: v}
	}
	return tclWord{v: p.parts(0, end)}
}

// parts reads a word with its substitutions.
func (p *tcl) parts(quote, end byte) value {
	v := constant(access.Word{})
	w := builder{p: p.source}
	a := p.i
	flush := func() {
		w.span(a, p.i)
		if t := w.word(); len(t.Segs) > 0 {
			v = v.concat(constant(t))
		}
		w = builder{p: p.source}
	}
	for p.i < len(p.s) {
		c := p.s[p.i]
		if quote != 0 && c == quote || quote == 0 && (strings.IndexByte(" \t\r\n;", c) >= 0 || end != 0 && c == end) {
			break
		}
		switch {
		case c == '\\' && p.i+1 < len(p.s):
			p.i = unescape(&w, p.s, p.i, "n\nt\tr\ra\ab\b")
		case c == '[':
			flush()
			p.i++
			p.script(']')
			v = v.concat(computed)
		case c == '$' && p.i+1 < len(p.s) && (wordByte(p.s[p.i+1]) || p.s[p.i+1] == '{'):
			flush()
			x := p.i + 1
			p.i++
			if p.s[x] == '{' {
				for p.i < len(p.s) && p.s[p.i] != '}' {
					p.i++
				}
				p.i = min(p.i+1, len(p.s))
				v = v.concat(p.lookup(strings.Trim(p.s[x:p.i], "{}")))
				continue
			}
			for p.i < len(p.s) && (wordByte(p.s[p.i]) || strings.HasPrefix(p.s[p.i:], "::")) {
				if p.s[p.i] == ':' {
					p.i++
				}
				p.i++
			}
			name := p.s[x:p.i]
			if p.i < len(p.s) && p.s[p.i] == '(' {
				if e := strings.IndexByte(p.s[p.i:min(len(p.s), p.i+200)], ')'); e >= 0 {
					name += p.s[p.i : p.i+e+1]
					p.i += e + 1
				}
			}
			v = v.concat(p.lookup(name))
		default:
			w.copy(p.i)
			p.i++
		}
	}
	flush()
	return v
}

func (p *tcl) lookup(name string) value {
	switch name {
	case "env(HOME)", "::env(HOME)":
		return constant(home(0, 0))
	case "argv", "argv0":
		return judged
	}
	if v, ok := p.vars[name]; ok {
		return v
	}
	return computed
}

// bodies are the commands whose words in braces are scripts.
var tclBodies = words(`if while for foreach proc catch eval uplevel try switch namespace after time expect expect_before expect_after expect_user
	expect_background interact else elseif on finally trap dict lmap apply with_file oo::class method coroutine exp_continue send_user_ bind trace while`)

func (p *tcl) command(words []tclWord) {
	if len(words) == 0 {
		return
	}
	name, known := words[0].v.lit()
	name = strings.TrimPrefix(name, "::")
	arg := func(i int) value {
		if i < len(words) {
			return words[i].v
		}
		return value{}
	}
	if !known {
		p.h.Unknown("computed command in tcl code")
		return
	}
	if tclBodies[name] {
		if name == "foreach" && len(words) > 3 {
			if n, ok := arg(1).lit(); ok {
				p.vars[n] = p.elements(words[2])
			}
		}
		for i, w := range words[1:] {
			switch {
			case w.braced && ((name == "if" || name == "while") && i == 0 || name == "for" && i == 1 || name == "if" && isWord(words[i].v, "elseif")):
				// a condition: only its commands matter
				q := &tcl{source: newSource(p.text(w.a, w.b)), h: p.h, vars: p.vars, depth: p.depth}
				q.parts(1, 0)
			case w.braced && (name == "foreach" || name == "lmap") && i+2 < len(words):
				// the list
			case w.braced:
				if name == "if" || name == "while" || name == "for" || name == "proc" || i > 0 || len(words) == 2 || name == "expect" || name == "catch" || name == "eval" {
					q := &tcl{source: p.source, h: p.h, vars: p.vars, depth: p.depth}
					q.source = newSource(p.text(w.a, w.b))
					q.script(0)
				}
			case name == "eval" || name == "uplevel" || name == "after" && i > 0:
				for _, f := range w.v.forms {
					q := &tcl{source: newSource(f), h: p.h, vars: p.vars, depth: p.depth + 10}
					q.script(0)
				}
				if w.v.computed {
					p.h.Unknown("computed code in tcl code")
				}
			}
		}
		return
	}
	why := name + " in tcl code"
	open := func(v value, k access.Kind) {
		if v.zero() {
			return
		}
		for i, w := range v.forms { // Tcl expands a leading ~ (before version 9)
			if w.HasPrefix("~") {
				v.forms[i] = bare(w)
			}
		}
		v.open(p.h, k, why, "tcl")
	}
	options := func(from int) int {
		for from < len(words) {
			if s, _ := arg(from).lit(); !strings.HasPrefix(s, "-") {
				break
			}
			from++
		}
		return from
	}
	exec := func(from int) {
		var argv []access.Word
		redirect := ""
		for _, w := range words[min(from, len(words)):] {
			ws := w.v.words()
			if redirect != "" {
				kind := access.Write
				if redirect == "<" {
					kind = access.Read
				}
				open(w.v, kind)
				redirect = ""
				continue
			}
			if s, _ := w.v.lit(); len(argv) > 0 && (strings.HasPrefix(s, "<") || strings.HasPrefix(s, ">") || strings.HasPrefix(s, "2>")) {
				if s == "<" || s == ">" || s == ">>" || s == ">&" || s == "2>" {
					redirect = s
				} else if f := strings.TrimLeft(strings.TrimPrefix(s, "2"), "<>&@"); f != "" && !strings.HasPrefix(s, "<<") && !strings.Contains(s, "@") {
					kind := access.Read
					if s[0] != '<' {
						kind = access.Write
					}
					p.h.File(access.Text(f), kind, why)
				}
				continue
			}
			argv = append(argv, ws[0])
		}
		if len(argv) > 0 {
			p.h.Exec(argv)
		}
	}
	switch name {
	case "set", "variable", "global":
		if n, ok := arg(1).lit(); ok && len(words) > 2 {
			v := arg(2)
			if old, ok := p.vars[n]; ok {
				v = old.or(v)
			}
			p.vars[n] = v
		}
	case "append", "incr", "lappend", "gets", "read", "regexp", "regsub", "scan", "lassign":
		for i := 1; i < len(words); i++ {
			if n, ok := arg(i).lit(); ok {
				if old, ok := p.vars[n]; ok {
					p.vars[n] = old.or(computed)
				}
			}
		}
	case "open":
		if v := arg(1); len(v.forms) > 0 && v.forms[0].HasPrefix("|") {
			for _, w := range v.forms {
				p.h.Shell(w.From(1))
			}
			return
		}
		for _, k := range kindOf(arg(2), len(words) > 2) {
			if s, _ := arg(2).lit(); len(words) > 2 && strings.Contains(s, "RDONLY") {
				k = access.Read
			}
			open(arg(1), k)
		}
	case "source", "load":
		open(arg(options(1)), access.Execute)
	case "cd":
		open(arg(1), access.Read)
	case "glob":
		for _, w := range words[min(options(1), len(words)):] {
			v := w.v
			for i, f := range v.forms {
				v.forms[i] = bare(f)
			}
			open(v, access.Read)
		}
	case "exec":
		exec(options(1))
	case "spawn":
		exec(options(1))
	case "system":
		v := arg(1)
		for _, w := range words[min(2, len(words)):] {
			v = v.concat(constant(access.Text(" "))).concat(w.v)
		}
		v.shell(p.h, "tcl")
	case "log_file":
		if i := options(1); i < len(words) {
			open(arg(i), access.Write)
		}
	case "file":
		sub, _ := arg(1).lit()
		from := options(2)
		switch sub {
		case "join", "dirname", "tail", "extension", "rootname", "split", "normalize", "nativename", "pathtype", "separator", "volumes", "system":
		case "delete", "mkdir", "attributes", "tempfile":
			for i := from; i < len(words); i++ {
				open(arg(i), access.Write)
			}
		case "copy", "rename", "link":
			for i := from; i < len(words); i++ {
				kind := access.Read
				if i == len(words)-1 || sub == "rename" {
					kind = access.Write
				}
				open(arg(i), kind)
			}
		default:
			open(arg(2), access.Read)
		}
	case "puts", "send", "send_user", "send_error", "send_log", "error", "return", "expr", "string", "format", "concat", "list", "lindex", "lrange", "join", "split",
		"exit", "close", "wait", "package", "break", "continue", "llength", "lsort", "info", "upvar", "unset", "clock", "flush", "fconfigure", "chan", "array", "eof":
	default:
		for _, w := range words[1:] {
			for _, f := range w.v.forms {
				if pathLike(f) {
					p.h.File(f, access.Read, "string in tcl code")
				}
			}
		}
	}
}

func isWord(v value, word string) bool {
	s, ok := v.lit()
	return ok && s == word
}

// elements is what a list of constants gives one by one.
func (p *tcl) elements(w tclWord) value {
	s, ok := w.v.lit()
	if !ok {
		return computed
	}
	var out value
	for _, f := range strings.Fields(s) {
		out = out.add(access.Text(f))
	}
	if out.zero() {
		return computed
	}
	return out
}
