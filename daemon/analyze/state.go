package analyze

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// status is what is known of $? after a command.
type status uint8

const (
	either status = iota
	yes           // 0
	no            // anything else
)

func (s status) not() status {
	switch s {
	case yes:
		return no
	case no:
		return yes
	}
	return either
}

// flow is what a state does next.
type flow uint8

const (
	goesOn flow = iota
	breaks
	continues
	returns
	exits
	discards // as halt says
)

// source is a text that was parsed: the line itself or a text inside it that a
// shell reads once more.
type source struct {
	// aliases are expanded in this text.
	aliases bool
	// parsed is set where the shell parses the text as a whole before it runs any of
	// it (zsh does with -c and eval): only aliases that were there then count.
	parsed int
}

// function is a shell function.
type function struct {
	body     *syntax.Stmt // nil: surely no function
	exported bool
	// opaque: it exists, but what it does isn't known.
	opaque bool
}

// alias is a text put in the place of a command word.
type alias struct {
	text string
	gone bool
	// src and line tell where it was defined: the shell expands aliases when it
	// reads a line, so not in the rest of the defining one.
	src  *source
	line uint
	at   int // in the order of definitions and of texts that are parsed as a whole
}

// file is what the line itself made of a name.
type file struct {
	gone    bool
	dir     bool
	link    bool
	hard    bool        // a link that is another name of the same file
	target  string      // of a link
	content access.Word // of a file the line wrote
	known   bool        // content is the file's whole text
	part    bool        // content is what the line added to a file on disk
	// disk: what stands in it stood on disk before the line, under this name or
	// another: as of all such files, that isn't looked at.
	disk bool
	// output: a program of the line wrote it, so what stands in it isn't known. If
	// it is there at all only the disk can tell.
	output bool
}

// inputKind says where a command's standard input comes from.
type inputKind uint8

const (
	inherited inputKind = iota // what the shell itself has: a terminal, mostly
	fromFile                   // a file on disk; its opening was judged
	fromText                   // text that is known, at least in parts
	fromPipe                   // output that isn't known
)

type input struct {
	kind inputKind
	text access.Word
}

// frame keeps what local variables of a function call hide.
type frame map[string]*word.Value

// state is the abstract shell at one point of the line. States are forked where
// the line branches: everything reachable from a state is shared with others and
// replaced, never changed, except by the methods here.
type state struct {
	self   [1]*state   // what alone returns
	cwd    access.Word // logical; starts with an unknown part where it isn't known
	old    access.Word
	hasOld bool // old is known to be what OLDPWD holds
	stack  []access.Word
	// stackSet: the line has set the whole directory stack.
	stackSet bool
	hooked   bool // zsh: chpwd is running

	vars   map[string]word.Value
	frames []frame
	args   []access.Word
	argsOK bool // args is complete
	arg0   access.Word
	funcs  map[string]function
	alias  map[string]alias
	opts   map[string]bool
	files  map[string]file
	fds    map[string]input
	named  map[string]access.Word // directories by the name zsh's hash -d gave them
	owned  uint8                  // which maps belong to this state alone

	in     input
	out    access.Word // collected standard output
	keep   bool        // standard output is collected
	status status
	flow   flow
	levels int // of break and continue

	recent

	saved   []savedOptions // what "local -" has put aside
	onExit  access.Word    // the command of the EXIT trap
	traps   []trap         // the others, replaced and never changed
	refused bool           // the builtin running has met what it may refuse
	loops   int            // loops around this point, in the same function
	inside  int            // functions and sourced texts around it: return ends them
	depth   int            // subshells around this point
	apart   bool           // a subshell: what it does to itself ends with it
	child   bool           // a nested shell: variables that aren't exported don't exist
	fresh   bool           // a shell of the line's own: no functions or aliases but its own
	zsh     bool
	bash    bool // a nested shell that takes functions from the environment
}

const (
	ownVars uint8 = 1 << iota
	ownFuncs
	ownAlias
	ownOpts
	ownFiles
	ownFds
)

// alone is the list of this one state.
func (s *state) alone() []*state {
	s.self[0] = s
	return s.self[:]
}

// fork returns a state that shares everything with s.
func (s *state) fork() *state {
	s.owned = 0
	c := *s
	return &c
}

// savedOptions are the options to come back to when a function returns.
type savedOptions struct {
	depth int // frames at that point
	opts  map[string]bool
}

// hideOptions is "local -": what set changes from here on ends with the function.
func (s *state) hideOptions() {
	s.owned &^= ownOpts
	s.saved = append(slices.Clip(s.saved), savedOptions{len(s.frames), s.opts})
}

// showOptions ends what hideOptions began in the innermost function.
func (s *state) showOptions() {
	n := len(s.saved)
	if n == 0 || s.saved[n-1].depth != len(s.frames) {
		return
	}
	back := s.saved[n-1].opts
	s.saved = s.saved[:n-1]
	if s.zsh { // all of them
		s.opts, s.owned = back, s.owned&^ownOpts
		return
	}
	for _, name := range setFlags {
		if on, ok := back[name]; ok {
			s.setOpt(name, on)
		} else if s.owned&ownOpts == 0 {
			s.opts = clone(s.opts)
			s.owned |= ownOpts
			delete(s.opts, name)
		} else {
			delete(s.opts, name)
		}
	}
}

func (s *state) setVar(name string, v word.Value) {
	if s.owned&ownVars == 0 {
		s.vars = clone(s.vars)
		s.owned |= ownVars
	}
	old := s.vars[name]
	if old.Tied != "" && v.Tied == "" && v.State != word.Unset {
		v.Tied, v.Sep = old.Tied, old.Sep
	}
	s.vars[name] = v
	if v.Tied != "" {
		s.vars[v.Tied] = twin(v, name, s.vars[v.Tied].Exported)
	}
	if name == "_" { // for _ in …, local _=…: until the next command ends
		s.last, s.known = v.Scalar, v.State == word.Set
	}
}

// hasVar tells whether the line has set or unset a variable.
func (s *state) hasVar(name string) bool {
	_, ok := s.vars[name]
	return ok
}

func (s *state) dropVar(name string) {
	if s.owned&ownVars == 0 {
		s.vars = clone(s.vars)
		s.owned |= ownVars
	}
	delete(s.vars, name)
	s.known = s.known && name != "_"
}

func (s *state) setFunc(name string, f function) {
	if s.owned&ownFuncs == 0 {
		s.funcs = clone(s.funcs)
		s.owned |= ownFuncs
	}
	s.funcs[name] = f
}

func (s *state) setAlias(name string, a alias) {
	if s.owned&ownAlias == 0 {
		s.alias = clone(s.alias)
		s.owned |= ownAlias
	}
	s.alias[name] = a
}

func (s *state) setOpt(name string, on bool) {
	if s.owned&ownOpts == 0 {
		s.opts = clone(s.opts)
		s.owned |= ownOpts
	}
	s.opts[name] = on
}

func (s *state) setFile(real string, f file) {
	if s.owned&ownFiles == 0 {
		s.files = clone(s.files)
		s.owned |= ownFiles
	}
	s.files[real] = f
}

func (s *state) setFd(name string, in input) {
	if s.owned&ownFds == 0 {
		s.fds = clone(s.fds)
		s.owned |= ownFds
	}
	s.fds[name] = in
}

func clone[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return maps.Clone(m)
}

// enter opens a frame for the local variables of a function call.
func (s *state) enter() {
	s.frames = append(slices.Clip(s.frames), frame{})
}

// leave closes the innermost frame and brings back what it hid.
func (s *state) leave() {
	if len(s.frames) == 0 {
		return
	}
	s.showOptions()
	top := s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	for name, v := range top {
		if v == nil {
			s.dropVar(name)
		} else {
			s.setVar(name, *v)
		}
	}
}

// hide remembers a variable's value in the innermost frame.
func (s *state) hide(name string) {
	if len(s.frames) == 0 {
		return
	}
	top := s.frames[len(s.frames)-1]
	if _, ok := top[name]; ok {
		return
	}
	top = maps.Clone(top)
	if v, ok := s.vars[name]; ok {
		top[name] = &v
	} else {
		top[name] = nil
	}
	s.frames = append(slices.Clip(s.frames[:len(s.frames)-1]), top)
}

// local tells whether a variable is one of the innermost function's already.
func (s *state) local(name string) bool {
	if len(s.frames) == 0 {
		return false
	}
	_, ok := s.frames[len(s.frames)-1][name]
	return ok
}

// print appends text to the collected output.
func (s *state) print(w access.Word) {
	if s.keep {
		s.out = s.out.Concat(w)
	}
}

// equal tells whether two states differ in nothing but their status.
func equal(a, b *state) bool {
	return a.stackSet == b.stackSet && a.flow == b.flow && a.levels == b.levels &&
		sameWord(a.cwd, b.cwd) && sameWord(a.old, b.old) && a.in.kind == b.in.kind && sameWord(a.in.text, b.in.text) &&
		sameWord(a.out, b.out) && sameWord(a.onExit, b.onExit) && sameTraps(a.traps, b.traps) && len(a.saved) == len(b.saved) && a.argsOK == b.argsOK && slices.EqualFunc(a.args, b.args, sameWord) &&
		slices.EqualFunc(a.stack, b.stack, sameWord) &&
		a.known == b.known && sameWord(a.last, b.last) && len(a.pipes) == len(b.pipes) &&
		sameMap(a.vars, b.vars) && sameMap(a.opts, b.opts) && sameMap(a.files, b.files) &&
		sameMap(a.fds, b.fds) && sameKeys(a.funcs, b.funcs) && sameMap(a.alias, b.alias) && sameMap(a.named, b.named)
}

func sameWord(a, b access.Word) bool {
	return slices.EqualFunc(a.Segs, b.Segs, func(x, y access.Segment) bool {
		return x.Class == y.Class && x.Text == y.Text && x.Number == y.Number
	})
}

func sameTraps(a, b []trap) bool { return slices.EqualFunc(a, b, sameTrap) }

func sameTrap(a, b trap) bool { return a.on == b.on && a.maybe == b.maybe && sameWord(a.text, b.text) }

func sameMap[V any](a, b map[string]V) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() {
		return true
	}
	return reflect.DeepEqual(a, b)
}

func sameKeys(a, b map[string]function) bool {
	return maps.EqualFunc(a, b, func(x, y function) bool { return x.body == y.body && x.opaque == y.opaque })
}

// merge removes states that differ in nothing but their status, and joins all
// into one where there are too many.
func merge(sts []*state) []*state {
	if len(sts) < 2 {
		return sts
	}
	var out []*state
next:
	for _, s := range sts {
		for _, o := range out {
			if equal(o, s) {
				if o.status != s.status {
					o.status = either
				}
				o.pipes = joinPipes(o.pipes, s.pipes)
				continue next
			}
		}
		out = append(out, s)
	}
	if len(out) <= guard.Max(guard.States) {
		return out
	}
	// States that have left the flow don't continue together with others.
	byFlow := map[flow]*state{}
	var joined []*state
	for _, s := range out {
		if o := byFlow[s.flow]; o != nil {
			join(o, s)
		} else {
			byFlow[s.flow] = s
			joined = append(joined, s)
		}
	}
	return joined
}

// keepsFrom are the options under which less runs or less is a pattern. Where it
// isn't known whether an option is on, these count as off and the others as on.
var keepsFrom = words("noglob nounset errexit noexec failglob physical")

var anything = access.Unknowable(access.Any, 0, 0)

// lostDir is a directory that isn't known: what is relative to it is anywhere.
var lostDir = from(anything, "the directory at this point of the line")

// join makes what differs between a and b unknown in a.
func join(a, b *state) {
	if !sameWord(a.cwd, b.cwd) {
		a.cwd = lostDir
	}
	if !sameWord(a.old, b.old) || a.hasOld != b.hasOld {
		a.hasOld = false
	}
	a.stackSet = a.stackSet && b.stackSet && slices.EqualFunc(a.stack, b.stack, sameWord)
	if !slices.EqualFunc(a.stack, b.stack, sameWord) {
		a.stack = nil
	}
	if a.argsOK != b.argsOK || !slices.EqualFunc(a.args, b.args, sameWord) {
		a.args, a.argsOK = nil, false
	}
	for name := range allKeys(a.vars, b.vars) {
		x, inA := a.vars[name]
		y, inB := b.vars[name]
		if !inA || !inB || !reflect.DeepEqual(x, y) {
			a.setVar(name, common(x, y, inA && inB))
		}
	}
	for name, f := range b.funcs {
		if g, ok := a.funcs[name]; !ok || g.body != f.body {
			a.setFunc(name, function{opaque: true})
		}
	}
	for name := range a.funcs {
		if _, ok := b.funcs[name]; !ok {
			a.setFunc(name, function{opaque: true})
		}
	}
	for name, f := range b.files {
		old, ok := a.files[name]
		switch {
		case !ok:
			a.setFile(name, f)
		case !old.gone && !f.gone && !old.link && !f.link && (old.known != f.known || !sameWord(old.content, f.content)):
			// More and more text may be added to it in a loop.
			old.content, old.known = anything, false
			a.setFile(name, old)
		}
	}
	for name := range allKeys(a.named, b.named) {
		if !sameWord(a.named[name], b.named[name]) {
			a.named = clone(a.named)
			a.named[name] = anything
		}
	}
	for name := range allKeys(a.opts, b.opts) {
		x, inA := a.opts[name]
		y, inB := b.opts[name]
		if !inA || !inB || x != y {
			a.setOpt(name, !keepsFrom[name])
		}
	}
	if a.in.kind != b.in.kind || !sameWord(a.in.text, b.in.text) {
		a.in = input{kind: fromPipe}
	}
	if !sameWord(a.out, b.out) {
		a.out = anything
	}
	if !sameWord(a.onExit, b.onExit) {
		a.onExit = anything
	}
	if !sameTraps(a.traps, b.traps) {
		all := append(slices.Clone(a.traps), b.traps...)
		for i := range all {
			all[i].maybe = true
		}
		slices.SortFunc(all, func(x, y trap) int {
			return cmp.Or(strings.Compare(x.on, y.on), strings.Compare(x.text.String(), y.text.String()))
		})
		a.traps = slices.CompactFunc(all, sameTrap)
	}
	if a.status != b.status {
		a.status = either
	}
	a.known = a.known && b.known && sameWord(a.last, b.last)
	a.pipes = joinPipes(a.pipes, b.pipes)
	a.levels = max(a.levels, b.levels)
}

// common is what can be said of a variable that has one value or the other.
func common(a, b word.Value, both bool) word.Value {
	v := word.Value{Exported: a.Exported || b.Exported, ReadOnly: a.ReadOnly && b.ReadOnly, Integer: a.Integer && b.Integer}
	switch {
	case !both || a.Map != nil || b.Map != nil || a.Ref || b.Ref:
	case array(a) && array(b):
		x, y := each(a), each(b)
		if x == access.Known && len(a.List) == 0 && a.State == word.Set {
			x = y
		}
		if y == access.Known && len(b.List) == 0 && b.State == word.Set {
			y = x
		}
		if x == y {
			v.Each = x
		}
	case a.State == word.Set && b.State == word.Set:
		if w, ok := access.OneOf([]access.Word{a.Scalar, b.Scalar}); ok {
			w.Start, w.End, w.Segs[0].Start, w.Segs[0].End = 0, 0, 0, 0
			v.State, v.Scalar = word.Set, w
		}
	}
	return v
}

func array(v word.Value) bool {
	return v.List != nil || v.State == word.Unknown && v.Each != access.Known
}

func allKeys[V any](a, b map[string]V) map[string]bool {
	keys := make(map[string]bool, len(a))
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return keys
}

// forget makes unknown what the states before and after a loop body differ in:
// it may change in every round.
func forget(before, after *state) *state {
	s := after.fork()
	join(s, before)
	s.flow, s.levels = goesOn, 0
	return s
}
