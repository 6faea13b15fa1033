package analyze

import (
	"bytes"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
	"extdir/daemon/analyze/zshform"
)

// invocation is one simple command about to run.
type invocation struct {
	x    *run
	st   *state
	argv []access.Word // argv[0] is the command word
	vars []binding     // assignments before the command
	rec  int           // index into Line.Commands
	// forked: the shell is a process of its own for this command.
	forked bool
	// start and end are the command's span.
	start, end int
	line       uint   // line number of the command in its text
	ground     ground // of the program, if it is one
}

// binding is an assignment in front of a command.
type binding struct {
	name  string
	value word.Value
}

// name is the command word's text, "" if it isn't known.
func (c *invocation) name() string {
	s, _ := c.argv[0].Lit()
	return s
}

// done ends an invocation with a status.
func (c *invocation) done(s status) []*state {
	c.st.status = s
	return c.st.alone()
}

// call runs a simple command: words are expanded, then the assignments, then the
// name is looked up the way the shell does.
func (x *run) call(c *syntax.CallExpr, st *state) []*state {
	if len(c.Args) == 0 {
		return x.spoke(x.assignments(c.Assigns, st, false), access.Word{})
	}
	if res, ok := x.aliased(c, st); ok {
		return res
	}
	if words, ok := word.Literal(c.Args); ok && len(c.Assigns) == 0 { // nothing to choose from
		return x.simple(c, alternative{words: words, st: st})
	}
	var out []*state
	for _, a := range x.fields(st, c.Args) {
		if a.stop {
			x.halt(a.st, a.fatal)
			out = append(out, a.st)
			continue
		}
		if a.ran {
			a.st.status = a.status
		}
		if len(a.words) == 0 {
			out = append(out, x.spoke(x.assignments(c.Assigns, a.st, a.ran), access.Word{})...)
			continue
		}
		out = append(out, x.simple(c, a)...)
	}
	return merge(out)
}

func (x *run) simple(c *syntax.CallExpr, a alternative) []*state {
	inv := x.desk.invocation()
	*inv = invocation{x: x, st: a.st, argv: a.words, start: int(c.Pos().Offset()), end: int(c.End().Offset()), line: c.Pos().Line()}
	for _, as := range c.Assigns {
		if as.Name == nil {
			continue
		}
		if !a.st.zsh && x.fixed(a.st, x.target(a.st, as.Name.Value)) {
			continue // bash says so, expands nothing, and runs the command all the same
		}
		e := &env{x: x, st: a.st}
		v, stop := x.assignedIn(e, as, false)
		if stop {
			x.halt(a.st, e.fatal)
			return []*state{a.st}
		}
		inv.vars = append(inv.vars, binding{as.Name.Value, v})
	}
	for _, w := range a.words {
		x.listed(a.st, w)
	}
	inv.argv, inv.forked = x.renamed(a.st, inv.argv), x.forked == c
	inv.rec = x.record(inv)
	last := inv.argv[len(inv.argv)-1]
	return x.spoke(x.dispatch(inv, true), last)
}

// seenCommand tells recorded commands apart.
type seenCommand struct {
	start, end int
	text       string
}

// record notes a simple command for the command gate.
func (x *run) record(c *invocation) int {
	start, end := c.start, c.end
	if e, ok := x.wide[start]; ok && end <= start {
		end = e
	}
	n := len(x.r.Line)
	start = min(max(start, 0), n)
	end = min(max(end, start), n)
	text := form(c.argv)
	if i, ok := x.known(start, end, text); ok { // a further round of a loop
		return i
	}
	if x.line.Commands == nil {
		x.line.Commands = make([]access.Command, 0, 2)
	}
	x.line.Commands = append(x.line.Commands, access.Command{
		Forms: []access.CommandText{text}, Start: start, End: end,
	})
	return len(x.line.Commands) - 1
}

// known finds a command that is noted already. A few are looked through, since
// making a map costs more than the rest of a short line.
func (x *run) known(start, end int, text access.CommandText) (int, bool) {
	if n := len(x.line.Commands); n <= few {
		for i := range x.line.Commands {
			c := &x.line.Commands[i]
			if c.Start == start && c.End == end && slices.Equal(c.Forms[0].Parts, text.Parts) {
				return i, true
			}
		}
		return 0, false
	}
	key := func(c *access.Command) seenCommand {
		return seenCommand{c.Start, c.End, strings.Join(c.Forms[0].Parts, "\x00")}
	}
	if x.recorded == nil {
		x.recorded = map[seenCommand]int{}
	}
	for i := len(x.recorded); i < len(x.line.Commands); i++ {
		x.recorded[key(&x.line.Commands[i])] = i
	}
	i, ok := x.recorded[seenCommand{start, end, strings.Join(text.Parts, "\x00")}]
	return i, ok
}

// few is up to how many things a list is looked through instead of a map.
const few = 16

// form is the text of a command: words joined by blanks, unknown parts cut out.
func form(argv []access.Word) access.CommandText {
	size, cuts := len(argv), 0
	for _, w := range argv {
		for _, s := range w.Segs {
			size += len(s.Text)
			if s.Class != access.Known {
				cuts++
			}
		}
	}
	parts := make([]string, 0, cuts+1)
	var b strings.Builder
	b.Grow(size)
	from := 0 // where the part at hand begins
	for i, w := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		for _, s := range w.Segs {
			if s.Class == access.Known {
				b.WriteString(s.Text)
			} else {
				parts, from = append(parts, b.String()[from:]), b.Len()
			}
		}
	}
	return access.CommandText{Parts: append(parts, b.String()[from:])}
}

// dispatch looks the command word up: function, builtin, program. Without own it
// is a program whatever the shell has under this name.
func (x *run) dispatch(c *invocation, own bool) []*state {
	name, known := c.argv[0].Lit()
	if !known {
		return x.unknownCommand(c)
	}
	if name == "" {
		return c.done(no)
	}
	if (name == "add-zsh-hook" || name == "add-zle-hook-widget") && c.st.zsh && c.st.funcs[name].body == nil {
		return doAddHook(x, c)
	}
	if own && !strings.Contains(name, "/") {
		if f, ok := x.function(c.st, name, c); ok {
			return x.callFunction(c, f)
		}
		if f, ok := x.inherited(c.st, name, c); ok {
			other := *c
			other.st = c.st.fork()
			return merge(append(x.callFunction(c, f), x.unshadowed(&other, name)...))
		}
	}
	if own && x.option(c.st, "autocd") && x.builtin(c.st, name) == nil {
		if sts, ok := x.autocd(c, name); ok {
			return sts
		}
	}
	return x.unshadowed(c, name)
}

// unshadowed runs a builtin or a program, whatever functions there are.
func (x *run) unshadowed(c *invocation, name string) []*state {
	if b := x.builtin(c.st, name); b != nil {
		return x.runBuiltin(c, b)
	}
	return x.external(c)
}

// unknownCommand reports a command word that can't be determined. What stands in
// the other words is still worth a look.
func (x *run) unknownCommand(c *invocation) []*state {
	w := c.argv[0]
	prefix, _ := w.Prefix()
	if i := strings.LastIndexByte(prefix, '/'); i >= 0 || len(w.Segs) > 0 && w.Segs[0].Class == access.Inside {
		// A program in a known folder.
		x.touch(c.st, c.st.cwd, target{word: w, kind: access.Execute, why: "command"})
	} else {
		x.unclear(c.st, access.Execute, "command word", w, w.Start, w.End)
	}
	x.program(c)
	if len(c.argv) > 2 && litOf(c.argv[1]) == "-c" { // "$SHELL" -c TEXT
		g := &ground{x: x, st: c.st, sink: c.st, rec: c.rec, argv: c.argv, start: c.start, end: c.end, quiet: new(bool), ext: new(bool)}
		x.shellText(g, "sh", c.argv[2], c.argv[3:])
	}
	return c.done(either)
}

// function looks a function up. ok is false if there surely is none, or nothing
// is known of one.
func (x *run) function(st *state, name string, c *invocation) (function, bool) {
	if f, ok := st.funcs[name]; ok {
		return f, f.body != nil || f.opaque
	}
	if st.fresh {
		return function{}, false
	}
	text, ok := x.r.Functions[name]
	if !ok || st.child {
		return function{}, false
	}
	if unloaded(text) {
		// What it does stands in a file of FPATH.
		if shipped[name] && !st.hasVar("fpath") && !st.hasVar("FPATH") {
			return function{}, false
		}
		return function{opaque: true}, true
	}
	if text == "" {
		// Only the name is known: it may as well be an alias.
		if _, alias := x.r.Aliases[name]; alias {
			return function{}, false
		}
		x.need("func", name)
		x.need("alias", name)
		return function{opaque: true}, true
	}
	file, err := zshform.Parse(text, st.zsh, x.b)
	if err == nil && len(file.Stmts) == 1 {
		if d, ok := file.Stmts[0].Cmd.(*syntax.FuncDecl); ok {
			file.Stmts = []*syntax.Stmt{d.Body}
		}
	}
	if err != nil || !x.b.Spend(guard.NestBytes, len(text)) {
		return function{opaque: true}, true
	}
	body := &syntax.Stmt{Cmd: &syntax.Block{Stmts: file.Stmts}}
	x.place(body, access.Unknowable(access.Any, c.start, c.end), "")
	st.setFunc(name, function{body: body})
	return function{body: body}, true
}

// inherited is a function of the shell itself that a bash started by it has, if it
// was exported: that isn't known, so the program of its name may run as well.
func (x *run) inherited(st *state, name string, c *invocation) (function, bool) {
	if !st.fresh || !st.child || !st.bash || x.r.Shell != "bash" {
		return function{}, false
	}
	if _, own := st.funcs[name]; own {
		return function{}, false
	}
	if text, ok := x.r.Functions[name]; !ok || text == "" {
		if _, alias := x.r.Aliases[name]; ok && !alias {
			x.need("func", name)
			x.need("alias", name)
			return function{opaque: true}, true
		}
		return function{}, false
	}
	outer := st.fork()
	outer.fresh, outer.child, outer.funcs = false, false, nil
	return x.function(outer, name, c)
}

// unloaded tells whether a body is the stand-in of a function that zsh has yet to
// load ("builtin autoload -XU").
func unloaded(body string) bool {
	f := strings.Fields(body)
	if len(f) > 0 && f[0] == "builtin" {
		f = f[1:]
	}
	return len(f) > 1 && f[0] == "autoload" && strings.HasPrefix(f[1], "-") && strings.Contains(f[1], "X")
}

// shipped are functions that come with zsh and are described like programs, or
// are known to touch nothing.
var shipped = words("compinit bashcompinit compaudit promptinit colors add-zsh-hook add-zle-hook-widget zmv zcp zln is-at-least run-help select-word-style url-quote-magic bracketed-paste-magic")

// callFunction runs a function's body with the words as arguments.
func (x *run) callFunction(c *invocation, f function) []*state {
	if f.opaque {
		x.unknown("what the function "+c.name()+" does isn't known", c.start, c.end)
		x.line.Changes = true
		return c.done(either)
	}
	if !x.b.Enter(guard.Calls) {
		x.over = true
		return c.done(either)
	}
	defer x.b.Leave(guard.Calls)
	st := c.st
	args, ok := st.args, st.argsOK
	st.enter()
	x.bind(st, c.vars)
	st.args, st.argsOK = x.spread(st, c.argv[1:])
	arg0 := st.arg0
	if st.zsh { // FUNCTION_ARGZERO
		st.arg0 = c.argv[0]
	}
	loops := st.loops
	st.loops = 0
	st.inside++
	st.calling(c.name(), true)
	opts := st.opts
	st.owned &^= ownOpts
	aside := x.setTrapsAside(st, "ERR", "DEBUG", "RETURN")
	res := x.returned(x.stmt(f.body, st))
	for _, r := range res {
		if r.zsh && x.option(r, "localoptions") { // if it is set at this point (zshoptions(1))
			r.opts, r.owned = opts, r.owned&^ownOpts
		}
		r.putTrapsBack(aside)
		if r.flow == returns {
			r.flow = goesOn
		}
		r.leave()
		r.args, r.argsOK, r.arg0 = args, ok, arg0
		r.loops = loops
		r.inside--
		r.called(true)
	}
	return merge(res)
}

// bind makes the assignments in front of a function or builtin, in a frame.
func (x *run) bind(st *state, vars []binding) {
	for _, b := range vars {
		st.hide(b.name)
		b.value.Exported = true
		st.setVar(b.name, b.value)
	}
}

// runBuiltin runs a builtin with the assignments before it in force.
func (x *run) runBuiltin(c *invocation, b builtin) []*state {
	if len(c.vars) == 0 {
		return refusing(b(x, c))
	}
	x.loaded(c)
	c.st.enter()
	x.bind(c.st, c.vars)
	res := b(x, c)
	for _, r := range res {
		r.leave()
	}
	return refusing(res)
}

// refusing are the states after a builtin, which fails where it was refused something.
func refusing(sts []*state) []*state {
	for _, s := range sts {
		if s.refused {
			s.refused = false
			if s.flow == goesOn {
				s.status = no
			}
		}
	}
	return sts
}

// external runs a program.
func (x *run) external(c *invocation) []*state {
	name := c.name()
	if strings.Contains(name, "/") {
		x.executes(c.st, c.argv[0])
	} else if !c.st.fresh && !c.st.child {
		x.mayBeOther(c, name)
	}
	if strings.HasPrefix(name, "!") && len(name) > 1 || strings.HasPrefix(name, "^") && strings.Count(name, "^") > 1 {
		// Shells send lines after history expansion: this one wasn't.
		x.unknown("history expansion isn't known here", c.argv[0].Start, c.argv[0].End)
	}
	x.loaded(c)
	x.program(c)
	if mayEnd(c.argv) {
		gone := c.st.fork()
		gone.flow, gone.status = exits, no
		return append(c.done(either), gone)
	}
	return c.done(either)
}

// mayBeOther asks for the shell's names where a word nobody describes could be an
// alias or function.
func (x *run) mayBeOther(c *invocation, name string) {
	if x.r.ShellKnown || x.a.Commands.Describes(name) {
		return
	}
	x.need("names", "*")
	x.unknown(name+" may be an alias or a function of this shell", c.argv[0].Start, c.argv[0].End)
}

// program reports what a program given these words touches, and what it prints.
func (x *run) program(c *invocation) {
	st := c.st
	sub := st
	if len(c.vars) > 0 {
		sub = st.fork()
		for _, b := range c.vars {
			b.value.Exported = true
			sub.setVar(b.name, b.value)
		}
	}
	for _, b := range c.vars {
		if b.name == "ARGV0" && st.zsh { // zsh(1): the name the command is started under
			x.called0(st, c.argv, b.value.Scalar)
		}
	}
	g := &c.ground
	*g = ground{x: x, st: sub, sink: st, rec: c.rec, argv: c.argv, start: c.start, end: c.end}
	g.quiet, g.ext = &g.own[0], &g.own[1]
	g.run(c.argv)
}

// executes reports a program or script that is run by a path, if it lies neither
// in the root nor in a program directory.
func (x *run) executes(st *state, w access.Word) {
	if lit, ok := w.Lit(); ok {
		real, err := x.realOf(st, w)
		if err == nil {
			if !x.outside(real) {
				return
			}
			typed := absolutePath(st, lit)
			if x.programDir(typed) {
				return
			}
		}
	}
	x.touch(st, st.cwd, target{word: w, kind: access.Execute, why: "command"})
}

// programDir tells whether a name stands directly in a directory of $PATH.
func (x *run) programDir(name string) bool {
	dirs := "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	if v, ok := x.r.Vars["PATH"]; ok && v.Set {
		dirs = v.Value
	}
	at := name[:strings.LastIndexByte(name, '/')+1]
	for d := range strings.SplitSeq(dirs, ":") {
		if strings.HasPrefix(d, "/") && strings.TrimSuffix(at, "/") == strings.TrimSuffix(d, "/") {
			return true
		}
	}
	return false
}

// aliasText is what an alias stands for at a command.
func (x *run) aliasText(name string, c *syntax.CallExpr, st *state) (string, bool) {
	if a, ok := st.alias[name]; ok {
		if x.src.parsed > 0 {
			return a.text, !a.gone && a.at < x.src.parsed
		}
		return a.text, !a.gone && (a.src != x.src || c.Pos().Line() > a.line)
	}
	if st.fresh || st.child {
		return "", false
	}
	t, ok := x.r.Aliases[name]
	return t, ok
}

// aliased replaces an alias by its text and runs what comes out.
func (x *run) aliased(c *syntax.CallExpr, st *state) ([]*state, bool) {
	if !x.src.aliases && !x.option(st, "expand_aliases") && !st.zsh {
		return nil, false
	}
	name := c.Args[0].Lit()
	if name == "" || strings.ContainsAny(name, `\/$`) || x.called[name] {
		return nil, false
	}
	text, ok := x.aliasText(name, c, st)
	if !ok {
		return nil, false
	}
	if strings.TrimSpace(text) == name {
		return nil, false
	}
	var b bytes.Buffer
	p := syntax.NewPrinter()
	for _, as := range c.Assigns {
		if p.Print(&b, as) != nil {
			return nil, false
		}
		b.WriteByte(' ')
	}
	b.WriteString(text)
	for _, w := range c.Args[1:] {
		b.WriteByte(' ')
		if next := w.Lit(); next != "" && strings.TrimRight(text, " \t") != text {
			// After a text that ends in a blank the next word may be an alias, too.
			if t, ok := x.aliasText(next, c, st); ok {
				b.WriteString(t)
				text = t
				continue
			}
			if body, listed := x.r.Functions[next]; listed && body == "" && !st.fresh && !st.child {
				x.need("alias", next)
				x.need("func", next)
				x.unknown(next+" may be an alias of this shell", int(w.Pos().Offset()), int(w.End().Offset()))
			}
		}
		text = ""
		if p.Print(&b, w) != nil {
			return nil, false
		}
	}
	start, end := int(c.Pos().Offset()), int(c.End().Offset())
	if !x.b.Enter(guard.NestDepth) {
		x.over = true
		return []*state{st}, true
	}
	defer x.b.Leave(guard.NestDepth)
	w := access.Text(b.String())
	w.Start, w.End = start, end
	file, err := x.parse(w, st.zsh)
	if err != nil {
		x.unknown("what the alias "+name+" stands for can't be parsed", start, end)
		st.status = either
		return []*state{st}, true
	}
	old := x.called
	x.called = map[string]bool{name: true}
	for n := range old {
		x.called[n] = true
	}
	defer func() { x.called, x.unaliased = old, c }()
	return x.stmts(file.Stmts, []*state{st}), true
}
