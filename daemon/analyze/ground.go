package analyze

import (
	"path"
	"runtime"
	"slices"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
	"extdir/daemon/command"
)

// ground is where a program's words land: the shell's state when it starts.
type ground struct {
	x          *run
	st         *state // directory and environment of the program
	sink       *state // where its output and its files go
	rec        int
	argv       []access.Word
	start, end int
	own        [2]bool  // what quiet and ext point to, for the first program
	did        *doings  // what it did with files
	did0       doings   // what did points to
	quiet      *bool    // what the program prints was already said by what it runs
	ext        *bool    // it touches something outside
	away       bool     // a shell started from here is another user's, with its start files
	fed        bool     // a shell started from here reads its text from standard input
	script     bool     // a shell started from here reads its text from a file it was given
	options    []option // that a shell started from here is given
	bare       string   // why a shell started from here isn't guarded
}

var (
	_ command.Ground = (*ground)(nil)
	_ command.Piper  = (*ground)(nil)
	_ command.Typer  = (*ground)(nil)
	_ command.Former = (*ground)(nil)
	_ command.Holder = (*ground)(nil)

	_ command.Detacher = (*ground)(nil)
)

// option is an option of the shell, on or off.
type option struct {
	name string
	on   bool
}

// run reports what one program does.
func (g *ground) run(argv []access.Word) {
	x := g.x
	g.did = &g.did0
	name, _ := argv[0].Lit()
	if _, base, ok := argv[0].CutLast('/'); ok && base.Known() && !base.Empty() {
		g.Form(append([]access.Word{base}, argv[1:]...)) // rules name programs, not where they lie
	}
	x.guardCommand(g, argv)
	if d := shellDialect(path.Base(name)); d != "" {
		*g.quiet = true
		x.runShell(g, d, argv)
		return
	}
	if !strings.Contains(name, "/") {
		if made, ok := x.onPath(g.st, name); ok {
			made.Start, made.End = argv[0].Start, argv[0].End
			argv = append([]access.Word{made}, argv[1:]...)
			name = litOf(made)
		}
	}
	if strings.Contains(name, "/") {
		if x.runMade(g, argv) {
			return
		}
		g.did.unseen = x.unseen(g.st, argv[0])
	}
	before := x.externals
	x.a.Commands.Run(argv, g)
	if x.externals > before {
		*g.ext = true
	}
	x.effects(g, argv)
	x.afterwards(g, path.Base(name))
	if !*g.quiet && g.sink.keep {
		g.sink.print(x.prints(g, argv))
	}
	g.drain(argv)
}

// drains are programs that read their standard input to its end, with their options;
// "*": whatever operands they have. A wrong option ends them before.
var drains = map[string]string{"cat": "AbeEnstTuv", "tac": "", "sort": "bdfghiMnRrsuVz", "wc": "clLmw", "tail": "qv", "rev": "", "tr": "*", "tee": "*"}

// drain takes away what a program has read. Of others it isn't known how far they
// read: what may be left stays.
func (g *ground) drain(argv []access.Word) {
	letters, reads := drains[path.Base(litOf(argv[0]))]
	if !reads || g.st.in.kind != fromText || g.sink.in.kind != fromText || !sameWord(g.st.in.text, g.sink.in.text) {
		return
	}
	if files, opts := operands(argv[1:]); letters == "*" || len(files) == 0 && within(opts, letters) {
		g.sink.in = input{kind: fromText}
	}
}

// runMade runs a script that the line itself wrote.
func (x *run) runMade(g *ground, argv []access.Word) bool {
	text, ours, sure := x.codeOf(g.st, argv[0])
	if !ours {
		return false
	}
	*g.quiet = true
	if head, _ := text.Prefix(); strings.HasPrefix(head, "#!") {
		first, rest, _ := strings.Cut(head[2:], "\n")
		name, arg, _ := strings.Cut(strings.TrimSpace(first), " ")
		if _, known := text.Lit(); name != "" && (known || rest != "") {
			// execve(2): the interpreter gets the rest of the line as one word, the
			// file's name, and the arguments.
			args := []access.Word{access.Text(name)}
			if arg = strings.TrimSpace(arg); arg != "" {
				args = append(args, access.Text(arg))
			}
			for i := range args {
				args[i].Start, args[i].End = argv[0].Start, argv[0].End
			}
			g.Run(append(args, argv...))
			return true
		}
	}
	if !sure {
		x.unclear(g.st, access.Read, "the text of "+litOf(argv[0]), text, argv[0].Start, argv[0].End)
		return true
	}
	script := *g
	script.script = true
	x.shellText(&script, "sh", text, argv)
	return true
}

func (g *ground) Path(p command.Path) {
	if p.Word.Start == 0 && p.Word.End == 0 {
		p.Word.Start, p.Word.End = g.start, g.end
	}
	switch {
	case p.Here:
	case p.Kind == access.Write:
		g.doing().wrote = append(g.doing().wrote, p)
	case p.Kind == access.Execute && !g.doing().unseen:
		g.did.unseen = g.x.unseen(g.st, p.Word)
	}
	g.x.touch(g.st, g.st.cwd, target{
		word: p.Word, kind: p.Kind, why: p.Why, dir: p.Dir, follow: p.Follow, itself: p.Itself, guess: p.Guess,
	})
}

func (g *ground) In(dir access.Word) command.Ground {
	n := *g
	n.st = g.st.fork()
	n.st.cwd = absolute(g.st.cwd, dir)
	if len(dir.Segs) > 0 && dir.Segs[0].Class == access.Any {
		n.st.cwd = anything
	}
	return &n
}

func (g *ground) With(name string, value access.Word) command.Ground {
	n := *g
	n.st = g.st.fork()
	n.st.setVar(name, word.Value{State: word.Set, Scalar: value, Exported: true})
	return &n
}

func (g *ground) Run(argv []access.Word) {
	if len(argv) == 0 {
		return
	}
	x := g.x
	// Wrappers in wrappers each read all words that follow.
	if !x.b.Spend(guard.Steps, len(argv)) || !x.b.Enter(guard.NestDepth) {
		x.over = true
		return
	}
	defer x.b.Leave(guard.NestDepth)
	f := form(argv)
	x.addForm(g.rec, f)
	*g.quiet = true
	inner := *g
	inner.argv, inner.quiet, inner.ext, inner.did0 = argv, new(bool), new(bool), doings{}
	name, known := argv[0].Lit()
	if by, _ := g.argv[0].Lit(); name == "-" && len(argv) > 1 && (path.Base(by) == "env" || path.Base(by) == "genv") {
		g.Run(argv[1:]) // env - is env -i
		return
	}
	switch {
	case !known:
		prefix, _ := argv[0].Prefix()
		if strings.Contains(prefix, "/") {
			x.touch(g.st, g.st.cwd, target{word: argv[0], kind: access.Execute, why: "command"})
		} else {
			x.unclear(g.st, access.Execute, "command word", argv[0], argv[0].Start, argv[0].End)
		}
	case strings.Contains(name, "/"):
		x.executes(g.st, argv[0])
	}
	if strings.HasPrefix(name, "-") && known {
		return
	}
	if known && shellOnly[name] {
		return // no program has this name
	}
	if name == "test" || name == "[" {
		c := &invocation{x: x, st: g.st.fork(), argv: argv, rec: g.rec, start: g.start, end: g.end}
		doTest(x, c)
		return
	}
	inner.run(argv)
}

// Form notes a shorter form of the command for the command gate.
func (g *ground) Form(argv []access.Word) { g.x.addForm(g.rec, form(argv)) }

// maxForms is how many forms of one command are kept: xargs and find make many.
const maxForms = 192

// addForm notes a command after a wrapper was peeled off.
func (x *run) addForm(rec int, f access.CommandText) {
	if rec < 0 || rec >= len(x.line.Commands) {
		return
	}
	c := &x.line.Commands[rec]
	for _, have := range c.Forms {
		if slices.Equal(have.Parts, f.Parts) {
			return
		}
	}
	switch n := len(c.Forms); {
	case n < maxForms:
		c.Forms = append(c.Forms, f)
	case n == maxForms: // the rest may be any command
		c.Forms = append(c.Forms, access.CommandText{Parts: []string{"", ""}})
	}
}

// shellOnly are builtins that no program stands in for: run by a wrapper they do
// nothing to the shell.
var shellOnly = map[string]bool{
	"set": true, "shift": true, "local": true, "declare": true, "typeset": true,
	"export": true, "eval": true, "source": true, ".": true, "trap": true,
}

func (g *ground) Shell(dialect string, text access.Word, args []access.Word) {
	*g.quiet = true
	g.x.shellText(g, dialect, text, args)
}

func (g *ground) Unknown(w access.Word, why string) {
	start, end := w.Start, w.End
	if start == 0 && end == 0 {
		start, end = g.start, g.end
	}
	*g.ext = true
	if reason := g.x.because(g.st, w); reason != "" {
		why += ": " + reason
	}
	g.x.unknown(why, start, end)
}

func (g *ground) Self(level access.SelfLevel, w access.Word, why string) {
	start, end := w.Start, w.End
	if start == 0 && end == 0 {
		start, end = g.start, g.end
	}
	g.x.onGuard(level, start, end, why)
}

func (g *ground) Stdin() (access.Word, bool) {
	if g.st.in.kind == fromText {
		return g.st.in.text, true
	}
	return access.Word{}, false
}

// Detached is the ground with nothing on its standard input.
func (g *ground) Detached() command.Ground {
	n := *g
	n.st = g.st.fork()
	n.st.in = input{kind: fromText}
	return &n
}

// Piped: the text on standard input comes from a command of the line, and isn't
// known. A terminal's or a named file's was judged, or is a person's own.
func (g *ground) Piped() bool { return g.st.in.kind == fromPipe }

// Typed: nothing of the line gives the command its standard input.
func (g *ground) Typed() bool { return g.st.in.kind == inherited }

func (g *ground) Stat(w access.Word) (exists, dir bool) {
	lit, ok := w.Lit()
	if !ok || lit == "" {
		return false, false
	}
	full, ok := plainName(g.st.cwd, w)
	if !ok {
		full, ok = absolute(g.st.cwd, w).Lit()
	}
	if !ok || !strings.HasPrefix(full, "/") {
		return false, false
	}
	return g.x.stat(g.st, full)
}

func (g *ground) Var(name string) (access.Word, bool) {
	v := g.x.get(g.st, name)
	return v.Scalar, v.State == word.Set
}

func (g *ground) OS() string {
	if g.x.a.OS != "" {
		return g.x.a.OS
	}
	return runtime.GOOS
}
