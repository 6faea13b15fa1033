package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A component is what stands between two slashes of a pattern. The syntax is that
// of fnmatch(3) with FNM_PATHNAME: * any text, ? one character, […] one of a set
// ([!…] and [^…] none of it, ranges, [:class:]), \ takes the next character as it
// is. A leading dot is not special.

type atomKind uint8

const (
	atomText atomKind = iota
	atomOne           // ?
	atomAny           // *
	atomSet           // […]
)

type atom struct {
	kind atomKind
	r    rune // atomText; an invalid byte b is invalidBase+b
	set  *set
}

type set struct {
	negated bool
	ranges  []rune // pairs, inclusive
	classes []func(rune) bool
}

// invalidBase keeps bytes that are no UTF-8 apart from characters: file names are
// bytes, and U+FFFD is a character of its own.
const invalidBase = unicode.MaxRune + 1

func decode(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return invalidBase + rune(s[0]), 1
	}
	return r, n
}

var classes = map[string]func(rune) bool{
	"alpha":  unicode.IsLetter,
	"digit":  func(r rune) bool { return r >= '0' && r <= '9' },
	"alnum":  func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) },
	"upper":  unicode.IsUpper,
	"lower":  unicode.IsLower,
	"space":  unicode.IsSpace,
	"blank":  func(r rune) bool { return r == ' ' || r == '\t' },
	"punct":  func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) },
	"print":  unicode.IsPrint,
	"graph":  unicode.IsGraphic,
	"cntrl":  unicode.IsControl,
	"xdigit": func(r rune) bool { return strings.ContainsRune("0123456789abcdefABCDEF", r) },
}

// parseComponent reads a component. err is a clause: "has a [ without ]".
func parseComponent(s string) (atoms []atom, err string) {
	for len(s) > 0 {
		switch s[0] {
		case '*':
			if len(atoms) == 0 || atoms[len(atoms)-1].kind != atomAny {
				atoms = append(atoms, atom{kind: atomAny})
			}
			s = s[1:]
		case '?':
			atoms = append(atoms, atom{kind: atomOne})
			s = s[1:]
		case '[':
			st, n, err := parseSet(s)
			if err != "" {
				return nil, err
			}
			atoms = append(atoms, atom{kind: atomSet, set: st})
			s = s[n:]
		case '\\':
			if len(s) == 1 {
				return nil, `ends in a "\" that escapes nothing`
			}
			s = s[1:]
			fallthrough
		default:
			r, n := decode(s)
			atoms = append(atoms, atom{kind: atomText, r: r})
			s = s[n:]
		}
	}
	return atoms, ""
}

func parseSet(s string) (*set, int, string) {
	const open = `has a "[" without its "]": write "\[" for the character itself`
	st := &set{}
	i := 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		st.negated = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(s) {
			return nil, 0, open
		}
		if s[i] == ']' && !first {
			return st, i + 1, ""
		}
		if strings.HasPrefix(s[i:], "[:") {
			if j := strings.Index(s[i:], ":]"); j > 0 {
				name := s[i+2 : i+j]
				f, ok := classes[name]
				if !ok {
					return nil, 0, `has an unknown character class "[:` + name + `:]"`
				}
				st.classes = append(st.classes, f)
				i += j + 2
				continue
			}
		}
		lo, n, ok := setRune(s[i:])
		if !ok {
			return nil, 0, open
		}
		i += n
		hi := lo
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			var m int
			if hi, m, ok = setRune(s[i+1:]); !ok {
				return nil, 0, open
			}
			i += 1 + m
			if hi < lo {
				return nil, 0, "has a range in [ ] that runs backwards"
			}
		}
		st.ranges = append(st.ranges, lo, hi)
	}
}

func setRune(s string) (rune, int, bool) {
	esc := 0
	if s[0] == '\\' {
		if len(s) == 1 {
			return 0, 0, false
		}
		s, esc = s[1:], 1
	}
	r, n := decode(s)
	return r, n + esc, true
}

func (s *set) has(r rune) bool {
	in := false
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] <= r && r <= s.ranges[i+1] {
			in = true
		}
	}
	for _, f := range s.classes {
		if r < invalidBase && f(r) {
			in = true
		}
	}
	return in != s.negated
}

func (a atom) matches(r rune) bool {
	switch a.kind {
	case atomText:
		return a.r == r
	case atomSet:
		return a.set.has(r)
	}
	return true
}

// literal returns the text of a component without pattern characters.
func literal(atoms []atom) (string, bool) {
	var b strings.Builder
	for _, a := range atoms {
		if a.kind != atomText {
			return "", false
		}
		writeRune(&b, a.r)
	}
	return b.String(), true
}

func writeRune(b *strings.Builder, r rune) {
	if r >= invalidBase {
		b.WriteByte(byte(r - invalidBase))
	} else {
		b.WriteRune(r)
	}
}

// matchAtoms tells whether the component matches the name. Going back to the last
// star alone is enough, so the time is at most the product of the lengths.
func matchAtoms(atoms []atom, name string) bool {
	i, star, mark := 0, -1, ""
	for len(name) > 0 {
		if i < len(atoms) && atoms[i].kind == atomAny {
			star, mark = i, name
			i++
			continue
		}
		r, n := decode(name)
		if i < len(atoms) && atoms[i].matches(r) {
			i++
			name = name[n:]
			continue
		}
		if star < 0 {
			return false
		}
		_, n = decode(mark)
		mark = mark[n:]
		name, i = mark, star+1
	}
	for i < len(atoms) && atoms[i].kind == atomAny {
		i++
	}
	return i == len(atoms)
}

// meet tells whether some name may match both components. Two sets are taken to
// meet without looking into them: the answer is only ever used to ask.
func meet(a, b []atom) bool {
	// Most patterns differ in the first or the last character already.
	if n, m := len(a), len(b); n > 0 && m > 0 {
		if clash(a[0], b[0]) || clash(a[n-1], b[m-1]) {
			return false
		}
	}
	// row[j]: a[:i] and b[:j] can be brought to agree.
	row := make([]bool, len(b)+1)
	row[0] = true
	for j := 0; j < len(b) && b[j].kind == atomAny; j++ {
		row[j+1] = true
	}
	for i := range a {
		next := make([]bool, len(b)+1)
		if a[i].kind == atomAny {
			next[0] = row[0]
		}
		for j := range b {
			switch {
			case a[i].kind == atomAny || b[j].kind == atomAny:
				next[j+1] = row[j+1] || next[j]
			case a[i].kind == atomText:
				next[j+1] = row[j] && b[j].matches(a[i].r)
			case b[j].kind == atomText:
				next[j+1] = row[j] && a[i].matches(b[j].r)
			default:
				next[j+1] = row[j]
			}
		}
		row = next
	}
	return row[len(b)]
}

func clash(a, b atom) bool { return a.kind == atomText && b.kind == atomText && a.r != b.r }
