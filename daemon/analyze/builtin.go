package analyze

import (
	"errors"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

var errUnknownName = errors.New("the name isn't known")

// builtin is a command of the shell itself that changes the shell's state, or
// whose output can be told.
type builtin func(x *run, c *invocation) []*state

var builtins map[string]builtin

func init() {
	status := func(s status) builtin {
		return func(_ *run, c *invocation) []*state { return c.done(s) }
	}
	builtins = map[string]builtin{
		":": status(yes), "true": status(yes), "false": status(no),
		"cd": doCd, "chdir": doCd, "pushd": doPushd, "popd": doPopd, "dirs": doDirs, "pwd": doPwd,
		"echo": doEcho, "printf": doPrintf,
		"eval": doEval, "source": doSource, ".": doSource, "exec": doExec,
		"command": doCommand, "builtin": doBuiltin, "trap": doTrap,
		"break": doBreak, "continue": doBreak, "return": doReturn, "exit": doReturn, "logout": doReturn,
		"set": doSet, "shopt": doShopt, "shift": doShift, "unset": doUnset, "getopts": doGetopts,
		"declare": doDeclare, "typeset": doDeclare, "local": doDeclare, "export": doDeclare, "readonly": doDeclare,
		"read": doRead, "mapfile": doMapfile, "readarray": doMapfile, "let": doLet,
		"test": doTest, "[": doTest,
		"alias": doAlias, "unalias": doUnalias, "hash": doHash, "enable": doEnable,
		"bind": doBind, "complete": doComplete, "compgen": doComplete,
		"umask": status(either), "jobs": status(either), "wait": status(either), "times": status(yes),
		"disown": status(either), "fg": status(either), "bg": status(either), "ulimit": status(either),
		"suspend": status(either), "caller": status(either), "type": doType, "help": status(yes),
	}
	zshBuiltins = map[string]builtin{
		"print": doPrint, "setopt": doSetopt, "unsetopt": doSetopt,
		"noglob": doPrefix, "nocorrect": doPrefix, "-": doPrefix, "unfunction": doUnset, "unhash": doUnalias,
		"integer": doDeclare, "float": doDeclare, "rehash": status(yes), "autoload": doAutoload,
		"bindkey": doBind, "zle": doBind, "whence": doType, "where": doType, "which": doType,
		"repeat": doRepeat, "foreach": doForeach, "end": doForeach,
		"emulate": doEmulate, "sched": doSched,
	}
}

var zshBuiltins map[string]builtin

// builtin looks a builtin up.
func (x *run) builtin(st *state, name string) builtin {
	if b, ok := builtins[name]; ok {
		return b
	}
	if st.zsh {
		return zshBuiltins[name]
	}
	return nil
}

// doType looks names up; it prints where programs are, and reads nothing.
func doType(_ *run, c *invocation) []*state {
	c.st.print(access.Unknowable(access.Any, c.start, c.end))
	return c.done(either)
}

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
			c.st.print(access.Unknowable(access.Any, c.start, c.end))
			return c.done(either)
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return c.done(yes)
	}
	return x.peeled(c, args)
}

// peeled runs the words that remain of a wrapper, without looking at functions.
func (x *run) peeled(c *invocation, args []access.Word) []*state {
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
	for len(args) > 0 {
		o, _ := args[0].Lit()
		if len(o) < 2 || o[0] != '-' {
			break
		}
		args = args[1:]
		if o == "--" {
			break
		}
		if strings.HasSuffix(o, "a") && len(args) > 0 { // -a NAME
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return c.done(yes)
	}
	x.addForm(c.rec, form(args))
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
		if !c.st.child {
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
	return x.again(c.st, joined(args), "eval", c)
}

// joined is words joined by blanks.
func joined(words []access.Word) access.Word {
	var out access.Word
	for i, w := range words {
		if i > 0 {
			out = out.Concat(access.Text(" "))
		}
		out = out.Concat(w)
	}
	if len(words) > 0 {
		out.Start, out.End = words[0].Start, words[len(words)-1].End
	}
	return out
}

// again runs text as code of the same shell.
func (x *run) again(st *state, text access.Word, what string, c *invocation) []*state {
	if text.Start == 0 && text.End == 0 {
		text.Start, text.End = c.start, c.end
	}
	if !text.Known() {
		x.unknown("the text that "+what+" runs can't be determined", text.Start, text.End)
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
	defer func() { x.src = old }()
	return x.stmts(file.Stmts, []*state{st})
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
		x.unknown("the text that "+c.name()+" runs can't be determined", w.Start, w.End)
	}
	if sure {
		st := c.st
		old, oldOK := st.args, st.argsOK
		st.inside++
		if len(args) > 1 {
			st.args, st.argsOK = args[1:], countable(args[1:])
		}
		res := x.again(st, content, "source", c)
		for _, r := range res {
			if r.flow == returns {
				r.flow = goesOn
			}
			r.inside--
			if len(args) > 1 {
				r.args, r.argsOK = old, oldOK
			}
		}
		return res
	}
	x.touch(c.st, c.st.cwd, target{word: w, kind: access.Read, why: "file that " + c.name() + " runs"})
	if lit, ok := w.Lit(); ok && !ours && (strings.HasPrefix(lit, "/dev/fd/") || lit == "/dev/stdin") {
		x.unknown("the text that "+c.name()+" runs can't be determined", w.Start, w.End)
	}
	return c.done(either)
}

// codeOf is the text of a file that the line wrote, as far as a shell that runs it
// would find it: what stood in the file before isn't looked at. sure is false if
// the line wrote text that isn't known.
func (x *run) codeOf(st *state, w access.Word) (text access.Word, ours, sure bool) {
	if text, ok := x.contentOf(st, w); ok {
		return text, true, true
	}
	if f, ok := x.made(st, w); ok {
		return f.content, true, (f.part || f.known) && f.content.Known()
	}
	return access.Word{}, false, false
}

// contentOf is the text of a file that the line wrote or of a pipe it made, if it
// is known.
func (x *run) contentOf(st *state, w access.Word) (access.Word, bool) {
	lit, ok := w.Lit()
	if !ok {
		return access.Word{}, false
	}
	if in, ok := st.fds[lit]; ok {
		return in.text, in.kind == fromText && in.text.Known()
	}
	if lit == "/dev/stdin" || lit == "/dev/fd/0" {
		return st.in.text, st.in.kind == fromText && st.in.text.Known()
	}
	f, ok := x.made(st, w)
	return f.content, ok && f.known
}

// made is what the line made of the file a word names.
func (x *run) made(st *state, w access.Word) (file, bool) {
	if lit, ok := w.Lit(); ok {
		if in, ok := st.fds[lit]; ok {
			return file{content: in.text, known: in.kind == fromText}, true
		}
	}
	if len(st.files) == 0 {
		return file{}, false
	}
	real, err := x.realOf(st, w)
	if err != nil {
		return file{}, false
	}
	f, ok := st.files[real]
	if !ok || f.gone || f.dir || f.link {
		return file{}, false
	}
	return f, true
}

// doTrap analyses the text of a trap when it is set: when it will run isn't known.
func doTrap(x *run, c *invocation) []*state {
	args := c.argv[1:]
	if len(args) > 0 {
		switch o, _ := args[0].Lit(); {
		case o == "--":
			args = args[1:]
		case len(o) > 1 && o[0] == '-':
			return c.done(yes) // -l -p -P
		}
	}
	if len(args) == 0 {
		return c.done(yes)
	}
	for i, w := range args {
		if i == 0 && len(args) > 1 {
			continue
		}
		if s, ok := w.Lit(); !c.st.apart && !c.st.child && (!ok || guardSignals[strings.TrimPrefix(strings.ToUpper(s), "SIG")]) {
			x.onGuard(access.SelfDeny, w.Start, w.End, "sets a trap the guard depends on")
		}
	}
	if len(args) > 1 {
		if lit, ok := args[0].Lit(); !ok || lit != "" && lit != "-" {
			sub := c.st.fork()
			sub.keep = false
			sub.status = either
			x.keepFiles(c.st, x.again(sub, args[0], "trap", c))
		}
	}
	return c.done(either)
}

// doBreak is break and continue.
func doBreak(_ *run, c *invocation) []*state {
	if c.st.loops == 0 {
		return c.done(yes) // "only meaningful in a loop": the shell goes on
	}
	n := 1
	if len(c.argv) > 1 {
		if v, err := strconv.Atoi(litOf(c.argv[1])); err == nil && v > 0 {
			n = min(v, c.st.loops)
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
	if c.name() == "return" && c.st.inside == 0 {
		return c.done(no) // there is nothing to return from: the shell goes on
	}
	if len(c.argv) > 1 {
		s = either
		if n, err := strconv.Atoi(litOf(c.argv[1])); err == nil {
			s = no
			if n&255 == 0 {
				s = yes
			}
		}
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

// doSet is set: options, and the positional parameters.
func doSet(x *run, c *invocation) []*state {
	st := c.st
	args := c.argv[1:]
	named := false // an option by a name that may not exist
	if len(args) == 0 {
		st.print(anything)
		return c.done(yes)
	}
	for len(args) > 0 {
		o, ok := args[0].Lit()
		if !ok {
			if p, _ := args[0].Prefix(); p == "" && maybeNone(args[0]) {
				// It may be an option.
				x.onGuard(access.SelfNone, args[0].Start, args[0].End, "")
			}
			break
		}
		if o == "--" || o == "-" {
			st.args, st.argsOK = args[1:], countable(args[1:])
			return c.done(yes)
		}
		if len(o) < 2 || o[0] != '-' && o[0] != '+' {
			break
		}
		on := o[0] == '-'
		args = args[1:]
		for _, f := range o[1:] {
			named = named || setFlags[f] == ""
			if f == 'o' || f == 'A' && st.zsh {
				if len(args) == 0 {
					return c.done(yes)
				}
				name, known := args[0].Lit()
				if !known {
					x.unknown("set: the option isn't known", args[0].Start, args[0].End)
				} else {
					x.setOption(st, strings.ReplaceAll(strings.ToLower(name), "_", ""), on, args[0])
				}
				args = args[1:]
				continue
			}
			if name, ok := setFlags[f]; ok {
				x.setOption(st, name, on, access.Unknowable(access.Any, c.start, c.end))
			}
		}
	}
	if len(args) > 0 {
		st.args, st.argsOK = args, countable(args)
	}
	return c.done(either2(!named))
}

// setFlags are the letters of set that change what words expand to or what runs.
var setFlags = map[rune]string{
	'a': "allexport", 'e': "errexit", 'f': "noglob", 'n': "noexec", 'u': "nounset", 'x': "xtrace",
	'B': "braceexpand", 'C': "noclobber", 'P': "physical", 'T': "functrace", 'p': "privileged",
}

// setOption turns an option on or off.
func (x *run) setOption(st *state, name string, on bool, w access.Word) {
	x.guardedOption(st, name, on, w)
	st.setOpt(name, on)
	if name == "xtrace" && on {
		if ps4 := x.get(st, "PS4"); ps4.State == word.Set {
			if _, changed := st.vars["PS4"]; changed {
				v := ps4.Scalar
				v.Start, v.End = w.Start, w.End
				x.hidden(st, v)
			}
		}
	}
}

// doShopt is shopt.
func doShopt(x *run, c *invocation) []*state {
	mode := ""
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		switch {
		case !ok:
			x.unknown("shopt: the option isn't known", w.Start, w.End)
		case strings.HasPrefix(lit, "-"):
			if strings.ContainsRune(lit, 's') {
				mode = "s"
			}
			if strings.ContainsRune(lit, 'u') {
				mode = "u"
			}
		case mode != "":
			x.setOption(c.st, lit, mode == "s", w)
		}
	}
	return c.done(either)
}

func either2(sure bool) status {
	if sure {
		return yes
	}
	return either
}

// doSetopt is zsh's setopt and unsetopt; names may have underscores, capitals and
// "no" in front.
func doSetopt(x *run, c *invocation) []*state {
	on := c.name() == "setopt"
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		if !ok {
			x.unknown(c.name()+": the option isn't known", w.Start, w.End)
			continue
		}
		name := strings.ReplaceAll(strings.ToLower(lit), "_", "")
		o := on
		if n, ok := strings.CutPrefix(name, "no"); ok && name != "notify" && name != "nomatch" {
			name, o = n, !on
		}
		x.setOption(c.st, name, o, w)
	}
	return c.done(either)
}

// doEmulate is zsh's emulate: options change in ways that aren't followed.
func doEmulate(x *run, c *invocation) []*state {
	for i, w := range c.argv {
		if litOf(w) == "-c" && i+1 < len(c.argv) {
			return x.again(c.st, c.argv[i+1], "emulate", c)
		}
	}
	return c.done(yes)
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
		if lit, ok := w.Lit(); ok && lit != "" && lit[0] != '-' && lit[0] != '+' {
			c.st.setFunc(lit, function{opaque: true})
		}
	}
	return c.done(yes)
}

// doShift is shift.
func doShift(_ *run, c *invocation) []*state {
	n := 1
	if len(c.argv) > 1 {
		v, err := strconv.Atoi(litOf(c.argv[1]))
		if err != nil {
			c.st.args, c.st.argsOK = nil, false
			return c.done(either)
		}
		n = v
	}
	switch {
	case n <= len(c.st.args):
		c.st.args = c.st.args[n:]
		return c.done(yes)
	case c.st.argsOK:
		return c.done(no)
	}
	c.st.args = nil
	return c.done(either)
}

// doUnset is unset; a name with a subscript has it evaluated.
func doUnset(x *run, c *invocation) []*state {
	funcs, ref := c.name() == "unfunction", false
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		if !ok {
			x.onGuard(access.SelfAsk, w.Start, w.End, "unsets something that can't be determined")
			x.clobber(c.st)
			continue
		}
		if len(lit) > 1 && lit[0] == '-' {
			funcs = funcs || strings.ContainsRune(lit, 'f')
			ref = ref || strings.ContainsRune(lit, 'n')
			continue
		}
		x.unsets(c.st, lit, w)
		if base, sub, ok := strings.Cut(lit, "["); ok {
			x.subscript(c.st, w)
			old := x.get(c.st, base)
			i, err := strconv.Atoi(strings.TrimSuffix(sub, "]"))
			if err == nil && old.List != nil {
				list := map[int]access.Word{}
				for k, v := range old.List {
					if k != i {
						list[k] = v
					}
				}
				old.List = list
				old.Scalar = list[0]
				c.st.setVar(base, old)
			} else {
				c.st.setVar(base, word.Value{})
			}
			continue
		}
		if funcs {
			x.line.Changes = true
			c.st.setFunc(lit, function{})
			continue
		}
		name := lit
		if !ref {
			name = x.target(c.st, lit)
		}
		old := c.st.vars[name]
		if old.ReadOnly {
			continue
		}
		if old.State == word.Unset || old.State == word.Unknown {
			if f, ok := c.st.funcs[name]; ok && f.body != nil && old.State == word.Unset {
				c.st.setFunc(name, function{})
			}
		}
		c.st.setVar(name, word.Value{State: word.Unset})
	}
	return c.done(either)
}

// doDeclare is a declaring builtin that the parser took for a plain command
// (\export, command declare).
func doDeclare(x *run, c *invocation) []*state {
	d := declaration{variant: c.name()}
	if d.variant == "integer" || d.variant == "float" {
		d.variant, d.integer = "typeset", true
	}
	n := &syntax.Word{}
	for _, w := range c.argv[1:] {
		x.at = [2]int{w.Start, w.End}
		x.declareWord(c.st, &d, w, n)
	}
	return c.done(either)
}

// doLet is let with words the parser took for text.
func doLet(x *run, c *invocation) []*state {
	for _, w := range c.argv[1:] {
		if !w.Known() {
			x.unknown("let: the expression can't be determined", w.Start, w.End)
			continue
		}
		x.arithText(c.st, w)
	}
	return c.done(either)
}

// doAlias defines aliases: their text is analysed where they are used.
func doAlias(x *run, c *invocation) []*state {
	global := false
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		if ok && len(lit) > 1 && (lit[0] == '-' || lit[0] == '+') {
			global = global || c.st.zsh && strings.ContainsAny(lit, "gs")
			continue
		}
		name, value, found := w.Cut('=')
		if !found {
			continue
		}
		x.line.Changes = true
		n, known := name.Lit()
		text, whole := value.Lit()
		if !known || !whole {
			x.unknown("the alias can't be determined", w.Start, w.End)
			continue
		}
		if global {
			x.unknown("an alias that works anywhere in a line isn't followed", w.Start, w.End)
		}
		x.defines(n, w.Start, w.End)
		if isGuardName(n) {
			x.onGuard(access.SelfDeny, w.Start, w.End, "redefines a part of the guard")
		}
		c.st.setAlias(n, alias{text: text, src: x.src, line: c.line})
	}
	return c.done(either)
}

// doUnalias removes aliases.
func doUnalias(x *run, c *invocation) []*state {
	x.line.Changes = true
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		switch {
		case lit == "-a":
			for n := range x.r.Aliases {
				c.st.setAlias(n, alias{gone: true})
			}
			for n := range c.st.alias {
				c.st.setAlias(n, alias{gone: true})
			}
		case ok:
			c.st.setAlias(lit, alias{gone: true})
		}
	}
	return c.done(either)
}

// doHash is hash: -p gives a name another program.
func doHash(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for i, w := range args {
		if lit, _ := w.Lit(); lit == "-p" && i+1 < len(args) {
			x.touch(c.st, c.st.cwd, target{word: args[i+1], kind: access.Execute, why: "program that hash -p names"})
		} else if c.st.zsh {
			if name, value, ok := w.Cut('='); ok && len(name.Segs) > 0 {
				x.touch(c.st, c.st.cwd, target{word: value, kind: access.Execute, why: "what hash names"})
			}
		}
	}
	return c.done(either)
}

// doEnable is enable: -f loads code, -n lets a program stand in for a builtin.
func doEnable(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for i, w := range args {
		if lit, _ := w.Lit(); lit == "-f" && i+1 < len(args) {
			x.touch(c.st, c.st.cwd, target{word: args[i+1], kind: access.Execute, why: "library that enable loads"})
		}
	}
	return c.done(either)
}

// doBind ties keys to commands.
func doBind(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for i, w := range args {
		switch lit, _ := w.Lit(); {
		case lit == "-x" && i+1 < len(args):
			_, text, ok := args[i+1].Cut(':')
			if !ok {
				text = args[i+1]
			}
			x.onGuard(access.SelfAsk, w.Start, w.End, "ties a key to a command")
			sub := c.st.fork()
			x.again(sub, unquoted(text), "bind -x", c)
		case lit == "-f" && i+1 < len(args):
			x.touch(c.st, c.st.cwd, target{word: args[i+1], kind: access.Read, why: "key bindings"})
		}
	}
	return c.done(either)
}

// unquoted takes the quotes off text that readline reads.
func unquoted(w access.Word) access.Word {
	lit, ok := w.Lit()
	if !ok {
		return w
	}
	out := access.Text(strings.Trim(strings.TrimSpace(lit), `"`))
	out.Start, out.End = w.Start, w.End
	return out
}

// doComplete is complete and compgen: -C runs a command, -F a function, -f and -d
// list names.
func doComplete(x *run, c *invocation) []*state {
	args := c.argv[1:]
	lists, generate := false, c.name() == "compgen"
	for i := 0; i < len(args); i++ {
		lit, ok := args[i].Lit()
		if !ok || !strings.HasPrefix(lit, "-") {
			if generate && lists {
				x.touch(c.st, c.st.cwd, target{word: args[i], kind: access.Read, why: "names that compgen lists"})
			}
			continue
		}
		next := func() (access.Word, bool) {
			if i+1 < len(args) {
				i++
				return args[i], true
			}
			return access.Word{}, false
		}
		switch lit {
		case "-f", "-d":
			lists = true
		case "-A":
			if w, ok := next(); ok {
				a, _ := w.Lit()
				lists = lists || a == "file" || a == "directory"
			}
		case "-C":
			if w, ok := next(); ok {
				sub := c.st.fork()
				x.again(sub, w, c.name()+" -C", c)
			}
		case "-W":
			if w, ok := next(); ok && strings.ContainsAny(litOf(w), "$`") {
				x.hidden(c.st, w)
			}
		case "-G":
			if w, ok := next(); ok {
				x.touch(c.st, c.st.cwd, target{word: w, kind: access.Read, why: "pattern of " + c.name()})
			}
		case "-F", "-P", "-S", "-X", "-o":
			next()
		}
	}
	c.st.print(access.Unknowable(access.Any, c.start, c.end))
	return c.done(either)
}
