package analyze

import (
	"strings"

	"extdir/daemon/access"
)

// doAlias defines aliases: their text is analysed where they are used.
func doAlias(x *run, c *invocation) []*state {
	global, plain := false, false
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		if lit == "--" && !plain {
			plain = true
			continue
		}
		if ok && !plain && len(lit) > 1 && (lit[0] == '-' || lit[0] == '+') {
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
			x.unclear(c.st, access.Read, "the alias", w, w.Start, w.End)
			continue
		}
		if global {
			x.unknown("an alias that works anywhere in a line isn't followed", w.Start, w.End)
		}
		x.defines(c.st, n, w.Start, w.End)
		if isGuardName(n) {
			x.onGuard(access.SelfDeny, w.Start, w.End, "redefines a part of the guard")
		}
		c.st.setAlias(n, alias{text: text, src: x.src, line: c.line, at: x.tick()})
	}
	return c.done(either)
}

// doUnalias removes aliases.
func doUnalias(x *run, c *invocation) []*state {
	x.line.Changes = true
	if c.name() == "unhash" && len(c.argv) > 1 {
		if lit, _ := c.argv[1].Lit(); len(lit) > 1 && lit[0] == '-' && strings.ContainsRune(lit, 'f') {
			return doUnset(x, c)
		}
	}
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		if c.name() == "unhash" && len(c.st.named) > 0 {
			c.st.named = clone(c.st.named)
			for n := range c.st.named {
				c.st.named[n] = anything
			}
		}
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

// doHash is hash: -p gives a name another program, zsh's -d one to a directory.
func doHash(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for i, w := range args {
		if lit, _ := w.Lit(); lit == "-p" && i+1 < len(args) {
			x.touch(c.st, c.st.cwd, target{word: args[i+1], kind: access.Execute, why: "program that hash -p names"})
		} else if c.st.zsh {
			if name, value, ok := w.Cut('='); ok && len(name.Segs) > 0 {
				if lit := litOf(args[0]); strings.HasPrefix(lit, "-") && strings.Contains(lit, "d") {
					x.touch(c.st, c.st.cwd, target{word: value, kind: access.Read, why: "directory that hash names"})
					if n, ok := name.Lit(); ok {
						c.st.named = clone(c.st.named)
						c.st.named[n] = absolute(c.st.cwd, value)
					}
					continue
				}
				x.executes(c.st, value)
			}
		}
	}
	return c.done(either)
}

// doEnable is enable: -f loads code, -n lets a program stand in for a builtin.
func doEnable(x *run, c *invocation) []*state {
	args := c.argv[1:]
	off, loads := false, false
	for i, w := range args {
		lit, known := w.Lit()
		switch {
		case strings.HasPrefix(lit, "-"):
			off = off || strings.Contains(lit, "n")
			if lit == "-f" && i+1 < len(args) {
				loads = true
				x.touch(c.st, c.st.cwd, target{word: args[i+1], kind: access.Execute, why: "library that enable loads"})
			}
		case (off || loads) && !c.st.apart && !c.st.child && (!known || guardWords[lit]):
			x.onGuard(access.SelfDeny, w.Start, w.End, "takes "+w.String()+" away, a word that the guard's code uses")
		}
	}
	return c.done(either)
}

// doBind ties keys to commands.
func doBind(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for i, w := range args {
		switch lit, _ := w.Lit(); {
		case strings.Contains(w.String(), "edit-and-execute") && litOf(args[0]) != "-q":
			// It runs a file's lines without a prompt; the guard takes it off its keys.
			x.onGuard(access.SelfAsk, w.Start, w.End, "ties a key to lines that the guard doesn't see")
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
		case "-F":
			if w, ok := next(); ok {
				if f := c.st.funcs[litOf(w)]; f.body != nil { // it runs when someone presses TAB
					sub := c.st.fork()
					x.again(sub, w, c.name()+" -F", c)
				}
			}
		case "-P", "-S", "-X", "-o":
			next()
		}
	}
	c.st.print(access.Unknowable(access.Any, c.start, c.end))
	return c.done(either)
}
