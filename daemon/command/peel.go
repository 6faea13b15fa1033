package command

import (
	"math"
	"strconv"
	"strings"

	"extdir/daemon/access"
)

// maxRuns bounds how often one word list is run again for xargs, parallel and
// find: their inputs repeat, their paths rarely differ in more than this.
const maxRuns = 64

// multipliers are commands that run another one many times. Inside each other
// they would multiply, and a short line cost hours.
var multipliers = []string{"xargs", "parallel", "rush", "find", "bfs", "fd"}

// runs is how often a template may be run: once if it, or what is put into it,
// may run many commands itself.
func runs(lists ...[]access.Word) int {
	for _, list := range lists {
		for _, w := range list {
			for _, m := range multipliers {
				if holds(w, m) {
					return 1
				}
			}
		}
	}
	return maxRuns
}

// command runs the rest of a wrapper's words.
func (r *reader) command(argv []access.Word, g Ground) {
	if len(argv) == 0 {
		return
	}
	text, _ := argv[0].Lit()
	switch {
	case text == "-c" && len(argv) > 1: // flock FILE -c TEXT, su USER -c TEXT
		g.Shell("sh", argv[1], argv[2:])
	case strings.HasSuffix(text, ".py") && r.t.runsScripts(r.spec()):
		g.Run(append([]access.Word{access.Text("python")}, argv...))
	default:
		g.Run(argv)
	}
}

// runsScripts: uv run and its kin run a Python file as such.
func (t *Table) runsScripts(s *spec) bool { return strings.HasSuffix(s.name(), " run") }

// module is python -m NAME ARG…: the module's own knowledge, or the fallback.
func (r *reader) module(f finding, g Ground) {
	if name, known := f.word.Lit(); known {
		v := valuer{g: g, why: f.why}
		host{v: v, program: f.word, language: "python"}.Import(name)
		host{v: v, program: f.word, language: "python"}.Import(name + ".__main__")
		// A module may have the name of another command: python:code.
		if s, ok := r.t.find("python:" + name); ok {
			r.t.read(s, append([]access.Word{f.word}, f.args...), g)
			return
		}
	}
	g.Run(append([]access.Word{f.word}, f.args...))
}

// each runs the command of find -exec or fd -x, {} being what was found.
func (r *reader) each(argv []access.Word, g Ground) {
	if len(argv) == 0 {
		return
	}
	var starts []access.Word
	for _, name := range []string{"path", "dir"} {
		starts = append(starts, r.slots.of(name)...)
	}
	if len(starts) == 0 {
		starts = []access.Word{access.Text(".")}
	}
	if limit := runs(argv); len(starts) > limit {
		g.Unknown(argv[0], "too many start folders")
		starts = starts[:limit]
	}
	marked := false
	for _, w := range argv {
		marked = marked || holds(w, "{}")
	}
	if !marked && r.spec().parse&parseFind == 0 { // fd appends what it found
		argv = append(append([]access.Word(nil), argv...), access.Text("{}"))
	}
	for _, start := range starts {
		g.Run(fill(argv, func(alone bool) access.Word {
			if alone {
				return start
			}
			return below(start)
		}))
		if !marked && r.spec().parse&parseFind != 0 {
			return
		}
	}
}

// below is some name under the directory.
func below(dir access.Word) access.Word {
	return dir.Concat(access.Text("/")).Concat(access.Unknowable(access.Name, dir.Start, dir.End))
}

// fill replaces {} in the words of a command template, also {/}, {//}, {.}, {/.}
// of fd and parallel, whose values lie in the same folder or name its parts.
func fill(argv []access.Word, value func(alone bool) access.Word) []access.Word {
	out := make([]access.Word, 0, len(argv))
	for _, w := range argv {
		if text, ok := w.Lit(); ok && placeholder(text) {
			v := value(true)
			v.Start, v.End = w.Start, w.End
			out = append(out, v)
			continue
		}
		for _, mark := range marks {
			w = replace(w, mark, func() access.Word { return value(false) })
		}
		out = append(out, w)
	}
	return out
}

// marks stand for what was found: the whole name, its last part, its folder,
// and both without the extension (fd(1), parallel(1)).
var marks = []string{"{}", "{/}", "{//}", "{.}", "{/.}"}

func placeholder(s string) bool { return contains(marks, s) }

// holds tells whether the known text of the word holds s.
func holds(w access.Word, s string) bool {
	if len(w.Segs) == 1 {
		return w.Segs[0].Class == access.Known && strings.Contains(w.Segs[0].Text, s)
	}
	var b strings.Builder
	for _, seg := range w.Segs {
		if seg.Class == access.Known {
			b.WriteString(seg.Text)
		} else {
			b.WriteByte(0)
		}
	}
	return strings.Contains(b.String(), s)
}

// replace puts value in the place of every mark in the word's known text.
func replace(w access.Word, mark string, value func() access.Word) access.Word {
	if mark == "" || !holds(w, mark) {
		return w
	}
	out := access.Word{Start: w.Start, End: w.End}
	for _, seg := range joined(w.Segs) {
		if seg.Class != access.Known {
			out.Segs = append(out.Segs, seg)
			continue
		}
		for rest := seg.Text; ; {
			before, after, found := strings.Cut(rest, mark)
			if before != "" {
				s := seg
				s.Text = before
				out.Segs = append(out.Segs, s)
			}
			if !found {
				break
			}
			out.Segs = append(out.Segs, value().Segs...)
			rest = after
		}
	}
	return out
}

// joined puts neighbouring known parts together, so that a mark written in two
// pieces ({"}") is seen.
func joined(segs []access.Segment) []access.Segment {
	out := make([]access.Segment, 0, len(segs))
	for _, s := range segs {
		if n := len(out); n > 0 && s.Class == access.Known && out[n-1].Class == access.Known {
			last := &out[n-1]
			last.Text, last.End, last.Quoted = last.Text+s.Text, s.End, last.Quoted && s.Quoted
			continue
		}
		out = append(out, s)
	}
	return out
}

// xargs runs its command with the words of standard input, which are unknown
// unless the ground knows them.
func (r *reader) xargs(argv []access.Word, g Ground) {
	if len(argv) == 0 {
		argv = []access.Word{access.Text("echo")}
	}
	stdin, known := g.Stdin()
	if r.used.has("-a") || r.used.has("--arg-file") {
		known = false
		if list := append(r.slots.of("-a"), r.slots.of("--arg-file")...); len(list) > 0 {
			stdin, known = heldList(g, list[len(list)-1])
		}
	} else if d, ok := g.(Detacher); ok && !r.used.has("-o") && !r.used.has("--open-tty") {
		g = d.Detached()
	}
	mark := ""
	for _, name := range []string{"-I", "--replace", "-i", "-J"} {
		if r.used.has(name) {
			mark = "{}"
			if v := r.slots.of(name); len(v) > 0 {
				if text, ok := v[0].Lit(); ok {
					mark = text
				}
			}
		}
	}
	if !known {
		unknown := access.Unknowable(access.Any, r.words[0].Start, r.words[0].End)
		unknown.Segs[0].From = "what " + r.words[0].String() + " reads"
		unknown.Segs[0].Quoted = true // one argument, whatever it holds
		if mark == "" {
			g.Run(append(append([]access.Word(nil), argv...), unknown))
			return
		}
		g.Run(replaceAll(argv, mark, unknown))
		return
	}
	var items []access.Word
	switch {
	case r.used.has("-0") || r.used.has("--null"):
		items = splitAt(stdin, 0)
	case r.used.has("-d") || r.used.has("--delimiter"):
		sep := byte('\n')
		for _, name := range []string{"-d", "--delimiter"} {
			if v := r.slots.of(name); len(v) > 0 {
				if text, ok := v[0].Lit(); ok && text != "" && text[0] != '\\' {
					sep = text[0]
				} else if text == `\0` {
					sep = 0
				}
			}
		}
		items = splitAt(stdin, sep)
	default:
		items = splitWords(stdin, mark != "")
	}
	kept := items[:0:0]
	for _, w := range items {
		if !w.Empty() {
			kept = append(kept, trimNewline(w))
		}
	}
	limit := runs(argv, kept)
	if mark == "" {
		// Few words a run: a shell among them reads its text from one of them.
		for size := r.perRun(); len(kept) > size; limit-- {
			if limit == 0 {
				if w, ok := access.OneOf(kept); ok && size == 1 {
					kept = []access.Word{w}
					break
				}
				g.Unknown(r.words[0], "too many input lines")
				return
			}
			g.Run(append(append([]access.Word(nil), argv...), kept[:size]...))
			kept = kept[size:]
		}
		g.Run(append(append([]access.Word(nil), argv...), kept...))
		return
	}
	for i, w := range kept {
		if i == limit {
			w, ok := access.OneOf(kept[i:])
			if !ok {
				g.Unknown(r.words[0], "too many input lines")
				return
			}
			g.Run(replaceAll(argv, mark, w))
			return
		}
		g.Run(replaceAll(argv, mark, w))
	}
}

// perRun is how many words xargs gives to one run of its command. With a number of
// lines (-L) it is one: that they are together makes no more of them.
func (r *reader) perRun() int {
	for _, name := range []string{"-n", "--max-args", "-L", "-l", "--max-lines"} {
		if !r.used.has(name) {
			continue
		}
		if v := r.slots.of(name); len(v) > 0 && (name == "-n" || name == "--max-args") {
			text, _ := v[0].Lit()
			if n, err := strconv.Atoi(text); err == nil && n > 0 {
				return n
			}
		}
		return 1
	}
	return math.MaxInt
}

func trimNewline(w access.Word) access.Word {
	if n := len(w.Segs); n > 0 && w.Segs[n-1].Class == access.Known && strings.HasSuffix(w.Segs[n-1].Text, "\n") {
		w.Segs = append([]access.Segment(nil), w.Segs...)
		w.Segs[n-1].Text = strings.TrimRight(w.Segs[n-1].Text, "\n")
	}
	return w
}

func replaceAll(argv []access.Word, mark string, v access.Word) []access.Word {
	out := make([]access.Word, len(argv))
	for i, w := range argv {
		out[i] = replace(w, mark, func() access.Word { return v })
	}
	return out
}

// parallel is GNU parallel: COMMAND … ::: ARG … or :::: FILE …; the words are
// joined by blanks and run by a shell, once for every argument.
func (r *reader) parallel(words []access.Word, g Ground) {
	var argv, items []access.Word
	lists := append(r.slots.of("-a"), r.slots.of("--arg-file")...)
	at, files := 0, false
	for _, w := range words {
		switch text, _ := w.Lit(); text {
		case ":::", ":::+":
			at, files = 1, false
			continue
		case "::::", "::::+":
			at, files = 1, true
			r.used.add("-a")
			continue
		}
		switch {
		case at == 0:
			argv = append(argv, w)
		case files:
			g.Path(Path{Word: w, Kind: access.Read, Why: "argument file of parallel"})
			lists = append(lists, w)
		default:
			items = append(items, w)
		}
	}
	unknown := access.Unknowable(access.Any, r.words[0].Start, r.words[0].End)
	unknown.Segs[0].From = "what " + r.words[0].String() + " reads"
	unknown.Segs[0].Quoted = true
	if at == 0 || r.used.has("-a") || r.used.has("--arg-file") {
		text, ok := g.Stdin()
		if r.used.has("-a") || r.used.has("--arg-file") {
			ok = len(lists) > 0
			text = access.Word{}
			for _, list := range lists {
				more, known := heldList(g, list)
				text, ok = text.Concat(more), ok && known
			}
		}
		if ok {
			for _, w := range splitAt(text, '\n') {
				if !w.Empty() {
					items = append(items, w)
				}
			}
		} else {
			items = append(items, unknown)
		}
	}
	limit := runs(argv, items)
	if len(argv) == 0 { // the arguments are the commands
		for i, w := range items {
			if i == limit {
				g.Unknown(r.words[0], "too many arguments")
				return
			}
			g.Shell("sh", w, nil)
		}
		return
	}
	text := joinWords(argv)
	marked := false
	all := append([]string{"{1}", "{2}"}, marks...)
	for _, m := range all {
		marked = marked || holds(text, m)
	}
	if !marked {
		text = text.Concat(access.Text(" {}"))
	}
	for i, w := range items {
		if i == limit {
			g.Unknown(r.words[0], "too many arguments")
			return
		}
		run := text
		for _, m := range all {
			run = replace(run, m, func() access.Word { return w })
		}
		g.Shell("sh", run, nil)
	}
}

// remote is a command on other ground: its words name nothing here, unless the
// host is this machine.
func (r *reader) remote(argv []access.Word, g Ground) {
	if root := r.slots.of("root"); len(root) > 0 { // chroot
		if text, _ := root[0].Lit(); text == "/" {
			g.Run(argv)
		}
		return
	}
	if r.here() {
		g.Shell("sh", joinWords(argv), nil)
		g.Unknown(r.slots.of("host")[0], "runs in another shell of this machine")
	}
}

// here tells whether the operand host is a name of this machine.
func (r *reader) here() bool {
	hosts := r.slots.of("host")
	if len(hosts) == 0 {
		return false
	}
	host, known := hosts[0].Lit()
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	host = strings.TrimPrefix(host, "ssh://")
	return known && (host == "localhost" || host == "::1" || host == "ip6-localhost" || strings.HasPrefix(host, "127."))
}

func joinWords(words []access.Word) access.Word {
	var out access.Word
	for i, w := range words {
		if i > 0 {
			out = out.Concat(access.Text(" "))
		}
		out = out.Concat(w)
	}
	if len(words) > 0 {
		out.Start, out.End = words[0].Start, words[len(words)-1].End
	}
	return out
}

// splitBlanks cuts a word into words as xargs and env -S do: at blanks and
// newlines, with quotes and backslashes taken off.
func splitBlanks(w access.Word) []access.Word { return splitWords(w, false) }

// splitWords is splitBlanks; with lines, blanks end no word but go at the beginning
// of a line, as xargs -I has it.
func splitWords(w access.Word, lines bool) []access.Word {
	var out []access.Word
	cur := access.Word{Start: w.Start, End: w.End}
	open := false
	var quote byte
	for _, seg := range w.Segs {
		if seg.Class != access.Known {
			cur.Segs = append(cur.Segs, seg)
			open = true
			continue
		}
		var b strings.Builder
		flush := func() {
			if b.Len() > 0 {
				cur.Segs = append(cur.Segs, access.Segment{Text: b.String(), Quoted: true, Start: seg.Start, End: seg.End})
				b.Reset()
			}
		}
		for i := 0; i < len(seg.Text); i++ {
			switch c := seg.Text[i]; {
			case quote != 0:
				if c == quote {
					quote = 0
				} else {
					b.WriteByte(c)
				}
			case c == '\'' || c == '"':
				quote, open = c, true
			case c == '\\' && i+1 < len(seg.Text):
				i++
				b.WriteByte(seg.Text[i])
				open = true
			case lines && open && (c == ' ' || c == '\t'):
				b.WriteByte(c)
			case c == ' ' || c == '\t' || c == '\n':
				flush()
				if open {
					out = append(out, cur)
					cur, open = access.Word{Start: w.Start, End: w.End}, false
				}
			default:
				b.WriteByte(c)
				open = true
			}
		}
		flush()
	}
	if open {
		out = append(out, cur)
	}
	return out
}
