package lang

import (
	"strings"

	"extdir/daemon/access"
)

// What calls of a language make of constants: joined, split, formatted text.

// tilde is a value after its leading ~ has been expanded.
func tilde(v value) value {
	out := value{computed: v.computed, judged: v.judged, names: v.names, keys: v.keys}
	out.list = v.list
	for _, w := range v.forms {
		if w.HasPrefix("~") {
			rest := w.From(1)
			if rest.Empty() || rest.HasPrefix("/") {
				w = home(w.Start, w.End).Concat(rest)
			} else {
				w = bare(w)
			}
		}
		out = out.add(w)
	}
	return out
}

// character is the character with a number.
func character(v value) value {
	s, ok := v.lit()
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' || n > 0x10ffff {
			ok = false
			break
		}
		n = n*10 + int(c-'0')
	}
	if !ok || s == "" {
		return computed
	}
	return constant(access.Text(string(rune(n))))
}

// splitText is a constant text cut at a separator, at blanks if that is empty, or
// as a shell does if it is computed and there is nothing to unquote.
func splitText(v, sep value) value {
	s, ok := v.lit()
	cut, known := sep.lit()
	if !ok || !known && strings.ContainsAny(s, `"'\`) {
		return computed
	}
	parts := strings.Fields(s)
	if cut != "" {
		parts = strings.Split(s, cut)
	}
	if len(parts) > 256 {
		return computed
	}
	out := value{list: []value{}}
	for _, f := range parts {
		out.list = append(out.list, constant(access.Text(f)))
	}
	return out
}

// joinText is the elements of a list with sep between them.
func joinText(sep, list value) value {
	if list.list == nil || list.computed || len(sep.forms) != 1 {
		return computed
	}
	var out value
	for i, e := range list.list {
		if i == 0 {
			out = e
			continue
		}
		out = out.concat(sep).concat(e)
	}
	if out.zero() {
		return constant(access.Word{})
	}
	return out
}

// braces puts args in the place of {} in a format.
func braces(f access.Word, args []arg) value {
	out := constant(access.Word{})
	next := 0
	for _, seg := range f.Segs {
		if seg.Class != access.Known {
			out = out.concat(constant(access.Word{Segs: []access.Segment{seg}}))
			continue
		}
		text := seg.Text
		for text != "" {
			a := strings.IndexByte(text, '{')
			if a < 0 {
				out = out.concat(constant(piece(text, seg)))
				break
			}
			if a > 0 {
				out = out.concat(constant(piece(text[:a], seg)))
			}
			b := strings.IndexByte(text[a:], '}')
			if b < 0 {
				return computed
			}
			key := strings.Trim(text[a+1:a+b], " ")
			text = text[a+b+1:]
			v := computed
			for i, arg := range args {
				if key == "" && i == next && arg.key == "" || key != "" && arg.key == key || len(key) == 1 && key[0] == byte('0'+i) {
					v = arg.t.v
				}
			}
			if key == "" {
				next++
			}
			out = out.concat(v)
		}
	}
	return out
}
