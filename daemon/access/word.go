package access

import "strings"

// Class says what is known of a part of a word.
type Class uint8

const (
	Known  Class = iota // Segment.Text is the text
	Name                // unknown, but one path component at the most: no slash, not "..", not empty
	Inside              // unknown, but a path below one of the session's roots
	Any                 // unknown: may hold slashes, blanks, options, or nothing
)

// Segment is a part of a word after expansion.
type Segment struct {
	Text  string // only with class Known
	Class Class
	// From is what an unknown part came from, as a person wrote it ("$x",
	// "$(curl u)", "~bob") or in words ("what read reads"); "" where only the span
	// tells. It serves reasons alone.
	From   string
	Quoted bool // quoted, or escaped: * ? [ ~ are plain characters
	Number bool // with class Name: a number, in which arithmetic finds nothing to run
	// Special: with class Known and unquoted, a part of a pattern whose syntax is
	// more than * ? […]: extglob of bash, groups, ranges and qualifiers of zsh.
	Special bool
	// Tree: with class Any, what stands in files of the tree, which nobody looks into.
	Tree bool
	// Same, where it isn't known: parts of the same number, but 0, have the same
	// text wherever they stand. It is the place of what gave them.
	Same uint32
	// Glob, with class Name: one of the names that match it. It is written as the
	// shell expanded it, and what it stands for lies below a known directory.
	Glob Pattern
	// Start and End: byte offsets in the line of the syntax it came from.
	Start, End int
}

// Word is one field of a command after expansion: a sequence of known and
// unknown parts. The zero Word is the empty string.
type Word struct {
	Segs       []Segment
	Start, End int // the whole word's span in the line
}

// Text makes a Word of known, quoted text with no span.
func Text(s string) Word {
	if s == "" {
		return Word{}
	}
	return Word{Segs: []Segment{{Text: s, Quoted: true}}}
}

// Unknowable makes a Word of one unknown part.
func Unknowable(c Class, start, end int) Word {
	return Word{Segs: []Segment{{Class: c, Start: start, End: end}}, Start: start, End: end}
}

// Number makes a Word of one unknown number.
func Number(start, end int) Word {
	w := Unknowable(Name, start, end)
	w.Segs[0].Number = true
	return w
}

// Number tells whether all that isn't known of the word are numbers.
func (w Word) Number() bool {
	for _, s := range w.Segs {
		if s.Class != Known && !s.Number {
			return false
		}
	}
	return true
}

// Lit returns the text of the word, and whether all of it is known.
func (w Word) Lit() (string, bool) {
	if len(w.Segs) == 1 && w.Segs[0].Class == Known {
		return w.Segs[0].Text, true
	}
	var b strings.Builder
	for _, s := range w.Segs {
		if s.Class != Known {
			return "", false
		}
		b.WriteString(s.Text)
	}
	return b.String(), true
}

// Known tells whether all of the word's text is known.
func (w Word) Known() bool {
	for _, s := range w.Segs {
		if s.Class != Known {
			return false
		}
	}
	return true
}

// Prefix returns the known text the word begins with, and whether that is all of it.
func (w Word) Prefix() (string, bool) {
	if len(w.Segs) == 1 && w.Segs[0].Class == Known {
		return w.Segs[0].Text, true
	}
	var b strings.Builder
	for _, s := range w.Segs {
		if s.Class != Known {
			return b.String(), false
		}
		b.WriteString(s.Text)
	}
	return b.String(), true
}

// HasPrefix tells whether the word surely begins with s.
func (w Word) HasPrefix(s string) bool {
	p, _ := w.Prefix()
	return strings.HasPrefix(p, s)
}

// Glob tells whether unquoted * or ? or a bracket expression, or what only one
// shell knows ([Segment.Special]), makes the word a pattern. A bracket that nothing
// closes is a plain one (glob(7)): "[ -f x ]".
func (w Word) Glob() bool {
	open := false
	for _, s := range w.Segs {
		if s.Class != Known {
			if open && !s.Quoted {
				return true // it may hold the other bracket
			}
			continue
		}
		if s.Quoted {
			continue
		}
		if s.Special {
			return true
		}
		for i := range len(s.Text) {
			switch s.Text[i] {
			case '*', '?':
				return true
			case '[':
				open = true
			case ']':
				if open {
					return true
				}
			}
		}
	}
	return false
}

// OneOfMany tells whether the word stands for any one of the names that a pattern
// matched.
func (w Word) OneOfMany() bool {
	for _, s := range w.Segs {
		if s.Glob != "" {
			return true
		}
	}
	return false
}

// Empty tells whether the word is surely the empty string.
func (w Word) Empty() bool {
	for _, s := range w.Segs {
		if s.Class != Known || s.Text != "" {
			return false
		}
	}
	return true
}

// String shows the word with unknown parts as "…".
func (w Word) String() string {
	var b strings.Builder
	for _, s := range w.Segs {
		if s.Class == Known {
			b.WriteString(s.Text)
		} else {
			b.WriteString("…")
		}
	}
	return b.String()
}

// Concat joins words into one. The span covers both.
func (w Word) Concat(v Word) Word {
	out := Word{Start: w.Start, End: v.End}
	switch n, m := len(w.Segs), len(v.Segs); {
	case n == 0:
		out.Segs = v.Segs[:m:m]
	case m == 0:
		out.Segs = w.Segs[:n:n]
	default:
		out.Segs = append(append(make([]Segment, 0, n+m), w.Segs...), v.Segs...)
	}
	if len(w.Segs) == 0 {
		out.Start = v.Start
	}
	if len(v.Segs) == 0 {
		out.End = w.End
	}
	return out
}

// Cut splits the word around the first sep that stands in known text (quoted or
// not). An unknown part before it doesn't hinder the cut: what was unknown stays
// unknown on its side.
func (w Word) Cut(sep byte) (before, after Word, found bool) {
	for i, s := range w.Segs {
		if s.Class != Known {
			continue
		}
		if j := strings.IndexByte(s.Text, sep); j >= 0 {
			return w.split(i, j, j+1)
		}
	}
	return w, Word{}, false
}

// CutLast is Cut at the last sep.
func (w Word) CutLast(sep byte) (before, after Word, found bool) {
	for i := len(w.Segs) - 1; i >= 0; i-- {
		s := w.Segs[i]
		if s.Class != Known {
			continue
		}
		if j := strings.LastIndexByte(s.Text, sep); j >= 0 {
			return w.split(i, j, j+1)
		}
	}
	return w, Word{}, false
}

// From drops the first n bytes of the word's known prefix.
// It panics if the known prefix is shorter than n.
func (w Word) From(n int) Word {
	for i, s := range w.Segs {
		if s.Class == Known && n <= len(s.Text) {
			_, after, _ := w.split(i, n, n)
			return after
		}
		if s.Class != Known {
			break
		}
		n -= len(s.Text)
	}
	if n == 0 {
		return Word{Start: w.End, End: w.End}
	}
	panic("access: Word.From beyond the known prefix")
}

// split cuts segment i: its text up to byte a goes before, from byte b after.
func (w Word) split(i, a, b int) (before, after Word, found bool) {
	s := w.Segs[i]
	before = Word{Segs: append([]Segment(nil), w.Segs[:i]...), Start: w.Start, End: w.End}
	after = Word{Start: w.Start, End: w.End}
	exact := s.End-s.Start == len(s.Text) // offsets inside are only known where nothing was decoded
	left, right := s, s
	left.Text, right.Text = s.Text[:a], s.Text[b:]
	if exact {
		left.End = s.Start + a
		right.Start = s.Start + b
		before.End, after.Start = left.End, right.Start
	}
	if left.Text != "" {
		before.Segs = append(before.Segs, left)
	}
	if right.Text != "" {
		after.Segs = append(after.Segs, right)
	}
	after.Segs = append(after.Segs, w.Segs[i+1:]...)
	return before, after, true
}
