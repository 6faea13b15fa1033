package analyze

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/command"
)

// doPrefix is a precommand modifier of zsh.
func doPrefix(x *run, c *invocation) []*state {
	if len(c.argv) < 2 {
		return c.done(yes)
	}
	c.argv = c.argv[1:]
	c.vars = nil
	return x.dispatch(c, true)
}

// doCommand is command: no functions, no aliases; -v and -V only look names up.
func doCommand(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for len(args) > 0 {
		o, _ := args[0].Lit()
		if o == "--" {
			args = args[1:]
			break
		}
		if len(o) < 2 || o[0] != '-' {
			break
		}
		if strings.ContainsAny(o, "vV") {
			x.lookedUp(c, args[1:])
			c.st.print(access.Unknowable(access.Any, c.start, c.end))
			return c.done(either)
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return c.done(yes)
	}
	if c.st.zsh && !x.option(c.st, "posixbuiltins") { // programs alone (zshbuiltins(1))
		x.addForm(c.rec, form(args))
		n := *c
		n.argv, n.vars = args, nil
		if _, known := args[0].Lit(); !known {
			return x.unknownCommand(&n)
		}
		if name := n.name(); x.builtin(n.st, name) != nil && !x.found(n.st, name) {
			return n.done(no)
		}
		return x.external(&n)
	}
	return x.peeled(c, args)
}

// found tells whether PATH may have a program of a name.
func (x *run) found(st *state, name string) bool {
	dirs, ok := x.get(st, "PATH").Scalar.Lit()
	if !ok {
		return true
	}
	for dir := range strings.SplitSeq(dirs, ":") {
		if !strings.HasPrefix(dir, "/") {
			return true
		}
	}
	_, ok = (&env{x: x, st: st}).Program(name)
	return ok
}

// peeled runs the words that remain of a wrapper, without looking at functions.
func (x *run) peeled(c *invocation, args []access.Word) []*state {
	if !x.b.Enter(guard.NestDepth) {
		x.over = true
		return c.done(either)
	}
	defer x.b.Leave(guard.NestDepth)
	x.addForm(c.rec, form(args))
	n := *c
	n.argv, n.vars = args, nil
	return x.dispatch(&n, false)
}

// doBuiltin is builtin NAME.
func doBuiltin(x *run, c *invocation) []*state {
	args := c.argv[1:]
	if len(args) > 0 && litOf(args[0]) == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.done(yes)
	}
	return x.peeled(c, args)
}

// doExec is exec: the shell becomes the program.
func doExec(x *run, c *invocation) []*state {
	args := c.argv[1:]
	var named access.Word
	bare := false
	for len(args) > 0 {
		o, _ := args[0].Lit()
		if len(o) < 2 || o[0] != '-' {
			break
		}
		args = args[1:]
		if o == "--" {
			break
		}
		bare = bare || strings.Contains(o, "c")
		if strings.HasSuffix(o, "a") && len(args) > 0 { // -a NAME
			named = args[0]
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return c.done(yes)
	}
	x.addForm(c.rec, form(args))
	if len(named.Segs) > 0 {
		x.called0(c.st, args, named)
	}
	if lit, _ := args[0].Lit(); bare && len(args) == 1 && shellDialect(path.Base(lit)) != "" && c.st.in.kind == inherited {
		x.onGuard(access.SelfAsk, args[0].Start, args[0].End, "starts a shell that isn't guarded (without its environment)")
	}
	n := *c
	n.argv, n.vars = args, nil
	var res []*state
	if _, known := args[0].Lit(); known {
		res = x.external(&n)
	} else {
		res = x.unknownCommand(&n)
	}
	var stays []*state
	for _, r := range res {
		if x.interactive(c.st) || x.option(c.st, "execfail") {
			// An interactive shell goes on if the program can't be started.
			s := r.fork()
			s.status = no
			stays = append(stays, s)
		}
		r.flow = exits
	}
	return append(res, stays...)
}

// doEval runs its words, joined, as shell code.
func doEval(x *run, c *invocation) []*state {
	args := c.argv[1:]
	if len(args) > 0 && litOf(args[0]) == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.done(yes)
	}
	return x.inEval(c, func() []*state { return x.again(c.st, joined(args), "eval", c) })
}

// joined is words joined by blanks. It is put together in one go: a line may have
// tens of thousands of words.
func joined(words []access.Word) access.Word {
	if len(words) == 0 {
		return access.Word{}
	}
	n := len(words)
	for _, w := range words {
		n += len(w.Segs)
	}
	out := access.Word{Segs: make([]access.Segment, 0, n), Start: words[0].Start, End: words[len(words)-1].End}
	blank := access.Text(" ").Segs[0]
	for i, w := range words {
		if i > 0 {
			out.Segs = append(out.Segs, blank)
		}
		out.Segs = append(out.Segs, w.Segs...)
	}
	return out
}

// again runs text as code of the same shell.
func (x *run) again(st *state, text access.Word, what string, c *invocation) []*state {
	if text.Start == 0 && text.End == 0 {
		text.Start, text.End = c.start, c.end
	}
	if !text.Known() {
		x.unclear(st, access.Read, "text that "+what+" runs", text, text.Start, text.End)
		x.scan(text, text.Start, text.End)
		x.line.Changes = true
		st.status = either
		return []*state{st}
	}
	if text.Empty() {
		return c.done(yes)
	}
	if !x.b.Enter(guard.NestDepth) {
		x.over = true
		return c.done(either)
	}
	defer x.b.Leave(guard.NestDepth)
	file, err := x.parse(text, st.zsh)
	if err != nil {
		x.unknown("the text that "+what+" runs can't be parsed", text.Start, text.End)
		x.scan(text, text.Start, text.End)
		st.status = either
		return []*state{st}
	}
	old := x.src
	x.src = &source{aliases: old.aliases}
	if st.zsh && what != "source" {
		x.whole()
	}
	defer func() { x.src = old }()
	return x.text(file.Stmts, []*state{st})
}

// doSource is source and ".": the file is read; what it does is known only if the
// line wrote it.
func doSource(x *run, c *invocation) []*state {
	args := c.argv[1:]
	if len(args) > 0 && litOf(args[0]) == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.done(no)
	}
	x.line.Changes = true
	w := args[0]
	content, ours, sure := x.codeOf(c.st, w)
	if ours && !sure {
		x.unclear(c.st, access.Read, "text that "+c.name()+" runs", content, w.Start, w.End)
	}
	if sure {
		st := c.st
		old, oldOK := st.args, st.argsOK
		st.inside++
		st.calling("source", false)
		aside := x.setTrapsAside(st, "DEBUG")
		if len(args) > 1 {
			st.args, st.argsOK = x.spread(st, args[1:])
		}
		res := x.inEval(c, func() []*state { return x.returned(x.again(st, content, "source", c)) })
		for _, r := range res {
			r.putTrapsBack(aside)
			if r.flow == returns {
				r.flow = goesOn
			}
			r.inside--
			r.called(false)
			if len(args) > 1 {
				r.args, r.argsOK = old, oldOK
			}
		}
		return res
	}
	x.touch(c.st, c.st.cwd, target{word: w, kind: access.Execute, why: "file that " + c.name() + " runs"})
	if len(args) == 1 && c.st.argsOK { // it has those of the shell
		args = append(slices.Clip(args), c.st.args...)
	}
	command.Fallback(args, &ground{x: x, st: c.st, sink: c.st, rec: -1, argv: args, start: c.start, end: c.end, quiet: new(bool), ext: new(bool)})
	if lit, ok := w.Lit(); ok && !ours && (strings.HasPrefix(lit, "/dev/fd/") || lit == "/dev/stdin") {
		x.unclear(c.st, access.Read, "text that "+c.name()+" runs", c.st.heard(lit), w.Start, w.End)
	}
	x.clobber(c.st) // it may set any of them
	return x.returned(c.done(either))
}

// doBreak is break and continue.
func doBreak(x *run, c *invocation) []*state {
	if c.st.loops == 0 {
		return c.done(yes) // "only meaningful in a loop": the shell goes on
	}
	n := 1
	if len(c.argv) > 1 {
		v, err := strconv.Atoi(litOf(c.argv[1]))
		switch {
		case !c.argv[1].Known():
			n = c.st.loops
		case c.st.zsh || err == nil && v > 0 && len(c.argv) == 2:
			n = max(min(v, c.st.loops), 1)
		case err == nil && len(c.argv) == 2: // "loop count out of range": the loops end, and fail
			c.st.flow, c.st.levels = breaks, c.st.loops
			return c.done(no)
		default:
			return x.misused(c)
		}
	}
	c.st.flow, c.st.levels = breaks, n
	if c.name() == "continue" {
		c.st.flow = continues
	}
	return c.done(yes)
}

// doReturn is return and exit.
func doReturn(x *run, c *invocation) []*state {
	s := c.st.status
	if n := len(x.earlier); n > 0 && !c.st.zsh { // in a trap: that of the shell before
		switch t := x.earlier[n-1]; {
		case t.depth == c.st.depth:
			s = t.status
		case t.status != s:
			s = either
		}
	}
	args := c.argv[1:]
	if len(args) > 0 && litOf(args[0]) == "--" && !c.st.zsh {
		args = args[1:]
	}
	nothing := c.name() == "return" && c.st.inside == 0 // there is nothing to return from
	if nothing && !c.st.zsh {
		return c.done(no)
	}
	if len(args) > 0 {
		s = either
		n, err := strconv.Atoi(litOf(args[0]))
		switch {
		case err == nil && len(args) > 1 && !c.st.zsh:
			return x.misused(c)
		case err == nil:
			s = truthOf(n&255 == 0)
		case args[0].Known() && !c.st.zsh: // "numeric argument required"
			s = no
		}
	}
	if nothing { // zsh gives up the line, and what it reads from no terminal
		if c.st.flow = discards; !x.interactive(c.st) || c.st.apart {
			c.st.flow = exits
		}
		return c.done(s)
	}
	if c.name() == "return" {
		c.st.flow = returns
		return c.done(s)
	}
	var stays []*state
	if x.r.Interactive && !c.st.apart && !c.st.child {
		// With stopped jobs the first exit is refused.
		stays = append(stays, c.st.fork())
		stays[0].status = no
	}
	c.st.flow = exits
	return append(stays, c.done(s)...)
}

// misused ends all that bash is running at a wrong argument of exit, return, break or
// continue: a shell that isn't interactive ends, an interactive one drops the line.
func (x *run) misused(c *invocation) []*state {
	var stays []*state
	if !c.st.apart && (x.interactive(c.st) || c.st.child && !c.st.bash) {
		stays = append(stays, c.st.fork())
		stays[0].status = no
	}
	c.st.flow = exits
	return append(stays, c.done(no)...)
}

// doRepeat is zsh's repeat, which the parser takes for a command: its other words
// are one, run as often as the first says.
func doRepeat(x *run, c *invocation) []*state {
	if len(c.argv) < 3 {
		return doForeach(x, c)
	}
	c.argv, c.vars = c.argv[2:], nil
	skip := c.st.fork()
	return append(x.dispatch(c, true), skip)
}

// doForeach is the part of a form of zsh that the parser doesn't know and takes
// for a command.
func doForeach(x *run, c *invocation) []*state {
	x.unknown("this form of zsh isn't followed: "+c.name(), c.start, c.end)
	for _, w := range c.argv[1:] {
		x.scan(w, w.Start, w.End)
	}
	return c.done(either)
}

// doSched is zsh's sched: text that runs later.
func doSched(x *run, c *invocation) []*state {
	if len(c.argv) > 2 {
		sub := c.st.fork()
		x.again(sub, joined(c.argv[2:]), "sched", c)
	}
	return c.done(yes)
}

// doAutoload makes functions whose text is somewhere in FPATH.
func doAutoload(x *run, c *invocation) []*state {
	x.line.Changes = true
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		switch {
		case !ok:
			x.touch(c.st, c.st.cwd, target{word: w, kind: access.Execute, why: "function that autoload names"})
		case lit == "" || lit[0] == '-' || lit[0] == '+':
		case lit[0] == '/':
			x.touch(c.st, c.st.cwd, target{word: w, kind: access.Execute, why: "function that autoload names"})
			c.st.setFunc(path.Base(lit), function{opaque: true})
		case shipped[lit] && !c.st.hasVar("fpath") && !c.st.hasVar("FPATH"):
		default:
			c.st.setFunc(lit, function{opaque: true})
		}
	}
	return c.done(yes)
}
