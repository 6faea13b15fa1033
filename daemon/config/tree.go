package config

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Problem is something wrong with a file, with its place.
type Problem struct {
	File    string
	Line    int // 1-based; 0: the file as a whole
	Col     int // in bytes, 1-based
	Message string
}

func (p Problem) Error() string {
	name := p.File
	if name == "" {
		name = "defaults"
	}
	if p.Line == 0 {
		return name + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", name, p.Line, p.Col, p.Message)
}

// short names the file by its base name, as questions and refusals do.
func (p Problem) short() string {
	p.File = filepath.Base(p.File)
	return p.Error()
}

const (
	maxFile  = 4 << 20 // bytes
	maxDepth = 32      // the deepest sound file has 6
)

// tree is a parsed file that knows where everything stands.
type tree struct {
	file     string
	src      []byte // without a byte order mark
	problems []Problem
}

func (t *tree) fail(offset int, format string, a ...any) {
	line, col := t.place(offset)
	t.problems = append(t.problems, Problem{t.file, line, col, fmt.Sprintf(format, a...)})
}

func (t *tree) place(offset int) (line, col int) {
	before := t.src[:min(offset, len(t.src))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

// offset is the inverse of place; -1 if there is no such place.
func (t *tree) offset(line, col int) int {
	at := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(t.src[at:], '\n')
		if n < 0 {
			return -1
		}
		at += n + 1
	}
	return at + col - 1
}

// read parses the text. ok is false if there is a problem.
func (t *tree) read(src []byte) (v hujson.Value, ok bool) {
	t.src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if len(src) > maxFile {
		t.problems = append(t.problems, Problem{File: t.file, Message: "is over 4 MiB, which no set of rules needs"})
		return v, false
	}
	if i := invalidUTF8(t.src); i >= 0 {
		t.fail(i, "is not valid UTF-8 here: save the file as UTF-8")
		return v, false
	}
	if i := tooDeep(t.src); i >= 0 {
		t.fail(i, "is nested deeper than %d levels, which the parser is not asked to follow", maxDepth)
		return v, false
	}
	v, err := hujson.Parse(t.src)
	if err != nil {
		// "hujson: line L, column C: what"; the place is kept as numbers.
		p := Problem{File: t.file, Message: err.Error()}
		if _, err := fmt.Sscanf(p.Message, "hujson: line %d, column %d:", &p.Line, &p.Col); err == nil {
			p.Message = strings.SplitN(p.Message, ": ", 3)[2]
		}
		if in := errors.Unwrap(err); in != nil {
			p.Message = in.Error()
		}
		p.Message = "is not JSON with comments: " + p.Message
		t.problems = append(t.problems, p)
		return v, false
	}
	return v, true
}

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// tooDeep returns the offset of the bracket that opens one level too many, or -1.
// The parser recurses, and Go can't recover from a stack that ran out.
func tooDeep(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '/':
			end := ""
			if bytes.HasPrefix(b[i:], []byte("//")) {
				end = "\n"
			} else if bytes.HasPrefix(b[i:], []byte("/*")) {
				end = "*/"
			} else {
				continue
			}
			j := bytes.Index(b[i+2:], []byte(end))
			if j < 0 {
				return -1
			}
			i += 2 + j + len(end) - 1
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// member is a key of an object with its value.
type member struct {
	name  string
	at    int // offset of the name
	value hujson.Value
}

// object returns the members in order; a key that stands twice is a problem with
// both places, since everybody reads such a file differently.
func (t *tree) object(v hujson.Value, what string) []member {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		t.fail(v.StartOffset, "%s must be an object { … }, not %s", what, describe(v))
		return nil
	}
	seen := map[string]int{}
	var out []member
	for _, m := range o.Members {
		name, ok := t.text(m.Name)
		if !ok {
			continue
		}
		if first, twice := seen[name]; twice {
			line, col := t.place(first)
			t.fail(m.Name.StartOffset, "key %q stands here a second time (first at %d:%d): keep one of the two", name, line, col)
			continue
		}
		seen[name] = m.Name.StartOffset
		out = append(out, member{name: name, at: m.Name.StartOffset, value: m.Value})
	}
	return out
}

// text decodes a string. Half a surrogate pair would silently become another
// character, so it is a problem.
func (t *tree) text(v hujson.Value) (string, bool) {
	l, ok := v.Value.(hujson.Literal)
	if !ok || l.Kind() != '"' {
		return "", false
	}
	s := l.String()
	if strings.ContainsRune(s, utf8.RuneError) && !bytes.ContainsRune(l, utf8.RuneError) && !bytes.Contains(bytes.ToLower(l), []byte(`\ufffd`)) {
		t.fail(v.StartOffset, `holds half a character: a \uD800…\uDFFF escape without its other half`)
		return "", false
	}
	return s, true
}

func (t *tree) wantText(v hujson.Value, what string) (string, bool) {
	if l, ok := v.Value.(hujson.Literal); !ok || l.Kind() != '"' {
		t.fail(v.StartOffset, "%s must be a string, not %s", what, describe(v))
		return "", false
	}
	return t.text(v)
}

func describe(v hujson.Value) string {
	switch v.Value.Kind() {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	}
	return "a list"
}
