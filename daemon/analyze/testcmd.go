package analyze

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// fileTests are the operators of test and [[ that look at a file.
const fileTests = "abcdefghkprsuwxGLNOS"

// doTest is test and [: words in fixed places.
func doTest(x *run, c *invocation) []*state {
	args := c.argv[1:]
	open := c.name() == "["
	if n := len(args); open && n > 0 && litOf(args[n-1]) == "]" {
		args, open = args[:n-1], false
	}
	for i := 0; i < len(args); i++ {
		op, ok := args[i].Lit()
		if !ok {
			continue
		}
		// A binary operator between two words.
		if i > 0 && i+1 < len(args) {
			switch op {
			case "-nt", "-ot", "-ef":
				x.touch(c.st, c.st.cwd, target{word: args[i-1], kind: access.Read, why: "operand of " + op})
				x.touch(c.st, c.st.cwd, target{word: args[i+1], kind: access.Read, why: "operand of " + op})
				continue
			case "=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
				continue
			}
		}
		if len(op) == 2 && op[0] == '-' && i+1 < len(args) {
			switch {
			case strings.IndexByte(fileTests, op[1]) >= 0:
				if (op == "-a" || op == "-o") && i > 0 {
					continue // and, or
				}
				x.touch(c.st, c.st.cwd, target{word: args[i+1], kind: access.Read, why: "operand of " + op, itself: op == "-L" || op == "-h"})
				i++
			case op == "-v":
				x.subscript(c.st, args[i+1])
				i++
			}
		}
	}
	s := x.testWords(c.st, args)
	if open {
		s = either
	}
	return c.done(s)
}

func emptiness(op string, w access.Word) status {
	lit, ok := w.Lit()
	if !ok {
		for _, s := range w.Segs {
			if s.Class == access.Name || s.Class == access.Known && s.Text != "" {
				return truthOf(op == "-n")
			}
		}
		return either
	}
	return truthOf((lit == "") == (op == "-z"))
}

func truthOf(b bool) status {
	if b {
		return yes
	}
	return no
}

func compare(op string, a, b access.Word) status {
	x, ok := a.Lit()
	y, ok2 := b.Lit()
	if !ok || !ok2 {
		return either
	}
	switch op {
	case "=", "==":
		return truthOf(x == y)
	case "!=":
		return truthOf(x != y)
	}
	n, err := strconv.Atoi(x)
	m, err2 := strconv.Atoi(y)
	if err != nil || err2 != nil {
		return either
	}
	switch op {
	case "-eq":
		return truthOf(n == m)
	case "-ne":
		return truthOf(n != m)
	case "-lt":
		return truthOf(n < m)
	case "-le":
		return truthOf(n <= m)
	case "-gt":
		return truthOf(n > m)
	case "-ge":
		return truthOf(n >= m)
	}
	return either
}

// testClause runs [[ ]]. Both sides of && and || are looked at, as far as they
// may be reached.
func (x *run) testClause(c *syntax.TestClause, st *state) []*state {
	return x.testExpr(c.X, st)
}

func (x *run) testExpr(t syntax.TestExpr, st *state) []*state {
	switch t := t.(type) {
	case *syntax.Word:
		return x.tested(st, t, func(_ *state, w access.Word) status { return emptiness("-n", w) })
	case *syntax.ParenTest:
		return x.testExpr(t.X, st)
	case *syntax.UnaryTest:
		return x.unaryTest(t, st)
	case *syntax.BinaryTest:
		return x.binaryTest(t, st)
	}
	st.status = either
	return []*state{st}
}

// tested expands a word and gives it to a test.
func (x *run) tested(st *state, w *syntax.Word, f func(*state, access.Word) status) []*state {
	var out []*state
	for _, a := range x.one(st, w, word.Single) {
		if a.stop {
			x.halt(a.st, a.fatal)
		} else {
			a.st.status = f(a.st, a.words[0])
		}
		out = append(out, a.st)
	}
	return merge(out)
}

func (x *run) unaryTest(t *syntax.UnaryTest, st *state) []*state {
	switch t.Op {
	case syntax.TsNot:
		sts := x.testExpr(t.X, st)
		for _, s := range sts {
			s.status = s.status.not()
		}
		return sts
	case syntax.TsParen:
		return x.testExpr(t.X, st)
	}
	w, ok := t.X.(*syntax.Word)
	if !ok {
		return x.testExpr(t.X, st)
	}
	op := t.Op.String()
	return x.tested(st, w, func(s *state, v access.Word) status {
		switch t.Op {
		case syntax.TsEmpStr, syntax.TsNempStr:
			return emptiness(op, v)
		case syntax.TsVarSet:
			x.subscript(s, v)
			return either
		case syntax.TsOptSet, syntax.TsRefVar, syntax.TsFdTerm:
			return either
		}
		x.touch(s, s.cwd, target{word: v, kind: access.Read, why: "operand of " + op, itself: t.Op == syntax.TsSmbLink})
		return either
	})
}

func (x *run) binaryTest(t *syntax.BinaryTest, st *state) []*state {
	switch t.Op {
	case syntax.AndTest, syntax.OrTest:
		// The left spine is as deep as the chain is long.
		var rights []*syntax.BinaryTest
		left := syntax.TestExpr(t)
		for {
			b, ok := left.(*syntax.BinaryTest)
			if !ok || b.Op != syntax.AndTest && b.Op != syntax.OrTest {
				break
			}
			rights = append(rights, b)
			left = b.X
		}
		sts := x.testExpr(left, st)
		for i := len(rights) - 1; i >= 0; i-- {
			want := truthOf(rights[i].Op == syntax.AndTest)
			var out []*state
			for _, s := range sts {
				if s.flow != goesOn || s.status == want.not() {
					out = append(out, s)
					continue
				}
				if s.status == either {
					skip := s.fork()
					skip.status = want.not()
					out = append(out, skip)
				}
				out = append(out, x.testExpr(rights[i].Y, s)...)
			}
			sts = merge(out)
		}
		return sts
	}
	a, ok := t.X.(*syntax.Word)
	b, ok2 := t.Y.(*syntax.Word)
	if !ok || !ok2 {
		sts := x.testExpr(t.X, st)
		return x.eachState(sts, func(s *state) []*state { return x.testExpr(t.Y, s) })
	}
	var out []*state
	for _, l := range x.one(st, a, word.Single) {
		f := expander(word.Single)
		pattern := t.Op == syntax.TsMatch || t.Op == syntax.TsMatchShort || t.Op == syntax.TsNoMatch
		if pattern {
			f = word.Pattern
		}
		for _, r := range x.one(l.st, b, f) {
			s := r.st
			if l.stop || r.stop {
				x.halt(s, l.fatal || r.fatal)
				out = append(out, s)
				continue
			}
			v, w := l.words[0], r.words[0]
			s.status = either
			switch t.Op {
			case syntax.TsMatch, syntax.TsMatchShort:
				s.status = x.match(s, v, w)
			case syntax.TsNoMatch:
				s.status = x.match(s, v, w).not()
			case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
				for _, o := range []access.Word{v, w} {
					x.touch(s, s.cwd, target{word: o, kind: access.Read, why: "operand of " + t.Op.String()})
				}
			case syntax.TsReMatch:
				s.status = x.matchExpr(s, v, w)
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				n, ok := x.calculated(s, v)
				m, ok2 := x.calculated(s, w)
				if s.status = compare(t.Op.String(), n, m); !ok || !ok2 {
					s.status = no
				}
			case syntax.TsBefore, syntax.TsAfter:
				s.status = x.collated(s, t.Op.String(), v, w)
			}
			out = append(out, s)
		}
	}
	return merge(out)
}
