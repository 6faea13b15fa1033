package policy

import (
	"fmt"
	"strings"
)

// A path pattern names trees: it matches a path and all that is below it.
//
//	/tmp  /tmp/*  /tmp/**   the directory /tmp and all below
//	~/.ssh  $ROOT/x         ~, $HOME, $TMPDIR and $ROOT expand at the start
//	*.env  .git             without a slash: a component at any depth
//	**/a/b                  a/b at any depth
//	*                       everything

type piece struct {
	deep  bool   // **
	text  string // of a literal
	glob  []atom // nil: literal
	whole string // as written: equal pieces share a node
}

type pattern struct {
	all    bool // "*" alone
	pieces []piece
	absent string // the variable it starts with has no value: matches nothing
}

var variables = []string{"HOME", "TMPDIR", "ROOT"}

func (e *Env) value(name string) string {
	switch name {
	case "HOME":
		return e.Home
	case "TMPDIR":
		return e.TmpDir
	}
	return e.Root
}

// Check tells what is wrong with a pattern of a surface, or nil. The sentence
// names the pattern and what to write instead.
func Check(surface, pattern string) error {
	if surface == "bash" {
		_, err := parseCommand(pattern)
		return err
	}
	_, err := parsePath(pattern, &Env{Home: "/home", TmpDir: "/tmp", Root: "/root"})
	return err
}

func parsePath(s string, env *Env) (pattern, error) {
	fail := func(format string, a ...any) (pattern, error) {
		return pattern{}, fmt.Errorf("pattern %q %s", s, fmt.Sprintf(format, a...))
	}
	switch {
	case s == "":
		return pattern{}, fmt.Errorf(`pattern is empty: write "*" for everything`)
	case strings.IndexByte(s, 0) >= 0:
		return fail("holds a NUL byte, which no path can")
	case s == "*" || s == "**":
		return pattern{all: true}, nil
	}
	var p pattern
	rest, name := s, ""
	switch s[0] {
	case '~':
		name, rest = "HOME", s[1:]
		if rest != "" && rest[0] != '/' {
			return fail(`names another user's home, which is not looked up: write the directory out, or "\~…" for a name that begins with a tilde`)
		}
	case '$':
		var ok bool
		if name, rest, ok = cutVariable(s); !ok {
			return fail(`starts with a variable that is not expanded: only ~, $HOME, $TMPDIR and $ROOT are, followed by "/" or nothing`)
		}
	}
	switch {
	case name != "":
		v := env.value(name)
		if v == "" || v[0] != '/' {
			p.absent = name
		}
		for _, c := range split(v) {
			p.pieces = append(p.pieces, piece{text: c, whole: c})
		}
	case !strings.Contains(s, "/"):
		p.pieces = append(p.pieces, piece{deep: true, whole: "**"})
	case s[0] != '/' && !strings.HasPrefix(s, "**/"):
		hint := strings.TrimPrefix(s, "./")
		return fail(`must start with "/", "~", "$NAME" or "**/": write "$ROOT/%s" for one below the root, "**/%s" for one at any depth`, hint, hint)
	}
	for _, c := range split(rest) {
		switch c {
		case ".":
			continue
		case "..":
			return fail(`goes up with "..": write the directory it means`)
		case "**":
			if n := len(p.pieces); n == 0 || !p.pieces[n-1].deep {
				p.pieces = append(p.pieces, piece{deep: true, whole: c})
			}
			continue
		}
		atoms, msg := parseComponent(c)
		if msg != "" {
			return fail("%s", msg)
		}
		if text, ok := literal(atoms); ok {
			p.pieces = append(p.pieces, piece{text: text, whole: text})
		} else {
			p.pieces = append(p.pieces, piece{glob: atoms, whole: c})
		}
	}
	if strings.Contains(s, "/") {
		p.tree()
	}
	return p, nil
}

// tree drops a last /* or /**: the pattern matches the directory itself too, and
// all below a match is matched anyway.
func (p *pattern) tree() {
	n := len(p.pieces)
	if n > 0 && len(p.pieces[n-1].glob) == 1 && p.pieces[n-1].glob[0].kind == atomAny {
		n--
	}
	for n > 0 && p.pieces[n-1].deep {
		n--
	}
	p.pieces = p.pieces[:n]
}

// fixed is the number of pieces before the first that holds a pattern character.
func (p *pattern) fixed() int {
	for i, c := range p.pieces {
		if c.deep || c.glob != nil {
			return i
		}
	}
	return len(p.pieces)
}

// resolved returns the pattern with its fixed prefix resolved, if that differs.
func (p *pattern) resolved(resolve func(string) string) (pattern, bool) {
	n := p.fixed()
	if resolve == nil || n == 0 {
		return pattern{}, false
	}
	var b strings.Builder
	for _, c := range p.pieces[:n] {
		b.WriteByte('/')
		b.WriteString(c.text)
	}
	real := resolve(b.String())
	if real == b.String() || real == "" || real[0] != '/' {
		return pattern{}, false
	}
	var q pattern
	for _, c := range split(real) {
		q.pieces = append(q.pieces, piece{text: c, whole: c})
	}
	q.pieces = append(q.pieces, p.pieces[n:]...)
	return q, true
}

func cutVariable(s string) (name, rest string, ok bool) {
	for _, v := range variables {
		for _, form := range []string{"$" + v, "${" + v + "}"} {
			if r, found := strings.CutPrefix(s, form); found && (r == "" || r[0] == '/') {
				return v, r, true
			}
		}
	}
	return "", "", false
}

// split cuts a path into its components; empty ones are dropped.
func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}
