package word

import (
	"strings"
	"unicode/utf8"
)

// ansi decodes the inside of $'…' (bash manual, ANSI-C Quoting; zsh adds \M- and
// \C-). A NUL ends the string, as it does in bash.
func ansi(s string, zsh bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out []byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '\\' || i+1 == len(s) {
			out = append(out, c)
			continue
		}
		i++
		switch c = s[i]; c {
		case 'a':
			out = append(out, 7)
		case 'b':
			out = append(out, 8)
		case 'e', 'E':
			out = append(out, 27)
		case 'f':
			out = append(out, 12)
		case 'n':
			out = append(out, 10)
		case 'r':
			out = append(out, 13)
		case 't':
			out = append(out, 9)
		case 'v':
			out = append(out, 11)
		case '\\', '\'', '"', '?':
			out = append(out, c)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, used := number(s[i:], 8, 3)
			i += used - 1
			if n &= 0xff; n == 0 && !zsh {
				return string(out)
			}
			out = append(out, byte(n))
		case 'x':
			digits, brace := s[i+1:], false
			limit := 2
			if !zsh && strings.HasPrefix(digits, "{") {
				digits, brace, limit = digits[1:], true, 8
			}
			n, used := number(digits, 16, limit)
			switch {
			case used == 0 && zsh:
				out = append(out, 0)
				continue
			case used == 0 && brace: // \x{ without digits is a NUL (bash 5.2)
				return string(out)
			case used == 0:
				out = append(out, '\\', 'x')
				continue
			case brace:
				i++
				if strings.HasPrefix(digits[used:], "}") {
					used++
				}
			}
			i += used
			if n &= 0xff; n == 0 && !zsh {
				return string(out)
			}
			out = append(out, byte(n))
		case 'u', 'U':
			limit := 4
			if c == 'U' {
				limit = 8
			}
			n, used := number(s[i+1:], 16, limit)
			if used == 0 {
				out = append(out, '\\', c)
				continue
			}
			i += used
			if n == 0 && !zsh {
				return string(out)
			}
			if n > utf8.MaxRune {
				n = utf8.RuneError
			}
			if 0xd800 <= n && n <= 0xdfff { // a surrogate, which the shells encode like any other
				out = append(out, 0xe0|byte(n>>12), 0x80|byte(n>>6)&0xbf, 0x80|byte(n)&0xbf)
				continue
			}
			out = utf8.AppendRune(out, rune(n))
		case 'c':
			if zsh {
				out = append(out, 'c')
				continue
			}
			if i+1 == len(s) {
				out = append(out, '\\', 'c')
				continue
			}
			i++
			if s[i] == '\\' && i+1 < len(s) && s[i+1] == '\\' {
				i++
			}
			if control(s[i]) == 0 {
				return string(out)
			}
			out = append(out, control(s[i]))
		case 'C':
			if !zsh || i+2 >= len(s) || s[i+1] != '-' {
				out = append(out, '\\', 'C')
				continue
			}
			i += 2
			out = append(out, control(s[i]))
		case 'M':
			if !zsh || i+1 >= len(s) {
				out = append(out, '\\', 'M')
				continue
			}
			i++
			if s[i] == '-' && i+1 < len(s) {
				i++
			}
			out = append(out, s[i]|0x80)
		default:
			if zsh {
				out = append(out, c)
				continue
			}
			out = append(out, '\\', c)
		}
	}
	return string(out)
}

func control(c byte) byte {
	if c == '?' {
		return 0x7f
	}
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c & 0x1f
}

// number reads up to limit digits.
func number(s string, base, limit int) (n, used int) {
	for used < len(s) && used < limit {
		d := digit(s[used])
		if d >= base {
			break
		}
		n = n*base + d
		used++
	}
	return n, used
}

func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}
