package analyze

import (
	"encoding/json"
	"os"
	"path/filepath"
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

// A wrapped line reaches what the line reaches, and is unknown where it is.
func TestMetamorphic(t *testing.T) {
	tree := t.TempDir()
	if err := corpus.Fixture(tree); err != nil {
		t.Fatal(err)
	}
	a := analyzer(t, tree)
	lines := corpusLines(t)
	parser := syntax.NewParser()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom(lines).Draw(t, "line")
		if _, err := parser.Parse(strings.NewReader(line), ""); err != nil {
			t.Skip("doesn't parse: there is nothing to wrap")
		}
		w := rapid.SampledFrom(wrappings).Draw(t, "wrapping")
		if w.name == "cd ." && strings.Contains(line, "cd -") || strings.Contains(line, "~-") || strings.Contains(line, "OLDPWD") {
			t.Skip("cd . changes what cd - means")
		}
		before, l := reach(a, line)
		after, m := reach(a, w.wrap(line))
		if m.Dynamic {
			return // asked about in any case
		}
		if l.Dynamic {
			t.Fatalf("%s: unknown before, not after\n%s", w.name, line)
		}
		for n := range before {
			if !after[n] {
				t.Fatalf("%s loses %s\n%s", w.name, n, line)
			}
		}
	})
}
