package lang

import (
	"strings"

	"extdir/daemon/access"
)

// readEd reads the commands ed gets on its standard input.
func readEd(program access.Word, h Host) {
	p := &vim{source: newSource(program), h: h}
	for p.i < len(p.s) {
		a, b := p.i, p.eol()
		p.edLine(a, b)
		p.i = max(p.i, min(b+1, len(p.s)))
	}
}

// edLine reads one line; its text input is skipped as well.
func (p *vim) edLine(a, b int) {
	p.i = a
	for n := 0; n < 8; n++ {
		p.bounds()
		if p.i >= b {
			return
		}
		c := p.s[p.i]
		p.i++
		switch c {
		case 0:
			if _, ok := p.hole(p.i - 1); ok {
				p.h.Unknown("ed command that is not in the line")
			}
			return
		case '!':
			p.h.Shell(p.text(p.i, b))
			return
		case 'e', 'E', 'r', 'w', 'W', 'f':
			if c == 'w' && p.i < b && p.s[p.i] == 'q' {
				p.i++
			}
			p.gap()
			kind := access.Read
			if c == 'w' || c == 'W' || c == 'f' {
				kind = access.Write
			}
			switch {
			case p.i >= b:
			case p.s[p.i] == '!':
				p.h.Shell(p.text(p.i+1, b))
			default:
				p.h.File(p.text(p.i, b), kind, string(rune(c))+" in ed script")
			}
			return
		case 'g', 'G', 'v', 'V':
			if p.i < b {
				delim := p.s[p.i]
				p.i++
				p.until(delim)
			}
			continue // the command follows
		case 'a', 'i', 'c':
			for p.i = min(b+1, len(p.s)); p.i < len(p.s); {
				x, y := p.i, p.eol()
				p.i = min(y+1, len(p.s))
				if p.s[x:y] == "." {
					return
				}
			}
			return
		default:
			return
		}
	}
}

// readLess reads the commands that follow + on less's command line.
func readLess(program access.Word, h Host) {
	p := &vim{source: newSource(program), h: h}
	for p.i < len(p.s) && p.s[p.i] == '+' {
		p.i++
	}
	for p.i < len(p.s) {
		c := p.s[p.i]
		p.i++
		switch c {
		case '!', '#':
			p.h.Shell(p.text(p.i, len(p.s)))
			return
		case '|':
			p.h.Shell(p.text(min(p.i+1, len(p.s)), len(p.s)))
			return
		case 's':
			p.gap()
			if p.i < len(p.s) {
				p.h.File(p.text(p.i, len(p.s)), access.Write, "s command of less")
			}
			return
		case ':':
			if p.i < len(p.s) && (p.s[p.i] == 'e' || p.s[p.i] == 'E') {
				p.i++
				p.gap()
				if p.i < len(p.s) {
					p.h.File(bare(p.text(p.i, len(p.s))), access.Read, ":e command of less")
				}
				return
			}
		case '/', '?', '&', '-', '_':
			return // the rest is a pattern or an option
		case 0:
			if _, ok := p.hole(p.i - 1); ok && p.i == 1 {
				if len(p.s) == p.i {
					continue // a line number
				}
			}
		}
	}
	if i := strings.IndexByte(p.s, 0); i >= 0 {
		if _, ok := p.hole(i); ok && strings.Trim(p.s, "+\x00gGp%0123456789") != "" {
			h.Unknown("less command that is not in the line")
		}
	}
}
