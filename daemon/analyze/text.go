package analyze

import (
	"strconv"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// lines cuts a text at newlines; the last line may lack its newline.
func lines(w access.Word) []access.Word {
	var out []access.Word
	cur := access.Word{Start: w.Start, End: w.End}
	for _, s := range w.Segs {
		if s.Class != access.Known {
			cur.Segs = append(cur.Segs, s)
			continue
		}
		rest := s.Text
		at := s.Start
		exact := s.End-s.Start == len(s.Text)
		for {
			i := strings.IndexByte(rest, '\n')
			part := s
			if i < 0 {
				part.Text = rest
			} else {
				part.Text = rest[:i]
			}
			if exact {
				part.Start, part.End = at, at+len(part.Text)
			}
			if part.Text != "" {
				cur.Segs = append(cur.Segs, part)
			}
			if i < 0 {
				break
			}
			out = append(out, spanned(cur))
			cur = access.Word{Start: w.Start, End: w.End}
			rest = rest[i+1:]
			at += i + 1
		}
	}
	if len(cur.Segs) > 0 {
		out = append(out, spanned(cur))
	}
	return out
}

// spanned narrows a word's span to that of its segments, where they have one.
func spanned(w access.Word) access.Word {
	if n := len(w.Segs); n > 0 && w.Segs[0].End > w.Segs[0].Start && w.Segs[n-1].End >= w.Segs[0].End {
		w.Start, w.End = w.Segs[0].Start, w.Segs[n-1].End
	}
	return w
}

// unlines is the inverse of lines.
func unlines(list []access.Word) access.Word {
	var out access.Word
	for _, l := range list {
		out = out.Concat(l).Concat(access.Text("\n"))
	}
	return out
}

// into assigns to a variable that a builtin was given by name.
func (x *run) into(c *invocation, name, value access.Word) {
	lit, ok := name.Lit()
	if !ok {
		x.clobber(c.st)
		return
	}
	if x.tableByName(c.st, lit, c.start, c.end) {
		return
	}
	if base, sub, ok := strings.Cut(lit, "["); ok {
		x.subscript(c.st, name)
		old := x.get(c.st, base)
		i, err := strconv.Atoi(strings.TrimSuffix(sub, "]"))
		if err != nil || old.State == word.Unknown {
			x.give(c.st, base, word.Value{}, name)
			return
		}
		list := map[int]access.Word{i: value}
		for k, v := range old.List {
			if k != i {
				list[k] = v
			}
		}
		x.give(c.st, base, word.Value{State: word.Set, Scalar: list[0], List: list}, value)
		return
	}
	x.give(c.st, lit, word.Value{State: word.Set, Scalar: value}, value)
}

// give is assign for a builtin, which fails where that is refused.
func (x *run) give(st *state, name string, v word.Value, w access.Word) {
	if !x.assign(st, name, v, w) {
		st.refused = true
	}
}
