package analyze

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// stmts runs statements one after the other.
func (x *run) stmts(list []*syntax.Stmt, sts []*state) []*state {
	for i, s := range list {
		if s.Background && i+1 < len(list) && waits(list[i+1]) {
			x.awaits(s)
		}
		sts = x.eachState(sts, func(st *state) []*state { return x.stmt(s, st) })
	}
	return sts
}

// eachState continues with every state that is still in the flow.
func (x *run) eachState(sts []*state, f func(*state) []*state) []*state {
	if len(sts) == 1 {
		if sts[0].flow != goesOn {
			return sts
		}
		return merge(f(sts[0]))
	}
	var out []*state
	for _, st := range sts {
		if st.flow != goesOn {
			out = append(out, st)
			continue
		}
		out = append(out, f(st)...)
	}
	return merge(out)
}

// maxDeep bounds the walk's own recursion. The parser's depth is limited already;
// functions and nested texts stack trees upon each other.
const maxDeep = 2000

// stmt runs one statement.
func (x *run) stmt(s *syntax.Stmt, st *state) []*state {
	if x.over || !x.b.Spend(guard.Statements, 1) {
		x.over = true
		return st.alone()
	}
	if x.deep++; x.deep > maxDeep {
		x.b.Exceed(guard.Frames)
		x.over = true
	}
	defer func() { x.deep-- }()
	old := x.at
	x.at = [2]int{int(s.Pos().Offset()), int(s.End().Offset())}
	defer func() { x.at = old }()

	if s.Background || s.Coprocess || s.Disown {
		return x.background(s, st)
	}
	sts := x.plainStmt(s, st)
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && c == x.unaliased {
		return sts // the commands that stand in its place were looked at
	}
	if !s.Negated && checked(s.Cmd) {
		old := x.tests
		if old == counts && x.a.OS == "darwin" && !simpleCommand(s.Cmd) && !x.atLeast(st, 4, 1) {
			x.tests = unsure // before 4.1 set -e looked at simple commands alone
		}
		sts = x.failing(sts)
		x.tests = old
	}
	return x.interrupted(sts)
}

func (x *run) plainStmt(s *syntax.Stmt, st *state) []*state {
	old := x.tests
	if s.Negated {
		x.tests = ignored
	}
	var sts []*state
	if len(st.traps) > 0 && x.announced(s.Cmd, st) {
		sts = x.behind(x.debugged([]*state{st}), func(st *state) []*state { return x.carriedOut(s, st) })
	} else {
		sts = x.carriedOut(s, st)
	}
	x.tests = old
	if x.asks.pipes {
		x.setsPipes(s.Cmd, sts)
	}
	if s.Negated {
		for _, r := range sts {
			// bash leaves by a return before it negates.
			if r.flow == goesOn || r.flow == breaks || r.flow == continues || r.flow == returns && r.zsh {
				r.status = r.status.not()
			}
		}
	}
	return sts
}

// carriedOut runs the command of a statement with its redirections.
func (x *run) carriedOut(s *syntax.Stmt, st *state) []*state {
	if len(s.Redirs) == 0 {
		return x.command(s.Cmd, st)
	}
	return x.redirected(s, st)
}

// command runs a command without its redirections.
func (x *run) command(c syntax.Command, st *state) []*state {
	switch c := c.(type) {
	case nil:
		if st.zsh {
			return x.nullCommand(st)
		}
		st.status = yes
		return x.spoke(st.alone(), access.Word{})
	case *syntax.CallExpr:
		return x.call(c, st)
	case *syntax.BinaryCmd:
		return x.binary(c, st)
	case *syntax.Block:
		if st.zsh && isAlways(c) {
			return x.always(c.Stmts[0], c.Stmts[2], st)
		}
		return x.stmts(c.Stmts, []*state{st})
	case *syntax.Subshell:
		return x.subshell(c.Stmts, st)
	case *syntax.IfClause:
		return x.ifClause(c, st)
	case *syntax.WhileClause:
		return x.while(c, st)
	case *syntax.ForClause:
		if l, ok := c.Loop.(*syntax.CStyleLoop); ok {
			return x.cLoop(c, l, st)
		}
		return x.forIn(c, c.Loop.(*syntax.WordIter), st)
	case *syntax.CaseClause:
		return x.caseClause(c, st)
	case *syntax.FuncDecl:
		if c.Body != nil {
			if _, list := c.Body.Cmd.(*syntax.BinaryCmd); list {
				return x.command(definitionFirst(c), st)
			}
		}
		return x.funcDecl(c, st)
	case *syntax.ArithmCmd:
		return x.truth(c.X, st)
	case *syntax.LetClause:
		sts, out := []*state{st}, []*state(nil)
		for _, e := range c.Exprs {
			sts = x.eachState(sts, func(st *state) []*state {
				ok, bad := x.letSums(e, st)
				out = append(out, bad...)
				return ok
			})
		}
		return x.spoke(merge(append(out, sts...)), anything)
	case *syntax.TestClause:
		return x.testClause(c, st)
	case *syntax.DeclClause:
		return x.spokeLike(c, x.declClause(c, st))
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return x.spoke(st.alone(), access.Word{})
		}
		return x.stmt(c.Stmt, st)
	case *syntax.CoprocClause:
		sub := st.fork()
		sub.in, sub.keep = input{kind: fromPipe}, false
		x.keepFiles(st, x.ends(x.stmt(c.Stmt, x.asSubshell(sub))))
		name := "COPROC"
		if c.Name != nil {
			if lit := c.Name.Lit(); lit != "" {
				name = lit
			}
		}
		part := access.Unknowable(access.Name, 0, 0)
		x.assign(st, name, word.Value{State: word.Set, Scalar: part, List: map[int]access.Word{0: part, 1: part}}, access.Word{})
		st.status = yes
		return st.alone()
	}
	start, end := int(c.Pos().Offset()), int(c.End().Offset())
	x.unknown("this kind of command isn't known", start, end)
	st.status = either
	return st.alone()
}

// binary runs && || and pipelines. Chains make a tree as deep as they are long on
// their left side, so that side is taken apart in a loop.
func (x *run) binary(c *syntax.BinaryCmd, st *state) []*state {
	type link struct {
		op   syntax.BinCmdOperator
		stmt *syntax.Stmt
	}
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		return x.pipeline(c, st)
	}
	var links []link
	for {
		links = append(links, link{c.Op, c.Y})
		left := c.X
		b, ok := left.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op == syntax.Pipe || b.Op == syntax.PipeAll || left.Negated || left.Background || len(left.Redirs) > 0 {
			break
		}
		c = b
	}
	old := x.tests
	x.tests = ignored // but the last command's
	sts := x.stmt(c.X, st)
	for i := len(links) - 1; i >= 0; i-- {
		l := links[i]
		if i == 0 {
			x.tests = old
		}
		var out []*state
		for _, s := range sts {
			run, skip := s, (*state)(nil)
			want := yes
			if l.op == syntax.OrStmt {
				want = no
			}
			switch {
			case s.flow != goesOn || s.status == want.not():
				out = append(out, s)
				continue
			case s.status == either:
				skip = s.fork()
				skip.status = want.not()
				out = append(out, skip)
			}
			run.status = want
			out = append(out, x.stmt(l.stmt, run)...)
		}
		sts = merge(out)
	}
	return sts
}

// stages lists the commands of a pipeline from left to right.
func stages(c *syntax.BinaryCmd) []*syntax.Stmt {
	var back []*syntax.Stmt
	for {
		back = append(back, c.Y)
		b, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.Pipe && b.Op != syntax.PipeAll || c.X.Negated || c.X.Background || len(c.X.Redirs) > 0 {
			back = append(back, c.X)
			break
		}
		c = b
	}
	out := make([]*syntax.Stmt, 0, len(back))
	for i := len(back) - 1; i >= 0; i-- {
		out = append(out, back[i])
	}
	return out
}

// pipeline runs the commands of a pipeline, each in a shell of its own, each with
// what the one before writes. Only its status, output and files remain; in zsh,
// and under lastpipe, the last command runs in the shell itself.
func (x *run) pipeline(c *syntax.BinaryCmd, st *state) []*state {
	list := stages(c)
	x.announcedApart(list, st)
	type stage struct {
		in   input
		fine status // none of the commands before has failed
	}
	ins := []stage{{st.in, yes}}
	pipes := make([]status, len(list))
	for i, s := range list[:len(list)-1] {
		var next []stage
		var ended []*state
		for _, from := range ins {
			in := from.in
			sub := st.fork()
			sub.in, sub.out, sub.keep = in, access.Word{}, true
			x.forked, _ = s.Cmd.(*syntax.CallExpr)
			res := x.ends(x.stmt(s, x.asSubshell(sub)))
			x.keepFiles(st, res)
			ended = append(ended, res...)
			for _, w := range outputs(res) {
				fine := res[0].status
				for _, r := range res {
					if r.status != fine {
						fine = either
					}
				}
				next = append(next, stage{input{kind: kindOf(w), text: w}, both(from.fine, fine)})
			}
		}
		if len(next) > 4 {
			next = []stage{{input{kind: fromPipe}, either}}
		}
		ins = next
		pipes[i] = oneStatus(ended)
	}
	last := list[len(list)-1]
	stays := st.zsh || x.option(st, "lastpipe")
	var out []*state
	pipefail := x.option(st, "pipefail")
	for _, from := range ins {
		sub := st.fork()
		sub.in = from.in
		if !stays {
			x.asSubshell(sub)
			x.forked, _ = last.Cmd.(*syntax.CallExpr)
		}
		res := x.stmt(last, sub)
		if stays {
			for _, r := range res {
				r.in, r.pipes = st.in, x.piped(pipes, r.status)
				if pipefail {
					r.status = both(from.fine, r.status)
				}
			}
			out = append(out, res...)
			continue
		}
		res = x.ends(res)
		for _, r := range res {
			r.in = st.in // the pipe was the last command's alone
		}
		res = x.absorb(st, res)
		for _, r := range res {
			r.pipes = x.piped(pipes, r.status)
			if pipefail {
				r.status = both(from.fine, r.status)
			}
		}
		out = append(out, res...)
	}
	return merge(out)
}

// subshell runs statements in a copy of the shell.
func (x *run) subshell(list []*syntax.Stmt, st *state) []*state {
	sub := x.asSubshell(st.fork())
	if !st.zsh {
		sub.loops = 0 // break in it ends no loop around it (bash 5.2; that in $(…) and pipes does)
	}
	res := x.ends(x.stmts(list, []*state{sub}))
	for _, r := range res {
		r.loops = st.loops
	}
	return x.absorb(st, res)
}

// absorb brings back to a shell what remains of its subshells: output, files, and
// the status.
func (x *run) absorb(st *state, res []*state) []*state {
	var out []*state
	for _, r := range res {
		s := st.fork()
		s.out, s.files, s.status = r.out, r.files, r.status
		if r.in.kind == fromText && st.in.kind == fromText {
			s.in = r.in // what the subshell has read is gone
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return st.alone()
	}
	return merge(out)
}

// keepFiles makes the files of subshells known to a shell.
func (x *run) keepFiles(st *state, res []*state) {
	for _, r := range res {
		for name, f := range r.files {
			old, ok := st.files[name]
			switch {
			case !ok || len(res) == 1:
				st.setFile(name, f)
			case old.written() && f.written() && (old.known != f.known || !sameWord(old.content, f.content)):
				st.setFile(name, file{content: from(anything, "what a subshell leaves in "+path.Base(name))})
			}
		}
	}
}

// outputs are the different outputs of states, at most four; more are unknown.
func outputs(res []*state) []access.Word {
	var out []access.Word
next:
	for _, r := range res {
		for _, o := range out {
			if sameWord(o, r.out) {
				continue next
			}
		}
		out = append(out, r.out)
	}
	if len(out) == 0 || len(out) > 4 {
		return []access.Word{anything}
	}
	return out
}

// capture runs statements in a subshell and returns what they may print. In a
// command substitution, unlike a process substitution, bash forgets set -e; zsh doesn't.
func (x *run) capture(list []*syntax.Stmt, st *state, process bool) ([]access.Word, status) {
	if x.over || !x.b.Enter(guard.NestDepth) {
		return []access.Word{anything}, either
	}
	defer x.b.Leave(guard.NestDepth)
	sub := st.fork()
	sub.out, sub.keep = access.Word{}, true
	x.asSubshell(sub)
	tests, off := x.tests, x.off
	defer func() { x.tests, x.off = tests, off }()
	forgets := !process && !x.option(st, "inherit_errexit") && !x.option(st, "posix") && (!st.child || st.bash) && !st.zsh
	if tests == quiet {
		x.tests = counts
	}
	forgets, x.off = forgets || off, off && process
	if forgets && x.option(st, "errexit") {
		sub.setOpt("errexit", false)
	}
	if n := len(list); n > 0 && list[n-1].Background { // its output ends when nobody writes there any more
		x.awaits(list[n-1])
	}
	var res []*state
	if w := readsFile(list); w != nil { // $(< file)
		x.reading = true
		res = x.redirected(list[0], sub)
	} else {
		res = x.ends(x.stmts(list, []*state{sub}))
	}
	x.keepFiles(st, res)
	return outputs(res), oneStatus(res)
}

// oneStatus is the status that several states have.
func oneStatus(sts []*state) status {
	if len(sts) == 0 {
		return either
	}
	s := sts[0].status
	for _, r := range sts {
		if r.status != s {
			return either
		}
	}
	return s
}

// readsFile recognizes a command substitution that stands for a file's content.
func readsFile(list []*syntax.Stmt) *syntax.Redirect {
	if len(list) != 1 || list[0].Cmd != nil || len(list[0].Redirs) != 1 {
		return nil
	}
	if r := list[0].Redirs[0]; r.Op == syntax.RdrIn && (r.N == nil || r.N.Value == "0") {
		return r
	}
	return nil
}

func (x *run) ifClause(c *syntax.IfClause, st *state) []*state {
	sts := []*state{st}
	var out []*state
	for c != nil && len(sts) > 0 {
		if len(c.Cond) == 0 { // else
			return merge(append(out, x.stmts(c.Then, sts)...))
		}
		sts = x.inCondition(func() []*state { return x.stmts(c.Cond, sts) })
		then, rest := split2(sts, &out)
		if len(then) > 0 {
			out = append(out, x.stmts(c.Then, then)...)
		}
		sts = rest
		c = c.Else
	}
	for _, s := range sts {
		s.status = yes
	}
	return merge(append(out, sts...))
}

// split2 divides states by whether their condition may hold. States that have
// left the flow go to out.
func split2(sts []*state, out *[]*state) (then, rest []*state) {
	for _, s := range sts {
		switch {
		case s.flow != goesOn:
			*out = append(*out, s)
		case s.status == yes:
			then = append(then, s)
		case s.status == no:
			rest = append(rest, s)
		default:
			t := s.fork()
			t.status, s.status = yes, no
			then, rest = append(then, t), append(rest, s)
		}
	}
	return then, rest
}

// definitionFirst sets right how the library (v3.14.1) reads a definition with more
// of a list behind it: it takes all of `{ :; } && cat x | y` for the body of
// `f() { :; } && cat x | y`, of which the shell runs cat now.
func definitionFirst(d *syntax.FuncDecl) syntax.Command {
	var spine []*syntax.BinaryCmd
	leaf := d.Body
	for {
		b, ok := leaf.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		spine = append(spine, b)
		leaf = b.X
	}
	def := *d
	def.Body = leaf
	first := &syntax.Stmt{Cmd: &def, Position: d.Position}
	for k := len(spine) - 1; k > 0; k-- {
		b := *spine[k]
		b.X = first
		first = &syntax.Stmt{Cmd: &b, Position: d.Position}
	}
	whole := *spine[0]
	whole.X = first
	return &whole
}

// funcDecl defines a function; its body is looked at when it is called.
func (x *run) funcDecl(c *syntax.FuncDecl, st *state) []*state {
	names := c.Names
	if c.Name != nil {
		names = []*syntax.Lit{c.Name}
	}
	x.line.Changes = true
	for _, n := range names {
		x.defines(st, n.Value, int(n.Pos().Offset()), int(n.End().Offset()))
		st.setFunc(n.Value, function{body: c.Body})
		x.listedHook(st, n.Value, function{body: c.Body})
		if isHook(n.Value) && x.runsHook(st, n.Value) && (st.zsh || !strings.HasPrefix(n.Value, "TRAP")) {
			x.later(st, function{body: c.Body})
		}
	}
	st.status = yes
	if len(names) == 0 { // zsh's anonymous function runs at once
		return x.stmt(c.Body, st)
	}
	return st.alone()
}
