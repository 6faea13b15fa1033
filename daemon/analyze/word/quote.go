package word

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote is ${x@Q}: single quotes, or $'…' where a character can't be printed.
func quote(s string) string {
	if s == "" {
		return "''"
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
			return ansiQuote(s)
		}
		i += n
	}
	if s == "'" {
		return `\'`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func ansiQuote(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\%03o`, s[i])
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strings.ContainsRune("\a\b\x1b\f\n\r\t\v", r):
			b.WriteByte('\\')
			b.WriteByte("abEfnrtv"[strings.IndexRune("\a\b\x1b\f\n\r\t\v", r)])
		case !unicode.IsPrint(r):
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

// doubleQuote is how declare -p writes a value.
func doubleQuote(s string) string {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return ansiQuote(s)
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(s) + `"`
}
