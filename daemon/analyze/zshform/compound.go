package zshform

import (
	"strconv"
	"strings"
)

// opening is a word put in front of a body: separated from what stands before.
func opening(word string, sep bool) string {
	if sep {
		return word + " "
	}
	return ";" + word + " "
}

// closing is a word put behind a list.
func closing(word string, sep bool) string {
	if sep {
		return " " + word
	}
	return ";" + word
}

// body reads the body of a loop: do … done, { … }, of foreach … end, or a single
// sublist. sep tells whether a separator goes before, first is what each round
// begins with.
func (p *parser) body(sep, foreach bool, first string) {
	switch {
	case p.reserved("do"):
		p.i += len("do")
		if first != "" {
			p.put(p.i, p.i, " "+first)
		}
		p.list()
		p.expect("done")
	case p.at(0) == '{':
		p.put(p.i, p.i+1, opening("do", sep)+first)
		p.i++
		end := p.list()
		p.put(p.i, p.i+1, closing("done", end))
		p.take('}')
	case foreach:
		p.put(p.i, p.i, opening("do", sep)+first)
		end := p.list()
		p.put(p.i, p.i+len("end"), closing("done", end))
		p.expect("end")
	default:
		p.put(p.i, p.i, opening("do", sep)+first)
		p.single("done")
	}
}

// single reads a sublist, or nothing, that the closing word has to follow.
func (p *parser) single(word string) {
	if p.closed() {
		p.put(p.i, p.i, word)
		return
	}
	p.sublist()
	p.put(p.i, p.i, ";"+word)
}

func (p *parser) whileClause() {
	p.i += len("while")
	p.body(p.list(), false, "")
}

func (p *parser) ifClause() {
	p.i += len("if")
	for !p.failed {
		sep := p.list()
		braces := false
		switch {
		case p.reserved("then"):
			p.i += len("then")
			p.list()
			if p.reserved("fi") {
				p.i += len("fi")
				return
			}
		case p.at(0) == '{':
			braces = true
			p.put(p.i, p.i+1, opening("then", sep))
			p.i++
			sep = p.list()
			brace := p.i
			p.take('}')
			end := p.i
			p.blanks()
			if !p.reserved("elif") && !p.reserved("else") {
				p.put(brace, brace+1, closing("fi", sep))
				p.i = end
				return
			}
			p.put(brace, brace+1, closing("", sep))
		default:
			p.put(p.i, p.i, opening("then", sep))
			p.single("fi")
			return
		}
		switch {
		case p.reserved("elif"):
			p.i += len("elif")
			continue
		case p.reserved("else"):
			p.i += len("else")
			p.gap(true)
			if braces && p.at(0) == '{' {
				p.put(p.i, p.i+1, " ")
				p.i++
				sep = p.list()
				p.put(p.i, p.i+1, closing("fi", sep))
				p.take('}')
				return
			}
			p.list()
			p.expect("fi")
			return
		}
		p.fail("")
	}
}

// forClause reads for, foreach and select.
func (p *parser) forClause() {
	word := p.opener()
	start := p.i
	p.i += len(word)
	p.blanks()
	foreach := word == "foreach"
	if word != "select" && p.has("((") {
		p.loopWord(start, foreach)
		if !p.arithmetic() {
			p.fail("")
			return
		}
		sep := p.gap(false)
		p.body(sep || !p.reserved("do"), foreach, "")
		return
	}
	var names []string
	for !p.failed {
		n := 0
		for name(p.at(n)) {
			n++
		}
		if n == 0 || !delimits(p.at(n)) || names != nil && (word == "select" || p.reserved("in") || p.reserved("do")) {
			break
		}
		names = append(names, p.s[p.i:p.i+n])
		p.i += n
		p.blanks()
	}
	switch len(names) {
	case 0:
		p.fail("")
		return
	case 1:
		p.loopWord(start, foreach)
	default:
		p.severalNames(start, names, foreach)
		return
	}
	newline := p.lines()
	sep := newline
	switch {
	case p.reserved("in"):
		p.i += len("in")
		p.items()
		sep = false
	case p.at(0) == '(' && !newline:
		in := "in "
		if !blank(p.s[p.i-1]) {
			in = " in "
		}
		p.parenItems(p.i, in, ";")
		sep = true
	}
	sep = p.gap(sep)
	if !sep && p.reserved("do") {
		p.put(p.i, p.i, ";")
		sep = true
	}
	p.body(sep, foreach, "")
}

// loopWord writes for where foreach stands.
func (p *parser) loopWord(start int, foreach bool) {
	if foreach {
		p.put(start, start+len("foreach"), "for    ")
	}
}

// lines skips the newlines in front of in.
func (p *parser) lines() bool {
	newline := p.at(0) == '\n'
	for p.at(0) == '\n' {
		p.newline()
		p.blanks()
	}
	return newline
}

// severalNames reads a loop that takes several items a round, and writes it as one
// that counts through a list.
func (p *parser) severalNames(start int, names []string, foreach bool) {
	p.lists++
	list, at := "__items"+strconv.Itoa(p.lists), "__item"+strconv.Itoa(p.lists)
	header := ";for ((" + at + "=1;" + at + "<=${#" + list + "};" + at + "+=" + strconv.Itoa(len(names)) + "))"
	assign := ""
	for i, n := range names {
		if n[0] <= '9' {
			p.fail("a loop that sets positional parameters")
			return
		}
		assign += n + "=${" + list + "[" + at + "+" + strconv.Itoa(i) + "]} "
	}
	names0 := p.i
	newline := p.lines()
	sep := newline
	switch {
	case p.reserved("in"):
		p.i += len("in")
		p.put(start, p.i, "{ "+list+"=(")
		p.items()
		p.put(p.i, p.i, ")"+header)
		sep = false
	case p.at(0) == '(' && !newline:
		p.parenItems(start, "{ "+list+"=(", ")"+header+";")
		sep = true
	default:
		p.put(start, names0, "{ "+list+`=("$@")`+header)
	}
	sep = p.gap(sep)
	if !sep {
		p.put(p.i, p.i, ";")
	}
	p.body(true, foreach, assign+";")
	p.put(p.i, p.i, ";}")
}

func name(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// items reads the words behind in.
func (p *parser) items() {
	for p.step() {
		p.blanks()
		if c := p.at(0); c == ';' || c == '\n' || p.comment() {
			return
		} else if delimits(c) && c != '(' && !p.wordly() {
			p.fail("")
			return
		}
		p.word(false)
	}
}

// parenItems reads (words), which may stand on several lines, and puts other texts
// in the place of the parentheses; the first begins at start.
func (p *parser) parenItems(start int, first, last string) {
	if p.emptyParens() > 0 {
		p.fail("a loop over an anonymous function")
		return
	}
	p.put(start, p.i+1, first)
	p.i++
	for p.step() {
		p.blanks()
		start := p.i
		switch c := p.at(0); {
		case c == ')':
			p.put(p.i, p.i+1, last)
			p.i++
			return
		case c == '\n' && len(p.docs) == 0:
			p.i++
			p.put(start, p.i, " ")
		case p.comment():
			p.put(start, p.i, strings.Repeat(" ", p.i-start))
		case delimits(c) && c != '(' && !p.wordly():
			p.fail("")
		default:
			p.word(false)
		}
	}
}

// repeatClause writes repeat as a loop that counts down. The count is worked out
// once, as repeat does.
func (p *parser) repeatClause() {
	p.loops++
	defer func() { p.loops-- }()
	counter := "__repeat" + strconv.Itoa(p.loops)
	start := p.i
	p.i += len("repeat")
	p.blanks()
	from := p.i
	if delimits(p.at(0)) {
		p.fail("")
		return
	}
	p.word(false)
	if strings.ContainsAny(p.s[from:p.i], "\"'\\`\n") {
		p.fail("repeat with a quoted count")
		return
	}
	p.put(start, from, "for (("+counter+"=")
	p.put(p.i, p.i, ";"+counter+">0;"+counter+"--))")
	p.body(p.gap(false), false, "")
}

func (p *parser) caseClause() {
	p.i += len("case")
	p.blanks()
	p.word(false)
	p.gap(true)
	braces := p.at(0) == '{'
	if braces {
		p.put(p.i, p.i+1, "in ")
		p.i++
	} else {
		p.expect("in")
	}
	sep := true
	for !p.failed {
		p.gap(true)
		if p.reserved("esac") {
			p.i += len("esac")
			return
		}
		if p.at(0) == '}' && braces {
			p.put(p.i, p.i+1, closing("esac", sep))
			p.i++
			return
		}
		p.pattern()
		sep = p.list()
		if p.at(0) == ';' && p.at(1) != 0 && strings.IndexByte(";&|", p.at(1)) >= 0 {
			p.i += 2
			sep = true
		} else if !p.reserved("esac") && (p.at(0) != '}' || !braces) {
			p.fail("")
		}
	}
}

// pattern reads the pattern of a case up to the parenthesis that ends it. A first
// "(" may belong to the pattern, (a|b)c), or to the case, (a|b).
func (p *parser) pattern() {
	start, edits := p.i, len(p.edits)
	defer func() {
		if p.refused(start, "case x in ", " ;; esac") && p.refused(start, "case x in ( ", " ;; esac") {
			p.replace(start, edits, "("+unknown+")")
		}
	}()
	if p.at(0) == '(' {
		p.i++
		if p.group(); p.failed {
			return
		}
		n := 0
		for blank(p.at(n)) {
			n++
		}
		if c := p.at(n); n > 0 && c != '|' && c != ')' || n == 0 && (c == 0 || c == '\n' || c == ';') {
			if p.s[start+1] == '(' {
				p.put(start+1, start+1, " ")
			}
			return
		}
		p.put(start, start, "( ")
	}
	p.group()
}

// group skips to behind the ")" that belongs to a "(" before.
func (p *parser) group() {
	depth := 0
	for p.step() {
		switch {
		case p.i >= p.end:
			p.fail("")
		case p.at(0) == '(':
			depth++
			p.i++
		case p.at(0) == ')':
			p.i++
			if depth == 0 {
				return
			}
			depth--
		default:
			p.part(false)
		}
	}
}

// condition skips [[ … ]].
func (p *parser) condition() {
	op, depth := "", 0 // op is the word before
	for p.i += len("[["); p.step(); {
		p.blanks()
		start, edits := p.i, len(p.edits)
		switch c := p.at(0); {
		case p.i >= p.end, c == ')' && depth == 0, c == ';':
			p.fail("")
		case c == '(' && (op == "" || op == "!"):
			p.i++
			depth++
		case c == ')':
			p.i++
			depth--
			op = ")"
		case p.reserved("]]") || p.has("]]}"):
			p.i += len("]]")
			return
		case c == '\n':
			p.newline()
		case p.comment():
		case delimits(c) && c != '(' && !p.wordly():
			p.i++
			op = ""
		default:
			outer := p.compared
			p.compared = true
			p.word(false)
			p.compared = outer
			word := p.s[start:p.i]
			switch {
			case compares(op) && p.refused(start, "[[ x "+op+" ", " ]]"):
				p.replace(start, edits, unknown)
			case moduleTest(op) && p.standIns && idle(word):
				p.replace(start, edits, unknown)
			case moduleTest(word) && p.standIns:
				p.replace(start, edits, always)
				p.blanks()
				if strings.Trim(p.opener(), "0123456789") == "" && p.opener() != "" { // -prefix N PATTERN
					start = p.i
					p.i += len(p.opener())
					p.put(start, p.i, "")
				}
			}
			op = word
		}
	}
}

// compares tells whether an operator of [[ … ]] looks at values alone.
func compares(op string) bool {
	switch op {
	case "=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}

// function reads the definition that begins with the word function.
func (p *parser) function() (defined bool) {
	start := p.i
	p.i += len("function")
	names := 0
	for p.step() {
		p.blanks()
		c := p.at(0)
		if c == '{' || delimits(c) {
			break
		}
		p.word(false)
		names++
	}
	if names == 0 {
		p.anonymous(start)
		return false
	}
	p.i += p.emptyParens()
	p.gap(true)
	switch {
	case p.at(0) == '{':
		p.block()
		p.redirections()
	case !p.closed():
		p.sublist()
	}
	return true
}

// functionBody reads the body behind name(): one command. The parser would take a
// whole list for it.
func (p *parser) functionBody() {
	from, block := p.i, p.at(0) == '{'
	if p.closed() {
		p.fail("")
		return
	}
	if block {
		p.block()
		p.redirections()
		return
	}
	p.command()
	p.put(from, from, "{ ")
	p.put(p.i, p.i, ";}")
}

// anonymous reads a function without a name and its arguments, () { … } a b or
// function { … } a b. It runs at once, and what it returns isn't returned by what
// stands around it: it is written as a function and its call.
func (p *parser) anonymous(start int) {
	p.anons++
	name := "__anonymous" + strconv.Itoa(p.anons)
	n := p.emptyParens()
	p.put(start, p.i+n, "{ "+name+"() ")
	p.i += n
	p.gap(true)
	block := p.at(0) == '{'
	if block {
		p.block()
	} else {
		p.functionBody()
	}
	p.put(p.i, p.i, ";"+name)
	for p.step() {
		end := p.i
		p.blanks()
		if block && p.redirection() {
			continue
		}
		if c := p.at(0); !block || c == '}' && delimits(p.at(1)) || c == '#' || delimits(c) && c != '(' && !p.wordly() {
			p.i = end
			break
		}
		p.word(false)
	}
	p.put(p.i, p.i, ";}")
}
