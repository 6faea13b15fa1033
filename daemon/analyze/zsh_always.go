package analyze

import (
	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/analyze/zshform"
)

// isAlways tells whether a block stands for { try } always { finally }.
func isAlways(c *syntax.Block) bool {
	if len(c.Stmts) != 3 {
		return false
	}
	call, ok := c.Stmts[1].Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) == 2 && call.Args[0].Lit() == ":" && call.Args[1].Lit() == zshform.Always
}

// always runs { try } always { finally } (zshmisc(1)): the second list runs however
// the first ends, by an error, break, continue or return too, and then that goes on
// as if the second were not there; setting TRY_BLOCK_ERROR there takes an error
// back. After exit it doesn't run, but exit isn't told from an error here.
func (x *run) always(try, finally *syntax.Stmt, st *state) []*state {
	var out []*state
	for _, s := range x.stmt(try, st) {
		flow, levels, status := s.flow, s.levels, s.status
		s.flow, s.levels = goesOn, 0
		for _, r := range x.stmt(finally, s) {
			_, reset := r.vars["TRY_BLOCK_ERROR"]
			if r.flow == goesOn && !(reset && flow == exits) {
				r.flow, r.levels, r.status = flow, levels, status
			}
			out = append(out, r)
		}
	}
	return merge(out)
}
