package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// Fields expands the words of a simple command into its fields: braces, tilde,
// parameters, substitutions, splitting. Globs stay as written. stop tells that the
// shell gives the line up at this point (an error of expansion).
func Fields(sh Shell, words ...*syntax.Word) (fields []access.Word, stop bool) {
	fields = make([]access.Word, 0, len(words))
	var e *expander
	for _, w := range words {
		if f, ok := plain(w); ok {
			fields = append(fields, f)
			continue
		}
		if e == nil {
			e = newExpander(sh)
		}
		fields = e.fields(fields, w)
		if e.stop {
			return fields, true
		}
	}
	return fields, false
}

// Assign expands the right side of an assignment: tilde also after ':', no splitting.
func Assign(sh Shell, w *syntax.Word) (access.Word, bool) { return single(sh, w, assignment) }

// Single expands a word that stays one: here-string, case word, redirect target.
func Single(sh Shell, w *syntax.Word) (access.Word, bool) { return single(sh, w, one) }

// Document expands the body of an unquoted here-document.
func Document(sh Shell, w *syntax.Word) (access.Word, bool) { return single(sh, w, document) }

// Pattern expands the pattern of case, [[ == ]] and ${x#…}: in the result quoted
// segments are plain text, unquoted ones pattern characters.
func Pattern(sh Shell, w *syntax.Word) (access.Word, bool) { return single(sh, w, patternText) }

func single(sh Shell, w *syntax.Word, c context) (access.Word, bool) {
	if w == nil || len(w.Parts) == 0 {
		return access.Word{}, false
	}
	if c != document {
		if f, ok := plain(w); ok {
			return f, false
		}
	}
	e := newExpander(sh)
	out := e.single(w, c)
	return out, e.stop
}

// plain is the fast path: one literal, or one quoted literal, that expands to itself.
func plain(w *syntax.Word) (access.Word, bool) {
	if len(w.Parts) != 1 {
		return access.Word{}, false
	}
	var seg access.Segment
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		if strings.ContainsAny(p.Value, "\\~{*?[=$`^#+@!(<") {
			return access.Word{}, false
		}
		seg = access.Segment{Text: p.Value, Start: int(p.ValuePos.Offset()), End: int(p.ValueEnd.Offset())}
	case *syntax.SglQuoted:
		if p.Dollar {
			return access.Word{}, false
		}
		seg = access.Segment{Text: p.Value, Quoted: true, Start: int(p.Left.Offset()) + 1, End: int(p.Right.Offset())}
	case *syntax.DblQuoted:
		if len(p.Parts) != 1 {
			return access.Word{}, false
		}
		l, ok := p.Parts[0].(*syntax.Lit)
		if !ok || strings.IndexByte(l.Value, '\\') >= 0 {
			return access.Word{}, false
		}
		seg = access.Segment{Text: l.Value, Quoted: true, Start: int(l.ValuePos.Offset()), End: int(l.ValueEnd.Offset())}
	default:
		return access.Word{}, false
	}
	return access.Word{Segs: []access.Segment{seg}, Start: start(w), End: end(w)}, true
}

func start(n syntax.Node) int { return int(n.Pos().Offset()) }
func end(n syntax.Node) int   { return int(n.End().Offset()) }

// context is where a word stands; it decides about tilde, splitting and quotes.
type context uint8

const (
	command     context = iota // word of a simple command
	assignment                 // right side of an assignment
	one                        // no splitting, tilde at the beginning
	document                   // here-document: only $ ` \ are special
	patternText                // pattern: no splitting, quoting kept
)

type expander struct {
	sh   Shell
	out  []piece
	stop bool
	ctx  context
	at   int // depth of nested expansions
}

func newExpander(sh Shell) *expander { return &expander{sh: sh} }

func (e *expander) fields(fields []access.Word, w *syntax.Word) []access.Word {
	e.ctx = command
	e.out = e.out[:0]
	e.parts(w.Parts, false, true)
	return e.build(fields, start(w), end(w))
}

func (e *expander) single(w *syntax.Word, c context) access.Word {
	e.ctx = c
	e.parts(w.Parts, c == document, true)
	return e.join(e.out, start(w), end(w))
}
