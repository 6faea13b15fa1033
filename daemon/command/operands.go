package command

import (
	"slices"
	"strings"

	"extdir/daemon/access"
)

// finish gives the operands to the slots of the usage that holds, applies what
// options and conditions change, and reports everything.
func (r *reader) finish() {
	u := r.usage()
	r.assign(u)
	stdin := r.spec().stdin
	for _, s := range r.chain {
		r.effects = append(r.effects, s.effects...)
		for _, w := range s.whens {
			if w.usage != nil || !r.holds(w.all) {
				continue
			}
			r.effects = append(r.effects, w.effects...)
			if w.stdin != nil && s == r.spec() {
				stdin = w.stdin
			}
		}
	}
	for _, v := range r.vars {
		r.t.Assign(v.name, v.value, r.g)
	}
	if len(r.vars) > 0 {
		for i, g := range r.bases {
			for _, v := range r.vars {
				g = g.With(v.name, v.value)
			}
			r.bases[i] = g
		}
	}
	for _, f := range r.finds {
		r.note(f)
		r.report(f)
	}
	for _, e := range r.effects {
		switch e.verb {
		case "self":
			r.g.Self(e.self, r.words[0], e.why)
		case "unjudged":
			r.g.Unknown(r.words[0], e.why)
		case "loads":
			w := access.Text(e.why)
			w.Start, w.End = r.words[0].Start, r.words[0].End
			valuer{g: r.bases[len(r.bases)-1], with: r}.held(*e.kind.elem, w)
		case "writes":
			if e.why == newTemporary {
				r.temporary()
				continue
			}
			w := access.Text(e.why)
			w.Start, w.End = r.words[0].Start, r.words[0].End
			if e.why == "." {
				r.bases[len(r.bases)-1].Path(Path{
					Word: w, Kind: access.Write, Dir: true, Guess: true, Here: true, Why: "working directory of " + r.spec().name(),
				})
				continue
			}
			if e.why[0] == '~' {
				home, ok := r.g.Var("HOME")
				if !ok {
					r.g.Unknown(r.words[0], "writes "+e.why)
					continue
				}
				w = home.Concat(w.From(1))
			}
			r.g.Path(Path{Word: w, Kind: access.Write, Why: "settings of " + r.spec().name()})
		}
	}
	if stdin != nil {
		r.input(*stdin)
	}
	if u == nil {
		return
	}
	for _, s := range u.slots {
		if s.kind.base == kRemote && len(r.slots.of(s.name)) == 0 && !typed(r.g) && r.here() {
			// A shell of this machine reads standard input.
			r.input(kind{base: kSh})
			r.g.Unknown(r.words[0], "runs in another shell of this machine")
		}
	}
}

// usage is the first conditional one whose conditions hold, else the plain one.
// The innermost subcommand that has one decides.
func (r *reader) usage() *usage {
	s := r.spec()
	for _, w := range s.whens {
		if w.usage != nil && r.holds(w.all) {
			return w.usage
		}
	}
	return s.usage
}

func (r *reader) holds(all []condition) bool {
	for _, c := range all {
		any := false
		for _, n := range c.names {
			words := r.slots.of(n)
			switch {
			case n == "terminal":
				any = any || typed(r.g)
			case c.shell:
				any = any || bareShell(words)
			case c.unseen:
				any = any || unseen(r.g, words)
			case n[0] == '-' || n[0] == '+' || strings.HasSuffix(n, "="):
				any = any || r.used.has(n)
			case strings.Contains(n, "="):
				name, value, _ := strings.Cut(n, "=")
				any = any || slices.ContainsFunc(r.slots.of(name), func(w access.Word) bool {
					text, known := w.Lit()
					return !known || text == value
				})
			default:
				any = any || r.gave.has(n) || someWord(words)
			}
		}
		if any == c.not {
			return false
		}
	}
	return true
}

// typed tells whether standard input may be typed later.
func typed(g Ground) bool {
	if t, ok := g.(Typer); ok {
		return t.Typed()
	}
	_, known := g.Stdin()
	return !known
}

// someWord tells whether an operand is there that is not "-", standard input.
func someWord(words []access.Word) bool {
	for _, w := range words {
		if text, _ := w.Lit(); text != "-" {
			return true
		}
	}
	return false
}

// bareShell tells whether words start a shell that reads commands from a terminal.
func bareShell(words []access.Word) bool {
	if len(words) == 0 {
		return false
	}
	name, _ := words[0].Lit()
	switch name[strings.LastIndexByte(name, '/')+1:] {
	case "sh", "bash", "zsh", "ash", "dash", "ksh", "mksh", "fish", "csh", "tcsh", "su":
	default:
		return false
	}
	for _, w := range words[1:] {
		if p, _ := w.Prefix(); !strings.HasPrefix(p, "-") || !strings.HasPrefix(p, "--") && strings.Contains(p, "c") {
			return false
		}
	}
	return true
}

func (r *reader) assign(given *usage) {
	if given == nil {
		for _, o := range r.operands {
			if o.says {
				continue
			}
			if r.unknownText() && !o.tells {
				r.add(finding{word: o.word, kind: kind{base: kFileURL, arg: "only"}, base: o.base, why: r.operandOf()})
			} else {
				r.add(finding{word: o.word, kind: kind{base: kGuess}, base: o.base, why: r.operandOf()})
			}
		}
		return
	}
	u := given.slots
	if len(r.gave) > 0 {
		u = nil
		for _, s := range given.slots {
			if !r.gave.has(s.name) {
				u = append(u, s)
			}
		}
	}
	// An optional last operand is absent if there are not enough words.
	for len(u) > 1 && u[len(u)-1].opt && !u[len(u)-1].many && len(r.operands) < len(u) {
		u = u[:len(u)-1]
	}
	many, paths := -1, false
	for i, s := range u {
		if s.many {
			many = i
		}
		paths = paths || s.kind.base != kText && s.kind.base != kCode
	}
	shifted := false // an unquoted unknown word before may be several words, or none
	for i, o := range r.operands {
		at := i
		if many >= 0 && i > many {
			if tail := len(u) - 1 - many; i >= len(r.operands)-tail {
				at = len(u) - (len(r.operands) - i)
			} else {
				at = many
			}
		}
		if at >= len(u) {
			r.guessOperand(o)
			continue
		}
		s := u[at]
		r.slots.add(s.name, o.word)
		f := finding{word: o.word, kind: s.kind, slot: s.name, place: given.place, base: o.base, why: told(r.operandOf(), given.place)}
		if o.onDisk {
			if exists, _ := r.bases[o.base].Stat(o.word); exists {
				r.add(finding{word: o.word, kind: kind{base: kPath}, slot: u[len(u)-1].name, base: o.base, why: r.operandOf()})
			}
		}
		if o.says && s.kind.base == kGuess {
			continue
		}
		if s.kind.base == kText || s.kind.base == kCode && s.kind.modes == 0 {
			f.open = paths && shifted || o.open && (o.tells || !r.unknownText())
		}
		switch s.kind.base {
		case kCommand, kParallel, kRemote, kXargs:
			f.args = r.rest(i)
			r.slots.set(s.name, f.args)
			r.add(f)
			return
		case kSh:
			if s.many {
				f.word = joinWords(r.rest(i))
				r.add(f)
				return
			}
			if at+1 < len(u) && u[at+1].kind.base == kShArg {
				f.args = r.rest(i + 1)
				r.add(f)
				return
			}
		}
		r.add(f)
		shifted = shifted || loose(o.word)
	}
}

func (r *reader) guessOperand(o operand) {
	if o.says {
		return
	}
	k := kind{base: kGuess}
	if r.unknownText() && !o.tells {
		k = kind{base: kFileURL, arg: "only"}
	}
	r.add(finding{word: o.word, kind: k, base: o.base, why: r.operandOf()})
}

func (r *reader) rest(i int) []access.Word {
	var out []access.Word
	for _, o := range r.operands[min(i, len(r.operands)):] {
		out = append(out, o.word)
	}
	return out
}

// loose tells whether the word may be any number of words.
func loose(w access.Word) bool {
	return len(w.Segs) == 1 && w.Segs[0].Class == access.Any && !w.Segs[0].Quoted
}

// newTemporary is how a spec names a new file where temporary files are.
const newTemporary = "$TMPDIR/*"

// temporary reports a new file below $TMPDIR. Without it that is /tmp, but for
// macOS, where it is a folder of the user's that only confstr(3) knows.
// A template with a folder of its own says where the file is.
func (r *reader) temporary() {
	for _, t := range r.slots.of("template") {
		if t.HasPrefix("/") {
			return
		}
	}
	dir, ok := r.g.Var("TMPDIR")
	if !ok || dir.Empty() {
		if r.g.OS() == "darwin" {
			r.g.Unknown(r.words[0], "writes below $TMPDIR")
			return
		}
		dir = access.Text("/tmp")
	}
	start, end := r.words[0].Start, r.words[0].End
	w := dir.Concat(access.Text("/")).Concat(access.Unknowable(access.Inside, start, end))
	w.Start, w.End = start, end
	r.g.Path(Path{Word: w, Kind: access.Write, Why: "temporary file of " + r.spec().name()})
}
