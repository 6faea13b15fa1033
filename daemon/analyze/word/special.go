package word

import (
	"strings"

	"extdir/daemon/access"
)

// mark finds what makes the text of a field a pattern besides * ? […].
func (e *expander) mark(w *access.Word) {
	zsh := e.sh.Zsh()
	for i := range w.Segs {
		s := w.Segs[i]
		if s.Class != access.Known || s.Quoted {
			continue
		}
		at := -1
		if s.Special {
			at = 0
		} else if zsh {
			at = e.zshSpecial(w.Segs, i)
		} else if strings.ContainsAny(s.Text, pluses) && e.sh.Option("extglob") {
			at = kshSpecial(w.Segs, i)
		}
		if at < 0 {
			continue
		}
		segs := append([]access.Segment(nil), w.Segs[:i]...)
		if at > 0 {
			head := s
			head.Text = s.Text[:at]
			if s.End-s.Start == len(s.Text) {
				head.End = s.Start + at
				s.Start = head.End
			}
			s.Text = s.Text[at:]
			segs = append(segs, head)
		}
		s.Special = true
		segs = append(segs, s)
		for _, t := range w.Segs[i+1:] {
			t.Special = t.Class == access.Known && !t.Quoted
			segs = append(segs, t)
		}
		w.Segs = segs
		return
	}
}

func kshSpecial(segs []access.Segment, i int) int {
	s := segs[i].Text
	for k := range len(s) {
		if strings.IndexByte(pluses, s[k]) < 0 {
			continue
		}
		if k+1 < len(s) && s[k+1] == '(' || k+1 == len(s) && i+1 < len(segs) && !segs[i+1].Quoted && strings.HasPrefix(segs[i+1].Text, "(") {
			return k
		}
	}
	return -1
}

// zshSpecial: haswilds of zsh 5.9 (Src/pattern.c). A ~ alone makes no pattern.
func (e *expander) zshSpecial(segs []access.Segment, i int) int {
	s := segs[i].Text
	k := strings.IndexAny(s, "(|")
	if e.sh.Option("shglob") {
		k = -1
	}
	if strings.ContainsAny(s, "^#") && e.sh.Option("extendedglob") {
		if n := strings.IndexAny(s, "^#"); k < 0 || n < k {
			k = n
		}
	}
	for n := range len(s) {
		if s[n] != '<' || k >= 0 && k < n {
			continue
		}
		r := globReader{compiler: compiler{in: symbols(access.Word{Segs: []access.Segment{{Text: s[n:]}}})}}
		if r.number() > 0 {
			k = n
		}
	}
	return k
}

// qualifier is zsh's (…) at the end of a glob: with BARE_GLOB_QUAL a group without
// | and ( (nor ~ where that is special), or one that begins with #q.
func qualifier(sh Shell, in []symbol) []symbol {
	n := len(in)
	if !sh.Zsh() || n < 2 || in[n-1].quoted || in[n-1].hole || in[n-1].r != ')' {
		return nil
	}
	c := compiler{in: in}
	depth := 0
	open := -1
	for i := n - 1; i >= 0 && open < 0; i-- {
		switch {
		case c.is(i, ')'):
			depth++
		case c.is(i, '('):
			if depth--; depth == 0 {
				open = i
			}
		}
	}
	if open < 0 {
		return nil
	}
	ext := sh.Option("extendedglob")
	if ext && c.is(open+1, '#') && c.is(open+2, 'q') {
		return in[open:]
	}
	if ext && c.is(open+1, '#') {
		return nil
	}
	for i := open + 1; i < n-1; i++ {
		if c.is(i, '|') || c.is(i, '(') || ext && c.is(i, '~') {
			return nil
		}
	}
	return in[open:]
}

// Renames tells what becomes of the names that a glob of zsh matches. Most
// qualifiers only choose and sort.
type Renames uint8

const (
	Keeps   Renames = iota
	Tails           // the last component of each, or a part of it
	Changes         // any other word
)

// Qualified tells what the qualifiers of a glob do to its names.
func Qualified(sh Shell, w access.Word) Renames {
	if !sh.Zsh() {
		return Keeps
	}
	q := qualifier(sh, symbols(w))
	if len(q) == 0 {
		return Keeps
	}
	var b strings.Builder
	for _, s := range q[1 : len(q)-1] {
		if s.hole {
			return Changes
		}
		b.WriteRune(s.r)
	}
	s := strings.TrimPrefix(b.String(), "#q")
	for s != "" {
		c := s[0]
		s = s[1:]
		switch {
		case strings.IndexByte("/F.@=p*%rwxAIERWXsStUGNDMTnY,^-b0123456789", c) >= 0 && c != 'Y':
		case c == 'o' || c == 'O':
			if s == "" || strings.IndexByte("nLlamcdN", s[0]) < 0 { // oe and o+ run commands
				return Changes
			}
			s = s[1:]
		case strings.IndexByte("LamcldY", c) >= 0: // a number, + or -, and a unit before it
			s = strings.TrimLeft(s, "kKmMpPgGtTwhds+-0123456789")
		case c == '[':
			n := strings.IndexByte(s, ']')
			if n < 0 {
				return Changes
			}
			s = s[n+1:]
		case (c == 'u' || c == 'g' || c == 'f') && s != "":
			if strings.IndexByte("0123456789=+-?", s[0]) >= 0 {
				s = strings.TrimLeft(s, "0123456789=+-?")
				break
			}
			end := strings.IndexByte(s[1:], closer(s[0]))
			if end < 0 {
				return Changes
			}
			s = s[end+2:]
		case c == ':':
			return modifies(s)
		default:
			return Changes
		}
	}
	return Keeps
}

func closer(open byte) byte {
	if i := strings.IndexByte("([{<", open); i >= 0 {
		return ")]}>"[i]
	}
	return open
}

func modifies(s string) Renames {
	out := Keeps
	for m := range strings.SplitSeq(s, ":") {
		switch m {
		case "a", "q": // the same file
		case "t":
			out = Tails
		default:
			return Changes
		}
	}
	return out
}
