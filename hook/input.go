package hook

import (
	"golang.org/x/sys/unix"

	"extdir/hook/wire"
)

// Limits of what the shell hands over.
const (
	maxInput = 2 << 20 // bytes on standard input; more is refused, not cut
	maxLine  = wire.MaxRequest - 64<<10
)

// readInput reads the fields on standard input: key=value NUL …; the last may
// lack its NUL, because a shell ends it with end of file.
func (c *call) readInput() (failure string) {
	buf := c.ahead.Input
	buf = buf[:len(buf):len(buf)]
	for !c.ahead.InputEnd {
		if len(buf) == cap(buf) {
			grow := make([]byte, len(buf), 4*cap(buf)+16<<10)
			copy(grow, buf)
			buf = grow
		}
		n, err := unix.Read(0, buf[len(buf):cap(buf)])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return "cannot read the line from the shell (" + err.Error() + ")"
		}
		if n == 0 {
			break
		}
		buf = buf[:len(buf)+n]
		if len(buf) > maxInput {
			return "the line is longer than 1 MiB: put it in a script inside the project and run that"
		}
	}
	for len(buf) > 0 {
		i := 0
		for i < len(buf) && buf[i] != 0 {
			i++
		}
		if i > 0 && !c.word(string(buf[:i])) {
			return "the shell integration and extdir-hook don't understand each other: start a new shell"
		}
		buf = buf[min(i+1, len(buf)):]
	}
	return ""
}

// stale says that the shell can't show the line that it is about to run.
const stale = "stale"

// lineOfHistory takes the line out of `history 1`: blanks, the entry's number,
// a star if it was edited, a blank or two, the text, a newline. It refuses when
// the number isn't the one the prompt expander counted (\!): then the shell did
// not record this line (history off, HISTSIZE=0, HISTCONTROL readonly) and the
// text is that of an older one.
func (c *call) lineOfHistory() (failure string) {
	number, text, ok := splitEntry(c.history)
	if !ok || number != c.number {
		return stale
	}
	c.set("line", text)
	return ""
}

// splitEntry splits one entry as `history` prints it.
func splitEntry(s string) (number, text string, ok bool) {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	j := i
	for j < len(s) && '0' <= s[j] && s[j] <= '9' {
		j++
	}
	// "%5d%c %s": the %c is a star for a changed entry, else a blank.
	if j == i || j+2 > len(s) || s[j] != ' ' && s[j] != '*' || s[j+1] != ' ' {
		return "", "", false
	}
	text = s[j+2:]
	if n := len(text); n > 0 && text[n-1] == '\n' {
		text = text[:n-1]
	}
	return s[i:j], text, true
}

// private tells whether the user's HISTCONTROL would have kept the line out of
// the history. The integration empties that variable at the prompt in order to
// see every line, and owes the user the removal.
func (c *call) private(text string) bool {
	space, dups := false, false
	for _, w := range splitAny(c.control, ':') {
		switch w {
		case "ignorespace":
			space = true
		case "ignoredups":
			dups = true
		case "ignoreboth":
			space, dups = true, true
		}
	}
	if space && len(text) > 0 && text[0] == ' ' {
		return true
	}
	if !dups || len(c.previous) <= len(c.history) {
		return false
	}
	_, before, ok := splitEntry(c.previous[:len(c.previous)-len(c.history)])
	return ok && before == text
}

// splitAny splits s at sep, without empty words.
func splitAny(s string, sep byte) []string {
	var out []string
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] != sep {
			j++
		}
		if j > i {
			out = append(out, s[i:j])
		}
		i = j + 1
	}
	return out
}
