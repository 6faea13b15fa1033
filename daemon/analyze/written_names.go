package analyze

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"extdir/daemon/access"
)

// Names of files that the line wrote: also those that aren't known, as mktemp's,
// and words that stand for several.

// fileKey is the name that a file is kept under: the resolved one. Where a part of
// it isn't known it begins with "?" and holds the part's number instead, so that
// the same word finds it again.
func (x *run) fileKey(st *state, w access.Word) (string, bool) {
	if real, err := x.realOf(st, w); err == nil {
		return real, true
	}
	s, ok := x.shapeOf(st, w)
	if !ok || s.globs {
		return "", false
	}
	return "?" + s.text, true
}

// shape is a name of which parts may not be known. Those are written \x01N\x02 with
// their number, or \x03 without one.
type shape struct {
	text  string
	globs bool // it holds a pattern
}

// Marks of unknown parts in shapes. A name that mktemp made is like no other: its
// mark is as good as text.
const (
	markFresh, markEnd = "\x01", "\x02"
	markSome           = "\x03"
)

// shapeOf is the shape of a word, with the known folders at its beginning resolved.
// There is none of a name that may be anywhere.
func (x *run) shapeOf(st *state, w access.Word) (shape, bool) {
	full := absolute(st.cwd, w)
	if len(full.Segs) == 0 {
		return shape{}, false
	}
	var b strings.Builder
	var s shape
	for i, seg := range full.Segs {
		switch {
		case seg.Class == access.Known && !seg.Quoted && (seg.Special || strings.ContainsAny(seg.Text, "*?[")):
			s.globs = true
			b.WriteString(markSome)
			if j := strings.LastIndexAny(seg.Text, "*?[])}"); !seg.Special && j >= 0 {
				k := strings.IndexAny(seg.Text, "*?[")
				text := b.String()
				b.Reset()
				b.WriteString(strings.TrimSuffix(text, markSome) + seg.Text[:k] + markSome + seg.Text[j+1:])
			}
		case seg.Class == access.Known:
			b.WriteString(seg.Text)
		case seg.Class == access.Any && i == 0:
			return s, false
		case strings.HasPrefix(seg.From, "$(mktemp") && seg.Same != 0:
			fmt.Fprintf(&b, "%s%d%s", markFresh, seg.Same, markEnd)
		default:
			s.globs = s.globs || seg.Glob != ""
			fmt.Fprintf(&b, "%s%d", markSome, seg.Same)
		}
	}
	s.text = b.String()
	head := s.text
	if i := strings.IndexAny(head, markFresh+markSome); i >= 0 {
		head = head[:i]
	}
	if i := strings.LastIndexByte(head, '/'); i >= 0 {
		dir, err := x.real(st, head[:i+1])
		if err != nil {
			return s, false
		}
		s.text = strings.TrimSuffix(dir, "/") + "/" + s.text[i+1:]
	}
	return s, true
}

// mayBe tells whether two shapes may be names of the same file.
func mayBe(a, b string) bool {
	if a == b {
		return true
	}
	aHead, aTail, aOpen := headAndTail(a)
	bHead, bTail, bOpen := headAndTail(b)
	switch {
	case !aOpen && !bOpen:
		return false
	case !aOpen:
		return fits(a, bHead, bTail)
	case !bOpen:
		return fits(b, aHead, aTail)
	}
	n, m := min(len(aHead), len(bHead)), min(len(aTail), len(bTail))
	return aHead[:n] == bHead[:n] && aTail[len(aTail)-m:] == bTail[len(bTail)-m:]
}

// headAndTail are the known text before and after what isn't known of a shape.
func headAndTail(s string) (head, tail string, open bool) {
	i := strings.Index(s, markSome)
	if i < 0 {
		return s, s, false
	}
	tail = s[strings.LastIndex(s, markSome)+1:]
	return s[:i], strings.TrimLeft(tail, "0123456789"), true
}

func fits(name, head, tail string) bool {
	return len(name) >= len(head)+len(tail) && strings.HasPrefix(name, head) && strings.HasSuffix(name, tail)
}

// heldFile is a file that the line wrote.
type heldFile struct {
	name string
	file
}

// path is its resolved name, "" if that isn't known.
func (f heldFile) path() string {
	if strings.HasPrefix(f.name, "/") && !strings.HasPrefix(f.name, "/dev/fd/") {
		return f.name
	}
	return ""
}

// wrote is the file that the line wrote and a word names, if it names one.
func (x *run) wrote(st *state, w access.Word) (heldFile, bool) {
	if lit, ok := w.Lit(); ok {
		if in, ok := st.fds[lit]; ok {
			return heldFile{lit, file{content: in.text, known: in.kind == fromText}}, true
		}
	}
	if len(st.files) == 0 {
		return heldFile{}, false
	}
	key, ok := x.fileKey(st, w)
	f, ours := st.files[key]
	return heldFile{key, f}, ok && ours && f.written() && !strings.Contains(key, markSome+"0")
}

// wroteFiles are the files that the line wrote and a word may name: one for a known
// name, some for a pattern, for what a program lists, for the folder in which find
// looks.
func (x *run) wroteFiles(st *state, w access.Word) []heldFile {
	if f, ok := x.wrote(st, w); ok {
		return []heldFile{f}
	}
	if len(st.files) == 0 {
		return nil
	}
	s, ok := x.shapeOf(st, w)
	if !ok {
		return nil
	}
	folder := ""
	if real, err := x.realOf(st, w); err == nil {
		if _, dir := x.stat(st, real); dir {
			folder = real
		}
	}
	var out []heldFile
	for key, f := range st.files {
		if !f.written() {
			continue
		}
		name := strings.TrimPrefix(key, "?")
		if folder != "" && under(name, folder) || mayBe(s.text, name) || strings.HasPrefix(s.text, markSome) && !x.outside(name) {
			out = append(out, heldFile{key, f})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out
}

// shown is the name of a file that the line wrote, for a person.
func shown(key string) string {
	if strings.HasPrefix(key, "?") {
		return path.Base(strings.NewReplacer(markFresh, "", markEnd, "", markSome, "…").Replace(key[1:]))
	}
	return path.Base(key)
}
