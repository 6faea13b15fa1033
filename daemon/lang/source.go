package lang

import (
	"sort"
	"strings"

	"extdir/daemon/access"
)

// maxProgram is the longest program that is read. Longer ones are one unknown
// access: every reader is linear, but its tables are not free.
const maxProgram = 64 << 10

// maxDepth bounds the nesting a recursive reader follows.
const maxDepth = 200

// source is a program text as a string in which every unknown part stands as one
// NUL byte, with the way back to the segments it came from.
type source struct {
	s     string
	parts []part
	word0 access.Word
}

type part struct {
	at  int // where the segment begins in source.s
	seg access.Segment
}

func newSource(w access.Word) *source {
	p := &source{word0: w}
	var b strings.Builder
	for _, seg := range w.Segs {
		p.parts = append(p.parts, part{b.Len(), seg})
		if seg.Class == access.Known {
			b.WriteString(seg.Text)
		} else {
			b.WriteByte(0)
		}
	}
	p.s = b.String()
	return p
}

// part finds the segment that holds byte i.
func (p *source) part(i int) (part, bool) {
	n := sort.Search(len(p.parts), func(k int) bool { return p.parts[k].at > i })
	if n == 0 {
		return part{}, false
	}
	return p.parts[n-1], true
}

// hole tells whether byte i stands for an unknown part, and its class.
func (p *source) hole(i int) (access.Class, bool) {
	if i >= len(p.s) || p.s[i] != 0 {
		return 0, false
	}
	pt, ok := p.part(i)
	if !ok || pt.seg.Class == access.Known {
		return 0, false
	}
	return pt.seg.Class, true
}

// holed tells whether an unknown part stands in s[a:b].
func (p *source) holed(a, b int) bool {
	for i := a; i < b; i++ {
		j := strings.IndexByte(p.s[i:b], 0)
		if j < 0 {
			return false
		}
		i += j
		if _, ok := p.hole(i); ok {
			return true
		}
	}
	return false
}

// offset is the place of byte i in the command line, as near as it is known.
func (p *source) offset(i int) int {
	pt, ok := p.part(i)
	if !ok {
		return p.word0.Start
	}
	if pt.seg.End-pt.seg.Start == len(pt.seg.Text) {
		return pt.seg.Start + min(i-pt.at, len(pt.seg.Text))
	}
	if i > pt.at {
		return pt.seg.End
	}
	return pt.seg.Start
}

// text is s[a:b] as a word: every character plain, unknown parts kept.
func (p *source) text(a, b int) access.Word {
	var w builder
	w.p = p
	w.span(a, b)
	for i := a; i < b; i++ {
		w.copy(i)
	}
	return w.word()
}

// unknown is a word of one unknown part that stands for s[a:b].
func (p *source) unknown(c access.Class, a, b int) access.Word {
	return access.Unknowable(c, p.offset(a), p.offset(b))
}

// builder makes a word out of bytes of a source and of decoded characters.
type builder struct {
	p          *source
	segs       []access.Segment
	buf        []byte
	start, end int
}

func (w *builder) span(a, b int) { w.start, w.end = w.p.offset(a), w.p.offset(b) }

// copy takes byte i of the source, or the unknown part it stands for.
func (w *builder) copy(i int) {
	if c, ok := w.p.hole(i); ok {
		w.hole(c)
		return
	}
	w.buf = append(w.buf, w.p.s[i])
}

func (w *builder) add(s string) { w.buf = append(w.buf, s...) }

func (w *builder) flush() {
	if len(w.buf) > 0 {
		w.segs = append(w.segs, access.Segment{Text: string(w.buf), Quoted: true, Start: w.start, End: w.end})
		w.buf = w.buf[:0]
	}
}

func (w *builder) hole(c access.Class) {
	w.flush()
	w.segs = append(w.segs, access.Segment{Class: c, Start: w.start, End: w.end})
}

func (w *builder) append(v access.Word) {
	w.flush()
	w.segs = append(w.segs, v.Segs...)
}

func (w *builder) word() access.Word {
	w.flush()
	return access.Word{Segs: w.segs, Start: w.start, End: w.end}
}

// bare takes the quoting off a word, for languages that expand ~ and patterns.
func bare(w access.Word) access.Word {
	out := w
	out.Segs = append([]access.Segment(nil), w.Segs...)
	for i := range out.Segs {
		out.Segs[i].Quoted = false
	}
	return out
}

// home is the home directory as a word, see [Host].
func home(start, end int) access.Word {
	return access.Word{Segs: []access.Segment{{Text: "~", Start: start, End: end}}, Start: start, End: end}
}
