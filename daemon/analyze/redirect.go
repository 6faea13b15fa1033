package analyze

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// redirected runs a statement with its redirections: they are set up from left to
// right, the command runs, and they end with it. Those of exec stay.
func (x *run) redirected(s *syntax.Stmt, st *state) []*state {
	sts := []*setup{{st: st, in: st.in, out: st.out, keep: st.keep, forks: x.forks(s.Cmd, st)}}
	whole := !s.Negated && !checked(s.Cmd) // a compound command
	fds := st.fds
	st.out = access.Word{} // put back at the end
	reading := x.reading
	x.reading = false
	for _, r := range s.Redirs {
		var next []*setup
		for _, u := range sts {
			next = append(next, x.redirect(r, u)...)
		}
		sts = next
	}
	stays := execOnly(s)
	var out []*state
	for _, u := range sts {
		if u.failed {
			x.expands(s.Cmd, u.st)
			u.st.status, u.st.in, u.st.out, u.st.keep = no, u.in, u.out, u.keep
			x.spokeAnyway(s.Cmd, u.st)
			if whole {
				out = append(out, x.failing([]*state{u.st})...)
			} else {
				out = append(out, u.st)
			}
			continue
		}
		if u.opens && !stays {
			// If a file can't be opened the command doesn't run at all.
			f := u.st.fork()
			f.status, f.in, f.out, f.keep = no, u.in, u.out, u.keep
			x.spokeAnyway(s.Cmd, f)
			if whole {
				out = append(out, x.failing([]*state{f})...)
			} else {
				out = append(out, f)
			}
		}
		for _, r := range x.command(s.Cmd, u.st) {
			if reading {
				if r.out = anything; r.in.kind == fromText {
					r.out = r.in.text
				}
			}
			if u.file != "" {
				f := file{content: r.out, known: kindOf(r.out) == fromText}
				if stays { // exec > FILE: all that follows is written there
					f = file{content: from(anything, "what the shell writes into it")}
				} else if u.appends {
					f = x.appendedTo(r, u.file, r.out)
				}
				r.setFile(u.file, f.ofTree())
			}
			if u.twin != "" {
				if _, open := r.fds[u.twin]; open && r.in.kind == fromText {
					r.setFd(u.twin, r.in)
				}
			}
			if !stays {
				r.in = u.rest(r)
				closed(r, fds, s.Redirs)
			}
			r.out, r.keep = u.out.Concat(u.kept(r)), u.keep && !(stays && u.away)
			out = append(out, r)
		}
	}
	return merge(out)
}

// closed puts the descriptors back that a command had of its own. {name}< stays open.
func closed(st *state, before map[string]input, list []*syntax.Redirect) {
	for _, r := range list {
		if r.N == nil || r.N.Value == "" || r.N.Value[0] == '{' || r.N.Value == "0" {
			continue
		}
		fd := r.N.Value
		in, open := before[fd]
		if open {
			st.setFd(fd, in)
		} else if now, ok := st.fds[fd]; ok {
			st.setFd(fd, now) // in a map of its own
			delete(st.fds, fd)
		}
	}
}

// expands looks at the words of a simple command whose redirections fail: they are
// expanded before.
func (x *run) expands(c syntax.Command, st *state) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		sub := st.fork()
		sub.flow = goesOn
		for _, a := range x.fields(sub, c.Args) {
			for _, as := range c.Assigns {
				x.assigned(as, a.st, false)
			}
			x.keepFiles(st, []*state{a.st})
		}
	case *syntax.DeclClause:
		sub := st.fork()
		sub.flow = goesOn
		x.declClause(c, sub)
	}
}

// appendedTo is a file after text was added to it.
func (x *run) appendedTo(st *state, name string, text access.Word) file {
	old, ours := st.files[name]
	f := file{content: text, known: kindOf(text) == fromText}
	switch {
	case ours && !old.gone:
		f.content = old.content.Concat(text)
		f.known, f.part = f.known && old.known, old.part && f.known
	case !ours:
		if exists, _ := x.stat(st, name); exists {
			f.known, f.part = false, f.known
		}
	}
	return f
}

// setup is a state whose redirections are being set up, and how to end them.
type setup struct {
	st      *state
	in      input
	out     access.Word
	keep    bool
	moved   bool   // standard input was redirected
	twin    string // the descriptor that standard input is a copy of: both read on in one text
	away    bool   // standard output goes elsewhere than before
	file    string
	appends bool
	failed  bool
	opens   bool   // a file is opened, which may fail
	forks   status // the command runs in another process
}

// rest is the standard input after the command.
func (u *setup) rest(r *state) input {
	if u.moved {
		return u.in
	}
	return r.in
}

// kept is what the command wrote to where standard output went before.
func (u *setup) kept(r *state) access.Word {
	if u.away {
		return access.Word{}
	}
	return r.out
}

// execOnly tells whether a statement is exec without a command, however it is
// quoted, and behind command or builtin as well.
func execOnly(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return false
	}
	args := c.Args
	for len(args) > 1 {
		if name := spelled(args[0]); name != "command" && name != "builtin" {
			return false
		}
		args = args[1:]
	}
	return len(args) == 1 && spelled(args[0]) == "exec"
}

// spelled is the text of a word of nothing but literals, "" for others.
func spelled(w *syntax.Word) string {
	var b strings.Builder
	add := func(l *syntax.Lit) { b.WriteString(strings.ReplaceAll(l.Value, `\`, "")) }
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			add(p)
		case *syntax.SglQuoted:
			if p.Dollar && strings.Contains(p.Value, `\`) {
				return ""
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, in := range p.Parts {
				l, ok := in.(*syntax.Lit)
				if !ok {
					return ""
				}
				add(l)
			}
		default:
			return ""
		}
	}
	return b.String()
}

// refused are the ways in which a statement ends at an error in the expansion of a
// redirection: only the command, where the shell has forked before, as for programs
// and subshells, else what the shell is running.
func (u *setup) refused(x *run, fatal bool) []*setup {
	u.failed, u.st.status = true, no
	if u.forks == yes {
		return []*setup{u}
	}
	here := *u
	here.st = u.st.fork()
	x.halt(here.st, fatal)
	if u.forks == no {
		return []*setup{&here}
	}
	return []*setup{u, &here}
}

// forks tells whether the shell is a process of its own by the time it sets up the
// redirections of a command.
func (x *run) forks(c syntax.Command, st *state) status {
	switch c := c.(type) {
	case *syntax.Subshell:
		return yes
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return no
		}
		name := spelled(c.Args[0])
		if name == "" {
			return either
		}
		if f, ok := st.funcs[name]; ok && f.body != nil || x.builtin(st, name) != nil {
			return no
		}
		_, named := st.alias[name]
		_, isFunc := x.r.Functions[name]
		_, isAlias := x.r.Aliases[name]
		if named || isFunc || isAlias || !x.r.ShellKnown && !st.fresh && !st.child {
			return either
		}
		return yes
	}
	return no
}

// redirect sets up one redirection.
func (x *run) redirect(r *syntax.Redirect, u *setup) []*setup {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
	}
	var alts []alternative
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return x.hereDoc(r, fd, u)
	case syntax.WordHdoc:
		alts = x.one(u.st, r.Word, word.Single)
	default:
		alts = x.fields(u.st, []*syntax.Word{r.Word})
	}
	var out []*setup
	for _, a := range alts {
		v := *u
		v.st = a.st
		if a.stop {
			out = append(out, v.refused(x, a.fatal)...)
			continue
		}
		if r.Op == syntax.WordHdoc {
			text := a.words[0].Concat(access.Text("\n"))
			v.input(fd, input{kind: kindOf(a.words[0]), text: text})
			out = append(out, &v)
			continue
		}
		for _, w := range a.words {
			x.open(r.Op, fd, w, &v)
		}
		if len(a.words) != 1 && !v.st.zsh { // "ambiguous redirect"
			v.failed = true
		}
		out = append(out, &v)
	}
	return out
}

// open sets up a redirection to or from a file or descriptor.
func (x *run) open(op syntax.RedirOperator, fd string, w access.Word, v *setup) {
	st := v.st
	why := "target of " + op.String()
	kind := access.Write
	switch op {
	case syntax.RdrIn:
		kind = access.Read
	case syntax.RdrInOut:
		x.touch(st, st.cwd, target{word: w, kind: access.Read, why: why})
	case syntax.DplIn, syntax.DplOut:
		if op == syntax.DplIn || descriptor(w) {
			x.duplicate(op, fd, w, v)
			return
		}
		if lit, ok := w.Lit(); !ok && !strings.HasPrefix(lit, "/") && len(w.Segs) > 0 && w.Segs[0].Class == access.Name && w.Segs[0].Glob == "" {
			return // a number
		}
	}
	x.touch(st, st.cwd, target{word: w, kind: kind, why: why})
	x.listed(st, w)
	v.opens = v.opens || x.mayNotOpen(st, w, kind)
	if kind == access.Read {
		in := input{kind: fromFile}
		if terminal(w) {
			in.kind = inherited
		}
		if lit, _ := w.Lit(); lit == "/dev/null" {
			in.kind = fromText
		}
		if f, ok := x.made(st, w); ok {
			in = input{kind: kindOf(f.content), text: f.content}
			if !f.known {
				in = input{kind: fromPipe}
			}
		}
		v.input(fd, in)
		return
	}
	defer x.filled(st, w, v)
	if op == syntax.RdrInOut && (fd == "" || fd == "0") {
		in := input{kind: fromFile}
		if terminal(w) {
			in.kind = inherited
		}
		v.input(fd, in)
		return
	}
	all := op == syntax.RdrAll || op == syntax.RdrAllClob || op == syntax.AppAll || op == syntax.AppAllClob || op == syntax.DplOut
	if fd == "" || fd == "1" || all {
		v.away, v.file = true, ""
		st.out, st.keep = access.Word{}, true
		if lit, _ := w.Lit(); !safeDevice(lit) {
			if key, ok := x.fileKey(st, w); ok {
				v.file = key
			}
		}
		v.appends = op == syntax.AppOut || op == syntax.AppAll || op == syntax.AppClob || op == syntax.AppAllClob
	}
	if fd != "" && fd[0] == '{' {
		x.assign(st, strings.Trim(fd, "{}"), word.Value{State: word.Set, Scalar: access.Number(0, 0)}, w)
	}
}

// filled makes unknown what stands in a file that is opened for writing otherwise
// than as standard output: 2> FILE, 3> FILE, <> FILE.
func (x *run) filled(st *state, w access.Word, v *setup) {
	if lit, _ := w.Lit(); v.file != "" || safeDevice(lit) {
		return
	}
	if key, ok := x.fileKey(st, w); ok && !st.files[key].dir {
		st.setFile(key, file{content: from(anything, "what is written into it")})
	}
}

// mayNotOpen tells whether opening a file may fail: it is missing, or its folder
// is, or it lies outside, where others own it.
func (x *run) mayNotOpen(st *state, w access.Word, kind access.Kind) bool {
	lit, ok := w.Lit()
	if !ok || w.Glob() {
		return true
	}
	if safeDevice(lit) {
		return false
	}
	real, err := x.realOf(st, w)
	if err != nil || x.outside(real) {
		return true
	}
	exists, dir := x.stat(st, real)
	if kind == access.Read || exists {
		return !exists || dir && kind != access.Read
	}
	_, dir = x.stat(st, path.Dir(real))
	return !dir
}

// input makes in the standard input, or another descriptor's.
func (v *setup) input(fd string, in input) {
	if fd == "" || fd == "0" {
		v.moved, v.twin = true, ""
		v.st.in = in
		return
	}
	v.st.setFd(strings.Trim(fd, "{}"), in)
	if fd[0] == '{' {
		v.st.setVar(strings.Trim(fd, "{}"), word.Value{State: word.Set, Scalar: access.Text(strings.Trim(fd, "{}"))})
	}
}

// duplicate follows <&N and >&N: no access, the opening was judged.
func (x *run) duplicate(op syntax.RedirOperator, fd string, w access.Word, v *setup) {
	from, _ := w.Lit()
	from = strings.TrimSuffix(from, "-")
	if op == syntax.DplIn && (fd == "" || fd == "0") {
		in := input{kind: fromPipe}
		if known, ok := v.st.fds[from]; ok {
			in = known
		} else if from == "0" || from == "" {
			return
		}
		v.input(fd, in)
		v.twin = from
		return
	}
	if op == syntax.DplOut && (fd == "" || fd == "1") && from != "1" {
		v.away, v.file = true, ""
		v.st.out, v.st.keep = access.Word{}, false
	}
}

// descriptor tells whether a word names a descriptor: digits, or digits with "-".
func descriptor(w access.Word) bool {
	lit, ok := w.Lit()
	if !ok {
		return false
	}
	lit = strings.TrimSuffix(lit, "-")
	return strings.Trim(lit, "0123456789") == ""
}

// hereDoc makes a here-document the input. A quoted delimiter keeps the body as
// it is.
func (x *run) hereDoc(r *syntax.Redirect, fd string, u *setup) []*setup {
	if r.Hdoc == nil {
		u.input(fd, input{kind: fromText})
		return []*setup{u}
	}
	if quoted(r.Word) {
		var text access.Word
		for _, p := range r.Hdoc.Parts {
			if l, ok := p.(*syntax.Lit); ok {
				text.Segs = append(text.Segs, access.Segment{Text: dedent(l.Value, r.Op), Quoted: true, Start: int(l.Pos().Offset()), End: int(l.End().Offset())})
			}
		}
		text.Start, text.End = int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
		u.input(fd, input{kind: fromText, text: text})
		return []*setup{u}
	}
	var out []*setup
	for _, a := range x.one(u.st, r.Hdoc, word.Document) {
		v := *u
		v.st = a.st
		if a.stop {
			out = append(out, v.refused(x, a.fatal)...)
			continue
		}
		text := a.words[0]
		if r.Op == syntax.DashHdoc {
			for i := range text.Segs {
				text.Segs[i].Text = dedent(text.Segs[i].Text, r.Op)
			}
		}
		v.input(fd, input{kind: kindOf(text), text: text})
		out = append(out, &v)
	}
	return out
}

// dedent removes the leading tabs of the lines of <<- bodies.
func dedent(s string, op syntax.RedirOperator) string {
	if op != syntax.DashHdoc || !strings.Contains(s, "\t") {
		return s
	}
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, "\t")
	}
	return strings.Join(lines, "")
}

// quoted tells whether any part of a here-document's delimiter is quoted.
func quoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok || strings.ContainsRune(l.Value, '\\') {
			return true
		}
	}
	return false
}

// terminal tells whether a name is that of a terminal.
func terminal(w access.Word) bool {
	p, _ := w.Prefix()
	return strings.HasPrefix(p, "/dev/pts/") || strings.HasPrefix(p, "/dev/tty")
}
