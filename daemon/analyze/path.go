package analyze

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
	"extdir/daemon/resolve"
)

func (x *run) findRoots() {
	x.roots = x.roots0[:0]
	for _, r := range x.r.Roots {
		if r != "" {
			x.roots = append(x.roots, path.Clean(r))
		}
	}
}

// outside tells whether a clean absolute name lies outside every root.
func (x *run) outside(name string) bool {
	for _, r := range x.roots {
		if under(name, r) {
			return false
		}
	}
	if x.resolved {
		return true
	}
	x.resolved = true // only what lies outside the names of the roots asks for this
	for _, r := range x.roots[:len(x.roots):len(x.roots)] {
		if real, err := resolve.Path(x.disk, r, nil); err == nil && real != r {
			x.roots = append(x.roots, real)
		}
	}
	return x.outside(name)
}

func under(name, dir string) bool {
	return name == dir || dir == "/" || strings.HasPrefix(name, dir) && name[len(dir)] == '/'
}

// real resolves an absolute name in a state: what the line made before counts.
func (x *run) real(st *state, name string) (string, error) {
	var disk resolve.FS = x.disk
	if len(st.files) > 0 {
		disk = overlay{x.disk, st.files}
	}
	real, err := resolve.Path(disk, name, nil)
	if err != nil && !strings.Contains(err.Error(), "/proc/") || err == nil && !strings.HasPrefix(real, "/proc/") {
		return real, err
	}
	// It goes through what has another meaning in each process.
	return resolve.Path(inProcess{disk, st.cwd}, name, nil)
}

// stat tells what is at a name, links followed.
func (x *run) stat(st *state, name string) (exists, dir bool) {
	real, err := x.real(st, name)
	if err != nil {
		return false, false
	}
	if real == "/" {
		return true, true
	}
	info, err := overlay{x.disk, st.files}.Lstat(real)
	if err != nil {
		return false, false
	}
	return true, info.IsDir()
}

// target is a word that names a file, and what is done with it.
type target struct {
	word   access.Word
	kind   access.Kind
	why    string
	dir    bool
	follow bool
	itself bool // a link is meant, not what it leads to
	guess  bool
}

// absolute joins a word to a directory word, and cleans nothing.
func absolute(dir, w access.Word) access.Word {
	if w.HasPrefix("/") {
		return w
	}
	if len(w.Segs) > 0 && w.Segs[0].Glob == "" && (w.Segs[0].Class == access.Any || w.Segs[0].Class == access.Inside) {
		return w // it may start with a slash by itself
	}
	if w.Empty() {
		return dir
	}
	sep := access.Word{Segs: []access.Segment{{Text: "/", Quoted: true}}}
	full := dir.Concat(sep).Concat(w)
	full.Start, full.End = w.Start, w.End
	return full
}

// plainName is the absolute name of a word that is one known piece without a
// pattern, in a known directory: what split finds for most words, without taking
// them apart.
func plainName(dir, w access.Word) (string, bool) {
	if len(w.Segs) != 1 || len(dir.Segs) != 1 {
		return "", false
	}
	s, d := &w.Segs[0], &dir.Segs[0]
	if s.Class != access.Known || d.Class != access.Known || s.Text == "" || !s.Quoted && (s.Special || strings.ContainsAny(s.Text, "*?[")) {
		return "", false
	}
	if s.Text[0] == '/' {
		return s.Text, true
	}
	if d.Text == "" || d.Text[0] != '/' || !d.Quoted {
		return "", false
	}
	return d.Text + "/" + s.Text, true
}

// touch reports that a word names a path which the line would touch.
func (x *run) touch(st *state, dir access.Word, t target) {
	if t.word.Empty() {
		return
	}
	start, end := t.word.Start, t.word.End
	if lit, ok := t.word.Lit(); ok && safeDevice(lit) {
		return
	}
	var full access.Word
	var parts division
	if name, ok := plainName(dir, t.word); ok {
		parts.fixed = name
	} else {
		full = absolute(dir, t.word)
		parts = split(full)
	}
	fixed, glob, rest, class := parts.fixed, parts.glob, parts.rest, parts.class
	if class == access.Inside && fixed == "" {
		if strings.Contains(rest, "..") {
			x.unnamed(t.kind, t.why+": a name that a program lists is followed by ..", start, end)
		}
		return
	}
	if !strings.HasPrefix(fixed, "/") {
		if t.guess && !mayBePath(t.word) {
			return
		}
		x.unclear(st, t.kind, t.why, full, start, end)
		return
	}
	typed := path.Clean(fixed)
	if safeDevice(typed) && !strings.Contains(fixed, "..") && class == access.Known && glob == "" {
		return
	}
	a := access.Access{Typed: typed, Kind: t.kind, Dir: t.dir, Why: t.why, Start: start, End: end}
	var real string
	var err error
	if name := fixed[strings.LastIndexByte(fixed, '/')+1:]; t.itself && class == access.Known && glob == "" && name != "" && name != "." && name != ".." {
		real, err = x.real(st, fixed[:len(fixed)-len(name)])
		real = path.Join(real, name)
	} else { // a slash at the end goes through the link
		real, err = x.real(st, fixed)
	}
	if err != nil {
		a.Path, a.Certainty, a.External = typed, access.Unknown, true
		if errors.Is(err, resolve.ErrLoop) { // the kernel refuses it as well
			a.Certainty, a.External = access.Certain, x.outside(typed)
		} else {
			a.Why += ": " + err.Error()
		}
		x.add(a)
		return
	}
	a.Path = real
	a.External = x.outside(real)
	switch {
	case class != access.Known:
		a.Typed, a.Path = path.Join(typed, "*"), path.Join(real, "*")
		// What is unknown but stays one component, or below, is as good as known
		// inside; anything else may climb out.
		climbs := class == access.Any || strings.Contains(rest, "..")
		// What a program lists below a folder is named by that folder.
		listed := class == access.Inside && !climbs
		if t.guess && !a.External {
			return
		}
		if a.External && !listed || climbs {
			a.Certainty, a.External = access.Unknown, true
			a.Why += ": " + x.because(st, full)
			a.Confined = !climbs && x.confined(st, full, fixed)
		}
	case glob != "":
		a.Glob = true
		a.Typed, a.Path = joinGlob(typed, glob), joinGlob(real, glob)
		a.Pattern = x.pattern(st, parts, typed, real)
		x.matches(st, a, real, parts, t.itself)
	}
	if t.guess && (!a.External || t.kind == access.Write && class == access.Known && glob == "" && x.closed(st, real)) {
		return
	}
	x.add(a)
	if t.follow && !a.External && !a.Glob && class == access.Known {
		x.below(a, real)
	}
}

// closed tells whether the mode of a file, or of the directory in which it would be made,
// keeps the user from writing it: it is another user's, and only that user writes it. A
// group that writes may be the user's.
func (x *run) closed(st *state, name string) bool {
	disk := overlay{x.disk, st.files}
	info, err := disk.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = disk.Lstat(path.Dir(name))
	}
	if err != nil || info.Mode().Perm()&0o022 != 0 || info.Mode()&fs.ModeSymlink != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	uid := euid()
	return ok && uid != 0 && int(stat.Uid) != uid
}

// euid is the user whose daemon this is; tests say another.
var euid = os.Geteuid

// confined tells whether the unknown parts of a word are parts of its last component,
// which is no ".." whatever they are, and whether no link in its directory has a name
// that begins and ends as the known parts do.
func (x *run) confined(st *state, w access.Word, dir string) bool {
	var head, tail string
	holes := 0
	for _, s := range w.Segs {
		switch {
		case s.Glob != "" || s.Class == access.Known && !s.Quoted && strings.ContainsAny(s.Text, "*?["):
			return false
		case s.Class == access.Name:
			holes++
			tail = ""
		case s.Class != access.Known:
			return false
		case holes == 0:
			head += s.Text
		default:
			tail += s.Text
			if strings.Contains(s.Text, "/") {
				return false
			}
		}
	}
	head = head[strings.LastIndexByte(head, '/')+1:]
	if strings.Trim(head+tail, ".") == "" {
		return false
	}
	real, err := x.real(st, dir)
	if err != nil {
		return false
	}
	entries, err := (overlay{listings{x.disk, x}, st.files}).ReadDir(real)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	for _, e := range entries {
		if n := e.Name(); e.Type()&fs.ModeSymlink != 0 && strings.HasPrefix(n, head) && strings.HasSuffix(n, tail) {
			return false
		}
	}
	return true
}

// maxBelow is how many file system calls looking for links below one directory
// may cost: a few milliseconds.
const maxBelow = 2000

// below reports the links below a directory that lead out, for programs that
// follow them.
func (x *run) below(a access.Access, real string) {
	found, complete := resolve.LinksBelow(x.a.FS, real, x.outside, &resolve.Budget{Calls: maxBelow})
	for _, f := range found {
		b := a
		b.Typed, b.Path, b.External, b.Why = f, f, true, a.Why+", through a link below it"
		x.add(b)
	}
	if !complete {
		b := a
		b.Typed, b.Path = "", ""
		b.External, b.Certainty, b.Why = true, access.Unknown, a.Why+": not all links below it could be looked at"
		x.add(b)
	}
}

// A division is an absolute word taken apart: the directory or name that is known
// for certain, an active pattern after it, and what is unknown after that.
type division struct {
	fixed, glob, rest string
	class             access.Class
	tail              access.Word // the pattern, quoted or not
}

// pattern says what the pattern of a word may stand for below its directory. Where
// the text of the whole name says it there is none.
func (x *run) pattern(st *state, d division, dirs ...string) access.Pattern {
	p := word.Globs(&env{x: x, st: st}, d.tail)
	if p.Plain() && p.Written() == strings.TrimPrefix(joinGlob("/", d.glob), "/") && !strings.ContainsAny(strings.Join(dirs, ""), `*?[\`) {
		return ""
	}
	matches, except := p.Says()
	for _, list := range [][]string{matches, except} {
		for i, m := range list {
			list[i] = strings.TrimPrefix(joinGlob("/", m), "/")
		}
	}
	return access.NewPattern(strings.TrimPrefix(joinGlob("/", d.glob), "/"), matches, except)
}

func split(w access.Word) division {
	var known strings.Builder
	globAt := -1
	i := 0
	for ; i < len(w.Segs); i++ {
		s := w.Segs[i]
		if s.Glob != "" {
			if globAt < 0 {
				globAt = known.Len()
			}
			known.WriteString(s.Glob.Written())
			continue
		}
		if s.Class != access.Known {
			break
		}
		if globAt < 0 && !s.Quoted {
			if j := strings.IndexAny(s.Text, "*?["); j >= 0 {
				globAt = known.Len() + j
			}
			if s.Special {
				globAt = known.Len()
			}
		}
		known.WriteString(s.Text)
	}
	fixed := known.String()
	if i < len(w.Segs) {
		d := division{}
		for _, s := range w.Segs[i:] {
			if s.Class == access.Known {
				d.rest += s.Text
			}
			// The widest class decides: Any over Inside over Name.
			if s.Class > d.class {
				d.class = s.Class
			}
		}
		for _, s := range w.Segs[:i] {
			if s.Glob != "" {
				d.class = max(d.class, s.Class)
			}
		}
		// "/etc/pass…": the last component isn't certain either.
		fixed = fixed[:strings.LastIndexByte(fixed, '/')+1]
		if globAt >= 0 && globAt < len(fixed) {
			fixed = fixed[:strings.LastIndexByte(fixed[:globAt], '/')+1]
		}
		d.fixed = fixed
		return d
	}
	if globAt >= 0 {
		cut := strings.LastIndexByte(fixed[:globAt], '/') + 1
		return division{fixed: fixed[:cut], glob: fixed[cut:], tail: w.From(cut)}
	}
	return division{fixed: fixed}
}

// joinGlob puts a pattern below a directory. A ".." in it is taken lexically
// where it follows a component without pattern characters.
func joinGlob(dir, glob string) string {
	out := path.Clean(dir)
	for part := range strings.SplitSeq(glob, "/") {
		switch {
		case part == "" || part == ".":
		case part == ".." && !strings.ContainsAny(path.Base(out), "*?["):
			out = path.Dir(out)
		default:
			out = strings.TrimSuffix(out, "/") + "/" + part
		}
	}
	return out
}

// listed reports the directory that an unquoted pattern makes the shell list,
// whatever the command does with the names.
func (x *run) listed(st *state, w access.Word) {
	if !w.Glob() || x.option(st, "noglob") {
		return
	}
	d := split(absolute(st.cwd, w))
	if !strings.HasPrefix(d.fixed, "/") || d.glob == "" {
		return
	}
	real, err := x.real(st, d.fixed)
	if err == nil && !x.outside(real) {
		if strings.Contains(strings.TrimRight(d.glob, "/"), "/") {
			// It may go through links that lead out.
			_, rests, _ := x.namesAndRests(st, d, true)
			for _, r := range rests {
				there := access.Text(r.dir + "/").Concat(r.tail)
				there.Start, there.End = w.Start, w.End
				x.touch(st, st.cwd, target{word: there, kind: access.Read, why: "pattern the shell expands"})
			}
		}
		return
	}
	x.touch(st, st.cwd, target{word: w, kind: access.Read, why: "pattern the shell expands"})
}

// safeDevice tells whether a name is one of the devices that hold nothing of the
// machine. It is asked of the name as typed: these names are links into the
// descriptors of whoever resolves them.
func safeDevice(name string) bool {
	rest, ok := strings.CutPrefix(name, "/dev/")
	if !ok {
		return false
	}
	switch rest {
	case "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty":
		return true
	}
	if n, ok := strings.CutPrefix(rest, "fd/"); ok {
		return n != "" && strings.Trim(n, "0123456789") == ""
	}
	if strings.HasPrefix(rest, "tcp/") || strings.HasPrefix(rest, "udp/") {
		return !strings.Contains(rest, "..")
	}
	return false
}

// mayBePath tells whether an unknown word in a place whose meaning isn't known
// looks like a path at all.
func mayBePath(w access.Word) bool {
	for _, s := range w.Segs {
		if s.Class == access.Any {
			return true
		}
	}
	return false
}
