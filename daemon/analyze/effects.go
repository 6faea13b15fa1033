package analyze

import (
	"path"
	"slices"
	"strings"

	"extdir/daemon/access"
)

// effects follows what a program makes of names in the line: links, directories,
// files that are moved or removed. What it may unpack or check out isn't guessed.
func (x *run) effects(g *ground, argv []access.Word) {
	name, _ := argv[0].Lit()
	effect, ok := fileEffects[path.Base(name)]
	if !ok {
		return
	}
	var words []access.Word
	var opts []string
	plain := false
	into := ""
	for i := 1; i < len(argv); i++ {
		lit, known := argv[i].Lit()
		switch {
		case plain || !known || len(lit) < 2 || lit[0] != '-':
			words = append(words, argv[i])
		case lit == "--":
			plain = true
		case lit == "-t" || lit == "--target-directory":
			if i+1 < len(argv) {
				i++
				into, _ = argv[i].Lit()
			}
		case strings.HasPrefix(lit, "--target-directory="):
			into = lit[len("--target-directory="):]
		case lit == "-m" || lit == "-S" || lit == "--suffix", name == "install" && (lit == "-o" || lit == "-g"):
			i++
		default:
			opts = append(opts, lit)
		}
	}
	effect(x, g, words, opts, into)
}

var fileEffects map[string]func(x *run, g *ground, words []access.Word, opts []string, into string)

func init() {
	fileEffects = map[string]func(x *run, g *ground, words []access.Word, opts []string, into string){
		"ln":    makeLinks,
		"mkdir": makeDirs,
		"mv":    moveFiles,
		"cp":    copyFiles,
		"rm":    removeFiles,
		"rmdir": removeFiles,
		"touch": makeFiles,
		"tee":   teeFiles,

		"sponge": teeFiles,

		"install": installFiles,
		"git":     gitMoves,
	}
}

func has(opts []string, letter byte, long string) bool {
	for _, o := range opts {
		if o == long || len(o) > 1 && o[1] != '-' && strings.IndexByte(o, letter) > 0 {
			return true
		}
	}
	return false
}

// place is the resolved directory of a word and its last component: where a new
// name would stand.
func (x *run) newName(st *state, w access.Word) (string, bool) {
	full, ok := absolute(st.cwd, w).Lit()
	if !ok || !strings.HasPrefix(full, "/") {
		s, ok := x.shapeOf(st, w)
		return "?" + s.text, ok && !s.globs
	}
	full = strings.TrimRight(full, "/")
	i := strings.LastIndexByte(full, '/')
	base := full[i+1:]
	if base == "" || base == "." || base == ".." {
		real, err := x.real(st, full+"/")
		return real, err == nil
	}
	dir, err := x.real(st, full[:i+1])
	if err != nil {
		return "", false
	}
	return path.Join(dir, base), true
}

// put notes a file in the program's state and in the one that lasts.
func (g *ground) put(real string, f file) {
	if safeDevice(real) { // what is written there doesn't stay
		return
	}
	g.doing().placed = append(g.doing().placed, real)
	g.st.setFile(real, f)
	if g.sink != g.st {
		g.sink.setFile(real, f)
	}
}

func makeLinks(x *run, g *ground, words []access.Word, opts []string, into string) {
	if len(words) == 0 {
		return
	}
	hard := !has(opts, 's', "--symbolic")
	targets, dest := words, access.Text(".")
	noDeref := has(opts, 'n', "--no-dereference") || has(opts, 'T', "--no-target-directory")
	switch {
	case into != "":
		dest = access.Text(into)
	case len(words) > 1:
		targets, dest = words[:len(words)-1], words[len(words)-1]
	}
	isDir := into != "" || len(words) == 1 || len(targets) > 1
	if !isDir && !noDeref {
		if full, ok := absolute(g.st.cwd, dest).Lit(); ok && strings.HasPrefix(full, "/") {
			_, isDir = x.stat(g.st, full)
		}
	}
	for _, t := range targets {
		text, ok := t.Lit()
		if ok && hard { // another name of the same file
			text, ok = x.written(g.st, t)
			if !ok {
				continue
			}
		}
		if !ok {
			if name, ok := x.newName(g.st, dest); ok {
				// A link to nowhere known: whatever goes through it is unknown.
				g.put(name, file{link: true, target: name})
			}
			continue
		}
		name := dest
		if isDir {
			name = dest.Concat(access.Text("/" + path.Base(litOf(t))))
		}
		real, ok := x.newName(g.st, name)
		if !ok {
			continue
		}
		g.put(real, file{link: true, hard: hard, target: text})
		if hard {
			continue
		}
		// Making a link to the outside is a read of what it leads to.
		w := t
		if !strings.HasPrefix(text, "/") {
			w = access.Text(path.Dir(real) + "/" + text)
			w.Start, w.End = t.Start, t.End
		}
		x.touch(g.st, g.st.cwd, target{word: w, kind: access.Read, why: "target of a link"})
	}
}

func makeDirs(x *run, g *ground, words []access.Word, opts []string, _ string) {
	parents := has(opts, 'p', "--parents")
	for _, w := range words {
		real, ok := x.newName(g.st, w)
		if !ok {
			continue
		}
		if exists, _ := x.stat(g.st, real); exists {
			continue
		}
		g.put(real, file{dir: true})
		for d := path.Dir(real); parents && d != "/"; d = path.Dir(d) {
			if exists, _ := x.stat(g.st, d); exists {
				break
			}
			g.put(d, file{dir: true})
		}
	}
}

func makeFiles(x *run, g *ground, words []access.Word, _ []string, _ string) {
	for _, w := range words {
		if real, ok := x.newName(g.st, w); ok {
			if exists, _ := x.stat(g.st, real); !exists {
				g.put(real, file{known: true})
			}
		}
	}
}

func removeFiles(x *run, g *ground, words []access.Word, _ []string, _ string) {
	for _, w := range words {
		if w.Glob() {
			continue
		}
		if real, ok := x.newName(g.st, w); ok {
			// Only what the line made itself: a failing rm leaves the rest there.
			if _, mine := g.st.files[real]; mine {
				x.unlink(g, real)
			}
		}
	}
}

// carry copies or moves what the line made below a folder.
func (x *run) carry(g *ground, from, to string, moves bool) {
	var names []string
	for name := range g.st.files {
		if rest, ok := strings.CutPrefix(name, from+"/"); ok && rest != "" {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	for _, rest := range names {
		f := g.st.files[from+"/"+rest]
		g.put(to+"/"+rest, f)
		if moves && !f.gone {
			g.put(from+"/"+rest, file{gone: true})
		}
	}
}

// unlink takes a name away. Where the file has others, the first of them has its
// text from now on.
func (x *run) unlink(g *ground, real string) {
	var others []string
	for name, f := range g.st.files {
		if f.hard && f.target == real {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	for i, name := range others {
		if i == 0 {
			g.put(name, g.st.files[real])
		} else {
			g.put(name, file{link: true, hard: true, target: others[0]})
		}
	}
	g.put(real, file{gone: true})
}

// moved are the pairs of names that mv and cp work on.
func (x *run) moved(g *ground, words []access.Word, into string, f func(from, to string)) {
	dest := access.Text(into)
	if into == "" {
		if len(words) < 2 {
			return
		}
		dest, words = words[len(words)-1], words[:len(words)-1]
	}
	isDir := into != "" || len(words) > 1
	if full, ok := absolute(g.st.cwd, dest).Lit(); ok && !isDir && strings.HasPrefix(full, "/") {
		_, isDir = x.stat(g.st, full)
	}
	for _, w := range words {
		lit, ok := w.Lit()
		if !ok {
			continue
		}
		from, ok := x.newName(g.st, w)
		if !ok {
			continue
		}
		name := dest
		if isDir {
			name = dest.Concat(access.Text("/" + path.Base(lit)))
		}
		if to, ok := x.newName(g.st, name); ok {
			f(from, to)
		}
	}
}

func moveFiles(x *run, g *ground, words []access.Word, _ []string, into string) {
	x.moved(g, words, into, func(from, to string) {
		if f, ok := x.whatIs(g.st, from); ok {
			g.put(to, f)
			if f.dir {
				x.carry(g, from, to, true)
			}
			x.unlink(g, from)
		}
	})
}

func copyFiles(x *run, g *ground, words []access.Word, opts []string, into string) {
	links := has(opts, 'a', "--archive") || has(opts, 'd', "--no-dereference") || has(opts, 'P', "--no-dereference")
	x.moved(g, words, into, func(from, to string) {
		f, ok := x.whatIs(g.st, from)
		if ok && f.link && !links {
			if real, err := x.real(g.st, from); err == nil {
				f, ok = x.whatIs(g.st, real)
			}
		}
		if stdinName(from) {
			f, ok = file{content: g.st.in.text, known: g.st.in.kind == fromText}, true
		}
		if has(opts, 's', "--symbolic-link") {
			g.put(to, file{link: true, target: from})
			return
		}
		if ok && f.dir {
			x.carry(g, from, to, false)
		} else if ok && (!f.link || links) {
			g.put(to, f)
		}
	})
}

func installFiles(x *run, g *ground, words []access.Word, opts []string, into string) {
	if has(opts, 'd', "--directory") {
		makeDirs(x, g, words, []string{"-p"}, "")
		return
	}
	copyFiles(x, g, words, nil, into)
}

// gitMoves follows git mv.
func gitMoves(x *run, g *ground, words []access.Word, _ []string, _ string) {
	if len(words) > 2 && litOf(words[0]) == "mv" {
		moveFiles(x, g, words[1:], nil, "")
	}
}

// whatIs describes what stands at a resolved name, as far as the line can tell.
func (x *run) whatIs(st *state, name string) (file, bool) {
	if f, ok := st.files[name]; ok {
		return f, !f.gone
	}
	info, err := x.disk.Lstat(name)
	switch {
	case err != nil:
		return file{}, false
	case info.IsDir():
		return file{dir: true}, true
	case info.Mode().Type() == 0:
		return file{disk: true}, true
	}
	if target, err := x.disk.Readlink(name); err == nil {
		return file{link: true, target: target}, true
	}
	return file{}, false
}

func teeFiles(x *run, g *ground, words []access.Word, opts []string, _ string) {
	for _, w := range words {
		if real, ok := x.newName(g.st, w); ok {
			f := file{content: g.st.in.text, known: g.st.in.kind == fromText && g.st.in.text.Known()}
			if has(opts, 'a', "--append") {
				f = x.appendedTo(g.st, real, g.st.in.text)
				f.known = f.known && g.st.in.kind == fromText
			}
			g.put(real, f.ofTree())
		}
	}
}
