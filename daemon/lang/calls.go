package lang

import (
	"slices"
	"strings"

	"extdir/daemon/access"
)

// called is v(args).
func (p *script) called(v term, args []arg) term {
	if p.g.call != nil {
		if out, ok := p.g.call(p, v, args); ok {
			return out
		}
	}
	path := v.path
	for _, b := range []string{"builtins.", "__builtins__.", "globalThis.", "window.", "CORE.", "Kernel.", "Object.", "_G."} {
		path = strings.TrimPrefix(path, b)
	}
	last := path[strings.LastIndexByte(path, '.')+1:]
	if v.fn {
		for i, a := range args {
			if i < len(v.pars) {
				p.assign(v.pars[i], a.t)
			} else {
				p.mention(a.t.v, 0)
			}
		}
		return term{v: v.v}
	}
	if params, ok := p.defs[path]; ok && path != "" {
		for i, a := range args {
			if p.first {
				a.t.v = a.t.v.known()
			}
			switch {
			case p.first && a.t.v.zero():
			case a.key != "":
				p.assign(a.key, a.t)
			case i < len(params):
				p.assign(params[i], a.t)
			default:
				p.mention(a.t.v, 0)
			}
		}
		return term{v: p.lookup(path + "()")}
	}
	if action, ok := p.action(path); ok {
		return p.act(action, v, last, args)
	}
	if p.g.text[path] || p.g.text[last] {
		if fetchers[last] {
			p.fetch(args, last+" in "+p.g.name+" code")
		}
		return term{v: computed}
	}
	if textual(last) {
		// Should its result be opened after all, it may be of what it was given.
		out := computed
		for _, a := range args {
			for _, w := range a.t.v.forms {
				out = out.add(w)
			}
		}
		return term{v: out}
	}
	for _, a := range args {
		p.mention(a.t.v, 0)
	}
	return term{v: computed}
}

// action is what the table says of a path: of all of it, of its last two names,
// of its last as a method.
func (p *script) action(path string) (string, bool) {
	if a, ok := p.g.calls[path]; ok {
		return a, true
	}
	if !strings.Contains(path, ".") {
		for _, m := range p.stars[:min(len(p.stars), 8)] {
			if a, ok := p.g.calls[m+"."+path]; ok {
				return a, true
			}
		}
	}
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", false
	}
	if j := strings.LastIndexByte(path[:i], '.'); j >= 0 {
		if a, ok := p.g.calls[path[j+1:]]; ok {
			return a, true
		}
	}
	if a, ok := p.g.calls[path[i:]]; ok {
		return a, true
	}
	if p.g.name == "R" { // package::function
		if a, ok := p.g.calls[path[i+1:]]; ok {
			return a, true
		}
	}
	// Node's names for what blocks are used for nothing else, whatever the
	// module is called.
	if p.g.name == "javascript" && strings.HasSuffix(path, "Sync") {
		for _, m := range []string{"", "fs.", "child_process."} {
			if a, ok := p.g.calls[m+path[i+1:]]; ok {
				return a, true
			}
		}
	}
	return "", false
}

// kindOf reads the mode of an open: what it may do to the file.
func kindOf(mode value, given bool) []access.Kind {
	if !given {
		return []access.Kind{access.Read}
	}
	s, ok := mode.lit()
	if !ok {
		return []access.Kind{access.Read, access.Write}
	}
	switch {
	case strings.ContainsAny(s, "+"):
		return []access.Kind{access.Read, access.Write}
	case strings.ContainsAny(s, "wax>"):
		return []access.Kind{access.Write}
	}
	return []access.Kind{access.Read}
}

// act does what a table says of a call, see [table].
func (p *script) act(action string, v term, last string, args []arg) term {
	letters, result, _ := strings.Cut(action, ">")
	why := last + " in " + p.g.name + " code"
	var pos []term
	keys := map[string]term{}
	for _, a := range args {
		if a.key == "" || a.key == "path" || a.key == "args" || a.key == "file" || a.key == "filename" || a.key == "src" || a.key == "source" || a.key == "command" {
			pos = append(pos, a.t)
		} else {
			keys[a.key] = a.t
		}
	}
	for _, k := range []string{"dst", "target", "destination", "dest"} {
		if t, ok := keys[k]; ok {
			pos = append(pos, t)
			delete(keys, k)
		}
	}
	var dir value
	for _, k := range []string{"cwd", "chdir"} {
		if t, ok := keys[k]; ok {
			dir = t.v
			delete(keys, k)
		}
	}
	for _, t := range pos {
		for i, k := range t.v.keys {
			if (k == "cwd" || k == "chdir") && i < len(t.v.list) {
				dir = t.v.list[i]
			}
		}
	}
	if dir.judged && len(dir.forms) == 0 {
		dir = value{}
	}
	if !dir.zero() {
		p.open(dir, access.Read, why)
		dir = p.below(dir, 0)
	}
	mode, moded := keys["mode"]
	delete(keys, "mode")
	_, shell := keys["shell"]
	for _, t := range pos {
		for _, k := range t.v.keys {
			shell = shell || k == "shell"
		}
	}
	if !strings.HasPrefix(letters, "t") {
		for _, t := range keys {
			p.mention(t.v, 0)
		}
	}
	if letters != "" && letters[0] >= 'A' && letters[0] <= 'Z' {
		how := letters[0]
		letters = letters[1:]
		unsure := strings.HasPrefix(letters, "?")
		letters = strings.TrimPrefix(letters, "?")
		if how == 'M' && len(pos) > 0 {
			if s, ok := pos[0].v.lit(); ok && len(s) > 3 || !ok && v.recv.computed && len(v.recv.forms) == 0 {
				return p.act("m>"+result, v, last, args) // Image.open("x.png")
			}
			mode, moded = pos[0], true
		}
		if !unsure || !v.recv.computed {
			p.receiver(how, v.recv, mode, moded, why)
		} else if len(v.recv.forms) > 0 {
			p.receiver(how, value{forms: v.recv.forms}, mode, moded, why)
		} else if unsure && letters != "" && letters[0] != 't' {
			for _, t := range pos {
				p.mention(t.v, 0)
			}
			return term{v: computed}
		}
	}
	for i, t := range pos {
		// What a call is known not to open is text; tables hold options.
		c := byte('t')
		if t.v.list != nil && letters != "" {
			c = '?'
		}
		switch {
		case letters == "" || i > 0 && strings.IndexByte("sap", letters[0]) >= 0:
			c = 't' // folded, or part of the command
		case i < len(letters) && letters[i] != '*':
			c = letters[i]
		case strings.HasSuffix(letters, "*") && len(letters) > 1:
			c = letters[len(letters)-2]
		}
		switch c {
		case 'r':
			p.open(t.v, access.Read, why)
		case 'w':
			p.open(t.v, access.Write, why)
		case 'x':
			p.open(t.v, access.Execute, why)
		case 'b':
			p.open(t.v, access.Read, why)
			p.open(t.v, access.Write, why)
		case 'l':
			p.open(t.v, access.Read, why)
			p.lists(t.v)
		case 'g':
			pattern := value{computed: t.v.computed, judged: t.v.judged, list: t.v.list}
			for _, w := range t.v.forms {
				pattern.forms = append(pattern.forms, bare(w))
			}
			p.open(pattern, access.Read, why)
			p.lists(pattern)
		case 'm':
			m, given := mode, moded
			if !given && i+1 < len(pos) {
				m, given = pos[i+1], true
				if strings.HasSuffix(m.path, "RDONLY") {
					given = false
				}
				if len(m.v.keys) > 0 {
					given = false
				}
			}
			for _, k := range kindOf(m.v, given) {
				p.open(t.v, k, why)
			}
		case 'h':
			p.shellIn(t.v, dir)
		case 's', 'a', 'p':
			if i > 0 {
				continue
			}
			p.process(c, pos, shell, dir)
		case 'c':
			p.run(t.v)
		case 'i':
			return p.module(t.v, why)
		case 't':
		default:
			p.mention(t.v, 0)
		}
	}
	if (last == "chdir" || last == "cd" || last == "setwd") && len(pos) > 0 {
		p.goes(pos[0].v)
	}
	first := term{v: computed}
	if len(pos) > 0 {
		first = pos[0]
	}
	switch result {
	case "p":
		return term{v: first.v}
	case "v":
		return term{v: v.recv}
	case "j":
		out := first.v
		for _, t := range pos[min(1, len(pos)):] {
			out = joinPath(out, t.v)
		}
		return term{v: out}
	case "d":
		return term{v: dirOf(first.v)}
	case "":
		if strings.HasPrefix(letters, "l") {
			return term{v: p.named("#")}
		}
		return term{v: computed}
	case "n":
		return term{v: p.named("#")}
	case "o":
		return term{v: judged}
	}
	return term{v: p.named(result)}
}

// open reports a file, relative to the directory the program went to.
func (p *script) open(v value, kind access.Kind, why string) {
	v = ofURL(v)
	if !p.cwd.zero() {
		v = p.below(v, 0)
	}
	v.open(p.h, kind, why, p.g.name)
	// A listing is reported as read. What is done to its names is done to
	// whatever was listed: which listing a name came from isn't followed.
	if kind != access.Read && v.fromList(0) {
		for _, w := range p.listed.forms {
			p.h.File(w, kind, why)
		}
	}
}

// fetchers are names of calls that take a URL, which may be one of a file.
var fetchers = set("urlopen urlretrieve fetch get request goto Request")

// fetch reports the files among the URLs that a call fetches.
func (p *script) fetch(args []arg, why string) {
	for _, a := range args {
		for _, w := range a.t.v.forms {
			if w.HasPrefix("file://") {
				p.open(constant(w), access.Read, why)
			}
		}
	}
}

// ofURL turns URLs of files into the files' names: file:///etc/x, and
// file://localhost/etc/x (RFC 8089).
func ofURL(v value) value {
	for i, w := range v.forms {
		if !w.HasPrefix("file://") {
			continue
		}
		n := len("file://")
		if w.HasPrefix("file://localhost/") {
			n = len("file://localhost")
		}
		v.forms = slices.Clone(v.forms)
		v.forms[i] = w.From(n)
	}
	return v
}

// fromList tells whether a value may be a name that was judged where it came from.
func (v value) fromList(depth int) bool {
	if v.judged {
		return true
	}
	for _, e := range v.list {
		if depth < 8 && e.fromList(depth+1) {
			return true
		}
	}
	return false
}

func (p *script) below(v value, depth int) value {
	out := value{computed: v.computed, judged: v.judged}
	for _, w := range v.forms {
		if w.HasPrefix("/") || w.HasPrefix("~") {
			out = out.add(w)
		} else {
			out = out.or(joinPath(p.cwd, constant(w)))
		}
	}
	if v.list != nil {
		out.list = []value{}
	}
	for _, e := range v.list {
		if depth < 8 {
			out.list = append(out.list, p.below(e, depth+1))
		}
	}
	return out
}

// goes moves the program to a directory; what it opens after that is relative to
// it. Commands it starts go there as well.
func (p *script) goes(v value) {
	if !v.judged {
		p.cwd = p.below(v, 0)
	}
}

// exec reports a command started in a directory: the program's, or its own.
func (p *script) exec(argv []access.Word, dir value) {
	if dir.zero() {
		dir = p.cwd
	}
	if dir.zero() {
		p.h.Exec(argv)
		return
	}
	for _, d := range dir.words() {
		p.h.Exec(append([]access.Word{access.Text("env"), access.Text("-C"), d}, argv...))
	}
}

func (p *script) receiver(how byte, v value, mode term, moded bool, why string) {
	switch how {
	case 'R', 'L':
		p.open(v, access.Read, why)
		if how == 'L' {
			p.lists(v)
		}
	case 'W':
		p.open(v, access.Write, why)
	case 'B':
		p.open(v, access.Read, why)
		p.open(v, access.Write, why)
	case 'M':
		for _, k := range kindOf(mode.v, moded) {
			p.open(v, k, why)
		}
	case 'G':
		p.open(v, access.Read, why)
		p.lists(v)
	}
}

// lists remembers where names come from that a program goes on with.
func (p *script) lists(v value) {
	if !p.cwd.zero() {
		v = p.below(v, 0)
	}
	p.listed = p.listed.or(value{forms: v.forms})
}

// shellIn reports text for a shell that starts in a directory.
func (p *script) shellIn(v, dir value) {
	if len(v.list) > 0 {
		v = v.list[0]
	}
	if dir.zero() {
		dir = p.cwd
	}
	if dir.zero() {
		v.shell(p.h, p.g.name)
		return
	}
	for _, w := range v.forms {
		p.exec([]access.Word{access.Text("sh"), access.Text("-c"), w}, dir)
	}
	v.forms = nil
	if v.computed || v.judged {
		v.shell(p.h, p.g.name)
	}
}

// process reports a program with its arguments. c: 's' one string is for a shell,
// more are a program; 'p' a string is for a shell, a list a program; 'a' a string
// is a program, unless a shell is asked for.
func (p *script) process(c byte, pos []term, shell bool, dir value) {
	first := pos[0].v
	if shell {
		p.shellIn(first, dir)
		return
	}
	if first.list == nil && (c == 'p' || c == 's' && len(pos) == 1) {
		p.shellIn(first, dir)
		return
	}
	var argv []access.Word
	add := func(v value) {
		switch {
		case len(v.forms) == 1 && !v.computed && !v.judged:
			argv = append(argv, v.forms[0])
		default:
			for _, w := range v.forms {
				if pathLike(w) {
					p.h.File(w, access.Read, "argument of a command in "+p.g.name+" code")
				}
			}
			argv = append(argv, access.Unknowable(access.Any, 0, 0))
		}
	}
	for i, t := range pos {
		switch {
		case t.v.list != nil && len(t.v.keys) > 0 && strings.Join(t.v.keys, "") != "":
			p.mention(t.v, 0) // options
		case t.v.list != nil:
			for _, e := range t.v.list {
				add(e)
			}
			if t.v.computed {
				add(computed)
			}
			if i == 0 && c != 's' {
				goto done
			}
		case i > 0 && len(t.v.forms) == 0:
			// a callback, options in a variable, or arguments that are computed
			if c == 's' || c == 'a' && i == 1 {
				add(computed)
			}
		default:
			add(t.v)
		}
	}
done:
	if len(argv) > 0 {
		p.exec(argv, dir)
	}
}

// run reads code in code.
func (p *script) run(v value) {
	if p.learn { // it has variables of its own
		return
	}
	for _, w := range v.forms {
		if p.code > 4 {
			p.h.Unknown(p.g.name + " code nested too deep to read")
			return
		}
		p.g.read(w, p.h, p.code+1)
	}
	if v.computed || v.judged || v.zero() {
		p.h.Unknown("computed code in " + p.g.name + " code")
	}
}

// imports tells of a module that is loaded by its name.
func (p *script) imports(name string) {
	if h, ok := p.h.(Importer); ok && name != "" {
		h.Import(name)
	}
}

// module loads a module by name, or by path.
func (p *script) module(v value, why string) term {
	if v.computed || v.zero() {
		p.h.Unknown("computed module in " + p.g.name + " code")
	}
	out := term{v: computed, path: "?"}
	for _, w := range v.forms {
		s := w.String()
		if strings.HasPrefix(s, "/") || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "~") {
			kind := access.Execute
			if strings.HasSuffix(s, ".json") {
				kind = access.Read
			}
			p.h.File(w, kind, why)
			continue
		}
		if !w.Known() {
			p.h.Unknown("computed module in " + p.g.name + " code")
			continue
		}
		p.imports(s)
		s = strings.TrimPrefix(s, "node:")
		s, _, _ = strings.Cut(s, "/")
		out.path = s
	}
	return out
}
