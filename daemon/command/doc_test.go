package command

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestDocument: every example of the reference is a spec, and read as it says.
func TestDocument(t *testing.T) {
	b, err := os.ReadFile("../../docs/specs.md")
	if err != nil {
		t.Fatal(err)
	}
	base, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	blocks, all := 0, 0
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] != "```spec" {
			continue
		}
		start := i + 1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		blocks++
		// Empty lines before it, so that a mistake names the line of the document.
		spec := strings.Repeat("\n", start) + strings.Join(lines[start:i], "\n")
		table, err := base.Over([]File{{"specs.md", spec}})
		if err != nil {
			t.Error(err)
			continue
		}
		n, wrong := table.Tries()
		if all += n; n == 0 {
			t.Errorf("specs.md:%d: the example has no try line", start)
		}
		for _, err := range wrong {
			t.Error(err)
		}
	}
	if blocks < 15 || all < 40 {
		t.Errorf("only %d examples with %d try lines were found", blocks, all)
	}
	// It names every kind and way of reading words.
	for n := range baseNames {
		if !strings.Contains(text, "`"+n) {
			t.Errorf("the document doesn't name the kind %s", n)
		}
	}
	for n := range parseModes {
		if !strings.Contains(text, "`"+n+"`") {
			t.Errorf("the document doesn't name the mode %s", n)
		}
	}
}

// TestExplain: each word is named with the line that says what it is.
func TestExplain(t *testing.T) {
	base, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	table, err := base.Over([]File{{"specs/x.spec", "deploy\n    usage [file]...\n    -o <dir/w>\n    -n\n    sub go\n        usage <text>\n"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		want []string
	}{
		{"deploy -o /a -n /b", []string{
			"deploy|command||specs/x.spec:1", "-o|option -o||specs/x.spec:3", "/a|value of -o|dir/w|specs/x.spec:3",
			"-n|option -n||specs/x.spec:4", "/b|operand of deploy|file|specs/x.spec:2",
		}},
		{"deploy go /a", []string{"deploy|command||specs/x.spec:1", "go|subcommand||specs/x.spec:5", "/a|operand of deploy go|text|specs/x.spec:6"}},
		{"nobody-knows /a", []string{"nobody-knows|command that no spec describes||", "/a|guess||"}},
	} {
		var got []string
		for _, n := range table.Explain(strings.Fields(c.line), "linux").Words {
			got = append(got, fmt.Sprintf("%s|%s|%s|%s", n.Word, n.Role, n.Kind, n.Place))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s\n\tgot  %q\n\twant %q", c.line, got, c.want)
		}
	}
}

// TestExtend: an extension adds to subcommands too, of each name by itself, and
// changes nothing of the layer below.
func TestExtend(t *testing.T) {
	base, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	table, err := base.Over([]File{
		{"specs/x.spec", "git\n    extend\n    sub commit\n        --ticket <file>\ncp, cat\n    extend\n    --index <file/w>\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, up, low string }{
		{"git commit --ticket /t -F /m", "r:/m r:/t", ""},
		{"cp --index /i /a /b", "r:/a w:/b w:/i", ""},
		{"cat --index /i /a /b", "r:/a r:/b w:/i", ""},
		{"git commit -F /m", "r:/m", "r:/m"},
		{"cp /a /b", "r:/a w:/b", "r:/a w:/b"},
	} {
		if got := strings.Join(explain(t, table, "linux", c.line), " "); got != c.up {
			t.Errorf("%s: %q, want %q", c.line, got, c.up)
		}
		if c.low == "" {
			continue
		}
		if got := strings.Join(explain(t, base, "linux", c.line), " "); got != c.low {
			t.Errorf("%s below: %q, want %q", c.line, got, c.low)
		}
	}
}

// FuzzParse: no text makes the reader of specs fail in another way than by a
// mistake with a place, and what it takes can be used.
func FuzzParse(f *testing.F) {
	for _, file := range builtinFiles {
		for _, part := range strings.Split(file.Text, "\n\n") {
			f.Add(part)
		}
	}
	base, err := Builtin()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := base.Over([]File{{"specs/x.spec", text}})
		if err != nil {
			e, ok := err.(*SpecError)
			if !ok {
				t.Fatalf("%v has no place", err)
			}
			if e.Line < 1 || e.Line > strings.Count(text, "\n")+1 || e.Col < 1 || e.What == "" {
				t.Fatalf("%v is no place in the text", err)
			}
			return
		}
		for _, n := range table.Names() {
			table.Explain([]string{n, "-a", "/b", "--c=/d", "e", "@f", "+g", "h=i"}, "linux")
			table.Explain([]string{n}, "darwin")
		}
	})
}
