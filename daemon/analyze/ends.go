package analyze

import (
	"mvdan.cc/sh/v3/syntax"
)

// How lines end early: an error in an expansion gives up what the shell is about to
// run, and under set -e a failing command ends it. All of it was measured on bash
// 5.2, with -c and with -i, and set -e on zsh 5.9, which looks at the same commands.

// halt ends what a state is running at an error in an expansion. bash drops the
// line it has read and goes on behind it: with the next line of a -c text, or behind
// the eval or source that read it; a subshell ends. Where fatal is set (${x:?}, set
// -u), a shell that isn't interactive ends as well. zsh is not followed as far.
func (x *run) halt(st *state, fatal bool) {
	st.flow, st.status = discards, no
	if st.zsh || st.apart || fatal && !x.interactive(st) {
		st.flow = exits
	}
}

// interactive tells whether a state is that of an interactive shell.
func (x *run) interactive(st *state) bool {
	if st.child {
		return st.opts["interactive"]
	}
	return x.r.Interactive
}

// text runs the statements of a text that the shell reads line by line. What a line
// gives up ends with it.
func (x *run) text(list []*syntax.Stmt, sts []*state) []*state {
	for i, s := range list {
		if i > 0 && s.Pos().Line() > list[i-1].End().Line() {
			sts = resumed(sts)
		}
		sts = x.eachState(sts, func(st *state) []*state { return x.stmt(s, st) })
	}
	return resumed(sts)
}

// resumed are states with the lines behind them that they have given up.
func resumed(sts []*state) []*state {
	for _, st := range sts {
		if st.flow == discards {
			st.flow, st.status = goesOn, no
		}
	}
	return sts
}

// weight says what a failing command means where set -e is in force.
type weight uint8

const (
	counts  weight = iota // the shell ends
	ignored               // it stands in a condition: nothing
	quiet                 // or in an eval that does: set -e is off, but an ERR trap set in it runs
	unsure                // one or the other
)

// checked tells whether the shell looks at the status of a command: that of a list
// or of a compound command is the affair of the commands in it (bash(1), set -e).
func checked(c syntax.Command) bool {
	switch c := c.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause, *syntax.ArithmCmd, *syntax.TestClause, *syntax.Subshell:
		return true
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe || c.Op == syntax.PipeAll
	}
	return false
}

// simpleCommand tells whether a command is a simple one.
func simpleCommand(c syntax.Command) bool {
	switch c.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause:
		return true
	}
	return false
}

// failing runs the ERR trap in the states in which a command failed, and ends them
// under set -e.
func (x *run) failing(sts []*state) []*state {
	if x.tests == ignored {
		return sts
	}
	var out []*state
	for i, st := range sts {
		_, trapped := st.on("ERR")
		ends := x.tests != quiet && x.option(st, "errexit")
		if st.flow != goesOn || st.status == yes || !trapped && !ends {
			if out != nil {
				out = append(out, st)
			}
			continue
		}
		if out == nil {
			out = append(make([]*state, 0, len(sts)+1), sts[:i]...)
		}
		if st.status == either {
			fine := st.fork()
			fine.status = yes
			out = append(out, fine)
		}
		st.status = no
		// Shells differ in what they look at.
		if x.tests == unsure || st.child && !st.bash {
			out = append(out, st.fork())
		}
		for _, s := range x.fire(st, "ERR") {
			if s.flow == goesOn && x.tests != quiet && x.option(s, "errexit") {
				s.flow = exits
			}
			out = append(out, s)
		}
	}
	if out == nil {
		return sts
	}
	return merge(out)
}

// inCondition runs f where the status of its commands is looked at by something else.
func (x *run) inCondition(f func() []*state) []*state {
	old := x.tests
	x.tests = ignored
	defer func() { x.tests = old }()
	return f()
}

// inEval runs the text of an eval or a source. Where its status is looked at, bash
// turns set -e off for it and puts the ERR trap aside, instead of running the commands
// in it like others there (execute_builtin in 5.2): unless it has forked for it.
func (x *run) inEval(c *invocation, f func() []*state) []*state {
	if x.tests != ignored || c.st.zsh {
		return f()
	}
	off := x.off
	defer func() { x.tests, x.off = ignored, off }()
	if c.forked {
		x.tests, x.off = counts, false
		return f()
	}
	x.tests, x.off = quiet, true
	old, trapped := c.st.on("ERR")
	if trapped {
		c.st.dropTraps(func(t trap) bool { return t.on == "ERR" })
	}
	res := f()
	for _, r := range res {
		if trapped {
			r.dropTraps(func(t trap) bool { return t.on == "ERR" })
			r.traps = append(r.traps, old)
		}
	}
	return res
}
