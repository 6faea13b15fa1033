package analyze

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// trap is a command that the shell runs when something happens. That of EXIT stands
// in state.onExit.
type trap struct {
	on    string // ERR, DEBUG, RETURN, or the name of a signal
	text  access.Word
	maybe bool // it may be another, or none
}

// pseudo are the events of bash that are no signals.
var pseudo = words("ERR DEBUG RETURN")

// signals are the names of what a trap may wait for, for all that run the shell.
var signals = words("EXIT ERR DEBUG RETURN HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO SYS")

// signalName is a signal as trap takes it: with or without SIG, in any case.
func signalName(s string) string {
	if s == "0" {
		return "EXIT"
	}
	return strings.TrimPrefix(strings.ToUpper(s), "SIG")
}

// on is the trap of an event; the last is the one that was set last.
func (s *state) on(event string) (trap, bool) {
	for _, t := range s.traps {
		if t.on == event {
			return t, true
		}
	}
	return trap{}, false
}

func (s *state) dropTraps(drop func(trap) bool) {
	s.traps = slices.DeleteFunc(slices.Clone(s.traps), drop)
}

// doTrap is trap.
func doTrap(x *run, c *invocation) []*state {
	args := c.argv[1:]
	if len(args) > 0 {
		switch o, _ := args[0].Lit(); {
		case o == "--":
			args = args[1:]
		case len(o) > 1 && o[0] == '-': // -l -p -P
			c.st.print(anything)
			return c.done(yes)
		}
	}
	if len(args) == 0 {
		c.st.print(anything)
		return c.done(yes)
	}
	text, events := args[0], args[1:]
	if lit, ok := text.Lit(); len(events) == 0 || ok && lit != "" && strings.Trim(lit, "0123456789") == "" {
		text, events = access.Text("-"), args // trap EXIT, trap 2 3
	}
	for _, w := range events {
		if s, ok := w.Lit(); !c.st.apart && !c.st.child && (!ok || guardSignals[signalName(s)]) {
			x.onGuard(access.SelfDeny, w.Start, w.End, "sets a trap the guard depends on")
		}
	}
	if c.st.zsh {
		return x.zshTrap(c, text, events)
	}
	return x.setTraps(c, text, events)
}

// setTraps sets or takes away the traps of events in bash.
func (x *run) setTraps(c *invocation, text access.Word, events []access.Word) []*state {
	st := c.st
	lit, known := text.Lit()
	none := known && (lit == "" || lit == "-")
	// The shell of a person, or of an agent's tool, goes on behind the line.
	stays := x.r.Interactive && !st.apart && !st.child
	once := !known
	result := yes
	for _, w := range events {
		s, ok := w.Lit()
		name := signalName(s)
		if !ok || !signals[name] && strings.Trim(name, "0123456789") != "" {
			result = either
		}
		switch {
		case !known:
		case !ok && none: // any of them may be gone: what runs more is no harm
		case !ok:
			once = true
			for _, event := range []string{"ERR", "DEBUG", "RETURN", ""} {
				st.traps = append(slices.Clip(st.traps), trap{event, text, true})
			}
		case name == "EXIT":
			if st.onExit = text; none {
				st.onExit = access.Word{}
			}
			once = once || stays
		default:
			st.dropTraps(func(t trap) bool { return t.on == name })
			if !none {
				st.traps = append(st.traps, trap{on: name, text: text})
			}
			once = once || stays || !pseudo[name]
		}
	}
	if once && !none {
		x.runsLater(c, text, stays && !slices.ContainsFunc(events, func(w access.Word) bool { return signalName(litOf(w)) == "EXIT" }))
	}
	return c.done(result)
}

// runsLater looks at what a trap runs at some other time. If later lines are then in
// another directory than they are judged in, that is asked about now.
func (x *run) runsLater(c *invocation, text access.Word, lasts bool) {
	sub := c.st.fork()
	sub.keep, sub.status = false, either
	res := x.again(sub, text, "trap", c)
	x.keepFiles(c.st, res)
	for _, r := range res {
		if lasts && !sameWord(r.cwd, c.st.cwd) {
			x.unknown("the trap changes the directory of later lines", text.Start, text.End)
		}
	}
}

// zshTrap looks at the text of a trap of zsh when it is set: when it will run isn't
// followed.
func (x *run) zshTrap(c *invocation, text access.Word, _ []access.Word) []*state {
	if lit, ok := text.Lit(); !ok || lit != "" && lit != "-" {
		x.runsLater(c, text, false)
	}
	return c.done(either)
}

// before is the status that a shell had before a trap, and how deep it stands in
// subshells.
type before struct {
	status status
	depth  int
}

// fire runs the traps of an event in a state. It goes on with the status it had.
func (x *run) fire(st *state, event string) []*state {
	if x.firing[event] {
		return st.alone()
	}
	sts := []*state{st}
	for _, t := range st.traps {
		if t.on != event {
			continue
		}
		var out []*state
		for _, s := range sts {
			if s.flow != goesOn {
				out = append(out, s)
				continue
			}
			if t.maybe || s.child && !s.bash { // not every sh has these
				out = append(out, s.fork())
			}
			out = append(out, x.runTrap(s, t)...)
		}
		sts = merge(out)
	}
	return sts
}

// runTrap runs the text of a trap.
func (x *run) runTrap(st *state, t trap) []*state {
	was, pipes, tests := st.status, st.pipes, x.tests
	if tests == ignored || !pseudo[t.on] {
		x.tests = unsure
	}
	if x.firing == nil {
		x.firing = map[string]bool{}
	}
	x.firing[t.on] = true
	if t.on != "DEBUG" {
		x.earlier = append(x.earlier, before{was, st.depth})
	}
	n := len(x.earlier)
	defer func() {
		x.tests, x.firing[t.on] = tests, false
		if t.on != "DEBUG" {
			x.earlier = x.earlier[:n-1]
		}
	}()
	c := &invocation{x: x, st: st, argv: []access.Word{access.Text("trap")}, start: t.text.Start, end: t.text.End}
	res := x.again(st, t.text, "trap", c)
	for _, r := range res {
		if r.pipes = pipes; r.flow == goesOn {
			r.status = was
		}
	}
	return res
}

// returned are the states after the RETURN trap of a function or a sourced text.
func (x *run) returned(sts []*state) []*state {
	if !slices.ContainsFunc(sts, func(s *state) bool { return len(s.traps) > 0 }) {
		return sts
	}
	var out []*state
	for _, s := range sts {
		if s.flow != goesOn && s.flow != returns {
			out = append(out, s)
			continue
		}
		s.flow = goesOn
		out = append(out, x.fire(s, "RETURN")...)
	}
	return out
}

// debugged are the states after the DEBUG trap, which runs before a simple command,
// a round of for, a case, a select, and each arithmetic expression.
func (x *run) debugged(sts []*state) []*state {
	if !slices.ContainsFunc(sts, func(s *state) bool { return len(s.traps) > 0 }) {
		return sts
	}
	return x.eachState(sts, func(s *state) []*state {
		if _, ok := s.on("DEBUG"); !ok {
			return s.alone()
		}
		return x.fire(s, "DEBUG")
	})
}

// behind runs a command in the states after the DEBUG trap. What that breaks ends
// behind the command.
func (x *run) behind(sts []*state, run func(*state) []*state) []*state {
	var out []*state
	for _, st := range sts {
		flow, levels := st.flow, st.levels
		if flow == breaks || flow == continues {
			st.flow, st.levels = goesOn, 0
			for _, r := range run(st) {
				if r.flow == goesOn {
					r.flow, r.levels = flow, levels
				}
				out = append(out, r)
			}
		} else if flow == goesOn {
			out = append(out, run(st)...)
		} else {
			out = append(out, st)
		}
	}
	return merge(out)
}

// announced tells whether the DEBUG trap runs before a command as a whole.
func (x *run) announced(c syntax.Command, st *state) bool {
	switch c := c.(type) {
	case nil, *syntax.DeclClause, *syntax.TestClause, *syntax.LetClause, *syntax.ArithmCmd, *syntax.CaseClause:
		return true
	case *syntax.ForClause:
		return c.Select
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return true
		}
		name := c.Args[0].Lit()
		_, own := st.alias[name]
		_, shell := x.r.Aliases[name]
		return !own && !shell // else it runs before what the alias stands for
	}
	return false
}

// announcedApart runs the DEBUG trap for commands that run in processes of their own:
// the shell itself runs it, before. What it changes then is not followed.
func (x *run) announcedApart(list []*syntax.Stmt, st *state) {
	if _, ok := st.on("DEBUG"); !ok || x.firing["DEBUG"] {
		return
	}
	for _, s := range list {
		if !x.announced(s.Cmd, st) {
			continue
		}
		for _, r := range x.fire(st.fork(), "DEBUG") {
			r.status = st.status
			if !equal(r, st) || x.option(st, "functrace") {
				x.unknown("what a DEBUG trap does before a pipeline or a job isn't followed", int(s.Pos().Offset()), int(s.End().Offset()))
				return
			}
		}
	}
}

// mayEnd tells whether a command may send a signal to the shell that runs it.
func mayEnd(argv []access.Word) bool {
	switch path.Base(litOf(argv[0])) {
	case "pkill", "killall", "skill":
		return true
	case "kill":
		return slices.ContainsFunc(argv[1:], func(w access.Word) bool { return !w.Known() || litOf(w) == "0" })
	}
	return false
}

// interrupted adds the states that the traps of signals leave: one may come after any
// command. Where nothing in the line sends one, what ends the shell adds nothing.
func (x *run) interrupted(sts []*state) []*state {
	if !slices.ContainsFunc(sts, func(s *state) bool { return len(s.traps) > 0 || !s.onExit.Empty() }) {
		return sts
	}
	kills := strings.Contains(x.r.Line, "kill")
	var out []*state
	for _, st := range sts {
		out = append(out, st)
		if kills && st.flow == goesOn && !st.onExit.Empty() {
			gone := st.fork()
			gone.flow, gone.status = exits, no
			out = append(out, gone)
		}
		if len(st.traps) == 0 || st.flow != goesOn || slices.ContainsFunc(x.tried, func(s *state) bool { return equal(s, st) }) {
			continue
		}
		n, skipped := len(out), false
		for _, t := range st.traps {
			if pseudo[t.on] || x.firing[t.on] {
				skipped = skipped || !pseudo[t.on]
				continue
			}
			for _, r := range x.runTrap(st.fork(), t) {
				if r.flow == goesOn && like(r, st) || r.flow != goesOn && !kills {
					continue
				}
				out = append(out, r)
			}
		}
		if len(out) == n && !skipped { // nothing comes of it
			if x.tried = append(x.tried, st.fork()); len(x.tried) > 2*few {
				x.tried = x.tried[1:]
			}
		}
	}
	return merge(out)
}

// like tells whether two states differ in nothing but files and where the input stands.
func like(a, b *state) bool {
	c := a.fork()
	c.files, c.in, c.status = b.files, b.in, b.status
	return equal(c, b)
}

// ends runs the EXIT traps of a shell that ends, each in the state the shell ends in.
func (x *run) ends(sts []*state) []*state {
	if !slices.ContainsFunc(sts, func(s *state) bool { return !s.onExit.Empty() }) {
		return sts
	}
	tests := x.tests
	if tests != counts {
		x.tests = unsure
	}
	defer func() { x.tests = tests }()
	var out []*state
	for _, st := range sts {
		if st.onExit.Empty() {
			out = append(out, st)
			continue
		}
		text, how, levels, was := st.onExit, st.flow, st.levels, st.status
		st.onExit, st.flow, st.levels = access.Word{}, goesOn, 0
		if !text.Known() {
			x.unknown("the text that trap runs can't be determined", text.Start, text.End)
		} else {
			c := &invocation{x: x, st: st, argv: []access.Word{access.Text("trap")}, start: text.Start, end: text.End}
			x.earlier = append(x.earlier, before{was, st.depth})
			res := x.again(st, text, "trap", c)
			x.earlier = x.earlier[:len(x.earlier)-1]
			for _, r := range res {
				if r.flow != exits {
					r.status = was
				}
				r.flow, r.levels = how, levels
				out = append(out, r)
			}
			continue
		}
		st.flow, st.levels = how, levels
		out = append(out, st)
	}
	return out
}

// asSubshell makes a subshell of a state: it has none of the traps, but those of
// bash that are to be traced (set -E, set -T).
func (x *run) asSubshell(s *state) *state {
	s.apart, s.onExit = true, access.Word{}
	s.depth++
	if len(s.traps) > 0 {
		s.dropTraps(func(t trap) bool { return !x.traced(s, t.on) })
	}
	return s
}

// traced tells whether functions and subshells have a trap of the shell around them.
func (x *run) traced(s *state, event string) bool {
	switch event {
	case "ERR":
		return x.option(s, "errtrace")
	case "DEBUG", "RETURN":
		return x.option(s, "functrace")
	}
	return false
}

// setTrapsAside takes away the traps that a function or a sourced text doesn't have;
// put back brings back what was not set there anew.
func (x *run) setTrapsAside(s *state, events ...string) (aside []trap) {
	if len(s.traps) == 0 || s.zsh {
		return nil
	}
	gone := func(t trap) bool { return slices.Contains(events, t.on) && !x.traced(s, t.on) }
	for _, t := range s.traps {
		if gone(t) {
			aside = append(aside, t)
		}
	}
	if len(aside) > 0 {
		s.dropTraps(gone)
	}
	return aside
}

func (s *state) putTrapsBack(aside []trap) {
	for _, t := range aside {
		if new, ok := s.on(t.on); !ok || new.maybe {
			s.traps = append(slices.Clip(s.traps), t)
		}
	}
}
