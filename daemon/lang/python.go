package lang

import (
	"strings"

	"extdir/daemon/access"
)

// python is the grammar of Python 3 (string prefixes, f-strings, comprehensions)
// and what its library calls the file system.
var python = &grammar{
	name:      "python",
	comment:   []string{"#"},
	quotes:    "'\"",
	style:     func(byte) style { return style{escapes: pythonEscapes} },
	special:   pythonString,
	braceless: true,
	concat:    "+",
	member:    ".",
	join:      true,
	percent:   true,
	skip: words(`if elif else while try finally with return raise assert del yield async pass global nonlocal match case and or not
		await except class`),
	beforeOperand: words(`not await yield lambda in and or return print_`),
	text: words(`print pprint match search fullmatch findall finditer sub subn split compile startswith endswith removeprefix
		removesuffix replace index find count md5 sha1 sha256 sha512 blake2b hash len str.startswith fnmatch assertEqual assertIn
		assertTrue assertNotEqual get post put delete patch head options request urlopen Request route add_url_rule add_route
		getLogger info debug warning error critical log exception input ValueError RuntimeError Exception AssertionError
		FileNotFoundError KeyError TypeError add_argument loads dumps encode_ write writelines goto click fill setdefault
		url_for redirect reverse resolve_url isinstance issubclass repr quote unquote urljoin urlparse urlsplit execute_ escape
		filter exclude get_or_create order_by test_client url_path_for json text style strftime strptime b64decode b64encode partition rpartition strip lstrip rstrip PurePath
		PurePosixPath`),
	calls: table(`
		m: open io.open codecs.open os.open gzip.open bz2.open lzma.open tarfile.open zipfile.ZipFile ZipFile aiofiles.open shelve.open dbm.open wave.open os.fdopen_
		M?: .open
		R: .read_text .read_bytes
		Wt: .write_text .write_bytes
		L>o: .iterdir .rglob
		l: .listdir
		l>o: .scandir
		w: .makedirs .rmtree
		L?t>o: .glob .walk
		t>o: .parse_args .parse_known_args
		R?: .exists .is_file .is_dir .is_symlink .stat .lstat .samefile .is_mount .readlink .owner
		W?: .unlink .touch .mkdir .rmdir .chmod .lchmod
		B?w: .rename .rename_ .replace_
		W?r: .symlink_to .hardlink_to
		r: os.stat os.lstat os.access os.path.exists os.path.isfile os.path.isdir os.path.islink os.path.getsize os.path.getmtime os.path.getctime os.path.lexists os.readlink os.chdir os.statvfs os.path.samefile os.getxattr os.listxattr os.pathconf path.exists path.isfile path.isdir path.getsize
		r: linecache.getline linecache.getlines fileinput.input fileinput.FileInput mmap.mmap_ sqlite3.connect pd.read_csv pandas.read_csv .read_csv .read_json .read_parquet .read_excel .read_pickle .read_table .read_hdf .read_feather np.load numpy.load np.loadtxt np.genfromtxt numpy.loadtxt np.fromfile Image.open cv2.imread imageio.imread .imread torch.load joblib.load h5py.File .load_model dotenv.load_dotenv load_dotenv dotenv_values configparser.read ET.parse ElementTree.parse minidom.parse etree.parse toml.load_ .from_file csv_open tokenize.open pkgutil.get_data wave.open soundfile.read sf.read nib.load xr.open_dataset open_dataset
		w: .screenshot .pdf .save_as .to_csv .to_json .to_parquet .to_excel .to_pickle .savefig plt.savefig np.save np.savetxt np.savez numpy.save cv2.imwrite imageio.imwrite .imwrite logging.FileHandler FileHandler RotatingFileHandler .save_pretrained
		w: os.remove os.unlink os.mkdir os.makedirs os.rmdir os.removedirs os.truncate os.chmod os.chown os.lchown os.lchmod os.utime os.mkfifo os.mknod os.setxattr os.removexattr os.chroot
		w: shutil.rmtree shutil.chown .rmtree .extractall_
		bw: os.rename os.replace os.renames shutil.move
		rw: shutil.copy shutil.copy2 shutil.copyfile shutil.copytree shutil.copymode shutil.copystat os.link os.symlink shutil.unpack_archive
		ww: shutil.make_archive_
		w: .extractall
		ww: .extract_
		l: os.listdir
		l>o: os.scandir os.walk os.fwalk os.listxattr
		g>o: glob.glob glob.iglob glob
		r: shutil.disk_usage zipfile.is_zipfile tarfile.is_tarfile runpy.run_path_ imp.load_source_ filecmp.cmp_ filecmp.dircmp_
		x: runpy.run_path
		tx: imp.load_source importlib.util.spec_from_file_location spec_from_file_location machinery.SourceFileLoader SourceFileLoader
		x: ctypes.CDLL CDLL ctypes.cdll.LoadLibrary cdll.LoadLibrary LoadLibrary WinDLL PyDLL
		rr: filecmp.cmp filecmp.dircmp
		h: os.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput asyncio.create_subprocess_shell create_subprocess_shell
		a: subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen Popen check_output check_call pty.spawn os.execv os.execve os.execvp os.execvpe os.posix_spawn os.posix_spawnp asyncio.create_subprocess_exec create_subprocess_exec os.execl os.execlp
		h: .system .popen .getoutput .getstatusoutput .create_subprocess_shell
		a: .check_output .check_call .Popen .create_subprocess_exec
		c: exec eval compile
		i: __import__ importlib.import_module import_module
		>j: os.path.join path.join posixpath.join join_path
		p>p: os.path.expandvars_
		t>p: os.path.abspath os.path.realpath os.path.normpath os.path.normcase path.abspath path.realpath str os.fspath os.fsdecode os.fsencode Path.absolute sorted reversed list tuple set iter bytes path.normpath shlex.quote_ enumerate_ repr_
		t>d: os.path.dirname path.dirname
		t>n: os.path.basename path.basename len int round hash id ord os.getpid os.getuid time.time randint uuid.uuid4 .hexdigest .strftime .isoformat
		t>v: .strip .rstrip .lstrip .encode .decode .resolve .absolute .as_posix .expanduser_ .copy_ .keys .lower_ .as_uri_ .splitlines_ .items_
		>~: Path.home pathlib.Path.home
		>.: os.getcwd Path.cwd pathlib.Path.cwd os.curdir getcwd
		>/tmp: tempfile.gettempdir gettempdir
	`),
	consts: map[string]string{
		"sys.argv": "@", "sys.executable": "python3", "os.sep": "/", "os.path.sep": "/", "os.curdir": ".", "os.pardir": "..", "os.environ.HOME": "~",
		"os.linesep": "\n", "os.devnull": "/dev/null", "sys.stdin": "?", "__file__": "FILE", "__name__": "__main__",
	},
	modules:   words(`os os.path subprocess shutil io builtins __builtins__ sys importlib pathlib pty posix globals locals`),
	statement: pythonStatement,
	primary:   pythonPrimary,
	call:      pythonCall,
}

const pythonEscapes = "n\nt\tr\ra\ab\bf\fv\v"

// pythonString reads r"", b”, f"""…""" and their mixes.
func pythonString(l *lexer, c byte) bool {
	j := l.i
	for j < len(l.s) && j-l.i < 3 && strings.IndexByte("rRbBfFuUtT", l.s[j]) >= 0 {
		j++
	}
	if j >= len(l.s) || l.s[j] != '"' && l.s[j] != '\'' {
		return false
	}
	prefix := strings.ToLower(l.s[l.i:j])
	st := style{escapes: pythonEscapes, raw: strings.Contains(prefix, "r")}
	if strings.ContainsAny(prefix, "ft") {
		st.insert = '{'
	}
	a := l.i
	end := l.s[j : j+1]
	if strings.HasPrefix(l.s[j:], strings.Repeat(end, 3)) {
		end = strings.Repeat(end, 3)
	}
	l.i = j + len(end)
	l.str(a, end, st)
	return true
}

func (p *script) dotted() string {
	var b strings.Builder
	for {
		t := p.peek()
		if t.kind == 'i' && t.text != "import" || t.kind == 'o' && (t.text == "." || t.text == "...") {
			b.WriteString(t.text)
			p.i++
			if n := p.peek(); t.kind == 'i' && (n.kind != 'o' || n.text != ".") {
				return b.String()
			}
			continue
		}
		return b.String()
	}
}

func pythonStatement(p *script, t token) bool {
	if t.kind != 'i' {
		return false
	}
	switch t.text {
	case "import":
		p.i++
		for {
			mod := p.dotted()
			p.imports(mod)
			name, _, _ := strings.Cut(mod, ".")
			target := name
			if p.accept("as") {
				name, target = p.peek().text, mod
				p.i++
			}
			p.alias[name] = target
			if !p.accept(",") {
				return true
			}
		}
	case "from":
		if k := p.at(1).kind; k != 'i' && k != 'o' {
			return false
		}
		p.i++
		mod := p.dotted()
		if !p.accept("import") {
			return true
		}
		p.imports(mod)
		if p.accept("*") {
			p.stars = append(p.stars, mod)
			return true
		}
		p.accept("(")
		for p.peek().kind == 'i' || p.peek().kind == '\n' {
			if p.peek().kind == '\n' {
				break
			}
			name := p.peek().text
			p.imports(mod + "." + name) // it may be a module of a package
			p.i++
			as := name
			if p.accept("as") {
				as = p.peek().text
				p.i++
			}
			p.alias[as] = mod + "." + name
			if !p.accept(",") {
				break
			}
		}
		p.accept(")")
		return true
	case "for":
		p.i++
		p.forIn("in")
		return true
	case "class":
		if n := p.at(1); n.kind == 'i' {
			p.class = n.text
		}
		return false
	case "def":
		p.i++
		p.define(p.peek().text)
		return true
	case "return":
		p.i++
		if n := p.peek(); n.kind == '\n' || n.kind == 'e' || n.text == ";" {
			return true
		}
		v := p.expr()
		for p.accept(",") {
			v = term{v: v.v.or(p.expr().v)}
		}
		if p.inDef != "" {
			p.assign(p.inDef+"()", term{v: v.v})
		} else {
			p.mention(v.v, 0)
		}
		return true
	}
	return false
}

// forIn reads "NAMES in EXPR" and stores the elements into the names.
func (p *script) forIn(in string) {
	var names []string
	for n := 0; n < 64; n++ {
		t := p.peek()
		if t.kind == 'e' || t.kind == '\n' || (t.kind == 'i' || t.kind == 'o') && t.text == in {
			break
		}
		if t.kind == 'i' {
			names = append(names, t.text)
		}
		p.i++
	}
	if !p.accept(in) {
		return
	}
	v := p.expr()
	all := v.v
	if p.op(",") {
		all = value{list: []value{v.v}}
		for p.accept(",") && p.peek().kind != '\n' {
			all.list = append(all.list, p.expr().v)
		}
	}
	p.bind(names, all)
}

// bind stores the elements of a value into names, one each or several.
func (p *script) bind(names []string, all value) {
	if len(names) == 1 {
		p.assign(names[0], term{v: all.element()})
		return
	}
	for i, n := range names {
		var v value
		for _, e := range all.list {
			if i < len(e.list) && len(e.list) == len(names) {
				v = v.or(e.list[i])
			} else {
				v = v.or(e.element())
			}
		}
		if v.zero() {
			v = all.element()
		}
		p.assign(n, term{v: v})
	}
}

// pytestFolders are the fixtures of pytest that are new folders.
var pytestFolders = words("tmp_path tmpdir tmp_path_factory tmpdir_factory")

// define reads the parameters of a function; the name is the current token.
func (p *script) define(name string) {
	if p.peek().kind == 'i' {
		p.i++
	}
	if !p.accept("(") {
		return
	}
	var params []string
	depth := 0
	first := true
	for p.peek().kind != 'e' {
		t := p.peek()
		if t.kind == 'o' && t.text == ")" && depth == 0 {
			p.i++
			break
		}
		switch {
		case t.kind == 'o' && t.text == ",":
			first = first || depth == 0
			p.i++
			continue
		case t.kind == 'o' && t.text == "=" && depth == 0 && len(params) > 0:
			p.i++
			p.assign(params[len(params)-1], p.expr())
			continue
		case t.kind == 'o' && (t.text == "(" || t.text == "[" || t.text == "{"):
			depth++
		case t.kind == 'o' && (t.text == ")" || t.text == "]" || t.text == "}"):
			depth--
		case t.kind == 'i' && first:
			first = false
			if t.text != "self" {
				params = append(params, t.text)
			}
		}
		p.i++
	}
	for _, par := range params {
		if pytestFolders[par] { // below the folder for temporary files
			p.assign(par, term{v: judged})
		} else if _, fixture := p.defs[par]; fixture {
			p.assign(par, term{v: p.lookup(par + "()")})
		}
	}
	p.defs[name] = params
	if name == "__init__" && p.class != "" {
		p.defs[p.class] = params
	}
	p.inDef = name
}

func pythonPrimary(p *script, t token) (term, bool) {
	if t.kind != 'i' {
		return term{}, false
	}
	switch t.text {
	case "lambda":
		var pars []string
		p.i++
		for p.peek().kind != 'e' && p.peek().kind != '\n' && !p.op(":") {
			if n := p.peek(); n.kind == 'i' {
				pars = append(pars, n.text)
			}
			p.i++
			if p.accept("=") && len(pars) > 0 {
				p.assign(pars[len(pars)-1], p.expr())
			}
		}
		p.accept(":")
		return term{v: p.expr().v, fn: true, pars: pars}, true
	case "for":
		p.i++
		p.forIn("in")
		return term{v: computed}, true
	case "if", "else", "async", "await", "not", "yield", "from":
		p.i++
		return p.operand(), true
	case "True", "False", "None":
		p.i++
		return term{v: computed}, true
	}
	return term{}, false
}

func pythonCall(p *script, v term, args []arg) (term, bool) {
	pos := func(i int) value {
		if i < len(args) {
			return args[i].t.v
		}
		return computed
	}
	last := v.path[strings.LastIndexByte(v.path, '.')+1:]
	switch v.path {
	case "Path", "pathlib.Path", "pathlib.PosixPath", "PosixPath":
		if len(args) == 0 {
			return term{v: constant(access.Text("."))}, true
		}
		out := pos(0)
		for _, a := range args[1:] {
			out = joinPath(out, a.t.v)
		}
		return term{v: out}, true
	case "os.path.expanduser", "path.expanduser":
		return term{v: tilde(pos(0))}, true
	case "os.environ.get", "os.getenv", "os.environ.setdefault":
		if s, _ := pos(0).lit(); s == "HOME" {
			return term{v: constant(home(0, 0))}, true
		}
		out := computed
		if len(args) > 1 {
			out = out.or(pos(1))
		}
		return term{v: out}, true
	case "os.path.expandvars", "path.expandvars":
		if s, ok := pos(0).lit(); ok {
			for _, h := range []string{"$HOME", "${HOME}"} {
				if rest, ok := strings.CutPrefix(s, h); ok {
					return term{v: constant(home(0, 0).Concat(access.Text(rest)))}, true
				}
			}
			if !strings.Contains(s, "$") {
				return term{v: pos(0)}, true
			}
		}
		return term{v: computed}, true
	case "chr":
		return term{v: character(pos(0))}, true
	case "bytes", "bytearray":
		if list := pos(0).list; len(list) > 0 {
			out := constant(access.Word{})
			for _, e := range list {
				out = out.concat(character(e))
			}
			return term{v: out}, true
		}
		return term{v: pos(0)}, true
	case "shlex.split":
		return term{v: splitText(pos(0), computed)}, true
	case "bytes.fromhex", "bytearray.fromhex", "base64.b64decode", "codecs.decode", "binascii.unhexlify":
		return term{v: computed}, true
	case "globals", "locals", "vars":
		if len(args) > 0 && args[0].t.path != "" {
			return term{v: computed, path: args[0].t.path}, true
		}
		return term{v: computed, path: "builtins"}, true
	case "getattr":
		if len(args) < 2 {
			return term{v: computed}, true
		}
		if s, ok := pos(1).lit(); ok {
			return p.get(args[0].t, s), true
		}
		if path := args[0].t.path; p.g.modules[path] || strings.HasPrefix(path, "?") {
			p.h.Unknown("computed name in python code")
		}
		return term{v: computed}, true
	case "tempfile.mkdtemp", "tempfile.mkstemp", "tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory", "tempfile.TemporaryFile",
		"tempfile.mktemp", "tempfile.SpooledTemporaryFile":
		where := value{}
		for _, a := range args {
			if a.key == "dir" {
				where = a.t.v
			}
		}
		if where.zero() {
			where = constant(access.Text("/tmp"))
		}
		p.open(where, access.Write, last+" in python code")
		return term{v: judged}, true
	case "os.spawnl", "os.spawnlp", "os.spawnv", "os.spawnvp", "os.spawnle", "os.spawnve", "os.spawnvpe", "os.spawnlpe":
		if len(args) > 2 {
			p.execArgs(args[2:])
		}
		return term{v: computed}, true
	case "os.execv", "os.execvp", "os.execve", "os.execvpe", "os.posix_spawn", "os.posix_spawnp", "os.execl", "os.execlp", "os.execle", "os.execlpe":
		// The file that is run, then the argument list with argv[0] in it.
		if len(args) > 1 {
			if s, _ := pos(0).lit(); strings.Contains(s, "/") {
				p.open(pos(0), access.Execute, last+" in python code")
			}
			p.execArgs(args[1:])
		}
		return term{v: computed}, true
	case "str.join":
		return term{v: joinText(pos(0), pos(1))}, true
	}
	if !v.has {
		return term{}, false
	}
	switch last {
	case "split":
		if len(v.recv.forms) > 0 {
			sep := constant(access.Text(""))
			if len(args) > 0 {
				sep = pos(0)
			}
			return term{v: splitText(v.recv, sep)}, true
		}
	case "join":
		if len(args) == 1 && len(v.recv.forms) > 0 {
			return term{v: joinText(v.recv, pos(0))}, true
		}
	case "joinpath":
		out := v.recv
		for _, a := range args {
			out = joinPath(out, a.t.v)
		}
		return term{v: out}, true
	case "expanduser":
		return term{v: tilde(v.recv)}, true
	case "with_suffix", "with_name", "with_stem":
		n := p.named("#")
		if last == "with_name" {
			n = pos(0)
		}
		return term{v: joinPath(dirOf(v.recv), n)}, true
	case "format":
		if len(v.recv.forms) == 1 {
			return term{v: braces(v.recv.forms[0], args)}, true
		}
		return term{v: computed}, true
	case "replace":
		if len(args) == 2 {
			s, ok1 := v.recv.lit()
			a, ok2 := pos(0).lit()
			b, ok3 := pos(1).lit()
			if ok1 && ok2 && ok3 {
				return term{v: constant(access.Text(strings.ReplaceAll(s, a, b)))}, true
			}
		}
		if len(args) == 1 && len(v.recv.forms) > 0 { // Path.replace
			p.open(v.recv, access.Write, "replace in python code")
			p.open(pos(0), access.Write, "replace in python code")
		}
		return term{v: computed}, true
	case "execute", "executescript", "executemany":
		for _, w := range pos(0).forms {
			readSQL(w, p.h)
		}
		return term{v: computed}, true
	case "add_argument":
		for _, a := range args {
			if a.key == "default" || a.key == "const" {
				p.mention(a.t.v, 0)
			}
		}
		return term{v: computed}, true
	case "append", "add", "insert", "extend":
		for _, a := range args {
			p.mention(a.t.v, 0)
		}
		return term{v: computed}, true
	}
	return term{}, false
}

func (p *script) execArgs(args []arg) {
	var pos []term
	for _, a := range args {
		if a.key == "" {
			pos = append(pos, a.t)
		}
	}
	if len(pos) > 0 {
		p.process('a', pos, false, value{})
	}
}
