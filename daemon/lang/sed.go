package lang

import (
	"strings"

	"extdir/daemon/access"
)

// readSed reads the grammar of POSIX sed with what GNU (4.9) and BSD add. A file
// name of r, R, w, W and of the w flag runs to the end of the line.
//
// An unknown part in a pattern, a replacement or a text is nothing; in front of a
// command it is taken for an address; as a command of its own it is unknown.
func readSed(program access.Word, h Host) {
	p := &sed{source: newSource(program), h: h}
	for p.i < len(p.s) && p.command() {
	}
}

type sed struct {
	*source
	h Host
	i int
}

func (p *sed) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return '\n'
}

func (p *sed) skip(set string) {
	for p.i < len(p.s) && strings.IndexByte(set, p.s[p.i]) >= 0 {
		p.i++
	}
}

// line takes the rest of the line.
func (p *sed) line() (a, b int) {
	a = p.i
	if j := strings.IndexByte(p.s[a:], '\n'); j >= 0 {
		b = a + j
		p.i = b + 1
	} else {
		b = len(p.s)
		p.i = b
	}
	return a, b
}

func (p *sed) fail(what string) bool {
	p.h.Unknown(what)
	return false
}

// command reads one command with its addresses. False ends the reading.
func (p *sed) command() bool {
	p.skip(" \t\r\n;")
	if p.i >= len(p.s) {
		return true
	}
	addressed := false
	for n := 0; ; n++ {
		ok, found := p.address()
		if !ok {
			return p.fail("sed address that doesn't end")
		}
		addressed = addressed || found
		p.skip(" \t")
		if p.peek() != ',' || !found {
			break
		}
		p.i++
		p.skip(" \t+~")
	}
	p.skip(" \t!")
	if p.i >= len(p.s) {
		if addressed && p.holed(0, len(p.s)) {
			return p.fail("sed command that is not in the line")
		}
		return true // sed refuses: missing command
	}
	c := p.s[p.i]
	p.i++
	switch c {
	case '{', '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
	case '#':
		p.line()
	case ':', 'b', 't', 'T', 'v':
		// GNU ends a label at a semicolon, others at the line's end: what
		// follows a semicolon is read as commands.
		for p.i < len(p.s) && p.s[p.i] != '\n' && p.s[p.i] != ';' && (p.s[p.i] != '}' || c == ':') {
			p.i++
		}
	case 'l', 'L', 'q', 'Q':
		p.skip(" \t0123456789")
	case 'a', 'i', 'c':
		p.lines()
	case 'r', 'R', 'w', 'W':
		p.skip(" \t")
		a, b := p.line()
		p.file(c, a, b)
	case 'e':
		p.skip(" \t")
		if a, b := p.line(); a < b {
			p.h.Shell(p.text(a, b))
		} else {
			return p.fail("sed e runs the input as commands")
		}
	case 's':
		return p.substitute()
	case 'y':
		if _, _, _, ok := p.delimited(2); !ok {
			return p.fail("sed y without its end")
		}
	case 0:
		return p.fail("sed command that is not in the line")
	case ';', '\n':
		if addressed && p.holedLine(p.i-1) {
			return p.fail("sed command that is not in the line")
		}
	default:
		return p.fail("sed command " + string(rune(c)) + " that is not known")
	}
	return true
}

// holedLine tells whether the command that ends at byte i holds an unknown part.
func (p *sed) holedLine(i int) bool {
	a := strings.LastIndexAny(p.s[:i], ";\n") + 1
	return p.holed(a, i)
}

func (p *sed) file(c byte, a, b int) {
	if a == b {
		return
	}
	kind := access.Read
	if c == 'w' || c == 'W' {
		kind = access.Write
	}
	p.h.File(p.text(a, b), kind, "file of "+string(rune(c))+" in sed script")
}

// address reads one address, if there is one.
func (p *sed) address() (ok, found bool) {
	c := p.peek()
	switch {
	case p.i >= len(p.s):
		return true, false
	case c == '/' || c == '\\':
		if c == '\\' {
			p.i++
			if p.i >= len(p.s) {
				return false, false
			}
			c = p.s[p.i]
		}
		p.i++
		if !p.until(c, true) {
			return false, false
		}
		p.skip("IM")
		return true, true
	case c == '$' || c >= '0' && c <= '9' || c == 0:
		for p.i < len(p.s) {
			d := p.s[p.i]
			if d == 0 {
				if _, hole := p.hole(p.i); !hole {
					break
				}
			} else if d != '$' && d != '~' && (d < '0' || d > '9') {
				break
			}
			p.i++
		}
		return true, true
	}
	return true, false
}

// until moves behind the next delimiter. In a pattern GNU and BSD let it stand
// in brackets.
func (p *sed) until(delim byte, pattern bool) bool {
	for ; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == '\\':
			p.i++
		case c == delim:
			p.i++
			return true
		case c == '[' && pattern:
			if e := bracket(p.s, p.i, delim); e > 0 {
				p.i = e
			}
		}
	}
	return false
}

// bracket finds the end of the bracket expression at i, or 0 if it has none on
// its line.
func bracket(s string, i int, delim byte) int {
	j := i + 1
	if j < len(s) && s[j] == '^' {
		j++
	}
	if j < len(s) && s[j] == ']' {
		j++
	}
	for ; j < len(s) && j-i < 512; j++ {
		switch s[j] {
		case ']':
			return j
		case '\n':
			return 0
		case '[':
			if j+1 < len(s) && strings.IndexByte(".:=", s[j+1]) >= 0 {
				if e := strings.Index(s[j+2:min(len(s), j+66)], string(s[j+1])+"]"); e >= 0 {
					j += e + 3
				}
			}
		}
	}
	return 0
}

// delimited reads DELIM a DELIM b DELIM.
func (p *sed) delimited(n int) (a, m, b int, ok bool) {
	if p.i >= len(p.s) || p.s[p.i] == 0 || p.s[p.i] == '\n' || p.s[p.i] == '\\' {
		return 0, 0, 0, false
	}
	delim := p.s[p.i]
	p.i++
	a = p.i
	if !p.until(delim, n == 3) {
		return 0, 0, 0, false
	}
	m = p.i
	if !p.until(delim, false) {
		return 0, 0, 0, false
	}
	return a, m, p.i, true
}

func (p *sed) substitute() bool {
	a, m, b, ok := p.delimited(3)
	if !ok {
		return p.fail("sed s without its end")
	}
	for p.i < len(p.s) {
		c := p.s[p.i]
		p.i++
		switch {
		case c == 'g' || c == 'p' || c == 'i' || c == 'I' || c == 'm' || c == 'M' || c >= '0' && c <= '9' || c == ' ' || c == '\t' || c == '\r':
		case c == 'e':
			// The whole pattern space is run; with .* as the pattern that is
			// the replacement alone.
			switch strings.Trim(p.s[a:m-1], "^$") {
			case ".*", ".\\+", ".+":
				if !strings.ContainsAny(strings.ReplaceAll(p.s[m:b-1], `\&`, ""), "&") {
					p.h.Shell(p.replacement(m, b-1))
				}
			}
			p.h.Unknown("sed s///e runs the input as commands")
		case c == 'w':
			p.skip(" \t")
			x, y := p.line()
			p.file('w', x, y)
			return true
		case c == ';' || c == '\n':
			return true
		case c == '}' || c == '#':
			p.i--
			return true
		default:
			return p.fail("sed s flags that are not in the line")
		}
	}
	return true
}

// replacement is s[a:b] with its escapes taken away.
func (p *sed) replacement(a, b int) access.Word {
	w := builder{p: p.source}
	w.span(a, b)
	for i := a; i < b; i++ {
		if p.s[i] == '\\' && i+1 < b {
			i++
			if p.s[i] == 'n' {
				w.add("\n")
				continue
			}
		}
		w.copy(i)
	}
	return w.word()
}

// lines skips the text of a, i and c: "a text", "a\" and text on the next lines,
// each ending in a backslash but the last.
func (p *sed) lines() {
	p.skip(" \t")
	if p.peek() == '}' {
		return // an error in GNU; BSD too
	}
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case '\\':
			p.i += 2
		case '\n':
			p.i++
			return
		default:
			p.i++
		}
	}
	p.i = min(p.i, len(p.s))
}
