package command

import (
	"path"
	"slices"
	"sort"
	"strings"

	"extdir/daemon/access"

	"mvdan.cc/sh/v3/syntax"
)

// book is a ground that writes down what leaves the folder, in the form try
// lines use. It knows just enough of the shell to run an example.
type book struct {
	table *Table
	os    string
	got   map[string]bool
	disk  map[string]bool // names that exist
	runs  *counter
	notes *[]Note // how words were read, if anybody asks
}

type exampleGround struct {
	*book
	dir   string // "" is the folder of the example
	env   map[string]access.Word
	stdin *access.Word
	pipe  bool // standard input is what another command prints
	depth int
}

func (g exampleGround) join(w access.Word) (name string, known bool) {
	var b strings.Builder
	known = true
	for _, s := range w.Segs {
		switch {
		case s.Class == access.Known:
			b.WriteString(s.Text)
		default:
			b.WriteString("*")
			known = false
		}
	}
	name = b.String()
	if name == "*" || len(w.Segs) > 0 && w.Segs[0].Class == access.Any {
		return "?", false
	}
	if g.dir == "?" && !strings.HasPrefix(name, "/") {
		return "?", false
	}
	if !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "~") {
		name = path.Join(g.dir, name)
	}
	if strings.HasPrefix(name, "/") {
		name = path.Clean(name)
	}
	return name, known
}

func (g exampleGround) Path(p Path) {
	name, _ := g.join(p.Word)
	if name == "?" {
		g.got["?"] = true
		return
	}
	name = path.Clean(name)
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || name == ".." || strings.HasPrefix(name, "../") || g.disk[name] {
		g.got[p.Kind.String()[:1]+":"+name] = true
	}
}

func (g exampleGround) In(dir access.Word) Ground {
	g.dir, _ = g.join(dir)
	return g
}

func (g exampleGround) With(name string, value access.Word) Ground {
	env := map[string]access.Word{name: value}
	for n, v := range g.env {
		if n != name {
			env[n] = v
		}
	}
	g.env = env
	return g
}

func (g exampleGround) Run(argv []access.Word) {
	if g.depth++; g.depth > 20 || len(argv) == 0 {
		g.got["?"] = true
		return
	}
	if g.runs != nil {
		g.runs.n++
	}
	if name, known := argv[0].Lit(); known && strings.HasPrefix(name, "/") {
		g.got["e:"+name] = true
	} else if !known {
		g.got["?"] = true
	}
	g.table.Run(argv, g)
}

func (g exampleGround) Shell(_ string, text access.Word, args []access.Word) {
	t, known := text.Lit()
	if !known {
		g.got["?"] = true
		return
	}
	if g.depth++; g.depth > 20 {
		g.got["?"] = true
		return
	}
	if err := g.shell(t, args); err != nil {
		g.got["?"] = true
	}
}

func (g exampleGround) Unknown(access.Word, string) { g.got["?"] = true }
func (g exampleGround) Self(l access.SelfLevel, _ access.Word, _ string) {
	g.got[map[access.SelfLevel]string{access.SelfAsk: "self:ask", access.SelfDeny: "self:deny"}[l]] = true
}

func (g exampleGround) Stdin() (access.Word, bool) {
	if g.stdin == nil {
		return access.Word{}, false
	}
	return *g.stdin, true
}

func (g exampleGround) Piped() bool { return g.pipe }
func (g exampleGround) Typed() bool { return g.stdin == nil && !g.pipe }

func (g exampleGround) Stat(w access.Word) (exists, dir bool) {
	name, known := g.join(w)
	return known && g.disk[name], false
}

func (g exampleGround) Var(name string) (access.Word, bool) {
	if name == "HOME" {
		return access.Text("~"), true
	}
	v, ok := g.env[name]
	return v, ok
}
func (g exampleGround) OS() string { return g.os }

// shell runs every simple command of the text. $X is an unknown word, $1 an
// argument; heredocs and echo TEXT | are known input.
func (g exampleGround) shell(text string, args []access.Word) error {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return err
	}
	piped := map[*syntax.Stmt]*access.Word{}
	unknown := map[*syntax.Stmt]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if b, ok := n.(*syntax.BinaryCmd); ok && b.Op == syntax.Pipe {
			if c, ok := b.X.Cmd.(*syntax.CallExpr); ok && len(c.Args) == 2 && c.Args[0].Lit() == "echo" {
				w := exampleWord(c.Args[1], args)
				piped[b.Y] = &w
			} else {
				unknown[b.Y] = true
			}
		}
		st, ok := n.(*syntax.Stmt)
		if !ok {
			return true
		}
		call, ok := st.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		in := g
		in.stdin, in.pipe = piped[st], unknown[st]
		for _, r := range st.Redirs {
			if r.Hdoc != nil {
				w := exampleWord(r.Hdoc, args)
				in.stdin = &w
			}
		}
		var argv []access.Word
		for _, a := range call.Args {
			argv = append(argv, exampleWord(a, args))
		}
		in.Run(argv)
		return true
	})
	return nil
}

func exampleWord(w *syntax.Word, args []access.Word) access.Word {
	return exampleParts(w.Parts, args, false)
}

func exampleParts(list []syntax.WordPart, args []access.Word, quoted bool) access.Word {
	var out access.Word
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.Lit:
			text := p.Value
			if !quoted {
				var b strings.Builder
				for i := 0; i < len(text); i++ {
					if text[i] == '\\' && i+1 < len(text) {
						i++
					}
					b.WriteByte(text[i])
				}
				text = b.String()
			}
			out.Segs = append(out.Segs, access.Segment{Text: text, Quoted: quoted})
		case *syntax.SglQuoted:
			out.Segs = append(out.Segs, access.Segment{Text: p.Value, Quoted: true})
		case *syntax.DblQuoted:
			inner := exampleParts(p.Parts, args, true)
			if len(inner.Segs) == 0 {
				inner.Segs = []access.Segment{{Quoted: true}}
			}
			out.Segs = append(out.Segs, inner.Segs...)
		case *syntax.ParamExp:
			if n := p.Param.Value; len(n) == 1 && n[0] >= '0' && n[0] <= '9' && int(n[0]-'0') < len(args) {
				out.Segs = append(out.Segs, args[n[0]-'0'].Segs...)
				continue
			}
			out.Segs = append(out.Segs, access.Segment{Class: access.Any, Quoted: quoted})
		default:
			out.Segs = append(out.Segs, access.Segment{Class: access.Any, Quoted: quoted})
		}
	}
	return out
}

// counter counts the commands that ran.
type counter struct{ n int }

func (g exampleGround) Note(n Note) {
	if g.notes != nil {
		*g.notes = append(*g.notes, n)
	}
}

// example runs a line and lists what leaves its folder.
func (t *Table) example(os, line string, disk ...string) ([]string, error) {
	b := &book{table: t, os: os, got: map[string]bool{}, disk: map[string]bool{}}
	for _, d := range disk {
		b.disk[d] = true
	}
	if err := (exampleGround{book: b}).shell(line, nil); err != nil {
		return nil, err
	}
	return b.list(), nil
}

func (b *book) list() []string {
	out := []string{}
	for k := range b.got {
		if rest, ok := strings.CutPrefix(k, "e:"); ok {
			k = "x:" + rest
		}
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// Reading is how a command line is read: every word in the order of the line,
// and what the command touches outside its folder in the form of a try line.
type Reading struct {
	Words   []Note   `json:"words"`
	Touches []string `json:"touches"`
}

// Explain reads the words of a command without looking at the disk.
func (t *Table) Explain(argv []string, os string) Reading {
	var notes []Note
	b := &book{table: t, os: os, got: map[string]bool{}, notes: &notes}
	var words []access.Word
	for i, a := range argv {
		w := access.Text(a)
		w.Start, w.End = i, i+1
		words = append(words, w)
	}
	exampleGround{book: b}.Run(words)
	slices.SortStableFunc(notes, func(a, b Note) int { return a.Start - b.Start })
	said := map[int]bool{}
	for _, n := range notes {
		said[n.Start] = true
	}
	for i, a := range argv {
		if !said[i] {
			role := "guess"
			if i == 0 {
				role = "command that no spec describes"
			}
			notes = append(notes, Note{Word: a, Role: role, Start: i})
		}
	}
	slices.SortStableFunc(notes, func(a, b Note) int { return a.Start - b.Start })
	return Reading{notes, b.list()}
}

// Tries runs the examples of this layer's files and returns one error for each
// that isn't read as it says. Examples are read as on Linux.
func (t *Table) Tries() (n int, wrong []error) {
	if t.bare != nil {
		whole, err := t.below.Over(t.bare)
		if err != nil {
			return 0, []error{err}
		}
		t = whole
	}
	for _, try := range t.tries {
		want := slices.Clone(try.want)
		sort.Strings(want)
		want = slices.Compact(want)
		got, err := t.example("linux", try.line)
		switch {
		case err != nil:
			wrong = append(wrong, try.at.wrong("the example is no command line (%v), mend it", err))
		case !slices.Equal(got, want):
			wrong = append(wrong, try.at.wrong("the example %s gives %s, not %s; mend the description or the example", try.line, listed(got), listed(want)))
		}
	}
	sort.SliceStable(wrong, func(i, j int) bool { return before(wrong[i], wrong[j]) })
	return len(t.tries), wrong
}

func before(a, b error) bool {
	x, y := a.(*SpecError), b.(*SpecError)
	if x.File != y.File {
		return x.File < y.File
	}
	return x.Line < y.Line
}

func listed(want []string) string {
	if len(want) == 0 {
		return "nothing"
	}
	return strings.Join(want, " ")
}
