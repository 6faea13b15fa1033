package word

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// zshFlag is the ${(…)x} flags that are understood. They work in the order of
// zshexpn(1), "Rules", whatever order they are written in.
type zshFlag struct {
	each, indirect, keys, values bool
	split, join                  string
	splits, joins                bool
	words                        bool // z: the words of a command
	reread                       bool // e: expanded once more
	match                        bool // M: what matched instead of the rest
	unique                       bool
	order                        byte // o or O
	letters                      byte // U, L or C
	quote                        string
	changes                      bool // anything but (@)
	others                       bool // something besides (M) and (@)
}

func zshFlags(l *syntax.Lit) (f zshFlag, ok bool) {
	if l == nil {
		return f, true
	}
	s := l.Value
	escapes := false
	for i := 0; i < len(s); i++ {
		f.changes = f.changes || s[i] != '@'
		f.others = f.others || s[i] != '@' && s[i] != 'M'
		switch s[i] {
		case 'U', 'L', 'C':
			f.letters = s[i]
		case '@':
			f.each = true
		case 'f':
			f.splits, f.split = true, "\n"
		case 'F':
			f.joins, f.join = true, "\n"
		case 'P':
			f.indirect = true
		case 'k':
			f.keys = true
		case 'v':
			f.values = true
		case 'o', 'O':
			f.order = s[i]
		case 'u':
			f.unique = true
		case 'z':
			f.words = true
		case 'e':
			f.reread = true
		case 'M':
			f.match = true
		case 'p':
			escapes = true
		case 'q':
			f.quote += "q"
			if i+1 < len(s) && (s[i+1] == '-' || s[i+1] == '+') {
				i++
				f.quote += s[i : i+1]
			}
		case 'Q':
			f.quote = "Q"
		case 's', 'j':
			if i+2 >= len(s) {
				return f, false
			}
			end := strings.IndexByte(s[i+2:], closer(s[i+1]))
			if end < 0 {
				return f, false
			}
			arg := s[i+2 : i+2+end]
			if escapes {
				arg = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(arg)
				if strings.ContainsAny(arg, `\$`) {
					return f, false
				}
			}
			if s[i] == 's' {
				f.splits, f.split = true, arg
			} else {
				f.joins, f.join = true, arg
			}
			i += 2 + end
		default:
			return f, false
		}
	}
	return f, !(f.splits && f.split == "") && !(f.quote != "" && f.indirect)
}

// entries makes the list of an associative array's keys or values. Its order is
// known where it is sorted.
func (e *expander) entries(v *parameter, f zshFlag) bool {
	if v.raw.Map == nil || v.state != Set {
		return false
	}
	v.words, v.keys, v.list = nil, nil, true
	keys := slices.Sorted(maps.Keys(v.raw.Map))
	few := len(keys) <= 3
	if few && f.order == 0 { // any order
		for i := range keys {
			j := i + e.sh.Choose(len(keys)-i)
			keys[i], keys[j] = keys[j], keys[i]
		}
	}
	for _, k := range keys {
		if f.keys {
			v.words = append(v.words, access.Text(k))
			v.keys = append(v.keys, k)
		}
		if !f.keys || f.values {
			v.words = append(v.words, v.raw.Map[k])
			v.keys = append(v.keys, k)
		}
	}
	v.open = !few && f.order == 0
	return true
}

// join makes one word of a list.
func (v *parameter) join(sep string) {
	var w access.Word
	for i, x := range v.words {
		if i > 0 {
			w = w.Concat(access.Text(sep))
		}
		w = w.Concat(x)
	}
	v.words, v.keys, v.list, v.state = []access.Word{w}, nil, false, Set
}

// flagged does what the flags say after the operators.
func (e *expander) flagged(f zshFlag, v parameter) (parameter, bool) {
	each := f.each
	f.indirect, f.keys, f.values, f.each = false, false, false, false
	if f == (zshFlag{changes: f.changes, others: f.others}) {
		return v, true
	}
	if v.open || v.state == Unknown {
		return v, false
	}
	if f.joins && v.list {
		v.join(f.join)
	}
	if f.splits && f.split == "\n" && v.listing() {
		rest := f
		rest.splits, rest.split, rest.unique, rest.order = false, "", false, 0
		return v, rest == (zshFlag{changes: f.changes, others: f.others})
	}
	if f.splits && !v.splitUp(func(s string) ([]string, bool) { return strings.Split(s, f.split), true }) {
		return v, false
	}
	v.parted = f.splits && !each
	ok := true
	switch f.letters {
	case 'U', 'L':
		v.each(func(w access.Word) access.Word { return recase(e.sh, w, nil, f.letters == 'U', true) })
	case 'C':
		v.each(func(w access.Word) access.Word {
			s, known := w.Lit()
			t, sure := capitals(s)
			ok = ok && known && sure
			return access.Text(t)
		})
	}
	if f.quote != "" {
		v.each(func(w access.Word) access.Word {
			s, known := w.Lit()
			t, sure := zshQuote(s, f.quote)
			ok = ok && known && sure
			return access.Text(t)
		})
	}
	if f.words {
		ok = ok && v.splitUp(func(s string) ([]string, bool) { return strings.Fields(s), plainWords(s) })
	}
	if f.unique || f.order != 0 {
		ok = ok && v.sorted(f)
	}
	if f.reread {
		for _, w := range v.words {
			s, known := w.Lit()
			ok = ok && known && !strings.ContainsAny(s, "$`\\")
		}
	}
	return v, ok
}

// solid is a list without its empty words; inner keeps the first and the last
// (measured, zsh 5.9).
func solid(words []access.Word, inner bool) []access.Word {
	out := make([]access.Word, 0, len(words))
	for i, w := range words {
		if !w.Empty() || inner && (i == 0 || i == len(words)-1) {
			out = append(out, w)
		}
	}
	return out
}

// listing makes a list of the names that a program prints, one a line, of which
// only is known where they lie.
func (v *parameter) listing() bool {
	if v.list || v.state != Set {
		return false
	}
	inside := false
	for _, s := range v.scalar().Segs {
		inside = inside || s.Class == access.Inside && s.Glob == ""
		if s.Class != access.Inside && (s.Class != access.Known || strings.Trim(s.Text, "\n") != "") {
			return false
		}
	}
	if inside {
		v.list, v.open, v.words, v.raw = true, true, nil, Value{Each: access.Inside}
	}
	return inside
}

// splitUp makes several words of one.
func (v *parameter) splitUp(f func(string) ([]string, bool)) bool {
	if v.list {
		return false
	}
	s, ok := v.scalar().Lit()
	if !ok {
		return false
	}
	parts, ok := f(s)
	if !ok {
		return false
	}
	v.words, v.keys = nil, nil
	for _, part := range parts {
		v.words = append(v.words, access.Text(part))
		v.keys = append(v.keys, "")
	}
	if len(v.words) != 1 {
		v.list, v.apart = true, true
	}
	return true
}

// plainWords tells whether the words of a command are what stands between blanks.
func plainWords(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte(" \t./_-,:@%+", c) >= 0) {
			return false
		}
	}
	return true
}

// sorted sorts the words, or takes away those that stand there already. How others
// than small letters sort is said by the language that is set.
func (v *parameter) sorted(f zshFlag) bool {
	if !v.list {
		return true
	}
	seen := map[string]bool{}
	var list []string
	for _, w := range v.words {
		s, known := w.Lit()
		if !known || f.order != 0 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
		if !f.unique || !seen[s] {
			list = append(list, s)
		}
		seen[s] = true
	}
	if f.order != 0 {
		slices.Sort(list)
	}
	if f.order == 'O' {
		slices.Reverse(list)
	}
	v.words, v.keys, v.open = nil, make([]string, len(list)), false
	for _, s := range list {
		v.words = append(v.words, access.Text(s))
	}
	return true
}

// capitals is (C): each run of letters and digits begins with a capital.
func capitals(s string) (string, bool) {
	b := []byte(s)
	begins := true
	for i, c := range b {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		switch {
		case c >= 0x80:
			return s, false
		case letter && begins:
			b[i] = c &^ 0x20
		case letter:
			b[i] = c | 0x20
		}
		begins = !letter && (c < '0' || c > '9')
	}
	return string(b), true
}

// zshQuote is the flags q, qq, qqq, qqqq, q-, q+ and Q, and the modifiers :q and :Q.
func zshQuote(s, how string) (string, bool) {
	plain := s != ""
	for i := range len(s) {
		c := s[i]
		plain = plain && (c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("./_-,:@%+", c) >= 0)
	}
	switch how {
	case "qq":
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", true
	case "qqq":
		return `"` + s + `"`, plain || s == ""
	case "qqqq":
		return "$'" + s + "'", plain || s == ""
	case "Q":
		if len(s) > 1 && s[0] == '\'' && strings.IndexByte(s[1:], '\'') == len(s)-2 {
			return s[1 : len(s)-1], true
		}
		if len(s) > 1 && s[0] == '"' && strings.IndexAny(s[1:], "\"\\$`") == len(s)-2 && s[len(s)-1] == '"' {
			return s[1 : len(s)-1], true
		}
		return s, !strings.ContainsAny(s, "'\"\\$`")
	}
	return s, plain // q, q-, q+
}

// zshFilter is ${x:#pat}: no value or element that matches, or with (M) no other.
func (e *expander) zshFilter(pattern *syntax.Word, v *parameter, keep bool) bool {
	pat := compile(e.sh, e.sub(pattern, mode{ctx: patternText}, false), false, true)
	if v.open || v.state == Unknown {
		return false
	}
	var words []access.Word
	for _, w := range v.words {
		m := matcher{text: cells(unfold(w)), spend: e.sh.Spend}
		s := m.from(pat, 0)
		may, must := s.may[m.end()], s.must[m.end()]
		if may != must {
			return false
		}
		switch {
		case may == keep:
			words = append(words, w)
		case !v.list:
			words = append(words, access.Word{})
		}
	}
	v.words, v.keys = words, make([]string, len(words))
	return true
}

// zshMatched is ${(M)x#pat} and its relatives: what matched.
func (e *expander) zshMatched(x *syntax.Expansion, v *parameter) bool {
	if v.open || v.state == Unknown {
		return false
	}
	ok := true
	whole := v.words
	e.trim(x, v)
	for i, w := range v.words {
		all, known := whole[i].Lit()
		rest, sure := w.Lit()
		if ok = ok && known && sure; !ok {
			return false
		}
		if x.Op == syntax.RemSmallPrefix || x.Op == syntax.RemLargePrefix {
			v.words[i] = access.Text(strings.TrimSuffix(all, rest))
		} else {
			v.words[i] = access.Text(strings.TrimPrefix(all, rest))
		}
	}
	return ok
}

// zshSet is ${a:|b} and ${a:*b}: the elements that b doesn't have, or has.
func (e *expander) zshSet(x *syntax.Expansion, v *parameter) bool {
	name := x.Word.Lit()
	if v.open || v.state == Unknown || !syntax.ValidName(name) {
		return false
	}
	other := e.zshLookup(name)
	if other.open || other.state == Unknown {
		return false
	}
	has := map[string]bool{}
	for _, w := range other.words {
		s, ok := w.Lit()
		if !ok {
			return false
		}
		has[s] = other.state == Set
	}
	var words []access.Word
	for _, w := range v.words {
		s, ok := w.Lit()
		if !ok {
			return false
		}
		if has[s] == (x.Op == syntax.ArrayIntersect) {
			words = append(words, w)
		} else if !v.list {
			words = append(words, access.Word{})
		}
	}
	v.words, v.keys = words, make([]string, len(words))
	return true
}
