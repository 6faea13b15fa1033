package analyze

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// tie is typeset -T SCALAR[=VALUE] array[=(…)] [SEPARATOR]: either shows what is
// assigned to the other.
func (x *run) tie(st *state, c *syntax.DeclClause) {
	var names []string
	sep, known := ":", true
	for _, as := range c.Args {
		switch {
		case as.Name != nil:
			names = append(names, as.Name.Value)
		case as.Value != nil:
			lit := as.Value.Lit()
			if strings.HasPrefix(lit, "-") || strings.HasPrefix(lit, "+") {
				continue
			}
			known = known && lit != "" && len(names) == 2
			sep = lit
		}
	}
	if len(names) == 3 {
		sep = names[2]
	}
	if len(names) < 2 || sep == "" {
		return
	}
	scalar, list := st.vars[names[0]], st.vars[names[1]]
	if !known {
		for _, n := range names[:2] {
			st.setVar(n, word.Value{})
		}
		return
	}
	scalar.Tied, scalar.Sep = names[1], sep[:1]
	list.Tied, list.Sep = names[0], sep[:1]
	if len(list.List) > 0 {
		st.setVar(names[1], list)
		return
	}
	if scalar.State != word.Set && scalar.State != word.Unset {
		scalar.Scalar = access.Word{}
	}
	if scalar.State == word.Unset {
		scalar.State = word.Set
		scalar.Scalar = access.Word{}
	}
	st.setVar(names[0], scalar)
}

// twin is the value that the other one of a tied pair has where one has v.
func twin(v word.Value, name string, exported bool) word.Value {
	out := word.Value{State: word.Set, Tied: name, Sep: v.Sep, Exported: exported}
	if v.State != word.Set || v.Map != nil {
		out.State = word.Unknown
		return out
	}
	if v.List != nil {
		for i := range len(v.List) {
			if i > 0 {
				out.Scalar = out.Scalar.Concat(access.Text(v.Sep))
			}
			out.Scalar = out.Scalar.Concat(v.List[i])
		}
		return out
	}
	lit, ok := v.Scalar.Lit()
	if !ok {
		out.State = word.Unknown
		return out
	}
	out.List = map[int]access.Word{}
	if lit != "" {
		for i, part := range strings.Split(lit, v.Sep) {
			out.List[i] = access.Text(part)
		}
	}
	out.Scalar = out.List[0]
	return out
}
