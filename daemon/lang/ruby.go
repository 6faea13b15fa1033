package lang

import (
	"strings"

	"extdir/daemon/access"
)

// ruby is the grammar of Ruby: calls without parentheses, %-strings, symbols,
// #{…}, blocks.
var ruby = &grammar{
	name:    "ruby",
	comment: []string{"#"},
	quotes:  "'\"`",
	style: func(q byte) style {
		switch q {
		case '\'':
			return style{}
		case '`':
			return style{escapes: perlEscapes, insert: '#', shell: true}
		}
		return style{escapes: perlEscapes, insert: '#'}
	},
	special:  rubyToken,
	patterns: true,
	concat:   "+",
	member:   ".",
	percent:  true,
	soft:     true,
	commands: true,
	skip: words(`if unless while until else elsif return end begin rescue ensure do then yield next break redo retry and or not class module
		case when in private public protected`),
	beforeOperand: words(`return and or not if unless while until when in then yield else elsif do`),
	text: words(`puts print p pp printf warn raise abort match match? start_with? end_with? include? gsub sub gsub! sub! split index rindex tr delete_prefix
		delete_suffix scan assert_equal assert expect eq get post put delete_ patch head visit redirect_to root to_sym format_ attr_accessor attr_reader
		describe it context Regexp.new hexdigest md5 fetch_ dig key? has_key? inspect rjust ljust count squeeze puts_ info debug error URI parse
		URI.parse URI.join Net.HTTP.get resources namespace`),
	calls: table(`
		m: File.open File.new Pathname.open CSV.open Zlib.GzipReader.open_ Zip.File.open PStore.new_
		m: IO.open_ File.for_
		r: File.read File.readlines File.foreach File.binread IO.read IO.readlines IO.foreach IO.binread File.exist? File.exists? File.file? File.directory? File.stat File.lstat File.size File.size? File.mtime File.ctime File.atime File.zero? File.empty? File.readable? File.writable? File.executable? File.symlink? File.readlink File.realpath_ File.ftype File.identical? FileTest.exist?
		r: Dir.exist? Dir.open Dir.new Dir.chdir Dir.foreach YAML.load_file YAML.safe_load_file YAML.unsafe_load_file JSON.load_file JSON.parse_file CSV.read CSV.foreach CSV.table SQLite3.Database.new Zlib.GzipReader.open Nokogiri.open File.ftype Find.find PStore.new TOML.load_file Dotenv.load
		l: Dir.entries Dir.children
		l>o: Dir.each_child Dir.foreach Find.find
		g>o: Dir.glob Dir.[]
		wt: File.write File.binwrite IO.write IO.binwrite
		w*: File.delete File.unlink Dir.mkdir Dir.rmdir Dir.delete Dir.unlink File.truncate File.mkfifo
		tw*: File.chmod File.lchmod
		ttw*: File.chown File.utime
		bw: File.rename FileUtils.mv FileUtils.move
		rw: File.symlink File.link IO.copy_stream FileUtils.cp FileUtils.copy FileUtils.cp_r FileUtils.ln FileUtils.ln_s FileUtils.ln_sf FileUtils.install FileUtils.copy_file
		w*: FileUtils.rm FileUtils.rm_f FileUtils.rm_r FileUtils.rm_rf FileUtils.rmtree FileUtils.remove FileUtils.mkdir FileUtils.mkdir_p FileUtils.makedirs FileUtils.touch FileUtils.rmdir FileUtils.remove_dir FileUtils.remove_entry
		r: FileUtils.cd FileUtils.chdir cd_
		tw*: FileUtils.chmod FileUtils.chmod_R
		s: system exec spawn Process.spawn Open3.capture2 Open3.capture2e Open3.capture3 Open3.popen3 Open3.popen2 Open3.popen2e Open3.pipeline PTY.spawn
		p: IO.popen
		c: eval instance_eval class_eval module_eval binding.eval
		i: require require_relative load
		x: Fiddle.dlopen Fiddle.Handle.new
		R?: .read .readlines .each_line .binread .entries .children .exist? .file? .directory? .each_child .each_entry
		L?>o: .glob
		W?t: .write .binwrite .mkpath .mkdir .rmtree .unlink .delete
		>j: File.join
		t>p: File.realpath File.absolute_path File.path Pathname.new Pathname String Array File.realdirpath
		t>d: File.dirname
		t>n: File.basename File.extname Integer
		t>v: .to_s .strip .chomp .to_str .freeze .dup .realpath .cleanpath .expand_path .to_path .sort .uniq .to_a .each .map_ .compact
		>~: Dir.home
		>.: Dir.pwd Dir.getwd Pathname.pwd
		>/tmp: Dir.tmpdir
	`),
	consts: map[string]string{
		"ARGV": "@", "$0": "@", "ENV.HOME": "~", "__FILE__": "FILE", "__dir__": "DIR", "File.SEPARATOR": "/", "$PROGRAM_NAME": "@", "Dir.home": "~", "Dir.pwd": ".",
		"Dir.tmpdir": "/tmp", "ARGF": "?", "STDIN": "?", "STDOUT": "?", "$stdin": "?", "$stdout": "?", "$stderr": "?", "nil": "?", "true": "?", "false": "?", "Gem.ruby": "ruby",
		"RbConfig.ruby": "ruby", "ARGV.first": "@", "ARGV.shift": "@", "ARGV.last": "@",
	},
	modules:   map[string]bool{},
	statement: rubyStatement,
	primary:   rubyPrimary,
	call:      rubyCall,
}

func rubyToken(l *lexer, c byte) bool {
	a := l.i
	next := byte(0)
	if a+1 < len(l.s) {
		next = l.s[a+1]
	}
	name := func(i int) int {
		for i < len(l.s) && wordByte(l.s[i]) {
			i++
		}
		return i
	}
	switch {
	case c == '=' && (a == 0 || l.s[a-1] == '\n') && strings.HasPrefix(l.s[a:], "=begin"):
		if e := strings.Index(l.s[a:], "\n=end"); e >= 0 {
			l.i = a + e + 5
		} else {
			l.i = len(l.s)
		}
		return true
	case (c == '@' || c == '$') && (wordByte(next) || next == '@' && c == '@'):
		l.i = name(a + 2)
		l.emit('i', a, "$"+strings.TrimLeft(l.s[a:l.i], "@$"))
		if c == '$' {
			l.toks[len(l.toks)-1].text = l.s[a:l.i]
		}
		return true
	case c == '$' && next != 0 && next != ' ':
		l.i = a + 2
		l.emit('i', a, l.s[a:l.i])
		return true
	case c == ':' && (next == '"' || wordByte(next) && (next < '0' || next > '9')) && l.operandOrGap():
		if next == '"' {
			l.i = a + 2
			l.str(a, `"`, style{escapes: perlEscapes, insert: '#'})
			return true
		}
		l.i = name(a + 1)
		if l.i < len(l.s) && (l.s[l.i] == '?' || l.s[l.i] == '!') {
			l.i++
		}
		l.toks = append(l.toks, token{kind: 's', parts: []fragment{{word: l.text(a+1, l.i)}}, a: a, b: l.i})
		return true
	case c == '%' && (l.operand() || l.operandOrGap() && next != ' ' && next != '=') && next != 0:
		kind, at := next, a+2
		if !(kind >= 'a' && kind <= 'z' || kind >= 'A' && kind <= 'Z') {
			kind, at = 'Q', a+1
		}
		if at >= len(l.s) || wordByte(l.s[at]) || l.s[at] == ' ' || l.s[at] == '\n' || l.s[at] == 0 {
			return false
		}
		open, end, from, ok := l.delimiter(at)
		if !ok {
			return false
		}
		l.i = from
		st := style{escapes: perlEscapes, insert: '#', opener: open}
		switch kind {
		case 'w', 'W', 'i', 'I':
			l.list(a, end, open)
		case 'q', 's':
			l.str(a, end, style{opener: open})
		case 'x':
			st.shell = true
			l.str(a, end, st)
		case 'r':
			l.skipTo(end, open)
			l.i = name(l.i)
			l.emit('/', a, "")
		default:
			l.str(a, end, st)
		}
		return true
	case c == '<' && strings.HasPrefix(l.s[a:], "<<") && a+2 < len(l.s) && l.operandOrGap() &&
		(l.s[a+2] == '~' || l.s[a+2] == '-' || l.s[a+2] == '"' || l.s[a+2] == '\'' || l.s[a+2] >= 'A' && l.s[a+2] <= 'Z'):
		return l.heredoc(a + 2)
	case wordByte(c) && (c < '0' || c > '9'):
		l.i = name(a)
		if l.i < len(l.s) && (l.s[l.i] == '?' || l.s[l.i] == '!') && !strings.HasPrefix(l.s[l.i+1:], "=") {
			l.i++
		}
		if l.s[a:l.i] == "__END__" {
			l.i = len(l.s)
			return true
		}
		l.emit('i', a, l.s[a:l.i])
		return true
	}
	return false
}

// operandOrGap tells whether an operand begins, or a blank stands before and none
// behind: puts :x, puts %w(a).
func (l *lexer) operandOrGap() bool {
	return l.operand() || l.i > 0 && (l.s[l.i-1] == ' ' || l.s[l.i-1] == '\t') && l.i+1 < len(l.s) && l.s[l.i+1] != ' '
}

func rubyStatement(p *script, t token) bool {
	if t.kind != 'i' {
		return false
	}
	switch t.text {
	case "def":
		p.i++
		name := p.peek().text
		for p.at(1).kind == 'o' && p.at(1).text == "." {
			p.i += 2
			name = p.peek().text
		}
		if p.at(1).text == "(" {
			p.define(name)
		} else {
			p.i++
			var params []string
			for p.peek().kind == 'i' {
				params = append(params, p.peek().text)
				p.i++
				p.accept(",")
			}
			p.defs[name], p.inDef = params, name
		}
		return true
	case "for":
		p.i++
		p.forIn("in")
		return true
	case "return":
		p.i++
		if n := p.peek(); n.kind == 'e' || n.kind == '\n' || n.kind == 'i' && (n.text == "if" || n.text == "unless" || n.text == "end") {
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

func rubyPrimary(p *script, t token) (term, bool) {
	if t.kind != 'i' || t.text != "proc" && t.text != "lambda" {
		return term{}, false
	}
	p.i++
	return term{v: computed}, true
}

// block binds the parameters of { |a, b| … } and do |a, b| … end.
func (p *script) block(v term, t token) bool {
	if p.g.name != "ruby" || t.kind != 'o' && t.kind != 'i' || t.text != "{" && t.text != "do" || p.at(1).text != "|" {
		return false
	}
	var names []string
	k := 2
	for ; k < 32 && p.at(k).text != "|" && p.at(k).kind != 'e'; k++ {
		if p.at(k).kind == 'i' {
			names = append(names, p.at(k).text)
		}
	}
	if p.at(k).text != "|" {
		return false
	}
	last := v.path[strings.LastIndexByte(v.path, '.')+1:]
	switch {
	case last == "open" || last == "popen" || last == "new":
		for _, n := range names {
			p.assign(n, term{v: computed})
		}
	case v.recv.list != nil || v.recv.judged:
		if len(names) > 1 && strings.HasPrefix(last, "each_with") {
			names = names[:1]
		}
		p.bind(names, v.recv)
	case v.v.judged || len(v.v.forms) > 0:
		p.bind(names, v.v)
	case len(v.recv.forms) > 0:
		p.bind(names, v.recv)
	}
	if t.text == "do" {
		p.i += k + 1
	} else {
		p.i += k + 1
		p.bracket("}")
	}
	return true
}

func rubyCall(p *script, v term, args []arg) (term, bool) {
	pos := func(i int) value {
		if i < len(args) {
			return args[i].t.v
		}
		return computed
	}
	last := v.path[strings.LastIndexByte(v.path, '.')+1:]
	switch v.path {
	case "open", "Kernel.open", "URI.open":
		if len(args) == 0 {
			return term{v: computed}, true
		}
		for _, w := range pos(0).forms {
			if strings.Contains(w.String(), "://") {
				return term{v: computed}, true
			}
		}
		piped := false
		for _, w := range pos(0).forms {
			piped = piped || w.HasPrefix("|")
		}
		if piped {
			p.pipeOpen(pos(0), "open in ruby code")
			return term{v: computed}, true
		}
		return p.act("m", v, "open", args), true
	case "File.expand_path", "File.absolute_path":
		out := tilde(pos(0))
		if len(args) > 1 {
			out = joinPath(tilde(pos(1)), out)
		}
		return term{v: out}, true
	case "ENV.fetch":
		if s, _ := pos(0).lit(); s == "HOME" {
			return term{v: constant(home(0, 0))}, true
		}
		if len(args) > 1 {
			return term{v: computed.or(pos(1))}, true
		}
		return term{v: computed}, true
	case "format", "sprintf":
		if f := pos(0); len(f.forms) == 1 && len(args) > 0 {
			var rest []value
			for _, a := range args[1:] {
				rest = append(rest, a.t.v)
			}
			return term{v: format(f.forms[0], rest)}, true
		}
		return term{v: computed}, true
	case "Dir.mktmpdir", "Tempfile.new", "Tempfile.create", "Tempfile.open":
		p.open(constant(access.Text("/tmp")), access.Write, last+" in ruby code")
		return term{v: judged}, true
	case "method", "Object.const_get", "Kernel.const_get", "const_get":
		if s, ok := pos(0).lit(); ok {
			return term{v: computed, path: s}, true
		}
		p.h.Unknown("computed name in ruby code")
		return term{v: computed}, true
	}
	switch last {
	case "send", "public_send", "__send__":
		s, ok := pos(0).lit()
		if !ok {
			p.h.Unknown("computed name in ruby code")
			return term{v: computed}, true
		}
		target := strings.TrimSuffix(strings.TrimSuffix(v.path, last), ".")
		if target != "" && !strings.HasPrefix(target, "?") {
			s = target + "." + s
		}
		return p.called(term{path: s, recv: v.recv, has: v.has}, args[1:]), true
	case "const_get":
		if s, ok := pos(0).lit(); ok {
			return term{v: computed, path: s}, true
		}
		p.h.Unknown("computed name in ruby code")
		return term{v: computed}, true
	case "chr":
		return term{v: character(v.recv)}, true
	case "join":
		if v.has && v.recv.list != nil {
			return term{v: joinText(pos(0), v.recv)}, true
		}
		if v.has && len(v.recv.forms) > 0 { // Pathname
			return term{v: joinPath(v.recv, pos(0))}, true
		}
	case "execute", "execute_batch", "exec_query":
		for _, w := range pos(0).forms {
			readSQL(w, p.h)
		}
		return term{v: computed}, true
	}
	return term{}, false
}
