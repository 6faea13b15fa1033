package command

import (
	"strings"
	"sync"

	"extdir/daemon/access"
	"extdir/daemon/command/facts"
)

// A reader reads the words of one simple command against its spec. It collects
// operands and findings first and reports them at the end, since a later option
// may change what an earlier word was (tar -f x -c writes x).
type reader struct {
	t     *Table
	g     Ground
	os    string
	chain []*spec      // the command, its subcommand, …
	nodes []facts.Node // what the base table says of them
	words []access.Word
	i     int   // the word being read
	subAt []int // where the words of chain[1:] stand

	firstAt int // where the first operand stands; 0 before it

	operandsOnly bool
	expression   bool // find: the paths are over
	used         names
	gave         names
	operands     []operand
	slots        slots // operands and values by the name of their slot
	finds        []finding
	effects      []effect
	vars         []variable
	bases        []Ground
	undeclared   bool // the word before was an option the spec does not name
	tells        bool // and its name tells of a file or folder
	says         bool // or of what somebody says
	onDisk       bool // the next operand is a path too if it exists

	// A line with an option of unsure arity, or one shortened so far that it may
	// be another, is read twice.
	second bool
	unsure bool

	// What chain, bases and used begin with: most commands need no more.
	chain0 [2]*spec
	bases0 [1]Ground
	used0  [6]string
	nodes0 [2]facts.Node
}

// read classifies words[0:], a command described by s.
func (t *Table) read(s *spec, words []access.Word, g Ground) {
	first := newReader(t, s, words, g)
	first.all()
	unsure := first.unsure
	first.free()
	if unsure {
		second := newReader(t, s, words, alternative{g})
		second.second = true
		second.all()
		second.free()
	}
}

// readers are kept for the next command: their lists are most of what reading one
// allocates.
var readers = sync.Pool{New: func() any { return new(reader) }}

// free gives a reader back. Nothing refers to its lists any more.
func (r *reader) free() {
	clear(r.finds)
	clear(r.operands)
	clear(r.slots)
	*r = reader{finds: r.finds[:0], operands: r.operands[:0], slots: r.slots[:0]}
	readers.Put(r)
}

func newReader(t *Table, s *spec, words []access.Word, g Ground) *reader {
	r := readers.Get().(*reader)
	r.t, r.g, r.os, r.words = t, g, g.OS(), words
	r.chain, r.bases, r.used = append(r.chain0[:0], s), append(r.bases0[:0], g), r.used0[:0]
	r.enterBase()
	return r
}

// alternative is the ground of a second reading: what only that one sees as a
// path counts if it looks like an outside one.
type alternative struct{ Ground }

func (a alternative) Path(p Path) { p.Guess = true; a.Ground.Path(p) }

// Unknown: the first reading says what it can't read; the second only adds paths.
func (a alternative) Unknown(access.Word, string) {}

// Form: a second reading may find another subcommand, and rules may name either.
func (a alternative) Form(argv []access.Word) {
	if f, ok := a.Ground.(Former); ok {
		f.Form(argv)
	}
}

// Piped is what the ground below says; where it says nothing, anything may come.
func (a alternative) Piped() bool {
	p, ok := a.Ground.(Piper)
	return !ok || p.Piped()
}

// Typed is what the ground below says.
func (a alternative) Typed() bool { return typed(a.Ground) }

func (a alternative) In(dir access.Word) Ground { return alternative{a.Ground.In(dir)} }
func (a alternative) With(n string, v access.Word) Ground {
	return alternative{a.Ground.With(n, v)}
}

func (r *reader) spec() *spec { return r.chain[len(r.chain)-1] }

// mode is the way the current words are read. What concerns the form of options
// holds for subcommands as well.
func (r *reader) mode() parseMode {
	m := r.spec().parse
	for _, s := range r.chain {
		m |= s.parse & (parseLongdash | parseDashes | parseWords)
	}
	return m
}

func (r *reader) lookup(name string) *option {
	for i := len(r.chain) - 1; i >= 0; i-- {
		if o := r.chain[i].opts.lookup(name, r.os); o != nil {
			return o
		}
	}
	return lookupBase(r.nodes, name, r.chain[0].node == nil)
}

func (r *reader) all() {
	for r.i = 1; r.i < len(r.words); r.i++ {
		r.word(r.words[r.i])
	}
	r.forms()
	r.finish()
}

// forms tells the ground the command without the options that stand before its
// subcommands, which is how rules name it: without those before the first one,
// and without those between them as well. Where no subcommand is known, the first
// operand is taken for one.
func (r *reader) forms() {
	g, ok := r.g.(Former)
	if !ok || !r.chain[0].hasSubs() {
		return
	}
	at := r.subAt
	if r.spec().hasSubs() && r.firstAt > 0 {
		at = append(at[:len(at):len(at)], r.firstAt)
	}
	if len(at) == 0 || at[len(at)-1] == len(at) {
		return // they follow each other already
	}
	name := r.words[0]
	if _, base, ok := name.CutLast('/'); ok {
		name = base
	}
	g.Form(append([]access.Word{name}, r.words[at[0]:]...))
	if at[len(at)-1] == at[0]+len(at)-1 {
		return
	}
	short := []access.Word{name}
	for _, i := range at {
		short = append(short, r.words[i])
	}
	g.Form(append(short, r.words[at[len(at)-1]+1:]...))
}

func (r *reader) word(w access.Word) {
	p, known := w.Prefix()
	mode := r.mode()
	if mode&parseBundle != 0 && r.i == len(r.chain) && p != "" && p[0] != '-' {
		r.bundle(p)
		return
	}
	if mode&parseStop != 0 && len(r.operands) > 0 || mode&parseStop2 != 0 && len(r.operands) > 1 {
		r.operandsOnly = true
	}
	if !r.operandsOnly {
		switch {
		case p == "--" && known:
			r.operandsOnly = true
			r.used.add(p)
			r.undeclared, r.tells, r.says = false, false, false
			if s := r.spec(); s.node != nil && s.node.Rest() && r.i+1 < len(r.words) {
				r.add(finding{kind: kind{base: kCommand}, place: basePlace, base: len(r.bases) - 1, why: r.operandOf(), args: r.words[r.i+1:]})
				r.i = len(r.words)
			}
			return
		case len(p) > 1 && p[0] == '-' || p == "-" && !known:
			if r.option(w, p, known) {
				return
			}
		case p == "-" && known && r.lookup(p) != nil: // env -
			r.take(p, r.lookup(p), access.Word{}, false, false)
			return
		case len(p) > 0 && (p[0] == '@' || p[0] == '+') && r.lookup(p[:1]) != nil:
			r.take(p[:1], r.lookup(p[:1]), w.From(1), true, false)
			return
		case len(p) > 1 && p[0] == '+':
			if o := r.lookup(p); o != nil && known {
				r.take(p, o, access.Word{}, false, false)
				return
			}
		case mode&parseFind != 0 && (p == "(" || p == ")" || p == "!" || p == ","):
			r.expression = true
			return
		}
	}
	if mode&parseKeyval != 0 {
		if name, value, ok := w.Cut('='); ok {
			if key, known := name.Lit(); known {
				if o := r.lookup(key + "="); o != nil {
					r.take(key+"=", o, value, true, false)
					return
				}
			}
		}
	}
	if mode&parseAssign != 0 && len(r.operands) == 0 {
		if name, value, ok := assignment(w); ok {
			r.vars = append(r.vars, variable{name, value})
			return
		}
	}
	if !r.operandsOnly && known {
		if sub := r.spec().sub(p); sub != nil && r.maybeValues() {
			r.enter(p, sub)
			note(r.g, w, sub.place, Note{Role: "subcommand"})
			r.subAt = append(r.subAt, r.i)
			r.firstAt = 0
			r.undeclared, r.tells, r.says = false, false, false
			return
		}
	}
	if mode&parseFind != 0 && r.expression {
		r.add(finding{word: w, kind: kind{base: kGuess}, base: len(r.bases) - 1, why: r.operandOf()})
		return
	}
	if r.firstAt == 0 && !r.undeclared {
		r.firstAt = r.i
	}
	r.operands = append(r.operands, operand{w, len(r.bases) - 1, r.undeclared, r.tells, r.says && sentence(w), r.onDisk})
	r.undeclared, r.tells, r.says, r.onDisk = false, false, false, false
}

// maybeValues tells whether all operands so far may be values of options the
// spec does not name, so that a subcommand may still follow. Those are guesses.
func (r *reader) maybeValues() bool {
	for _, o := range r.operands {
		if !o.open {
			return false
		}
	}
	for _, o := range r.operands {
		r.guessOperand(o)
	}
	r.operands = nil
	return true
}

// assignment splits NAME=VALUE.
func assignment(w access.Word) (string, access.Word, bool) {
	name, value, ok := w.Cut('=')
	if !ok {
		return "", value, false
	}
	n, known := name.Lit()
	if !known || !identifier(n) {
		return "", value, false
	}
	return n, value, true
}

func identifier(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// option reads a word that begins with a dash. It returns false if the word is
// an operand after all.
func (r *reader) option(w access.Word, p string, known bool) bool {
	mode := r.mode()
	name := p
	if mode&parseDashes != 0 {
		name = "-" + strings.TrimLeft(p, "-")
	}
	if mode&parseFind != 0 && !r.expression {
		switch {
		case p == "-H" || p == "-L" || p == "-P" || strings.HasPrefix(p, "-O"):
		default:
			r.expression = p != "-D"
		}
	}
	if known {
		if o := r.lookup(name); o != nil {
			r.take(name, o, access.Word{}, false, false)
			return true
		}
	}
	var value access.Word
	head, valued := name, false
	if i := strings.IndexByte(p, '='); i > 0 {
		head, valued = p[:i], true
		if mode&parseDashes != 0 {
			head = "-" + strings.TrimLeft(head, "-")
		}
		value = w.From(i + 1)
		if o := r.lookup(head); o != nil && (strings.HasPrefix(p, "--") || mode&(parseDashes|parseLongdash) != 0) {
			r.take(head, o, value, true, false)
			return true
		}
		if o := r.lookup(head + "="); o != nil { // --name= declared as attached with its sign
			r.take(head, o, value, true, false)
			return true
		}
	}
	switch {
	case strings.HasPrefix(p, "--") && mode&parseDashes == 0:
		if known || valued {
			if full, o := r.abbreviated(head); o != nil {
				if valued || len(o.vals) == 0 || o.arity == arityAttached || r.second {
					r.take(full, o, value, valued, true)
					return true
				}
				r.unsure = true // it may as well be a flag the spec does not name
			}
		}
		r.used.add(head)
		r.unnamed(head, valued)
		if valued {
			r.guessValue(head, value)
		} else if !known {
			r.guess(w, "option of "+r.spec().name())
		}
	case mode&parseWords != 0:
		r.used.add(p)
		r.unnamed(p, false)
		r.guess(w, r.operandOf())
	case mode&(parseLongdash|parseDashes) != 0:
		if mode&parseLongdash != 0 {
			for e := len(p); e >= 2; e-- {
				if o := r.lookup(p[:e]); o != nil && len(o.vals) > 0 && (e < len(p) || !known) {
					r.take(p[:e], o, w.From(e), true, false)
					return true
				}
			}
		}
		r.used.add(head)
		r.unnamed(head, valued)
		if valued && (r.unknownText() || tellsText(head, sentence(value))) {
			r.guessValue(head, value)
		} else {
			r.guess(w, "option of "+r.spec().name())
		}
	default:
		r.cluster(w, p, known)
	}
	return true
}

// abbreviated finds the one option a shortened long option stands for, as
// getopt_long does.
func (r *reader) abbreviated(head string) (string, *option) {
	if len(head) < 3 || r.unknownText() { // such clients don't use getopt_long
		return "", nil
	}
	var name string
	var found *option
	for _, s := range r.chain {
		for _, n := range s.opts.begin(head) {
			o := s.opts.lookup(n.name, r.os)
			if o == nil || o == found {
				continue
			}
			if found != nil {
				return "", nil
			}
			name, found = n.name, o
		}
	}
	return name, found
}

// cluster reads -abc, -ofile, -n5.
func (r *reader) cluster(w access.Word, p string, known bool) {
	for j := 1; j < len(p); j++ {
		name := "-" + p[j:j+1]
		o := r.lookup(name)
		if o == nil {
			r.used.add(name)
			// What the spec does not name may take the rest as its value.
			rest := p[j+1:]
			if strings.IndexByte("/~.", p[j]) >= 0 {
				// The letter before takes a value after all.
				r.guess(w.From(j), "value of -"+p[j-1:j])
				return
			}
			if i := strings.IndexAny(rest, "/~.="); i == 0 || strings.HasPrefix(rest, "../") {
				r.guess(w.From(j+1), "value of "+name)
				return
			}
			r.undeclared = j == len(p)-1 && known && !digits(p[1:])
			continue
		}
		if len(o.vals) == 0 {
			r.take(name, o, access.Word{}, false, false)
			continue
		}
		if j+1 < len(p) || !known {
			rest := w.From(j + 1)
			r.take(name, o, rest, true, false)
		} else {
			r.take(name, o, access.Word{}, false, false)
		}
		return
	}
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// bundle reads tar's old form, letters without a dash: their values follow in
// the order of the letters.
func (r *reader) bundle(p string) {
	for j := 0; j < len(p); j++ {
		name := "-" + p[j:j+1]
		if o := r.lookup(name); o != nil {
			r.take(name, o, access.Word{}, false, false)
		} else {
			r.used.add(name)
		}
	}
}

// take reads an option's values. has: value is attached to it.
func (r *reader) take(name string, o *option, value access.Word, has, short bool) {
	r.undeclared, r.tells, r.says = false, false, false
	r.used.add(name)
	if o.gives != "" {
		r.gave.add(o.gives)
	}
	r.effects = append(r.effects, o.effects...)
	if _, ok := r.g.(Noter); ok && !has && r.i < len(r.words) {
		note(r.g, r.words[r.i], o.place, Note{Role: "option " + name})
	}
	if len(o.vals) == 0 {
		if has {
			r.guess(value, "value of "+name)
		}
		return
	}
	k := 0
	switch {
	case has:
		r.value(name, o, 0, value, short)
		k = 1
	case o.arity == arityAttached:
		return
	case o.arity == arityEmpty:
		// The BSD form "-i '' SCRIPT FILE" is written on GNU systems too, where
		// it edits SCRIPT and FILE with an empty script: what exists counts.
		if r.i+3 < len(r.words) && r.words[r.i+1].Empty() {
			r.i++
			r.onDisk = true
		}
		return
	case o.arity == arityUnsure:
		r.unsure = true
		if r.second || r.i+1 >= len(r.words) || r.words[r.i+1].HasPrefix("-") {
			return
		}
	}
	for ; k < len(o.vals) && r.i < len(r.words); k++ {
		switch o.vals[k].kind.base {
		case kUntil:
			r.until(name, o.vals[k], o.place)
			return
		case kWords:
			if r.i+1 < len(r.words) {
				r.i++
				r.insert(r.words[r.i])
			}
			return
		}
		if r.i+1 >= len(r.words) {
			return
		}
		r.i++
		r.value(name, o, k, r.words[r.i], short)
		for o.vals[k].many && r.i+1 < len(r.words) && !r.words[r.i+1].HasPrefix("-") {
			r.i++
			r.value(name, o, k, r.words[r.i], short)
		}
	}
}

func (r *reader) value(name string, o *option, k int, w access.Word, short bool) {
	v := o.vals[k]
	switch v.kind.base {
	case kWords:
		r.insert(w)
		return
	case kModule: // the rest is the module's
		r.slots.add(v.name, w)
		r.add(finding{word: w, kind: v.kind, slot: v.name, place: o.place, base: len(r.bases) - 1, args: r.words[r.i+1:]})
		r.i = len(r.words)
		return
	}
	if o.place == basePlace && v.kind.base == kGuess && tellsText(name, sentence(w)) {
		v.kind = kind{base: kText}
	}
	f := finding{word: w, kind: v.kind, slot: v.name, place: o.place, base: len(r.bases) - 1, value: name, open: short}
	if o.start {
		f.base = 0
	}
	r.slots.add(v.name, w)
	r.slots.add(name, w)
	if k > 0 || o.chdir == chdirNone {
		r.add(f)
		return
	}
	last := len(r.bases) - 1
	f.at = r.bases[last]
	r.add(f)
	next := f.at.In(w)
	if o.chdir == chdirAll {
		r.bases[last] = next
	} else {
		r.bases = append(r.bases, next)
	}
}

func (r *reader) add(f finding) { r.finds = append(r.finds, f) }

// insert splits a word at blanks and reads the parts as words of this command.
func (r *reader) insert(w access.Word) {
	rest := append(splitBlanks(w), r.words[r.i+1:]...)
	r.words = append(append([]access.Word(nil), r.words[:r.i+1]...), rest...)
}

// until reads a command that ends at a word of its own (find -exec … ;).
func (r *reader) until(name string, v slot, at place) {
	ends := strings.Split(v.kind.arg, ",")
	start := r.i + 1
	j := start
	for ; j < len(r.words); j++ {
		text, _ := r.words[j].Lit()
		if text == "+" {
			prev, _ := r.words[j-1].Lit()
			if prev != "{}" {
				continue
			}
		}
		if contains(ends, text) {
			break
		}
	}
	f := finding{kind: v.kind, slot: v.name, place: at, base: len(r.bases) - 1, why: "command of " + name, args: r.words[start:min(j, len(r.words))]}
	r.add(f)
	r.i = j
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

func (r *reader) guess(w access.Word, why string) {
	if r.unknownText() {
		r.add(finding{word: w, kind: kind{base: kFileURL, arg: "only"}, base: len(r.bases) - 1, why: why})
		return
	}
	r.add(finding{word: w, kind: kind{base: kGuess}, base: len(r.bases) - 1, why: why})
}

// unnamed says that the word was an option the spec does not name; the next one
// may be its value.
func (r *reader) unnamed(name string, valued bool) {
	r.undeclared = !valued
	r.tells = !valued && tellsPath(name)
	r.says = !valued && tellsText(name, true)
}

// guessValue reads a value attached to an option the spec does not name.
func (r *reader) guessValue(name string, w access.Word) {
	why := "value of " + name
	if tellsText(name, sentence(w)) {
		return
	}
	if tellsPath(name) {
		r.add(finding{word: w, kind: kind{base: kGuess}, base: len(r.bases) - 1, why: why})
		return
	}
	r.guess(w, why)
}

func (r *reader) unknownText() bool {
	for _, s := range r.chain {
		if s.unknown == unknownText {
			return true
		}
	}
	return false
}

func (r *reader) operandOf() string { return r.spec().operandOf }
