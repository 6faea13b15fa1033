package analyze

import (
	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// truth evaluates an arithmetic command: 0 is false, and so is an error.
func (x *run) truth(e syntax.ArithmExpr, st *state) []*state {
	ok, bad := x.sums(e, st)
	return merge(append(ok, bad...))
}

// sums evaluates an arithmetic expression. bad are the states in which there is an
// error in it.
func (x *run) sums(e syntax.ArithmExpr, st *state) (ok, bad []*state) {
	if e == nil {
		st.status = yes
		return st.alone(), nil
	}
	for _, a := range x.arith(st, e) {
		if a.st.status = nonZero(a.words[0]); a.stop {
			if a.st.status = no; a.fatal {
				x.halt(a.st, true)
			}
			bad = append(bad, a.st)
			continue
		}
		ok = append(ok, a.st)
	}
	return merge(ok), bad
}

// letSums evaluates an argument of let, which is a word of a command: its quotes are
// taken off before it is read as arithmetic.
func (x *run) letSums(e syntax.ArithmExpr, st *state) (ok, bad []*state) {
	w, is := e.(*syntax.Word)
	if !is || w.Lit() != "" {
		return x.sums(e, st)
	}
	for _, a := range x.one(st, w, word.Single) {
		if a.stop {
			x.halt(a.st, a.fatal)
			bad = append(bad, a.st)
			continue
		}
		n, sure := x.calculated(a.st, a.words[0])
		if a.st.status = nonZero(n); !sure {
			a.st.status = no
			bad = append(bad, a.st)
			continue
		}
		ok = append(ok, a.st)
	}
	return merge(ok), bad
}

// nonZero is the status of an arithmetic command.
func nonZero(w access.Word) status {
	n, ok := w.Lit()
	if !ok {
		return either
	}
	return truthOf(n != "0")
}
