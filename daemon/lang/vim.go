package lang

import (
	"strings"

	"extdir/daemon/access"
)

// readVim reads Ex commands: vim -c and +CMD, scripts of ex -s and vim -S. In
// file names vim expands ~, $HOME and patterns; % and # are the files it edits,
// which the command's spec judges.
func readVim(program access.Word, h Host) {
	p := &vim{source: newSource(program), h: h}
	for p.i < len(p.s) {
		p.line()
	}
}

type vim struct {
	*source
	h     Host
	i     int
	depth int
}

func (p *vim) blanks() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t' || p.s[p.i] == ':' || p.s[p.i] == '\r') {
		p.i++
	}
}

func (p *vim) eol() int {
	if e := strings.IndexByte(p.s[p.i:], '\n'); e >= 0 {
		return p.i + e
	}
	return len(p.s)
}

// line reads the commands of one line.
func (p *vim) line() {
	for p.i < len(p.s) && p.s[p.i] != '\n' {
		at := p.i
		p.command()
		if p.i == at {
			p.i++
		}
	}
	p.i = min(p.i+1, len(p.s))
}

// command reads one command with its range.
func (p *vim) command() {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		p.h.Unknown("vim commands nested too deep to read")
		p.i = len(p.s)
		return
	}
	p.blanks()
	for p.i < len(p.s) && p.s[p.i] == '|' {
		p.i++
		p.blanks()
	}
	p.bounds()
	p.blanks()
	if p.i >= len(p.s) || p.s[p.i] == '\n' || p.s[p.i] == '|' {
		return
	}
	c := p.s[p.i]
	switch {
	case c == '"' || c == '#':
		p.i = p.eol()
		return
	case c == '!':
		a, b := p.i+1, p.eol()
		p.i = b
		p.h.Shell(p.text(a, b))
		return
	case strings.IndexByte("=<>&@~*", c) >= 0:
		p.i = p.bar()
		return
	case c == 0:
		if _, ok := p.hole(p.i); ok {
			p.h.Unknown("vim command that is not in the line")
		}
		p.i++
		return
	}
	a := p.i
	for p.i < len(p.s) && (p.s[p.i] >= 'a' && p.s[p.i] <= 'z' || p.s[p.i] >= 'A' && p.s[p.i] <= 'Z') {
		p.i++
	}
	name := p.s[a:p.i]
	if strings.HasPrefix(name, "py") || strings.HasPrefix(name, "vim") {
		for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
			p.i++
		}
		if strings.HasPrefix(p.s[p.i:], "file") {
			p.i += 4
		}
		name = p.s[a:p.i]
	}
	how, full := "", ""
	for _, c := range vimCommands {
		if len(name) >= c.min && strings.HasPrefix(c.name, name) {
			how, full = c.how, c.name
			if len(c.name) == len(name) {
				break
			}
			break
		}
	}
	if how == "" && name != "" && p.short(name) {
		// s, g and k take their operand without a blank: sno, gp, ka
		how, full = map[byte]string{'s': "s", 'g': "g", 'v': "g", 'k': "-"}[name[0]], name[:1]
		p.i = a + 1
	}
	if name == "" {
		p.i++
		p.h.Unknown("vim command that is not known")
		p.i = p.bar()
		return
	}
	if p.i < len(p.s) && p.s[p.i] == '!' && how != "g" && how != "" {
		p.i++
		if how == "!" && full == "terminal" {
			p.i--
		}
	} else if how == "g" && p.i < len(p.s) && p.s[p.i] == '!' {
		p.i++
	}
	p.run(how, full)
}

// short tells whether a name that isn't one begins with a one-letter command.
func (p *vim) short(name string) bool {
	return len(name) > 1 && (name[0] == 's' || name[0] == 'g') && len(name) <= 4 && strings.Trim(name[1:], "cegiInpr#l&") == "" || name[0] == 'k' && len(name) == 2
}

// bounds skips a range.
func (p *vim) bounds() {
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c >= '0' && c <= '9' || strings.IndexByte(".$%,;+- \t*", c) >= 0:
			p.i++
		case c == '\'' || c == '\\':
			p.i = min(p.i+2, len(p.s))
		case c == '/' || c == '?':
			p.i++
			p.until(c)
		case c == 0:
			// an unknown number, if a command follows
			if _, ok := p.hole(p.i); !ok || p.i+1 >= len(p.s) || p.s[p.i+1] == '\n' || p.s[p.i+1] == '|' {
				return
			}
			p.i++
		default:
			return
		}
	}
}

// until moves behind the next delimiter on the line.
func (p *vim) until(delim byte) {
	for p.i < len(p.s) && p.s[p.i] != '\n' {
		c := p.s[p.i]
		p.i++
		if c == '\\' && p.i < len(p.s) && p.s[p.i] != '\n' {
			p.i++
		} else if c == delim {
			return
		}
	}
}

// bar is where the command ends: at a bar or at the line's end.
func (p *vim) bar() int {
	for j := p.i; j < len(p.s); j++ {
		switch p.s[j] {
		case '\n', '|':
			return j
		case '\\', 0x16:
			j++
		}
	}
	return len(p.s)
}

func (p *vim) run(how, full string) {
	if how == "" {
		p.h.Unknown("vim command that is not known")
		p.i = p.bar()
		return
	}
	switch how[0] {
	case 'r', 'w', 'x', 'v':
		p.names(how[0], full)
	case '!':
		a := p.i
		p.i = p.bar()
		if full == "make" || full == "lmake" {
			p.h.Shell(access.Text("make").Concat(p.text(a, p.i)))
		} else if full == "terminal" {
			p.h.Shell(p.text(a, p.i))
		} else {
			p.h.Shell(access.Text("grep -n").Concat(p.text(a, p.i)))
		}
	case 'c':
		for p.i < len(p.s) && (p.s[p.i] >= '0' && p.s[p.i] <= '9' || p.s[p.i] == ' ') {
			p.i++
		}
		p.command()
	case 'a':
		// autocmd [group] event pattern command
		end := p.eol()
		for n := 0; n < 2; n++ {
			for p.i < end && (p.s[p.i] == ' ' || p.s[p.i] == '\t') {
				p.i++
			}
			for p.i < end && p.s[p.i] != ' ' && p.s[p.i] != '\t' {
				p.i++
			}
		}
		p.command()
	case 'g':
		p.blanks()
		if p.i < len(p.s) && p.s[p.i] != '\n' {
			delim := p.s[p.i]
			p.i++
			p.until(delim)
			p.command()
		}
	case 's':
		p.blanks()
		if p.i < len(p.s) && p.s[p.i] != '\n' && p.s[p.i] != '|' && !wordByte(p.s[p.i]) {
			delim := p.s[p.i]
			p.i++
			p.until(delim)
			a := p.i
			p.until(delim)
			if strings.HasPrefix(p.s[a:], `\=`) {
				p.expression(a, p.i)
			}
		}
		p.i = p.bar()
	case 'e':
		a := p.i
		p.i = p.exprEnd()
		p.expression(a, p.i)
	case 'E':
		a := p.i
		p.i = p.exprEnd()
		p.execute(a, p.i)
	case 'k':
		a := p.i
		p.i = p.eol()
		p.keys(a, p.i)
	case 'p':
		a := p.i
		p.i = p.eol()
		if read, ok := scripts[how[1:]]; ok {
			read(p.text(a, p.i), p.h)
		} else {
			p.h.Unknown(how[1:] + " code in a vim command")
		}
	case 'u':
		p.h.Unknown(full + " code in a vim command")
		p.i = p.eol()
	case 't':
		p.i = p.eol()
	case 'i':
		// lines of text up to a single dot
		for p.i = min(p.eol()+1, len(p.s)); p.i < len(p.s); {
			a, b := p.i, p.eol()
			p.i = min(b+1, len(p.s))
			if p.s[a:b] == "." {
				break
			}
		}
		if p.i > 0 && p.i <= len(p.s) && p.s[p.i-1] == '\n' {
			p.i--
		}
	default:
		p.i = p.bar()
	}
}

// names reads the operands of a command that takes files, or a command behind !.
func (p *vim) names(how byte, full string) {
	p.gap()
	if how == 'v' && p.i < len(p.s) && p.s[p.i] != '\n' {
		delim := p.s[p.i]
		p.i++
		if wordByte(delim) {
			delim = ' '
		}
		p.until(delim)
		for p.i < len(p.s) && (p.s[p.i] == 'g' || p.s[p.i] == 'j') {
			p.i++
		}
	}
	p.gap()
	if p.i < len(p.s) && p.s[p.i] == '!' && (full == "read" || full == "write") {
		a, b := p.i+1, p.eol()
		p.i = b
		p.h.Shell(p.text(a, b))
		return
	}
	end := p.bar()
	for p.i < end {
		p.gap()
		if p.i >= end {
			return
		}
		a := p.i
		w := builder{p: p.source}
		for p.i < end && p.s[p.i] != ' ' && p.s[p.i] != '\t' && p.s[p.i] != '\r' {
			if p.s[p.i] == '\\' && p.i+1 < end {
				p.i++
			}
			if p.s[p.i] == '`' {
				p.h.Unknown("command in a file name of vim")
			}
			w.copy(p.i)
			p.i++
		}
		w.span(a, p.i)
		p.name(w.word(), how, full)
	}
}

func (p *vim) gap() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t' || p.s[p.i] == '\r') {
		p.i++
	}
}

func (p *vim) name(w access.Word, how byte, full string) {
	for w.HasPrefix(">") {
		w = w.From(1)
	}
	s := w.String()
	switch {
	case s == "", strings.HasPrefix(s, "++"), strings.HasPrefix(s, "@"), full == "redir" && (s == "END" || strings.HasPrefix(s, "=")):
		return
	case strings.HasPrefix(s, "+"):
		// +cmd of :edit
		q := &vim{source: newSource(w.From(1)), h: p.h, depth: p.depth + 1}
		for q.i < len(q.s) {
			q.line()
		}
		return
	case strings.HasPrefix(s, "%") || strings.HasPrefix(s, "#"):
		if !strings.Contains(s, "..") && !strings.Contains(s, ":h") {
			return // the file that is edited, or one beside it
		}
		w = access.Unknowable(access.Any, w.Start, w.End)
	case strings.HasPrefix(s, "$HOME/"):
		w = home(w.Start, w.End).Concat(w.From(len("$HOME")))
	case strings.HasPrefix(s, "$") || strings.HasPrefix(s, "<"):
		w = access.Unknowable(access.Any, w.Start, w.End)
	default:
		w = bare(w)
	}
	kind := map[byte]access.Kind{'r': access.Read, 'v': access.Read, 'w': access.Write, 'x': access.Execute}[how]
	p.h.File(w, kind, ":"+full+" in vim command")
}
