package analyze

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/ere"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// recent is what bash tells about the commands that ran just before, and about the
// functions that are running.
type recent struct {
	last  access.Word // $_
	known bool        // last is it
	// pipes are the statuses in PIPESTATUS: nil before the line's first command,
	// empty where they aren't known.
	pipes []status
	// calls is FUNCNAME, the innermost at the end. It can be seen in a function alone,
	// though scripts and sourced files stand in it as well.
	calls      []string
	inFunction int
}

// asksFor tells which of them a line can ask for. Only these are followed, for
// states that differ in nothing else count as one.
type asksFor struct{ last, pipes, calls, matches bool }

func (x *run) findAsked() {
	if x.r.Shell != "bash" && x.r.Shell != "" || strings.IndexByte(x.r.Line, '$') < 0 {
		return
	}
	text := x.r.Line
	x.asks.pipes = strings.Contains(text, "PIPESTATUS")
	trap := strings.Contains(text, "trap") // its command has words, and may run in any function
	x.asks.calls = strings.Contains(text, "FUNCNAME") && !trap
	x.asks.matches = onlyRead(text, "BASH_REMATCH")
	for i := 1; i < len(text); i++ {
		if text[i] == '_' && strings.IndexByte("${#!", text[i-1]) >= 0 && (i+1 == len(text) || !nameByte(text[i+1])) {
			x.asks.last = !trap
			break
		}
	}
}

// onlyRead tells whether a name stands in a text, and never but in an expansion: a
// local BASH_REMATCH isn't the one that [[ =~ ]] sets.
func onlyRead(text, name string) bool {
	found := false
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return found
		}
		if i == 0 || strings.IndexByte("${#!", text[i-1]) < 0 {
			return false
		}
		found, text = true, text[i+len(name):]
	}
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// recently looks one of them up; ok is false for other names.
func (x *run) recently(st *state, name string) (v word.Value, ok bool) {
	if st.zsh {
		return v, false
	}
	switch name {
	case "_":
		if x.asks.last && st.known {
			return word.Value{State: word.Set, Scalar: st.last}, true
		}
		return v, true
	case "PIPESTATUS":
		if !x.asks.pipes || len(st.pipes) == 0 {
			return v, !x.asks.pipes || st.pipes != nil
		}
		v = word.Value{State: word.Set, List: map[int]access.Word{}}
		for i, s := range st.pipes {
			v.List[i] = access.Number(0, 0)
			if s == yes {
				v.List[i] = access.Text("0")
			}
		}
		v.Scalar = v.List[0]
		return v, true
	case "FUNCNAME":
		if _, own := st.vars[name]; own || !x.asks.calls {
			return v, true // an array that has lost its meaning
		}
		n := len(st.calls)
		if st.inFunction == 0 {
			return word.Value{State: word.Unset}, true
		}
		v = word.Value{State: word.Set, List: map[int]access.Word{}}
		for i, f := range st.calls {
			v.List[n-1-i] = access.Text(f)
		}
		v.Scalar = v.List[0]
		return v, true
	}
	return v, false
}

// spoke notes the last word of a simple command. What a pattern, or a word that may
// be several, becomes isn't known.
func (x *run) spoke(sts []*state, w access.Word) []*state {
	if !x.asks.last {
		return sts
	}
	known := !w.Glob() && !maybeNone(w)
	for _, st := range sts {
		st.last, st.known = w, known
	}
	return sts
}

// spokeLike is spoke for a declaring builtin: its assignments are words as well,
// lists are just their names (measured, bash 5.2).
func (x *run) spokeLike(c *syntax.DeclClause, sts []*state) []*state {
	if !x.asks.last {
		return sts
	}
	w := access.Text(c.Variant.Value)
	if n := len(c.Args); n > 0 {
		w = anything
		as := c.Args[n-1]
		switch {
		case as.Index != nil:
		case as.Name == nil:
			if words, ok := word.Literal([]*syntax.Word{as.Value}); ok {
				w = words[0]
			}
		case as.Naked || as.Array != nil:
			w = access.Text(as.Name.Value)
		default:
			text := as.Name.Value + "="
			if as.Append {
				text = as.Name.Value + "+="
			}
			if as.Value == nil {
				w = access.Text(text)
			} else if words, ok := word.Literal([]*syntax.Word{as.Value}); ok {
				w = access.Text(text).Concat(words[0])
			}
		}
	}
	return x.spoke(sts, w)
}

// setsPipes notes the status of a command that is a pipeline of its own. Those that
// hold others leave what these have set, and so do definitions (measured, bash 5.2).
func (x *run) setsPipes(c syntax.Command, sts []*state) {
	switch c := c.(type) {
	case nil, *syntax.CallExpr, *syntax.Subshell, *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause, *syntax.DeclClause:
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return
		}
	default:
		return
	}
	for _, st := range sts {
		st.pipes = []status{st.status}
	}
}

// piped are the statuses of a pipeline with that of its last command.
func (x *run) piped(before []status, last status) []status {
	if !x.asks.pipes {
		return nil
	}
	out := slices.Clone(before)
	out[len(out)-1] = last
	return out
}

// joinPipes is what PIPESTATUS holds in one state or the other.
func joinPipes(a, b []status) []status {
	if len(a) != len(b) || a == nil || b == nil {
		if a == nil && b == nil {
			return nil
		}
		return []status{}
	}
	out := make([]status, len(a))
	for i := range a {
		if out[i] = a[i]; a[i] != b[i] {
			out[i] = either
		}
	}
	return out
}

// calling opens the name of what runs.
func (s *state) calling(name string, function bool) {
	s.calls = append(s.calls[:len(s.calls):len(s.calls)], name)
	if function {
		s.inFunction++
	}
}

// called closes it.
func (s *state) called(function bool) {
	s.calls = s.calls[:max(len(s.calls)-1, 0)]
	if function {
		s.inFunction--
	}
}

// spokeAnyway notes the last word of a command that didn't run, since a redirection
// failed: bash has expanded its words before.
func (x *run) spokeAnyway(c syntax.Command, st *state) {
	if call, ok := c.(*syntax.CallExpr); ok && x.asks.last && len(call.Args) > 0 {
		w := anything
		if words, ok := word.Literal(call.Args); ok {
			w = words[len(words)-1]
		}
		x.spoke(st.alone(), w)
	}
}

// matchExpr is [[ text =~ expression ]], which leaves what it found in BASH_REMATCH:
// an empty array where it found nothing, what was there where the expression is
// wrong (measured, bash 5.2).
func (x *run) matchExpr(st *state, text, expr access.Word) status {
	st.setVar("BASH_REMATCH", word.Value{})
	s, known := text.Lit()
	if !known || st.zsh || x.option(st, "nocasematch") {
		return either
	}
	var in []ere.Char
	for _, seg := range expr.Segs {
		if seg.Class != access.Known {
			return either
		}
		for i := range len(seg.Text) {
			in = append(in, ere.Char{Byte: seg.Text[i], Quoted: seg.Quoted})
		}
	}
	if !x.b.Spend(guard.Steps, 10*len(in)+len(s)) {
		return either
	}
	e, ok := ere.Compile(in)
	if !ok {
		return either
	}
	a := e.Match(s)
	if !a.Sure {
		return either
	}
	if x.asks.matches && (!a.Matched || a.Groups != nil) {
		list := map[int]access.Word{}
		for i, g := range a.Groups {
			list[i] = textAt(g, text)
		}
		st.setVar("BASH_REMATCH", listOf(list))
	}
	return truthOf(a.Matched)
}
