package analyze

import (
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// What zsh calls by itself (zshmisc(1), "Special Functions"; zshzle(1), "Special
// Widgets") runs without a line of its own. So its text is looked at where it is
// defined, as that of a trap.

var hookFuncs = words("chpwd periodic precmd preexec zshaddhistory zshexit zsh_directory_name command_not_found_handler command_not_found_handle")

// isHook tells whether the shell calls a function of this name by itself.
func isHook(name string) bool {
	if hookFuncs[name] {
		return true
	}
	sig, ok := strings.CutPrefix(name, "TRAP")
	return ok && sig != "" && strings.ToUpper(sig) == sig
}

// promptHooks run at a prompt, chpwd also where cd is followed.
var promptHooks = words("chpwd periodic precmd preexec zshaddhistory")

// runsHook tells whether a shell in this state calls a hook by itself at some time.
func (x *run) runsHook(st *state, name string) bool {
	return x.interactive(st) || !promptHooks[name]
}

// isHookList tells whether an array names functions that the shell calls.
func isHookList(name string) bool {
	base, ok := strings.CutSuffix(name, "_functions")
	return ok && hookFuncs[base]
}

// later walks a function that runs when nobody can tell: with any words.
func (x *run) later(st *state, f function) {
	if f.opaque || f.body == nil {
		if f.opaque {
			x.unknown("what a function does that the shell calls by itself isn't known", x.at[0], x.at[1])
		}
		return
	}
	if !x.b.Enter(guard.Calls) {
		x.over = true
		return
	}
	defer x.b.Leave(guard.Calls)
	sub := st.fork()
	sub.enter()
	sub.args, sub.argsOK = nil, false
	sub.keep, sub.loops, sub.status = false, 0, either
	sub.inside++
	x.keepFiles(st, x.stmt(f.body, sub))
}

// laterNamed is later for a function by its name.
func (x *run) laterNamed(st *state, w access.Word) {
	name, ok := w.Lit()
	if !ok {
		x.unclear(st, access.Read, "a function that the shell calls by itself", w, w.Start, w.End)
		return
	}
	c := &invocation{x: x, st: st, argv: []access.Word{w}, start: w.Start, end: w.End}
	if f, ok := x.function(st, name, c); ok {
		x.later(st, f)
	}
}

// hookList looks at a value of an array of functions that the shell calls.
func (x *run) hookList(st *state, name string, v word.Value) {
	if !st.zsh || !isHookList(name) || !x.runsHook(st, strings.TrimSuffix(name, "_functions")) {
		return
	}
	if v.List == nil {
		x.laterNamed(st, v.Scalar)
	}
	for i := range len(v.List) {
		x.laterNamed(st, v.List[i])
	}
}

// listedHook looks at a function that a list named before it was there.
func (x *run) listedHook(st *state, name string, f function) {
	if !st.zsh {
		return
	}
	for base := range hookFuncs {
		if !x.runsHook(st, base) {
			continue
		}
		list := base + "_functions"
		v, own := st.vars[list]
		if !own {
			if before, ok := x.r.Vars[list]; ok && !st.child {
				v = x.value(before)
			} else {
				continue
			}
		}
		named := v.State == word.Unknown || !v.Scalar.Known() || litOf(v.Scalar) == name
		for _, w := range v.List {
			named = named || litOf(w) == name
		}
		if named {
			x.later(st, f)
			return
		}
	}
}

// doZle is zsh's zle: -N and -C make a widget of a function.
func doZle(x *run, c *invocation) []*state {
	args := c.argv[1:]
	if len(args) < 2 {
		return c.done(either)
	}
	switch lit, _ := args[0].Lit(); lit {
	case "-N":
		x.laterNamed(c.st, args[len(args)-1])
	case "-C":
		x.laterNamed(c.st, args[len(args)-1])
	case "-F":
		x.laterNamed(c.st, args[len(args)-1])
	}
	return c.done(either)
}

// doCompctl is zsh's compctl: -K names a function, -s a text that is expanded.
func doCompctl(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for i := 0; i+1 < len(args); i++ {
		switch lit, _ := args[i].Lit(); lit {
		case "-K", "-Y", "-i", "-I":
			x.laterNamed(c.st, args[i+1])
		case "-s":
			x.hidden(c.st, args[i+1])
		case "-g", "-W":
			x.touch(c.st, c.st.cwd, target{word: args[i+1], kind: access.Read, why: "names that compctl lists"})
		}
	}
	return c.done(either)
}

// doAddHook is zsh's add-zsh-hook and add-zle-hook-widget, functions that zsh
// ships: the function they are given is called by the shell.
func doAddHook(x *run, c *invocation) []*state {
	var plain []access.Word
	removes := false
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		if !ok || guardFuncs[lit] || isGuardName(lit) {
			if !c.st.apart && !c.st.child {
				x.onGuard(access.SelfDeny, w.Start, w.End, "changes the hooks of the shell")
			}
		}
		if ok && strings.HasPrefix(lit, "-") {
			removes = removes || strings.ContainsAny(lit, "dDL")
			continue
		}
		plain = append(plain, w)
	}
	if len(plain) == 2 && !removes {
		x.laterNamed(c.st, plain[1])
	}
	return c.done(either)
}
