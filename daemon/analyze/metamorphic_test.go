package analyze

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"

	"extdir/daemon/access"
	"extdir/integration/corpus"
)

// wrappings are ways to write the same line that run it no less: what was found
// in the line must be found in each of them.
var wrappings = []struct {
	name string
	wrap func(string) string
}{
	{"( )", func(s string) string { return "(\n" + s + "\n)" }},
	{"{ }", func(s string) string { return "{\n" + s + "\n}" }},
	{"if", func(s string) string { return "if true; then\n" + s + "\nfi" }},
	{"eval", func(s string) string { return "eval " + inQuotes(s) }},
	{"function", func(s string) string { return "wrapped__() {\n" + s + "\n}; wrapped__" }},
	{"cd .", func(s string) string { return "cd . && {\n" + s + "\n}" }},
	{"time", func(s string) string { return "time {\n" + s + "\n}" }},
	{"!", func(s string) string { return "! {\n" + s + "\n}" }},
	{"while", func(s string) string { return "while true; do\n" + s + "\nbreak; done" }},
	{"true &&", func(s string) string { return "true && {\n" + s + "\n}" }},
	{"bash -c", func(s string) string { return "bash -c " + inQuotes(s) }},
}

func inQuotes(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// reach is the external names of a line, and whether something is unknown.
func reach(a *Analyzer, line string) (map[string]bool, access.Line) {
	r := request(line)
	r.Cwd, r.Roots = "/projects/app", []string{"/projects/app"}
	r.Vars["PWD"] = Var{Set: true, Exported: true, Value: "/projects/app"}
	l := a.Analyze(r)
	names := map[string]bool{}
	for _, x := range l.Accesses {
		if x.External && x.Kind != access.Self {
			names[x.Kind.String()+" "+x.Name(func(p string) bool { return !under(p, "/projects/app") })] = true
		}
	}
	return names, l
}

func corpusLines(t testing.TB) []string {
	files, _ := filepath.Glob("../../integration/testdata/corpus/*-dev.jsonl")
	if len(files) == 0 {
		t.Fatal("no corpora")
	}
	sort.Strings(files)
	var out []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
			var c struct{ Cmd, Shell string }
			if err := json.Unmarshal([]byte(l), &c); err != nil {
				t.Fatal(err)
			}
			if c.Shell == "zsh" || strings.HasSuffix(f, "tldr-dev.jsonl") && i%20 != 0 {
				continue
			}
			out = append(out, c.Cmd)
		}
	}
	return out
}

// spellings write a plain word in other ways.
var spellings = []func(string) string{
	func(w string) string { return "'" + w + "'" },
	func(w string) string { return `"` + w + `"` },
	func(w string) string { return "$'" + w + "'" },
	func(w string) string { return `\` + w[:1] + w[1:] },
	func(w string) string { return w[:len(w)/2] + `\` + w[len(w)/2:] },
	func(w string) string { return w[:len(w)/2] + "''" + w[len(w)/2:] },
	func(w string) string { return w[:len(w)/2] + `"` + w[len(w)/2:] + `"` },
	func(w string) string { return "'" + w[:len(w)/2] + "'" + w[len(w)/2:] },
	func(w string) string { return fmt.Sprintf(`$'\x%02x'%s`, w[0], w[1:]) },
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// respell writes each plain word of the line in the way that pick says; a negative
// number leaves it. Keywords are no words in the tree. Assignments and what stands
// in backquotes, where a backslash is another thing, stay as they are.
func respell(line string, file *syntax.File, pick func() int) string {
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	word := func(w *syntax.Word) {
		lit := w.Lit()
		from, to := int(w.Pos().Offset()), int(w.End().Offset())
		if !plainWord.MatchString(lit) || to > len(line) || line[from:to] != lit {
			return
		}
		if n := pick(); n >= 0 {
			edits = append(edits, edit{from, to, spellings[n](lit)})
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return !n.Backquotes
		case *syntax.CallExpr:
			for _, w := range n.Args {
				word(w)
			}
		case *syntax.WordIter:
			for _, w := range n.Items {
				word(w)
			}
		case *syntax.Redirect:
			switch n.Op {
			case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.WordHdoc:
				word(n.Word)
			}
		}
		return true
	})
	sort.Slice(edits, func(i, j int) bool { return edits[i].from > edits[j].from })
	for _, e := range edits {
		line = line[:e.from] + e.text + line[e.to:]
	}
	return line
}

// metamorphicLines are those of the corpora and of the twins.
func metamorphicLines(t testing.TB) []string {
	lines := corpusLines(t)
	for _, name := range []string{"testdata/twin.txt", "testdata/twin-flow.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range twinLines(name, string(text)) {
			lines = append(lines, l.text)
		}
	}
	return lines
}

// A wrapped line, and one whose words are quoted another way, reaches what the
// line reaches, and is unknown where it is.
func TestMetamorphic(t *testing.T) {
	tree := t.TempDir()
	if err := corpus.Fixture(tree); err != nil {
		t.Fatal(err)
	}
	a := analyzer(t, tree)
	lines := metamorphicLines(t)
	parser := syntax.NewParser()
	tried, compared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom(lines).Draw(t, "line")
		file, err := parser.Parse(strings.NewReader(line), "")
		if err != nil {
			t.Skip("doesn't parse: there is nothing to wrap")
		}
		tried++
		name, changed := "other quotes", ""
		if i := rapid.IntRange(-len(wrappings), len(wrappings)-1).Draw(t, "wrapping"); i < 0 {
			changed = respell(line, file, func() int { return rapid.IntRange(-1, len(spellings)-1).Draw(t, "spelling") })
		} else {
			w := wrappings[i]
			if w.name == "cd ." && strings.Contains(line, "cd -") || strings.Contains(line, "~-") || strings.Contains(line, "OLDPWD") {
				t.Skip("cd . changes what cd - means")
			}
			if w.name == "bash -c" && (strings.Contains(line, "popd") || strings.Contains(line, "pushd")) {
				t.Skip("a new shell's directory stack is known")
			}
			if w.name == "function" && (strings.Contains(line, "declare") || strings.Contains(line, "typeset")) {
				t.Skip("declare makes locals in a function")
			}
			name, changed = w.name, w.wrap(line)
		}
		before, l := reach(a, line)
		after, m := reach(a, changed)
		if l.Dynamic && !m.Dynamic {
			t.Fatalf("%s: unknown before, not after\n%s\n%s", name, line, changed)
		}
		if m.Error != "" && l.Error == "" {
			t.Fatalf("%s: %s\n%s\n%s", name, m.Error, line, changed)
		}
		if name == "other quotes" && m.Dynamic && !l.Dynamic && !strings.Contains(line, "exec") {
			t.Fatalf("%s: unknown only after\n%s\n%s", name, line, changed)
		}
		compared++
		for n := range before {
			if !after[n] && !(m.Dynamic && !l.Dynamic) {
				t.Fatalf("%s loses %s\n%s\n%s", name, n, line, changed)
			}
		}
	})
	t.Logf("%d lines of %d, %d changed and compared", tried, len(lines), compared)
}
