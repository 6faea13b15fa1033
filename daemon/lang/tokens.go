package lang

import (
	"strings"

	"extdir/daemon/access"
)

// token is one token of an interpreter's language.
type token struct {
	// kind: 'i' name, 's' string, 'n' number, 'o' operator, '\n' end of a
	// statement, '?' code that is not in the line, '/' pattern, '`' text for a
	// shell, 'e' end of the program.
	kind  byte
	text  string     // of names, numbers and operators
	parts []fragment // of strings and shell texts
	bare  bool       // the string is a pattern that the language expands
	a, b  int        // place in the source
	gap   bool       // a blank stands before it
}

// fragment is a part of a string: text, or an expression put into it.
type fragment struct {
	word access.Word
	code []token
}

// lexer makes tokens. What is special in a language is read by its grammar's
// special function, which is asked first at every token.
type lexer struct {
	*source
	g     *grammar
	i     int
	toks  []token
	open  []byte // brackets that are open
	depth int
	deep  bool // nested deeper than is read
	heres []*heredoc
}

// heredoc is one whose text begins at the next line.
type heredoc struct {
	tok    int
	end    string
	indent bool
}

// lex reads the source from byte at. In an expression inside a string it ends at
// the bracket that is not its own, or at one of the stop characters outside all
// brackets.
func (g *grammar) lex(src *source, at, depth int, stop string) ([]token, int, bool) {
	l := &lexer{source: src, g: g, i: at, depth: depth}
	if depth > maxDepth {
		return nil, len(src.s), true
	}
	inner := depth > 0
	for {
		gap := l.space()
		if l.i >= len(l.s) {
			break
		}
		c := l.s[l.i]
		if inner && len(l.open) == 0 && (c == '}' || strings.IndexByte(stop, c) >= 0 && !strings.HasPrefix(l.s[l.i:], "!=") && !strings.HasPrefix(l.s[l.i:], "::")) {
			break
		}
		n := len(l.toks)
		l.token(c)
		if len(l.toks) > n {
			l.toks[n].gap = gap
		}
	}
	return l.toks, l.i, l.deep
}

func (l *lexer) emit(kind byte, a int, text string) {
	l.toks = append(l.toks, token{kind: kind, a: a, b: l.i, text: text})
}

// space skips blanks and comments.
func (l *lexer) space() bool {
	a := l.i
scan:
	for l.i < len(l.s) {
		switch c := l.s[l.i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			l.i++
			continue
		case c == '\n' && (l.g.semicolons || len(l.open) > 0 && l.open[len(l.open)-1] != '{' || l.g.braceless && len(l.open) > 0):
			if len(l.heres) > 0 {
				l.i++
				l.bodies()
				continue
			}
			l.i++
			continue
		case c == '\\' && strings.HasPrefix(l.s[l.i+1:], "\n"):
			l.i += 2
			continue
		}
		for _, c := range l.g.block {
			if strings.HasPrefix(l.s[l.i:], c[0]) {
				if e := strings.Index(l.s[l.i+len(c[0]):], c[1]); e >= 0 {
					l.i += len(c[0]) + e + len(c[1])
				} else {
					l.i = len(l.s)
				}
				continue scan
			}
		}
		for _, c := range l.g.comment {
			if strings.HasPrefix(l.s[l.i:], c) {
				if e := strings.IndexByte(l.s[l.i:], '\n'); e >= 0 {
					l.i += e
				} else {
					l.i = len(l.s)
				}
				continue scan
			}
		}
		break
	}
	return l.i > a
}

// ops is longest first; what isn't listed is one character.
var ops = []string{
	"===", "!==", "**=", "...", "<=>", "||=", "&&=", "??=", "//=", "%>%", "<<-",
	"==", "!=", "<=", ">=", "=>", "->", "<-", "::", "&&", "||", "??", "?.", "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "^=",
	"**", "++", "--", "=~", "!~", ":=", "..", "&.", "|>", "<<", ">>",
}

func (l *lexer) token(c byte) {
	a := l.i
	if l.g.special != nil && l.g.special(l, c) {
		return
	}
	switch {
	case c == '\n':
		l.i++
		l.emit('\n', a, "\n")
		l.bodies()
	case c == 0:
		l.i++
		if _, ok := l.hole(a); ok {
			l.emit('?', a, "…")
		}
	case c >= '0' && c <= '9':
		for l.i < len(l.s) && (wordByte(l.s[l.i]) || l.s[l.i] == '.' && l.i+1 < len(l.s) && l.s[l.i+1] >= '0' && l.s[l.i+1] <= '9') {
			l.i++
		}
		l.emit('n', a, l.s[a:l.i])
	case wordByte(c):
		for l.i < len(l.s) && (wordByte(l.s[l.i]) || l.g.wordExtra != 0 && l.s[l.i] == l.g.wordExtra) {
			l.i++
		}
		l.emit('i', a, l.s[a:l.i])
	case strings.IndexByte(l.g.quotes, c) >= 0:
		l.i++
		l.str(a, string(c), l.g.style(c))
	case c == '/' && l.g.patterns && l.operand():
		l.pattern()
		l.emit('/', a, "")
	default:
		for _, op := range ops {
			if strings.HasPrefix(l.s[l.i:], op) {
				l.i += len(op)
				l.emit('o', a, op)
				return
			}
		}
		l.i++
		switch c {
		case '(', '[', '{':
			l.open = append(l.open, c)
		case ')', ']', '}':
			if n := len(l.open); n > 0 {
				l.open = l.open[:n-1]
			}
		}
		l.emit('o', a, l.s[a:l.i])
	}
}

// operand tells whether an operand may begin here: what makes / a pattern and %
// or < a quote.
func (l *lexer) operand() bool {
	if len(l.toks) == 0 {
		return true
	}
	t := l.toks[len(l.toks)-1]
	switch t.kind {
	case 'i':
		if strings.IndexByte("$@%", t.text[0]) >= 0 {
			return false
		}
		if l.g.beforeOperand[t.text] {
			return true
		}
		// puts /x/ against a / b
		return l.g.commands && l.i > t.b && l.i+1 < len(l.s) && l.s[l.i+1] != ' ' && l.s[l.i+1] != '='
	case 's', 'n', '/', '`', '?':
		return false
	case 'o':
		return t.text != ")" && t.text != "]" && t.text != "}" && t.text != "++" && t.text != "--"
	}
	return true
}

// pattern skips /…/flags from the slash on.
func (l *lexer) pattern() {
	for l.i++; l.i < len(l.s) && l.s[l.i] != '/' && l.s[l.i] != '\n'; l.i++ {
		switch l.s[l.i] {
		case '\\':
			l.i++
		case '[':
			if e := bracket(l.s, l.i, '/'); e > 0 && l.g.classes {
				l.i = e
			}
		}
	}
	l.i = min(l.i+1, len(l.s))
	for l.i < len(l.s) && wordByte(l.s[l.i]) {
		l.i++
	}
}

// style is how a string is read.
type style struct {
	escapes string // letters of escapes, see unescape; "" means \' and \\ alone
	raw     bool   // no escapes at all, a backslash keeps its quote
	plain   bool   // a backslash is a character like any other
	insert  byte   // what puts expressions in: '{' f-string, '$' ${…}, '#' #{…}, '@' $name and @name, 'p' of PHP
	shell   bool   // the text is run by a shell
	opener  byte   // brackets nest
}

// str reads a string up to its end; the opening is behind. It emits the token.
func (l *lexer) str(a int, end string, st style) {
	parts := l.fragments(end, st)
	kind := byte('s')
	if st.shell {
		kind = '`'
	}
	l.toks = append(l.toks, token{kind: kind, parts: parts, a: a, b: l.i})
}

func (l *lexer) fragments(end string, st style) []fragment {
	var parts []fragment
	w := builder{p: l.source}
	w.span(l.i, l.i)
	from := l.i
	flush := func() {
		w.span(from, l.i)
		if v := w.word(); len(v.Segs) > 0 {
			parts = append(parts, fragment{word: v})
		}
		w = builder{p: l.source}
	}
	code := func(at int, stop string) {
		flush()
		toks, next, deep := l.g.lex(l.source, at, l.depth+1, stop)
		l.deep = l.deep || deep
		l.i = next
		parts = append(parts, fragment{code: toks})
		from = next
	}
	nest := 0
	for l.i < len(l.s) {
		c := l.s[l.i]
		switch {
		case c == '\\' && !st.plain && l.i+1 < len(l.s):
			switch {
			case st.raw:
				w.buf = append(w.buf, c)
				w.copy(l.i + 1)
				l.i += 2
			case st.escapes == "":
				if n := l.s[l.i+1]; n != '\\' && !strings.HasPrefix(end, string(rune(n))) {
					w.buf = append(w.buf, c)
				}
				w.copy(l.i + 1)
				l.i += 2
			default:
				l.i = unescape(&w, l.s, l.i, st.escapes)
			}
			continue
		case nest == 0 && strings.HasPrefix(l.s[l.i:], end):
			flush()
			l.i += len(end)
			return parts
		case st.opener != 0 && c == st.opener:
			nest++
		case st.opener != 0 && c == end[0]:
			nest--
		case st.insert == '{' && (c == '{' || c == '}'):
			if l.i+1 < len(l.s) && l.s[l.i+1] == c {
				w.buf = append(w.buf, c)
				l.i += 2
				continue
			}
			if c == '{' {
				code(l.i+1, "!:")
				// conversion and format stand up to the closing brace
				for l.i < len(l.s) && l.s[l.i] != '}' && l.s[l.i] != '\n' && !strings.HasPrefix(l.s[l.i:], end) {
					l.i++
				}
				if l.i < len(l.s) && l.s[l.i] == '}' {
					l.i++
				}
				from = l.i
				continue
			}
		case st.insert == '$' && strings.HasPrefix(l.s[l.i:], "${"), st.insert == '#' && strings.HasPrefix(l.s[l.i:], "#{"),
			st.insert == 'p' && strings.HasPrefix(l.s[l.i:], "{$"), st.insert == '@' && strings.HasPrefix(l.s[l.i:], "@{["):
			at := l.i + 2
			switch st.insert {
			case 'p':
				at = l.i + 1
			}
			code(at, "")
			if l.i < len(l.s) {
				l.i++
			}
			from = l.i
			continue
		case (st.insert == '@' && (c == '$' || c == '@') || st.insert == 'p' && c == '$') && l.i+1 < len(l.s):
			if e := sigil(l.s, l.i, st.insert == '@'); e > l.i {
				flush()
				at := l.i
				l.i = e
				parts = append(parts, fragment{code: l.variable(at, e)})
				from = e
				continue
			}
		}
		w.copy(l.i)
		l.i++
	}
	flush()
	return parts
}

// sigil finds the end of a variable inside a string of Perl or PHP: $name,
// ${name}, $name[…], $name{…}, $name->[…]; i if there is none.
func sigil(s string, i int, perl bool) int {
	j := i + 1
	switch {
	case s[j] == '{':
		e := strings.IndexByte(s[j:min(len(s), j+200)], '}')
		if e < 0 {
			return i
		}
		j += e + 1
	case wordByte(s[j]) && (s[j] < '0' || s[j] > '9' || perl):
		for j < len(s) && (wordByte(s[j]) || perl && strings.HasPrefix(s[j:], "::") || j > i+1 && perl && s[j] == ':' && s[j-1] == ':') {
			j++
		}
	case perl && s[i] == '$' && strings.IndexByte("&!@$0", s[j]) >= 0:
		return j + 1
	default:
		return i
	}
	for n := 0; j < len(s) && n < 4; n++ {
		at := j
		if strings.HasPrefix(s[j:], "->") {
			j += 2
		}
		var e int
		switch {
		case j < len(s) && s[j] == '[':
			e = strings.IndexByte(s[j:min(len(s), j+200)], ']')
		case j < len(s) && s[j] == '{' && perl:
			e = strings.IndexByte(s[j:min(len(s), j+200)], '}')
		case j < len(s) && j > at && wordByte(s[j]) && !perl:
			e = 0
			for j < len(s) && wordByte(s[j]) {
				j++
			}
			continue
		default:
			return at
		}
		if e < 0 {
			return at
		}
		j += e + 1
	}
	return j
}

// variable is the tokens of a variable inside a string.
func (l *lexer) variable(a, b int) []token {
	toks, _, deep := l.g.lex(newSource(l.text(a, b)), 0, l.depth+1, "")
	l.deep = l.deep || deep
	return toks
}

// bodies reads the here-documents whose text begins here, a line's start.
func (l *lexer) bodies() {
	for _, d := range l.heres {
		a := l.i
		end := len(l.s)
		next := end
		for at := l.i; at <= len(l.s); {
			e := strings.IndexByte(l.s[at:], '\n')
			stop := len(l.s)
			if e >= 0 {
				stop = at + e
			}
			line := strings.TrimRight(l.s[at:stop], "\r;,)")
			if d.indent {
				line = strings.TrimLeft(line, " \t")
			}
			if line == d.end {
				end, next = at, min(stop+1, len(l.s))
				break
			}
			if e < 0 {
				break
			}
			at = stop + 1
		}
		l.toks[d.tok].parts = []fragment{{word: l.source.text(a, end)}}
		l.i = next
	}
	l.heres = nil
}
