package analyze

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
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

// doEcho is echo. In zsh backslashes are decoded.
func doEcho(x *run, c *invocation) []*state {
	if !c.st.keep {
		return c.done(yes)
	}
	args := c.argv[1:]
	newline, decode := true, c.st.zsh || x.option(c.st, "xpg_echo")
	for len(args) > 0 {
		o, ok := args[0].Lit()
		if !ok || len(o) < 2 || o[0] != '-' || strings.Trim(o[1:], "neE") != "" {
			break
		}
		for _, f := range o[1:] {
			switch f {
			case 'n':
				newline = false
			case 'e':
				decode = true
			case 'E':
				decode = false
			}
		}
		args = args[1:]
	}
	out := joined(args)
	if decode {
		out = decoded(out)
	}
	if newline {
		out = out.Concat(access.Text("\n"))
	}
	c.st.print(out)
	return c.done(yes)
}

// decoded takes backslash escapes of echo -e and printf %b apart.
func decoded(w access.Word) access.Word {
	for _, s := range w.Segs {
		if s.Class == access.Known && strings.Contains(s.Text, `\`) {
			out := w
			out.Segs = append([]access.Segment(nil), w.Segs...)
			for i := range out.Segs {
				if out.Segs[i].Class == access.Known {
					out.Segs[i].Text = unescape(out.Segs[i].Text)
				}
			}
			return out
		}
	}
	return w
}

// unescape decodes the escapes of printf formats and echo -e.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		number := func(base, most int) (int, bool) {
			j := i + 1
			if base == 8 {
				j = i
			}
			from := j
			for j < len(s) && j-from < most && isDigit(s[j], base) {
				j++
			}
			n, err := strconv.ParseInt(s[from:j], base, 32)
			if err != nil {
				return 0, false
			}
			i = j - 1
			return int(n), true
		}
		switch s[i] {
		case 'a':
			b.WriteByte(7)
		case 'b':
			b.WriteByte(8)
		case 'e', 'E':
			b.WriteByte(27)
		case 'f':
			b.WriteByte(12)
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'v':
			b.WriteByte(11)
		case '\\', '"', '\'':
			b.WriteByte(s[i])
		case 'c':
			return b.String()
		case 'x':
			if n, ok := number(16, 2); ok {
				b.WriteByte(byte(n))
			} else {
				b.WriteString(`\x`)
			}
		case 'u', 'U':
			most := 4
			if s[i] == 'U' {
				most = 8
			}
			letter := s[i]
			if n, ok := number(16, most); ok {
				b.WriteRune(rune(n))
			} else {
				b.WriteByte('\\')
				b.WriteByte(letter)
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			most := 3
			if s[i] == '0' {
				most = 4
			}
			n, _ := number(8, most)
			b.WriteByte(byte(n))
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func isDigit(c byte, base int) bool {
	switch {
	case c >= '0' && c <= '7':
		return true
	case base == 8:
		return false
	case c >= '8' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		return true
	}
	return false
}

// doPrintf is printf; -v assigns instead of printing.
func doPrintf(x *run, c *invocation) []*state {
	args := c.argv[1:]
	var name access.Word
	toVar := false
	for len(args) > 0 {
		o, _ := args[0].Lit()
		if o == "--" {
			args = args[1:]
			break
		}
		if o == "-v" && len(args) > 1 {
			name, toVar = args[1], true
			args = args[2:]
			continue
		}
		if strings.HasPrefix(o, "-v") && len(o) > 2 {
			name, toVar = args[0].From(2), true
			args = args[1:]
			continue
		}
		break
	}
	if len(args) == 0 {
		return c.done(no)
	}
	var out access.Word
	if c.st.keep || toVar {
		out = format(args[0], args[1:])
	}
	if toVar {
		x.into(c, name, out)
	} else {
		c.st.print(out)
	}
	return c.done(either2(neverFails(args[0])))
}

// neverFails tells whether a format holds no conversion that a word may not fit.
func neverFails(f access.Word) bool {
	lit, ok := f.Lit()
	if !ok {
		return false
	}
	for {
		_, rest, found := strings.Cut(lit, "%")
		if !found {
			return true
		}
		if rest == "" || strings.IndexByte("s%", rest[0]) < 0 {
			return false
		}
		lit = rest[1:]
	}
}

// into assigns to a variable that a builtin was given by name.
func (x *run) into(c *invocation, name, value access.Word) {
	lit, ok := name.Lit()
	if !ok {
		x.clobber(c.st)
		return
	}
	x.guardedName(c.st, lit, value, name.Start, name.End)
	if base, sub, ok := strings.Cut(lit, "["); ok {
		x.subscript(c.st, name)
		old := x.get(c.st, base)
		i, err := strconv.Atoi(strings.TrimSuffix(sub, "]"))
		if err != nil || old.State == word.Unknown {
			c.st.setVar(base, word.Value{})
			return
		}
		list := map[int]access.Word{i: value}
		for k, v := range old.List {
			if k != i {
				list[k] = v
			}
		}
		x.assign(c.st, base, word.Value{State: word.Set, Scalar: list[0], List: list}, value)
		return
	}
	x.assign(c.st, lit, word.Value{State: word.Set, Scalar: value}, value)
}

// format carries out a printf format. Conversions whose result isn't simple text
// are unknown, in one component where they are numbers.
func format(f access.Word, args []access.Word) access.Word {
	lit, ok := f.Lit()
	if !ok {
		return anything
	}
	var out access.Word
	for round := 0; ; round++ {
		used := false
		text := func(s string) {
			if s != "" {
				w := access.Text(s)
				out = out.Concat(w)
			}
		}
		next := func() (access.Word, bool) {
			used = true
			if len(args) == 0 {
				return access.Word{}, false
			}
			w := args[0]
			args = args[1:]
			return w, true
		}
		rest := lit
		for {
			i := strings.IndexByte(rest, '%')
			if i < 0 {
				text(unescape(rest))
				break
			}
			text(unescape(rest[:i]))
			rest = rest[i+1:]
			j := 0
			for j < len(rest) && strings.IndexByte("-+ #0'123456789.*", rest[j]) >= 0 {
				j++
			}
			if j == len(rest) {
				break
			}
			flags, verb := rest[:j], rest[j]
			rest = rest[j+1:]
			switch verb {
			case '%':
				text("%")
			case 's', 'b', 'q':
				w, _ := next()
				if verb == 'b' {
					w = decoded(w)
				}
				if l, ok := w.Lit(); ok && flags != "" || verb == 'q' {
					w = padded(l, ok, flags, verb)
				}
				out = out.Concat(w)
			case 'c':
				w, _ := next()
				if l, ok := w.Lit(); ok && l != "" {
					text(l[:1])
				} else if !ok {
					out = out.Concat(access.Unknowable(access.Any, f.Start, f.End))
				}
			case 'd', 'i', 'u', 'o', 'x', 'X', 'e', 'f', 'g', 'E', 'G', 'F', 'a', 'A':
				w, _ := next()
				l, ok := w.Lit()
				if n, err := strconv.Atoi(l); ok && (err == nil || l == "") && flags == "" && strings.IndexByte("diu", verb) >= 0 {
					text(strconv.Itoa(n))
				} else {
					out = out.Concat(access.Unknowable(access.Name, f.Start, f.End))
				}
			default: // %(fmt)T
				if verb == '(' {
					_, rest, _ = strings.Cut(rest, ")")
					if rest != "" {
						rest = rest[1:]
					}
				}
				next()
				out = out.Concat(access.Unknowable(access.Any, f.Start, f.End))
			}
		}
		if !used || len(args) == 0 || round > guard.Max(guard.Items) {
			if len(args) > 0 && used {
				return anything
			}
			return out
		}
	}
}

// padded handles %-10s, %.3s and %q.
func padded(l string, known bool, flags string, verb byte) access.Word {
	if !known || strings.Contains(flags, "*") {
		return anything
	}
	if verb == 'q' {
		q, err := syntax.Quote(l, syntax.LangBash)
		if err != nil || flags != "" {
			return anything
		}
		return access.Text(q)
	}
	left := strings.Contains(flags, "-")
	width, prec, hasPrec := strings.Cut(strings.TrimLeft(flags, "-+ #0'"), ".")
	if hasPrec {
		n, _ := strconv.Atoi(prec)
		l = l[:min(len(l), max(n, 0))]
	}
	if n, err := strconv.Atoi(width); err == nil && n > len(l) && n < 4096 {
		pad := strings.Repeat(" ", n-len(l))
		if left {
			l += pad
		} else {
			l = pad + l
		}
	}
	return access.Text(l)
}

// doPrint is zsh's print.
func doPrint(x *run, c *invocation) []*state {
	args := c.argv[1:]
	sep, raw, newline := " ", false, true
	for len(args) > 0 {
		o, ok := args[0].Lit()
		if !ok || len(o) < 2 || o[0] != '-' {
			break
		}
		args = args[1:]
		if o == "--" {
			break
		}
		for _, f := range o[1:] {
			switch f {
			case 'l':
				sep = "\n"
			case 'r', 'R':
				raw = true
			case 'n':
				newline = false
			case 'P':
				for _, a := range args {
					x.hidden(c.st, a)
				}
			case 'z', 's':
				x.onGuard(access.SelfAsk, c.start, c.end, "puts text into the line editor or the history")
			}
		}
	}
	var out access.Word
	for i, a := range args {
		if i > 0 {
			out = out.Concat(access.Text(sep))
		}
		if !raw {
			a = decoded(a)
		}
		out = out.Concat(a)
	}
	if newline {
		out = out.Concat(access.Text("\n"))
	}
	c.st.print(out)
	return c.done(yes)
}

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
			x.guardedName(c.st, n, anything, o.array.Start, o.array.End)
			x.assign(st, n, word.Value{State: word.Set, Scalar: list[0], List: list}, line)
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
	v := access.Unknowable(access.Any, c.start, c.end)
	if o.isArray {
		if n, ok := o.array.Lit(); ok {
			x.guardedName(c.st, n, anything, c.start, c.end)
			c.st.setVar(n, word.Value{})
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
	x.guardedName(c.st, n, anything, name.Start, name.End)
	in := st.in
	if o.fd != "" && o.fd != "0" {
		var ok bool
		if in, ok = st.fds[o.fd]; !ok {
			in = input{kind: fromPipe}
		}
	}
	if in.kind != fromText || o.delim != "\n" || o.origin || o.count || !in.text.Known() && !onlyInside(in.text) {
		st.setVar(n, word.Value{})
		return c.done(yes)
	}
	list := map[int]access.Word{}
	for i, l := range lines(in.text) {
		if i > guard.Max(guard.Fields) {
			st.setVar(n, word.Value{})
			return c.done(yes)
		}
		if !o.trim {
			l = l.Concat(access.Text("\n"))
		}
		list[i] = l
	}
	st.in = input{kind: fromText}
	x.assign(st, n, word.Value{State: word.Set, Scalar: list[0], List: list}, in.text)
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

// doGetopts is getopts: over known words it is followed, else OPTARG may be any
// of them.
func doGetopts(x *run, c *invocation) []*state {
	if len(c.argv) < 3 {
		return c.done(no)
	}
	st := c.st
	args, sure := st.args, st.argsOK
	if len(c.argv) > 3 {
		args, sure = c.argv[3:], countable(c.argv[3:])
	}
	spec, known := c.argv[1].Lit()
	name, named := c.argv[2].Lit()
	pos := x.get(st, "__getopts")
	state, _ := pos.Scalar.Lit()
	at, sub := 0, 1
	if i, j, ok := strings.Cut(state, ","); ok {
		at, _ = strconv.Atoi(i)
		sub, _ = strconv.Atoi(j)
	} else if v := x.get(st, "OPTIND"); v.State == word.Set {
		n, err := strconv.Atoi(litOf(v.Scalar))
		if err != nil {
			sure = false
		}
		at = max(n-1, 0)
	}
	set := func(n string, w access.Word) {
		st.setVar(n, word.Value{State: word.Set, Scalar: w})
	}
	if !known || !named || !sure || !allKnown(args) {
		if named {
			st.setVar(name, word.Value{State: word.Set, Scalar: access.Unknowable(access.Name, c.start, c.end)})
		}
		st.setVar("OPTARG", word.Value{})
		st.setVar("OPTIND", word.Value{State: word.Set, Scalar: access.Unknowable(access.Name, c.start, c.end)})
		return c.done(either)
	}
	if at >= len(args) {
		set(name, access.Text("?"))
		return c.done(no)
	}
	lit, _ := args[at].Lit()
	if len(lit) < 2 || lit[0] != '-' || lit == "--" {
		if lit == "--" {
			at++
		}
		set(name, access.Text("?"))
		set("OPTIND", access.Text(strconv.Itoa(at+1)))
		return c.done(no)
	}
	letter := lit[sub : sub+1]
	sub++
	i := strings.Index(spec, letter)
	st.setVar("OPTARG", word.Value{State: word.Unset})
	switch {
	case i < 0 || letter == ":":
		set(name, access.Text("?"))
	case i+1 < len(spec) && spec[i+1] == ':':
		set(name, access.Text(letter))
		switch {
		case sub < len(lit):
			set("OPTARG", args[at].From(sub))
		case at+1 < len(args):
			at++
			set("OPTARG", args[at])
		default:
			set(name, access.Text("?"))
		}
		sub = len(lit)
	default:
		set(name, access.Text(letter))
	}
	if cur, _ := args[min(at, len(args)-1)].Lit(); sub >= len(lit) || cur != lit {
		at, sub = at+1, 1
	}
	st.setVar("__getopts", word.Value{State: word.Set, Scalar: access.Text(strconv.Itoa(at) + "," + strconv.Itoa(sub))})
	set("OPTIND", access.Text(strconv.Itoa(at+1)))
	return c.done(yes)
}

func allKnown(ws []access.Word) bool {
	for _, w := range ws {
		if !w.Known() {
			return false
		}
	}
	return true
}
