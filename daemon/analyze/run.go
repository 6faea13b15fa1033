package analyze

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/zshform"
)

// run judges one line.
type run struct {
	a     *Analyzer
	r     *Request
	b     *guard.Budget
	disk  *asked
	asked asked // what disk points to
	desk  *desk
	roots []string
	// roots0 is what roots begins with; resolved: the real names stand there, too.
	roots0   [2]string
	resolved bool
	line     access.Line
	seen     map[access.Access]bool
	keyed    int // how many of the accesses stand in seen
	// externals counts external accesses, those seen before as well.
	externals int
	listings  map[string][]fs.DirEntry // folders that patterns have read
	needs     map[access.Need]int      // by kind and name, the place in line.Needs
	recorded  map[seenCommand]int
	wide      map[int]int // start → end of texts whose bytes don't stand in the line
	src       *source
	at        [2]int           // span of the statement being walked
	called    map[string]bool  // aliases being expanded
	ticks     int              // aliases that were defined, and texts parsed as a whole
	over      bool             // a budget is used up: nothing more is followed
	deep      int              // nested walks on the goroutine's stack
	procs     int              // process substitutions so far
	reading   bool             // the statement at hand stands for what is in a file
	tests     weight           // what the status of commands here is for
	firing    map[string]bool  // traps that are running
	off       bool             // an eval has turned set -e off
	forked    *syntax.CallExpr // the last command that a process was started for
	earlier   []before         // what the shell had before each trap that is running
	tried     []*state         // in which the traps of signals change nothing
	unaliased *syntax.CallExpr // the last command that an alias was put in the place of
	awaited   map[*syntax.Stmt]bool
	asks      asksFor // what of recent is followed
}

// Analyze judges a line. It never panics and always ends: what can't be judged
// is an unknown access, with the reason in Line.Error.
func (a *Analyzer) Analyze(r Request) access.Line { return a.judge(&r, new(guard.Budget)) }

// desk is what judging every line takes, in one piece that is used again: a line
// of one command makes a third less garbage with it. Nothing of a line's answer
// points into it.
type desk struct {
	run
	first  state
	source source
	called [2]invocation
	calls  int
}

var memory = sync.Pool{New: func() any { return new(desk) }}

// invocation is room for the next simple command.
func (d *desk) invocation() *invocation {
	if d.calls < len(d.called) {
		d.calls++
		return &d.called[d.calls-1]
	}
	return new(invocation)
}

// judge is Analyze with a budget that the caller can look at afterwards.
func (a *Analyzer) judge(r *Request, b *guard.Budget) access.Line { return a.with(r, b, (*run).typed) }

// with makes a run for a request and hands it to do.
func (a *Analyzer) with(r *Request, b *guard.Budget, do func(*run)) (line access.Line) {
	whole := memory.Get().(*desk)
	x := &whole.run
	x.desk = whole
	x.a, x.r, x.b, x.asked = a, r, b, asked{disk: a.FS, b: b}
	x.disk = &x.asked
	defer func() {
		if p := recover(); p != nil {
			x.fail(fmt.Sprintf("judging the line failed (%v)", p))
		}
		line = x.line
		*whole = desk{}
		memory.Put(whole)
	}()
	x.findRoots()
	do(x)
	return x.line
}

// typed judges the line of the request.
func (x *run) typed() {
	r := x.r
	x.findAsked()
	file, err := zshform.Parse(r.Line, r.Shell == "zsh", x.b)
	if err != nil {
		x.fail("the line can't be parsed: " + err.Error())
		x.scan(access.Text(r.Line), 0, len(r.Line))
		return
	}
	first := &x.desk.first
	x.src = &x.desk.source
	x.src.aliases = r.Interactive
	if r.Shell == "zsh" && !r.Interactive {
		x.whole()
	}
	x.begin(first)
	x.ends(x.text(file.Stmts, first.alone()))
	if why := x.b.Over(); len(why) > 0 {
		x.fail(strings.Join(why, "; "))
	}
}

// whole says of the text that is read now that it is parsed before any of it runs.
func (x *run) whole() { x.src.parsed = x.tick() }

// tick counts aliases and texts.
func (x *run) tick() int {
	x.ticks++
	return x.ticks
}

// fail adds the unknown access of a line that could not be judged as a whole.
func (x *run) fail(why string) {
	if x.line.Error == "" {
		x.line.Error = why
	}
	x.add(access.Access{
		Kind: access.Read, Certainty: access.Unknown, External: true,
		Why: why, Start: 0, End: len(x.r.Line),
	})
}

// add reports an access, each once.
func (x *run) add(a access.Access) {
	if a.End <= a.Start {
		if end, ok := x.wide[a.Start]; ok && a.Start >= 0 {
			a.End = end
		} else if a.Start <= 0 && a.End <= 0 {
			a.Start, a.End = x.at[0], x.at[1]
		}
	}
	n := len(x.r.Line)
	a.Start = min(max(a.Start, 0), n)
	a.End = min(max(a.End, a.Start), n)
	if a.Certainty == access.Unknown {
		x.line.Dynamic = true
	}
	if a.External {
		x.externals++
	}
	if x.reported(&a) {
		return
	}
	x.line.Accesses = append(x.line.Accesses, a)
}

// reported tells whether an access is known already. A few are looked through; a
// map would cost more than the rest of a short line.
func (x *run) reported(a *access.Access) bool {
	if len(x.line.Accesses) <= few {
		for i := range x.line.Accesses {
			if sameAccess(&x.line.Accesses[i], a) {
				return true
			}
		}
		return false
	}
	if x.seen == nil {
		x.seen = map[access.Access]bool{}
	}
	for ; x.keyed < len(x.line.Accesses); x.keyed++ {
		x.seen[accessKey(&x.line.Accesses[x.keyed])] = true
	}
	return x.seen[accessKey(a)]
}

// accessKey is what tells accesses apart: not where they stand, and not why unless
// they have no name.
func accessKey(a *access.Access) access.Access {
	key := *a
	key.Start, key.End = 0, 0
	if a.Path != "" || a.Kind == access.Self {
		key.Why = ""
	}
	return key
}

func sameAccess(a, b *access.Access) bool {
	return a.Path == b.Path && a.Kind == b.Kind && accessKey(a) == accessKey(b)
}

// unknown reports something that can't be named.
func (x *run) unknown(why string, start, end int) { x.unnamed(access.Read, why, start, end) }

// unnamed is unknown for an access whose kind is known.
func (x *run) unnamed(kind access.Kind, why string, start, end int) {
	x.add(access.Access{
		Kind: kind, Certainty: access.Unknown, External: true,
		Why: why, Start: start, End: end,
	})
}

// need asks for a part of the shell's state.
func (x *run) need(kind, name string) {
	n := access.Need{Kind: kind, Name: name}
	if _, ok := x.needs[n]; ok {
		return
	}
	if x.needs == nil {
		x.needs = map[access.Need]int{}
	}
	x.needs[n] = len(x.line.Needs)
	x.line.Needs = append(x.line.Needs, n)
}

// must asks for a variable without which the line can't be allowed: its value is
// evaluated, or it names what the line sets.
func (x *run) must(name string) {
	x.need("var", name)
	x.line.Needs[x.needs[access.Need{Kind: "var", Name: name}]].Must = true
}

// first is the state in which the line starts.
func (x *run) first() *state {
	s := new(state)
	x.begin(s)
	return s
}

func (x *run) begin(s *state) {
	s.zsh, s.status = x.r.Shell == "zsh", either
	if x.r.Cwd != "" {
		s.cwd = access.Text(x.r.Cwd)
	} else {
		s.cwd = from(anything, "the current directory")
	}
	if v, ok := x.r.Vars["PWD"]; ok && v.Set && strings.HasPrefix(v.Value, "/") && v.Value != x.r.Cwd {
		// The logical name counts if it still leads to the physical one.
		if real, err := x.real(s, v.Value); err == nil && real == x.r.Cwd {
			s.cwd = access.Text(v.Value)
		}
	}
	if x.r.OldPwd != "" {
		s.old, s.hasOld = access.Text(x.r.OldPwd), true
	}
	if s.zsh && x.r.First { // it takes no OLDPWD from the environment (measured, zsh 5.9)
		s.old, s.hasOld = s.cwd, true
	}
	s.argsOK = x.r.Args != nil // those of a prompt may have been set by any line before
	for _, a := range x.r.Args {
		s.args = append(s.args, access.Text(a))
	}
	s.arg0 = access.Text(x.r.Shell)
	if x.r.Interactive && !s.zsh {
		s.arg0 = from(anything, "$0") // BASH_ARGV0 may have changed it
	}
}

// parse parses a text that a shell reads once more. Its tree gets the offsets of
// the line where the text is one literal piece of it.
func (x *run) parse(w access.Word, zsh bool) (*syntax.File, error) {
	text, _ := w.Lit()
	if !x.b.Spend(guard.NestBytes, len(text)) {
		return nil, fmt.Errorf("too much nested text")
	}
	file, err := zshform.Parse(text, zsh, x.b)
	if err != nil {
		return nil, err
	}
	x.place(file, w, text)
	return file, nil
}

// literally finds the text of a word in the line, if it stands there as it is.
func (x *run) literally(w access.Word, text string) (int, bool) {
	if w.End <= w.Start || w.End > len(x.r.Line) || text == "" {
		return 0, false
	}
	i := strings.Index(x.r.Line[w.Start:w.End], text)
	return w.Start + i, i >= 0
}

// maxScan is how much of a text is scanned for words.
const maxScan = 64 << 10

// scan reports the words of a text that look like outside paths. It serves texts
// that can't be parsed: a person should at least see what to look at.
func (x *run) scan(text access.Word, start, end int) {
	st := x.first()
	for _, seg := range text.Segs {
		if seg.Class != access.Known {
			continue
		}
		for _, f := range strings.FieldsFunc(seg.Text[:min(len(seg.Text), maxScan)], func(r rune) bool {
			return strings.ContainsRune(" \t\n\r;&|<>()`\"'{}=,", r)
		}) {
			switch {
			case strings.HasPrefix(f, "/") && len(f) > 1, strings.HasPrefix(f, "../"), f == "..":
			case strings.HasPrefix(f, "~/") && x.r.Home != "":
				f = x.r.Home + f[1:]
			default:
				continue
			}
			w := access.Text(f)
			w.Start, w.End = start, end
			if i := strings.Index(x.r.Line, f); i >= 0 {
				w.Start, w.End = i, i+len(f)
			}
			x.touch(st, st.cwd, target{word: w, kind: access.Read, why: "looks like a path"})
		}
	}
}
