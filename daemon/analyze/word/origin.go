package word

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// origin names what an unknown part came from the way it was typed. It says no
// more than the name of a parameter: the operators on it aren't what is missing.
func origin(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.ParamExp:
		switch {
		case n.Param == nil:
			return "${…}"
		case n.Index != nil:
			return "${" + n.Param.Value + "[…]}"
		}
		return "$" + n.Param.Value
	case *syntax.ArithmExp:
		return "$((…))"
	case *syntax.CmdSubst:
		return "$(…)"
	case *syntax.ProcSubst:
		return "<(…)"
	}
	return ""
}

// unknownFrom is an unknown part with its origin.
func unknownFrom(from string) access.Word {
	w := access.Unknowable(access.Any, 0, 0)
	w.Segs[0].From = from
	return w
}

// tooMany stands for the words that one word makes, where they are too many.
func tooMany(from, to int) access.Word {
	w := unknownFrom(fmt.Sprintf("what a word of more than %d fields gives", guard.Max(guard.Fields)))
	w.Start, w.End = from, to
	w.Segs[0].Start, w.Segs[0].End = from, to
	return w
}
