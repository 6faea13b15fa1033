package guard

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// The parser refuses invalid UTF-8, drops NUL, and takes "\r\n" for a newline and
// '\r' for a blank. Bash takes any byte but NUL as part of a word. So bytes of
// that kind are handed to the parser as runes of a private range and put back in
// the tree afterwards. A text that holds runes of the range itself has their
// bytes mapped too, so the way back is exact.
const (
	private     = rune(0x10FF00)
	privateHead = "\xf4\x8f" // how U+10F000 to U+10FFFF begin in UTF-8
	privateLen  = 4
)

// Bytes is a text with its unparsable bytes mapped.
type Bytes struct {
	Text string // what the parser may read
	at   []int  // offsets of the mapped bytes in the original text
}

// MapBytes maps text. ok is false if it holds a NUL, which no shell takes.
func MapBytes(text string) (b Bytes, ok bool) {
	plain := true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == 0:
			return Bytes{}, false
		case c == '\r' || c >= utf8.RuneSelf:
			plain = false
		}
	}
	if plain {
		return Bytes{Text: text}, true
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == '\r' || r == utf8.RuneError && n == 1 || r >= private && r <= private+0xff {
			for range n {
				b.at = append(b.at, i)
				out.WriteRune(private + rune(text[i]))
				i++
			}
			continue
		}
		out.WriteString(text[i : i+n])
		i += n
	}
	b.Text = out.String()
	return b, true
}

// Mapped tells whether any byte was mapped.
func (b Bytes) Mapped() bool { return len(b.at) > 0 }

// Offset is the offset in the original text of an offset in b.Text.
func (b Bytes) Offset(n int) int {
	// The k-th mapped byte begins at at[k]+3k.
	k := sort.Search(len(b.at), func(k int) bool { return b.at[k]+(privateLen-1)*k >= n })
	return n - (privateLen-1)*k
}

// Restore puts the original bytes back into a string of the tree.
func Restore(s string) string {
	if !strings.Contains(s, privateHead) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r >= private && r <= private+0xff {
			out.WriteByte(byte(r - private))
		} else {
			out.WriteString(s[i : i+n])
		}
		i += n
	}
	return out.String()
}
