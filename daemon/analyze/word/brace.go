package word

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/analyze/guard"
)

// maxBraces is how many opening braces one word may hold.
const maxBraces = 500

// A unit is a piece of a word as brace expansion sees it: one of "{", "}", ","
// that counts, other literal text, or a part it doesn't look into.
type unit struct {
	mark byte // '{', '}', ',' or 0
	lit  *syntax.Lit
	part syntax.WordPart
	pair int // of a '{': where its '}' is, 0 if nowhere
}

// braces expands the braces of a word. ok is false if there would be too many
// words; not expanded: one word, the parts themselves.
//
// Bash does it on the text before anything else; quotes and expansions are
// opaque, and a tilde is looked for in the results.
func braces(parts []syntax.WordPart, zsh bool) (words [][]syntax.WordPart, ok, expanded bool) {
	open, size := 0, 0
	for _, p := range parts {
		if l, isLit := p.(*syntax.Lit); isLit {
			open += strings.Count(l.Value, "{")
			size += len(l.Value)
		}
	}
	if open == 0 {
		return [][]syntax.WordPart{parts}, true, false
	}
	if open > maxBraces {
		return nil, false, true
	}
	units := divide(parts)
	seqs, ok := spread(units, 0, len(units))
	if !ok || len(seqs) > 1 && len(seqs)*size > guard.Max(guard.Values) {
		return nil, false, true
	}
	if len(seqs) == 1 && len(seqs[0]) == len(units) {
		return [][]syntax.WordPart{parts}, true, false
	}
	words = make([][]syntax.WordPart, len(seqs))
	for i, s := range seqs {
		words[i] = reunite(s, zsh)
	}
	return words, true, true
}

func hasBrace(parts []syntax.WordPart) bool {
	for _, p := range parts {
		if l, ok := p.(*syntax.Lit); ok && strings.IndexByte(l.Value, '{') >= 0 {
			return true
		}
	}
	return false
}

// computed tells whether a sequence has bounds that are computed: {1..$n}, which
// zsh expands and bash leaves.
func computed(parts []syntax.WordPart) bool {
	units := divide(parts)
	for i, u := range units {
		if u.mark != '{' || u.pair == 0 {
			continue
		}
		dots, values := false, false
		for _, in := range units[i+1 : u.pair] {
			dots = dots || in.lit != nil && strings.Contains(in.lit.Value, "..")
			values = values || in.lit == nil
		}
		if dots && values {
			return true
		}
	}
	return false
}

func divide(parts []syntax.WordPart) []unit {
	var units []unit
	var open []int
	for _, p := range parts {
		l, ok := p.(*syntax.Lit)
		if !ok {
			units = append(units, unit{part: p})
			continue
		}
		exact := int(l.ValueEnd.Offset()-l.ValuePos.Offset()) == len(l.Value)
		cut := func(a, b int, mark byte) {
			if a == b {
				return
			}
			piece := &syntax.Lit{ValuePos: l.ValuePos, ValueEnd: l.ValueEnd, Value: l.Value[a:b]}
			if exact {
				at := l.ValuePos.Offset()
				piece.ValuePos = syntax.NewPos(at+uint(a), l.ValuePos.Line(), 0)
				piece.ValueEnd = syntax.NewPos(at+uint(b), l.ValuePos.Line(), 0)
			}
			units = append(units, unit{mark: mark, lit: piece})
		}
		last := 0
		for i := 0; i < len(l.Value); i++ {
			switch c := l.Value[i]; c {
			case '\\':
				i++
			case '{', ',', '}':
				cut(last, i, 0)
				cut(i, i+1, c)
				last = i + 1
				n := len(units) - 1
				if c == '{' {
					open = append(open, n)
				} else if c == '}' && len(open) > 0 {
					units[open[len(open)-1]].pair = n
					open = open[:len(open)-1]
				}
			}
		}
		cut(last, len(l.Value), 0)
	}
	return units
}

// spread expands units[lo:hi].
func spread(units []unit, lo, hi int) (seqs [][]unit, ok bool) {
	for i := lo; i < hi; i++ {
		u := units[i]
		if u.mark != '{' || u.pair == 0 || u.pair >= hi {
			continue
		}
		var middle [][]unit
		var commas []int
		for j, depth := i+1, 0; j < u.pair; j++ {
			switch {
			case units[j].mark == '{' && units[j].pair != 0:
				depth++
			case units[j].mark == '}' && depth > 0:
				depth--
			case units[j].mark == ',' && depth == 0:
				commas = append(commas, j)
			}
		}
		if len(commas) > 0 {
			from := i + 1
			for _, to := range append(commas, u.pair) {
				item, ok := spread(units, from, to)
				if !ok {
					return nil, false
				}
				middle = append(middle, item...)
				from = to + 1
			}
		} else if u.pair == i+2 && units[i+1].lit != nil && units[i+1].mark == 0 {
			items, ok := sequence(units[i+1].lit.Value)
			if !ok {
				return nil, false
			}
			for _, s := range items {
				if s == `\` { // it quotes what follows, and is gone: an empty text (bash 5.2)
					at := &syntax.SglQuoted{Left: u.lit.ValuePos, Right: u.lit.ValuePos}
					middle = append(middle, []unit{{part: at}})
					continue
				}
				l := *units[i+1].lit
				l.ValuePos, l.ValueEnd, l.Value = u.lit.ValuePos, units[u.pair].lit.ValueEnd, s
				middle = append(middle, []unit{{lit: &l}})
			}
		}
		if middle == nil {
			continue // plain text, but there may be braces inside
		}
		rest, ok := spread(units, u.pair+1, hi)
		if !ok || len(middle)*len(rest) > guard.Max(guard.Fields) {
			return nil, false
		}
		for _, m := range middle {
			for _, r := range rest {
				seq := append([]unit(nil), units[lo:i]...)
				seq = append(append(seq, m...), r...)
				seqs = append(seqs, seq)
			}
		}
		return seqs, true
	}
	return [][]unit{units[lo:hi]}, true
}

// reunite makes parts again. Neighbouring literals are joined, since a tilde prefix
// may stand in two of them; and as bash works on the text, letters that come to
// stand behind $name belong to the name, and those behind a lone $ make one.
func reunite(units []unit, zsh bool) []syntax.WordPart {
	var parts []syntax.WordPart
	for _, u := range units {
		if u.lit == nil {
			parts = append(parts, u.part)
			continue
		}
		parts = append(parts, u.lit)
	}
	parts = merge(parts)
	if zsh {
		return parts
	}
	var out []syntax.WordPart
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			rest := *p
			if i > 0 {
				if x, ok := parts[i-1].(*syntax.ParamExp); ok && x.Short && syntax.ValidName(x.Param.Value) {
					if n := nameLength(rest.Value); n > 0 {
						longer, name := *x, *x.Param
						name.Value += rest.Value[:n]
						longer.Param = &name
						out[len(out)-1] = &longer
						rest.Value = rest.Value[n:]
					}
				}
			}
			out = dollars(out, &rest)
		default:
			out = append(out, p)
		}
	}
	return out
}

func nameLength(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

// loneDollar is the index of the first unescaped $ of a literal, or -1.
func loneDollar(s string) int { return unescaped(s, '$') }

// dollars appends a literal, with $name in it as the parameter it has become.
func dollars(out []syntax.WordPart, l *syntax.Lit) []syntax.WordPart {
	for {
		i := loneDollar(l.Value)
		if i < 0 || i+1 == len(l.Value) {
			break
		}
		n := nameLength(l.Value[i+1:])
		switch c := l.Value[i+1]; {
		case c >= '0' && c <= '9' || n == 0 && strings.IndexByte("@*#?!$-", c) >= 0:
			n = 1
		case n == 0:
			return append(out, l)
		}
		head, tail := *l, *l
		head.Value, tail.Value = l.Value[:i], l.Value[i+1+n:]
		if head.Value != "" {
			out = append(out, &head)
		}
		name := &syntax.Lit{ValuePos: l.ValuePos, ValueEnd: l.ValueEnd, Value: l.Value[i+1 : i+1+n]}
		out = append(out, &syntax.ParamExp{Dollar: l.ValuePos, Short: true, Param: name})
		l = &tail
	}
	if l.Value != "" {
		out = append(out, l)
	}
	return out
}

// merge joins neighbouring literals.
func merge(parts []syntax.WordPart) []syntax.WordPart {
	twice := false
	for i := 1; i < len(parts); i++ {
		_, a := parts[i-1].(*syntax.Lit)
		_, b := parts[i].(*syntax.Lit)
		twice = twice || a && b
	}
	if !twice {
		return parts
	}
	var out []syntax.WordPart
	for i := 0; i < len(parts); i++ {
		l, ok := parts[i].(*syntax.Lit)
		if !ok {
			out = append(out, parts[i])
			continue
		}
		var text strings.Builder
		joined := &syntax.Lit{ValuePos: l.ValuePos}
		for ; i < len(parts); i++ {
			l, ok := parts[i].(*syntax.Lit)
			if !ok {
				break
			}
			text.WriteString(l.Value)
			joined.ValueEnd = l.ValueEnd
		}
		i--
		joined.Value = text.String()
		out = append(out, joined)
	}
	return out
}

// sequence expands the inside of {x..y} and {x..y..step}. No sequence: nil, true;
// too long: false.
func sequence(s string) (items []string, ok bool) {
	f := strings.Split(s, "..")
	if len(f) != 2 && len(f) != 3 {
		return nil, true
	}
	step := int64(0)
	if len(f) == 3 {
		var err error
		if step, err = strconv.ParseInt(f[2], 10, 64); err != nil {
			return nil, true
		}
	}
	if step < 0 {
		step = -step
	}
	if step <= 0 { // 0 counts as 1; so does the one number without opposite
		step = 1
	}
	var from, to int64
	letters := false
	if isLetter(f[0]) && isLetter(f[1]) {
		from, to, letters = int64(f[0][0]), int64(f[1][0]), true
	} else {
		var err1, err2 error
		from, err1 = strconv.ParseInt(f[0], 10, 64)
		to, err2 = strconv.ParseInt(f[1], 10, 64)
		if err1 != nil || err2 != nil {
			return nil, true
		}
	}
	span := uint64(to) - uint64(from)
	if to < from {
		span = uint64(from) - uint64(to)
	}
	if span/uint64(step) >= uint64(guard.Max(guard.Fields)) {
		return nil, false
	}
	width := 0
	if zeros(f[0]) || zeros(f[1]) {
		width = max(len(f[0]), len(f[1]))
	}
	for i := range span/uint64(step) + 1 {
		n := from + int64(i)*step
		if to < from {
			n = from - int64(i)*step
		}
		switch {
		case letters:
			items = append(items, string(rune(n)))
		default:
			items = append(items, padded(n, width))
		}
	}
	return items, true
}

func isLetter(s string) bool {
	return len(s) == 1 && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

// zeros tells whether a number is written with leading zeros.
func zeros(s string) bool {
	s = strings.TrimLeft(s, "-+")
	return len(s) > 1 && s[0] == '0'
}

func padded(n int64, width int) string {
	s := strconv.FormatInt(n, 10)
	if len(s) >= width {
		return s
	}
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	return sign + strings.Repeat("0", width-len(sign)-len(s)) + s
}
