package analyze

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// doSet is set: options, and the positional parameters.
func doSet(x *run, c *invocation) []*state {
	st := c.st
	args := c.argv[1:]
	sorts := false
	named := false // an option by a name that may not exist
	if len(args) == 0 {
		st.print(anything)
		return c.done(yes)
	}
	for len(args) > 0 {
		o, ok := args[0].Lit()
		if !ok {
			if p, _ := args[0].Prefix(); p == "" && maybeNone(args[0]) {
				// It may be an option, one that is on may go off.
				for name := range keepsFrom {
					if x.option(st, name) {
						st.setOpt(name, false)
					}
				}
			}
			break
		}
		if o == "--" || o == "-" {
			st.args, st.argsOK = x.spread(st, args[1:])
			return c.done(yes)
		}
		if len(o) < 2 || o[0] != '-' && o[0] != '+' {
			break
		}
		on := o[0] == '-'
		args = args[1:]
		for _, f := range o[1:] {
			named = named || setFlags[f] == ""
			if f == 'A' && st.zsh {
				x.setArray(c, on, args, sorts)
				return c.done(either)
			}
			sorts = sorts || f == 's' && st.zsh
			if f == 'o' {
				if len(args) == 0 {
					return c.done(yes)
				}
				name, known := args[0].Lit()
				if !known {
					x.unknown("set: the option isn't known", args[0].Start, args[0].End)
				} else if st.zsh {
					x.setZshOption(st, name, on, args[0])
				} else {
					x.setOption(st, strings.ReplaceAll(strings.ToLower(name), "_", ""), on, args[0])
				}
				args = args[1:]
				continue
			}
			if st.zsh {
				x.setZshLetter(st, f, on, access.Unknowable(access.Any, c.start, c.end))
			} else if name, ok := setFlags[f]; ok {
				x.setOption(st, name, on, access.Unknowable(access.Any, c.start, c.end))
			}
		}
	}
	if len(args) > 0 {
		st.args, st.argsOK = x.spread(st, args)
	}
	if !st.zsh && !x.r.Interactive && (!st.child || st.bash) && !st.opts["interactive"] && x.option(st, "noexec") {
		st.flow, st.onExit = exits, access.Word{} // nothing runs any more
	}
	return c.done(either2(!named))
}

// setFlags are the letters of set that change what words expand to or what runs.
var setFlags = map[rune]string{
	'a': "allexport", 'e': "errexit", 'f': "noglob", 'n': "noexec", 'u': "nounset", 'x': "xtrace",
	'B': "braceexpand", 'C': "noclobber", 'E': "errtrace", 'P': "physical", 'T': "functrace", 'p': "privileged",
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
		if len(lit) > 1 && (lit[0] == '-' || lit[0] == '+') { // letters; -m takes patterns, -o a name
			if strings.ContainsRune(lit, 'm') {
				x.unknown(c.name()+": which options a pattern means isn't followed", w.Start, w.End)
			}
			for _, f := range lit[1:] {
				x.setZshLetter(c.st, f, on == (lit[0] == '-'), w)
			}
			continue
		}
		x.setZshOption(c.st, lit, on, w)
	}
	return c.done(either)
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
		for _, w := range c.st.args[:n] {
			if w.OneOfMany() || maybeNone(w) {
				c.st.args, c.st.argsOK = nil, false
				return c.done(either)
			}
		}
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
	funcs, ref, pattern, named := c.name() == "unfunction", false, false, false
	result := either2(!c.st.zsh)
	var gone []string // functions that are removed if there is no variable of the name
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		if !ok {
			x.onGuard(access.SelfAsk, w.Start, w.End, "unsets something that can't be determined")
			result = either
			x.clobber(c.st)
			continue
		}
		if len(lit) > 1 && lit[0] == '-' {
			funcs = funcs || strings.ContainsRune(lit, 'f')
			ref = ref || strings.ContainsRune(lit, 'n')
			named = named || strings.ContainsAny(lit, "nv")
			pattern = pattern || c.st.zsh && strings.ContainsRune(lit, 'm')
			continue
		}
		if pattern {
			x.removesMatching(c.st, w)
			x.line.Changes = x.line.Changes || len(x.r.Attributes) > 0
			if funcs {
				x.line.Changes = true
			} else {
				x.clobber(c.st)
			}
			continue
		}
		if x.r.Attributes[lit] != "" {
			x.line.Changes = true
		}
		x.unsets(c.st, lit, w)
		if base, _, _ := strings.Cut(lit, "["); !ref {
			x.unsets(c.st, x.target(c.st, base), w)
		}
		if !syntax.ValidName(lit) {
			result = either
		}
		if base, sub, ok := strings.Cut(lit, "["); ok {
			if base == "mapfile" && c.st.zsh { // zsh/mapfile: it removes the file
				name := access.Text(strings.TrimSuffix(sub, "]"))
				name.Start, name.End = w.Start, w.End
				x.touch(c.st, c.st.cwd, target{word: name, kind: access.Write, why: "element of mapfile"})
				continue
			}
			x.subscript(c.st, w)
			if c.st.zsh {
				old := x.get(c.st, base)
				i, err := strconv.Atoi(strings.TrimSuffix(sub, "]"))
				if zshUnset(&old, strings.TrimSuffix(sub, "]"), i, err == nil && i > 0 && !x.option(c.st, "ksharrays")) {
					c.st.setVar(base, old)
				} else {
					c.st.setVar(base, word.Value{})
				}
				continue
			}
			if got := x.unsetElement(c.st, base, sub, ref); got != yes {
				result = got
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
		if x.fixed(c.st, name) && !c.st.zsh {
			result = no
			continue
		}
		f, ok := c.st.funcs[lit]
		if _, own := x.r.Functions[lit]; !ok && own && !c.st.child && !c.st.fresh {
			f.opaque = true
		}
		if (f.body != nil || f.opaque) && !named && !c.st.zsh {
			// Without a variable of the name it is the function.
			switch (&env{x: x, st: c.st}).Get(name).State {
			case word.Unset:
				c.st.setFunc(lit, function{})
				continue
			case word.Unknown:
				gone = append(gone, lit)
			}
		}
		c.st.setVar(name, word.Value{State: word.Unset})
	}
	c.st.status = result
	out := []*state{c.st}
	for _, name := range gone {
		s := c.st.fork()
		s.setFunc(name, function{})
		out = append(out, s)
	}
	return out
}

// doDeclare is a declaring builtin that the parser took for a plain command
// (\export, command declare).
func doDeclare(x *run, c *invocation) []*state {
	d := declaration{variant: c.name(), zsh: c.st.zsh}
	switch d.variant {
	case "integer":
		d.variant, d.integer = "typeset", true
	case "float":
		d.variant, d.shape = "typeset", true
	case "private":
		d.variant = "local"
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
			x.unclear(c.st, access.Read, "let: the expression", w, w.Start, w.End)
			continue
		}
		x.arithText(c.st, w)
	}
	return c.done(either)
}
