package zshform

import "strings"

// word skips a word and reads the substitutions in it. In zsh a "}" at the end of
// a word that no "{" of the word belongs to is a word of its own: it ends a block.
func (p *parser) word(first bool) {
	start := p.i
	switch {
	case (p.at(0) == '<' || p.at(0) == '>' || p.at(0) == '=') && p.at(1) == '(':
		p.i += 2
		p.list()
		p.take(')')
		p.ran(start)
	case p.rangeLen() > 0:
		p.i += p.rangeLen()
	}
	braces, groups, array := 0, 0, 0 // array: the parenthesis of a=(…)
	group, edits := 0, 0
	for p.step() {
		c := p.at(0)
		switch {
		case p.i >= p.end:
			if groups > 0 {
				p.fail("")
			}
			return
		case c == '(':
			if groups == 0 && p.emptyParens() > 0 && p.i > start && p.s[p.i-1] != '=' {
				return
			}
			if groups == 0 && p.i > start && p.s[p.i-1] == '=' {
				array = 1
			}
			if groups == array && (array == 0 || p.s[p.i-1] != '=') {
				group, edits = p.i, len(p.edits)
			}
			groups++
			p.i++
		case c == ')':
			if groups == 0 {
				return
			}
			groups--
			p.i++
			if groups == array {
				p.starred(group, edits)
			}
		case c == '<' && p.rangeLen() > 0:
			p.i += p.rangeLen()
		case array > 0 && groups > 0 && c == '#' && p.comment():
		case groups == 0 && delimits(c):
			return
		case c == '{':
			braces++
			p.i++
		case c == '}':
			if braces > 0 {
				braces--
			} else if p.i > start && groups == 0 && (delimits(p.at(1)) || p.at(1) == '}') {
				return
			}
			p.i++
		default:
			p.part(false)
		}
	}
}

// part skips a quoted part, a substitution, or one byte.
func (p *parser) part(quoted bool) {
	switch p.at(0) {
	case '\\':
		p.i = min(p.i+2, p.end)
	case '\'':
		if quoted {
			p.i++
			return
		}
		n := strings.IndexByte(p.s[p.i+1:p.end], '\'')
		if n < 0 {
			p.fail("")
			return
		}
		p.i += n + 2
	case '"':
		p.double()
	case '`':
		p.backquotes()
	case '$':
		start, edits := p.i, len(p.edits)
		p.dollar(quoted)
		if p.standIns && p.i == start+1 {
			p.subscripted()
		}
		if p.i > start+1 && p.at(-1) != '\'' && p.refused(start, ": \"", "\"") {
			p.replace(start, edits, unknown)
		}
	default:
		p.i++
	}
}

func (p *parser) double() {
	if !p.enter() {
		return
	}
	defer func() { p.depth-- }()
	for p.i++; p.step(); {
		switch {
		case p.i >= p.end:
			p.fail("")
		case p.at(0) == '"':
			p.i++
			return
		default:
			p.part(true)
		}
	}
}

// backquotes reads the commands in backquotes, unless they hold backslashes: their
// text isn't what the shell sees then.
func (p *parser) backquotes() {
	start := p.i
	defer func() { p.ran(start) }()
	p.i++
	n, escaped := 0, false
	for p.i+n < p.end && p.at(n) != '`' {
		if p.at(n) == '\\' {
			escaped = true
			n++
		}
		n++
	}
	if p.i+n >= p.end {
		p.fail("")
		return
	}
	if escaped {
		p.i += n + 1
		return
	}
	outer := p.end
	p.end = p.i + n
	p.list()
	if p.i < p.end {
		p.fail("")
	}
	p.end = outer
	p.i++
}

// dollar reads what begins with $.
func (p *parser) dollar(quoted bool) {
	switch c := p.at(1); c {
	case '(':
		if p.at(2) == '(' {
			p.i++
			if p.arithmetic() {
				return
			}
			p.i--
		}
		start := p.i
		p.i += 2
		p.list()
		p.take(')')
		p.ran(start)
	case '{':
		p.parameter(quoted)
	case '\'':
		if quoted {
			p.i++
			return
		}
		for p.i += 2; p.i < p.end && p.at(0) != '\''; p.i++ {
			if p.at(0) == '\\' {
				p.i++
			}
		}
		p.i = min(p.i, p.end)
		p.take('\'')
	case '$', '!', '?', '*', '@', '-', '#':
		p.i += 2
	default:
		p.i++
	}
}

// parameter skips ${…}.
func (p *parser) parameter(quoted bool) {
	if !p.enter() {
		return
	}
	defer func() { p.depth-- }()
	braces := 0
	for p.i += 2; p.step(); {
		switch {
		case p.i >= p.end:
			p.fail("")
		case p.at(0) == '{' && !quoted: // in double quotes zsh counts only "${"
			braces++
			p.i++
		case p.at(0) == '}':
			p.i++
			if braces == 0 {
				return
			}
			braces--
		case p.at(0) == '"' && quoted:
			p.double()
		default:
			p.part(quoted)
		}
	}
}

// arithmetic reads ((…)). Like zsh it goes back if the text turns out to be two
// parentheses of commands.
func (p *parser) arithmetic() bool {
	start, edits, spans, docs := p.i, len(p.edits), len(p.spans), p.docs
	if !p.enter() {
		return false
	}
	defer func() { p.depth-- }()
	depth := 0
	for p.i += 2; p.step() && p.i < p.end; {
		switch p.at(0) {
		case '(':
			depth++
			p.i++
		case ')':
			if depth > 0 {
				depth--
				p.i++
			} else if p.at(1) == ')' {
				p.i += 2
				if p.refused(start, "", "") {
					p.replace(start, edits, "(("+unknown+"))")
				}
				return true
			} else {
				goto back
			}
		case '\'':
			p.i++
		default:
			p.part(true)
		}
	}
back:
	if p.depth <= maxDepth && p.steps <= 20*len(p.s)+1000 && p.why == "" {
		p.failed = false
	}
	p.i, p.edits, p.spans, p.docs = start, p.edits[:edits], p.spans[:spans], docs
	return false
}
