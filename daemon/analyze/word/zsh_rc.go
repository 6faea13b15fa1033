package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// rcExpand puts each element of the first list that is written ${^x}, or under
// rc_expand_param any, into the word: x${^a}y is x1y x2y, and no word at all where
// the list is empty. ok is false where there is none to be put in.
func (e *expander) rcExpand(parts []syntax.WordPart) (words [][]syntax.WordPart, ok bool) {
	set := e.sh.Option("rcexpandparam")
	for i, part := range parts {
		p, is := part.(*syntax.ParamExp)
		if !is || !option(p.RcExpand, set) {
			continue
		}
		whole, rest := p, parts[i+1:]
		if i+1 < len(parts) {
			if l, lit := parts[i+1].(*syntax.Lit); lit {
				q, left, sure := e.zshSuffix(p, l)
				if !sure {
					return nil, false
				}
				whole, rest = q, append([]syntax.WordPart{left}, parts[i+2:]...)
			}
		}
		plain := *whole
		plain.RcExpand = syntax.OptOff
		e.mode, e.out = mode{ctx: command}, e.out[:0]
		if p.Split == syntax.OptOn || p.GlobSubst == syntax.OptOn || e.sh.Option("shwordsplit") || e.sh.Option("globsubst") {
			return nil, false
		}
		v, known := e.zshValue(&plain, false)
		if !known || v.done || v.open || v.state == Unknown || e.stop || e.spent {
			e.out = e.out[:0]
			return nil, false
		}
		if !v.list {
			if p.RcExpand != syntax.OptOn {
				continue
			}
			v.words = []access.Word{v.scalar()}
		}
		if len(v.words) > guard.Max(guard.Fields) || !e.spend(1+len(v.words)) {
			return nil, false
		}
		for _, w := range v.words {
			text, known := w.Lit()
			if !known {
				return nil, false
			}
			one := append([]syntax.WordPart(nil), parts[:i]...)
			one = append(one, &syntax.SglQuoted{Left: p.Pos(), Right: p.End(), Value: text})
			words = append(words, append(one, rest...))
		}
		return words, true
	}
	return nil, false
}

// zshNames expands the tilde at the beginning of a value that is read as a pattern:
// globsubst makes it eligible for filename expansion, too. ok is false where more
// than that would have to be told.
func (e *expander) zshNames(w access.Word, split bool, n syntax.Node) (out access.Word, ok bool) {
	if len(w.Segs) == 0 || w.Segs[0].Class != access.Known {
		return w, true
	}
	s := w.Segs[0]
	if split && strings.ContainsAny(s.Text, "~=") && strings.ContainsAny(s.Text, " \t\n") {
		return w, false
	}
	if !e.fresh() || s.Text == "" || s.Text[0] != '~' && s.Text[0] != '=' {
		return w, true
	}
	name, rest, more := strings.Cut(s.Text[1:], "/")
	if s.Text[0] == '=' || !more { // the name may go on behind the value
		return w, false
	}
	home, ok := e.tilde(name)
	if !ok {
		return w, true
	}
	if !home.Known() {
		return w, false
	}
	text, _ := home.Lit()
	if strings.ContainsAny(text, `*?[(|<^#~\`) {
		return w, false
	}
	segs := []access.Segment{{Text: text, Start: start(n), End: end(n)}}
	s.Text = "/" + rest
	segs = append(segs, s)
	return access.Word{Segs: append(segs, w.Segs[1:]...), Start: w.Start, End: w.End}, true
}
