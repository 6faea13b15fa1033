package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// oldSum expands a literal with $[…], an old way to write $((…)), which is text to the
// parser: from its place i on it is read again. It is false if that can't be done.
func (e *expander) oldSum(l *syntax.Lit, i int, quoted bool) bool {
	s := l.Value
	depth, j := 0, i+1
	for ; j < len(s); j++ {
		if s[j] == '[' {
			depth++
		} else if s[j] == ']' {
			if depth--; depth == 0 {
				break
			}
		}
	}
	if j >= len(s) || strings.ContainsAny(s[i+2:j], "$`\\'\"") {
		return false
	}
	w := e.reparse("$(("+s[i+2:j]+"))", start(l), end(l))
	if w == nil {
		return false
	}
	lit := func(text string) *syntax.Lit {
		p := *l
		p.Value = text
		return &p
	}
	var parts []syntax.WordPart
	if i > 0 {
		parts = append(parts, lit(s[:i]))
	}
	parts = append(parts, w.Parts...)
	if j+1 < len(s) {
		parts = append(parts, lit(s[j+1:]))
	}
	e.parts(parts, quoted, false)
	return true
}
