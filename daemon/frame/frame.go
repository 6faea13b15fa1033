// Package frame takes off what an agent's host puts round the agent's words.
//
// A host seldom hands a shell the agent's words alone: it restores the user's
// functions first, gives the words an empty standard input, and notes the directory
// they end in. That text is the host's. Judged with the line it would be asked about
// at every line, and a person would be shown fifteen words of which the agent wrote
// two. So it is known here, host by host, and what a person sees, what rules match
// and what is granted is the inner line.
//
// The host's text is compared as a syntax tree, never by looking for words in it:
// one more command, another target, another file to source, and it is no frame but a
// line like any other, judged whole. What may differ from line to line is named in
// the shapes (@home, @number …) and holds plain text only.
package frame

import (
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/analyze"
	"extdir/daemon/analyze/guard"
)

// Place is what a frame's names are compared with.
type Place struct {
	Home   string // the user's, absolute
	TmpDir string // where the host keeps its passing files; "": /tmp
}

// Inner returns the agent's words in a line that its host put a frame round, and the
// variables that the frame sets before them. A line without a frame is returned as
// it is. agent is the name a session carries ("claude").
func Inner(agent, line string, at Place) (inner string, vars map[string]string) {
	h := hosts[agent]
	if h == nil || !strings.HasPrefix(at.Home, "/") || !h.plausible(line) {
		return line, nil
	}
	if inner, vars, ok := h.match(line, at); ok {
		return inner, vars
	}
	return line, nil
}

// Request takes the frame off the line of a request.
func Request(agent string, r analyze.Request, at Place) analyze.Request {
	inner, vars := Inner(agent, r.Line, at)
	r.Line = inner
	if len(vars) > 0 {
		r.Vars = maps.Clone(r.Vars)
		for name, value := range vars {
			r.Vars[name] = analyze.Var{Set: true, Exported: true, Value: value}
		}
	}
	return r
}

// host is one agent's host.
type host struct {
	// plausible is a quick look that spares most lines the parser.
	plausible func(line string) bool
	match     func(line string, at Place) (inner string, vars map[string]string, ok bool)
}

var hosts = map[string]*host{"claude": claude, "codex": codex, "gemini": gemini}

// parse reads a line, nil if it can't be read.
func parse(line string) *syntax.File {
	f, err := guard.Parse(line, false, nil)
	if err != nil {
		return nil
	}
	return f
}

// step is a command of a list and the operator that stands before it.
type step struct {
	op   string // "", "&&" or "||"
	stmt *syntax.Stmt
}

// steps takes a list like a && b || c apart.
func steps(s *syntax.Stmt) []step {
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && plain(s) && (b.Op == syntax.AndStmt || b.Op == syntax.OrStmt) {
		return append(steps(b.X), step{b.Op.String(), b.Y})
	}
	return []step{{"", s}}
}

// plain tells whether nothing but a command is in a statement.
func plain(s *syntax.Stmt) bool {
	return !s.Negated && !s.Background && !s.Coprocess && !s.Disown && len(s.Redirs) == 0
}

// shape is the text of a step, parsed once, in which words that begin with @ stand
// for a word that may be something else.
type shape func() []step

func shaped(text string) shape {
	return sync.OnceValue(func() []step {
		text, op := text, ""
		for _, o := range []string{"&&", "||"} {
			if rest, ok := strings.CutPrefix(text, o); ok {
				text, op = rest, o
			}
		}
		f := parse(text)
		if f == nil || len(f.Stmts) != 1 {
			panic("frame: a shape can't be read: " + text)
		}
		s := steps(f.Stmts[0])
		s[0].op = op
		return s
	})
}

// words are what the @words of a shape stand for, by name.
type words map[string]*syntax.Word

// take matches the shapes against the beginning of a list, the first that fits, and
// returns the rest of the list.
func take(list []step, found words, shapes ...shape) (rest []step, ok bool) {
	for _, s := range shapes {
		want := s()
		if len(list) < len(want) {
			continue
		}
		here := words{}
		fits := true
		for i, w := range want {
			if fits = w.op == list[i].op && same(reflect.ValueOf(w.stmt), reflect.ValueOf(list[i].stmt), here); !fits {
				break
			}
		}
		if fits {
			for name, w := range here {
				found[name] = w
			}
			return list[len(want):], true
		}
	}
	return list, false
}

var (
	wordType    = reflect.TypeFor[*syntax.Word]()
	posType     = reflect.TypeFor[syntax.Pos]()
	commentType = reflect.TypeFor[[]syntax.Comment]()
)

// same tells whether two trees are the same but for their places. found gets the
// words that stand where the first has an @word.
func same(want, got reflect.Value, found words) bool {
	if want.Kind() == reflect.Interface {
		want, got = want.Elem(), got.Elem()
	}
	if !want.IsValid() || !got.IsValid() {
		return want.IsValid() == got.IsValid()
	}
	if want.Type() != got.Type() {
		return false
	}
	switch want.Type() {
	case posType:
		return true
	case commentType:
		return got.Len() == 0
	case wordType:
		if w, ok := want.Interface().(*syntax.Word); ok && w != nil && strings.HasPrefix(w.Lit(), "@") {
			found[w.Lit()[1:]] = got.Interface().(*syntax.Word)
			return !got.IsNil()
		}
	}
	switch want.Kind() {
	case reflect.Pointer:
		if want.IsNil() || got.IsNil() {
			return want.IsNil() == got.IsNil()
		}
		return same(want.Elem(), got.Elem(), found)
	case reflect.Struct:
		for i := range want.NumField() {
			if !same(want.Field(i), got.Field(i), found) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if want.Len() != got.Len() {
			return false
		}
		for i := range want.Len() {
			if !same(want.Index(i), got.Index(i), found) {
				return false
			}
		}
		return true
	default:
		return want.Equal(got)
	}
}

// quoted is the text of a word that is a string between single quotes, the quotes in
// it written '"'"' or '\”.
func quoted(w *syntax.Word) (text string, ok bool) {
	if w == nil || len(w.Parts) == 0 {
		return "", false
	}
	var b strings.Builder
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.SglQuoted:
			if p.Dollar || i%2 != 0 {
				return "", false
			}
			b.WriteString(p.Value)
			continue
		case *syntax.DblQuoted:
			if lit, ok := only(p.Parts); p.Dollar || !ok || lit != "'" {
				return "", false
			}
		case *syntax.Lit:
			if p.Value != `\'` {
				return "", false
			}
		default:
			return "", false
		}
		if i%2 == 0 {
			return "", false
		}
		b.WriteByte('\'')
	}
	return b.String(), len(w.Parts)%2 == 1
}

// only is the text of a list of parts that is one literal.
func only(parts []syntax.WordPart) (string, bool) {
	if len(parts) != 1 {
		return "", false
	}
	lit, ok := parts[0].(*syntax.Lit)
	if !ok {
		return "", false
	}
	return lit.Value, true
}

// constant is the text of a word without expansions, quoted in one way or not at all.
func constant(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	if text, ok := quoted(w); ok {
		return text, true
	}
	if len(w.Parts) == 0 {
		return "", true
	}
	if d, ok := w.Parts[0].(*syntax.DblQuoted); ok && len(w.Parts) == 1 && !d.Dollar {
		if len(d.Parts) == 0 {
			return "", true
		}
		text, ok := only(d.Parts)
		return text, ok && !strings.ContainsRune(text, '\\')
	}
	text, ok := only(w.Parts)
	return text, ok && !strings.ContainsAny(text, `\*?[]{}~`)
}

// below tells whether a word names a file of a directory, its own name given by a
// pattern, with nothing in between that could lead elsewhere.
func below(w *syntax.Word, dir string, name *regexp.Regexp) bool {
	text, ok := constant(w)
	return ok && filepath.Clean(text) == text && filepath.Dir(text) == filepath.Clean(dir) && name.MatchString(filepath.Base(text))
}

// tmp tells whether a word names a file of the directory for passing files.
func (at Place) tmp(w *syntax.Word, name *regexp.Regexp) bool {
	return below(w, "/tmp", name) || strings.HasPrefix(at.TmpDir, "/") && below(w, at.TmpDir, name)
}
