package analyze

import (
	"strconv"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// mapping is a mapfile about to read.
type mapping struct {
	*invocation
	o     readOptions
	name  string // of the array
	delim byte
	most  int  // lines that it reads, 0 for all (-n)
	skip  int  // lines dropped first (-s)
	first int  // subscript of the first line (-O)
	every int  // lines from one call of the callback to the next (-c)
	sure  bool // all of these are known
}

// doMapfile is mapfile: lines of known text become an array. Its callback is code
// that runs with an index and a line as further words, before the line is stored
// (measured, bash 5.2).
func doMapfile(x *run, c *invocation) []*state {
	st := c.st
	m := &mapping{invocation: c, o: x.readOptions(c, "dnOsuCc"), every: 5000}
	name := access.Text("MAPFILE")
	if len(m.o.rest) > 0 {
		name = m.o.rest[0]
	}
	if m.o.delim != "" {
		m.delim = m.o.delim[0]
	}
	m.sure = m.o.delimOK
	number := func(w *access.Word, to *int) {
		if w != nil {
			n, ok := plainNumber(*w)
			*to, m.sure = n, m.sure && ok
		}
	}
	number(m.o.count, &m.most)
	number(m.o.skip, &m.skip)
	number(m.o.origin, &m.first)
	number(m.o.every, &m.every)
	if m.every == 0 && m.sure { // "invalid callback quantum"
		return c.done(no)
	}
	in := st.in
	if m.fd() {
		var ok bool
		if in, ok = st.fds[m.o.fd]; !ok {
			in = input{kind: fromPipe}
		}
	}
	n, known := name.Lit()
	m.name = n
	m.sure = m.sure && known && !strings.Contains(n, "[") && m.every > 0
	if m.sure && in.kind == fromText && in.text.Known() {
		if sts, ok := x.maps(m, in.text); ok {
			return sts
		}
	}
	v := word.Value{}
	if in.kind == fromText && len(in.text.Segs) > 0 && onlyInside(in.text) && m.delim == '\n' && m.o.origin == nil { // any number of them
		v.Each = access.Inside
	}
	if in.kind == fromText {
		m.leave(st, access.Unknowable(access.Any, 0, 0))
	}
	if known {
		x.give(st, n, v, name)
	} else {
		x.clobber(st)
	}
	return x.callsBack(m, v)
}

// fd tells whether it reads from another descriptor than standard input.
func (m *mapping) fd() bool { return m.o.fd != "" && m.o.fd != "0" }

// leave puts what isn't read yet back where it reads from.
func (m *mapping) leave(st *state, rest access.Word) {
	in := input{kind: kindOf(rest), text: rest}
	if m.fd() {
		st.setFd(m.o.fd, in)
	} else {
		st.in = in
	}
}

// line cuts the first line off a text. It ends with the delimiter unless -t or the
// end of the text takes that away.
func (m *mapping) line(text string) (line, rest string) {
	i := strings.IndexByte(text, m.delim)
	if i < 0 {
		return text, ""
	}
	line, rest = text[:i+1], text[i+1:]
	if m.o.trim || m.delim == 0 {
		line = line[:i]
	}
	return line, rest
}

// maps reads lines of a text that is known. ok is false where there are too many.
func (x *run) maps(m *mapping, in access.Word) (sts []*state, ok bool) {
	lit, _ := in.Lit()
	most := guard.Fields
	if !m.o.callback.Empty() {
		most = guard.Items
	}
	if strings.Count(lit, string(m.delim)) >= guard.Max(most) {
		return nil, false
	}
	if x.get(m.st, x.target(m.st, m.name)).Map != nil { // "not an indexed array"
		return m.done(no), true
	}
	if m.delim != 0 {
		lit = strings.ReplaceAll(lit, "\x00", "")
	}
	for range m.skip {
		_, lit = m.line(lit)
	}
	var held map[int]access.Word // -O leaves what the array holds
	if m.o.origin != nil {
		if held, ok = x.elements(m.st, m.name); !ok {
			return nil, false
		}
	}
	list := copyList(held)
	if m.o.callback.Empty() {
		for n := 0; lit != "" && (m.most == 0 || n < m.most); n++ {
			var line string
			line, lit = m.line(lit)
			list[m.first+n] = textAt(line, in)
		}
		m.leave(m.st, textAt(lit, in))
		x.give(m.st, m.name, listOf(list), in)
		return m.done(yes), true
	}
	m.leave(m.st, textAt(lit, in))
	x.give(m.st, m.name, listOf(list), in)
	call := x.callback(m)
	sts = m.st.alone()
	for n, more := 0, true; more && !x.over && (m.most == 0 || n < m.most); n++ {
		more = false
		sts = x.eachState(sts, func(st *state) []*state {
			left, open := st.in, true
			if m.fd() {
				left, open = st.fds[m.o.fd]
			}
			text, known := left.text.Lit()
			if !open || left.kind != fromText || !known { // the callback has read as well
				x.give(st, m.name, word.Value{}, in)
				return st.alone()
			}
			if text == "" {
				return st.alone()
			}
			more = true
			line, rest := m.line(text)
			m.leave(st, textAt(rest, in))
			w := textAt(line, in)
			res := st.alone()
			if (n+1)%m.every == 0 {
				res = call(st, access.Text(strconv.Itoa(m.first+n)), w)
			}
			for _, r := range res {
				v := word.Value{}
				if held, ok := x.elements(r, m.name); ok && r.flow == goesOn {
					list := copyList(held)
					list[m.first+n] = w
					v = listOf(list)
				}
				x.give(r, m.name, v, in)
			}
			return res
		})
	}
	for _, st := range sts {
		if st.flow == goesOn {
			st.status = yes
		}
	}
	return sts, true
}

// elements are those of an indexed array or a plain variable; ok is false where
// they aren't known.
func (x *run) elements(st *state, name string) (list map[int]access.Word, ok bool) {
	v := x.get(st, x.target(st, name))
	switch {
	case v.State == word.Unknown || v.Map != nil:
		return nil, false
	case v.List == nil && v.State == word.Set:
		return map[int]access.Word{0: v.Scalar}, true
	}
	return v.List, true
}

func copyList(list map[int]access.Word) map[int]access.Word {
	out := make(map[int]access.Word, len(list)+1)
	for i, w := range list {
		out[i] = w
	}
	return out
}

func listOf(list map[int]access.Word) word.Value {
	return word.Value{State: word.Set, Scalar: list[0], List: list}
}

// textAt is a text that stands where in does.
func textAt(s string, in access.Word) access.Word {
	w := access.Text(s)
	w.Start, w.End = in.Start, in.End
	for i := range w.Segs {
		w.Segs[i].Start, w.Segs[i].End = in.Start, in.End
	}
	return w
}

// The variables by which the code of a callback gets its two words.
const callbackIndex, callbackLine = "__mapfile_index", "__mapfile_line"

// callback makes a function of the text of a callback, parsed once.
func (x *run) callback(m *mapping) func(st *state, index, line access.Word) []*state {
	nothing := func(st *state, _, _ access.Word) []*state { return st.alone() }
	text := m.o.callback.Concat(access.Text(` "$` + callbackIndex + `" "$` + callbackLine + `"`))
	text.Start, text.End = m.o.callback.Start, m.o.callback.End
	if !text.Known() {
		x.again(m.st.fork(), text, "mapfile -C", m.invocation)
		return nothing
	}
	file, err := x.parse(text, m.st.zsh)
	if err != nil {
		x.unknown("the text that mapfile -C runs can't be parsed", text.Start, text.End)
		x.scan(text, text.Start, text.End)
		return nothing
	}
	return func(st *state, index, line access.Word) []*state {
		if !x.b.Enter(guard.NestDepth) {
			x.over = true
			return st.alone()
		}
		defer x.b.Leave(guard.NestDepth)
		old := x.src
		x.src = &source{aliases: old.aliases}
		defer func() { x.src = old }()
		st.setVar(callbackIndex, word.Value{State: word.Set, Scalar: index})
		st.setVar(callbackLine, word.Value{State: word.Set, Scalar: line})
		return x.stmts(file.Stmts, st.alone())
	}
}

// callsBack runs the callback for lines that aren't known: any number of times.
func (x *run) callsBack(m *mapping, v word.Value) []*state {
	if m.o.callback.Empty() {
		return m.done(either2(m.sure))
	}
	line := from(anything, "a line that mapfile reads")
	if v.Each == access.Inside {
		line = access.Unknowable(access.Inside, 0, 0)
	}
	call := x.callback(m)
	before := m.st.fork()
	out := []*state{m.st.fork()}
	round := func(st *state) (again []*state) {
		for _, r := range call(st, access.Number(0, 0), line) {
			if r.flow == goesOn {
				again = append(again, r)
			} else {
				out = append(out, r)
			}
		}
		return again
	}
	if sts := round(m.st); len(sts) > 0 {
		out = append(out, x.settle(before, sts, round)...)
	}
	for _, st := range out {
		if st.flow == goesOn {
			st.status = yes
		}
	}
	return merge(out)
}
