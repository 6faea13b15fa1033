package analyze

import (
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// File is a file that a program names by itself, without a command line: the tool of
// an agent's host that reads or edits.
type File struct {
	Name string // as given: absolute, relative to the request's Cwd, or with a leading ~
	Kind access.Kind
	Why  string
	// Tree: the program goes through what is below.
	Tree bool
}

// Files judges files as Analyze judges a line. Names are taken as they are: nothing in
// them is expanded but a leading "~/". Request.Line is what is shown of it.
func (a *Analyzer) Files(r Request, files []File) access.Line {
	return a.with(&r, new(guard.Budget), func(x *run) {
		st := &x.desk.first
		x.begin(st)
		for _, f := range files {
			name := f.Name
			if name == "~" || strings.HasPrefix(name, "~/") {
				if r.Home == "" {
					x.fail("where " + name + " is can't be told: the home directory isn't known")
					continue
				}
				name = r.Home + name[1:]
			}
			if strings.ContainsRune(name, 0) || name == "" {
				x.fail("a file without a usable name")
				continue
			}
			at := strings.Index(r.Line, f.Name)
			w := access.Word{Segs: []access.Segment{{Text: name, Quoted: true}}, Start: at, End: at + len(f.Name)}
			if at < 0 {
				w.Start, w.End = 0, len(r.Line)
			}
			x.touch(st, st.cwd, target{word: w, kind: f.Kind, why: f.Why, dir: f.Tree})
		}
	})
}
