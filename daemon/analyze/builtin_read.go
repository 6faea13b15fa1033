package analyze

import (
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// readOptions are what the options of read and mapfile say.
type readOptions struct {
	raw, trim bool
	delim     string
	delimOK   bool
	array     access.Word
	isArray   bool
	fd        string
	count     bool
	callback  access.Word
	origin    bool
	rest      []access.Word
}

func (x *run) readOptions(c *invocation, valued string) readOptions {
	o := readOptions{delim: "\n", delimOK: true}
	args := c.argv[1:]
	for len(args) > 0 {
		lit, ok := args[0].Lit()
		if !ok || len(lit) < 2 || lit[0] != '-' {
			break
		}
		w := args[0]
		args = args[1:]
		if lit == "--" {
			break
		}
		for i := 1; i < len(lit); i++ {
			f := lit[i]
			var v access.Word
			if strings.IndexByte(valued, f) >= 0 {
				if i+1 < len(lit) {
					v = w.From(i + 1)
				} else if len(args) > 0 {
					v, args = args[0], args[1:]
				}
				i = len(lit)
			}
			switch f {
			case 'r':
				o.raw = true
			case 't':
				o.trim = true
			case 'd':
				o.delim, o.delimOK = v.Lit()
			case 'a', 'A':
				o.array, o.isArray = v, true
			case 'u':
				o.fd = litOf(v)
			case 'n', 'N', 'k':
				o.count = true
			case 'C':
				o.callback = v
			case 'O', 's':
				o.origin = true
			}
		}
	}
	o.rest = args
	return o
}

// doRead is read: from text that is known it takes a line, else its variables
// become unknown.
func doRead(x *run, c *invocation) []*state {
	st := c.st
	valued := "adinNptu"
	if st.zsh {
		valued = "dtuk"
	}
	o := x.readOptions(c, valued)
	names := o.rest
	if st.zsh && len(names) > 0 { // read 'name?prompt'
		if n, _, ok := names[0].Cut('?'); ok {
			names = append([]access.Word{n}, names[1:]...)
		}
	}
	if st.zsh && o.isArray { // -A and a name behind the options
		o.array = access.Text("reply")
		if len(names) > 0 {
			o.array, names = names[0], names[1:]
		}
	}
	in, known := st.in, false
	if o.fd != "" && o.fd != "0" {
		in, known = st.fds[o.fd]
		if !known {
			in = input{kind: fromPipe}
		}
	}
	if in.kind != fromText || !o.delimOK || o.count || len(o.delim) > 1 {
		x.readUnknown(c, o, names)
		return c.done(either)
	}
	line, rest, found := takeLine(in.text, o.delim, o.raw)
	next := input{kind: fromText, text: rest}
	if o.fd != "" && o.fd != "0" {
		st.setFd(o.fd, next)
	} else {
		st.in = next
	}
	if !line.Known() {
		// What isn't known may hold newlines and blanks; a name alone stays what it is.
		if oneName(line) && len(names) <= 1 && !o.isArray {
			if len(names) == 1 {
				x.into(c, names[0], line)
			} else {
				x.into(c, access.Text("REPLY"), line)
			}
			if !tidy(line) { // there may be more lines, or none
				if o.fd == "" {
					st.in = in
				}
				return c.done(either)
			}
			return c.done(yes)
		}
		if !tidy(line) {
			x.readUnknown(c, o, names)
			return c.done(either)
		}
	}
	ok := no
	if found {
		ok = yes
	}
	if len(names) == 0 && !o.isArray {
		x.into(c, access.Text("REPLY"), line)
		return c.done(ok)
	}
	ifs := " \t\n"
	if v := x.get(st, "IFS"); v.State == word.Set {
		lit, known := v.Scalar.Lit()
		if !known {
			x.readUnknown(c, o, names)
			return c.done(either)
		}
		ifs = lit
	}
	if o.isArray {
		fields := splitFields(line, ifs, -1)
		list := map[int]access.Word{}
		for i, f := range fields {
			list[i] = f
		}
		if n, known := o.array.Lit(); known {
			x.give(st, n, word.Value{State: word.Set, Scalar: list[0], List: list}, line)
		} else {
			x.clobber(st)
		}
		return c.done(ok)
	}
	fields := splitFields(line, ifs, len(names))
	for i, n := range names {
		var v access.Word
		if i < len(fields) {
			v = fields[i]
		}
		x.into(c, n, v)
	}
	return c.done(ok)
}

// oneName tells whether a partly unknown line is one name, or several of a kind.
func oneName(w access.Word) bool {
	for _, s := range w.Segs {
		if s.Class == access.Any || s.Class == access.Known && strings.ContainsAny(s.Text, " \t\n") {
			return false
		}
	}
	return true
}

// tidy tells whether the unknown parts of a line are single components, so that
// splitting it at blanks doesn't go wrong.
func tidy(w access.Word) bool {
	for _, s := range w.Segs {
		if s.Class == access.Any || s.Class == access.Inside {
			return false
		}
	}
	return true
}

func (x *run) readUnknown(c *invocation, o readOptions, names []access.Word) {
	v := from(access.Unknowable(access.Any, c.start, c.end), "what "+c.name()+" reads")
	if o.isArray {
		if n, ok := o.array.Lit(); ok {
			x.give(c.st, n, word.Value{}, o.array)
		} else {
			x.clobber(c.st)
		}
	}
	for _, n := range names {
		x.into(c, n, v)
	}
	if len(names) == 0 && !o.isArray {
		x.into(c, access.Text("REPLY"), v)
	}
}

// takeLine cuts the first line off a text. found is false at its end. Without raw
// a backslash escapes the next character, and a newline after it goes away.
func takeLine(w access.Word, delim string, raw bool) (line, rest access.Word, found bool) {
	d := byte(0)
	if delim != "" {
		d = delim[0]
	}
	line, rest = access.Word{Start: w.Start, End: w.End}, access.Word{Start: w.Start, End: w.End}
	for i, s := range w.Segs {
		if s.Class != access.Known {
			line.Segs = append(line.Segs, s)
			continue
		}
		var b strings.Builder
		exact := s.End-s.Start == len(s.Text)
		for j := 0; j < len(s.Text); j++ {
			ch := s.Text[j]
			if ch == '\\' && !raw {
				exact = false
				if j++; j < len(s.Text) && s.Text[j] != '\n' {
					b.WriteByte(s.Text[j])
				}
				continue
			}
			if ch != d {
				b.WriteByte(ch)
				continue
			}
			if b.Len() > 0 {
				part := s
				part.Text = b.String()
				if exact {
					part.End = s.Start + len(part.Text)
				}
				line.Segs = append(line.Segs, part)
			}
			if j+1 < len(s.Text) {
				part := s
				part.Text = s.Text[j+1:]
				if exact {
					part.Start = s.Start + j + 1
				}
				rest.Segs = append(rest.Segs, part)
			}
			rest.Segs = append(rest.Segs, w.Segs[i+1:]...)
			return spanned(line), rest, true
		}
		if b.Len() > 0 {
			part := s
			part.Text = b.String()
			line.Segs = append(line.Segs, part)
		}
	}
	return spanned(line), access.Word{Start: w.Start, End: w.End}, false
}

// splitFields splits a line as read does: at blanks of IFS in any number, at its
// other characters one by one. The last of most fields takes the rest.
func splitFields(w access.Word, ifs string, most int) []access.Word {
	blank := func(c byte) bool { return strings.IndexByte(ifs, c) >= 0 && (c == ' ' || c == '\t' || c == '\n') }
	w = trimBlanks(w, blank)
	var out []access.Word
	for len(w.Segs) > 0 && (most < 0 || len(out) < most-1) {
		found := false
	search:
		for i, s := range w.Segs {
			if s.Class != access.Known {
				continue
			}
			for j := 0; j < len(s.Text); j++ {
				if strings.IndexByte(ifs, s.Text[j]) < 0 {
					continue
				}
				// Blanks, at most one other separator, blanks.
				before := cutAt(w, i, j, true)
				k, other := j, false
				for k < len(s.Text) && (blank(s.Text[k]) || !other && strings.IndexByte(ifs, s.Text[k]) >= 0) {
					other = other || !blank(s.Text[k])
					k++
				}
				after := cutAt(w, i, k, false)
				out = append(out, spanned(before))
				w = spanned(after)
				found = true
				break search
			}
		}
		if !found {
			break
		}
	}
	if len(w.Segs) > 0 {
		out = append(out, spanned(w))
	}
	return out
}

// cutAt is what stands before or after byte j of segment i.
func cutAt(w access.Word, i, j int, before bool) access.Word {
	s := w.Segs[i]
	exact := s.End-s.Start == len(s.Text)
	out := access.Word{Start: w.Start, End: w.End}
	if before {
		out.Segs = append(out.Segs, w.Segs[:i]...)
		if exact {
			s.End = s.Start + j
		}
		s.Text = s.Text[:j]
		if s.Text != "" {
			out.Segs = append(out.Segs, s)
		}
		return out
	}
	if exact {
		s.Start += j
	}
	s.Text = s.Text[j:]
	if s.Text != "" {
		out.Segs = append(out.Segs, s)
	}
	out.Segs = append(out.Segs, w.Segs[i+1:]...)
	return out
}

func trimBlanks(w access.Word, blank func(byte) bool) access.Word {
	for len(w.Segs) > 0 && w.Segs[0].Class == access.Known {
		n := 0
		for n < len(w.Segs[0].Text) && blank(w.Segs[0].Text[n]) {
			n++
		}
		if n == 0 {
			break
		}
		w = cutAt(w, 0, n, false)
	}
	for n := len(w.Segs); n > 0 && w.Segs[n-1].Class == access.Known; n = len(w.Segs) {
		t := w.Segs[n-1].Text
		e := len(t)
		for e > 0 && blank(t[e-1]) {
			e--
		}
		if e == len(t) {
			break
		}
		w = cutAt(w, n-1, e, true)
	}
	return spanned(w)
}

// doMapfile is mapfile: lines of known text become an array. Its callback is code
// that runs with an index and a line as further words.
func doMapfile(x *run, c *invocation) []*state {
	st := c.st
	o := x.readOptions(c, "dnOsuCc")
	name := access.Text("MAPFILE")
	if len(o.rest) > 0 {
		name = o.rest[0]
	}
	if len(o.callback.Segs) > 0 {
		text := o.callback.Concat(access.Text(" 0 ''"))
		text.Start, text.End = o.callback.Start, o.callback.End
		sub := st.fork()
		x.keepFiles(st, x.again(sub, text, "mapfile -C", c))
	}
	n, known := name.Lit()
	if !known {
		x.clobber(st)
		return c.done(yes)
	}
	in := st.in
	if o.fd != "" && o.fd != "0" {
		var ok bool
		if in, ok = st.fds[o.fd]; !ok {
			in = input{kind: fromPipe}
		}
	}
	if in.kind == fromText && len(in.text.Segs) > 0 && onlyInside(in.text) { // any number of them
		x.give(st, n, word.Value{Each: access.Inside}, name)
		return c.done(yes)
	}
	if in.kind != fromText || o.delim != "\n" || o.origin || o.count || !in.text.Known() {
		x.give(st, n, word.Value{}, name)
		return c.done(yes)
	}
	list := map[int]access.Word{}
	for i, l := range lines(in.text) {
		if i > guard.Max(guard.Fields) {
			x.give(st, n, word.Value{}, name)
			return c.done(yes)
		}
		if !o.trim {
			l = l.Concat(access.Text("\n"))
		}
		list[i] = l
	}
	st.in = input{kind: fromText}
	x.give(st, n, word.Value{State: word.Set, Scalar: list[0], List: list}, in.text)
	return c.done(yes)
}

func onlyInside(w access.Word) bool {
	for _, s := range w.Segs {
		if s.Class != access.Inside && !(s.Class == access.Known && strings.Trim(s.Text, "\n") == "") {
			return false
		}
	}
	return true
}
