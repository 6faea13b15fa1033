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
// otherwise, only to parts that set no variable, and never to a name that a file test
// looks at; the commands in such a part stay.
const (
	unknown = "${(%)__unknown}" // a prompt expansion: analysis takes it for anything
	always  = "-n"
)

// idle tells whether a part only reads values: it holds no substitution of
// commands, assigns nothing, and doesn't evaluate text.
func idle(s string) bool {
	if strings.Contains(s, "mapfile") { // zsh/mapfile: its elements are files
		return false
	}
	arithmetic := strings.HasPrefix(s, "((")
	if arithmetic {
		for _, op := range [...]string{"==", "!=", "<=", ">="} {
			s = strings.ReplaceAll(s, op, "")
		}
	}
	for _, bad := range [...]string{"$(", "`", "<(", ">(", "=(", "++"} {
		if strings.Contains(s, bad) {
			return false
		}
	}
	assigns := strings.Contains(s, "=") && (arithmetic || strings.Contains(s, "$"))
	return !assigns && !(arithmetic && strings.Contains(s, "--")) && !evaluates.MatchString(s)
}

// evaluates is the flag of ${(e)x}.
var evaluates = regexp.MustCompile(`\$\{[^}]*\([^)]*e`)

// refused tells whether the parser refuses a text of the part from start to here,
// given as a whole command, and a stand-in may be put in its place.
func (p *parser) refused(start int, before, after string) bool {
	if !p.standIns || p.failed {
		return false
	}
	p.steps += p.i - start
	_, err := guard.Parse(before+p.s[start:p.i]+after, true, nil)
	if err == nil {
		return false
	}
	rest, at := "", start
	for _, c := range p.commands(start) {
		rest += p.s[at:c.from] + "_"
		at = c.to
	}
	return idle(rest + p.s[at:p.i])
}

// A span is a substitution of commands.
type span struct{ from, to int }

// commands are the substitutions between start and here that lie in no other.
func (p *parser) commands(start int) []span {
	n := len(p.spans)
	for n > 0 && p.spans[n-1].from >= start {
		n--
	}
	return p.spans[n:]
}

// ran notes the substitution that ends here, instead of those inside it.
func (p *parser) ran(start int) {
	p.spans = append(p.spans[:len(p.spans)-len(p.commands(start))], span{start, p.i})
}

// replace puts a text in the place of the part from start to here. If the text is
// the stand-in, the commands of the part are kept in it: they still run.
func (p *parser) replace(start, edits int, text string) {
	before, after, found := strings.Cut(text, unknown)
	if !found || len(p.commands(start)) == 0 {
		p.edits = p.edits[:edits]
		p.put(start, p.i, text)
		return
	}
	kept := append([]edit(nil), p.edits[edits:]...)
	p.edits = p.edits[:edits]
	before += strings.TrimSuffix(unknown, "}") + ":-"
	for _, c := range p.commands(start) {
		p.put(start, c.from, before)
		for _, e := range kept {
			if e.from >= c.from && e.to <= c.to {
				p.edits = append(p.edits, e)
			}
		}
		before, start = "", c.to
	}
	p.put(start, p.i, "}"+after)
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
