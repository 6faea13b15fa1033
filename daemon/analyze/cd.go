package analyze

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// absolutePath joins a name to the state's directory; "" if that isn't known.
func absolutePath(st *state, name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	dir, ok := st.cwd.Lit()
	if !ok {
		return ""
	}
	return path.Join(dir, name)
}

// realOf resolves a known word against the state's directory.
func (x *run) realOf(st *state, w access.Word) (string, error) {
	lit, ok := absolute(st.cwd, w).Lit()
	if !ok || !strings.HasPrefix(lit, "/") {
		return "", errUnknownName
	}
	return x.real(st, lit)
}

// doCd is cd: the directory may come from HOME, OLDPWD or CDPATH; the change is
// logical unless -P asks for the real one.
func doCd(x *run, c *invocation) []*state {
	if !c.st.zsh {
		return x.changes(c)
	}
	was := c.st.cwd
	rotates := false
	for _, w := range c.argv[1:] {
		lit := litOf(w)
		rotates = rotates || stackPlace(lit)
	}
	return x.zshMoves(c, was, x.changes(c), !rotates)
}

// stackPlace tells whether a word is +N or -N.
func stackPlace(lit string) bool {
	return len(lit) > 1 && (lit[0] == '-' || lit[0] == '+') && strings.Trim(lit[1:], "0123456789") == ""
}

func (x *run) changes(c *invocation) []*state {
	st := c.st
	physical := x.option(st, "physical")
	args := c.argv[1:]
	for len(args) > 0 {
		o, ok := args[0].Lit()
		if !ok || len(o) < 2 || o[0] != '-' || strings.Trim(o[1:], "LPe@qs") != "" {
			if o == "--" {
				args = args[1:]
			}
			break
		}
		for _, f := range o[1:] {
			switch f {
			case 'P':
				physical = true
			case 'L':
				physical = false
			}
		}
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		v := x.get(st, "HOME")
		switch {
		case v.State == word.Unset:
			return c.done(no)
		case v.State == word.Unknown:
			x.need("var", "HOME")
			x.unknown("cd: the home directory isn't known", c.start, c.end)
			return x.move(c, lostDir, physical)
		}
		w := v.Scalar
		w.Start, w.End = c.start, c.end
		return x.enter(c, w, physical)
	case len(args) == 2 && st.zsh:
		return x.replaced(c, args[0], args[1], physical)
	case len(args) > 2 && st.zsh:
		return c.done(no)
	}
	w := args[0]
	if len(args) > 1 { // bash 4.4 and later refuse, older ones look at the first word alone
		stays := c.st.fork()
		stays.status = no
		if x.atLeast(st, 4, 4) {
			return []*state{stays}
		}
		n := *c
		n.argv = []access.Word{c.argv[0], w}
		if litOf(w) == "-" {
			return append(x.back(&n, w, physical), stays)
		}
		return append(x.search(&n, w, physical), stays)
	}
	if lit, _ := w.Lit(); lit == "-" {
		return x.back(c, w, physical)
	} else if lit == "" && w.Known() {
		return c.done(yes)
	} else if st.zsh && stackPlace(lit) {
		return x.stackMove(c, lit)
	}
	if lit := litOf(w); x.option(st, "cdable_vars") && syntax.ValidName(lit) {
		// bash(1): a name that is no directory stands for the variable's value.
		if full, ok := absolute(st.cwd, w).Lit(); ok {
			if _, dir := x.stat(st, full); !dir {
				v := (&env{x: x, st: st}).Get(lit)
				to := lostDir
				if v.State == word.Set {
					to = v.Scalar
				}
				to.Start, to.End = w.Start, w.End
				if v.State != word.Unset {
					return x.enter(c, to, physical)
				}
			}
		}
	}
	return x.search(c, w, physical)
}

// atLeast tells whether a state is that of a bash of a version or a later one, as far
// as the shell has said.
func (x *run) atLeast(st *state, major, minor int) bool {
	v, ok := x.r.Vars["BASH_VERSION"]
	if st.child || st.zsh || !ok || !v.Set {
		return false
	}
	first, rest, _ := strings.Cut(v.Value, ".")
	second, _, _ := strings.Cut(rest, ".")
	m, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	return err == nil && (m > major || m == major && err2 == nil && n >= minor)
}

// autocd runs a command that is the name of a directory as cd (bash(1), zshoptions(1)):
// at a prompt alone, and where no program has the name. bash gives cd the other words
// too, zsh takes a lone word. ok is false if the word runs as a program.
func (x *run) autocd(c *invocation, name string) (sts []*state, ok bool) {
	st := c.st
	if !x.r.Interactive || st.child || st.zsh && len(c.argv) > 1 {
		return nil, false
	}
	if !x.directory(st, name) {
		return nil, false
	}
	program, sure := false, true
	if !strings.Contains(name, "/") && name != "." && name != ".." {
		if dirs, known := x.get(st, "PATH").Scalar.Lit(); !known || dirs == "" {
			sure = false
		} else {
			_, program = (&env{x: x, st: st}).Program(name)
		}
	}
	if program {
		return nil, false
	}
	n := *c
	n.argv = append([]access.Word{access.Text("cd"), access.Text("--")}, c.argv...)
	if sure {
		return doCd(x, &n), true
	}
	runs := *c
	runs.st = st.fork()
	return merge(append(doCd(x, &n), x.external(&runs)...)), true
}

// directory tells whether cd would find a directory of that name, in CDPATH as well.
func (x *run) directory(st *state, name string) bool {
	list := ""
	if first, _, _ := strings.Cut(name, "/"); first != "" && first != "." && first != ".." {
		list = x.r.CDPath
		if v, ok := x.zshPaths(st); ok {
			list, _ = v.Lit()
		} else if v, ok := st.vars["CDPATH"]; ok {
			list, _ = v.Scalar.Lit()
		}
	}
	for d := range strings.SplitSeq(list, ":") {
		full := name
		if d != "" {
			full = strings.TrimSuffix(d, "/") + "/" + name
		}
		if full = absolutePath(st, full); full == "" {
			return true // it can't be told: what cd does then is worth knowing
		}
		if exists, dir := x.stat(st, full); exists && dir {
			return true
		}
	}
	if full := absolutePath(st, name); full != "" {
		exists, dir := x.stat(st, full)
		return exists && dir
	}
	return false
}

// back is cd -.
func (x *run) back(c *invocation, w access.Word, physical bool) []*state {
	old := x.get(c.st, "OLDPWD")
	if c.st.zsh { // it keeps the directory for itself: an assignment to OLDPWD changes nothing
		old = word.Value{State: word.Set, Scalar: c.st.old}
		if !c.st.hasOld {
			old.State = word.Unknown
		}
	}
	if old.State != word.Set {
		x.need("var", "OLDPWD")
		x.unknown("cd -: the previous directory isn't known", w.Start, w.End)
		return x.move(c, lostDir, physical)
	}
	dir := old.Scalar
	dir.Start, dir.End = w.Start, w.End
	c.st.print(dir.Concat(access.Text("\n")))
	return x.enter(c, dir, physical)
}

// search goes through CDPATH for a name that doesn't start with / . or ..
func (x *run) search(c *invocation, w access.Word, physical bool) []*state {
	st := c.st
	p, _ := w.Prefix()
	first, _, _ := strings.Cut(p, "/")
	if strings.HasPrefix(p, "/") || first == "." || first == ".." {
		return x.enter(c, w, physical)
	}
	list := x.r.CDPath
	if v, ok := x.zshPaths(st); ok {
		lit, known := v.Lit()
		if !known {
			x.unknown("cd: cdpath isn't known", w.Start, w.End)
			return x.move(c, lostDir, physical)
		}
		list = lit
	} else if v, ok := st.vars["CDPATH"]; ok {
		if v.State == word.Unset {
			list = ""
		} else if lit, ok := v.Scalar.Lit(); ok && v.State == word.Set {
			list = lit
		} else {
			x.unknown("cd: CDPATH isn't known", w.Start, w.End)
			return x.move(c, lostDir, physical)
		}
	} else if st.child {
		list = ""
	}
	if list == "" {
		return x.enter(c, x.able(st, w), physical)
	}
	for d := range strings.SplitSeq(list, ":") {
		full := w
		if d != "" && d != "." {
			full = access.Text(strings.TrimSuffix(d, "/") + "/").Concat(w)
			full.Start, full.End = w.Start, w.End
		}
		lit, ok := absolute(st.cwd, full).Lit()
		if !ok {
			return x.enter(c, full, physical)
		}
		if exists, dir := x.stat(st, lit); exists && dir {
			c.st.print(access.Text(lit + "\n"))
			return x.enter(c, full, physical)
		}
	}
	return x.enter(c, x.able(st, w), physical)
}

// able is the directory that a word means which isn't found as it stands.
func (x *run) able(st *state, w access.Word) access.Word {
	if st.zsh && x.option(st, "cdablevars") {
		w, _ = x.ableVar(st, w)
	}
	return w
}

// enter changes into a directory: certain if it exists, else both ways.
func (x *run) enter(c *invocation, w access.Word, physical bool) []*state {
	st := c.st
	x.touch(st, st.cwd, target{word: w, kind: access.Read, why: "directory of " + c.name()})
	full := absolute(st.cwd, w)
	lit, known := full.Lit()
	if !known || !strings.HasPrefix(lit, "/") {
		if w.Glob() {
			return x.move(c, lostDir, physical)
		}
		return x.both(c, cleanWord(full), physical)
	}
	if w.Glob() {
		return x.both(c, lostDir, physical)
	}
	real, err := x.real(st, lit)
	to := path.Clean(lit)
	if physical && err == nil {
		to = real
	}
	exists, dir := x.stat(st, to)
	switch {
	case exists && dir && (physical || x.passable(st, lit)):
		return x.move(c, access.Text(to), physical)
	case exists && !dir:
		return c.done(no)
	}
	return x.both(c, access.Text(to), physical)
}

// passable tells whether the folders that ".." leaves again in a logical name are
// all there: bash refuses the name else.
func (x *run) passable(st *state, name string) bool {
	at := "/"
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			if exists, dir := x.stat(st, at); !exists || !dir {
				return false
			}
		}
		at = path.Join(at, part)
	}
	return true
}

// cleanWord makes a partly unknown directory fit for joining: what follows an
// unknown part is unknown.
func cleanWord(w access.Word) access.Word {
	d := split(w)
	fixed, rest, class := d.fixed, d.rest, d.class
	if d.glob != "" {
		return lostDir
	}
	if class == access.Known || !strings.HasPrefix(fixed, "/") {
		if class == access.Inside {
			return w
		}
		return lostDir
	}
	if class == access.Any || strings.Contains(rest, "..") {
		return access.Text(fixed).Concat(from(access.Unknowable(access.Any, w.Start, w.End), "the directory at this point of the line"))
	}
	return w
}

// both keeps the state in which the directory could not be entered, too.
func (x *run) both(c *invocation, to access.Word, physical bool) []*state {
	stay := c.st.fork()
	stay.status = no
	return append(x.move(c, to, physical), stay)
}

// move makes a directory the current one.
func (x *run) move(c *invocation, to access.Word, physical bool) []*state {
	st := c.st
	st.old, st.hasOld = st.cwd, true
	st.cwd = to
	for _, name := range []string{"PWD", "OLDPWD"} {
		if _, ok := st.vars[name]; ok {
			st.dropVar(name)
		}
	}
	st.status = yes
	return []*state{st}
}

// doPushd is pushd: it swaps, rotates, or enters a directory and remembers the
// one it leaves.
func doPushd(x *run, c *invocation) []*state {
	if !c.st.zsh {
		return x.pushes(c)
	}
	return x.zshMoves(c, c.st.cwd, x.pushes(c), false)
}

func (x *run) pushes(c *invocation) []*state {
	st := c.st
	args := c.argv[1:]
	stay := false
	for len(args) > 0 {
		if lit, _ := args[0].Lit(); lit == "-n" {
			stay = true
		} else if lit != "--" && !(st.zsh && (lit == "-q" || lit == "-L" || lit == "-P")) {
			break
		}
		args = args[1:]
	}
	if len(args) == 0 {
		if st.zsh && (x.option(st, "pushdtohome") || len(st.stack) == 0 && (st.stackSet || x.stackKnown(st))) {
			home := x.get(st, "HOME")
			if home.State != word.Set {
				home.Scalar = lostDir
			}
			args = []access.Word{home.Scalar}
			args[0].Start, args[0].End = c.start, c.end
		}
	}
	if len(args) == 0 {
		if len(st.stack) == 0 {
			if x.stackKnown(st) {
				return c.done(no)
			}
			x.unknown("pushd: the directory stack isn't known", c.start, c.end)
			return x.move(c, lostDir, false)
		}
		from := st.cwd
		to := st.stack[0]
		to.Start, to.End = c.start, c.end
		st.stack = append([]access.Word{from}, st.stack[1:]...)
		x.touch(st, st.cwd, target{word: to, kind: access.Read, why: "directory of pushd"})
		x.printStack(st)
		return x.move(c, to, false)
	}
	if lit, _ := args[0].Lit(); stackPlace(lit) {
		if st.zsh {
			return x.stackMove(c, lit)
		}
		return x.rotate(c, lit, true)
	}
	if stay {
		st.stack = append([]access.Word{absolute(st.cwd, args[0])}, st.stack...)
		return c.done(yes)
	}
	from := st.cwd
	sub := &invocation{x: x, st: st, argv: append([]access.Word{c.argv[0]}, args...), rec: c.rec, start: c.start, end: c.end}
	var res []*state
	if lit, _ := args[0].Lit(); lit == "-" {
		res = x.back(sub, args[0], false)
	} else {
		res = x.search(sub, args[0], false)
	}
	for _, r := range res {
		if r.status == yes {
			r.stack = append([]access.Word{from}, r.stack...)
			x.printStack(r)
		}
	}
	return res
}

// stackKnown tells whether the stack holds what the line put there and no more: that of
// a shell that was started for the line is empty.
func (x *run) stackKnown(st *state) bool {
	return st.child || st.fresh || !x.r.Interactive && (!st.zsh || x.r.First)
}

func (x *run) printStack(st *state) {
	if !st.keep {
		return
	}
	out := st.cwd
	for _, d := range st.stack {
		out = out.Concat(access.Text(" ")).Concat(d)
	}
	st.print(out.Concat(access.Text("\n")))
}

// rotate is pushd +N and zsh's cd -N.
func (x *run) rotate(c *invocation, arg string, keep bool) []*state {
	st := c.st
	all := append([]access.Word{st.cwd}, st.stack...)
	n, err := strconv.Atoi(arg[1:])
	if arg[0] == '-' {
		n = len(all) - 1 - n
	}
	if err != nil || n < 0 || n >= len(all) {
		x.unknown(c.name()+" "+arg+": the directory stack isn't known", c.start, c.end)
		return x.move(c, lostDir, false)
	}
	all = append(all[n:len(all):len(all)], all[:n]...)
	to := all[0]
	to.Start, to.End = c.start, c.end
	x.touch(st, st.cwd, target{word: to, kind: access.Read, why: "directory of " + c.name()})
	if keep {
		st.stack = all[1:]
	}
	return x.move(c, to, false)
}

// doPopd is popd.
func doPopd(x *run, c *invocation) []*state {
	if !c.st.zsh {
		return x.pops(c)
	}
	arg := "+0"
	if x.option(c.st, "pushdminus") {
		arg = "-0"
	}
	for _, w := range c.argv[1:] {
		if lit := litOf(w); stackPlace(lit) {
			arg = lit
		}
	}
	if len(c.st.stack) == 0 && (c.st.stackSet || x.stackKnown(c.st)) {
		return c.done(no)
	}
	if len(c.st.stack) > 0 || arg[1:] != "0" {
		return x.zshMoves(c, c.st.cwd, x.stackMove(c, arg), false)
	}
	return x.zshMoves(c, c.st.cwd, x.pops(c), false)
}

func (x *run) pops(c *invocation) []*state {
	st := c.st
	arg := ""
	for _, w := range c.argv[1:] {
		lit, _ := w.Lit()
		if lit == "-n" {
			if len(st.stack) > 0 {
				st.stack = st.stack[1:]
			}
			return c.done(yes)
		}
		arg = lit
	}
	if arg != "" && len(arg) > 1 {
		n, err := strconv.Atoi(arg[1:])
		if arg[0] == '-' {
			n = len(st.stack) - n
		}
		if err == nil && n > 0 && n <= len(st.stack) {
			st.stack = append(st.stack[:n-1:n-1], st.stack[n:]...)
			return c.done(yes)
		}
		if n != 0 || err != nil {
			return c.done(either)
		}
	}
	if len(st.stack) == 0 {
		if x.stackKnown(st) {
			return c.done(no)
		}
		x.unknown("popd: the directory stack isn't known", c.start, c.end)
		return x.move(c, lostDir, false)
	}
	to := st.stack[0]
	to.Start, to.End = c.start, c.end
	st.stack = st.stack[1:]
	x.touch(st, st.cwd, target{word: to, kind: access.Read, why: "directory of popd"})
	res := x.move(c, to, false)
	x.printStack(st)
	return res
}

// doDirs is dirs.
func doDirs(x *run, c *invocation) []*state {
	if len(c.argv) > 1 && litOf(c.argv[1]) == "-c" {
		c.st.stack, c.st.stackSet = nil, true
		return c.done(yes)
	}
	if c.st.zsh && len(c.argv) > 1 {
		x.zshStack(c)
		return c.done(yes)
	}
	for _, w := range c.argv[1:] {
		lit := litOf(w)
		n, err := strconv.Atoi(strings.TrimLeft(lit, "+-"))
		all := append([]access.Word{c.st.cwd}, c.st.stack...)
		switch {
		case lit == "-l": // home directories are written out here anyway
		case err != nil || lit[0] != '+' && lit[0] != '-':
			c.st.print(anything) // -p, -v
			return c.done(either)
		case lit[0] == '-':
			n = len(all) - 1 - n
			fallthrough
		default:
			if n < 0 || n >= len(all) {
				c.st.print(anything)
				return c.done(either)
			}
			c.st.print(all[n].Concat(access.Text("\n")))
			return c.done(yes)
		}
	}
	x.printStack(c.st)
	return c.done(yes)
}

// doPwd is pwd.
func doPwd(x *run, c *invocation) []*state {
	w := c.st.cwd
	physical := x.option(c.st, "physical")
	for _, a := range c.argv[1:] {
		physical = litOf(a) == "-P"
	}
	if lit, ok := w.Lit(); ok && physical {
		if real, err := x.real(c.st, lit); err == nil {
			w = access.Text(real)
		}
	}
	c.st.print(w.Concat(access.Text("\n")))
	return c.done(yes)
}
