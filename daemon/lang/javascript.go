package lang

import (
	"strings"

	"extdir/daemon/access"
)

// javascript is the grammar of JavaScript and TypeScript in Node, Deno and Bun.
var javascript = &grammar{
	name:    "javascript",
	comment: []string{"//", "#!"},
	block:   [][2]string{{"/*", "*/"}},
	quotes:  "'\"`",
	style: func(q byte) style {
		st := style{escapes: pythonEscapes}
		if q == '`' {
			st.insert = '$'
		}
		return st
	},
	special:  javascriptToken,
	patterns: true,
	classes:  true,
	concat:   "+",
	member:   ".",
	soft:     true,
	skip: words(`const let var if else while do try catch finally return throw switch case default export async await break continue new
		static public private readonly declare type enum yield typeof void delete get set`),
	beforeOperand: words(`return typeof new await case in of void delete throw yield do else instanceof async`),
	text: words(`console.log print printjson console.error console.warn console.info console.debug console.table log test match matchAll replace replaceAll
		split includes startsWith endsWith indexOf lastIndexOf search fetch get post put delete patch head all use route goto navigate push replaceState
		visit request href redirect render expect toEqual toBe toContain toMatch toStrictEqual toHaveBeenCalledWith toHaveURL describe it
		beforeEach Error TypeError RegExp URL URLSearchParams encodeURIComponent encodeURI decodeURIComponent JSON.stringify JSON.parse
		axios axios.get setHeader header send json querySelector querySelectorAll getElementById locator click fill waitForURL equal
		deepEqual strictEqual deepStrictEqual notEqual assert assert.equal localeCompare setTimeout createElement sub createHash update
		process.stdout.write stdout.write concat_ pathToRegexp match_path Router.get link navigateTo Set Map`),
	calls: table(`
		r: fs.readFile fs.readFileSync fs.createReadStream fs.stat fs.statSync fs.lstat fs.lstatSync fs.access fs.accessSync fs.exists fs.existsSync fs.readlink fs.readlinkSync fs.realpath fs.realpathSync fs.watch fs.watchFile fs.opendir fs.opendirSync fs.statfs
		r: readFile readFileSync createReadStream statSync lstatSync existsSync readlinkSync realpathSync readJson readJsonSync readJSON readJSONSync fs.readJson pathExists Deno.readTextFile Deno.readFile Deno.readTextFileSync Deno.readFileSync Deno.stat Deno.statSync Deno.lstat Deno.readLink Bun.file process.chdir Deno.chdir fs.openAsBlob process.loadEnvFile .sendFile .download sqlite.DatabaseSync Database
		l: fs.readdir fs.readdirSync readdirSync readdir Deno.readDir Deno.readDirSync
		w: fs.writeFile fs.writeFileSync fs.appendFile fs.appendFileSync fs.createWriteStream fs.unlink fs.unlinkSync fs.rm fs.rmSync fs.rmdir fs.rmdirSync fs.mkdir fs.mkdirSync fs.mkdtemp fs.mkdtempSync fs.truncate fs.truncateSync fs.chmod fs.chmodSync fs.chown fs.chownSync fs.utimes fs.utimesSync
		wt: writeFile writeFileSync appendFile appendFileSync createWriteStream unlinkSync rmSync rmdirSync mkdirSync mkdtempSync rimraf rimrafSync rimraf.sync mkdirp mkdirp.sync outputFile outputFileSync outputJson ensureDir ensureDirSync ensureFile emptyDir emptyDirSync writeJson writeJsonSync fs.outputFile fs.remove fs.removeSync fs.ensureDir fs.ensureDirSync fs.ensureFile fs.emptyDir fs.writeJson fs.writeJsonSync Deno.writeTextFile Deno.writeFile Deno.writeTextFileSync Deno.writeFileSync Deno.remove Deno.removeSync Deno.mkdir Deno.mkdirSync Deno.chmod Deno.truncate Bun.write
		bw: fs.rename fs.renameSync renameSync fs.move fs.moveSync Deno.rename Deno.renameSync
		rw: fs.copyFile fs.copyFileSync fs.cp fs.cpSync copyFile copyFileSync cpSync fs.link fs.linkSync fs.symlink fs.symlinkSync linkSync symlinkSync fs.copy fs.copySync copySync Deno.copyFile Deno.copyFileSync Deno.link Deno.symlink
		m: fs.open fs.openSync openSync Deno.open_
		r: Deno.open
		g>o: glob glob.sync globSync fs.glob fs.globSync fg fg.sync globby
		h: child_process.exec child_process.execSync exec execSync execaCommand execa.command execaCommandSync shelljs.exec shell.exec
		a: child_process.spawn child_process.spawnSync child_process.execFile child_process.execFileSync spawn spawnSync execFile execFileSync execa execaSync Bun.spawn Bun.spawnSync Deno.Command
		x: child_process.fork fork Worker worker_threads.Worker process.dlopen
		c: eval Function vm.runInThisContext vm.runInNewContext vm.runInContext vm.Script
		i: require import require.resolve_ createRequire_
		>j: path.join path.resolve path.posix.join join_ path.posix.resolve
		t>p: path.normalize String path.toNamespacedPath Buffer.from_ Array.from Object.freeze fileURLToPath_
		t>d: path.dirname dirname
		t>n: path.basename path.extname basename parseInt Number Date.now
		t>v: .toString .trim .trimEnd .normalize .slice_ .values .sort .flat .reverse_
		>~: os.homedir homedir
		>.: process.cwd Deno.cwd
		>/tmp: os.tmpdir tmpdir
	`),
	consts: map[string]string{
		"process.argv": "@", "process.execPath": "node", "path.sep": "/", "process.env.HOME": "~", "__dirname": "DIR", "__filename": "FILE",
		"import.meta.dirname": "DIR", "import.meta.filename": "FILE", "import.meta.url": "FILE", "os.EOL": "\n", "Deno.args": "@", "os.devNull": "/dev/null",
		"undefined": "?", "null": "?", "true": "?", "false": "?",
	},
	modules:   words("fs child_process process globalThis global vm module require Deno Bun process.mainModule"),
	statement: javascriptStatement,
	primary:   javascriptPrimary,
	call:      javascriptCall,
}

// javascriptToken reads names with $ and private names with #.
func javascriptToken(l *lexer, c byte) bool {
	if c != '$' && c != '#' && !(wordByte(c) && (c < '0' || c > '9')) {
		return false
	}
	a := l.i
	for l.i++; l.i < len(l.s) && (wordByte(l.s[l.i]) || l.s[l.i] == '$'); l.i++ {
	}
	l.emit('i', a, l.s[a:l.i])
	return true
}

func javascriptStatement(p *script, t token) bool {
	if t.kind != 'i' {
		return false
	}
	switch t.text {
	case "import", "export":
		n := p.at(1)
		if n.kind == 'o' && (n.text == "(" || n.text == ".") {
			return false
		}
		if n.kind != 's' && n.kind != 'i' && (n.kind != 'o' || n.text != "{" && n.text != "*") {
			return false
		}
		return p.importFrom(t.text)
	case "for":
		p.i++
		p.accept("await")
		if !p.accept("(") {
			return true
		}
		// for (const [a, b] of …): the names up to of or in
		var names []string
		for k := 0; k < 32; k++ {
			n := p.at(k)
			if n.kind == 'e' || n.kind == 'o' && (n.text == ";" || n.text == "=" || n.text == ")") {
				return true
			}
			if n.kind == 'i' && (n.text == "of" || n.text == "in") {
				p.i += k + 1
				p.bind(names, p.expr().v)
				return true
			}
			if n.kind == 'i' && n.text != "const" && n.text != "let" && n.text != "var" {
				names = append(names, n.text)
			}
		}
		return true
	case "function":
		p.i++
		p.accept("*")
		p.define(p.peek().text)
		return true
	case "return":
		p.i++
		if n := p.peek(); n.kind == '\n' || n.kind == 'e' || n.kind == 'o' && (n.text == ";" || n.text == "}") {
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

// importFrom reads import and export … from statements.
func (p *script) importFrom(word string) bool {
	var names [][2]string // as, what
	inBraces := false
	for k := 1; k < 256; k++ {
		n := p.at(k)
		inBraces = inBraces || n.text == "{"
		switch {
		case n.kind == 's':
			if k > 1 && p.at(k-1).text != "from" {
				return false
			}
			p.i += k + 1
			m := p.module(p.text(n), "import in javascript code")
			for _, as := range names {
				if m.path == "" || m.path == "?" {
					continue
				}
				p.alias[as[0]] = m.path
				if as[1] != "" {
					p.alias[as[0]] = m.path + "." + as[1]
				}
			}
			return true
		case n.kind == 'i' && n.text != "from" && n.text != "as" && n.text != "type":
			what := n.text
			if !inBraces {
				what = ""
			}
			if p.at(k-1).text == "as" && len(names) > 0 && inBraces {
				names[len(names)-1][0] = n.text
			} else {
				names = append(names, [2]string{n.text, what})
			}
		case n.kind == 'i', n.kind == '\n', n.kind == 'o' && (n.text == "{" || n.text == "}" || n.text == "," || n.text == "*"):
		default:
			return false
		}
		if word == "export" && k == 1 && n.kind == 'i' {
			return false
		}
	}
	return false
}

func javascriptPrimary(p *script, t token) (term, bool) {
	if t.kind != 'i' {
		return term{}, false
	}
	switch t.text {
	case "function":
		p.i++
		p.accept("*")
		outer := p.inDef
		p.define(p.peek().text)
		for p.peek().kind == '\n' {
			p.i++
		}
		if p.accept("{") {
			p.bracket("}")
		}
		p.inDef = outer
		return term{v: computed}, true
	case "class":
		p.i++
		for p.peek().kind == 'i' {
			p.i++
		}
		return term{v: computed}, true
	case "async", "await", "new", "typeof", "void", "delete", "yield":
		if n := p.at(1); n.kind == 'o' && n.text == "=>" {
			return term{}, false
		}
		p.i++
		return p.operand(), true
	case "import":
		if n := p.at(1); n.kind == 'o' && n.text == "." {
			p.i++
			return term{path: "import", v: computed}, true
		}
	}
	return term{}, false
}

func javascriptCall(p *script, v term, args []arg) (term, bool) {
	pos := func(i int) value {
		if i < len(args) {
			return args[i].t.v
		}
		return computed
	}
	last := v.path[strings.LastIndexByte(v.path, '.')+1:]
	switch v.path {
	case "path.join", "path.resolve", "path.posix.join", "path.posix.resolve":
		if len(args) == 0 {
			return term{v: constant(access.Text("."))}, true
		}
	case "String.fromCharCode", "String.fromCodePoint":
		out := constant(access.Word{})
		for _, a := range args {
			out = out.concat(character(a.t.v))
		}
		return term{v: out}, true
	case "Buffer.from", "atob":
		if len(args) > 1 || v.path == "atob" {
			return term{v: computed}, true
		}
		return term{v: pos(0)}, true
	case "Function", "vm.Script":
		if len(args) > 0 {
			p.run(args[len(args)-1].t.v)
		}
		return term{v: computed}, true
	case "URL":
		if s, _ := pos(0).lit(); strings.HasPrefix(s, "file:") {
			rest := strings.TrimPrefix(strings.TrimPrefix(s, "file:"), "//")
			return term{v: constant(access.Text(rest))}, true
		} else if len(args) > 1 && s != "" && !strings.Contains(s, "://") && len(pos(1).forms) > 0 { // URL(NAME, import.meta.url)
			return term{v: joinPath(dirOf(pos(1)), pos(0))}, true
		}
	case "fileURLToPath", "url.fileURLToPath":
		return term{v: pos(0)}, true
	case "Deno.Command", "Bun.spawn", "Bun.spawnSync":
		if v.path == "Deno.Command" && len(args) > 1 {
			var argv []term
			argv = append(argv, args[0].t)
			for i, k := range args[1].t.v.keys {
				if k == "args" {
					argv = append(argv, term{v: args[1].t.v.list[i]})
				}
			}
			p.process('a', argv, false, value{})
			return term{v: computed}, true
		}
	}
	if v.path == "$" || v.path == "Bun.$" || v.path == "zx.$" { // zx, bun: $`command`
		pos(0).shell(p.h, "javascript")
		return term{v: computed}, true
	}
	if v.has {
		switch last {
		case "join":
			if v.recv.list != nil {
				return term{v: joinText(pos(0), v.recv)}, true
			}
		case "concat":
			if len(v.recv.forms) > 0 {
				out := v.recv
				for _, a := range args {
					out = out.concat(a.t.v)
				}
				return term{v: out}, true
			}
		case "replace", "replaceAll":
			s, ok1 := v.recv.lit()
			a, ok2 := pos(0).lit()
			b, ok3 := pos(1).lit()
			if ok1 && ok2 && ok3 {
				n := 1
				if last == "replaceAll" {
					n = -1
				}
				return term{v: constant(access.Text(strings.Replace(s, a, b, n)))}, true
			}
		case "split":
			if len(v.recv.forms) > 0 && len(args) > 0 {
				if s, ok := pos(0).lit(); ok && s != "" {
					return term{v: splitText(v.recv, pos(0))}, true
				}
			}
			return term{v: computed}, true
		case "binding", "_linkedBinding":
			p.h.Unknown("inner part of the interpreter in javascript code")
			return term{v: computed}, true
		case "forEach", "map", "filter", "flatMap", "some", "every", "find":
			if len(args) > 0 && args[0].t.fn && len(args[0].t.pars) > 0 {
				p.bind(args[0].t.pars[:1], v.recv)
			}
			if last == "map" && len(args) > 0 && args[0].t.fn {
				return term{v: value{list: []value{args[0].t.v}}}, true
			}
			return term{v: v.recv}, true
		case "exec":
			// A pattern's exec, unless the program has the module that runs
			// commands and this is no pattern.
			if strings.Contains(p.s, "child_process") && !strings.HasPrefix(v.path, "?") && len(args) > 0 {
				return p.act("h", v, last, args), true
			}
			if !strings.HasPrefix(v.path, "child_process") && !strings.HasPrefix(v.path, "shell") {
				return term{v: computed}, true
			}
		case "screenshot", "pdf", "saveAs":
			for _, a := range args {
				for i, k := range a.t.v.keys {
					if k == "path" {
						p.open(a.t.v.list[i], access.Write, last+" in javascript code")
					}
				}
				if last == "saveAs" {
					p.open(a.t.v, access.Write, last+" in javascript code")
				}
			}
			return term{v: computed}, true
		case "constructor":
			p.run(pos(0))
			return term{v: computed}, true
		case "prepare", "query":
			for _, w := range pos(0).forms {
				readSQL(w, p.h)
			}
			return term{v: computed}, true
		}
	}
	if v.path == "child_process.exec" || v.path == "child_process.execSync" {
		return p.act("h", v, last, args), true
	}
	return term{}, false
}
