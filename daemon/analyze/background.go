package analyze

import (
	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// background runs a statement in a shell beside this one.
func (x *run) background(s *syntax.Stmt, st *state) []*state {
	x.announcedApart([]*syntax.Stmt{s}, st)
	x.forked, _ = s.Cmd.(*syntax.CallExpr)
	sub := st.fork()
	if s.Coprocess || !x.r.Interactive || st.apart || st.child {
		sub.in = input{kind: fromFile} // not the terminal: with job control fg gives it back
	}
	sub.keep, sub.out = st.keep && !s.Coprocess, access.Word{}
	res := x.ends(x.plainStmt(s, x.asSubshell(sub)))
	x.keepFiles(st, res)
	outs := outputs(res)
	if len(outs) == 1 && (outs[0].Empty() || x.awaited[s] && !x.renames(st, "wait")) {
		st.print(outs[0])
	} else if st.keep { // when it is written, among what else, isn't known
		st.print(from(anything, "what a background command writes"))
	}
	st.status = yes
	return st.alone()
}

// renames tells whether a name of a builtin may be something else in this shell.
func (x *run) renames(st *state, name string) bool {
	_, function := st.funcs[name]
	_, alias := st.alias[name]
	_, ours := x.r.Functions[name]
	_, too := x.r.Aliases[name]
	return function || alias || ours || too
}

// awaits notes a background command at whose end the shell, or who reads its output,
// waits before anything else is written.
func (x *run) awaits(s *syntax.Stmt) {
	if x.awaited == nil {
		x.awaited = map[*syntax.Stmt]bool{}
	}
	x.awaited[s] = true
}

// waits tells whether a statement is wait for the last background command: without
// words, or with $!.
func waits(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Background || s.Coprocess || s.Negated || len(s.Redirs) > 0 || len(c.Assigns) > 0 || len(c.Args) == 0 || c.Args[0].Lit() != "wait" {
		return false
	}
	if len(c.Args) == 1 {
		return true
	}
	if len(c.Args) > 2 || len(c.Args[1].Parts) != 1 {
		return false
	}
	p, ok := c.Args[1].Parts[0].(*syntax.ParamExp)
	return ok && p.Short && p.Param != nil && p.Param.Value == "!"
}
