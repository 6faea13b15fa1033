package analyze

import (
	"path"
	"slices"
	"sort"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/command"
)

// Files that the line wrote: a program that runs one is judged by what stands in
// it, and one that changes it makes that unknown. What stands in other files isn't
// looked at.

// made is what the line made of the file a word names.
func (x *run) made(st *state, w access.Word) (file, bool) {
	f, ok := x.wrote(st, w)
	return f.file, ok
}

// written tells whether it is a file whose text the line wrote.
func (f file) written() bool { return !f.gone && !f.dir && !f.link && !f.disk }

// text is what is known of a file's text.
func (f file) text() access.Word {
	if !f.known && !f.part && f.content.Known() {
		return from(anything, "what stands in it by then")
	}
	return f.content
}

// ofTree tells what of a file's text the line itself wrote: what else stands in it
// stood in files of the tree.
func (f file) ofTree() file {
	own, some := access.Word{Start: f.content.Start, End: f.content.End}, false
	for _, s := range f.content.Segs {
		if s.Tree {
			some = true
		} else {
			own.Segs = append(own.Segs, s)
		}
	}
	switch {
	case !some:
		return f
	case len(own.Segs) == 0:
		return file{disk: true}
	}
	f.content, f.known, f.part = own, false, own.Known()
	return f
}

// written is the resolved name of a file that the line wrote.
func (x *run) written(st *state, w access.Word) (string, bool) {
	key, named := x.fileKey(st, w)
	f, ok := st.files[key]
	return key, named && ok && f.written()
}

// codeOf is the text of a file that the line wrote, as far as a shell that runs it
// would find it: what stood in the file before isn't looked at. sure is false if
// the line wrote text that isn't known.
func (x *run) codeOf(st *state, w access.Word) (text access.Word, ours, sure bool) {
	if text, ok := x.contentOf(st, w); ok {
		return text, true, true
	}
	if f, ok := x.made(st, w); ok {
		return f.text(), true, (f.part || f.known) && f.content.Known()
	}
	return access.Word{}, false, false
}

// contentOf is the text of a file that the line wrote or of a pipe it made, if it
// is known.
func (x *run) contentOf(st *state, w access.Word) (access.Word, bool) {
	lit, _ := w.Lit()
	if in, ok := st.fds[lit]; ok {
		return in.text, in.kind == fromText && in.text.Known()
	}
	if stdinName(lit) {
		return st.in.text, st.in.kind == fromText && st.in.text.Known()
	}
	f, ok := x.made(st, w)
	return f.content, ok && f.known
}

// stdinName tells whether a name is standard input's.
func stdinName(lit string) bool {
	return lit == "/dev/stdin" || lit == "/dev/fd/0" || lit == "/proc/self/fd/0"
}

// onPath is a program that the line wrote, if its name leads to it: the line has put
// its folder into PATH.
func (x *run) onPath(st *state, name string) (access.Word, bool) {
	v, set := st.vars["PATH"]
	if !set || len(st.files) == 0 {
		return access.Word{}, false
	}
	dir, rest, found := access.Word{}, v.Scalar, true
	for n := 0; found && n < 64; n++ {
		dir, rest, found = rest.Cut(':')
		if lit, ok := dir.Lit(); ok {
			w := access.Text(path.Join("/", lit, name))
			if !strings.HasPrefix(lit, "/") {
				w = access.Text("./" + path.Join(lit, name))
			}
			if _, ours := x.written(st, w); ours {
				return w, true
			}
		}
	}
	return access.Word{}, false
}

// Held hands on what the line wrote into a file.
func (g *ground) Held(w access.Word, read func(command.Held)) bool {
	x := g.x
	var texts []command.Held
	if lit, _ := w.Lit(); stdinName(lit) && g.st.fds[lit].kind == inherited {
		switch g.st.in.kind {
		case fromText:
			texts = append(texts, command.Held{One: true, Text: g.st.in.text})
		case fromPipe:
			texts = append(texts, command.Held{One: true, Text: from(g.st.heard(lit), "what comes through the pipe")})
		}
	} else if f, ok := x.wrote(g.st, w); ok {
		texts = append(texts, command.Held{Name: f.path(), One: true, Text: f.text()})
	} else {
		for _, f := range x.wroteFiles(g.st, w) {
			texts = append(texts, command.Held{Name: f.path(), Text: f.text()})
		}
	}
	if len(texts) == 0 || read == nil {
		return len(texts) > 0
	}
	// A program may run itself.
	if !x.b.Enter(guard.NestDepth) {
		x.over = true
		return true
	}
	defer x.b.Leave(guard.NestDepth)
	for _, t := range texts {
		if !x.b.Spend(guard.NestBytes, len(litOf(t.Text))) {
			x.over = true
			return true
		}
		read(t)
	}
	return true
}

// Named lists the files that the line wrote whose names end so.
func (g *ground) Named(ending string) []access.Word {
	var names []string
	for real, f := range g.st.files {
		if f.written() && strings.HasSuffix(real, "/"+ending) && real[0] == '/' {
			names = append(names, real)
		}
	}
	sort.Strings(names)
	out := make([]access.Word, len(names))
	for i, n := range names {
		out[i] = access.Text(n)
	}
	return out
}

// doings are what one program was seen to do with files.
type doings struct {
	wrote  []command.Path
	placed []string // what it made of these names is known
	unseen bool     // it ran code that doesn't stand in the line
}

// downloads write what comes from elsewhere, whatever stood there before.
var downloads = words(`curl wget aria2c axel http https xh scp sftp rsync rclone lftp gsutil gcloud aws az s3cmd gh`)

// builders write what they make of files in the tree: as of those, nobody looks
// into it.
var builders = words(`gcc g++ cc c++ clang clang++ tcc emcc em++ gfortran nvcc ld lld gold as ar ranlib strip objcopy go gofmt
	rustc cargo cross javac kotlinc scalac groovyc jar ghc ocamlopt ocamlfind dmd fpc nim zig swiftc dotnet mcs make gmake
	tsc swc esbuild rollup webpack vite parcel babel bun deno npm pnpm yarn npx cmake meson ninja protoc bison flex yacc lex
	cython cp install git tar unzip 7z gunzip gzip zip bsdtar cpio`)

// keepsText are programs whose writing leaves a file's text as it is, or says the
// same in another form: modes and owners, formatters.
var keepsText = words(`chmod chown chgrp chattr setfacl setfattr xattr touch shred sync restorecon chcon
	black isort autopep8 yapf ruff prettier biome gofmt gofumpt goimports rustfmt shfmt clang-format perltidy rubocop
	dos2unix standard rm rmdir mkdir ln mktemp gmktemp`)

// afterwards makes unknown what stands in the files that a program wrote to, where
// its effects don't say what.
func (x *run) afterwards(g *ground, name string) {
	if g.doing().unseen || runsUnseen[name] {
		for real, f := range g.st.files {
			if f.written() && !slices.Contains(g.doing().placed, real) && !x.outside(real) {
				x.forget(g, real, name)
			}
		}
	}
	switch name {
	case "git", "patch":
		x.patched(g, name)
	case "wget", "curl":
		x.downloaded(g, name)
	}
	if keepsText[name] {
		return
	}
	for _, p := range g.doing().wrote {
		if !p.Word.Known() || p.Word.Glob() {
			for _, f := range x.wroteFiles(g.st, p.Word) {
				if !slices.Contains(g.doing().placed, f.name) {
					x.forget(g, f.name, name)
				}
			}
			continue
		}
		real, err := x.realOf(g.st, p.Word)
		if err != nil || slices.Contains(g.doing().placed, real) {
			continue
		}
		if f, ok := g.st.files[real]; ok {
			if f.written() {
				x.forget(g, real, name)
			}
			continue
		}
		info, err := x.disk.Lstat(real)
		switch {
		case p.Dir || err == nil && info.IsDir():
			x.forgetBelow(g, real, name)
		case builders[name], err == nil && !downloads[name]:
			// It changes a file of the tree, or makes one out of others.
		default:
			x.output(g, real, name)
		}
	}
}

// doing is what the program was seen to do so far.
func (g *ground) doing() *doings {
	if g.did == nil {
		g.did = &g.did0
	}
	return g.did
}

// unseen tells whether a program that is run by its name stands in the tree: what
// it does isn't known.
func (x *run) unseen(st *state, w access.Word) bool {
	if len(st.files) == 0 {
		return false // nobody asks
	}
	real, err := x.realOf(st, w)
	if err != nil || x.outside(real) {
		return false
	}
	f, ok := st.files[real]
	return !ok || !f.written()
}

// output notes that a program writes a file.
func (x *run) output(g *ground, real, name string) {
	g.put(real, file{output: true, content: from(anything, "what "+name+" writes into it")})
}

// forget makes unknown what stands in a file that the line wrote.
func (x *run) forget(g *ground, real, name string) {
	f := g.st.files[real]
	if f.known || f.part {
		g.put(real, file{output: f.output, content: from(anything, "what "+name+" makes of "+shown(real))})
	}
}

func (x *run) forgetBelow(g *ground, dir, name string) {
	for real, f := range g.st.files {
		if f.written() && under(real, dir) && !slices.Contains(g.doing().placed, real) {
			x.forget(g, real, name)
		}
	}
}

// runsUnseen are programs that run what stands in files of the tree, which may
// write any other.
var runsUnseen = words(`make gmake bmake ninja just task rake invoke`)
