// Package guard stands between a command line and the parser: it keeps a line
// from costing more than it may (time, memory, the stack that no recover saves)
// and hands it over byte for byte as bash reads it.
package guard

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Error tells why a text could not be parsed.
type Error struct {
	Reason string
	// Offset is the byte offset of the trouble, -1 if there is no single one.
	Offset int
	// Line and Col count from 1, in bytes; 0 without an offset.
	Line, Col int
	// Incomplete: more text could have made it complete.
	Incomplete bool
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return e.Reason
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Reason)
}

type parser struct {
	*syntax.Parser
	reader Reader
}

// One pool a dialect: a parser isn't reentrant, and a reused one takes two thirds
// of the time of a new one.
var pools = [2]sync.Pool{
	{New: func() any { return newParser(syntax.LangBash) }},
	{New: func() any { return newParser(syntax.LangZsh) }},
}

func newParser(l syntax.LangVariant) *parser {
	return &parser{Parser: syntax.NewParser(syntax.Variant(l), syntax.KeepComments(false))}
}

// Parse parses a text as bash, or as zsh. All offsets in the tree are offsets of
// text, all strings hold its bytes.
func Parse(text string, zsh bool, b *Budget) (*syntax.File, error) {
	f, err := guarded(text, zsh, b, func(p *parser) (*syntax.File, error) { return p.Parse(&p.reader, "") })
	if err == nil {
		if int(f.End().Offset()) > len(text) { // "(($()." as zsh: taken for whole, though it isn't
			return nil, located(&Error{Reason: "the text ends inside a command", Offset: len(text), Incomplete: true}, text)
		}
		return f, nil
	}
	if stop, ok := unclosed(err); ok {
		// bash and zsh take the end of the text for the end of a here-document.
		more, err := guarded(text+"\n"+stop+"\n", zsh, b, func(p *parser) (*syntax.File, error) { return p.Parse(&p.reader, "") })
		if err == nil {
			Shift(more, func(n int) int { return min(n, len(text)) })
			return more, nil
		}
	}
	return f, err
}

// unclosed recognizes the parser's complaint about a here-document without end.
func unclosed(err error) (stop string, ok bool) {
	var e *Error
	if !errors.As(err, &e) {
		return "", false
	}
	_, stop, ok = strings.Cut(e.Reason, "unclosed here-document ")
	stop = strings.Trim(stop, "`'\"")
	return stop, ok && stop != ""
}

// Document parses the text of an unquoted here-document. An empty text is nil.
func Document(text string, zsh bool, b *Budget) (*syntax.Word, error) {
	return guarded(text, zsh, b, func(p *parser) (*syntax.Word, error) { return p.Document(&p.reader) })
}

// Arithmetic parses an arithmetic expression. It is read as a command, ((…)): the
// parser's own entry point stops at the first thing it doesn't understand.
func Arithmetic(text string, zsh bool, b *Budget) (syntax.ArithmExpr, error) {
	const open, shut = "((", "))"
	f, err := guarded(open+text+shut, zsh, b, func(p *parser) (*syntax.File, error) { return p.Parse(&p.reader, "") })
	if err != nil {
		var e *Error
		if errors.As(err, &e) && e.Offset >= 0 {
			e.Offset = min(max(e.Offset-len(open), 0), len(text))
			e.Line, e.Col = 0, 0
			return nil, located(e, text)
		}
		return nil, err
	}
	if len(f.Stmts) == 1 && len(f.Stmts[0].Redirs) == 0 && !f.Stmts[0].Negated {
		c, ok := f.Stmts[0].Cmd.(*syntax.ArithmCmd)
		if ok && int(c.Right.Offset()) == len(open)+len(text) && !f.Stmts[0].Background && !f.Stmts[0].Coprocess && !f.Stmts[0].Semicolon.IsValid() {
			Shift(c, func(n int) int { return n - len(open) })
			return c.X, nil
		}
	}
	return nil, located(&Error{Reason: "no arithmetic expression", Offset: 0}, text)
}

func guarded[T any](text string, zsh bool, b *Budget, parse func(*parser) (T, error)) (tree T, err error) {
	var none T
	if !b.Fits(Line, len(text)) {
		return none, &Error{Reason: reason(Line), Offset: -1}
	}
	mapped, ok := MapBytes(text)
	if !ok {
		return none, located(&Error{Reason: "a NUL byte, which no shell takes", Offset: strings.IndexByte(text, 0)}, text)
	}
	pool := &pools[0]
	if zsh {
		pool = &pools[1]
	}
	p := pool.Get().(*parser)
	defer func() {
		if r := recover(); r != nil { // p is in no known state: not put back
			tree, err = none, &Error{Reason: fmt.Sprintf("the parser failed (%v)", r), Offset: -1}
		}
	}()
	p.reader.reset(mapped.Text)
	tree, err = parse(p)
	deep := p.reader.err != nil
	p.reader.reset("")
	pool.Put(p)
	switch {
	case deep:
		b.Exceed(Frames)
		return none, &Error{Reason: reason(Frames), Offset: -1}
	case err != nil:
		return none, located(translate(err, mapped), text)
	}
	if mapped.Mapped() {
		rewrite(&tree, mapped.Offset, Restore)
	}
	return tree, nil
}

func translate(err error, b Bytes) *Error {
	var perr syntax.ParseError
	if errors.As(err, &perr) {
		return &Error{Reason: Restore(perr.Text), Offset: b.Offset(int(perr.Pos.Offset())), Incomplete: perr.Incomplete}
	}
	var lerr syntax.LangError
	if errors.As(err, &lerr) {
		return &Error{Reason: Restore(lerr.Feature) + " isn't supported here", Offset: b.Offset(int(lerr.Pos.Offset()))}
	}
	return &Error{Reason: Restore(err.Error()), Offset: -1}
}

func located(e *Error, text string) *Error {
	if e.Offset < 0 {
		return e
	}
	e.Offset = min(e.Offset, len(text))
	before := text[:e.Offset]
	e.Line = strings.Count(before, "\n") + 1
	e.Col = e.Offset - strings.LastIndexByte(before, '\n')
	return e
}
