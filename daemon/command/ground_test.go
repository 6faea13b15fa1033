package command

import (
	"path"
	"sort"
	"strings"
	"testing"

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
}

type testGround struct {
	*book
	dir   string // "" is the folder of the example
	env   map[string]access.Word
	stdin *access.Word
	pipe  bool // standard input is what another command prints
	depth int
}

func (g testGround) join(w access.Word) (name string, known bool) {
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

func (g testGround) Path(p Path) {
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

func (g testGround) In(dir access.Word) Ground {
	g.dir, _ = g.join(dir)
	return g
}

func (g testGround) With(name string, value access.Word) Ground {
	env := map[string]access.Word{name: value}
	for n, v := range g.env {
		if n != name {
			env[n] = v
		}
	}
	g.env = env
	return g
}

func (g testGround) Run(argv []access.Word) {
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

func (g testGround) Shell(_ string, text access.Word, args []access.Word) {
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

func (g testGround) Unknown(access.Word, string) { g.got["?"] = true }
func (g testGround) Self(l access.SelfLevel, _ access.Word, _ string) {
	g.got[map[access.SelfLevel]string{access.SelfAsk: "self:ask", access.SelfDeny: "self:deny"}[l]] = true
}

func (g testGround) Stdin() (access.Word, bool) {
	if g.stdin == nil {
		return access.Word{}, false
	}
	return *g.stdin, true
}

func (g testGround) Piped() bool { return g.pipe }
func (g testGround) Typed() bool { return g.stdin == nil && !g.pipe }

func (g testGround) Stat(w access.Word) (exists, dir bool) {
	name, known := g.join(w)
	return known && g.disk[name], false
}

func (g testGround) Var(name string) (access.Word, bool) {
	if name == "HOME" {
		return access.Text("~"), true
	}
	v, ok := g.env[name]
	return v, ok
}
func (g testGround) OS() string { return g.os }

// shell runs every simple command of the text. $X is an unknown word, $1 an
// argument; heredocs and echo TEXT | are known input.
func (g testGround) shell(text string, args []access.Word) error {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return err
	}
	piped := map[*syntax.Stmt]*access.Word{}
	unknown := map[*syntax.Stmt]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if b, ok := n.(*syntax.BinaryCmd); ok && b.Op == syntax.Pipe {
			if c, ok := b.X.Cmd.(*syntax.CallExpr); ok && len(c.Args) == 2 && c.Args[0].Lit() == "echo" {
				w := word(c.Args[1], args)
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
				w := word(r.Hdoc, args)
				in.stdin = &w
			}
		}
		var argv []access.Word
		for _, a := range call.Args {
			argv = append(argv, word(a, args))
		}
		in.Run(argv)
		return true
	})
	return nil
}

func word(w *syntax.Word, args []access.Word) access.Word {
	return parts(w.Parts, args, false)
}

func parts(list []syntax.WordPart, args []access.Word, quoted bool) access.Word {
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
			inner := parts(p.Parts, args, true)
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

// explain runs an example and lists what leaves its folder.
func explain(tb testing.TB, t *Table, os, line string, disk ...string) []string {
	tb.Helper()
	b := &book{table: t, os: os, got: map[string]bool{}, disk: map[string]bool{}}
	for _, d := range disk {
		b.disk[d] = true
	}
	if err := (testGround{book: b}).shell(line, nil); err != nil {
		tb.Fatalf("%s: %v", line, err)
	}
	var out []string
	for k := range b.got {
		if rest, ok := strings.CutPrefix(k, "e:"); ok {
			k = "x:" + rest
		}
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// formed is a ground that writes the forms down.
type formed struct {
	testGround
	forms *[]string
}

func (g formed) Form(argv []access.Word) {
	var words []string
	for _, w := range argv {
		words = append(words, w.String())
	}
	*g.forms = append(*g.forms, strings.Join(words, " "))
}

// TestForms: the subcommand is named without the options in front of it.
func TestForms(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"git push":                       "",
		"git push -f":                    "",
		"git -C a -c b=c push -f":        "git push -f",
		"/usr/bin/git --no-pager push x": "git push x",
		"kubectl -n a delete pod b":      "kubectl delete pod b",
		"docker --context x run -it y":   "docker run -it y",
		"git -C . remote -v add a b":     "git remote -v add a b; git remote add a b",
		"cat -n push":                    "",
		"npm --prefix web run build":     "npm run build",
		"git -C . nobody-knows-this -x":  "git nobody-knows-this -x",
		"terraform -chdir=infra destroy": "terraform destroy",
	} {
		var words []access.Word
		for _, w := range strings.Fields(line) {
			words = append(words, access.Text(w))
		}
		var forms []string
		g := formed{testGround{book: &book{table: table, os: "linux", got: map[string]bool{}, disk: map[string]bool{}}}, &forms}
		table.Run(words, g)
		if got := strings.Join(forms, "; "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
