package analyze

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// What programs print, as far as it follows from the line: their text, or its
// class. A program that isn't here prints anything.
// printsName print one component without a slash.
var printsName = words(`date wc id whoami hostname uname nproc arch pgrep pidof sha1sum
	sha256sum md5sum cksum expr tput logname seq uuidgen sw_vers factor lsof`)

// printsInside print names below the folders they were given.
var printsInside = words(`find fd fdfind ls tree rg grep egrep fgrep ag ack git locate`)

// keepsLines print lines of what they read.
var keepsLines = words(`sort uniq head tail tac shuf grep egrep fgrep cat tee rg sponge less more`)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// prints is what a program writes to standard output.
func (x *run) prints(g *ground, argv []access.Word) access.Word {
	lit, _ := argv[0].Lit()
	name := path.Base(lit)
	unknown := access.Unknowable(access.Any, g.start, g.end)
	tree := unknown // what stands in files of the tree
	if !*g.ext && !x.outsideCwd(g.st) {
		tree = access.Word{Segs: slices.Clone(unknown.Segs), Start: unknown.Start, End: unknown.End}
		tree.Segs[0].Tree = true
	}
	component := access.Unknowable(access.Name, g.start, g.end)
	files, opts := operands(argv[1:])
	in, piped := g.Stdin()
	switch name {
	case "dirname":
		if len(opts) > 0 {
			return unknown
		}
		return eachLine(files, dirOf)
	case "basename":
		return x.basenames(files, opts, component)
	case "realpath", "readlink":
		return x.realpath(g, name, files, opts, unknown)
	case "seq":
		if w, ok := sequence(files, opts); ok {
			return w
		}
	case "mktemp":
		return x.temporary(g, files, opts)
	case "git":
		if args := gitCommand(argv[1:]); len(args) == 2 && litOf(args[0]) == "show" && strings.Contains(litOf(args[1]), ":") {
			return tree // git show REVISION:FILE
		}
		return x.gitPrints(g, argv[1:], unknown, component)
	case "base64", "xxd", "rev", "sed", "awk", "cut", "tr", "jq", "yq":
		return x.filtered(name, argv[1:], in, piped, unknown)
	}
	if keepsLines[name] {
		operand := files
		if name == "grep" || name == "egrep" || name == "fgrep" || name == "rg" {
			if len(operand) > 0 && !has(opts, 'e', "--regexp") && !has(opts, 'f', "--file") {
				operand = operand[1:]
			}
		}
		if name == "tee" {
			operand = nil
		}
		if len(operand) > 0 && name == "cat" {
			var out access.Word
			for _, w := range operand {
				if litOf(w) == "-" && piped {
					out = out.Concat(in)
					continue
				}
				text, ok := x.contentOf(g.st, w)
				if _, ours := x.wrote(g.st, w); !ok && ours {
					return unknown
				} else if !ok {
					text = tree
				}
				out = out.Concat(text)
			}
			return out
		}
		if len(operand) > 0 && (name == "head" || name == "tail" || name == "sort" || name == "uniq" || name == "tac") {
			if !slices.ContainsFunc(operand, func(w access.Word) bool { return len(x.wroteFiles(g.st, w)) > 0 }) {
				return tree
			}
			return unknown
		}
		if len(operand) == 0 && piped {
			return x.lineFilter(name, argv[1:], files, opts, in, unknown)
		}
		if name == "tee" || len(operand) == 0 && name != "rg" {
			return unknown
		}
	}
	switch {
	case printsNumber(name, argv[1:], files, opts):
		return access.Number(g.start, g.end)
	case printsName[name]:
		// A format may hold a path, and sums are printed with the names of files.
		if *g.ext || pathLike(argv[1:]) {
			return unknown
		}
		return component
	case printsInside[name] && name != "git":
		return x.listing(g, name, files, opts, unknown)
	}
	return unknown
}

// pathLike tells whether words hold a path that a program may print as it is, or
// may hold one.
func pathLike(argv []access.Word) bool {
	for _, w := range argv {
		lit, ok := w.Lit()
		if !ok || strings.HasPrefix(lit, "/") || strings.Contains(lit, "..") || strings.ContainsAny(lit, "%\"'") && strings.Contains(lit, "/") || strings.Contains(lit, "=/") {
			return true
		}
	}
	return false
}

// listing is the class of what a program that lists names prints.
func (x *run) listing(g *ground, name string, files []access.Word, opts []string, unknown access.Word) access.Word {
	switch name {
	case "grep", "egrep", "fgrep", "ag", "ack", "rg":
		list := has(opts, 'l', "--files-with-matches") || has(opts, 'L', "--files-without-match") || has(opts, 'Z', "--files")
		if !list {
			return unknown
		}
	case "locate":
		return unknown
	case "find":
		if holdsAny(files, opts, "-printf", "-exec", "-execdir", "-fprintf") {
			return unknown
		}
	case "fd", "fdfind":
		if holdsAny(files, opts, "--format", "-x", "-X", "--exec", "--exec-batch") {
			return unknown
		}
	}
	below := access.Unknowable(access.Inside, g.start, g.end)
	if !*g.ext && !x.outsideCwd(g.st) {
		return below
	}
	if name == "ls" && len(files) == 1 && files[0].Glob() && within(opts, "dt1rSAa") && (has(opts, 'd', "--directory") || x.filesOnly(g.st, files[0])) {
		return unlines([]access.Word{x.oneOf(g.st, files[0])})
	}
	// One folder outside: everything printed is below it.
	var dir access.Word
	n := 0
	for _, f := range files {
		p, _ := f.Prefix()
		if strings.HasPrefix(p, "/") && f.Known() && !f.Glob() {
			dir = f
			n++
		} else if name != "find" && name != "ls" {
			return unknown
		}
		if name == "find" {
			break
		}
	}
	if n == 1 && (name == "find" || len(files) == 1) {
		out := access.Text(strings.TrimSuffix(litOf(dir), "/") + "/").Concat(access.Unknowable(access.Inside, g.start, g.end))
		if name == "ls" {
			return access.Unknowable(access.Name, g.start, g.end) // names alone
		}
		return out
	}
	if len(files) == 0 && name == "ls" {
		return access.Unknowable(access.Name, g.start, g.end)
	}
	return unknown
}

// filesOnly tells whether a pattern matches files alone, as far as can be seen.
func (x *run) filesOnly(st *state, w access.Word) bool {
	d := split(absolute(st.cwd, w))
	if d.class != access.Known || !strings.HasPrefix(d.fixed, "/") {
		return false
	}
	found, _, complete := x.namesAndRests(st, d, false)
	for _, name := range found {
		if _, dir := x.stat(st, name); dir {
			return false
		}
	}
	return complete && len(found) > 0
}

func holdsAny(files []access.Word, opts []string, names ...string) bool {
	for _, n := range names {
		for _, o := range opts {
			if o == n {
				return true
			}
		}
		for _, f := range files {
			if litOf(f) == n {
				return true
			}
		}
	}
	return false
}

// outsideCwd tells whether the directory in force lies outside, or may.
func (x *run) outsideCwd(st *state) bool {
	lit, ok := st.cwd.Lit()
	if !ok {
		return true
	}
	real, err := x.real(st, lit)
	return err != nil || x.outside(real)
}

// operands divides words into options and the rest, without knowing which options
// take values.
func operands(argv []access.Word) (files []access.Word, opts []string) {
	plain := false
	for _, w := range argv {
		lit, ok := w.Lit()
		switch {
		case !plain && ok && lit == "--":
			plain = true
		case !plain && ok && len(lit) > 1 && lit[0] == '-':
			opts = append(opts, lit)
		default:
			files = append(files, w)
		}
	}
	return files, opts
}

func eachLine(list []access.Word, f func(access.Word) access.Word) access.Word {
	var out []access.Word
	for _, w := range list {
		out = append(out, f(w))
	}
	return unlines(out)
}

// dirOf is dirname.
func dirOf(w access.Word) access.Word {
	if lit, ok := w.Lit(); ok {
		t := strings.TrimRight(lit, "/")
		if t == "" && lit != "" {
			return access.Text("/")
		}
		i := strings.LastIndexByte(t, '/')
		if i < 0 {
			return access.Text(".")
		}
		d := strings.TrimRight(t[:i], "/")
		if d == "" {
			d = "/"
		}
		return access.Text(d)
	}
	if before, after, found := w.CutLast('/'); found && !after.Known() {
		simple := true
		for _, s := range after.Segs {
			simple = simple && (s.Class == access.Known || s.Class == access.Name)
		}
		if simple && len(before.Segs) > 0 {
			return before
		}
	}
	if len(w.Segs) == 1 && (w.Segs[0].Class == access.Name || w.Segs[0].Class == access.Inside) {
		if w.Segs[0].Class == access.Name {
			return access.Text(".")
		}
		return w
	}
	return access.Unknowable(access.Any, w.Start, w.End)
}

// matchedName is the last component of a name that a pattern matched.
func matchedName(w access.Word, files []access.Word, i int, many bool, unknown access.Word) access.Word {
	if _, after, ok := w.CutLast('/'); ok {
		w = after
	}
	for _, s := range w.Segs {
		if s.Class != access.Known && (s.Class != access.Name || s.Glob == "") {
			return unknown
		}
	}
	if w.Empty() || many || i > 0 {
		return unknown
	}
	if len(files) > 1 {
		end, known := files[1].Lit()
		cut, sure := word.CutTail(w, end)
		if !known || !sure {
			return unknown
		}
		w = cut
	}
	return w
}

// basenames is basename.
func (x *run) basenames(files []access.Word, opts []string, component access.Word) access.Word {
	many := has(opts, 'a', "--multiple") || has(opts, 's', "--suffix")
	if len(files) == 0 {
		return component
	}
	var out []access.Word
	for i, w := range files {
		if i > 0 && !many {
			break
		}
		lit, ok := w.Lit()
		if !ok {
			out = append(out, matchedName(w, files, i, many, component))
			continue
		}
		base := path.Base(lit)
		if lit == "" {
			base = ""
		}
		if !many && len(files) == 2 {
			suffix, known := files[1].Lit()
			if !known {
				out = append(out, component)
				continue
			}
			if base != suffix {
				base = strings.TrimSuffix(base, suffix)
			}
		}
		if many && has(opts, 's', "--suffix") {
			out = append(out, component)
			continue
		}
		out = append(out, access.Text(base))
	}
	return unlines(out)
}

// realpath is realpath and readlink -f.
func (x *run) realpath(g *ground, name string, files []access.Word, opts []string, unknown access.Word) access.Word {
	for _, o := range opts {
		if strings.Trim(o, "-femnqvs") != "" && !strings.HasPrefix(o, "--canonicalize") || name == "realpath" && strings.Contains(o, "s") {
			return unknown
		}
	}
	follow := name == "realpath" || has(opts, 'f', "--canonicalize") || has(opts, 'e', "--canonicalize-existing") || has(opts, 'm', "--canonicalize-missing")
	var out []access.Word
	for _, w := range files {
		full, ok := absolute(g.st.cwd, w).Lit()
		if !ok || !strings.HasPrefix(full, "/") || w.Glob() {
			return unknown
		}
		if follow {
			real, err := x.real(g.st, full)
			if err != nil {
				return unknown
			}
			out = append(out, access.Text(real))
			continue
		}
		at, ok := x.newName(g.st, w)
		if !ok {
			return unknown
		}
		f, ok := x.whatIs(g.st, at)
		if !ok || !f.link {
			return access.Word{}
		}
		out = append(out, access.Text(f.target))
	}
	return unlines(out)
}

// sequence is seq with whole numbers.
func sequence(files []access.Word, opts []string) (access.Word, bool) {
	if len(opts) > 0 || len(files) == 0 || len(files) > 3 {
		return access.Word{}, false
	}
	var n []int
	for _, w := range files {
		v, err := strconv.Atoi(litOf(w))
		if err != nil {
			return access.Word{}, false
		}
		n = append(n, v)
	}
	first, step, last := 1, 1, n[len(n)-1]
	if len(n) > 1 {
		first = n[0]
	}
	if len(n) > 2 {
		step = n[1]
	}
	if step == 0 || (last-first)/step > 1000 {
		return access.Word{}, false
	}
	var b strings.Builder
	for i := first; step > 0 && i <= last || step < 0 && i >= last; i += step {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte('\n')
	}
	return access.Text(b.String()), true
}

// temporary is mktemp: a new name below the directory for temporary files, or one
// made from a template.
func (x *run) temporary(g *ground, files []access.Word, opts []string) access.Word {
	// The name is new, but it surely lies below that directory.
	below := access.Unknowable(access.Inside, g.start, g.end)
	dir := access.Text("/tmp")
	v := x.get(g.st, "TMPDIR")
	switch {
	case v.State == word.Set && !v.Scalar.Empty():
		dir = v.Scalar
	case v.State == word.Unknown && g.OS() == "darwin":
		x.need("var", "TMPDIR")
		return access.Unknowable(access.Any, g.start, g.end)
	}
	for i, o := range opts {
		if o == "-p" && len(files) > 0 && len(opts) > i {
			dir, files = files[0], files[1:]
		} else if strings.HasPrefix(o, "--tmpdir=") {
			dir = access.Text(o[len("--tmpdir="):])
		}
	}
	if len(files) > 0 && !has(opts, 't', "--tmpdir") && !has(opts, 'p', "--tmpdir") {
		before, _, found := files[0].CutLast('/')
		if !found {
			return access.Unknowable(access.Name, g.start, g.end)
		}
		dir = before
	}
	return dir.Concat(access.Text("/")).Concat(below)
}
