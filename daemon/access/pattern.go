package access

import "strings"

// Pattern says in the syntax of path rules (* ? […] ** and \) what a glob may
// stand for, component by component. A shell's own syntax is richer, and a name may hold quoted pattern
// characters; the gates know neither. What a Pattern says may be more than the
// shell would match, never less. "" where the text of the glob says it itself.
//
// It is a string (fields ended by NUL, which no name holds) so that an [Access]
// can be compared.
type Pattern string

// NewPattern makes a Pattern of a glob as it is written, of what it may match, and
// of what it surely doesn't match of that.
func NewPattern(written string, matches, except []string) Pattern {
	return Pattern(written + "\x00" + strings.Join(matches, "\x00") + "\x00\x00" + strings.Join(except, "\x00"))
}

// Written is the glob as the shell has it.
func (p Pattern) Written() string {
	written, _, _ := strings.Cut(string(p), "\x00")
	return written
}

// Plain tells whether the text of the glob says itself what it may stand for.
func (p Pattern) Plain() bool {
	matches, except := p.Says()
	return len(except) == 0 && len(matches) == 1 && matches[0] == p.Written()
}

// Says is what the glob may match and what it doesn't.
func (p Pattern) Says() (matches, except []string) {
	_, rest, _ := strings.Cut(string(p), "\x00")
	is, not, _ := strings.Cut(rest, "\x00\x00")
	matches = strings.Split(is, "\x00")
	if not != "" {
		except = strings.Split(not, "\x00")
	}
	return matches, except
}

// Below is what the glob at the end of a name says with the directory before it.
// ok is false where the name doesn't end in it: then the name is all there is.
func (p Pattern) Below(name string) (matches, except []string, ok bool) {
	if p == "" {
		return nil, nil, false
	}
	dir, ok := strings.CutSuffix(name, p.Written())
	if !ok || !strings.HasSuffix(dir, "/") {
		return nil, nil, false
	}
	dir = escaper.Replace(dir)
	matches, except = p.Says()
	for i := range matches {
		matches[i] = dir + matches[i]
	}
	for i := range except {
		except[i] = dir + except[i]
	}
	return matches, except, true
}

var escaper = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`)

// EscapePattern writes text so that it stands for itself in a pattern of rules.
func EscapePattern(text string) string { return escaper.Replace(text) }
