package word

import (
	"strconv"
	"strings"

	"extdir/daemon/access"
)

// tildes appends unquoted literal text that holds a tilde. One counts at the
// beginning of a word; in the value of an assignment also after a ':'; and a word
// of a command that is shaped like an assignment is treated like one (dd of=~/x:
// bash, unless posix; zsh only with magicequalsubst).
func (e *expander) tildes(s string, from, to int, first, last bool) {
	exact := to-from == len(s)
	span := func(i, j int) (int, int) { // of s[i:j]
		if exact {
			return from + i, from + j
		}
		return from, to
	}
	colons := e.ctx == assignment
	i := 0 // done up to here
	put := func(j int) {
		if j > i {
			a, b := span(i, j)
			e.unescape(s[i:j], a, b, false)
		}
		i = j
	}
	try := func(j int) {
		if j >= len(s) || s[j] != '~' {
			return
		}
		k := j + 1
		for k < len(s) && s[k] != '/' && !(s[k] == ':' && (colons || e.assignWord)) {
			k++
		}
		if !e.sh.Zsh() && e.ctx != assignment {
			// Measured in bash 5.2: ~:x and ~=~/x are tildes in any word, and what
			// stands before the next slash isn't expanded then (~:$x keeps its $x).
			whole := k
			if n := strings.IndexByte(s[j:k], ':'); n >= 0 {
				k = j + n
			}
			if n := strings.Index(s[j:k], "=~"); n >= 0 {
				k = j + n
			}
			if k < whole && whole == len(s) && !last {
				put(j)
				e.unknownSpan(span(j, whole))
				i = whole
				return
			}
		}
		if k == len(s) && !last {
			// The name goes on in something that isn't literal. bash takes it as it
			// stands, zsh looks at what has come of it.
			if e.sh.Zsh() {
				put(j)
				e.unknownSpan(span(j, k))
				i = k
			}
			return
		}
		w, ok := e.tilde(s[j+1 : k])
		if !ok {
			return
		}
		put(j)
		for _, g := range w.Segs {
			g.Quoted = true
			g.Start, g.End = span(j, k)
			e.out = append(e.out, piece{seg: g})
		}
		i = k
	}
	if first {
		try(0)
		if e.assignWord {
			try(assignShape(s))
		}
	}
	if colons || e.assignWord {
		for j := i; j < len(s); j++ {
			switch s[j] {
			case '\\':
				j++
			case ':':
				try(j + 1)
			case '=':
				if e.assignWord && j == i && j > 0 { // directly behind a tilde
					try(j + 1)
				}
			}
		}
	}
	put(len(s))
}

func (e *expander) unknownSpan(from, to int) {
	e.out = append(e.out, piece{seg: access.Segment{Class: access.Any, Start: from, End: to}})
}

// assignShape returns the length of "name=", "name+=" or "name[…]=" at the start of s.
func assignShape(s string) int {
	i := 0
	for i < len(s) && (s[i] == '_' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || i > 0 && s[i] >= '0' && s[i] <= '9') {
		i++
	}
	if i == 0 || i == len(s) {
		return 0
	}
	if s[i] == '[' {
		n := strings.IndexByte(s[i:], ']')
		if n < 0 {
			return 0
		}
		i += n + 1
	}
	if i < len(s) && s[i] == '+' {
		i++
	}
	if i < len(s) && s[i] == '=' {
		return i + 1
	}
	return 0
}

// tilde expands the name after a tilde. ok is false where it stays as written.
func (e *expander) tilde(name string) (w access.Word, ok bool) {
	variable := func(name string) (access.Word, bool) {
		switch v := e.get(name); v.State {
		case Set:
			return v.Scalar, true
		case Unknown:
			return unknownFrom("$" + name), true
		}
		return access.Word{}, false
	}
	switch name {
	case "":
		if v := e.get("HOME"); v.State == Set {
			return v.Scalar, true
		}
		home, ok := e.sh.Home("")
		if !ok {
			return unknownFrom("~" + name), true
		}
		return access.Text(home), true
	case "+":
		return variable("PWD")
	case "-":
		return variable("OLDPWD")
	}
	if strings.HasPrefix(name, "[") && e.sh.Zsh() {
		return unknownFrom("~" + name), true // zsh_directory_name tells
	}
	if strings.ContainsAny(name, "\\") {
		return access.Word{}, false
	}
	digits := strings.TrimLeft(name, "+-")
	if len(name)-len(digits) <= 1 && digits != "" && strings.Trim(digits, "0123456789") == "" {
		dirs := e.sh.Dirs()
		n, err := strconv.Atoi(digits)
		if minus := e.sh.Zsh() && e.sh.Option("pushdminus"); (name[0] == '-') != minus || minus && name[0] != '+' && name[0] != '-' {
			n = len(dirs) - 1 - n
		}
		if err != nil || n < 0 || n >= len(dirs) {
			return access.Word{}, false
		}
		return dirs[n], true
	}
	if f, ok := e.sh.(Finder); ok && e.sh.Zsh() {
		if dir, ok := f.Named(name); ok {
			return dir, true
		}
		// A variable that holds an absolute path names a directory, too.
		if v := e.get(name); v.State == Set && v.Scalar.HasPrefix("/") {
			return v.Scalar, true
		}
	}
	if home, ok := e.sh.Home(name); ok {
		return access.Text(home), true
	}
	for i := range len(name) {
		if c := name[i]; !(c >= 0x80 || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("._-", c) >= 0) {
			return access.Word{}, false // no user has such a name
		}
	}
	// A user who isn't known here, or in zsh a named directory (hash -d).
	return unknownFrom("~" + name), true
}
