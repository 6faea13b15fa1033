package zshform

import (
	"regexp"
	"strings"

	"extdir/daemon/analyze/guard"
)

// zsh has patterns, subscripts, conditions and arithmetic that the parser refuses.
// What they come to depends on values that are rarely known, so a value that nobody
// can know stands in for them: analysis then follows both ways of a condition and
// asks where the value is a path. This is done only in a text that can't be parsed
// otherwise, only to parts that run no command and set no variable, and never to a
// name that a file test looks at.
const (
	unknown = "${(%)__unknown}" // a prompt expansion: analysis takes it for anything
	always  = "-n"
)

// idle tells whether a part only reads values: it holds no substitution of
// commands, assigns nothing, and doesn't evaluate text (the flag e).
func idle(s string) bool {
	for _, op := range [...]string{"==", "!=", "<=", ">="} {
		s = strings.ReplaceAll(s, op, "")
	}
	for _, bad := range [...]string{"$(", "`", "<(", ">(", "=(", "=", "++"} {
		if strings.Contains(s, bad) {
			return false
		}
	}
	return !(strings.HasPrefix(s, "((") && strings.Contains(s, "--")) && !evaluates.MatchString(s)
}

// evaluates is the flag of ${(e)x}.
var evaluates = regexp.MustCompile(`\$\{[^}]*\([^)]*e`)

// refused tells whether the parser refuses a text of the part from start to here,
// given as a whole command, and a stand-in may be put in its place.
func (p *parser) refused(start int, before, after string) bool {
	if !p.standIns || p.failed {
		return false
	}
	part := p.s[start:p.i]
	p.steps += len(part)
	if !idle(part) {
		return false
	}
	_, err := guard.Parse(before+part+after, true, nil)
	return err != nil
}

// replace puts a text in the place of the part from start to here, whatever was
// to be put into it.
func (p *parser) replace(start, edits int, text string) {
	p.edits = p.edits[:edits]
	p.put(start, p.i, text)
}

// subscripted takes $name[…], which is a parameter and its subscript in zsh.
func (p *parser) subscripted() {
	for strings.IndexByte("+#^=~", p.at(0)) >= 0 && p.at(0) != 0 {
		p.i++
	}
	for name(p.at(0)) {
		p.i++
	}
	for p.at(0) == '[' && p.s[p.i-1] != '$' {
		depth := 0
		for n := 0; ; n++ {
			switch c := p.at(n); c {
			case '[':
				depth++
			case ']':
				depth--
			case 0, '\n', '"', '\'', '`', '\\':
				return
			}
			p.steps++
			if depth == 0 {
				p.i += n + 1
				break
			}
		}
	}
}

// starred widens groups inside groups, ((a|b)|c), to "*": the same folder, at least
// the same names. It must not be done where more names mean another answer.
func (p *parser) starred(start, edits int) {
	group := p.s[start:p.i]
	if !p.standIns || p.compared || strings.Count(group, "(") < 2 || strings.Trim(group, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+,|()*?~^#") != "" {
		return
	}
	star := "*"
	if p.at(0) == '*' || p.s[start-1] == '*' {
		star = ""
	}
	p.replace(start, edits, star)
}

// conditions of zsh's modules, which the parser doesn't know: completion has some.
func moduleTest(w string) bool {
	switch w {
	case "-prefix", "-suffix", "-after", "-between", "-pcre-match":
		return true
	}
	return false
}
