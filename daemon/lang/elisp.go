package lang

import (
	"strings"

	"extdir/daemon/access"
)

// readElisp reads Emacs Lisp: emacs --eval. Only constant names are known.
// Source: Emacs Lisp Reference Manual 29, chapters Files and Processes.
func readElisp(program access.Word, h Host) {
	p := &elisp{source: newSource(program), h: h}
	for p.i < len(p.s) {
		p.form()
	}
}

type elisp struct {
	*source
	h     Host
	i     int
	depth int
}

// elispCalls are functions that touch files, and how each argument is used: r
// read, w written, x run, s text for a shell, c the start of a command, - none.
var elispCalls = map[string]string{
	"find-file": "r", "find-file-noselect": "r", "find-file-literally": "r", "find-file-read-only": "r", "view-file": "r", "find-file-other-window": "r",
	"insert-file": "r", "insert-file-contents": "r", "insert-file-contents-literally": "r", "file-attributes": "r", "file-exists-p": "r",
	"file-readable-p": "r", "file-directory-p": "r", "directory-files": "r", "directory-files-recursively": "r", "dired": "r", "cd": "r",
	"file-truename": "r", "visit-tags-table": "r", "byte-recompile-directory": "w", "byte-compile-file": "w",
	"load": "x", "load-file": "x", "load-library": "x",
	"write-file": "w", "with-temp-file": "w", "write-region": "--w", "append-to-file": "--w", "delete-file": "w", "delete-directory": "w",
	"make-directory": "w", "set-file-modes": "w", "set-visited-file-name": "w", "make-empty-file": "w", "set-file-times": "w",
	"org-babel-tangle-file": "r", "org-babel-load-file": "x", "package-install-file": "x",
	"rename-file": "ww", "copy-file": "rw", "copy-directory": "rw", "add-name-to-file": "rw", "make-symbolic-link": "rw",
	"shell-command": "s", "shell-command-to-string": "s", "async-shell-command": "s", "compile": "s", "call-process-shell-command": "s",
	"process-lines": "c", "call-process": "c", "start-process": "--c", "call-process-region": "--c",
	// What they evaluate is made while they run.
	"eval": "?", "read": "?", "eval-region": "?", "eval-buffer": "?",
}

// form reads one expression. A constant string is returned as its text.
func (p *elisp) form() (head string, text *access.Word) {
	if p.depth++; p.depth > 60 {
		p.h.Unknown("Lisp nested too deep to read")
		p.i = len(p.s)
		return "", nil
	}
	defer func() { p.depth-- }()
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case strings.IndexByte(" \t\r\n'`,@#", c) >= 0:
			p.i++
		case c == ';':
			for p.i < len(p.s) && p.s[p.i] != '\n' {
				p.i++
			}
		case c == '"':
			w := p.str()
			return "", &w
		case c == '(' || c == '[':
			p.list()
			return "", nil
		case c == ')' || c == ']':
			p.i++
			return "", nil
		default:
			return p.atom(), nil
		}
	}
	return "", nil
}

func (p *elisp) atom() string {
	from := p.i
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n()[]\"';", p.s[p.i]) < 0 {
		if _, ok := p.hole(p.i); ok {
			p.h.Unknown("Lisp that is not in the line")
			p.i = len(p.s)
			return ""
		}
		if p.s[p.i] == '?' && p.i == from { // a character: ?( or ?\(
			if p.i++; p.i < len(p.s) && p.s[p.i] == '\\' {
				p.i++
			}
		}
		p.i = min(p.i+1, len(p.s))
	}
	return p.s[from:p.i]
}

func (p *elisp) str() access.Word {
	b := builder{p: p.source}
	from := p.i
	for p.i++; p.i < len(p.s) && p.s[p.i] != '"'; {
		if p.s[p.i] == '\\' && p.i+1 < len(p.s) {
			p.i = unescape(&b, p.s, p.i, "n\nt\tr\rs ")
			continue
		}
		b.copy(p.i)
		p.i++
	}
	p.i = min(p.i+1, len(p.s))
	b.span(from, p.i)
	return b.word()
}

func (p *elisp) list() {
	p.i++
	name := ""
	var args []*access.Word
	for first := true; p.i < len(p.s); first = false {
		for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
			p.i++
		}
		if p.i < len(p.s) && (p.s[p.i] == ')' || p.s[p.i] == ']') {
			p.i++
			break
		}
		head, text := p.form()
		if first {
			name = head
		} else {
			args = append(args, text)
		}
	}
	p.call(name, args)
}

func (p *elisp) call(name string, args []*access.Word) {
	for i, how := range elispCalls[name] {
		if how == '?' {
			p.h.Unknown(name + " of text that is made while it runs")
			return
		}
		if how == '-' || i >= len(args) {
			continue
		}
		if args[i] == nil {
			p.h.Unknown("argument of " + name + " that is not in the line")
			continue
		}
		why := "argument of " + name
		switch how {
		case 'r':
			p.h.File(*args[i], access.Read, why)
		case 'w':
			p.h.File(*args[i], access.Write, why)
		case 'x':
			p.h.File(*args[i], access.Execute, why)
		case 's':
			p.h.Shell(*args[i])
		case 'c':
			argv := []access.Word{*args[i]}
			for _, a := range args[i+1:] {
				if a != nil {
					argv = append(argv, *a)
				}
			}
			p.h.Exec(argv)
		}
	}
}
