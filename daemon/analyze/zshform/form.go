// Package zshform reads the forms of zsh that the parser of package guard doesn't
// know, by writing them the long way first: loops and conditions whose body is a
// block or a single command, foreach, repeat, case in braces, lists that begin
// with a separator.
//
// It follows the grammar of zsh 5.9 (Src/parse.c, Src/lex.c, zshmisc(1)) as far as
// commands go; words are only skipped, the substitutions in them are read. What
// zsh itself makes of the text before and after is the same code: the tests ask
// its own unparser. Where the parser has no form for it (always, arguments of an
// anonymous function, loops over several variables) the text is left alone and the
// form is named, so that a person can be told why the line is asked about.
package zshform

import (
	"slices"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/analyze/guard"
)

// Always stands in { { try }; : Always; { finally };} for { try } always { finally }.
const Always = "__always"

// Form is a text in the long form.
type Form struct {
	Text  string
	edits []edit
}

// An edit puts text in the place of from:to of the original.
type edit struct {
	from, to int
	text     string
	out      int // where text begins in the result
}

// Changed tells whether anything was rewritten.
func (f Form) Changed() bool { return len(f.edits) > 0 }

// Offset is the offset in the original text of an offset in f.Text. What was put
// in stands where the text that it replaced ends.
func (f Form) Offset(n int) int {
	k := sort.Search(len(f.edits), func(k int) bool { return f.edits[k].out > n }) - 1
	if k < 0 {
		return n
	}
	e := f.edits[k]
	if n < e.out+len(e.text) {
		if e.to-e.from == len(e.text) {
			return e.from + n - e.out
		}
		return e.from
	}
	return e.to + n - e.out - len(e.text)
}

// Rewrite writes a zsh text in the long forms. ok tells that the result parses and
// means the same; else construct names what stands in the way, "" if that is no
// form known here.
func Rewrite(text string) (out Form, ok bool, construct string) {
	out, _, err := long(text, nil)
	if err != nil {
		return Form{Text: text}, false, err.construct
	}
	return out, true, ""
}

// Parse is guard.Parse that knows the forms of zsh as well. Offsets are those of
// text; only the end of a node that ends with a word put in, like done, may lie
// behind it.
func Parse(text string, zsh bool, b *guard.Budget) (*syntax.File, error) {
	file, err := guard.Parse(text, zsh, b)
	if !zsh || err == nil && !misread(text) || !b.Fits(guard.Line, len(text)) {
		return file, err
	}
	form, longer, refusal := long(text, b)
	switch {
	case refusal == nil && form.Changed():
		guard.Shift(longer, form.Offset)
		return longer, nil
	case refusal != nil && refusal.form:
		return nil, &guard.Error{Reason: refusal.construct + " can't be followed", Offset: -1}
	}
	return file, err
}

// refusal tells what stands in the way of a long form.
type refusal struct {
	construct string
	form      bool // construct is a form of commands, not something that the parser says
}

// long writes a text in the long form and parses it, with stand-ins only if the
// parser refuses it without.
func long(text string, b *guard.Budget) (Form, *syntax.File, *refusal) {
	var err error
	for _, standIns := range [...]bool{false, true} {
		form, construct := rewrite(text, standIns)
		if construct != "" {
			return Form{}, nil, &refusal{construct, true}
		}
		var file *syntax.File
		if file, err = guard.Parse(form.Text, true, b); err == nil {
			return form, file, nil
		}
	}
	return Form{}, nil, &refusal{describe(err), false}
}

// misread tells whether a text may hold a form that the parser takes for something
// else: a call of foreach, repeat or coproc, or a function with the list behind it for body.
func misread(text string) bool {
	for _, s := range [...]string{"foreach", "repeat", "()", "( )", "function", "coproc"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// complaints are what the parser says about zsh's words, in a person's words.
var complaints = []struct{ says, means string }{
	{"not a valid test operator", "a condition or pattern that only zsh has"},
	{"test operator words", "a condition that only zsh has"},
	{"without matching `[[`", "a pattern with groups inside groups"},
	{"parameter expansion operator", "a parameter expansion that only zsh has"},
	{"cannot combine multiple parameter", "a parameter expansion that only zsh has"},
	{"must follow an expression", "a subscript or modifier that only zsh has"},
	{"must be followed by an expression", "a subscript or modifier that only zsh has"},
	{"must follow a name", "arithmetic or assignment that only zsh has"},
	{"arithmetic operator", "arithmetic that only zsh has"},
	{"unsigned expressions", "arithmetic that only zsh has"},
	{"case pattern", "a pattern with groups inside groups"},
	{"inline variables cannot be arrays", "an array assigned for one command"},
	{"can only contain words and redirects", "a pattern with groups inside groups"},
	{"open an arithmetic cmd", "a pattern with groups inside groups"},
	{"close a subshell", "a pattern with groups inside groups"},
	{"array element values", "a word of an array that only zsh has"},
}

func describe(err error) string {
	for _, c := range complaints {
		if strings.Contains(err.Error(), c.says) {
			return c.means
		}
	}
	return ""
}

func rewrite(text string, standIns bool) (Form, string) {
	if strings.IndexByte(text, 0) >= 0 {
		return Form{Text: text}, "" // which package guard refuses
	}
	p := &parser{s: text, end: len(text), standIns: standIns}
	p.list()
	if p.i < p.end {
		p.fail("")
	}
	if p.failed {
		return Form{Text: text}, p.why
	}
	p.edits = slices.DeleteFunc(p.edits, func(e edit) bool { return e.from == e.to && e.text == "" })
	if len(p.edits) == 0 {
		return Form{Text: text}, ""
	}
	// Edits are found in the order in which forms end.
	sort.SliceStable(p.edits, func(i, j int) bool {
		a, b := p.edits[i], p.edits[j]
		return a.from < b.from || a.from == b.from && a.to == a.from && b.to > b.from
	})
	var out strings.Builder
	at := 0
	for i, e := range p.edits {
		if e.from < at {
			return Form{Text: text}, "" // two forms claim the same text
		}
		out.WriteString(text[at:e.from])
		p.edits[i].out = out.Len()
		out.WriteString(e.text)
		at = e.to
	}
	out.WriteString(text[at:])
	return Form{Text: out.String(), edits: p.edits}, ""
}
