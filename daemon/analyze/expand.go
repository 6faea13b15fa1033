package analyze

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// env is the abstract shell as the expander sees it: one state, and the choices
// made among alternatives in the words being expanded.
type env struct {
	x       *run
	st      *state
	pick    []int // choice made at each question
	of      []int // number of alternatives there
	asked   int
	status  status // of the last command substitution
	ran     bool
	fatal   bool // an error that ends a shell which isn't interactive
	denied  bool // a variable was to be set that can't be
	doubted bool // Doubt was asked
}

// alternative is one reading of words, with the state it leaves.
type alternative struct {
	words  []access.Word
	st     *state
	stop   bool
	status status // of the last command substitution, if ran
	ran    bool
	fatal  bool // the error that stop means ends a shell which isn't interactive
}

// each expands in all readings, like an odometer.
func (x *run) each(st *state, expand func(e *env) (words []access.Word, stop bool)) []alternative {
	var out []alternative
	var pick, of []int
	for {
		e := &env{x: x, st: st.fork(), pick: pick, of: of}
		words, stop := expand(e)
		out = append(out, alternative{words, e.st, stop || e.denied, e.status, e.ran, e.fatal})
		pick, of = e.pick[:min(e.asked, len(e.pick))], e.of[:min(e.asked, len(e.of))]
		i := len(pick) - 1
		for i >= 0 && pick[i]+1 >= of[i] {
			i--
		}
		if i < 0 {
			return out
		}
		if len(out) >= guard.Max(guard.Alternatives) {
			x.b.Exceed(guard.Alternatives)
			return out
		}
		pick = append([]int(nil), pick[:i+1]...)
		of = append([]int(nil), of[:i+1]...)
		pick[i]++
	}
}

// fields expands the words of a simple command.
func (x *run) fields(st *state, words []*syntax.Word) []alternative {
	return x.each(st, func(e *env) ([]access.Word, bool) {
		w, stop := word.Fields(e, words...)
		return w, stop || e.unmatched(w)
	})
}

// unmatched tells whether failglob ends the line at one of the words: one reading
// where a pattern stands, since what it matches isn't known before it runs.
func (e *env) unmatched(words []access.Word) bool {
	return e.x.option(e.st, "failglob") && slices.ContainsFunc(words, access.Word.Glob) && e.Choose(2) == 1
}

// Doubt chooses whether an expression that isn't known is an error: that the words
// end there is one reading for all of them.
func (e *env) Doubt() bool {
	if e.doubted {
		return false
	}
	e.doubted = true
	return e.Choose(2) == 1
}

// Strict tells whether set -e makes bash end at any error in an expansion, also where
// the status of the command is looked at (measured, 5.2: echo ${a[-1]} || true).
func (e *env) Strict() bool {
	return !e.st.zsh && !e.x.off && e.x.option(e.st, "errexit")
}

// Fatal is told of an error that ends a shell which isn't interactive.
func (e *env) Fatal() { e.fatal = true }

type expander func(word.Shell, *syntax.Word) (access.Word, bool)

// one expands a word that stays one word.
func (x *run) one(st *state, w *syntax.Word, f expander) []alternative {
	return x.each(st, func(e *env) ([]access.Word, bool) {
		v, stop := f(e, w)
		return []access.Word{v}, stop
	})
}

// arith evaluates an arithmetic expression.
func (x *run) arith(st *state, a syntax.ArithmExpr) []alternative {
	return x.each(st, func(e *env) ([]access.Word, bool) {
		v, stop := word.Arith(e, a)
		return []access.Word{v}, stop
	})
}

func (e *env) Zsh() bool { return e.st.zsh }

func (e *env) Spend(n int) bool { return e.x.b.Spend(guard.Steps, n) }

func (e *env) Choose(n int) int {
	if n <= 1 {
		return 0
	}
	i := e.asked
	e.asked++
	if i < len(e.pick) {
		e.of[i] = n
		return min(e.pick[i], n-1)
	}
	e.pick, e.of = append(e.pick, 0), append(e.of, n)
	return 0
}

// Get looks a parameter up for an expansion. What isn't known is asked of the shell.
func (e *env) Get(name string) word.Value {
	v := e.x.get(e.st, name)
	if name == "mapfile" && e.st.zsh && v.Map == nil && v.List == nil {
		e.x.unknown("what mapfile opens can't be determined", e.x.at[0], e.x.at[1])
	}
	if v.State == word.Unknown && name != "" && name != "_" && (name[0] < '0' || name[0] > '9') {
		if _, own := e.st.vars[name]; !own {
			e.x.need("var", name)
		}
	}
	return v
}

// shellOwn are variables the shell sets itself to one component without a slash.
var shellOwn = map[string]bool{
	"HOSTNAME": true, "HOSTTYPE": true, "MACHTYPE": true, "OSTYPE": true, "BASH_VERSION": true, "ZSH_VERSION": true,
	"USER": true, "LOGNAME": true,
}

// counted are variables the shell sets itself to numbers.
var counted = map[string]bool{
	"RANDOM": true, "SRANDOM": true, "SECONDS": true, "LINENO": true, "BASHPID": true, "PPID": true,
	"UID": true, "EUID": true, "EPOCHSECONDS": true, "EPOCHREALTIME": true, "SHLVL": true,
	"BASH_SUBSHELL": true, "HISTCMD": true, "COLUMNS": true, "LINES": true, "OPTIND": true, "OPTERR": true, "TTYIDLE": true,
}

// alwaysExported are variables every login has in the environment.
var alwaysExported = map[string]bool{
	"HOME": true, "PATH": true, "PWD": true, "OLDPWD": true, "USER": true, "LOGNAME": true,
	"SHELL": true, "TERM": true, "LANG": true, "TMPDIR": true,
}

// get looks a parameter up.
func (x *run) get(st *state, name string) word.Value {
	if name == "" {
		return word.Value{}
	}
	set := func(w access.Word) word.Value { return word.Value{State: word.Set, Scalar: w} }
	number := access.Number(0, 0)
	if name[0] >= '0' && name[0] <= '9' {
		n, err := strconv.Atoi(name)
		switch {
		case err != nil:
			return word.Value{}
		case n == 0:
			return set(st.arg0)
		case n <= len(st.args):
			for _, w := range st.args[:n-1] {
				if w.OneOfMany() || maybeNone(w) { // it may be this one as well
					return word.Value{}
				}
			}
			return set(st.args[n-1])
		case st.argsOK:
			return word.Value{State: word.Unset}
		}
		return word.Value{}
	}
	switch name {
	case "#":
		if st.argsOK {
			return set(access.Text(strconv.Itoa(len(st.args))))
		}
		return set(number)
	case "?":
		if st.status == yes {
			return set(access.Text("0"))
		}
		return set(number)
	case "$", "!":
		return set(number)
	case "-":
		return set(access.Unknowable(access.Name, 0, 0))
	}
	if v, ok := x.recently(st, name); ok {
		return v
	}
	if v, ok := st.vars[name]; ok {
		return v
	}
	if st.zsh {
		if v, ok := x.zshGet(st, name); ok {
			return v
		}
	}
	switch name {
	case "PWD":
		return word.Value{State: word.Set, Scalar: st.cwd, Exported: true}
	case "OLDPWD":
		if st.hasOld {
			return word.Value{State: word.Set, Scalar: st.old, Exported: true}
		}
		return word.Value{}
	case "IFS":
		if _, ok := x.r.Vars[name]; !ok || st.child {
			return set(access.Text(" \t\n"))
		}
	case "OPTIND":
		return set(access.Text("1"))
	case "DIRSTACK":
		if x.r.Interactive && !st.child && !st.stackSet && !x.stackKnown(st) {
			return word.Value{}
		}
		list := map[int]access.Word{0: st.cwd}
		for i, d := range st.stack {
			list[i+1] = d
		}
		return word.Value{State: word.Set, Scalar: st.cwd, List: list}
	}
	if v, ok := x.r.Vars[name]; ok {
		if st.child && !v.Exported && !alwaysExported[name] {
			return word.Value{State: word.Unset}
		}
		return x.attributed(st, name, x.value(v))
	}
	if name == "HOME" && x.r.Home != "" {
		return word.Value{State: word.Set, Scalar: access.Text(x.r.Home), Exported: true}
	}
	if shellOwn[name] {
		return set(access.Unknowable(access.Name, 0, 0))
	}
	if counted[name] {
		return set(number)
	}
	return x.attributed(st, name, word.Value{Exported: alwaysExported[name]})
}

// value turns a variable of the request into one of the expander.
func (x *run) value(v Var) word.Value {
	if !v.Set {
		return word.Value{State: word.Unset}
	}
	out := word.Value{State: word.Set, Scalar: access.Text(v.Value), Exported: v.Exported, Ref: v.Ref}
	if v.List != nil {
		out.List = map[int]access.Word{}
		for i, s := range v.List {
			out.List[i] = access.Text(s)
		}
		out.Scalar = out.List[0]
	}
	if v.Map != nil {
		out.Map = map[string]access.Word{}
		for k, s := range v.Map {
			out.Map[k] = access.Text(s)
		}
		out.Scalar = out.Map["0"]
	}
	return out
}

func (e *env) Set(name string, v word.Value) {
	if e.x.tableByName(e.st, name, e.x.at[0], e.x.at[1]) {
		return
	}
	if !e.x.assign(e.st, name, v, access.Word{}) {
		e.denied = true
	}
}

func (e *env) Names(prefix string) ([]string, bool) {
	found := map[string]bool{}
	for name, v := range e.st.vars {
		if strings.HasPrefix(name, prefix) && v.State != word.Unset {
			found[name] = true
		}
	}
	for name, v := range e.x.r.Vars {
		if _, over := e.st.vars[name]; !over && v.Set && strings.HasPrefix(name, prefix) {
			found[name] = true
		}
	}
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	sort.Strings(names)
	return names, false
}

func (e *env) Args() ([]access.Word, bool) { return e.st.args, e.st.argsOK }

// Subst runs a command substitution. Its subshell's outputs are alternatives.
func (e *env) Subst(s *syntax.CmdSubst) access.Word {
	outs, status := e.x.capture(s.Stmts, e.st, false)
	e.status, e.ran = status, true
	out := outs[e.Choose(len(outs))]
	return e.x.printed(trimNewlines(out), s)
}

// Proc runs a process substitution. The name of its pipe is made up but unique in
// the line, so that a shell that reads a script from it finds the text.
func (e *env) Proc(p *syntax.ProcSubst) access.Word {
	x := e.x
	name := "/dev/fd/" + strconv.Itoa(63-x.procs%50)
	x.procs++
	if p.Op == syntax.CmdOut { // >(…): what is written there isn't known
		sub := e.st.fork()
		sub.in = input{kind: fromPipe}
		sub.keep = false
		x.asSubshell(sub)
		x.stmts(p.Stmts, []*state{sub})
	} else {
		outs, _ := x.capture(p.Stmts, e.st, true)
		out := outs[e.Choose(len(outs))]
		e.st.setFd(name, input{kind: kindOf(out), text: out})
	}
	w := access.Text(name)
	w.Start, w.End = int(p.Pos().Offset()), int(p.End().Offset())
	w.Segs[0].Start, w.Segs[0].End = w.Start, w.End
	return w
}

// kindOf classes a text: one that is nothing but unknown is an unknown pipe.
func kindOf(w access.Word) inputKind {
	for _, s := range w.Segs {
		if s.Class != access.Any {
			return fromText
		}
	}
	if len(w.Segs) == 0 {
		return fromText
	}
	return fromPipe
}

// Eval runs the commands hidden in a text that the shell expands once more.
func (e *env) Eval(text access.Word, start, end int) {
	text.Start, text.End = start, end
	e.x.hidden(e.st, text)
}

// Program looks a name up in PATH, for zsh's =name.
func (e *env) Program(name string) (string, bool) {
	dirs, ok := e.x.get(e.st, "PATH").Scalar.Lit()
	if !ok {
		return "", false
	}
	for dir := range strings.SplitSeq(dirs, ":") {
		if !strings.HasPrefix(dir, "/") {
			return "", false // it depends on the directory
		}
		file := strings.TrimSuffix(dir, "/") + "/" + name
		if exists, isDir := e.x.stat(e.st, file); exists && !isDir {
			return file, true
		}
	}
	return "", false
}

// Real follows the links of a name, for zsh's ${x:A}.
func (e *env) Real(name string) (string, bool) {
	real, err := e.x.real(e.st, name)
	return real, err == nil
}

// Named is a directory that hash -d has named.
func (e *env) Named(name string) (access.Word, bool) {
	w, ok := e.st.named[name]
	return w, ok
}

func (e *env) Home(user string) (string, bool) {
	if user == "" {
		return e.x.r.Home, e.x.r.Home != ""
	}
	if user == "root" {
		if e.x.a.OS == "darwin" {
			return "/var/root", true
		}
		return "/root", true
	}
	if e.x.a.HomeOf != nil {
		return e.x.a.HomeOf(user)
	}
	return "", false
}

// unknownDirs is how many entries a directory stack that isn't known may have.
const unknownDirs = 64

func (e *env) Dirs() []access.Word {
	dirs := append([]access.Word{e.st.cwd}, e.st.stack...)
	if (e.st.zsh || e.x.r.Interactive && !e.st.child) && !e.st.stackSet && !e.x.stackKnown(e.st) {
		for range unknownDirs {
			dirs = append(dirs, anything) // what stood there before the line
		}
	}
	return dirs
}

func (e *env) Option(name string) bool { return e.x.option(e.st, name) }

// onByDefault are options a shell starts with.
var onByDefault = map[string]bool{
	"braceexpand": true, "globskipdots": true, "sourcepath": true, "hashall": true,
	"checkwinsize": true, "cmdhist": true, "complete_fullquote": true, "promptvars": true,
	"progcomp": true, "interactive_comments": true,
}

func (x *run) option(st *state, name string) bool {
	if st.zsh {
		switch name {
		case "noglob", "nocaseglob", "nounset", "noexec": // zsh has them without "no", on by default
			return x.zshOff(st, name[2:])
		case "braceexpand":
			return !x.option(st, "ignorebraces")
		case "dotglob":
			name = "globdots"
		case "physical":
			name = "chaselinks"
		}
	}
	if on, ok := st.opts[name]; ok {
		return on
	}
	if !st.child {
		if on, ok := x.r.Options[name]; ok {
			return on
		}
		if name == "expand_aliases" {
			return x.r.Interactive
		}
	}
	return onByDefault[name]
}

// zshOff tells whether an option that is on by default is off.
func (x *run) zshOff(st *state, name string) bool {
	on, ok := st.opts[name]
	if !ok && !st.child {
		on, ok = x.r.Options[name]
	}
	return ok && !on
}

// trimNewlines removes what a command substitution removes.
func trimNewlines(w access.Word) access.Word {
	for n := len(w.Segs); n > 0; n = len(w.Segs) {
		s := w.Segs[n-1]
		if s.Class != access.Known {
			return w
		}
		t := strings.TrimRight(s.Text, "\n")
		if t == s.Text {
			return w
		}
		segs := append([]access.Segment(nil), w.Segs[:n-1]...)
		if t != "" {
			s.Text = t
			segs = append(segs, s)
		}
		w.Segs = segs
	}
	return w
}

// hidden walks the command substitutions of a text that the shell expands as if
// it stood in double quotes.
func (x *run) hidden(st *state, text access.Word) {
	lit, ok := text.Lit()
	if !ok {
		x.unclear(st, access.Read, "text that is expanded once more", text, text.Start, text.End)
		return
	}
	if !strings.ContainsAny(lit, "$`") {
		return
	}
	if !x.b.Enter(guard.NestDepth) {
		return
	}
	defer x.b.Leave(guard.NestDepth)
	if !x.b.Spend(guard.NestBytes, len(lit)) {
		return
	}
	doc, err := guard.Document(lit, st.zsh, x.b)
	if err != nil {
		x.unknown("text that is expanded once more can't be parsed", text.Start, text.End)
		return
	}
	if doc != nil {
		x.place(doc, text, lit)
		x.one(st, doc, word.Document)
	}
}

// place gives a tree parsed from a text the offsets of the line.
func (x *run) place(root any, w access.Word, text string) {
	if base, ok := x.literally(w, text); ok {
		guard.Shift(root, func(off int) int { return base + off })
		return
	}
	start, end := w.Start, w.End
	if start == 0 && end == 0 {
		start, end = x.at[0], x.at[1]
	}
	if x.wide == nil {
		x.wide = map[int]int{}
	}
	x.wide[start] = max(x.wide[start], end)
	guard.Shift(root, func(int) int { return start })
}
