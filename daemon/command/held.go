package command

import (
	"path"
	"slices"
	"strings"

	"extdir/daemon/access"
)

// Holder is what a Ground may add to tell what the line itself wrote into a file.
type Holder interface {
	// Held tells whether the line wrote what stands in a file, and hands that to
	// read. A folder or a pattern may stand for several files.
	Held(file access.Word, read func(Held)) bool
	// Named lists the files that the line wrote whose names end so.
	Named(ending string) []access.Word
}

// Held is a file that the line wrote.
type Held struct {
	Name string // the resolved one, "" if it isn't known
	One  bool   // it is what the word names, and not one of several
	// Text has nothing known in it where what stands in the file can't be known.
	Text access.Word
}

// reading is a file whose text is read, and the one whose text loads it.
type reading struct {
	file   access.Word
	name   string // the resolved one, "" if it isn't known
	within *reading
}

// held reads what the line wrote into a file as the kind of its text: a program
// that is run, a list of names. What stands in files of the disk isn't looked at.
func (v valuer) held(text kind, file access.Word) {
	h, ok := v.g.(Holder)
	if !ok || file.Empty() {
		return
	}
	if text.arg == "pytest" {
		file, _, _ = file.Cut(':') // FILE::TEST
	}
	for in := v.in; in != nil; in = in.within {
		if in.file.String() == file.String() {
			return // it loads itself
		}
	}
	h.Held(file, func(f Held) {
		if !f.One && !text.takes(f.Name) {
			return
		}
		w := f.Text
		if w.Start == 0 && w.End == 0 {
			w.Start, w.End = file.Start, file.End
		}
		if text.runs() && !text.someKnown(w) {
			what := "program in " + shown(file) + " can't be determined"
			if text.base == kNames {
				what = "names in " + shown(file) + " can't be determined"
			}
			w.Start, w.End = file.Start, file.End
			v.g.Unknown(w, what)
			return
		}
		valuer{g: v.g, why: "in " + file.String(), with: v.with, in: &reading{file, f.Name, v.in}}.apply(text, w)
	})
}

// heldFlag reads the file that an option in one string names: --require FILE,
// --require=FILE, -rFILE.
func (v valuer) heldFlag(text kind, flag access.Word) {
	if _, value, ok := flag.Cut('='); ok {
		flag = value
	} else if p, _ := flag.Prefix(); len(p) > 2 && p[0] == '-' && p[1] != '-' {
		flag = flag.From(2)
	}
	v.held(text, flag)
}

// testModule reads a module that unittest is given by name, with classes and methods
// of it behind: pkg.test_x.TestY.test_z.
func (v valuer) testModule(w access.Word) {
	name, known := w.Lit()
	for h := (host{v: v, program: w, language: "pytest"}); known && name != "" && !strings.Contains(name, "/"); {
		h.Import(name)
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return
		}
		name = name[:i]
	}
}

// runs tells whether a text of the kind says what is done to files outside: a
// program, or a list of any names. A patch and the like stay in their folder.
func (k kind) runs() bool {
	switch k.base {
	case kSh:
		return true
	case kCode:
		return k.arg != "patch" && k.arg != "cinclude" && k.arg != "gitpathspec"
	case kNames: // what is done to them
		return k.elem.base != kCode || k.elem.runs()
	}
	return false
}

// someKnown tells whether anything is known of a text: of a program some of its
// text, of a list of names where they lie.
func (k kind) someKnown(w access.Word) bool {
	for _, s := range w.Segs {
		if s.Class == access.Known && strings.TrimSpace(s.Text) != "" || k.base == kNames && s.Class != access.Any {
			return true
		}
	}
	return w.Known()
}

// takes tells whether a program that is given a folder takes a file in it.
func (k kind) takes(name string) bool {
	base, ending := name[strings.LastIndexByte(name, '/')+1:], path.Ext(name)
	switch {
	case k.base != kCode:
		return true
	case k.arg == "pytest": // pytest --help: python_files
		return ending == ".py" && (strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || base == "conftest.py")
	}
	return ending == "" || moduleFiles[k.arg] == nil || slices.Contains(moduleFiles[k.arg], ending)
}

// heldList is the text of a list that the line wrote, if there is anything known
// in it.
func heldList(g Ground, file access.Word) (list access.Word, known bool) {
	if h, ok := g.(Holder); ok {
		h.Held(file, func(f Held) {
			w := f.Text
			list, known = w, len(w.Segs) == 0
			for _, s := range w.Segs {
				known = known || s.Class != access.Any
			}
		})
	}
	return list, known
}

// shown is the name of a file for a person.
func shown(file access.Word) string {
	name := file.String()
	if strings.HasPrefix(name, "/dev/fd/") {
		return "a pipe"
	}
	return name
}

// unseen tells whether what stands in one of the files isn't known from the line.
func unseen(g Ground, files []access.Word) bool {
	h, ok := g.(Holder)
	for _, f := range files {
		if text, _ := f.Lit(); text != "-" && (!ok || !h.Held(f, nil)) {
			return true
		}
	}
	return false
}

// moduleFiles are the endings of the file that a module may stand in, by language.
var moduleFiles = map[string][]string{
	"python":     {".py", "/__init__.py"},
	"pytest":     {".py"},
	"javascript": {".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".jsx", "/index.js", "/index.ts"},
	"ruby":       {".rb"},
	"lua":        {".lua", "/init.lua"},
	"perl":       {".pm"},
	"awk":        {".awk"},
}

// moduleSeparators part the names of modules inside each other.
var moduleSeparators = map[string]string{"python": ".", "pytest": ".", "lua": ".", "perl": "::"}

// Import reads a module that a program loads by its name, if the line wrote it.
// Languages look for it in many places: any file of that name counts.
func (h host) Import(module string) {
	if sep := moduleSeparators[h.language]; sep != "" {
		module = strings.ReplaceAll(strings.TrimLeft(module, "."), sep, "/")
	}
	holder, ok := h.v.g.(Holder)
	if !ok || module == "" {
		return
	}
	for _, end := range moduleFiles[h.language] {
		for _, file := range holder.Named(module + end) {
			file.Start, file.End = h.program.Start, h.program.End
			h.v.held(kind{base: kCode, arg: h.language}, file)
		}
	}
}

// Include reads a file that a program runs as a part of itself, if the line wrote
// it. It is looked for where the program starts and beside its own file.
func (h host) Include(name access.Word) {
	holder, ok := h.v.g.(Holder)
	if !ok {
		return
	}
	endings := append([]string{""}, moduleFiles[h.language]...)
	places := []access.Word{{}}
	if h.v.in != nil && !name.HasPrefix("/") {
		if dir, _, ok := h.v.in.file.CutLast('/'); ok {
			places = append(places, dir.Concat(access.Text("/")))
		}
	}
	for _, place := range places {
		for _, end := range endings {
			file := place.Concat(name).Concat(access.Text(end))
			file.Start, file.End = h.program.Start, h.program.End
			if holder.Held(file, nil) {
				h.v.held(kind{base: kCode, arg: h.language}, file)
				return
			}
		}
	}
}

// Script is the name of the file that the program stands in.
func (h host) Script() (access.Word, bool) {
	if h.v.in == nil || h.v.in.name == "" {
		return access.Word{}, false
	}
	name := access.Text(h.v.in.name)
	name.Start, name.End = h.program.Start, h.program.End
	return name, true
}
