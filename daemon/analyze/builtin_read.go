package analyze

import (
	"slices"
	"strconv"
	"strings"

	"extdir/daemon/access"
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
	count     *access.Word // of characters (read) or lines (mapfile)
	exact     bool         // read -N: no delimiter ends it before
	timeout   *access.Word
	callback  access.Word
	skip      *access.Word
	origin    *access.Word
	every     *access.Word // lines between two calls of the callback
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
				if strings.IndexByte(valued, f) >= 0 {
					o.timeout = &v
				}
			case 'd':
				o.delim, o.delimOK = v.Lit()
			case 'a', 'A':
				o.array, o.isArray = v, true
			case 'u':
				o.fd = litOf(v)
			case 'n', 'N', 'k':
				o.count, o.exact = &v, o.exact || f == 'N'
			case 'C':
				o.callback = v
			case 'c':
				o.every = &v
			case 's':
				o.skip = &v
			case 'O':
				o.origin = &v
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
	if !st.zsh && o.timeout != nil && in.kind == fromText {
		switch lit, known := o.timeout.Lit(); {
		case known && lit != "" && strings.Trim(lit, "0.") == "": // whether there is something to read: nothing is read
			return c.done(either)
		case !known || strings.Trim(lit, "0123456789.") != "":
			in.kind = fromPipe
		}
	}
	if in.kind == fromText && (!o.delimOK || st.zsh && (o.count != nil || len(o.delim) > 1)) {
		in.kind = fromPipe
	}
	var line, rest access.Word
	found := false
	if in.kind == fromText && o.count != nil {
		var ok bool
		if line, rest, found, ok = takeCharacters(in.text, o); !ok {
			in.kind = fromPipe
		}
	}
	left := func(next input) {
		if o.fd != "" && o.fd != "0" {
			st.setFd(o.fd, next)
		} else {
			st.in = next
		}
	}
	if in.kind != fromText {
		if was := st.in; o.fd == "" && was.kind == fromText { // how much of it is read isn't known
			left(input{kind: fromPipe})
		}
		x.readUnknown(c, o, names)
		return c.done(either)
	}
	if o.count == nil {
		line, rest, found = takeLine(in.text, o.delim, o.raw)
	}
	left(input{kind: fromText, text: rest})
	if !line.Known() {
		// What isn't known may hold newlines and blanks; a name alone stays what it is.
		if oneName(line) && len(names) <= 1 && !o.isArray {
			if len(names) == 1 {
				x.into(c, names[0], whole(line))
			} else {
				x.into(c, access.Text("REPLY"), whole(line))
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
		x.into(c, access.Text("REPLY"), whole(line))
		return c.done(ok)
	}
	ifs := " \t\n"
	if o.exact { // read -N doesn't split
		ifs = ""
	} else if v := x.get(st, "IFS"); v.State == word.Set {
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
		if x.into(c, n, v); st.refused {
			break // at a readonly variable: the others keep what they have
		}
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

// escaped is text with a character behind it that doesn't split it: Special says so
// until whole takes that away.
func escaped(s access.Segment, before string, ch byte) (out []access.Segment) {
	if before != "" {
		s.Text = before
		out = append(out, s)
	}
	s.Text, s.Quoted, s.Special = string(ch), true, true
	return append(out, s)
}

func whole(w access.Word) access.Word {
	for i, s := range w.Segs {
		if s.Special && s.Quoted {
			w.Segs = slices.Clone(w.Segs)
			for ; i < len(w.Segs); i++ {
				w.Segs[i].Special = w.Segs[i].Special && !w.Segs[i].Quoted
			}
			return w
		}
	}
	return w
}

// takeCharacters is read -n and -N: up to so many characters, with -n none behind a
// delimiter. ok is false where it isn't known how many are taken: a count that isn't
// known, and characters of more than one byte, which the locale decides about.
func takeCharacters(w access.Word, o readOptions) (line, rest access.Word, found, ok bool) {
	most, sure := plainNumber(*o.count)
	lit, known := w.Lit()
	if !sure || most == 0 || !known {
		return line, rest, false, false
	}
	d := byte(0)
	if o.delim != "" {
		d = o.delim[0]
	}
	at := access.Segment{Quoted: true, Start: w.Start, End: w.End}
	var b strings.Builder
	i, n := 0, 0
	for ; i < len(lit) && n < most && !found; i++ {
		ch := lit[i]
		switch {
		case ch >= 0x80:
			return line, rest, false, false
		case ch == '\\' && !o.raw:
			if i++; i < len(lit) && lit[i] != '\n' {
				if lit[i] >= 0x80 || lit[i] == 0 {
					return line, rest, false, false
				}
				line.Segs = append(line.Segs, escaped(at, b.String(), lit[i])...)
				b.Reset()
				n++
			}
		case ch == d && !o.exact:
			found = true
		case ch == 0:
		default:
			b.WriteByte(ch)
			n++
		}
	}
	i = min(i, len(lit))
	if b.Len() > 0 {
		at.Text = b.String()
		line.Segs = append(line.Segs, at)
	}
	if i < len(lit) {
		at.Text = lit[i:]
		rest.Segs = append(rest.Segs, at)
	}
	line.Start, line.End, rest.Start, rest.End = w.Start, w.End, w.Start, w.End
	return line, rest, found || n == most, true
}

// plainNumber is a number of a few digits; ok is false for all else, even where a
// shell refuses it.
func plainNumber(w access.Word) (n int, ok bool) {
	lit, known := w.Lit()
	if !known || lit == "" || len(lit) > 7 || strings.Trim(lit, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(lit)
	return n, err == nil
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
			if ch == 0 && d != 0 { // a variable can't hold it
				exact = false
				continue
			}
			if ch == '\\' && !raw {
				exact = false
				if j++; j < len(s.Text) && s.Text[j] != '\n' {
					line.Segs = append(line.Segs, escaped(s, b.String(), s.Text[j])...)
					b.Reset()
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
	w = trimBlanks(separators(w, ifs), blank)
	var out []access.Word
	for len(w.Segs) > 0 && (most < 0 || len(out) < most-1) {
		before, after, found := firstField(w, ifs, blank)
		if !found {
			break
		}
		out = append(out, spanned(whole(before)))
		w = spanned(after)
	}
	if len(w.Segs) > 0 {
		// A separator with nothing behind it doesn't belong to the last field.
		if before, after, found := firstField(w, ifs, blank); found && len(after.Segs) == 0 {
			w = before
		}
		out = append(out, spanned(whole(w)))
	}
	return out
}

// firstField cuts a line at blanks with at most one other separator among them.
func firstField(w access.Word, ifs string, blank func(byte) bool) (before, after access.Word, found bool) {
	for i, s := range w.Segs {
		if s.Class != access.Known || s.Special && s.Quoted {
			continue
		}
		for j := 0; j < len(s.Text); j++ {
			if strings.IndexByte(ifs, s.Text[j]) < 0 {
				continue
			}
			k, other := j, false
			for k < len(s.Text) && (blank(s.Text[k]) || !other && strings.IndexByte(ifs, s.Text[k]) >= 0) {
				other = other || !blank(s.Text[k])
				k++
			}
			return cutAt(w, i, j, true), cutAt(w, i, k, false), true
		}
	}
	return w, access.Word{}, false
}

// separators puts parts in one between which separators go on.
func separators(w access.Word, ifs string) access.Word {
	plain := func(s access.Segment) bool {
		return s.Class == access.Known && s.Text != "" && !(s.Special && s.Quoted)
	}
	out := make([]access.Segment, 0, len(w.Segs))
	for _, s := range w.Segs {
		n := len(out)
		if n > 0 && plain(s) && plain(out[n-1]) && strings.IndexByte(ifs, s.Text[0]) >= 0 &&
			strings.IndexByte(ifs, out[n-1].Text[len(out[n-1].Text)-1]) >= 0 {
			out[n-1].Text += s.Text
			continue
		}
		out = append(out, s)
	}
	w.Segs = out
	return w
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
	for len(w.Segs) > 0 && w.Segs[0].Class == access.Known && !(w.Segs[0].Special && w.Segs[0].Quoted) {
		n := 0
		for n < len(w.Segs[0].Text) && blank(w.Segs[0].Text[n]) {
			n++
		}
		if n == 0 {
			break
		}
		w = cutAt(w, 0, n, false)
	}
	for n := len(w.Segs); n > 0 && w.Segs[n-1].Class == access.Known && !(w.Segs[n-1].Special && w.Segs[n-1].Quoted); n = len(w.Segs) {
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

func onlyInside(w access.Word) bool {
	for _, s := range w.Segs {
		if s.Class != access.Inside && !(s.Class == access.Known && strings.Trim(s.Text, "\n") == "") {
			return false
		}
	}
	return true
}
