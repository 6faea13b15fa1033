package lang

import (
	"strings"

	"extdir/daemon/access"
)

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
