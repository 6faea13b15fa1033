package word

import (
	"slices"
	"strings"

	"extdir/daemon/access"
)

// A Component is what a pattern says between two slashes.
type Component struct {
	in    []symbol
	segs  []access.Segment
	Deep  bool // any number of folders
	Links bool // through links as well
	Dots  bool // it matches names that begin with a dot
	nodes [][]node
}

// Components takes a pattern apart. ok is false where it goes over slashes in a way
// that can't be taken apart.
func Components(sh Shell, w access.Word) (out []Component, ok bool) {
	in := symbols(w)
	q := qualifier(sh, in)
	in = in[:len(in)-len(q)]
	dots := dotted(sh, q)
	segs := spell(in)
	list := slashed(in)
	for i, part := range list {
		if len(part) == 0 || len(part) == 1 && !part[0].hole && part[0].r == '.' {
			continue
		}
		c := Component{in: part, Dots: dots, segs: segs[i]}
		stars := 0
		for k, s := range part {
			if !s.hole && s.r == '/' {
				return nil, false
			}
			if (&compiler{in: part}).is(k, '*') {
				stars++
			}
		}
		if stars == len(part) && stars > 1 {
			c.Deep = sh.Zsh() && i < len(list)-1 || !sh.Zsh() && stars == 2 && sh.Option("globstar")
			c.Links = sh.Zsh() && stars == 3
		}
		out = append(out, c)
	}
	return out, true
}

// Deep tells whether a pattern goes down any number of folders.
func Deep(sh Shell, w access.Word) bool {
	parts, ok := Components(sh, w)
	for _, c := range parts {
		ok = ok && !c.Deep
	}
	return !ok
}

// spell writes the components of a pattern as segments.
func spell(in []symbol) [][]access.Segment {
	var out [][]access.Segment
	for _, part := range slashed(in) {
		var segs []access.Segment
		c := compiler{in: part}
		special := false
		for i, s := range part {
			special = special || !s.hole && !s.quoted && (strings.ContainsRune("(|<^#", s.r) || strings.ContainsRune(pluses, s.r) && c.is(i+1, '('))
		}
		for _, s := range part {
			if s.hole {
				segs = append(segs, access.Segment{Class: access.Name, Glob: s.glob})
				continue
			}
			n := len(segs)
			if n > 0 && segs[n-1].Class == access.Known && segs[n-1].Quoted == s.quoted {
				segs[n-1].Text += symbolText(s.r)
				continue
			}
			segs = append(segs, access.Segment{Text: symbolText(s.r), Quoted: s.quoted, Special: !s.quoted && special})
		}
		out = append(out, segs)
	}
	return out
}

// Rest is a pattern of components again.
func Rest(parts []Component) access.Word {
	var w access.Word
	for i, c := range parts {
		if i > 0 {
			w.Segs = append(w.Segs, access.Segment{Text: "/", Quoted: true})
		}
		w.Segs = append(w.Segs, c.segs...)
	}
	return w
}

// Plain is the text of a component without pattern characters.
func (c Component) Plain() (string, bool) {
	var b strings.Builder
	for _, s := range c.in {
		if s.hole || !s.quoted && strings.ContainsRune(`*?[(|<^#`, s.r) {
			return "", false
		}
		b.WriteString(symbolText(s.r))
	}
	return b.String(), true
}

// May tells whether a name may match.
func (c *Component) May(sh Shell, name string) bool {
	if strings.HasPrefix(name, ".") && !c.Dots {
		if s := c.in[0]; !s.hole && s.r != '.' && (s.quoted || !strings.ContainsRune("?*+@!([", s.r)) || s.r == '*' || s.r == '?' {
			return false
		}
	}
	if c.nodes == nil {
		for _, in := range variants(c.in) {
			c.nodes = append(c.nodes, compileSymbols(sh, in, true, true))
		}
	}
	text := access.Text(name)
	for _, nodes := range c.nodes {
		m := matcher{text: cells(text), fold: sh.Option("nocaseglob"), spend: sh.Spend}
		if s := m.from(nodes, 0); s.may[m.end()] {
			return true
		}
	}
	return false
}

// variants puts in the place of one of the names that a glob matched what that glob
// may have matched.
func variants(in []symbol) [][]symbol {
	out := [][]symbol{nil}
	for _, s := range in {
		forms := [][]symbol{{s}}
		if s.hole && s.glob != "" {
			matches, _ := s.glob.Says()
			if len(matches)*len(out) <= maxGlobs && !slices.ContainsFunc(matches, func(m string) bool { return strings.Contains(m, "/") || strings.Contains(m, "**") }) {
				forms = nil
				for _, m := range matches {
					forms = append(forms, symbols(access.Word{Segs: []access.Segment{{Text: m}}}))
				}
			}
		}
		var next [][]symbol
		for _, o := range out {
			for _, f := range forms {
				next = append(next, append(o[:len(o):len(o)], f...))
			}
		}
		out = next
	}
	return out
}

// MayBeNone tells whether a glob without a match becomes no word: zsh's (N).
func MayBeNone(sh Shell, w access.Word) bool { return runesIn(qualifier(sh, symbols(w)), 'N') }

// OneOf is the word for any one name that a glob matches: what stands before its
// first component with a pattern stays as it is. inside: it lies below a root.
func OneOf(sh Shell, w access.Word, inside bool) access.Word {
	var dir, tail access.Word
	at, active := 0, false
	for i, s := range w.Segs {
		if s.Class == access.Known && (s.Quoted || !s.Special && !strings.ContainsAny(s.Text, "*?[")) {
			continue
		}
		active = true
		at = i
		break
	}
	if !active {
		return w
	}
	// Go back to the slash before it.
	text := 0
	for _, s := range w.Segs[:at] {
		text += len(s.Text)
	}
	if s := w.Segs[at]; !s.Special {
		text += strings.IndexAny(s.Text, "*?[")
	}
	all, _ := w.Lit()
	cut := strings.LastIndexByte(all[:text], '/') + 1
	dir, tail = access.Text(all[:cut]), w.From(cut)
	out := access.Word{Segs: dir.Segs, Start: w.Start, End: w.End}
	parts, ok := Components(sh, tail)
	deep := !ok
	for _, c := range parts {
		deep = deep || c.Deep
	}
	name := func(p access.Pattern, class access.Class) {
		out.Segs = append(out.Segs, access.Segment{
			Class: class, Glob: p, From: "the name that " + all + " matches", Quoted: true, Start: w.Start, End: w.End,
		})
	}
	if deep {
		class := access.Any
		if inside || cut > 0 {
			class = access.Inside
		}
		name(Globs(sh, tail), class)
		return out
	}
	for i, c := range parts {
		if i > 0 {
			out.Segs = append(out.Segs, access.Segment{Text: "/", Quoted: true, Start: w.Start, End: w.End})
		}
		if text, ok := c.Plain(); ok {
			out.Segs = append(out.Segs, access.Segment{Text: text, Quoted: true, Start: w.Start, End: w.End})
			continue
		}
		comp := access.Word{Segs: c.segs}
		if i == len(parts)-1 {
			comp = lastComponent(sh, tail, comp)
		}
		name(Globs(sh, comp), access.Name)
	}
	if strings.HasSuffix(all, "/") {
		out.Segs = append(out.Segs, access.Segment{Text: "/", Quoted: true, Start: w.Start, End: w.End})
	}
	return out
}

// lastComponent is the last component with the qualifiers behind it.
func lastComponent(sh Shell, tail, c access.Word) access.Word {
	q := qualifier(sh, symbols(tail))
	if len(q) == 0 {
		return c
	}
	return c.Concat(access.Word{Segs: spell(q)[0]})
}

// unfold parts the literal end from the name that a glob like *.txt matched, so
// that it can be cut off. A leading dot must be written out, so what is left is a
// name still.
func unfold(w access.Word) access.Word {
	for i, s := range w.Segs {
		if s.Glob == "" || s.Class != access.Name {
			continue
		}
		list, except := s.Glob.Says()
		if len(list) != 1 || len(except) > 0 || list[0] != s.Glob.Written() {
			continue
		}
		m := list[0]
		n := strings.LastIndexAny(m, `*?[]\`) + 1
		if n == 0 || n == len(m) || m[0] == '.' || m[n] != '.' && strings.IndexByte(`*?[`, m[0]) >= 0 {
			continue
		}
		segs := append([]access.Segment(nil), w.Segs[:i]...)
		tail := s
		s.Glob = access.NewPattern(m[:n], []string{m[:n]}, nil)
		tail.Class, tail.Glob, tail.Text, tail.From = access.Known, "", m[n:], ""
		w.Segs = append(append(segs, s, tail), w.Segs[i+1:]...)
	}
	return w
}

// CutTail takes a text off the end of a word, as basename does. ok is false where
// it can't be told whether it ends so.
func CutTail(w access.Word, text string) (out access.Word, ok bool) {
	w = unfold(w)
	n := len(w.Segs)
	if n == 0 || w.Segs[n-1].Class != access.Known || len(w.Segs[n-1].Text) < len(text) {
		return w, false
	}
	last := w.Segs[n-1]
	if !strings.HasSuffix(last.Text, text) {
		return w, true
	}
	w.Segs = append([]access.Segment(nil), w.Segs[:n-1]...)
	if last.Text = strings.TrimSuffix(last.Text, text); last.Text != "" {
		w.Segs = append(w.Segs, last)
	}
	return w, true
}
