package approval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisible are characters that draw nothing, or draw like another, and that no
// class of Unicode gathers: Hangul fillers and the blank Braille pattern.
const invisible = "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5"

// Escape makes text safe to show on a terminal and honest to read: control
// characters, bidi marks, zero-width and odd blank characters are written out,
// and so is every byte that isn't UTF-8. Text without them is returned as it is.
func Escape(s string) string {
	safe := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= 0x7f {
			safe = false
			break
		}
	}
	if safe {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "\\x%02x", s[0])
		case r == '\n':
			b.WriteString("\\n")
		case r == '\t':
			b.WriteString("\\t")
		case r == '\r':
			b.WriteString("\\r")
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, "\\x%02x", r)
		case r != ' ' && unicode.In(r, unicode.C, unicode.Z, unicode.Variation_Selector), strings.ContainsRune(invisible, r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// shown is how much of a line a message repeats, in characters.
const shown = 160

// short escapes a line and cuts its middle out where it is long: both ends of a
// line may matter.
func short(line string) string {
	r := []rune(Escape(line))
	if len(r) <= shown {
		return string(r)
	}
	return string(r[:shown/2]) + " … " + string(r[len(r)-shown/2:])
}
