package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// Fields expands the words of a simple command into its fields: braces, tilde,
// parameters, substitutions, splitting. Globs stay as written. stop tells that the
// shell gives the line up at this point (an error of expansion).
func Fields(sh Shell, words ...*syntax.Word) (fields []access.Word, stop bool) {
	fields = make([]access.Word, 0, len(words))
	segs := make([]access.Segment, 0, len(words)) // of the plain words, each with room for one
	var e *expander
	for _, w := range words {
		if seg, ok := plain(w); ok {
			segs = append(segs, seg)
			n := len(segs)
			fields = append(fields, access.Word{Segs: segs[n-1 : n : n], Start: start(w), End: end(w)})
			continue
		}
		if e == nil {
			e = newExpander(sh)
		}
		e.magic = sh.Zsh() && magic(fields)
		fields = e.fields(fields, w)
		if e.stop {
			return fields, true
		}
	}
	return fields, false
}

// magic tells whether what follows these words may be NAME=VALUE to a builtin of zsh
// that is no declaration: alias and hash (measured, zsh 5.9).
func magic(fields []access.Word) bool {
	for _, w := range fields {
		switch lit, _ := w.Lit(); lit {
		case "builtin", "noglob", "nocorrect", "-":
		case "alias", "hash":
			return true
		default:
			return false
		}
	}
	return false
}

// Literal is Fields where every word expands to itself, whatever the state of the
// shell: most commands of most lines. ok is false if one doesn't.
func Literal(words []*syntax.Word) (fields []access.Word, ok bool) {
	for _, w := range words {
		if _, ok := plain(w); !ok {
			return nil, false
		}
	}
	fields, _ = Fields(nil, words...)
	return fields, true
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
		if seg, ok := plain(w); ok {
			return access.Word{Segs: []access.Segment{seg}, Start: start(w), End: end(w)}, false
		}
	}
	e := newExpander(sh)
	out := e.single(w, c)
	return out, e.stop
}

// plain is the fast path: one literal, or one quoted literal, that expands to itself.
func plain(w *syntax.Word) (seg access.Segment, ok bool) {
	if len(w.Parts) != 1 {
		return seg, false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		if strings.ContainsAny(p.Value, "\\~{*?[=$`^#+@!(<") {
			return seg, false
		}
		seg = access.Segment{Text: p.Value, Start: int(p.ValuePos.Offset()), End: int(p.ValueEnd.Offset())}
	case *syntax.SglQuoted:
		if p.Dollar {
			return seg, false
		}
		seg = access.Segment{Text: p.Value, Quoted: true, Start: int(p.Left.Offset()) + 1, End: int(p.Right.Offset())}
	case *syntax.DblQuoted:
		if len(p.Parts) != 1 {
			return seg, false
		}
		l, ok := p.Parts[0].(*syntax.Lit)
		if !ok || strings.IndexByte(l.Value, '\\') >= 0 {
			return seg, false
		}
		seg = access.Segment{Text: l.Value, Quoted: true, Start: int(l.ValuePos.Offset()), End: int(l.ValueEnd.Offset())}
	default:
		return seg, false
	}
	return seg, true
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

// mode is how the part at hand is read.
type mode struct {
	ctx        context
	dquote     bool // in double quotes inside a here-document
	inBraces   bool // in the word of "${x:-…}", where \} is a brace
	splitLits  bool // in the word of an unquoted ${x:-…}: its literal text is split too
	zsplit     bool // zsh: the value of the parameter at hand is split
	zforce     bool // zsh: even in double quotes
	zglob      bool // zsh: its pattern characters count
	assignWord bool // a word of a command shaped like an assignment
}

type expander struct {
	mode
	sh      Shell
	out     []piece
	stop    bool
	spent   bool
	emptyAt bool // a quoted list without elements was met
	depth   int  // of values that are evaluated inside values
	magic   bool // zsh: words of a builtin that takes NAME=~/x for an assignment
}

// maxDepth bounds values that name values (arithmetic, indirection, prompts).
const maxDepth = 50

func newExpander(sh Shell) *expander { return &expander{sh: sh} }

// spend takes n steps from the budget. Once it is used up, all is unknown.
func (e *expander) spend(n int) bool {
	if !e.spent && !e.sh.Spend(n) {
		e.spent = true
	}
	return !e.spent
}

func (e *expander) fields(fields []access.Word, w *syntax.Word) []access.Word {
	from, to := start(w), end(w)
	parts := merge(w.Parts)
	if e.sh.Zsh() && hasBrace(parts) && e.sh.Option("braceccl") && !e.sh.Option("ignorebraces") {
		e.walk(w) // {abc} is each of its characters, too
		return append(fields, access.Unknowable(access.Any, from, to))
	}
	if hasBrace(parts) && e.sh.Option(map[bool]string{false: "braceexpand", true: "ignorebraces"}[e.sh.Zsh()]) != e.sh.Zsh() {
		if e.sh.Zsh() && computed(parts) {
			e.walk(w)
			return append(fields, access.Unknowable(access.Any, from, to))
		}
		words, ok, expanded := braces(parts, e.sh.Zsh())
		if !ok || len(words) > 1 && !e.spend(len(words)) {
			e.walk(w)
			return append(fields, tooMany(from, to))
		}
		if expanded {
			for _, parts := range words {
				fields = e.field(fields, parts, from, to, false)
			}
			return fields
		}
	}
	return e.field(fields, parts, from, to, true)
}

// field expands one word. whole: it is a word as written, no result of braces;
// only then bash takes it for an assignment (of=~/x, but not of=~/{a,b}).
func (e *expander) field(fields []access.Word, parts []syntax.WordPart, from, to int, whole bool) []access.Word {
	if e.sh.Zsh() {
		if words, ok := e.rcExpand(parts); ok {
			for _, parts := range words {
				fields = e.field(fields, parts, from, to, false)
			}
			return fields
		}
	}
	e.mode = mode{ctx: command}
	if whole && len(parts) > 0 && (!e.sh.Zsh() || e.magic || e.sh.Option("magicequalsubst")) {
		if l, ok := parts[0].(*syntax.Lit); ok {
			e.assignWord = assignShape(l.Value) > 0
		}
	}
	e.out = e.out[:0]
	e.parts(parts, false, true)
	if len(fields) > guard.Max(guard.Fields) {
		return append(fields[:guard.Max(guard.Fields)], tooMany(from, to))
	}
	return e.build(fields, from, to)
}

func (e *expander) single(w *syntax.Word, c context) access.Word {
	e.mode = mode{ctx: c}
	e.parts(merge(w.Parts), c == document, true)
	return e.join(e.out, start(w), end(w))
}

// sub expands a word inside an expansion to one word.
func (e *expander) sub(w *syntax.Word, m mode, quoted bool) access.Word {
	if w == nil {
		return access.Word{}
	}
	out, old := e.out, e.mode
	e.out, e.mode = nil, m
	e.parts(merge(w.Parts), quoted, !quoted)
	joined := e.join(e.out, start(w), end(w))
	e.out, e.mode = out, old
	return joined
}

// pattern expands and reads the pattern of an operator.
func (e *expander) pattern(w *syntax.Word) []node {
	return compile(e.sh, e.sub(w, mode{ctx: patternText}, false), e.sh.Option("extglob"), false)
}

// walk runs the substitutions in a word whose value is not asked for.
func (e *expander) walk(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			e.sh.Subst(n)
			return false
		case *syntax.ProcSubst:
			e.sh.Proc(n)
			return false
		}
		return true
	})
}

// fatal stops at an error that ends a shell which isn't interactive.
func (e *expander) fatal() {
	e.stop = true
	if sh, ok := e.sh.(Ender); ok {
		sh.Fatal()
	}
}
