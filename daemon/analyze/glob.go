package analyze

import (
	"io/fs"
	"path"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// A pattern is reported as it is written. It is looked up on disk for two ends:
// links that lead out have names that look inside, and where the words are
// counted or printed the names themselves are wanted.

// maxNames is how many names a pattern is replaced by; with more it stays a pattern.
const maxNames = 64

// names lists what a pattern below a directory matches, and whether all could be
// looked at. With links only links count as last component.
func (x *run) names(st *state, dir, glob string, links bool) (found []string, complete bool) {
	found, _, complete = x.namesAndRests(st, dir, glob, links)
	return found, complete
}

// beyond is a folder outside that a pattern comes to, through a link
// or upwards, and the pattern that goes on below it.
type beyond struct{ dir, rest string }

// namesAndRests is names; with links the folders outside that the pattern goes
// through aren't listed but returned.
func (x *run) namesAndRests(st *state, dir, glob string, links bool) (found []string, rests []beyond, complete bool) {
	disk := overlay{x.disk, st.files}
	shell := &env{x: x, st: st}
	at := []string{strings.TrimSuffix(dir, "/")}
	first, err := x.real(st, dir)
	home := err == nil && !x.outside(first)
	parts := strings.Split(glob, "/")
	for i, part := range parts {
		if part == "" || part == "." {
			continue
		}
		last := i == len(parts)-1
		pattern := access.Word{Segs: []access.Segment{{Text: part}}}
		var next []string
		for _, d := range at {
			if part == ".." || !strings.ContainsAny(part, `*?[\`) {
				next = append(next, d+"/"+part)
				continue
			}
			if !x.b.Spend(guard.Patterns, 1) {
				return nil, nil, false
			}
			real, err := x.real(st, d+"/")
			if err != nil {
				return nil, nil, false
			}
			if links && home && x.outside(real) {
				if _, isDir := x.stat(st, real); isDir {
					rests = append(rests, beyond{d, strings.Join(parts[i:], "/")})
				}
				continue
			}
			entries, err := disk.ReadDir(real)
			if err != nil {
				continue
			}
			for _, e := range entries {
				if e.Name()[0] == '.' && part[0] != '.' && !x.option(st, "dotglob") {
					continue
				}
				if part == "**" && st.zsh && !last && e.Type()&fs.ModeSymlink != 0 {
					continue // it goes down, but not through links
				}
				if links && last && e.Type()&fs.ModeSymlink == 0 || !last && e.Type().IsRegular() {
					continue
				}
				if ok, sure := word.Match(shell, pattern, access.Text(e.Name()), x.option(st, "nocaseglob")); sure && !ok {
					continue
				}
				next = append(next, d+"/"+e.Name())
			}
		}
		at = next
	}
	for _, name := range at {
		if exists, isDir := x.stat(st, name); exists || links {
			if strings.HasSuffix(glob, "/") && !isDir {
				continue
			}
			found = append(found, name)
		}
	}
	return found, rests, true
}

// matches reports what a pattern matches that lies elsewhere. With itself a link
// that is matched is meant, not where it leads.
func (x *run) matches(st *state, a access.Access, dir, glob string, itself bool) {
	if x.recursive(st, glob) { // "**" goes down, but not through links
		if real, err := x.real(st, dir); err == nil {
			x.below(a, real)
		}
	}
	found, rests, complete := x.namesAndRests(st, dir, glob, true)
	if !complete {
		a.Certainty, a.External = access.Unknown, true
		x.add(a)
		return
	}
	for _, r := range rests {
		if real, err := x.real(st, r.dir); err == nil {
			b := a
			b.Typed, b.Path, b.External = joinGlob(path.Clean(r.dir), r.rest), joinGlob(real, r.rest), true
			b.Why = a.Why + ", matched by the pattern"
			x.add(b)
		}
	}
	for _, name := range found {
		real, err := x.real(st, name)
		if itself && (a.Kind != access.Write || !strings.HasSuffix(glob, "/")) { // rm -r "link/" goes through

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
		b.Glob, b.Typed, b.Path, b.External = false, path.Clean(name), real, true
		b.Why = a.Why + ", matched by the pattern"
		x.add(b)
	}
}

// recursive tells whether a pattern goes down any number of folders.
func (x *run) recursive(st *state, glob string) bool {
	return strings.Contains(glob, "**") && (st.zsh || x.option(st, "globstar"))
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
			names = []access.Word{w}
		}
		out = append(out, names...)
	}
	if out == nil {
		return words, sure
	}
	return out, sure
}

func (x *run) spreadOne(st *state, w access.Word) ([]access.Word, bool) {
	full := absolute(st.cwd, w)
	fixed, glob, _, class := split(full)
	if class != access.Known || !strings.HasPrefix(fixed, "/") || glob == "" || x.recursive(st, glob) {
		return nil, false
	}
	real, err := x.real(st, fixed)
	if err != nil || x.outside(real) {
		return nil, false // reported as it is written, and asked about
	}
	found, complete := x.names(st, fixed, glob, false)
	if !complete || len(found) > maxNames {
		return nil, false
	}
	if len(found) == 0 {
		if x.option(st, "nullglob") {
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
