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

// qualifier is zsh's (…) at the end of a glob: with BARE_GLOB_QUAL a group without
// | and ( (nor ~ where that is special), or one that begins with #q.
func qualifier(sh Shell, in []symbol) []symbol {
	n := len(in)
	if !sh.Zsh() || n < 2 || in[n-1].quoted || in[n-1].hole || in[n-1].r != ')' {
		return nil
	}
	c := compiler{in: in}
	depth := 0
	open := -1
	for i := n - 1; i >= 0 && open < 0; i-- {
		switch {
		case c.is(i, ')'):
			depth++
		case c.is(i, '('):
			if depth--; depth == 0 {
				open = i
			}
		}
	}
	if open < 0 {
		return nil
	}
	ext := sh.Option("extendedglob")
	if ext && c.is(open+1, '#') && c.is(open+2, 'q') {
		return in[open:]
	}
	if ext && c.is(open+1, '#') {
		return nil
	}
	for i := open + 1; i < n-1; i++ {
		if c.is(i, '|') || c.is(i, '(') || ext && c.is(i, '~') {
			return nil
		}
	}
	return in[open:]
}

// Renames tells what becomes of the names that a glob of zsh matches. Most
// qualifiers only choose and sort.
type Renames uint8

const (
	Keeps   Renames = iota
	Tails           // the last component of each, or a part of it
	Changes         // any other word
)

// Qualified tells what the qualifiers of a glob do to its names.
func Qualified(sh Shell, w access.Word) Renames {
	if !sh.Zsh() {
		return Keeps
	}
	q := qualifier(sh, symbols(w))
	if len(q) == 0 {
		return Keeps
	}
	var b strings.Builder
	for _, s := range q[1 : len(q)-1] {
		if s.hole {
			return Changes
		}
		b.WriteRune(s.r)
	}
	s := strings.TrimPrefix(b.String(), "#q")
	for s != "" {
		c := s[0]
		s = s[1:]
		switch {
		case strings.IndexByte("/F.@=p*%rwxAIERWXsStUGNDMTnY,^-b0123456789", c) >= 0 && c != 'Y':
		case c == 'o' || c == 'O':
			if s == "" || strings.IndexByte("nLlamcdN", s[0]) < 0 { // oe and o+ run commands
				return Changes
			}
			s = s[1:]
		case strings.IndexByte("LamcldY", c) >= 0: // a number, + or -, and a unit before it
			s = strings.TrimLeft(s, "kKmMpPgGtTwhMds+-0123456789")
		case c == '[':
			n := strings.IndexByte(s, ']')
			if n < 0 {
				return Changes
			}
			s = s[n+1:]
		case (c == 'u' || c == 'g' || c == 'f') && s != "":
			if strings.IndexByte("0123456789=+-?", s[0]) >= 0 {
				s = strings.TrimLeft(s, "0123456789=+-?")
				break
			}
			end := strings.IndexByte(s[1:], closer(s[0]))
			if end < 0 {
				return Changes
			}
			s = s[end+2:]
		case c == ':':
			return modifies(s)
		default:
			return Changes
		}
	}
	return Keeps
}

func closer(open byte) byte {
	if i := strings.IndexByte("([{<", open); i >= 0 {
		return ")]}>"[i]
	}
	return open
}

func modifies(s string) Renames {
	out := Keeps
	for m := range strings.SplitSeq(s, ":") {
		switch m {
		case "a", "q": // the same file
		case "t":
			out = Tails
		default:
			return Changes
		}
	}
	return out
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

// mark finds what makes the text of a field a pattern besides * ? […].
func (e *expander) mark(w *access.Word) {
	zsh := e.sh.Zsh()
	for i := range w.Segs {
		s := w.Segs[i]
		if s.Class != access.Known || s.Quoted {
			continue
		}
		at := -1
		if s.Special {
			at = 0
		} else if zsh {
			at = e.zshSpecial(w.Segs, i)
		} else if strings.ContainsAny(s.Text, pluses) && e.sh.Option("extglob") {
			at = kshSpecial(w.Segs, i)
		}
		if at < 0 {
			continue
		}
		segs := append([]access.Segment(nil), w.Segs[:i]...)
		if at > 0 {
			head := s
			head.Text = s.Text[:at]
			if s.End-s.Start == len(s.Text) {
				head.End = s.Start + at
				s.Start = head.End
			}
			s.Text = s.Text[at:]
			segs = append(segs, head)
		}
		s.Special = true
		segs = append(segs, s)
		for _, t := range w.Segs[i+1:] {
			t.Special = t.Class == access.Known && !t.Quoted
			segs = append(segs, t)
		}
		w.Segs = segs
		return
	}
}

func kshSpecial(segs []access.Segment, i int) int {
	s := segs[i].Text
	for k := range len(s) {
		if strings.IndexByte(pluses, s[k]) < 0 {
			continue
		}
		if k+1 < len(s) && s[k+1] == '(' || k+1 == len(s) && i+1 < len(segs) && !segs[i+1].Quoted && strings.HasPrefix(segs[i+1].Text, "(") {
			return k
		}
	}
	return -1
}

// zshSpecial: haswilds of zsh 5.9 (Src/pattern.c). A ~ alone makes no pattern.
func (e *expander) zshSpecial(segs []access.Segment, i int) int {
	s := segs[i].Text
	k := strings.IndexAny(s, "(|")
	if e.sh.Option("shglob") {
		k = -1
	}
	if strings.ContainsAny(s, "^#") && e.sh.Option("extendedglob") {
		if n := strings.IndexAny(s, "^#"); k < 0 || n < k {
			k = n
		}
	}
	for n := range len(s) {
		if s[n] != '<' || k >= 0 && k < n {
			continue
		}
		r := globReader{compiler: compiler{in: symbols(access.Word{Segs: []access.Segment{{Text: s[n:]}}})}}
		if r.number() > 0 {
			k = n
		}
	}
	return k
}

// A Component is what a pattern says between two slashes.
type Component struct {
	in    []symbol
	segs  []access.Segment
	Deep  bool // any number of folders
	Links bool // through links as well
	Dots  bool // it matches names that begin with a dot
	nodes []node
}

// Components takes a pattern apart. ok is false where it goes over slashes in a way
// that can't be taken apart.
func Components(sh Shell, w access.Word) (out []Component, ok bool) {
	in := symbols(w)
	q := qualifier(sh, in)
	in = in[:len(in)-len(q)]
	dots := dotted(sh, q)
	segs := spell(in)
	list := slashed(in)
	for i, part := range list {
		if len(part) == 0 || len(part) == 1 && !part[0].hole && part[0].r == '.' {
			continue
		}
		c := Component{in: part, Dots: dots, segs: segs[i]}
		stars := 0
		for k, s := range part {
			if !s.hole && s.r == '/' {
				return nil, false
			}
			if (&compiler{in: part}).is(k, '*') {
				stars++
			}
		}
		if stars == len(part) && stars > 1 {
			c.Deep = sh.Zsh() && i < len(list)-1 || !sh.Zsh() && stars == 2 && sh.Option("globstar")
			c.Links = sh.Zsh() && stars == 3
		}
		out = append(out, c)
	}
	return out, true
}

// spell writes the components of a pattern as segments.
func spell(in []symbol) [][]access.Segment {
	var out [][]access.Segment
	for _, part := range slashed(in) {
		var segs []access.Segment
		c := compiler{in: part}
		special := false
		for i, s := range part {
			special = special || !s.hole && !s.quoted && (strings.ContainsRune("(|<^#", s.r) || strings.ContainsRune(pluses, s.r) && c.is(i+1, '('))
		}
		for _, s := range part {
			if s.hole {
				segs = append(segs, access.Segment{Class: access.Name, Glob: s.glob})
				continue
			}
			n := len(segs)
			if n > 0 && segs[n-1].Class == access.Known && segs[n-1].Quoted == s.quoted {
				segs[n-1].Text += symbolText(s.r)
				continue
			}
			segs = append(segs, access.Segment{Text: symbolText(s.r), Quoted: s.quoted, Special: !s.quoted && special})
		}
		out = append(out, segs)
	}
	return out
}

// Rest is a pattern of components again.
func Rest(parts []Component) access.Word {
	var w access.Word
	for i, c := range parts {
		if i > 0 {
			w.Segs = append(w.Segs, access.Segment{Text: "/", Quoted: true})
		}
		w.Segs = append(w.Segs, c.segs...)
	}
	return w
}

// Plain is the text of a component without pattern characters.
func (c Component) Plain() (string, bool) {
	var b strings.Builder
	for _, s := range c.in {
		if s.hole || !s.quoted && strings.ContainsRune(`*?[(|<^#`, s.r) {
			return "", false
		}
		b.WriteString(symbolText(s.r))
	}
	return b.String(), true
}

// May tells whether a name may match.
func (c *Component) May(sh Shell, name string) bool {
	if strings.HasPrefix(name, ".") && !c.Dots {
		if s := c.in[0]; !s.hole && s.r != '.' && (s.quoted || !strings.ContainsRune("?*+@!([", s.r)) || s.r == '*' || s.r == '?' {
			return false
		}
	}
	if c.nodes == nil {
		c.nodes = compileSymbols(sh, c.in, true, true)
	}
	text := access.Text(name)
	m := matcher{text: cells(text), fold: sh.Option("nocaseglob"), spend: sh.Spend}
	s := m.from(c.nodes, 0)
	return s.may[m.end()]
}

// MayBeNone tells whether a glob without a match becomes no word: zsh's (N).
func MayBeNone(sh Shell, w access.Word) bool { return runesIn(qualifier(sh, symbols(w)), 'N') }

// OneOf is the word for any one name that a glob matches: what stands before its
// first component with a pattern stays as it is. inside: it lies below a root.
func OneOf(sh Shell, w access.Word, inside bool) access.Word {
	var dir, tail access.Word
	at, active := 0, false
	for i, s := range w.Segs {
		if s.Class == access.Known && (s.Quoted || !s.Special && !strings.ContainsAny(s.Text, "*?[")) {
			continue
		}
		active = true
		at = i
		break
	}
	if !active {
		return w
	}
	// Go back to the slash before it.
	text := 0
	for _, s := range w.Segs[:at] {
		text += len(s.Text)
	}
	if s := w.Segs[at]; !s.Special {
		text += strings.IndexAny(s.Text, "*?[")
	}
	all, _ := w.Lit()
	cut := strings.LastIndexByte(all[:text], '/') + 1
	dir, tail = access.Text(all[:cut]), w.From(cut)
	out := access.Word{Segs: dir.Segs, Start: w.Start, End: w.End}
	parts, ok := Components(sh, tail)
	deep := !ok
	for _, c := range parts {
		deep = deep || c.Deep
	}
	name := func(p access.Pattern, class access.Class) {
		out.Segs = append(out.Segs, access.Segment{
			Class: class, Glob: p, From: "the name that " + all + " matches", Quoted: true, Start: w.Start, End: w.End,
		})
	}
	if deep {
		class := access.Any
		if inside || cut > 0 {
			class = access.Inside
		}
		name(Globs(sh, tail), class)
		return out
	}
	for i, c := range parts {
		if i > 0 {
			out.Segs = append(out.Segs, access.Segment{Text: "/", Quoted: true, Start: w.Start, End: w.End})
		}
		if text, ok := c.Plain(); ok {
			out.Segs = append(out.Segs, access.Segment{Text: text, Quoted: true, Start: w.Start, End: w.End})
			continue
		}
		comp := access.Word{Segs: c.segs}
		if i == len(parts)-1 {
			comp = lastComponent(sh, tail, comp)
		}
		name(Globs(sh, comp), access.Name)
	}
	if strings.HasSuffix(all, "/") {
		out.Segs = append(out.Segs, access.Segment{Text: "/", Quoted: true, Start: w.Start, End: w.End})
	}
	return out
}

// lastComponent is the last component with the qualifiers behind it.
func lastComponent(sh Shell, tail, c access.Word) access.Word {
	q := qualifier(sh, symbols(tail))
	if len(q) == 0 {
		return c
	}
	return c.Concat(access.Word{Segs: spell(q)[0]})
}

// unfold parts the literal end from the name that a glob like *.txt matched, so
// that it can be cut off. A leading dot must be written out, so what is left is a
// name still.
func unfold(w access.Word) access.Word {
	for i, s := range w.Segs {
		if s.Glob == "" || s.Class != access.Name {
			continue
		}
		list, except := s.Glob.Says()
		if len(list) != 1 || len(except) > 0 || list[0] != s.Glob.Written() {
			continue
		}
		m := list[0]
		n := strings.LastIndexAny(m, `*?[]\`) + 1
		if n == 0 || n == len(m) || m[0] == '.' || m[n] != '.' && strings.IndexByte(`*?[`, m[0]) >= 0 {
			continue
		}
		segs := append([]access.Segment(nil), w.Segs[:i]...)
		tail := s
		s.Glob = access.NewPattern(m[:n], []string{m[:n]}, nil)
		tail.Class, tail.Glob, tail.Text, tail.From = access.Known, "", m[n:], ""
		w.Segs = append(append(segs, s, tail), w.Segs[i+1:]...)
	}
	return w
}

// CutTail takes a text off the end of a word, as basename does. ok is false where
// it can't be told whether it ends so.
func CutTail(w access.Word, text string) (out access.Word, ok bool) {
	w = unfold(w)
	n := len(w.Segs)
	if n == 0 || w.Segs[n-1].Class != access.Known || len(w.Segs[n-1].Text) < len(text) {
		return w, false
	}
	last := w.Segs[n-1]
	if !strings.HasSuffix(last.Text, text) {
		return w, true
	}
	w.Segs = append([]access.Segment(nil), w.Segs[:n-1]...)
	if last.Text = strings.TrimSuffix(last.Text, text); last.Text != "" {
		w.Segs = append(w.Segs, last)
	}
	return w, true
}
