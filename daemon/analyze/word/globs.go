package word

import (
	"strings"

	"extdir/daemon/access"
)

// A glob is carried to the gates as it is written, together with what it may stand
// for in the syntax of path rules. Groups become several patterns; a negation
// becomes "*" and what it excludes; what else only one shell has becomes the
// narrowest plain pattern that surely holds it.

// maxGlobs is how many plain patterns one glob may become; beyond it, it stands for
// anything below its directory.
const maxGlobs = 64

// Globs says what a pattern, from its first component on, may stand for.
func Globs(sh Shell, w access.Word) access.Pattern {
	text := asWritten(w)
	in := symbols(w)
	q := qualifier(sh, in)
	in = in[:len(in)-len(q)]
	g := globber{sh: sh, dots: dotted(sh, q)}
	g.deep = sh.Zsh() || sh.Option("globstar")
	g.ksh = !sh.Zsh() || sh.Option("kshglob")
	g.fold = sh.Option("nocaseglob")
	matches, except := []string{""}, []string(nil)
	negated := 0
	for i, c := range slashed(in) {
		one := g.component(c)
		if one.deep {
			return access.NewPattern(text, product(matches, join(i), []string{"**"}), nil)
		}
		negated += min(1, len(one.except))
		// What one component excludes is excluded with whatever stands around it.
		not := product(matches, join(i), one.except)
		if len(except) > 0 {
			not = product(except, join(i), one.matches)
		}
		if negated > 1 || len(one.except) == 0 && len(except) == 0 {
			not = nil
		}
		except = not
		matches = product(matches, join(i), one.matches)
		if len(matches) > maxGlobs || len(except) > maxGlobs {
			return access.NewPattern(text, []string{"**"}, nil)
		}
	}
	for _, m := range matches {
		if strings.Contains("/"+m+"/", "/**/") {
			except = nil
		}
	}
	return access.NewPattern(text, matches, except)
}

// dotted tells whether wildcards match a leading dot.
func dotted(sh Shell, qualifier []symbol) bool {
	return sh.Option("dotglob") || sh.Zsh() && (sh.Option("globdots") || runesIn(qualifier, 'D'))
}

func join(i int) string {
	if i == 0 {
		return ""
	}
	return "/"
}

func product(a []string, sep string, b []string) []string {
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+sep+y)
		}
	}
	return out
}

// asWritten is a pattern as it is written.
func asWritten(w access.Word) string {
	var b strings.Builder
	for _, s := range w.Segs {
		b.WriteString(s.Text)
		if s.Glob != "" {
			b.WriteString(s.Glob.Written())
		}
	}
	return b.String()
}

func runesIn(in []symbol, r rune) bool {
	for _, s := range in {
		if !s.hole && s.r == r {
			return true
		}
	}
	return false
}

// slashed divides a pattern at its slashes. Slashes in a group don't count.
func slashed(in []symbol) [][]symbol {
	var out [][]symbol
	from, depth := 0, 0
	c := compiler{in: in}
	for i, s := range in {
		switch {
		case c.is(i, '('):
			depth++
		case c.is(i, ')') && depth > 0:
			depth--
		case !s.hole && s.r == '/' && depth == 0:
			if i > from {
				out = append(out, in[from:i])
			}
			from = i + 1
		}
	}
	return append(out, in[from:])
}

type globber struct {
	sh   Shell
	ksh  bool // ksh's groups
	dots bool // a wildcard matches a leading dot
	deep bool // ** goes down
	fold bool
}

// plainly is what one component may stand for.
type plainly struct {
	matches, except []string
	deep            bool // and anything below
}

func (g *globber) component(in []symbol) plainly {
	if len(in) == 1 && in[0].glob != "" {
		matches, except := in[0].glob.Says()
		return plainly{matches: matches, except: except}
	}
	c := compiler{in: in}
	var text strings.Builder
	stars, odd := len(in) > 0, false
	for i, s := range in {
		if s.hole && s.glob == "" {
			odd = true
		}
		text.WriteRune(s.r)
		stars = stars && c.is(i, '*')
		if s.r == '/' {
			return plainly{deep: true} // in a group
		}
	}
	if stars && len(in) >= 2 && g.deep {
		return plainly{matches: []string{"**"}}
	}
	p := plainly{}
	if !odd {
		r := globReader{globber: g, compiler: compiler{in: in}}
		list, ok := r.alternatives(0)
		if ok && r.at == len(in) && len(list) <= maxGlobs {
			p.matches = list
			if r.negations == 1 && r.wild == 0 {
				p.except = r.except
			}
		} else {
			odd = true
		}
	}
	if odd {
		p = plainly{matches: []string{"*"}}
		if strings.ContainsRune(text.String(), '.') || runesIn(in, -1) {
			p.matches = append(p.matches, ".*")
		}
	}
	if g.dots {
		for _, m := range p.matches {
			switch {
			case m == "":
			case m[0] == '*':
				p.matches = append(p.matches, "."+m)
			case m[0] == '?':
				p.matches = append(p.matches, "."+m[1:])
			case m[0] == '[':
				p.matches = append(p.matches, ".*")
			}
		}
	}
	return p
}

// globReader writes one component in plain syntax.
type globReader struct {
	*globber
	compiler
	negations int
	wild      int // pattern characters besides a negation
	except    []string
}

const pluses = "?*+@!"

// alternatives reads up to the end, or in a group up to its parenthesis, with the
// | between. It is false for what has no plain form.
func (r *globReader) alternatives(depth int) ([]string, bool) {
	if depth > maxGroups {
		return nil, false
	}
	var all []string
	for {
		list, ok := r.plainSequence(depth)
		if !ok {
			return nil, false
		}
		all = append(all, list...)
		if depth == 0 || r.at >= len(r.in) || !r.is(r.at, '|') {
			return all, len(all) <= maxGlobs
		}
		r.at++
	}
}

func (r *globReader) group(depth int) ([]string, bool) {
	list, ok := r.alternatives(depth + 1)
	if !ok || !r.is(r.at, ')') {
		return nil, false
	}
	r.at++
	return list, true
}

func (r *globReader) plainSequence(depth int) ([]string, bool) {
	zsh := r.sh.Zsh()
	extended := zsh && r.sh.Option("extendedglob")
	out := []string{""}
	add := func(list ...string) bool {
		out = product(out, "", list)
		return len(out) <= maxGlobs
	}
	for r.at < len(r.in) {
		s := r.in[r.at]
		if s.glob != "" {
			matches, except := s.glob.Says()
			r.wild++
			if len(except) > 0 {
				r.wild++
			}
			r.at++
			if !add(matches...) {
				return nil, false
			}
			continue
		}
		if s.quoted {
			r.at++
			add(access.EscapePattern(symbolText(s.r)))
			continue
		}
		if depth > 0 && (s.r == '|' || s.r == ')') {
			return out, true
		}
		switch {
		case r.ksh && r.is(r.at+1, '(') && strings.ContainsRune(pluses, s.r):
			r.at += 2
			before := r.wild
			list, ok := r.group(depth)
			if !ok {
				return nil, false
			}
			inner := r.wild > before
			switch s.r {
			case '@':
			case '?':
				list = append(list, "")
			case '!':
				r.negations++
				if depth > 0 || inner {
					r.wild++
				}
				r.except = product(out, "", list)
				rest, ok := r.rest()
				if !ok {
					r.wild++
				}
				r.except = product(r.except, "", []string{rest})
				list = []string{"*"}
			default: // any number of them
				r.wild++
				list = starred(list, out[0] == "")
			}
			if !add(list...) {
				return nil, false
			}
			continue
		case zsh && s.r == '(':
			if extended && r.is(r.at+1, '#') {
				return nil, false
			}
			r.at++
			list, ok := r.group(depth)
			if !ok {
				return nil, false
			}
			if extended && r.is(r.at, '#') {
				return nil, false
			}
			if !add(list...) {
				return nil, false
			}
			continue
		case zsh && s.r == '<' && r.number() > 0:
			r.wild++
			r.at += r.number()
			add("[0-9]*")
			continue
		case extended && s.r == '^':
			r.negations++
			r.at++
			rest, ok := r.rest()
			if depth > 0 || !ok {
				r.wild++
			}
			r.except = product(out, "", []string{rest})
			if depth > 0 {
				return nil, false
			}
			r.at = len(r.in)
			add("*")
			return out, true
		case extended && s.r == '~' && r.at > 0:
			// What is excluded from the whole path, up to the end.
			if depth > 0 {
				return nil, false
			}
			r.at = len(r.in)
			return out, true
		case extended && s.r == '#':
			return nil, false
		case s.r == '*':
			if r.at == 0 || !r.is(r.at-1, '*') { // ** only says more where it goes down
				r.wild++
				add("*")
			}
		case s.r == '?':
			r.wild++
			add("?")
		case s.r == '[':
			r.wild++
			from := r.at
			if _, ok := r.bracket(); ok {
				add(r.set(from, r.at))
				continue
			}
			add(`\[`)
		default:
			add(r.letter(s.r))
		}
		r.at++
	}
	return out, depth == 0
}

func symbolText(r rune) string {
	if r < 0 { // a byte that is no character
		return string([]byte{byte(-1 - r)})
	}
	return string(r)
}

func (r *globReader) letter(c rune) string {
	if r.fold {
		if lo, up := c|0x20, c&^0x20; c < 0x80 && lo >= 'a' && lo <= 'z' {
			return "[" + string(up) + string(lo) + "]"
		} else if c >= 0x80 {
			return "?"
		}
	}
	return access.EscapePattern(symbolText(c))
}

// rest is what is left of the component, if that is plain text.
func (r *globReader) rest() (string, bool) {
	var b strings.Builder
	for i := r.at; i < len(r.in); i++ {
		s := r.in[i]
		if s.hole || !s.quoted && strings.ContainsRune(`*?[](){}|<>^~#+@!`, s.r) {
			return "", false
		}
		b.WriteString(access.EscapePattern(symbolText(s.r)))
	}
	return b.String(), !r.fold
}

// starred is any number of texts that begin like one of the list.
func starred(list []string, first bool) []string {
	out := []string{"*"}
	for _, s := range list {
		if first && strings.HasPrefix(s, ".") {
			return append(out, ".*")
		}
	}
	return out
}

// number is the length of a range <n-m> at this place.
func (r *globReader) number() int {
	i, dash := r.at+1, false
	for ; i < len(r.in) && !r.in[i].quoted && !r.in[i].hole; i++ {
		switch c := r.in[i].r; {
		case c >= '0' && c <= '9':
		case c == '-' && !dash:
			dash = true
		case c == '>' && dash:
			return i + 1 - r.at
		default:
			return 0
		}
	}
	return 0
}

// set is a bracket expression in plain syntax.
func (r *globReader) set(from, to int) string {
	if r.fold {
		return "?"
	}
	var b strings.Builder
	for _, s := range r.in[from:to] {
		if s.hole || s.quoted && strings.ContainsRune(`!^-[]\`, s.r) || s.r == '\\' || s.r < 0 {
			return "?"
		}
		b.WriteRune(s.r)
	}
	if text := b.String(); !strings.Contains(text[1:], "[") {
		return text
	}
	return "?" // [:classes:], which not all shells read alike
}
