package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (e *expander) literal(l *syntax.Lit, quoted, first bool) {
	s, at := l.Value, start(l)
	if first && !quoted && strings.HasPrefix(s, "~") {
		name, rest, _ := strings.Cut(s[1:], "/")
		if !strings.ContainsAny(name, `\:+-0123456789`) {
			if home, ok := e.sh.Home(name); ok {
				e.text(home, true, at, at+1+len(name))
				s = s[1+len(name):]
				at += 1 + len(name)
				_ = rest
			}
		}
	}
	e.unescape(s, at, end(l), quoted)
}

// unescape appends literal text, backslashes resolved.
func (e *expander) unescape(s string, from, to int, quoted bool) {
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			e.text(s, quoted, from, from+len(s))
			return
		}
		if i > 0 {
			e.text(s[:i], quoted, from, from+i)
		}
		c := s[i+1]
		special := !quoted || c == '$' || c == '`' || c == '\\' || c == '"' && e.ctx != document
		switch {
		case c == '\n':
		case special:
			e.text(s[i+1:i+2], true, from+i, from+i+2)
		default:
			e.text(s[i:i+2], true, from+i, from+i+2)
		}
		s, from = s[i+2:], from+i+2
	}
}
