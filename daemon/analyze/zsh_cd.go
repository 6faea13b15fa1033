package analyze

import (
	"slices"
	"strconv"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// zshMoves is what zsh does besides after cd, pushd and popd have changed the
// directory (zshoptions(1), "Changing Directories"; zshmisc(1), "Hook Functions"):
// the one that was left goes on the stack, and chpwd runs there. plain tells whether
// the stack is as cd leaves it.
func (x *run) zshMoves(c *invocation, was access.Word, res []*state, plain bool) []*state {
	quiet := false
	for _, w := range c.argv[1:] {
		if lit := litOf(w); len(lit) > 1 && lit[0] == '-' && strings.Trim(lit[1:], "qsLP") == "" {
			quiet = quiet || strings.Contains(lit, "q")
		}
	}
	return x.eachState(res, func(st *state) []*state {
		if st.status != yes {
			return st.alone()
		}
		if plain && x.option(st, "autopushd") {
			st.stack = append([]access.Word{was}, st.stack...)
		}
		if x.option(st, "pushdignoredups") {
			x.uniqueStack(st)
		}
		if quiet {
			return st.alone()
		}
		return x.chpwd(c, st)
	})
}

// uniqueStack takes away what stands on the stack twice.
func (x *run) uniqueStack(st *state) {
	var out []access.Word
	for _, d := range st.stack {
		same := func(o access.Word) bool { return d.Known() && sameWord(o, d) }
		if !same(st.cwd) && !slices.ContainsFunc(out, same) {
			out = append(out, d)
		}
	}
	st.stack = out
}

// chpwd runs the line's own functions that zsh calls in a new directory.
func (x *run) chpwd(c *invocation, st *state) []*state {
	names := []access.Word{access.Text("chpwd")}
	if v, ok := st.vars["chpwd_functions"]; ok && v.List != nil {
		for i := range len(v.List) {
			names = append(names, v.List[i])
		}
	}
	sts, status := []*state{st}, st.status
	for _, w := range names {
		f, ok := st.funcs[litOf(w)]
		if !ok || f.body == nil && !f.opaque || st.hooked {
			continue
		}
		sts = x.eachState(sts, func(s *state) []*state {
			s.hooked = true // cd in it calls it again: that changes nothing here
			res := x.callFunction(&invocation{x: x, st: s, argv: []access.Word{w}, start: c.start, end: c.end}, f)
			for _, r := range res {
				r.hooked = false
			}
			return res
		})
	}
	for _, s := range sts {
		s.status = status
	}
	return sts
}

// replaced is cd OLD NEW: the first OLD in the directory's name is replaced.
func (x *run) replaced(c *invocation, from, to access.Word, physical bool) []*state {
	dir, ok := c.st.cwd.Lit()
	old, ok1 := from.Lit()
	by, ok2 := to.Lit()
	if !ok || !ok1 || !ok2 || !strings.HasPrefix(dir, "/") {
		x.unknown("cd OLD NEW replaces text in the directory's name", c.start, c.end)
		return x.move(c, lostDir, physical)
	}
	if !strings.Contains(dir, old) {
		return c.done(no)
	}
	w := access.Text(strings.Replace(dir, old, by, 1))
	w.Start, w.End = from.Start, to.End
	c.st.print(w.Concat(access.Text("\n")))
	return x.enter(c, w, physical)
}

// entry is the place that +N or -N means among the current directory and the stack.
func (x *run) entry(st *state, arg string, n int) (int, bool) {
	i, err := strconv.Atoi(arg[1:])
	left := (arg[0] == '+') != x.option(st, "pushdminus")
	if !left {
		if !st.stackSet && !x.stackKnown(st) {
			return 0, false // counted from an end that isn't known
		}
		i = n - 1 - i
	}
	return i, err == nil && i >= 0 && i < n
}

// stackMove is cd, pushd or popd with +N or -N, and pushd and popd without a word
// (Src/builtin.c, cd_new_pwd).
func (x *run) stackMove(c *invocation, arg string) []*state {
	st := c.st
	all := append([]access.Word{st.cwd}, st.stack...)
	n, ok := x.entry(st, arg, len(all))
	if !ok {
		if st.stackSet || x.stackKnown(st) {
			return c.done(no) // no such entry
		}
		x.unknown(c.name()+" "+arg+": the directory stack isn't known", c.start, c.end)
		return x.move(c, lostDir, false)
	}
	to := all[n]
	switch c.name() {
	case "pushd":
		all = append(all[n:len(all):len(all)], all[:n]...)
		all = all[1:]
	case "popd":
		all = slices.Delete(slices.Clone(all), n, n+1)
		if len(all) > 0 {
			to = all[0]
			all = all[1:]
		}
	default:
		all = slices.Delete(slices.Clone(all), n, n+1)
		if !x.option(st, "autopushd") && len(all) > 0 {
			all = all[1:]
		}
	}
	to.Start, to.End = c.start, c.end
	x.touch(st, st.cwd, target{word: to, kind: access.Read, why: "directory of " + c.name()})
	st.stack = all
	res := x.move(c, to, false)
	x.printStack(st)
	return res
}

// ableVar is the directory that cd NAME/REST means under cdable_vars: what ~NAME/REST
// is, if there is no directory of that name.
func (x *run) ableVar(st *state, w access.Word) (access.Word, bool) {
	lit, ok := w.Lit()
	if !ok || lit == "" || lit[0] == '/' {
		return w, false
	}
	if full, ok := absolute(st.cwd, w).Lit(); ok {
		if exists, dir := x.stat(st, full); exists && dir {
			return w, false
		}
	}
	name, rest, _ := strings.Cut(lit, "/")
	e := &env{x: x, st: st}
	to, named := e.Named(name)
	if !named {
		switch v := e.Get(name); {
		case v.State == word.Unknown, v.State == word.Set && !v.Scalar.Known():
			to, named = from(anything, "the directory that "+name+" names"), true
		case v.State == word.Set && v.Scalar.HasPrefix("/"):
			to, named = v.Scalar, true
		}
	}
	if !named {
		return w, false
	}
	if rest != "" {
		to = to.Concat(access.Text("/" + rest))
	}
	to.Start, to.End = w.Start, w.End
	return to, true
}
