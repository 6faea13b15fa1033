package analyze

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
	"extdir/daemon/resolve"
)

// A pattern is reported as it is written. It is looked up on disk for two ends:
// links that lead out have names that look inside, and where the words are
// counted or printed the names themselves are wanted.

// maxNames is how many names a pattern is replaced by; with more it stays a pattern.
const maxNames = 64

// beyond is a folder outside that a pattern comes to, through a link
// or upwards, and the pattern that goes on below it.
type beyond struct {
	dir  string
	tail access.Word
}

// walker looks a pattern up on disk.
type walker struct {
	x     *run
	st    *state
	disk  overlay
	shell *env
	links bool // only links count as last component
	home  bool // and folders outside aren't listed: the pattern begins inside
	calls int  // left
	rests []beyond
	read  map[string][]fs.DirEntry
	real  map[string]string // of folders found by going down
}

// namesAndRests lists what a pattern below a directory matches, and whether all
// could be looked at. With links only links count as last component, and the
// folders outside that the pattern goes through aren't listed but returned.
func (x *run) namesAndRests(st *state, d division, links bool) (found []string, rests []beyond, complete bool) {
	w := walker{
		x: x, st: st, disk: overlay{listings{x.disk, x}, st.files}, shell: &env{x: x, st: st},
		calls: maxBelow, read: map[string][]fs.DirEntry{}, real: map[string]string{},
	}
	first, err := x.real(st, d.fixed)
	w.links, w.home = links, links && err == nil && !x.outside(first)
	parts, ok := word.Components(w.shell, d.tail)
	if !ok {
		return nil, nil, false
	}
	at := []string{strings.TrimSuffix(d.fixed, "/")}
	for i, part := range parts {
		last := i == len(parts)-1
		if part.Deep {
			if at, ok = w.deeper(at, parts[i:], part.Links); !ok {
				return nil, nil, false
			}
			if !last {
				continue
			}
		}
		if text, ok := part.Plain(); ok {
			for j := range at {
				at[j] += "/" + text
			}
			continue
		}
		if !x.b.Spend(guard.Patterns, 1) {
			return nil, nil, false
		}
		var next []string
		for _, d := range at {
			entries, real, ok := w.list(d)
			if !ok {
				return nil, nil, false
			}
			if w.home && x.outside(real) {
				if _, isDir := x.stat(st, real); isDir {
					w.rests = append(w.rests, beyond{d, word.Rest(parts[i:])})
				}
				continue
			}
			for _, e := range entries {
				if links && last && e.Type()&fs.ModeSymlink == 0 || !last && e.Type().IsRegular() {
					continue
				}
				if part.May(w.shell, e.Name()) {
					next = append(next, d+"/"+e.Name())
				}
			}
		}
		at = next
	}
	if !links && len(at) > maxNames {
		return nil, nil, false
	}
	for _, name := range at {
		if exists, isDir := x.stat(st, name); exists || links {
			if strings.HasSuffix(d.glob, "/") && !isDir {
				continue
			}
			found = append(found, name)
		}
	}
	return found, w.rests, true
}

// listings is the disk as patterns look at it: a tree that one pattern went through
// isn't read again for the next, and counts apart from other questions.
type listings struct {
	*asked
	x *run
}

// maxListings is how many folders the patterns of one line may read.
const maxListings = 2 * maxBelow

func (l listings) ReadDir(name string) ([]fs.DirEntry, error) {
	if e, ok := l.x.listings[name]; ok {
		return e, nil
	}
	if len(l.x.listings) >= maxListings {
		return nil, resolve.ErrBudget
	}
	e, err := l.disk.ReadDir(name)
	if err != nil {
		return nil, err
	}
	if l.x.listings == nil {
		l.x.listings = map[string][]fs.DirEntry{}
	}
	l.x.listings[name] = e
	return e, nil
}

// list reads a folder. ok is false where it can't be told what is in it.
func (w *walker) list(dir string) (entries []fs.DirEntry, real string, ok bool) {
	var err error
	real, ok = w.real[dir]
	if !ok {
		if real, err = w.x.real(w.st, dir+"/"); err != nil {
			return nil, "", false
		}
	}
	if e, ok := w.read[real]; ok {
		return e, real, true
	}
	if w.home && w.x.outside(real) {
		return nil, real, true
	}
	if w.calls--; w.calls < 0 {
		return nil, real, false
	}
	if entries, err = w.disk.ReadDir(real); errors.Is(err, resolve.ErrBudget) {
		return nil, real, false
	} else if err != nil {
		entries = nil
	}
	w.read[real] = entries
	return entries, real, true
}

// deeper is the folders and all folders below them: what ** goes through. Neither
// zsh 5.9 nor bash 5.2 follow links there; zsh's *** does.
func (w *walker) deeper(at []string, parts []word.Component, links bool) (all []string, ok bool) {
	seen := map[string]bool{}
	for len(at) > 0 {
		d := at[0]
		at = at[1:]
		entries, real, ok := w.list(d)
		if !ok {
			return nil, false
		}
		if seen[real] {
			continue
		}
		seen[real] = true
		if w.home && w.x.outside(real) {
			if _, isDir := w.x.stat(w.st, real); isDir {
				w.rests = append(w.rests, beyond{d, word.Rest(parts)})
			}
			continue
		}
		all = append(all, d)
		for _, e := range entries {
			switch {
			case strings.HasPrefix(e.Name(), ".") && !parts[0].Dots:
			case e.IsDir():
				w.real[d+"/"+e.Name()] = strings.TrimSuffix(real, "/") + "/" + e.Name()
				at = append(at, d+"/"+e.Name())
			case links && e.Type()&fs.ModeSymlink != 0:
				at = append(at, d+"/"+e.Name())
			}
		}
	}
	return all, true
}

// matches reports what a pattern matches that lies elsewhere. With itself a link
// that is matched is meant, not where it leads.
func (x *run) matches(st *state, a access.Access, dir string, d division, itself bool) {
	found, rests, complete := x.namesAndRests(st, division{fixed: dir, glob: d.glob, tail: d.tail}, true)
	if !complete {
		a.Certainty, a.External = access.Unknown, true
		a.Why += ": not all that the pattern matches could be looked at"
		x.add(a)
		return
	}
	for _, r := range rests {
		if real, err := x.real(st, r.dir); err == nil {
			b := a
			below := split(access.Text(real + "/").Concat(r.tail))
			b.Pattern = x.pattern(st, below, r.dir, real)
			b.Typed, b.Path, b.External = joinGlob(path.Clean(r.dir), below.glob), joinGlob(real, below.glob), true
			b.Why = a.Why + ", matched by the pattern"
			x.add(b)
		}
	}
	for _, name := range found {
		real, err := x.real(st, name)
		if itself && (a.Kind != access.Write || !strings.HasSuffix(d.glob, "/")) { // rm -r "link/" goes through
			real, err = x.real(st, path.Dir(strings.TrimSuffix(name, "/")))
			real = path.Join(real, path.Base(name))
		}
		if err != nil || !x.outside(real) || under(real, path.Clean(dir)) {
			continue
		}
		if exists, _ := x.stat(st, real); !exists {
			continue // a pattern only matches what is there
		}
		b := a
		b.Glob, b.Pattern, b.Typed, b.Path, b.External = false, "", path.Clean(name), real, true
		b.Why = a.Why + ", matched by the pattern"
		x.add(b)
	}
}

// spread replaces patterns in a list of words by the names they match inside the
// root. sure is false where a word stays that may stand for any number of words.
func (x *run) spread(st *state, words []access.Word) (out []access.Word, sure bool) {
	sure = true
	for i, w := range words {
		if !w.Glob() || x.option(st, "noglob") {
			sure = sure && !maybeNone(w)
			if out != nil {
				out = append(out, w)
			}
			continue
		}
		if out == nil {
			out = append(make([]access.Word, 0, len(words)), words[:i]...)
		}
		names, ok := x.spreadOne(st, w)
		if !ok {
			sure = false
			names = []access.Word{x.oneOf(st, w)}
		}
		out = append(out, names...)
	}
	if out == nil {
		return words, sure
	}
	return out, sure
}

func (x *run) spreadOne(st *state, w access.Word) ([]access.Word, bool) {
	d := split(absolute(st.cwd, w))
	fixed, glob := d.fixed, d.glob
	if d.class != access.Known || !strings.HasPrefix(fixed, "/") || glob == "" || w.OneOfMany() {
		return nil, false
	}
	real, err := x.real(st, fixed)
	if err != nil || x.outside(real) {
		return nil, false // reported as it is written, and asked about
	}
	e := &env{x: x, st: st}
	if word.Qualified(e, w) != word.Keeps || word.Deep(e, d.tail) {
		return nil, false
	}
	found, _, complete := x.namesAndRests(st, d, false)
	if !complete || len(found) > maxNames {
		return nil, false
	}
	if len(found) == 0 {
		if x.option(st, "nullglob") || word.MayBeNone(e, w) {
			return nil, true
		}
		lit, _ := w.Lit()
		plain := access.Text(lit)
		plain.Start, plain.End = w.Start, w.End
		return []access.Word{plain}, true
	}
	prefix := strings.TrimSuffix(fixed, "/") + "/"
	typed, _ := w.Lit()
	keep := strings.TrimSuffix(typed, glob) // the directory as it was written
	out := make([]access.Word, len(found))
	for i, name := range found {
		n := keep + strings.TrimPrefix(name, prefix)
		if strings.HasSuffix(glob, "/") {
			n += "/"
		}
		out[i] = access.Text(n)
		out[i].Start, out[i].End = w.Start, w.End
	}
	return out, true
}

// oneOf is a pattern as a word for any one of the names that it matches. What is
// done with the word later, in quotes or not, is done with one of them.
func (x *run) oneOf(st *state, w access.Word) access.Word {
	d := split(absolute(st.cwd, w))
	if d.class != access.Known || d.glob == "" || w.OneOfMany() {
		return w
	}
	e := &env{x: x, st: st}
	real, err := x.real(st, d.fixed)
	return word.OneOf(e, w, err == nil && !x.outside(real))
}

// renamed puts unknown words in the place of patterns whose qualifiers make other
// words of the names: *(:h), *(e:…:).
func (x *run) renamed(st *state, words []access.Word) []access.Word {
	if !st.zsh {
		return words
	}
	for i, w := range words {
		if !w.Glob() || word.Qualified(&env{x: x, st: st}, w) == word.Keeps {
			continue
		}
		words = append([]access.Word(nil), words...)
		class := access.Any
		if word.Qualified(&env{x: x, st: st}, w) == word.Tails {
			class = access.Name
		}
		words[i] = from(access.Unknowable(class, w.Start, w.End), "what the qualifiers of a pattern make of its names")
	}
	return words
}
