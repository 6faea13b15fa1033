package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// transform is ${x@Q} and the other @ operators.
func (e *expander) transform(p *syntax.ParamExp, v *parameter, quoted bool) {
	op := p.Exp.Word.Lit()
	if v.open || v.state == Unknown {
		if op == "P" && v.state == Unknown {
			e.sh.Eval(v.scalar(), start(p), end(p))
		}
		e.unknown(access.Any, quoted, p)
		return
	}
	v.byIFS, v.docIFS = op != "A", false
	switch op {
	case "U", "L":
		v.each(func(w access.Word) access.Word { return recase(e.sh, w, nil, op == "U", true) })
	case "u":
		v.each(func(w access.Word) access.Word { return recase(e.sh, w, nil, true, false) })
	case "Q":
		v.each(known(quote))
	case "E":
		v.each(known(func(s string) string { return ansi(s, false) }))
	case "P":
		v.each(func(w access.Word) access.Word { return e.prompt(w, p) })
	case "a":
		v.each(known(func(string) string { return attributes(&v.raw) }))
		if v.state == Unset && v.raw.State == Set {
			v.words, v.state = []access.Word{access.Text(attributes(&v.raw))}, Set
		}
	case "A":
		e.declaration(v)
	case "K", "k":
		if !v.list {
			v.each(known(quote))
			break
		}
		var out []access.Word
		for i, w := range v.words {
			s, ok := w.Lit()
			if op == "k" {
				out = append(out, access.Text(v.keys[i]), w)
				continue
			}
			if !ok {
				v.open = true
				break
			}
			out = append(out, access.Text(v.keys[i]+" "+doubleQuote(s)))
		}
		v.words = out
		if op == "K" && len(out) > 0 {
			joined := make([]string, len(out))
			for i, w := range out {
				joined[i], _ = w.Lit()
			}
			text := strings.Join(joined, " ")
			if v.raw.Map != nil {
				text += " "
			}
			v.words = []access.Word{access.Text(text)}
		}
	default:
		v.state, v.open = Unknown, v.list
	}
	e.emit(v, quoted, p)
}

// known lifts a function of text to words; unknown ones become anything.
func known(f func(string) string) func(access.Word) access.Word {
	return func(w access.Word) access.Word {
		s, ok := w.Lit()
		if !ok {
			return access.Word{Segs: []access.Segment{anything()}}
		}
		return access.Text(f(s))
	}
}

func attributes(v *Value) string {
	var b strings.Builder
	switch {
	case v.Map != nil:
		b.WriteByte('A')
	case v.List != nil:
		b.WriteByte('a')
	}
	if v.ReadOnly {
		b.WriteByte('r')
	}
	if v.Exported {
		b.WriteByte('x')
	}
	return b.String()
}

// declaration is ${x@A}: the command that would make the variable.
func (e *expander) declaration(v *parameter) {
	if !v.list && !syntax.ValidName(v.name) { // $1 and its like are no variables
		v.words = []access.Word{{}}
		return
	}
	v.name = e.aim(v.name)
	flags := attributes(&v.raw)
	if v.list && (v.raw.List != nil || v.raw.Map != nil) {
		var b strings.Builder
		b.WriteString(v.name + "=(")
		for i, w := range v.words {
			s, ok := w.Lit()
			if !ok {
				v.open = true
				return
			}
			if i > 0 && v.raw.Map == nil {
				b.WriteByte(' ')
			}
			key := v.keys[i]
			if v.raw.Map != nil && strings.ContainsAny(key, " \t\n'\"\\$`;&|()<>*?[]") {
				key = doubleQuote(key)
			}
			b.WriteString("[" + key + "]=" + doubleQuote(s))
			if v.raw.Map != nil {
				b.WriteByte(' ')
			}
		}
		b.WriteByte(')')
		v.words = []access.Word{access.Text("declare"), access.Text("-" + flags), access.Text(b.String())}
		return
	}
	v.each(known(func(s string) string {
		if flags == "" {
			return v.name + "=" + quote(s)
		}
		return "declare -" + flags + " " + v.name + "=" + quote(s)
	}))
}

// prompt is ${x@P}: the text is decoded like PS1 and expanded once more.
func (e *expander) prompt(w access.Word, p *syntax.ParamExp) access.Word {
	s, ok := w.Lit()
	if !ok {
		e.sh.Eval(w, start(p), end(p))
		return access.Word{Segs: []access.Segment{anything()}}
	}
	decoded, ok := e.decodePrompt(s)
	if !strings.ContainsAny(decoded, "$`\\") {
		if !ok {
			return access.Word{Segs: []access.Segment{anything()}}
		}
		return access.Text(decoded)
	}
	inner := e.reparse(decoded, start(p), start(p))
	if inner == nil || e.depth >= maxDepth {
		e.sh.Eval(w, start(p), end(p))
		return access.Word{Segs: []access.Segment{anything()}}
	}
	e.depth++
	out := e.sub(inner, mode{ctx: document, dquote: true}, true)
	e.depth--
	if !ok {
		return access.Word{Segs: []access.Segment{anything()}}
	}
	return out
}

// decodePrompt decodes the escapes of a prompt string. ok is false if it holds one
// whose text isn't known here (the host, the time, …).
func (e *expander) decodePrompt(s string) (string, bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	var b strings.Builder
	ok := true
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a', 'e', 'n', 'r':
			b.WriteByte(map[byte]byte{'a': 7, 'e': 27, 'n': 10, 'r': 13}[c])
		case '\\':
			b.WriteString(`\\`) // it is expanded as in double quotes after this
		case '[', ']':
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, used := number(s[i:], 8, 3)
			b.WriteByte(byte(n))
			i += used - 1
		case 'w', 'W', 'u', 'h', 'H', 'd', 't', 'T', '@', 'A', 'D', 'j', 'l', 's', 'v', 'V', '!', '#', '$':
			ok = false
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), ok
}
