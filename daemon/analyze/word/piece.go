package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// piece is a part of a word on its way to fields.
type piece struct {
	seg   access.Segment
	split bool // result of an unquoted expansion: IFS splits it
	brk   bool // a field ends here ("$@"); seg is not used
}

// build splits the pieces into fields and appends them.
func (e *expander) build(fields []access.Word, from, to int) []access.Word {
	var cur []access.Segment
	has := false     // the field exists, even if it is empty
	byBlank := false // the last field was ended by IFS whitespace
	flush := func() {
		fields = append(fields, access.Word{Segs: cur, Start: from, End: to})
		cur, has = nil, false
	}
	add := func(s access.Segment) {
		if s.Class != access.Known || s.Text != "" {
			cur = append(cur, s)
		}
		has, byBlank = true, false
	}
	var ifs string
	var known, looked bool
	for _, p := range e.out {
		switch {
		case p.brk:
			if has {
				flush()
			}
			byBlank = false
		case p.seg.Class != access.Known || !p.split:
			if p.seg.Class != access.Known || p.seg.Text != "" || p.seg.Quoted {
				add(p.seg)
			}
		default:
			if !looked {
				ifs, known = e.ifs()
				looked = true
			}
			if !known && p.seg.Text != "" {
				add(access.Segment{Class: access.Any, Start: p.seg.Start, End: p.seg.End})
				continue
			}
			text := p.seg.Text
			for text != "" {
				i := strings.IndexAny(text, ifs)
				if i < 0 {
					i = len(text)
				}
				if i > 0 {
					s := p.seg
					s.Text = text[:i]
					add(s)
					text = text[i:]
					continue
				}
				c := text[0]
				text = text[1:]
				switch {
				case c == ' ' || c == '\t' || c == '\n':
					if has {
						flush()
						byBlank = true
					}
				case has:
					flush()
					byBlank = false
				case byBlank:
					byBlank = false
				default:
					flush()
				}
			}
		}
	}
	if has {
		flush()
	}
	return fields
}

// join makes one word of the pieces; fields are joined by a blank.
func (e *expander) join(pieces []piece, from, to int) access.Word {
	w := access.Word{Start: from, End: to}
	for _, p := range pieces {
		switch {
		case p.brk:
			w.Segs = append(w.Segs, access.Segment{Text: " ", Quoted: true, Start: from, End: to})
		case p.seg.Class != access.Known || p.seg.Text != "":
			w.Segs = append(w.Segs, p.seg)
		}
	}
	return w
}

// ifs is the value of IFS, and whether it is known. An IFS nobody spoke of is the
// default one: no start file in use changes it.
func (e *expander) ifs() (string, bool) {
	v := e.sh.Get("IFS")
	if v.State != Set {
		return " \t\n", true
	}
	return v.Scalar.Lit()
}

func (e *expander) text(s string, quoted bool, from, to int) {
	e.out = append(e.out, piece{seg: access.Segment{Text: s, Quoted: quoted, Start: from, End: to}})
}

func (e *expander) unknown(c access.Class, quoted bool, n syntax.Node) {
	e.out = append(e.out, piece{seg: access.Segment{Class: c, Quoted: quoted, Start: start(n), End: end(n)}})
}

// value appends the value of an expansion.
func (e *expander) value(w access.Word, quoted bool, n syntax.Node) {
	for _, s := range w.Segs {
		if s.Class == access.Known && s.Text == "" {
			continue
		}
		s.Quoted, s.Start, s.End = quoted, start(n), end(n)
		e.out = append(e.out, piece{seg: s, split: !quoted})
	}
}

// parts expands the parts of a word. first: they begin the word, a tilde counts.
func (e *expander) parts(parts []syntax.WordPart, quoted, first bool) {
	for i, p := range parts {
		if e.stop {
			return
		}
		switch p := p.(type) {
		case *syntax.Lit:
			e.literal(p, quoted, first && i == 0)
		case *syntax.SglQuoted:
			e.text(p.Value, true, start(p)+1, end(p)-1)
		case *syntax.DblQuoted:
			n := len(e.out)
			e.parts(p.Parts, true, false)
			if len(e.out) == n {
				e.text("", true, start(p), end(p))
			}
		case *syntax.ParamExp:
			v := e.sh.Get(p.Param.Value)
			switch {
			case p.Exp != nil || p.Repl != nil || p.Slice != nil || p.Excl || p.Length || p.Index != nil || v.State == Unknown || v.Ref:
				e.unknown(access.Any, quoted, p)
			case v.State == Set:
				e.value(v.Scalar, quoted, p)
			}
		case *syntax.CmdSubst:
			e.value(e.sh.Subst(p), quoted, p)
		case *syntax.ProcSubst:
			e.value(e.sh.Proc(p), true, p)
		case *syntax.ArithmExp:
			e.unknown(access.Name, quoted, p)
		default:
			e.unknown(access.Any, quoted, p)
		}
	}
}
