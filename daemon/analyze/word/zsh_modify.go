package word

import (
	"path"
	"strings"

	"extdir/daemon/access"
)

// modify applies one modifier, as in ${x:h}. It is false if that isn't known here.
func (e *expander) modify(v *parameter, m string) bool {
	if v.open || v.state == Unknown {
		return false
	}
	if v.state == Unset && !v.list {
		v.state, v.words = Set, []access.Word{{}}
	}
	var f func(string) string
	switch m {
	case "h":
		f = func(s string) string {
			root := s != ""
			s = strings.TrimRight(s, "/")
			i := strings.LastIndexByte(s, '/')
			switch {
			case s == "" && root:
				return "/"
			case i < 0:
				return "."
			}
			if head := strings.TrimRight(s[:i], "/"); head != "" {
				return head
			}
			return "/"
		}
	case "t":
		f = func(s string) string {
			s = strings.TrimRight(s, "/")
			return s[strings.LastIndexByte(s, '/')+1:]
		}
	case "r", "e":
		f = func(s string) string {
			i := strings.LastIndexByte(s, '.')
			if i <= strings.LastIndexByte(s, '/') {
				i = len(s)
			}
			if m == "r" {
				return s[:i]
			}
			return s[min(i+1, len(s)):]
		}
	case "u", "l":
		v.each(func(w access.Word) access.Word { return recase(e.sh, w, nil, m == "u", true) })
		return true
	case "q", "Q":
		ok := true
		v.each(func(w access.Word) access.Word {
			s, known := w.Lit()
			t, sure := zshQuote(s, m)
			ok = ok && known && sure
			return access.Text(t)
		})
		return ok
	case "a":
		dir, known := e.get("PWD").Scalar.Lit()
		if !known || !strings.HasPrefix(dir, "/") {
			return false
		}
		f = func(s string) string {
			if !strings.HasPrefix(s, "/") {
				s = dir + "/" + s
			}
			return path.Clean(s)
		}
	default:
		if f = substitution(m); f == nil {
			return false
		}
	}
	ok := true
	v.each(func(w access.Word) access.Word {
		s, known := w.Lit()
		ok = ok && known
		return access.Text(f(s))
	})
	return ok
}

// substitution is the modifier s/l/r/, or gs/l/r/ for all places, of plain texts.
func substitution(m string) func(string) string {
	m, all := strings.CutPrefix(m, "g")
	m, ok := strings.CutPrefix(m, "s")
	if !ok || m == "" || strings.ContainsAny(m, "\\&$`'\"") {
		return nil
	}
	parts := strings.Split(m[1:], m[:1])
	if len(parts) < 2 || len(parts) > 3 || parts[0] == "" || len(parts) == 3 && parts[2] != "" {
		return nil
	}
	n := 1
	if all {
		n = -1
	}
	return func(s string) string { return strings.Replace(s, parts[0], parts[1], n) }
}
