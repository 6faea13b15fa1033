package word

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// piece is a part of a word on its way to fields.
type piece struct {
	seg   access.Segment
	split bool // result of an unquoted expansion: IFS splits it
	brk   bool // a field ends here ("$@"); seg is not used
	short bool // an unknown name or path that lost something at its end
}

// settle decides what is left of names whose end was cut off. The rest of a.txt
// or …txt may be empty or "..", which leads out of a directory; but with text
// behind it, as in "${f%.ts}.js", it is a name again.
func settle(pieces []piece) {
	for i := range pieces {
		if !pieces[i].short {
			continue
		}
		pieces[i].short = false
		if i+1 < len(pieces) {
			if n := pieces[i+1]; !n.brk && !n.split && n.seg.Class == access.Known {
				name, _, _ := strings.Cut(n.seg.Text, "/")
				if strings.Trim(name, ".") != "" {
					pieces[i].seg.Glob = ""
					continue
				}
			}
		}
		pieces[i].seg.Class, pieces[i].seg.Glob = access.Any, ""
	}
}

// build splits the pieces into fields and appends them.
func (e *expander) build(fields []access.Word, from, to int) []access.Word {
	var cur []access.Segment
	has := false     // the field exists, even if it is empty
	byBlank := false // the last field was ended by IFS whitespace
	flush := func() {
		w := access.Word{Segs: cur, Start: from, End: to}
		e.mark(&w)
		if w.Glob() && e.sh.Option("noglob") { // set -f
			for i := range w.Segs {
				w.Segs[i].Quoted, w.Segs[i].Special = true, false
			}
		}
		fields = append(fields, w)
		cur, has = nil, false
	}
	add := func(s access.Segment) {
		if s.Class != access.Known || s.Text != "" {
			cur = append(cur, s)
		}
		has, byBlank = true, false
	}
	settle(e.out)
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
				add(access.Segment{Class: access.Any, From: "$IFS", Start: p.seg.Start, End: p.seg.End})
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
				_, size := utf8.DecodeRuneInString(text)
				c := text[0]
				text = text[size:]
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
	settle(pieces)
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
	seg := access.Segment{Text: s, Quoted: quoted, Start: from, End: to}
	e.out = append(e.out, piece{seg: seg, split: e.splitLits && !quoted})
}

// quotedText appends text that is never split and holds no pattern.
func (e *expander) quotedText(s string, from, to int) {
	e.out = append(e.out, piece{seg: access.Segment{Text: s, Quoted: true, Start: from, End: to}})
}

func (e *expander) unknown(c access.Class, quoted bool, n syntax.Node) {
	e.out = append(e.out, piece{seg: access.Segment{Class: c, From: origin(n), Quoted: quoted, Same: standing(n), Start: start(n), End: end(n)}})
}

// standing numbers what an expansion gives by where it stands.
func standing(n syntax.Node) uint32 { return uint32(max(start(n), 0)) + 1 }

// value appends the value of an expansion.
func (e *expander) value(w access.Word, quoted bool, n syntax.Node) {
	size := 1
	for _, s := range w.Segs {
		size += len(s.Text) / 64
	}
	if !e.spend(size) {
		e.unknown(access.Any, quoted, n)
		return
	}
	from, to := start(n), end(n)
	split, plain := !quoted, quoted
	if e.sh.Zsh() {
		split, plain = split && e.zsplit || e.zforce, quoted || !e.zglob
	}
	if e.sh.Zsh() && e.zglob && !quoted && e.ctx == command {
		var ok bool
		if w, ok = e.zshNames(w, split, n); !ok {
			e.unknown(access.Any, quoted, n)
			return
		}
	}
	for _, s := range w.Segs {
		if s.Class == access.Known && s.Text == "" {
			continue
		}
		if s.Class != access.Known && s.From == "" {
			s.From = origin(n)
		}
		if s.Class != access.Known && s.Same == 0 {
			s.Same = standing(n)
		}
		s.Quoted, s.Start, s.End = plain, from, to
		if s.Class != access.Known {
			s.Quoted = quoted // zsh: it may be no word at all, or several
		}
		e.out = append(e.out, piece{seg: s, split: split})
	}
}

// list appends the elements of "$@", ${a[*]} and the like.
func (e *expander) list(words []access.Word, star, byIFS, quoted bool, n syntax.Node) {
	if len(words) > guard.Max(guard.Fields) {
		e.unknown(access.Any, quoted, n)
		return
	}
	fields := e.ctx == command
	sep, known := e.ifs()
	switch {
	case e.ctx == document && !byIFS || !star && !byIFS && !fields && !e.sh.Zsh():
		sep = " "
	case !known:
		if star || !quoted {
			e.unknown(access.Any, quoted, n)
			return
		}
	case sep != "":
		_, size := utf8.DecodeRuneInString(sep)
		sep = sep[:size]
	}
	if fields && !quoted && byIFS && sep == "" && !e.sh.Zsh() && len(words) > 1 {
		e.unknown(access.Any, quoted, n) // bash 5.2 joins them, with \x01 before blanks: a fault of its own
		return
	}
	if len(words) == 0 && quoted && !star {
		e.emptyAt = true
	}
	for i, w := range words {
		if i > 0 {
			switch {
			case fields && (quoted && !star || !quoted && (sep == "" || e.sh.Zsh())):
				e.out = append(e.out, piece{brk: true})
			default:
				seg := access.Segment{Text: sep, Quoted: quoted, Start: start(n), End: end(n)}
				e.out = append(e.out, piece{seg: seg, split: !quoted})
			}
		}
		if quoted && !star && w.Empty() {
			e.quotedText("", start(n), end(n))
			continue
		}
		e.value(w, quoted, n)
	}
}

// parts expands the parts of a word. first: they begin the word, a tilde counts.
func (e *expander) parts(parts []syntax.WordPart, quoted, first bool) {
	for i := 0; i < len(parts); i++ {
		if e.stop {
			return
		}
		switch p := parts[i].(type) {
		case *syntax.Lit:
			begins := first && i == 0
			if e.sh.Zsh() {
				begins = begins || !quoted && e.fresh()
				if e.zshLiteral(p, quoted, begins, i == len(parts)-1) {
					continue
				}
			}
			e.literal(p, quoted, begins, i == len(parts)-1 || e.sh.Zsh() && beginsWithSlash(parts[i+1]))
		case *syntax.SglQuoted:
			e.singleQuoted(p, quoted)
		case *syntax.DblQuoted:
			n, empty, lits := len(e.out), e.emptyAt, e.splitLits
			e.emptyAt, e.splitLits, e.dquote = false, false, true
			e.parts(p.Parts, true, false)
			if len(e.out) == n && !e.emptyAt {
				e.quotedText("", start(p), end(p))
			}
			e.emptyAt, e.splitLits, e.dquote = empty, lits, false
		case *syntax.ParamExp:
			if e.sh.Zsh() {
				if i+1 < len(parts) {
					if l, ok := parts[i+1].(*syntax.Lit); ok {
						whole, left, ok := e.zshSuffix(p, l)
						if !ok {
							e.unknown(access.Any, quoted, p)
							i++
							continue
						}
						if left != l {
							parts = append([]syntax.WordPart(nil), parts...)
							parts[i+1] = left
						}
						p = whole
					}
				}
				e.zshParam(p, quoted)
			} else {
				e.param(p, quoted)
			}
		case *syntax.CmdSubst:
			split := e.zsplit
			e.zsplit = true
			e.value(e.sh.Subst(p), quoted, p)
			e.zsplit = split
		case *syntax.ProcSubst:
			e.value(e.sh.Proc(p), true, p)
		case *syntax.ArithmExp:
			e.value(e.arith(p.X), quoted, p)
		case *syntax.ExtGlob:
			e.extGlob(p)
		default:
			e.walk(p)
			e.unknown(access.Any, quoted, p)
		}
	}
}

// fresh tells whether nothing stands in the field yet. zsh looks for a tilde after
// it has put the values in: $empty~/x is one.
func (e *expander) fresh() bool {
	if e.ctx != command {
		return false
	}
	for i := len(e.out) - 1; i >= 0; i-- {
		p := e.out[i]
		switch {
		case p.brk:
			return true
		case p.seg.Class != access.Known:
			return false
		case p.seg.Text != "":
			return p.split && strings.TrimRight(p.seg.Text, " \t\n") != p.seg.Text
		}
	}
	return true
}

// beginsWithSlash: zsh looks for a tilde after quotes and parameters are dealt with.
func beginsWithSlash(p syntax.WordPart) bool {
	switch p := p.(type) {
	case *syntax.SglQuoted:
		return !p.Dollar && strings.HasPrefix(p.Value, "/")
	case *syntax.DblQuoted:
		if len(p.Parts) > 0 {
			l, ok := p.Parts[0].(*syntax.Lit)
			return ok && strings.HasPrefix(l.Value, "/")
		}
	}
	return false
}

// singleQuoted: inside double quotes, as in "${x:-'$y'}", single quotes are plain
// characters, and what stands between them is expanded.
func (e *expander) singleQuoted(p *syntax.SglQuoted, quoted bool) {
	from, to := start(p)+1, end(p)-1
	switch {
	case p.Dollar:
		e.quotedText(ansi(p.Value, e.sh.Zsh()), from, to)
	case !quoted:
		e.quotedText(p.Value, from, to)
	case !strings.ContainsAny(p.Value, "$`\\\""):
		e.quotedText("'"+p.Value+"'", from-1, to+1)
	default:
		e.quotedText("'", from-1, from)
		if strings.Contains(p.Value, `"`) {
			e.hidden(access.Text(p.Value), from, to, p)
		} else if w := e.reparse(p.Value, from, to); w != nil {
			e.parts(w.Parts, true, false)
		} else if p.Value != "" {
			e.hidden(access.Text(p.Value), from, to, p)
		}
		e.quotedText("'", to, to+1)
	}
}

// reparse reads text as the inside of double quotes.
func (e *expander) reparse(text string, from, to int) *syntax.Word {
	if !e.spend(1 + len(text)/16) {
		return nil
	}
	w, err := guard.Document(text, e.sh.Zsh(), nil)
	if err != nil || w == nil {
		return nil
	}
	place(w, from, to, len(text))
	return w
}

// place moves a second reading to where its text stands in the line: to its exact
// place if the text stands there letter by letter, else to its beginning.
func place(n any, from, to, length int) {
	exact := to-from == length
	guard.Shift(n, func(at int) int {
		if exact {
			return from + at
		}
		return from
	})
}

// hidden is a text with commands in it that can't be read here.
func (e *expander) hidden(text access.Word, from, to int, n syntax.Node) {
	e.sh.Eval(text, from, to)
	e.unknown(access.Any, true, n)
}

// extGlob keeps an extended pattern as it is, but expands what stands in it: the
// parser leaves its inside raw.
func (e *expander) extGlob(p *syntax.ExtGlob) {
	e.groupOf(p.Op.String(), p.Pattern.Value, start(p), start(p.Pattern), end(p), p)
}

// groupOf is a group of a pattern: op, what stands in it, and the parenthesis.
func (e *expander) groupOf(op, raw string, at, from, to int, n syntax.Node) {
	special := func(since int) {
		for i := since; i < len(e.out); i++ {
			e.out[i].seg.Special = e.out[i].seg.Class == access.Known && !e.out[i].seg.Quoted
		}
	}
	since := len(e.out)
	defer func() { special(since) }()
	if !strings.ContainsAny(raw, "$`\\'\"") {
		e.text(op+raw+")", false, at, to)
		return
	}
	const before = "${x#"
	w, err := guard.Document(before+raw+"}", e.sh.Zsh(), nil)
	var inner *syntax.ParamExp
	if err == nil && w != nil && len(w.Parts) == 1 {
		inner, _ = w.Parts[0].(*syntax.ParamExp)
	}
	if inner == nil || inner.Exp == nil || inner.Exp.Word == nil {
		e.hidden(access.Text(raw), from, to, n)
		return
	}
	guard.Shift(inner, func(at int) int { return from + at - len(before) })
	e.text(op, false, at, from)
	for _, part := range inner.Exp.Word.Parts {
		if l, ok := part.(*syntax.Lit); ok { // no group of zsh's in a group
			e.literal(l, false, false, false)
			continue
		}
		e.parts([]syntax.WordPart{part}, false, false)
	}
	e.text(")", false, to-1, to)
}
