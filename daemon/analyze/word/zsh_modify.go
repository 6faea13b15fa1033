package word

import (
	"path"
	"strconv"
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
	case "A", "P":
		dir, known := e.get("PWD").Scalar.Lit()
		r, can := e.sh.(Finder)
		if !known || !can || !strings.HasPrefix(dir, "/") {
			return false
		}
		ok := true
		v.each(func(w access.Word) access.Word {
			s, known := w.Lit()
			if s == "" {
				return w
			}
			if !strings.HasPrefix(s, "/") {
				s = dir + "/" + s
			}
			if m == "A" { // the ".." are gone before links are followed
				s = path.Clean(s)
			}
			real, sure := r.Real(s)
			ok = ok && known && sure
			return access.Text(real)
		})
		return ok
	default:
		if n, err := strconv.Atoi(m[min(1, len(m)):]); err == nil && n > 0 && n < 1<<10 && (m[0] == 'h' || m[0] == 't') {
			if m[0] == 'h' {
				f = func(s string) string { return firstParts(s, n) }
			} else {
				f = func(s string) string { return lastParts(s, n) }
			}
		} else if f = substitution(m); f == nil {
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

// firstParts is the modifier h with a number: the first n components; the slash in
// front of all of them is one.
func firstParts(s string, n int) string {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		if i == 0 && s[0] == '/' {
			i = 1
			continue
		}
		for i < len(s) && s[i] == '/' {
			i++
		}
		for i < len(s) && s[i] != '/' {
			i++
		}
	}
	if i > 1 || n > 0 {
		return strings.TrimRight(s[:i], "/")
	}
	return s[:i]
}

// lastParts is the modifier t with a number: the last n components.
func lastParts(s string, n int) string {
	s = strings.TrimRight(s, "/")
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		j := strings.LastIndexByte(s[:i], '/')
		if j < 0 {
			return s
		}
		if n == 1 {
			return strings.TrimLeft(s[j:], "/")
		}
		i = j
		for i > 0 && s[i-1] == '/' {
			i--
		}
	}
	return s
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
