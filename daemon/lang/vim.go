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

// vimCommands: full name, how short it may be, and what it does with its
// operands: r read, w write, f sets the name that is written, x runs a file of
// commands, d a directory, ! text for a shell, c a command of its own, e an
// expression, k keys, p a language (by name), t text up to the line's end,
// u unknown, s a substitution, g a pattern and a command, - nothing with files.
var vimCommands = []struct {
	name string
	min  int
	how  string
}{
	{"write", 1, "w"},
	{"wq", 2, "w"},
	{"wqall", 3, "-"},
	{"wall", 2, "-"},
	{"xit", 1, "w"},
	{"exit", 3, "w"},
	{"update", 2, "w"},
	{"saveas", 3, "w"},
	{"read", 1, "r"},
	{"edit", 1, "r"},
	{"visual", 2, "r"},
	{"view", 3, "r"},
	{"ex", 2, "r"},
	{"find", 3, "r"},
	{"split", 2, "r"},
	{"vsplit", 2, "r"},
	{"new", 3, "r"},
	{"vnew", 3, "r"},
	{"sview", 2, "r"},
	{"tabedit", 4, "r"},
	{"tabnew", 6, "r"},
	{"tabfind", 4, "r"},
	{"sfind", 2, "r"},
	{"pedit", 3, "r"},
	{"diffsplit", 5, "r"},
	{"diffpatch", 5, "r"},
	{"cfile", 2, "r"},
	{"cgetfile", 2, "r"},
	{"caddfile", 5, "r"},
	{"lfile", 2, "r"},
	{"lgetfile", 2, "r"},
	{"args", 2, "r"},
	{"argadd", 4, "r"},
	{"argedit", 4, "r"},
	{"next", 1, "r"},
	{"badd", 3, "r"},
	{"balt", 4, "r"},
	{"drop", 2, "r"},
	{"rviminfo", 2, "r"},
	{"rundo", 4, "r"},
	{"recover", 3, "r"},
	{"helptags", 5, "w"},
	{"mksession", 3, "w"},
	{"mkview", 5, "w"},
	{"mkvimrc", 3, "w"},
	{"mkexrc", 2, "w"},
	{"mkspell", 4, "w"},
	{"wviminfo", 2, "w"},
	{"wundo", 5, "w"},
	{"redir", 4, "w"},
	{"file", 1, "w"},
	{"profile", 4, "-"},
	{"hardcopy", 2, "w"},
	{"source", 2, "x"},
	{"runtime", 2, "-"},
	{"luafile", 4, "x"},
	{"pyfile", 3, "x"},
	{"py3file", 4, "x"},
	{"rubyfile", 5, "x"},
	{"tclfile", 4, "x"},
	{"cd", 2, "r"},
	{"chdir", 3, "r"},
	{"lcd", 2, "r"},
	{"tcd", 3, "r"},
	{"vimgrep", 3, "v"},
	{"lvimgrep", 2, "v"},
	{"terminal", 3, "!"},
	{"make", 3, "!"},
	{"lmake", 4, "!"},
	{"grep", 2, "!"},
	{"lgrep", 3, "!"},
	{"grepadd", 5, "!"},
	{"global", 1, "g"},
	{"vglobal", 1, "g"},
	{"substitute", 1, "s"},
	{"smagic", 2, "s"},
	{"snomagic", 3, "s"},
	{"silent", 3, "c"},
	{"verbose", 4, "c"},
	{"keepalt", 5, "c"},
	{"keepjumps", 5, "c"},
	{"keepmarks", 3, "c"},
	{"keeppatterns", 5, "c"},
	{"lockmarks", 3, "c"},
	{"noautocmd", 3, "c"},
	{"noswapfile", 3, "c"},
	{"sandbox", 3, "c"},
	{"confirm", 4, "c"},
	{"hide", 3, "c"},
	{"browse", 3, "c"},
	{"topleft", 2, "c"},
	{"botright", 2, "c"},
	{"aboveleft", 3, "c"},
	{"leftabove", 5, "c"},
	{"belowright", 3, "c"},
	{"rightbelow", 6, "c"},
	{"vertical", 4, "c"},
	{"tab", 3, "c"},
	{"unsilent", 3, "c"},
	{"bufdo", 4, "c"},
	{"argdo", 4, "c"},
	{"windo", 4, "c"},
	{"tabdo", 4, "c"},
	{"cdo", 3, "c"},
	{"cfdo", 3, "c"},
	{"ldo", 2, "c"},
	{"lfdo", 3, "c"},
	{"legacy", 3, "c"},
	{"vim9cmd", 4, "c"},
	{"folddoopen", 5, "c"},
	{"autocmd", 2, "a"},
	{"command", 3, "t"},
	{"try", 3, "-"},
	{"catch", 3, "-"},
	{"finally", 4, "-"},
	{"endtry", 4, "-"},
	{"call", 3, "e"},
	{"echo", 2, "e"},
	{"echon", 5, "e"},
	{"echomsg", 5, "e"},
	{"let", 3, "e"},
	{"const", 4, "e"},
	{"if", 2, "e"},
	{"elseif", 5, "e"},
	{"while", 2, "e"},
	{"for", 3, "e"},
	{"return", 4, "e"},
	{"throw", 2, "e"},
	{"eval", 2, "e"},
	{"execute", 3, "E"},
	{"caddexpr", 3, "e"},
	{"cexpr", 3, "e"},
	{"put", 2, "e"},
	{"normal", 4, "k"},
	{"lua", 3, "plua"},
	{"python", 2, "ppython"},
	{"python3", 7, "ppython"},
	{"py3", 3, "ppython"},
	{"pyx", 3, "ppython"},
	{"perl", 2, "pperl"},
	{"ruby", 3, "pruby"},
	{"tcl", 3, "ptcl"},
	{"mzscheme", 2, "u"},
	{"quit", 1, "-"},
	{"qall", 2, "-"},
	{"quitall", 5, "-"},
	{"cquit", 2, "-"},
	{"set", 2, "-"},
	{"setlocal", 4, "-"},
	{"setglobal", 4, "-"},
	{"syntax", 2, "-"},
	{"colorscheme", 4, "-"},
	{"filetype", 5, "-"},
	{"delete", 1, "-"},
	{"yank", 1, "-"},
	{"move", 1, "-"},
	{"copy", 2, "-"},
	{"t", 1, "-"},
	{"join", 1, "-"},
	{"k", 1, "-"},
	{"mark", 2, "-"},
	{"print", 1, "-"},
	{"Print", 1, "-"},
	{"number", 2, "-"},
	{"list", 1, "-"},
	{"undo", 1, "-"},
	{"redo", 3, "-"},
	{"retab", 3, "-"},
	{"sort", 3, "-"},
	{"wincmd", 4, "-"},
	{"only", 2, "-"},
	{"close", 3, "-"},
	{"bnext", 2, "-"},
	{"bprevious", 2, "-"},
	{"buffer", 1, "-"},
	{"bdelete", 2, "-"},
	{"bwipeout", 2, "-"},
	{"ls", 2, "-"},
	{"buffers", 7, "-"},
	{"files", 5, "-"},
	{"tabnext", 4, "-"},
	{"tabclose", 4, "-"},
	{"noh", 3, "-"},
	{"nohlsearch", 3, "-"},
	{"map", 3, "t"},
	{"nmap", 2, "t"},
	{"imap", 2, "t"},
	{"vmap", 2, "t"},
	{"noremap", 2, "t"},
	{"nnoremap", 2, "t"},
	{"inoremap", 3, "t"},
	{"vnoremap", 2, "t"},
	{"highlight", 2, "-"},
	{"match", 3, "t"},
	{"help", 1, "-"},
	{"version", 2, "-"},
	{"messages", 3, "-"},
	{"scriptnames", 3, "-"},
	{"else", 2, "-"},
	{"endif", 2, "-"},
	{"endfor", 5, "-"},
	{"endwhile", 4, "-"},
	{"function", 2, "-"},
	{"endfunction", 4, "-"},
	{"finish", 4, "-"},
	{"break", 4, "-"},
	{"enew", 3, "-"},
	{"diffthis", 5, "-"},
	{"diffoff", 5, "-"},
	{"diffupdate", 3, "-"},
	{"fold", 2, "-"},
	{"foldopen", 5, "-"},
	{"foldclose", 5, "-"},
	{"goto", 2, "-"},
	{"startinsert", 4, "-"},
	{"stopinsert", 5, "-"},
	{"registers", 3, "-"},
	{"marks", 5, "-"},
	{"jumps", 2, "-"},
	{"tag", 2, "-"},
	{"unlet", 3, "-"},
	{"augroup", 3, "-"},
	{"doautocmd", 2, "-"},
	{"first", 3, "-"},
	{"last", 2, "-"},
	{"previous", 4, "-"},
	{"copen", 4, "-"},
	{"cnext", 2, "-"},
	{"cc", 2, "-"},
	{"center", 2, "-"},
	{"left", 2, "-"},
	{"right", 2, "-"},
	{"preserve", 3, "-"},
	{"checktime", 6, "-"},
	{"packadd", 2, "-"},
	{"scriptencoding", 7, "-"},
	{"sleep", 2, "-"},
	{"redraw", 4, "-"},
	{"wnext", 2, "w"},
	{"z", 1, "-"},
	{"TOhtml", 6, "-"},
	{"append", 1, "i"},
	{"insert", 1, "i"},
	{"change", 1, "i"},
	{"undojoin", 5, "-"},
	{"vim9script", 4, "-"},
	{"comclear", 4, "-"},
	{"mapclear", 4, "-"},
	{"doc", 3, "-"},
	{"ball", 2, "-"},
	{"all", 2, "-"},
	{"mode", 3, "-"},
	{"digraphs", 3, "-"},
	{"spellgood", 3, "-"},
	{"language", 3, "-"},
	{"suspend", 3, "-"},
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

// exprEnd is the end of an expression: a bar outside strings, or the line's end.
func (p *vim) exprEnd() int {
	quote := byte(0)
	for j := p.i; j < len(p.s); j++ {
		c := p.s[j]
		switch {
		case c == '\n':
			return j
		case quote != 0:
			if c == '\\' && quote == '"' {
				j++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '|':
			if strings.HasPrefix(p.s[j:], "||") {
				j++
				continue
			}
			return j
		}
	}
	return len(p.s)
}

// vimFunctions are the functions that reach outside, by their argument.
var vimFunctions = map[string]string{
	"system": "!0", "systemlist": "!0", "readfile": "r0", "readblob": "r0", "writefile": "w1", "delete": "w0", "rename": "w0 w1", "mkdir": "w0", "glob": "g0",
	"globpath": "r0", "readdir": "r0", "filereadable": "r0", "filewritable": "r0", "isdirectory": "r0", "getfsize": "r0", "getftime": "r0", "chdir": "r0",
	"job_start": "!0", "term_start": "!0", "jobstart": "!0", "termopen": "!0", "execute": "c0", "libcall": "x0", "libcallnr": "x0", "feedkeys": "k0", "filecopy": "r0 w1",
	"popen": "!0", "nvim_command": "c0", "nvim_exec": "c0", "nvim_exec2": "c0", "luaeval": "u0", "py3eval": "u0", "pyeval": "u0", "writeblob": "w1",
}

type vimToken struct {
	kind byte // 's' 'i' 'o'
	text string
	val  access.Word
}

func (p *vim) tokens(a, b int) []vimToken {
	var out []vimToken
	for i := a; i < b; {
		c := p.s[i]
		switch {
		case c == '"' || c == '\'':
			w := builder{p: p.source}
			j := i + 1
			for j < b && p.s[j] != c {
				if c == '"' && p.s[j] == '\\' && j+1 < b {
					j = unescape(&w, p.s, j, "n\nt\tr\re\x1b")
					continue
				}
				w.copy(j)
				j++
			}
			w.span(i, j)
			i = min(j+1, b)
			out = append(out, vimToken{'s', "", w.word()})
		case wordByte(c):
			j := i
			for j < b && (wordByte(p.s[j]) || p.s[j] == ':' || p.s[j] == '#') {
				j++
			}
			out = append(out, vimToken{'i', p.s[i:j], access.Word{}})
			i = j
		case c == ' ' || c == '\t':
			i++
		case c == '.' && i+1 < b && p.s[i+1] == '.':
			out = append(out, vimToken{'o', ".", access.Word{}})
			i += 2
		case c == '$' && strings.HasPrefix(p.s[i:b], "$HOME"):
			out = append(out, vimToken{'s', "", home(p.offset(i), p.offset(i+5))})
			i += 5
		default:
			out = append(out, vimToken{'o', p.s[i : i+1], access.Word{}})
			i++
		}
	}
	return out
}

// argument folds the tokens up to a comma or closing parenthesis.
func vimArgument(toks []vimToken, i int) (value, int) {
	v, depth := value{}, 0
	for ; i < len(toks); i++ {
		t := toks[i]
		switch {
		case t.kind == 'o' && (t.text == "(" || t.text == "[" || t.text == "{"):
			depth++
			continue
		case t.kind == 'o' && (t.text == ")" || t.text == "]" || t.text == "}"):
			depth--
			if depth < 0 {
				return v, i
			}
			continue
		case t.kind == 'o' && t.text == "," && depth == 0:
			return v, i
		case t.kind == 'o' && (t.text == "." || t.text == ","):
			continue
		}
		part := computed
		if t.kind == 's' {
			part = constant(t.val)
		}
		if v.zero() {
			v = part
		} else {
			v = v.concat(part)
		}
	}
	return v, i
}

func (p *vim) expression(a, b int) {
	toks := p.tokens(a, b)
	for i := 0; i+1 < len(toks); i++ {
		how, ok := vimFunctions[toks[i].text]
		if !ok || toks[i].kind != 'i' || toks[i+1].text != "(" || toks[i+1].kind != 'o' {
			continue
		}
		var args []value
		for j := i + 1; j < len(toks) && len(args) < 4; {
			var v value
			v, j = vimArgument(toks, j+1)
			args = append(args, v)
			if j >= len(toks) || toks[j].text != "," {
				break
			}
		}
		why := toks[i].text + "() in vim command"
		for _, h := range strings.Fields(how) {
			n := int(h[1] - '0')
			if n >= len(args) {
				continue
			}
			switch v := args[n]; h[0] {
			case '!':
				v.shell(p.h, "vim")
			case 'r':
				v.open(p.h, access.Read, why, "vim")
			case 'w':
				v.open(p.h, access.Write, why, "vim")
			case 'x':
				v.open(p.h, access.Execute, why, "vim")
			case 'g':
				for k, w := range v.forms {
					v.forms[k] = bare(w)
				}
				v.open(p.h, access.Read, why, "vim")
			case 'c':
				p.nested(v)
			case 'k':
				for _, w := range v.forms {
					q := &vim{source: newSource(w), h: p.h, depth: p.depth + 1}
					q.keys(0, len(q.s))
				}
				if v.computed {
					p.h.Unknown("computed keys in vim command")
				}
			case 'u':
				p.h.Unknown("code in " + why)
			}
		}
	}
}

// execute reads :execute "text" . "text".
func (p *vim) execute(a, b int) {
	v, _ := vimArgument(p.tokens(a, b), 0)
	p.nested(v)
	p.expression(a, b)
}

func (p *vim) nested(v value) {
	for _, w := range v.forms {
		q := &vim{source: newSource(w), h: p.h, depth: p.depth + 20}
		for q.i < len(q.s) {
			q.line()
		}
	}
	if v.computed || v.zero() {
		p.h.Unknown("computed command in vim command")
	}
}

// keys reads what is typed: Ex commands begin at a colon and end at a return, !!
// and ! with a motion filter through a command.
func (p *vim) keys(a, b int) {
	for i := a; i < b; i++ {
		c := p.s[i]
		if c != ':' && c != '!' {
			continue
		}
		end := i + 1
		for end < b && p.s[end] != '\r' && p.s[end] != '\n' && !strings.HasPrefix(p.s[end:b], "<CR>") && !strings.HasPrefix(p.s[end:b], "<cr>") {
			end++
		}
		if c == '!' {
			p.h.Shell(p.text(min(i+2, end), end))
		} else {
			q := &vim{source: newSource(p.text(i+1, end)), h: p.h, depth: p.depth + 20}
			for q.i < len(q.s) {
				q.line()
			}
		}
		i = end
	}
}

// scripts are the languages that vim runs, set in readers.go.
var scripts map[string]Reader
