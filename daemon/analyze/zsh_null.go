package analyze

import (
	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// nullCommand is what zsh runs where there are redirections alone: NULLCMD, or
// READNULLCMD if there is one that reads (zshmisc(1), "Redirections with no
// command"). By default both show what they read; which one it is isn't looked at.
func (x *run) nullCommand(st *state) []*state {
	var out []*state
	for _, name := range []string{"NULLCMD", "READNULLCMD"} {
		if !st.hasVar(name) {
			continue
		}
		v := x.get(st, name)
		s := st.fork()
		switch {
		case v.State == word.Unset:
			s.status = no
			out = append(out, s)
		case v.Scalar.Empty() && v.State == word.Set:
			s.status = yes
			out = append(out, s)
		default:
			w := v.Scalar
			if v.State == word.Unknown {
				w = anything
			}
			w.Start, w.End = x.at[0], x.at[1]
			out = append(out, x.dispatch(&invocation{x: x, st: s, argv: []access.Word{w}, start: x.at[0], end: x.at[1]}, true)...)
		}
	}
	if len(out) < 2 { // both of them have another meaning
		if st.in.kind == fromText {
			st.print(st.in.text)
		} else if st.keep {
			st.print(anything)
		}
		st.status = yes
		out = append(out, st)
	}
	return x.spoke(merge(out), access.Word{})
}
