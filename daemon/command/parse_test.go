package command

import (
	"strings"
	"testing"
)

// TestSpecErrors: every mistake is named with its place and what to do.
func TestSpecErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"    usage <file>\n", "x.spec:1:5: the line belongs to no command, begin one at the left margin"},
		{"cat\n    usage <fil>\n", `x.spec:2:11: "fil" is no kind, use file`},
		{"cat\n    usage file\n", `x.spec:2:11: "file" is no value, write <kind> or [kind]`},
		{"cat\n    usage <file/q>\n", `x.spec:2:11: "/q" is no mode, use /r, /w, /x or /rw`},
		{"cat\n    usage [file]... [dir]...\n", "x.spec:2:21: two operands repeat, only one can"},
		{"cat\n    usage [file]\n    usage [dir]\n", "x.spec:3:5: cat has a second usage, write it as when OPTION: usage …"},
		{"cat\n    parse stopp\n", `x.spec:2:11: parse knows no "stopp", use stop`},
		{"cat\n    unknown maybe\n", "x.spec:2:13: write unknown text or unknown path"},
		{"cat\n    usag [file]\n", `x.spec:2:5: "usag" begins no line, use usage`},
		{"cat\n    usage <whatever>\n", `x.spec:2:11: "whatever" is no kind, use at, awsfile`},
		{"cat\n    extend all\n", "x.spec:2:12: extend stands alone on its line"},
		{"cat\n    sub x\n        final\n", "x.spec:3:9: final holds of a whole command, write it below cat itself"},
		{"cat\n    frobnicate\n", `x.spec:2:5: "frobnicate" begins no line, use usage, when`},
		{"cat\n    -f <file>  gives\n", `x.spec:2:16: "gives" says nothing about an option, use gives NAME`},
		{"cat\n    -f, <file>\n    -f <text>\n", "x.spec:3:5: option -f is described twice, merge the two lines"},
		{"cat\n    -f [=text] <file>\n", "x.spec:2:16: an option with an optional value takes one value"},
		{"cat\n    -a  then file is eaten\n", `x.spec:2:22: an operand is written, read, run, tree, followed, itself or replaced, not "eaten"`},
		{"cat\n    when -x: unjudged\n", "x.spec:2:14: write NAME is written, writes PATH, loads PATH <kind>, self ask WHY"},
		{"cat\n    when -x\n", "x.spec:2:12: the condition has no end, write when OPTION: usage …"},
		{"cat\n    when -x:\n", "x.spec:2:13: the condition decides nothing, write usage … after the colon"},
		{"cat\n    on plan9 -x <file>\n", "x.spec:2:8: write on linux OPTION or on darwin OPTION"},
		{"cat\n    try cat x\n", "x.spec:2:5: the example has no =>, write try LINE => r:/path w:/path"},
		{"cat\n    try cat x => q:/x\n", `x.spec:2:5: "q:/x" is no expectation, write r:PATH`},
		{"cat, tac\n\ncat\n", "x.spec:3:1: cat is described twice, first at x.spec:1"},
		{"cat tac\n", `x.spec:1:5: "tac" follows without a comma, separate names by commas`},
		{"cat,\n", "x.spec:1:1: a name is missing after the comma"},
		{"git\n    sub add\n    sub add\n", "x.spec:3:9: subcommand add is described twice, first at x.spec:2"},
		{"cat\n\tusage <file>\n", "x.spec:2:1: a tab indents the line, use blanks"},
		{"x\n    -c <code>\n", "x.spec:2:8: code needs an argument, as in code(sed) or command-until(;)"},
		{"x\n    -c <code(sedd)>\n", `x.spec:2:8: there is no reader for "sedd", use `},
		{"x\n    -c <kv(a)>\n", `x.spec:2:8: "a" has no kind, write kv(KEY=kind, …)`},
		{"variable PATH\n", "x.spec:1:14: write variable NAME, NAME <kind>"},
		{"a\n    like /\n", "x.spec:2:10: like needs the name of one command"},
		{"a\n    like b\n", "x.spec:2:10: a is like b, which no spec describes; name a command that is described"},
		{"a\n    like b\nb\n    like a\n", "x.spec:2:10: a is like itself; name a command that is described"},
		{"nosuchcommand\n    extend\n", "x.spec:1:1: nosuchcommand extends nothing, no layer below describes it; drop the extend line"},
	} {
		_, err := (*Table)(nil).Over([]File{{"x.spec", c.text}})
		switch {
		case err == nil:
			t.Errorf("%q: no error, want %s", c.text, c.want)
		case !strings.HasPrefix(err.Error(), c.want):
			t.Errorf("%q:\n\tgot  %v\n\twant %s", c.text, err, c.want)
		}
	}
}

// TestLayers: an upper layer's description counts alone, unless it extends.
func TestLayers(t *testing.T) {
	low, err := (*Table)(nil).Over([]File{{"low.spec", "x\n    usage [file]...\n    -o <file/w>\ny\n    usage [text]...\n"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ upper, line, want string }{
		{"x\n    usage [text]...\n    -o <text>\n", "x -o /a /b", ""},
		{"x\n    extend\n    -p <file>\n", "x -o /a -p /c /b", "r:/b r:/c w:/a"},
		{"x\n    extend\n    -o <file>\n", "x -o /a /b", "r:/a r:/b"},
		{"z\n    like x\n", "z -o /a /b", "r:/b w:/a"},
		{"a\n    like x\nx\n    extend\n    -p <file>\n", "a -o /a -p /c /b", "r:/b r:/c w:/a"},
		{"z\n", "y /a", ""},
		{"z\n", "never /a", "r:/a w:/a"},
	} {
		up, err := low.Over([]File{{"up.spec", c.upper}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(explain(t, up, "linux", c.line), " "); got != c.want {
			t.Errorf("%q over: %s\n\tgot  %s\n\twant %s", c.upper, c.line, got, c.want)
		}
	}
}
