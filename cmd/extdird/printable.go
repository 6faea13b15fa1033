package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// printable escapes what a terminal would act on or hide: control characters,
// bidirectional marks, zero-width characters and bytes that are no UTF-8. A name
// on the screen must be the name that is meant.
func printable(s string) string {
	plain := true
	for _, r := range s {
		if !shown(r) {
			plain = false
			break
		}
	}
	if plain && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case shown(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		i += n
	}
	return b.String()
}

// shown tells whether a rune shows itself. Only the blank counts as white space:
// the others look like it or like nothing.
func shown(r rune) bool {
	return r == ' ' || r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r) &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && runewidth.RuneWidth(r) > 0 ||
		unicode.Is(unicode.Mn, r)
}

// cells is how many columns piece takes on a terminal.
func cells(piece string) int { return runewidth.StringWidth(piece) }
