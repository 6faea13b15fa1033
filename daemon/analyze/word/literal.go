package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// literal appends literal text. first: it begins the word, so a tilde may too.
func (e *expander) literal(l *syntax.Lit, quoted, first, last bool) {
	s, at := l.Value, start(l)
	if !quoted && e.ctx != document && strings.IndexByte(s, '~') >= 0 {
		e.tildes(s, at, end(l), first, last)
		return
	}
	e.unescape(s, at, end(l), quoted)
}

// unescape appends literal text, backslashes resolved. Inside double quotes and
// here-documents only some characters can be escaped.
func (e *expander) unescape(s string, from, to int, quoted bool) {
	exact := to-from == len(s)
	span := func(i, j int) (int, int) { // of s[i:j]
		if exact {
			return from + i, from + j
		}
		return from, to
	}
	done := 0
	flush := func(i int) {
		if i > done {
			a, b := span(done, i)
			e.text(s[done:i], quoted, a, b)
		}
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		c := s[i+1]
		if quoted && c != '$' && c != '`' && c != '\\' && c != '\n' &&
			(c != '"' || e.ctx == document && !e.dquote) && (c != '}' || !e.inBraces) {
			i++ // the backslash is plain text
			continue
		}
		flush(i)
		if c != '\n' {
			n := 2 // a character may have several bytes
			for i+n < len(s) && s[i+n]&0xc0 == 0x80 {
				n++
			}
			a, b := span(i, i+n)
			e.quotedText(s[i+1:i+n], a, b)
			i += n - 2
		}
		i++
		done = i + 1
	}
	flush(len(s))
}
