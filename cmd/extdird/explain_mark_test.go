package main

import (
	"os"
	"strings"
	"testing"

	"extdir/daemon/explain"
)

// TestMarked: a row of the table is a line, the words that are accesses ("!" in
// front: outside), the width, and what is shown. "␤" stands for a newline.
func TestMarked(t *testing.T) {
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	a := &app{out: out}
	for _, c := range []struct {
		line  string
		words []string
		width int
		want  string
	}{
		{"cat a /etc/x", []string{"a /", "!/etc/x"}, 0, "cat a /etc/x\n    --^^^^^^\n    1 2"},
		{"cat a b", []string{"a", "b"}, 0, "cat a b\n    - -\n    1 2"},
		{"cat /a/b", []string{"!/a/b", "!/a/b", "b"}, 0, "cat /a/b\n    ^^^^\n    1,2,3"},
		{"cat /a/bcdef", []string{"!/a/bcdef", "!def"}, 0, "cat /a/bcdef\n    ^^^^^^^^\n    1    2"},
		{"cat /ü/y z", []string{"!/ü/y", "z"}, 0, "cat /ü/y z\n    ^^^^ -\n    1    2"},
		{"cat /世界/y z", []string{"!/世界/y", "z"}, 0, "cat /世界/y z\n    ^^^^^^^ -\n    1       2"},
		{"cat /e\u0301/y z", []string{"!/e\u0301/y", "z"}, 0, "cat /e\u0301/y z\n    ^^^^ -\n    1    2"},
		{"cat\t/x", []string{"!/x"}, 0, "cat\\t/x\n     ^^\n     1"},
		{"cat /x\u200by", []string{"!/x\u200by"}, 0, "cat /x\\u{200b}y\n    ^^^^^^^^^^^\n    1"},
		{"cat \xff/x", []string{"!/x"}, 0, "cat \\xff/x\n        ^^\n        1"},
		{"cat \\\n/x\nls", []string{"!/x"}, 0, "cat \\\n/x\n^^\n1\nls"},
		{"", nil, 0, ""},
		{"cat /abcdefgh /x", []string{"!/abcdefgh", "!/x"}, 8, "cat /abc\n    ^^^^\n    1\ndefgh /x\n^^^^^ ^^\n      2"},
		{"cat 世世世 x", []string{"x"}, 7, "cat 世\n世世 x\n     -\n     1"},
	} {
		e := explain.Explanation{Line: c.line}
		for _, w := range c.words {
			name := strings.TrimPrefix(w, "!")
			i := strings.LastIndex(c.line, name)
			e.Accesses = append(e.Accesses, explain.Access{Start: i, End: i + len(name), External: name != w})
		}
		var got []string
		for l := range strings.SplitSeq(strings.TrimSuffix(a.marked(e, c.width), "\n"), "\n") {
			got = append(got, strings.TrimPrefix(l, "  "))
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%q in %d columns:\n%s\nwant\n%s", c.line, c.width, s, c.want)
		}
	}
}
