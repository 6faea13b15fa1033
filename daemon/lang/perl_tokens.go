package lang

import (
	"strings"
)

const perlEscapes = "n\nt\tr\ra\ab\bf\fe\x1b"

func perlStyle(q byte) style {
	switch q {
	case '\'':
		return style{}
	case '`':
		return style{escapes: perlEscapes, insert: '@', shell: true}
	}
	return style{escapes: perlEscapes, insert: '@'}
}

var closers = map[byte]byte{'(': ')', '[': ']', '{': '}', '<': '>'}

// delimiters reads the opening delimiter of a quote-like operator at i.
func (l *lexer) delimiter(i int) (open byte, end string, at int, ok bool) {
	for i < len(l.s) && (l.s[i] == ' ' || l.s[i] == '\t' || l.s[i] == '\n') {
		i++
	}
	if i >= len(l.s) || l.s[i] == 0 {
		return 0, "", 0, false
	}
	open = l.s[i]
	if c, ok := closers[open]; ok {
		return open, string(rune(c)), i + 1, true
	}
	return 0, l.s[i : i+1], i + 1, true
}

func perlToken(l *lexer, c byte) bool {
	a := l.i
	switch {
	case c == '=' && (a == 0 || l.s[a-1] == '\n') && a+1 < len(l.s) && l.s[a+1] >= 'a' && l.s[a+1] <= 'z':
		if e := strings.Index(l.s[a:], "\n=cut"); e >= 0 {
			l.i = a + e + 5
		} else {
			l.i = len(l.s)
		}
		return true
	case (c == '$' || c == '@' || c == '%' || c == '&') && a+1 < len(l.s):
		return l.perlVariable(c)
	case c == '<' && l.operand() && strings.HasPrefix(l.s[a:], "<<"):
		return l.heredoc(a + 2)
	case c == '<' && l.operand():
		e := strings.IndexByte(l.s[a:min(len(l.s), a+200)], '>')
		if e < 0 || strings.ContainsAny(l.s[a:a+e], "\n;") {
			return false
		}
		l.i = a + e + 1
		in := l.s[a+1 : a+e]
		if strings.ContainsAny(in, "*?/.~ ") {
			l.toks = append(l.toks, token{kind: 'i', text: "glob", a: a, b: l.i}, token{kind: 'o', text: "("},
				token{kind: 's', parts: []fragment{{word: l.text(a+1, a+e)}}, bare: true, a: a, b: l.i}, token{kind: 'o', text: ")"})
		} else {
			l.toks = append(l.toks, token{kind: 'i', text: "readline", a: a, b: l.i}, token{kind: 'o', text: "("}, token{kind: 'o', text: ")"})
		}
		return true
	case c == '-' && a+2 <= len(l.s) && l.operand() && a+1 < len(l.s) && strings.IndexByte("rwxoRWXOezsfdlpSugktTBAMC", l.s[a+1]) >= 0 &&
		(a+2 >= len(l.s) || !wordByte(l.s[a+2]) && !strings.HasPrefix(strings.TrimLeft(l.s[a+2:], " "), "=>")):
		l.i += 2
		l.emit('i', a, "-X")
		return true
	case !wordByte(c) || c >= '0' && c <= '9':
		return false
	}
	j := a
	for j < len(l.s) && wordByte(l.s[j]) {
		j++
	}
	word := l.s[a:j]
	if word == "__END__" || word == "__DATA__" {
		l.i = len(l.s)
		return true
	}
	if n := len(l.toks); n > 0 && l.toks[n-1].kind == 'o' && (l.toks[n-1].text == "->" || l.toks[n-1].text == "{" && j < len(l.s) && l.s[j] == '}') {
		return false
	}
	rest := strings.TrimLeft(l.s[j:], " \t")
	if strings.HasPrefix(rest, "=>") || strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ";") || strings.HasPrefix(rest, "=") && word != "s" && word != "y" || rest == "" || rest[0] == ')' {
		return false
	}
	if j < len(l.s) && (l.s[j] == ' ' && rest[0] == '#' || wordByte(rest[0]) && j < len(l.s) && l.s[j] != ' ') {
		return false
	}
	switch word {
	case "q", "qq", "qw", "qx", "m", "qr", "s", "tr", "y":
	default:
		return false
	}
	open, end, at, ok := l.delimiter(j)
	if !ok || word != "qw" && word != "q" && word != "qq" && word != "qx" && wordByte(end[0]) {
		return false
	}
	l.i = at
	st := style{escapes: perlEscapes, insert: '@', opener: open}
	switch word {
	case "q":
		l.str(a, end, style{opener: open})
	case "qq":
		l.str(a, end, st)
	case "qx":
		st.shell = true
		if end == "'" {
			st.insert = 0
		}
		l.str(a, end, st)
	case "qw":
		l.list(a, end, open)
	default:
		l.skipTo(end, open)
		var parts []fragment
		if word == "s" || word == "tr" || word == "y" {
			if open != 0 {
				if open, end, at, ok = l.delimiter(l.i); ok {
					l.i = at
				}
			}
			x := l.i
			l.skipTo(end, open)
			y := max(x, l.i-1)
			flags := l.i
			for l.i < len(l.s) && wordByte(l.s[l.i]) {
				l.i++
			}
			if word == "s" && strings.Contains(l.s[flags:l.i], "e") {
				toks, _, deep := l.g.lex(newSource(l.text(x, y)), 0, l.depth+1, "")
				l.deep = l.deep || deep
				parts = []fragment{{code: toks}}
			}
		}
		for l.i < len(l.s) && wordByte(l.s[l.i]) {
			l.i++
		}
		l.toks = append(l.toks, token{kind: '/', parts: parts, a: a, b: l.i})
	}
	return true
}

// skipTo moves behind the end of a quoted text.
func (l *lexer) skipTo(end string, open byte) {
	depth := 0
	for l.i < len(l.s) {
		c := l.s[l.i]
		l.i++
		switch {
		case c == '\\' && l.i < len(l.s):
			l.i++
		case open != 0 && c == open:
			depth++
		case c == end[0]:
			if depth--; depth < 0 {
				return
			}
		}
	}
}

// list reads the words of qw or %w as a bracket of strings.
func (l *lexer) list(a int, end string, open byte) {
	from := l.i
	l.skipTo(end, open)
	to := max(from, l.i-1)
	l.toks = append(l.toks, token{kind: 'o', text: "[", a: a, b: from})
	for i := from; i < to; {
		for i < to && strings.IndexByte(" \t\n\r", l.s[i]) >= 0 {
			i++
		}
		x := i
		for i < to && strings.IndexByte(" \t\n\r", l.s[i]) < 0 {
			i++
		}
		if i > x {
			l.toks = append(l.toks, token{kind: 's', parts: []fragment{{word: l.text(x, i)}}, a: x, b: i}, token{kind: 'o', text: ","})
		}
	}
	l.toks = append(l.toks, token{kind: 'o', text: "]", a: l.i, b: l.i})
}

// heredoc reads <<"END", <<END, <<~END; i is behind the <<.
func (l *lexer) heredoc(i int) bool {
	a := l.i
	d := &heredoc{}
	if i < len(l.s) && (l.s[i] == '~' || l.s[i] == '-') {
		d.indent = true
		i++
	}
	if i >= len(l.s) {
		return false
	}
	shell := l.s[i] == '`'
	if q := l.s[i]; q == '"' || q == '\'' || q == '`' {
		e := strings.IndexByte(l.s[i+1:min(len(l.s), i+100)], q)
		if e < 0 {
			return false
		}
		d.end = l.s[i+1 : i+1+e]
		i += e + 2
	} else {
		j := i
		for j < len(l.s) && wordByte(l.s[j]) {
			j++
		}
		if j == i || l.s[i] >= '0' && l.s[i] <= '9' {
			return false
		}
		d.end = l.s[i:j]
		i = j
	}
	l.i = i
	kind := byte('s')
	if shell {
		kind = '`'
	}
	d.tok = len(l.toks)
	l.toks = append(l.toks, token{kind: kind, a: a, b: i})
	l.heres = append(l.heres, d)
	return true
}

// perlVariable reads $name, @name, ${name}, $#name, $_ and the signs.
func (l *lexer) perlVariable(c byte) bool {
	a := l.i
	j := a + 1
	if (c == '%' || c == '&') && !l.operand() {
		return false
	}
	switch n := l.s[j]; {
	case wordByte(n):
		for j < len(l.s) && (wordByte(l.s[j]) || strings.HasPrefix(l.s[j:], "::") || l.s[j] == ':' && l.s[j-1] == ':') {
			j++
		}
		if c == '&' {
			l.i = j
			l.emit('i', a, l.s[a+1:j])
			return true
		}
	case n == '{':
		k := j + 1
		for k < len(l.s) && (wordByte(l.s[k]) || l.s[k] == '^') {
			k++
		}
		if k == j+1 || k >= len(l.s) || l.s[k] != '}' {
			// @{ … }: an operator before a bracket
			l.i++
			l.emit('o', a, "\\")
			return true
		}
		l.i = k + 1
		l.emit('i', a, string(rune(c))+l.s[j+1:k])
		return true
	case n == '$' && j+1 < len(l.s) && (wordByte(l.s[j+1]) || l.s[j+1] == '$' || l.s[j+1] == '{'):
		l.i++
		l.emit('o', a, "\\")
		return true
	case c == '$' && n == '#':
		j++
		for j < len(l.s) && (wordByte(l.s[j]) || l.s[j] == '$' || l.s[j] == '{' || l.s[j] == '}') {
			j++
		}
		l.i = j
		l.emit('n', a, "0")
		return true
	case c == '$' && n == '^' && j+1 < len(l.s):
		j += 2
	case c == '$' && strings.IndexByte("&`'+!@/\\,;.0$<>()[]|-\"~=:?", n) >= 0:
		j++
	default:
		return false
	}
	l.i = j
	l.emit('i', a, l.s[a:j])
	return true
}
