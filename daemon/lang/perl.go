package lang

import (
	"strings"

	"extdir/daemon/access"
)

// perl is the grammar of Perl 5: quote-like operators, calls without
// parentheses, file tests, here-documents.
var perl = &grammar{
	name:       "perl",
	comment:    []string{"#"},
	quotes:     "'\"`",
	style:      perlStyle,
	special:    perlToken,
	semicolons: true,
	patterns:   true,
	concat:     ".",
	member:     "->",
	commands:   true,
	skip: words(`if unless while until else elsif return my our local BEGIN END eval_ package last next redo no and or not die_
		continue_ when given default state`),
	beforeOperand: words(`my our local return and or not if unless while until x eq ne lt gt le ge cmp elsif state else foreach for`),
	text: words(`print say printf die warn croak confess carp split grep map join_ index rindex substr lc uc ucfirst lcfirst length push unshift
		splice sort reverse keys values each exists delete defined scalar ref bless chomp chop sprintf_ is ok like cmp_ok is_deeply pos quotemeta
		pack unpack md5_hex sha1_hex encode_json decode_json binmode close eof seek tell select printf get post hex oct ord crypt`),
	calls: table(`
		tl: opendir
		tm: sysopen
		w: unlink mkdir rmdir truncate File.Path.make_path make_path File.Path.mkpath mkpath remove_tree rmtree File.Path.remove_tree File.Path.rmtree dbmopen_ write_file append_file .spew .spew_utf8 .append_
		w*: unlink
		tw*: chmod
		ttw*: chown utime
		bw: rename move mv File.Copy.move File.Copy.mv
		rw: copy cp File.Copy.copy File.Copy.cp link symlink syscopy
		r: stat lstat readlink chdir chroot read_file slurp_file read_text read_binary
		r: IO.Dir.new IO.Dir.open
		m: IO.File.new IO.File.open
		tr*: File.Find.find find finddepth
		g>o: glob bsd_glob File.Glob.glob
		R?: .slurp .slurp_utf8 .slurp_raw .lines .lines_utf8 .openr .openr_utf8 .children .iterator
		W?t: .spew .spew_utf8 .spew_raw .append .append_utf8 .touch .remove .remove_tree .mkpath .openw .opena
		s: system exec
		h: readpipe
		a: IPC.Open3.open3 open2_ run_ capture
		>j: File.Spec.catfile File.Spec.catdir catfile catdir File.Spec.join
		t>p: File.Spec.rel2abs rel2abs abs_path realpath Cwd.abs_path Cwd.realpath File.Spec.canonpath path Path.Tiny.path Path.Class.file file canonpath
		t>d: dirname File.Basename.dirname
		t>n: basename File.Basename.basename time int abs
		>.: getcwd cwd Cwd.getcwd Cwd.cwd
		>/tmp: tmpdir File.Spec.tmpdir
	`),
	consts: map[string]string{
		"$ARGV": "@", "@ARGV": "@", "$ENV.HOME": "~", "$0": "@", "$$": "#", "$^X": "perl", "ARGV": "@", "STDIN": "?", "STDOUT": "?", "STDERR": "?",
	},
	modules:   map[string]bool{},
	statement: perlStatement,
	primary:   perlPrimary,
	call:      perlCall,
}

func perlStatement(p *script, t token) bool {
	if t.kind != 'i' {
		return false
	}
	switch t.text {
	case "sub":
		p.i++
		if n := p.peek(); n.kind == 'i' {
			p.i++
			p.defs[n.text] = nil
			p.inDef = n.text
			if p.op("(") { // a signature or a prototype
				p.i++
				var params []string
				for _, a := range p.bracket(")") {
					params = append(params, a.t.name)
				}
				p.defs[n.text] = params
			}
		}
		return true
	case "for", "foreach":
		p.i++
		name := "$_"
		if p.accept("my") || p.accept("our") {
			name = p.peek().text
			p.i++
		} else if n := p.peek(); n.kind == 'i' && n.text[0] == '$' {
			name = n.text
			p.i++
		}
		if p.accept("(") {
			all := value{list: []value{}}
			for _, a := range p.bracket(")") {
				all = all.or(flat(a.t.v))
			}
			if len(all.list) > 0 || all.judged || all.computed {
				p.assign(name, term{v: all.element()})
			}
		} else if v := p.expr(); true {
			p.assign(name, term{v: v.v.element()})
		}
		return true
	case "use", "no":
		if n := p.at(1); n.kind == 'i' {
			p.i += 2
			module := n.text
			for p.op("::") {
				module += "::" + p.at(1).text
				p.i += 2
			}
			if t.text == "use" {
				p.imports(module)
			}
			if n.text == "lib" && t.text == "use" {
				for p.peek().kind != 'e' && !p.op(";") {
					at := p.i
					p.open(p.expr().v, access.Read, "use lib in perl code")
					p.accept(",")
					if p.i == at {
						break
					}
				}
			}
			for p.peek().kind != 'e' && !p.op(";") {
				p.i++
			}
			return true
		}
		if n := p.at(1); n.kind == 'n' {
			p.i += 2
			return true
		}
	case "return":
		p.i++
		if n := p.peek(); n.kind == 'e' || n.kind == 'o' && (n.text == ";" || n.text == "}") || n.kind == 'i' && (n.text == "if" || n.text == "unless") {
			return true
		}
		v := p.expr()
		if p.inDef != "" {
			p.assign(p.inDef+"()", term{v: v.v})
		} else {
			p.mention(v.v, 0)
		}
		return true
	}
	return false
}

// flat is a value as a list.
func flat(v value) value {
	if v.list != nil || v.judged || v.computed && len(v.forms) == 0 {
		return v
	}
	out := value{list: []value{}, computed: v.computed}
	for _, f := range v.forms {
		out.list = append(out.list, constant(f))
	}
	return out
}

// arguments of the function that is read: @_ and shift.
func (p *script) received() value {
	if p.inDef == "" {
		return judged
	}
	return p.lookup(p.inDef + "@").element()
}

func perlPrimary(p *script, t token) (term, bool) {
	switch {
	case t.kind == '/' && len(t.parts) > 0:
		p.i++
		p.text(t)
		return term{v: computed}, true
	case t.kind == 'o' && t.text == "\\":
		p.i++
		v := p.operand()
		if v.v.list != nil {
			return v, true
		}
		return term{v: computed, path: "\\"}, true
	case t.kind != 'i':
		return term{}, false
	}
	switch t.text {
	case "shift", "pop":
		p.i++
		if p.accept("(") {
			p.bracket(")")
			return term{v: p.received()}, true
		}
		if n := p.peek(); n.kind == 'i' && n.text[0] == '@' {
			p.i++
			if n.text == "@ARGV" {
				return term{v: judged}, true
			}
			if n.text != "@_" {
				return term{v: p.lookup(n.text).element()}, true
			}
		}
		return term{v: p.received()}, true
	case "@_", "$_[":
		p.i++
		return term{v: value{list: []value{p.received()}}}, true
	case "my", "our", "local":
		p.i++
		return p.operand(), true
	case "-X":
		p.i++
		v := p.operand()
		if v.v.zero() || p.peek().kind == 'e' && v.name == "" && v.path == "" && len(v.v.forms) == 0 {
			return term{v: computed}, true
		}
		if len(v.v.forms) > 0 || v.name != "" && strings.HasPrefix(v.name, "$") && v.name != "$_" {
			p.open(v.v, access.Read, "file test in perl code")
		}
		return term{v: computed}, true
	case "do", "require":
		n := p.at(1)
		if n.kind == 's' || n.kind == 'i' && strings.HasPrefix(n.text, "$") || t.text == "do" && n.text == "(" {
			p.i++
			p.open(p.operand().v, access.Execute, t.text+" in perl code")
			return term{v: computed}, true
		}
		if t.text == "require" {
			p.i += 2
			return term{v: computed}, true
		}
		p.i++
		return p.operand(), true
	case "eval":
		p.i++
		if p.op("{") {
			return p.operand(), true
		}
		if n := p.peek(); n.kind == 'e' || n.kind == 'o' && n.text != "(" {
			p.h.Unknown("computed code in perl code")
			return term{v: computed}, true
		}
		p.run(p.expr().v)
		return term{v: computed}, true
	case "sub":
		p.i++
		return p.operand(), true
	case "system", "exec":
		// exec { PROGRAM } LIST: the program, and what it is told it is called
		if n := p.at(1); n.kind != 'o' || n.text != "{" {
			return term{}, false
		}
		p.i += 2
		program := p.bracket("}")
		var argv []term
		for n := 0; n < 256; n++ {
			v := p.expr()
			if n > 0 || v.v.list != nil {
				argv = append(argv, v)
			}
			if !p.accept(",") {
				break
			}
		}
		if len(program) > 0 {
			argv = append([]term{program[0].t}, argv...)
		}
		if len(argv) > 0 {
			p.process('a', argv, false, value{})
		} else {
			p.h.Unknown("computed command in perl code")
		}
		return term{v: computed}, true
	}
	return term{}, false
}

// pipeOpen reads a name as two-argument open of Perl and open of Ruby do: a bar
// makes it a command, < and > say how it is opened.
func (p *script) pipeOpen(v value, why string) {
	for _, w := range v.forms {
		text := w.String()
		for strings.HasPrefix(text, " ") && w.HasPrefix(" ") {
			w, text = w.From(1), text[1:]
		}
		switch {
		case w.HasPrefix("|"):
			p.h.Shell(w.From(1))
			continue
		case strings.HasSuffix(strings.TrimRight(text, " "), "|"):
			before, _, _ := w.CutLast('|')
			p.h.Shell(before)
			continue
		}
		kinds := []access.Kind{access.Read}
		if w.HasPrefix("+") {
			w = w.From(1)
			kinds = []access.Kind{access.Read, access.Write}
		}
		for w.HasPrefix(">") || w.HasPrefix("<") {
			if w.HasPrefix(">") && len(kinds) == 1 {
				kinds = []access.Kind{access.Write}
			}
			w = w.From(1)
		}
		for w.HasPrefix(" ") {
			w = w.From(1)
		}
		if w.Empty() || w.HasPrefix("&") || w.String() == "-" {
			continue
		}
		for _, k := range kinds {
			p.open(constant(w), k, why)
		}
	}
	if v.computed || v.zero() {
		p.h.Unknown("computed name in " + p.g.name + " code")
	}
}

func perlCall(p *script, v term, args []arg) (term, bool) {
	pos := func(i int) value {
		if i < len(args) {
			return args[i].t.v
		}
		return computed
	}
	last := v.path[strings.LastIndexByte(v.path, '.')+1:]
	if _, ok := p.defs[v.path]; ok && v.path != "" {
		all := value{list: []value{}}
		for _, a := range args {
			all.list = append(all.list, a.t.v)
		}
		p.assign(v.path+"@", term{v: all})
		for i, n := range p.defs[v.path] {
			p.assign(n, term{v: pos(i)})
		}
		return term{v: p.lookup(v.path + "()")}, true
	}
	switch v.path {
	case "open":
		switch {
		case len(args) == 2:
			p.pipeOpen(pos(1), "open in perl code")
		case len(args) > 2:
			mode, _ := pos(1).lit()
			switch {
			case strings.Contains(mode, "|"):
				var argv []term
				for _, a := range args[2:] {
					argv = append(argv, a.t)
				}
				p.process('s', argv, false, value{})
			case args[2].t.path == "\\":
			default:
				kinds := kindOf(pos(1), true)
				if strings.HasPrefix(mode, "<") {
					kinds = []access.Kind{access.Read}
				}
				for _, k := range kinds {
					p.open(pos(2), k, "open in perl code")
				}
			}
		}
		return term{v: computed}, true
	case "sprintf":
		if f := pos(0); len(f.forms) == 1 && len(args) > 0 {
			var rest []value
			for _, a := range args[1:] {
				rest = append(rest, a.t.v)
			}
			return term{v: format(f.forms[0], rest)}, true
		}
		return term{v: computed}, true
	case "join":
		if len(args) > 0 {
			list := value{list: []value{}}
			for _, a := range args[1:] {
				if a.t.v.list != nil {
					list.list = append(list.list, a.t.v.list...)
				} else {
					list.list = append(list.list, a.t.v)
				}
			}
			return term{v: joinText(pos(0), list)}, true
		}
	case "chr":
		return term{v: character(pos(0))}, true
	case "readline":
		return term{v: computed}, true
	case "tempfile", "tempdir", "File.Temp.tempfile", "File.Temp.tempdir":
		p.open(constant(access.Text("/tmp")), access.Write, last+" in perl code")
		return term{v: judged}, true
	}
	if strings.HasPrefix(v.path, "$") && !v.has && len(v.path) > 1 { // $f->(…)
		for _, a := range args {
			p.mention(a.t.v, 0)
		}
		return term{v: computed}, true
	}
	return term{}, false
}
