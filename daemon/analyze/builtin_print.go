package analyze

import (
	"strconv"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// doEcho is echo. In zsh backslashes are decoded.
func doEcho(x *run, c *invocation) []*state {
	if !c.st.keep {
		return c.done(yes)
	}
	args := c.argv[1:]
	newline, decode := true, c.st.zsh || x.option(c.st, "xpg_echo")
	for len(args) > 0 {
		o, ok := args[0].Lit()
		if !ok || len(o) < 2 || o[0] != '-' || strings.Trim(o[1:], "neE") != "" {
			break
		}
		for _, f := range o[1:] {
			switch f {
			case 'n':
				newline = false
			case 'e':
				decode = true
			case 'E':
				decode = false
			}
		}
		args = args[1:]
	}
	args, _ = x.spread(c.st, args)
	out := joined(args)
	if decode {
		out = decoded(out)
	}
	if newline {
		out = out.Concat(access.Text("\n"))
	}
	c.st.print(out)
	return c.done(yes)
}

// decoded takes backslash escapes of echo -e and printf %b apart.
func decoded(w access.Word) access.Word {
	for _, s := range w.Segs {
		if s.Class == access.Known && strings.Contains(s.Text, `\`) {
			out := w
			out.Segs = append([]access.Segment(nil), w.Segs...)
			for i := range out.Segs {
				if out.Segs[i].Class == access.Known {
					out.Segs[i].Text = unescape(out.Segs[i].Text)
				}
			}
			return out
		}
	}
	return w
}

// unescape decodes the escapes of printf formats and echo -e.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		number := func(base, most int) (int, bool) {
			j := i + 1
			if base == 8 {
				j = i
			}
			from := j
			for j < len(s) && j-from < most && isDigit(s[j], base) {
				j++
			}
			n, err := strconv.ParseInt(s[from:j], base, 32)
			if err != nil {
				return 0, false
			}
			i = j - 1
			return int(n), true
		}
		switch s[i] {
		case 'a':
			b.WriteByte(7)
		case 'b':
			b.WriteByte(8)
		case 'e', 'E':
			b.WriteByte(27)
		case 'f':
			b.WriteByte(12)
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'v':
			b.WriteByte(11)
		case '\\', '"', '\'':
			b.WriteByte(s[i])
		case 'c':
			return b.String()
		case 'x':
			if n, ok := number(16, 2); ok {
				b.WriteByte(byte(n))
			} else {
				b.WriteString(`\x`)
			}
		case 'u', 'U':
			most := 4
			if s[i] == 'U' {
				most = 8
			}
			letter := s[i]
			if n, ok := number(16, most); ok {
				b.WriteRune(rune(n))
			} else {
				b.WriteByte('\\')
				b.WriteByte(letter)
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			most := 3
			if s[i] == '0' {
				most = 4
			}
			n, _ := number(8, most)
			b.WriteByte(byte(n))
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func isDigit(c byte, base int) bool {
	switch {
	case c >= '0' && c <= '7':
		return true
	case base == 8:
		return false
	case c >= '8' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		return true
	}
	return false
}

// doPrintf is printf; -v assigns instead of printing.
func doPrintf(x *run, c *invocation) []*state {
	args := c.argv[1:]
	var name access.Word
	toVar := false
	for len(args) > 0 {
		o, _ := args[0].Lit()
		if o == "--" {
			args = args[1:]
			break
		}
		if o == "-v" && len(args) > 1 {
			name, toVar = args[1], true
			args = args[2:]
			continue
		}
		if strings.HasPrefix(o, "-v") && len(o) > 2 {
			name, toVar = args[0].From(2), true
			args = args[1:]
			continue
		}
		break
	}
	if len(args) == 0 {
		return c.done(no)
	}
	var out access.Word
	if c.st.keep || toVar {
		rest, _ := x.spread(c.st, args[1:])
		out = format(args[0], rest)
	}
	if toVar {
		x.into(c, name, out)
	} else {
		c.st.print(out)
	}
	return c.done(either2(neverFails(args[0])))
}

// neverFails tells whether a format holds no conversion that a word may not fit.
func neverFails(f access.Word) bool {
	lit, ok := f.Lit()
	if !ok {
		return false
	}
	for {
		_, rest, found := strings.Cut(lit, "%")
		if !found {
			return true
		}
		if rest == "" || strings.IndexByte("s%", rest[0]) < 0 {
			return false
		}
		lit = rest[1:]
	}
}

// format carries out a printf format. Conversions whose result isn't simple text
// are unknown, in one component where they are numbers.
func format(f access.Word, args []access.Word) access.Word {
	lit, ok := f.Lit()
	if !ok {
		return anything
	}
	var out access.Word
	for round := 0; ; round++ {
		used := false
		text := func(s string) {
			if s != "" {
				w := access.Text(s)
				out = out.Concat(w)
			}
		}
		next := func() (access.Word, bool) {
			used = true
			if len(args) == 0 {
				return access.Word{}, false
			}
			w := args[0]
			args = args[1:]
			return w, true
		}
		rest := lit
		for {
			i := strings.IndexByte(rest, '%')
			if i < 0 {
				text(unescape(rest))
				break
			}
			text(unescape(rest[:i]))
			rest = rest[i+1:]
			j := 0
			for j < len(rest) && strings.IndexByte("-+ #0'123456789.*", rest[j]) >= 0 {
				j++
			}
			if j == len(rest) {
				break
			}
			flags, verb := rest[:j], rest[j]
			rest = rest[j+1:]
			switch verb {
			case '%':
				text("%")
			case 's', 'b', 'q':
				w, _ := next()
				if verb == 'b' {
					w = decoded(w)
				}
				if l, ok := w.Lit(); ok && flags != "" || verb == 'q' {
					w = padded(l, ok, flags, verb)
				}
				out = out.Concat(w)
			case 'c':
				w, _ := next()
				if l, ok := w.Lit(); ok && l != "" {
					text(l[:1])
				} else if !ok {
					out = out.Concat(access.Unknowable(access.Any, f.Start, f.End))
				}
			case 'd', 'i', 'u', 'o', 'x', 'X', 'e', 'f', 'g', 'E', 'G', 'F', 'a', 'A':
				w, _ := next()
				l, ok := w.Lit()
				if n, err := strconv.Atoi(l); ok && (err == nil || l == "") && flags == "" && strings.IndexByte("diu", verb) >= 0 {
					text(strconv.Itoa(n))
				} else {
					out = out.Concat(access.Unknowable(access.Name, f.Start, f.End))
				}
			default: // %(fmt)T
				if verb == '(' {
					_, rest, _ = strings.Cut(rest, ")")
					if rest != "" {
						rest = rest[1:]
					}
				}
				next()
				out = out.Concat(access.Unknowable(access.Any, f.Start, f.End))
			}
		}
		if !used || len(args) == 0 || round > guard.Max(guard.Items) {
			if len(args) > 0 && used {
				return anything
			}
			return out
		}
	}
}

// backslashed is %q of bash 5.2: ” for nothing, $'…' where something can't be
// printed, else a backslash before what the shell would take for its own.
func backslashed(s string) string {
	if s == "" {
		return "''"
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			q, _ := syntax.Quote(s, syntax.LangBash)
			return q
		}
	}
	var b strings.Builder
	for i, r := range s {
		if strings.ContainsRune(" \t'\"!$&()*,;<>?[\\]^`{|}", r) || i == 0 && (r == '#' || r == '~') ||
			r == '~' && (s[i-1] == '=' || s[i-1] == ':') {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// padded handles %-10s, %.3s and %q.
func padded(l string, known bool, flags string, verb byte) access.Word {
	if !known || strings.Contains(flags, "*") {
		return anything
	}
	if verb == 'q' {
		if flags != "" {
			return anything
		}
		return access.Text(backslashed(l))
	}
	left := strings.Contains(flags, "-")
	width, prec, hasPrec := strings.Cut(strings.TrimLeft(flags, "-+ #0'"), ".")
	if hasPrec {
		n, _ := strconv.Atoi(prec)
		l = l[:min(len(l), max(n, 0))]
	}
	if n, err := strconv.Atoi(width); err == nil && n > len(l) && n < 4096 {
		pad := strings.Repeat(" ", n-len(l))
		if left {
			l += pad
		} else {
			l = pad + l
		}
	}
	return access.Text(l)
}
