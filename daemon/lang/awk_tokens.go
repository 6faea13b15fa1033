package lang

import (
	"strings"

	"extdir/daemon/access"
)

// awkOps is longest first.
var awkOps = []string{"**=", "&&", "||", "==", "<=", ">=", "!=", "!~", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", ">>", "|&"}

func (p *awk) next() {
	p.last = p.tok
	for p.i < len(p.s) {
		c := p.s[p.i]
		if c == ' ' || c == '\t' || c == '\r' {
			p.i++
		} else if c == '\\' && p.i+1 < len(p.s) && (p.s[p.i+1] == '\n' || p.s[p.i+1] == '\r') {
			p.i += 2
		} else if c == '#' {
			for p.i < len(p.s) && p.s[p.i] != '\n' {
				p.i++
			}
		} else {
			break
		}
	}
	if p.i >= len(p.s) {
		p.kind, p.tok = 'e', ""
		return
	}
	a := p.i
	c := p.s[p.i]
	switch {
	case c == 0:
		p.i++
		p.kind, p.tok = '?', "…"
		class, hole := p.hole(a)
		p.val = p.unknown(class, a, p.i)
		if hole && class == access.Any && (p.last == "" || !strings.Contains("$ == != < > <= >= + - *", p.last)) {
			// Code that is not in the line. A field number or the right side
			// of a comparison is taken for a value.
			p.h.Unknown("awk code that is not in the line")
		}
	case c == '"':
		p.string()
	case c >= '0' && c <= '9' || c == '.':
		for p.i < len(p.s) && (wordByte(p.s[p.i]) || p.s[p.i] == '.') {
			p.i++
		}
		p.kind, p.tok = 'n', p.s[a:p.i]
	case wordByte(c):
		for p.i < len(p.s) && (wordByte(p.s[p.i]) || p.s[p.i] == ':' && p.i+2 < len(p.s) && p.s[p.i+1] == ':' && wordByte(p.s[p.i+2])) {
			if p.s[p.i] == ':' {
				p.i++
			}
			p.i++
		}
		p.kind, p.tok = 'i', p.s[a:p.i]
	default:
		p.kind = 'o'
		for _, op := range awkOps {
			if strings.HasPrefix(p.s[p.i:], op) {
				p.i += len(op)
				p.tok = op
				return
			}
		}
		p.i++
		p.tok = p.s[a:p.i]
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func (p *awk) string() {
	w := builder{p: p.source}
	a := p.i
	for p.i++; p.i < len(p.s) && p.s[p.i] != '"' && p.s[p.i] != '\n'; {
		if p.s[p.i] == '\\' && p.i+1 < len(p.s) {
			p.i = unescape(&w, p.s, p.i, "n\nt\tr\ra\ab\bf\fv\v")
			continue
		}
		w.copy(p.i)
		p.i++
	}
	p.i = min(p.i+1, len(p.s))
	w.span(a, p.i)
	p.kind, p.tok, p.val = 's', `""`, w.word()
}

// unescape decodes the backslash sequence at i: octal, \xHH, \uHHHH, \u{…}, the
// letters of the table (pairs of letter and character); else the character
// itself. It returns the place behind it.
func unescape(w *builder, s string, i int, table string) int {
	c := s[i+1]
	digits := func(at, most, base int) (n, end int) {
		for end = at; end < len(s) && end-at < most; end++ {
			d := strings.IndexByte("0123456789abcdef", s[end]|0x20)
			if s[end] >= '0' && s[end] <= '9' {
				d = int(s[end] - '0')
			}
			if d < 0 || d >= base {
				break
			}
			n = n*base + d
		}
		return n, end
	}
	switch {
	case c >= '0' && c <= '7':
		n, end := digits(i+1, 3, 8)
		w.buf = append(w.buf, byte(n))
		return end
	case c == 'x':
		if i+2 < len(s) && s[i+2] == '{' {
			n, end := digits(i+3, 6, 16)
			w.add(string(rune(n)))
			if end < len(s) && s[end] == '}' {
				end++
			}
			return end
		}
		n, end := digits(i+2, 2, 16)
		if end == i+2 {
			break
		}
		w.buf = append(w.buf, byte(n))
		return end
	case c == 'u' || c == 'U':
		at, most := i+2, 4
		if c == 'U' {
			most = 8
		}
		brace := at < len(s) && s[at] == '{'
		if brace {
			at, most = at+1, 6
		}
		n, end := digits(at, most, 16)
		if end == at {
			break
		}
		w.add(string(rune(n)))
		if brace && end < len(s) && s[end] == '}' {
			end++
		}
		return end
	case c == '\n':
		return i + 2
	}
	for k := 0; k+1 < len(table); k += 2 {
		if table[k] == c {
			w.buf = append(w.buf, table[k+1])
			return i + 2
		}
	}
	if c == 0 {
		w.copy(i + 1)
	} else {
		w.buf = append(w.buf, c)
	}
	return i + 2
}
