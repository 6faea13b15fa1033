package analyze

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
	"extdir/daemon/command"
)

// shellDialect is the dialect of a program that is a shell, "" for others.
func shellDialect(base string) string {
	switch base {
	case "bash", "rbash":
		return "bash"
	case "sh", "dash", "ash", "ksh", "mksh", "ksh93", "rksh":
		return "sh"
	case "zsh", "rzsh":
		return "zsh"
	}
	return ""
}

// noStartFiles tells whether an option of zsh keeps it from its start files. Case,
// "_" and, after "--", "-" don't count (zshoptions(1)).
func noStartFiles(option string) bool {
	switch strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(option)) {
	case "norcs", "noglobalrcs":
		return true
	}
	return false
}

// runShell is a shell started as a program: text after -c, a script, or standard
// input.
func (x *run) runShell(g *ground, dialect string, argv []access.Word) {
	args := argv[1:]
	text, script, stdin := false, true, false
	unguarded := g.bare
	checks := false // -n: what is read isn't run
	var options []option
	defer func(old []option) { g.options = old }(g.options)
	for len(args) > 0 {
		o, ok := args[0].Lit()
		if !ok || len(o) < 2 || o[0] != '-' && o[0] != '+' {
			break
		}
		args = args[1:]
		if o == "--" {
			break
		}
		if strings.HasPrefix(o, "--") {
			switch o {
			case "--rcfile", "--init-file":
				if len(args) > 0 {
					x.touch(g.st, g.st.cwd, target{word: args[0], kind: access.Read, why: "start file of " + dialect})
					x.startFile(g, dialect, args[0])
					args = args[1:]
				}
				unguarded = o
			case "--norc", "--posix", "--noprofile", "--restricted", "--emulate":
				if o != "--noprofile" && o != "--restricted" {
					unguarded = o
				}
				if o == "--emulate" && len(args) > 0 {
					args = args[1:]
				}
			case "--version", "--help":
				return
			default:
				if dialect == "zsh" && noStartFiles(o[2:]) {
					unguarded = o
				}
			}
			continue
		}
		for _, f := range o[1:] {
			if name := setFlags[f]; name != "" && dialect != "zsh" {
				options = append(options, option{name, o[0] == '-'})
			} else if name := zshLetters[f]; name != "" && dialect == "zsh" {
				name, on := zshOption(name, o[0] == '-')
				options = append(options, option{name, on})
			}
			switch f {
			case 'n':
				checks = o[0] == '-'
			case 'i':
				options = append(options, option{"interactive", true})
			case 'c':
				text = o[0] == '-'
			case 's':
				stdin = true
			case 'o', 'O':
				if len(args) > 0 {
					if l, ok := args[0].Lit(); ok {
						name, on := l, o[0] == '-'
						checks = checks || l == "noexec" && on
						if dialect == "zsh" {
							name, on = zshOption(name, on)
						}
						options = append(options, option{name, on})
					}
					if l, _ := args[0].Lit(); l == "posix" || l == "privileged" || noStartFiles(l) || o[0] == '+' && (l == "rcs" || l == "globalrcs") {
						unguarded = "-o " + l
					}
					args = args[1:]
				}
			case 'p':
				if dialect != "sh" && o[0] == '-' {
					unguarded = "-p"
				}
			case 'f':
				if dialect == "zsh" {
					unguarded = "-f"
				}
			}
		}
	}
	if len(args) > 0 && litOf(args[0]) == "-" {
		args = args[1:]
	}
	if dir, set := g.st.vars["ZDOTDIR"]; set && dialect == "zsh" && unguarded == "" {
		w := dir.Scalar.Concat(access.Text("/.zshenv")) // zsh(1): every zsh reads it
		w.Start, w.End = argv[0].Start, argv[0].End
		x.startFile(g, dialect, w)
	}
	if len(args) == 0 || stdin && !text {
		script = false
	}
	g.options = options
	switch {
	case checks && script && !text:
		x.touch(g.st, g.st.cwd, target{word: args[0], kind: access.Read, why: "script that " + dialect + " checks"})
		return
	case checks && (text || g.st.in.kind != inherited):
		return
	}
	switch {
	case text:
		if len(args) == 0 {
			return
		}
		x.shellText(g, dialect, args[0], args[1:])
		return
	case script:
		x.runScript(g, dialect, args, unguarded)
		return
	}
	if unguarded == "" && (g.st.apart || g.st.child || g.st != g.sink) {
		// In front of one command, or in a subshell, the variables may be changed.
		for name := range startFiles {
			if _, changed := g.st.vars[name]; changed {
				unguarded = "with another " + name
			}
		}
	}
	switch g.st.in.kind {
	case fromText:
		fed := *g
		fed.fed = true
		x.shellText(&fed, dialect, g.st.in.text, append([]access.Word{argv[0]}, args...))
	case fromPipe:
		x.unclear(g.st, access.Read, "text that "+dialect+" runs", g.st.heard("/dev/stdin"), argv[0].Start, argv[0].End)
	default:
		if dialect == "sh" && g.st.in.kind != fromFile {
			unguarded = "extdir guards bash and zsh alone"
		}
		if unguarded == "" && g.away {
			unguarded = "it is another user's"
		}
		if unguarded != "" {
			x.onGuard(access.SelfAsk, argv[0].Start, argv[0].End, "starts a shell that isn't guarded ("+unguarded+")")
		}
	}
}

// called0 looks at the name a shell is started under: as sh it reads no start file
// (bash(1), zsh(1): "COMPATIBILITY").
func (x *run) called0(st *state, argv []access.Word, name access.Word) {
	lit, _ := argv[0].Lit()
	as, known := name.Lit()
	if d := shellDialect(path.Base(lit)); d == "" || d == "sh" || len(argv) > 1 || known && shellDialect(strings.TrimLeft(path.Base(as), "-")) == d {
		return
	}
	if st.in.kind == inherited {
		x.onGuard(access.SelfAsk, argv[0].Start, argv[0].End, "starts a shell that isn't guarded (under another name)")
	}
}

// severalScripts runs the scripts that the line wrote and a word may name, where it
// isn't one name. One of the pattern's other names is run as well.
func (x *run) severalScripts(g *ground, dialect string, args []access.Word) bool {
	w := args[0]
	if _, one := x.wrote(g.st, w); one {
		return false
	}
	files := x.wroteFiles(g.st, w)
	if len(files) == 0 {
		return false
	}
	x.touch(g.st, g.st.cwd, target{word: w, kind: access.Execute, why: "script that " + dialect + " runs"})
	for _, f := range files {
		if text := f.text(); text.Known() {
			x.shellText(g, dialect, text, args)
		} else {
			x.unclear(g.st, access.Read, "text that "+dialect+" runs", text, w.Start, w.End)
		}
	}
	return true
}

// startFile runs what the line wrote into a start file of a shell.
func (x *run) startFile(g *ground, dialect string, w access.Word) {
	g.Held(w, func(f command.Held) {
		text := f.Text
		if text.Start == 0 && text.End == 0 {
			text.Start, text.End = w.Start, w.End
		}
		x.shellText(g, dialect, text, nil)
	})
}

// runScript is a shell that runs a file.
func (x *run) runScript(g *ground, dialect string, args []access.Word, unguarded string) {
	w := args[0]
	if x.severalScripts(g, dialect, args) {
		return
	}
	if content, ours, sure := x.codeOf(g.st, w); sure {
		script := *g
		script.script = true
		x.shellText(&script, dialect, content, args)
		return
	} else if ours {
		x.unclear(g.st, access.Read, "text that "+dialect+" runs", content, w.Start, w.End)
	}
	if lit, ok := w.Lit(); ok {
		if _, piped := g.st.fds[lit]; piped || lit == "/dev/stdin" && g.st.in.kind == fromPipe {
			x.unclear(g.st, access.Read, "text that "+dialect+" runs", g.st.heard(lit), w.Start, w.End)
			return
		}
	}
	x.touch(g.st, g.st.cwd, target{word: w, kind: access.Execute, why: "script that " + dialect + " runs"})
	command.Fallback(args, g) // what the script does with its arguments isn't known
	g.doing().unseen = x.unseen(g.st, w)
	x.afterwards(g, path.Base(litOf(w)))
	if unguarded != "" {
		x.onGuard(access.SelfAsk, w.Start, w.End, "runs a script in a shell that isn't guarded ("+unguarded+")")
	}
}

// childShell is the state of a shell started by a program: what is exported, and
// the directory.
func (x *run) childShell(g *ground, dialect string) *state {
	st := g.st.fork()
	c := &state{
		cwd: st.cwd, old: st.old, hasOld: st.hasOld, files: st.files, fds: st.fds,
		in: st.in, keep: g.sink.keep, child: true, fresh: true,
		zsh: dialect == "zsh", bash: dialect == "bash", status: either, argsOK: true, arg0: access.Text(dialect),
	}
	for _, o := range g.options {
		c.setOpt(o.name, o.on)
	}
	if c.zsh {
		c.old, c.hasOld = c.cwd, true
	}
	for name, v := range st.vars {
		switch {
		case v.State == word.Unset || v.Exported || alwaysExported[name]:
			v.List, v.Map, v.ReadOnly = nil, nil, false
			if v.State == word.Unset && st.hides(name) {
				v = word.Value{Exported: true}
			}
			c.setVar(name, v)
		default:
			c.setVar(name, word.Value{State: word.Unset})
		}
	}
	if dialect == "bash" {
		for name, f := range st.funcs {
			if f.exported {
				c.setFunc(name, f)
			}
		}
	}
	return c
}

// fed runs the statements of a text that the shell reads from its standard input:
// what they read there is the rest of it, behind the line that the shell has read.
func (x *run) fed(list []*syntax.Stmt, st *state, text access.Word) []*state {
	lit, _ := text.Lit()
	lines := strings.SplitAfter(lit, "\n")
	sts, done, at := []*state{st}, 0, 0
	for i, s := range list {
		if i > 0 && s.Pos().Line() > list[i-1].End().Line() {
			sts = resumed(sts)
		}
		for last := int(s.End().Line()); done < last && done < len(lines); done++ {
			at += len(lines[done])
		}
		rest := access.Text(lit[at:])
		rest.Start, rest.End = text.Start, text.End
		sts = x.eachState(sts, func(st *state) []*state {
			st.in = input{kind: fromText, text: rest}
			return x.stmt(s, st)
		})
	}
	return resumed(sts)
}

// shellText runs text in a new shell, with $0 and the arguments.
func (x *run) shellText(g *ground, dialect string, text access.Word, args []access.Word) {
	if text.Start == 0 && text.End == 0 {
		text.Start, text.End = g.start, g.end
	}
	if !text.Known() {
		x.unclear(g.st, access.Read, "text that "+dialect+" runs", text, text.Start, text.End)
		x.scan(text, text.Start, text.End)
		return
	}
	if text.Empty() {
		return
	}
	if !x.b.Enter(guard.NestDepth) {
		x.over = true
		return
	}
	defer x.b.Leave(guard.NestDepth)
	c := x.childShell(g, dialect)
	if g.script {
		c.calling("main", false)
	}
	if len(args) > 0 {
		c.arg0 = args[0]
		if maybeNone(args[0]) { // it may be several, and some of them $1, $2 …
			c.args, c.argsOK = nil, false
		} else {
			c.args, c.argsOK = x.spread(g.st, args[1:])
		}
	}
	file, err := x.parse(text, c.zsh)
	if err != nil {
		x.unknown("the text that "+dialect+" runs can't be parsed", text.Start, text.End)
		x.scan(text, text.Start, text.End)
		return
	}
	old, called, tests, before, off := x.src, x.called, x.tests, x.earlier, x.off
	x.src, x.called, x.tests, x.earlier, x.off = &source{}, nil, counts, nil, false
	if c.zsh && !g.script && !g.fed {
		x.whole()
	}
	res := []*state{c}
	if g.fed {
		res = x.fed(file.Stmts, c, text)
	} else {
		res = x.text(file.Stmts, res)
	}
	res = x.ends(res)
	x.src, x.called, x.tests, x.earlier, x.off = old, called, tests, before, off
	x.keepFiles(g.sink, res)
	if g.sink.keep {
		outs := outputs(res)
		if len(outs) == 1 {
			g.sink.print(outs[0])
		} else {
			g.sink.print(anything)
		}
	}
}

// hides tells whether a function's variable without a value stands before an
// exported one: a child gets that one from bash 5.2 (local n; bash -c 'echo $n').
func (s *state) hides(name string) bool {
	for _, f := range s.frames {
		if v := f[name]; v != nil && v.Exported && v.State != word.Unset {
			return true
		}
	}
	return false
}
