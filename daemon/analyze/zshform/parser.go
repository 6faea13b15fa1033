package zshform

import "strings"

// maxDepth is how deep commands and words may nest; the parser itself stops at
// about 150 substitutions.
const maxDepth = 200

// parser walks over a text once, in the order of zsh's own parser, and notes what
// to write differently. Where "((" turns out to be no arithmetic it goes back, at
// most as often as steps allow.
type parser struct {
	s        string
	i, end   int
	edits    []edit
	docs     []document
	depth    int
	loops    int  // repeat loops around the place
	lists    int  // loops over several items a round so far
	declared bool // a declaration stands before the brace at hand
	anons    int  // functions without a name so far
	steps    int
	standIns bool   // put stand-ins in the place of what the parser refuses
	compared bool   // in a pattern that something is compared with
	spans    []span // the substitutions of commands so far, while there are stand-ins
	failed   bool
	why      string
}

// document is a here-document whose body hasn't come yet.
type document struct {
	end  string
	tabs bool
}

// fail gives up: why is the form in the way, "" if the text isn't understood.
func (p *parser) fail(why string) {
	if !p.failed {
		p.failed, p.why = true, why
	}
}

func (p *parser) put(from, to int, text string) {
	p.edits = append(p.edits, edit{from: from, to: to, text: text})
}

func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.fail("nesting as deep as this")
	}
	return !p.failed
}

// step counts work: a text of n bytes may be looked at a constant number of times.
func (p *parser) step() bool {
	p.steps++
	if p.steps > 20*len(p.s)+1000 {
		p.fail("nesting as deep as this")
	}
	return !p.failed
}

// hold keeps a place for a text to put in here later.
func (p *parser) hold() int {
	p.put(p.i, p.i, "")
	return len(p.edits) - 1
}

// enclose puts the definition of a function in braces if more of a list follows:
// the parser would take that for part of the body.
func (p *parser) enclose(start int) {
	end := p.i
	p.blanks()
	if p.at(0) == '|' || p.has("&&") {
		p.edits[start].text = "{ "
		p.put(end, end, ";}")
	}
	p.i = end
}

// at is the byte n places on, 0 behind the end.
func (p *parser) at(n int) byte {
	if p.i+n < p.end {
		return p.s[p.i+n]
	}
	return 0
}

func (p *parser) has(s string) bool { return strings.HasPrefix(p.s[p.i:p.end], s) }

// delimits tells whether c ends a word.
func delimits(c byte) bool {
	switch c {
	case 0, ' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>':
		return true
	}
	return false
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// reserved tells whether the reserved word w stands here.
func (p *parser) reserved(w string) bool { return p.has(w) && delimits(p.at(len(w))) }

// expect takes a reserved word.
func (p *parser) expect(w string) {
	if !p.reserved(w) {
		p.fail("")
		return
	}
	p.i += len(w)
}

// blanks skips what stands between words.
func (p *parser) blanks() {
	for {
		switch {
		case blank(p.at(0)):
			p.i++
		case p.at(0) == '\\' && p.at(1) == '\n':
			p.i += 2
		default:
			return
		}
	}
}

// comment skips a comment, which begins a word.
func (p *parser) comment() bool {
	if p.at(0) != '#' || p.i > 0 && strings.IndexByte(" \t\n;&|", p.s[p.i-1]) < 0 {
		return false
	}
	for p.i < p.end && p.s[p.i] != '\n' {
		p.i++
	}
	return true
}

// newline takes a newline and the here-documents behind it.
func (p *parser) newline() {
	p.i++
	for _, d := range p.docs {
		for p.i < p.end {
			line, _, found := strings.Cut(p.s[p.i:p.end], "\n")
			p.i += len(line)
			if found {
				p.i++
			}
			if d.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if line == d.end {
				break
			}
		}
	}
	p.docs = nil
}

// gap skips blanks, comments, newlines and semicolons. had tells whether a
// separator went before; further semicolons, which the parser refuses, become
// blanks. It returns whether one has gone before now.
func (p *parser) gap(had bool) bool {
	for p.step() {
		p.blanks()
		switch {
		case p.at(0) == '\n':
			p.newline()
			had = true
		case p.at(0) == ';' && p.at(1) != ';' && p.at(1) != '&' && p.at(1) != '|':
			if had {
				p.put(p.i, p.i+1, " ")
			}
			p.i++
			had = true
		case p.comment():
		default:
			return had
		}
	}
	return had
}

// closers are the reserved words that end a list.
var closers = []string{"then", "elif", "else", "fi", "do", "done", "esac", "end"}

// closed tells whether a list ends here.
func (p *parser) closed() bool {
	switch p.at(0) {
	case 0, ')', ';', '}', '&', '|':
		return true
	case '`':
		return false
	}
	for _, w := range closers {
		if p.reserved(w) {
			return true
		}
	}
	return false
}

// list reads commands up to what ends them, in zsh also the end of a compound
// command that no separator follows. It returns whether a separator (or nothing at
// all) goes before the end.
func (p *parser) list() bool {
	if !p.enter() {
		return true
	}
	defer func() { p.depth-- }()
	sep := true
	for !p.failed {
		from := p.i
		if sep = p.gap(sep); p.closed() || !sep || p.failed {
			if !sep {
				p.i = from
				p.blanks()
			}
			return sep
		}
		p.sublist()
		sep = false
		from = p.i
		p.blanks()
		switch {
		case p.at(0) == '&' && (p.at(1) == '|' || p.at(1) == '!'):
			p.i += 2
			sep = true
		case p.at(0) == '&' && p.at(1) != '&' && p.at(1) != '>':
			p.i++
			sep = true
		default:
			p.i = from
		}
	}
	return sep
}

// sublist reads pipelines joined by && and ||. Like all that read commands it
// stops right behind the last word.
func (p *parser) sublist() {
	for !p.failed {
		p.pipeline()
		end := p.i
		p.blanks()
		if !p.has("&&") && !p.has("||") {
			p.i = end
			return
		}
		p.i += 2
		p.gap(true)
	}
}

// pipeline reads a pipeline and the words in front of it. A coprocess is written as
// a job: what it reads and writes through the pipe is known to neither.
func (p *parser) pipeline() {
	for !p.failed {
		for p.step() {
			p.blanks()
			switch {
			case p.reserved("!"):
				p.i++
				continue
			case p.reserved("time"):
				p.i += len("time")
				end := p.i
				p.blanks()
				if p.closed() || p.at(0) == '\n' {
					p.i = end
					return
				}
				continue
			case p.reserved("coproc"):
				p.put(p.i, p.i+len("coproc"), "{ ")
				p.i += len("coproc")
				defer func() { p.put(p.i, p.i, " &}") }()
				continue
			}
			break
		}
		p.command()
		end := p.i
		p.blanks()
		if p.at(0) != '|' || p.at(1) == '|' {
			p.i = end
			return
		}
		p.i++
		if p.at(0) == '&' {
			p.i++
		}
		p.gap(true)
	}
}

// read is the reader of the compound command that a word begins, nil for others.
func read(word string) func(*parser) {
	switch word {
	case "if":
		return (*parser).ifClause
	case "while", "until":
		return (*parser).whileClause
	case "for", "foreach", "select":
		return (*parser).forClause
	case "repeat":
		return (*parser).repeatClause
	case "case":
		return (*parser).caseClause
	case "[[":
		return (*parser).condition
	}
	return nil
}

// opener is the word that begins a compound command here.
func (p *parser) opener() string {
	n := 0
	for n <= len("function") && !delimits(p.at(n)) {
		n++
	}
	return p.s[p.i : p.i+n]
}

// command reads a command with its redirections.
func (p *parser) command() {
	if !p.enter() {
		return
	}
	defer func() { p.depth-- }()
	begin := p.i
	p.redirections()
	redirected := p.i > begin
	p.blanks()
	start := p.hold()
	switch open := read(p.opener()); {
	case p.at(0) == '{':
		p.block()
		end := p.i
		p.blanks()
		if !p.reserved("always") {
			p.i = end
			break
		}
		p.edits[start].text = "{ "
		p.put(end, p.i+len("always"), "; : "+Always+";")
		p.i += len("always")
		p.blanks()
		if p.at(0) != '{' {
			p.fail("")
			return
		}
		p.block()
		p.put(p.i, p.i, ";}")
	case p.at(0) == '(':
		switch {
		case p.emptyParens() > 0:
			p.anonymous(p.i)
			return
		case p.at(1) == '(' && p.arithmetic():
		default:
			p.i++
			p.list()
			p.take(')')
		}
	case p.reserved("function"):
		if p.function() {
			p.enclose(start)
		}
		return
	case open != nil:
		open(p)
	default:
		if p.simple(redirected) {
			p.enclose(start)
		}
		return
	}
	p.redirections()
}

func (p *parser) take(c byte) {
	if p.at(0) != c || p.i >= p.end {
		p.fail("")
		return
	}
	p.i++
}

// emptyParens is the length of "()" if it stands here.
func (p *parser) emptyParens() int {
	if p.at(0) != '(' {
		return 0
	}
	n := 1
	for blank(p.at(n)) {
		n++
	}
	if p.at(n) != ')' {
		return 0
	}
	return n + 1
}

// block reads { list }.
func (p *parser) block() {
	p.i++
	if c := p.at(0); !blank(c) && c != '\n' && c != '}' {
		p.put(p.i, p.i, " ")
	}
	p.declared = false
	p.list()
	if p.declared { // the parser takes the brace for a word of the declaration
		p.put(p.i, p.i, ";")
		p.declared = false
	}
	if c := p.s[p.i-1]; !blank(c) && c != '\n' && c != ';' && c != '{' {
		p.put(p.i, p.i, " ")
	}
	p.take('}')
}

// redirections reads all that stand here.
func (p *parser) redirections() {
	for end := p.i; !p.failed; end = p.i {
		p.blanks()
		if !p.redirection() {
			p.i = end
			return
		}
	}
}

// simple reads assignments, words and redirections, or the definition of
// functions; it tells if it was one.
func (p *parser) simple(redirected bool) (defined bool) {
	start, words, declares := p.hold(), 0, false
	for p.step() {
		end := p.i
		p.blanks()
		if declares && p.at(0) == '}' && delimits(p.at(1)) {
			p.declared = true
		}
		switch {
		case p.redirection():
			words++
			continue
		case p.emptyParens() > 0 && words > 0:
			n := p.emptyParens()
			if words > 1 {
				p.edits[start].text = "function "
				p.put(p.i, p.i+n, " ")
			}
			p.i += n
			p.gap(true)
			p.functionBody()
			return true
		case p.at(0) == '#' && p.i > end, p.at(0) == '}' && delimits(p.at(1)), p.i >= p.end:
		case delimits(p.at(0)) && p.at(0) != '(' && !p.wordly():
		default:
			at := p.i
			p.word(words == 0)
			declares = declares || words == 0 && declarations[p.s[at:p.i]]
			words++
			continue
		}
		p.i = end
		if words == 0 && !redirected {
			p.fail("")
		}
		return false
	}
	return false
}

// declarations are the builtins whose words are assignments to the parser.
var declarations = map[string]bool{
	"declare": true, "export": true, "float": true, "integer": true, "local": true, "readonly": true, "typeset": true,
}

// wordly tells whether < or > begins a word here: a substitution or a range.
func (p *parser) wordly() bool {
	return (p.at(0) == '<' || p.at(0) == '>') && p.at(1) == '(' || p.rangeLen() > 0
}

// rangeLen is the length of a numeric pattern, <1-9>.
func (p *parser) rangeLen() int {
	if p.at(0) != '<' {
		return 0
	}
	n, dash := 1, false
	for ; ; n++ {
		switch c := p.at(n); {
		case c >= '0' && c <= '9':
		case c == '-' && !dash:
			dash = true
		case c == '>' && dash:
			return n + 1
		default:
			return 0
		}
	}
}

// operators of redirections, the longest first.
var operators = []string{
	"&>>|", "&>>!", ">>&|", ">>&!", "&>>", "&>|", "&>!", ">>&", ">>|", ">>!", ">&|", ">&!", "<<<", "<<-",
	"&>", "<<", "<>", "<&", ">>", ">|", ">!", ">&", "<", ">",
}

// redirection reads one redirection.
func (p *parser) redirection() bool {
	n := 0
	for p.at(n) >= '0' && p.at(n) <= '9' {
		n++
	}
	if p.at(0) == '{' {
		for n = 1; !delimits(p.at(n)) && p.at(n) != '}'; n++ {
		}
		if p.at(n) != '}' || n == 1 {
			return false
		}
		n++
	}
	c := p.at(n)
	if c != '<' && c != '>' && (c != '&' || p.at(n+1) != '>' || n > 0) || n == 0 && p.wordly() {
		return false
	}
	p.i += n
	for _, op := range operators {
		if !p.has(op) {
			continue
		}
		p.i += len(op)
		p.blanks()
		start := p.i
		if delimits(p.at(0)) && p.at(0) != '(' && !p.wordly() {
			p.fail("")
			return true
		}
		p.word(false)
		if op == "<<" || op == "<<-" {
			p.docs = append(p.docs, document{unquoted(p.s[start:p.i]), op == "<<-"})
		}
		return true
	}
	return false
}

// unquoted is the end mark of a here-document.
func unquoted(s string) string {
	return strings.NewReplacer(`\`, "", `'`, "", `"`, "").Replace(strings.TrimPrefix(s, "$"))
}
