package twin

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// A twin is a line of the table, with what is explained about it.
type twin struct {
	line  string
	place string // file:line
	shell string
	notes []*note
	tools []string
}

// A note explains one difference between the kernel and the analyzer.
type note struct {
	// sign: "+" the kernel saw it and the analyzer need not name it, "l" the same, but
	// the kernel only saw it looked at (stat, access), "-" the analyzer names it and the kernel didn't see it, "w" the kernel didn't see it written,
	// "~" the line has an unknown access.
	sign, path, reason string
	used               bool
}

// explains tells whether a note of that sign is about the path.
func (tw *twin) explains(sign, path string) bool {
	found := false
	for _, n := range tw.notes {
		if n.sign == sign && (n.path == path || doublestar.MatchUnvalidated(n.path, path)) {
			n.used, found = true, true
		}
	}
	return found
}

// readTable reads testdata/lines/*.txt: a case a line; it goes on in lines that
// begin with a tab, and two blanks begin a note:
//
//   - PATH: reason    l PATH: reason    - PATH: reason    w PATH: reason    ~ reason    ? tool tool
//
// "zsh% " before a line runs it in zsh. "#" begins a comment.
func readTable(t *testing.T) []*twin {
	t.Helper()
	files, err := filepath.Glob("testdata/lines/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no tables in testdata/lines", err)
	}
	sort.Strings(files)
	var out []*twin
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var last *twin
		for i, l := range strings.Split(string(b), "\n") {
			place := fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
			switch {
			case l == "" || l[0] == '#':
			case l[0] == '\t' && last != nil:
				last.line += "\n" + l[1:]
			case strings.HasPrefix(l, "  ") && last != nil:
				if err := last.annotate(l[2:]); err != nil {
					t.Fatalf("%s: %v", place, err)
				}
			default:
				last = &twin{line: l, place: place, shell: "bash"}
				if rest, zsh := strings.CutPrefix(l, "zsh% "); zsh {
					last.line, last.shell = rest, "zsh"
				}
				out = append(out, last)
			}
		}
	}
	return out
}

func (tw *twin) annotate(s string) error {
	sign, text, _ := strings.Cut(s, " ")
	switch sign {
	case "?":
		tw.tools = append(tw.tools, strings.Fields(text)...)
		return nil
	case "~":
		if text == "" {
			return fmt.Errorf("a note without a reason")
		}
		tw.notes = append(tw.notes, &note{sign: sign, reason: text})
		return nil
	case "+", "l", "-", "w":
		path, reason, found := strings.Cut(text, ": ")
		if !found || reason == "" || !strings.HasPrefix(path, "/") {
			return fmt.Errorf("a note is written %q, not %q", sign+" /PATH: reason", s)
		}
		tw.notes = append(tw.notes, &note{sign: sign, path: path, reason: reason})
		return nil
	}
	return fmt.Errorf("notes begin with + l - w ~ or ?, not %q", sign)
}

// A noise is what programs touch of their own accord, whatever the line says.
type noise struct {
	write        bool
	path, reason string
	used         bool
}

// readNoise reads testdata/noise.txt: read or write, a pattern, the reason.
func readNoise(t *testing.T) []*noise {
	t.Helper()
	b, err := os.ReadFile("testdata/noise.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []*noise
	for i, l := range strings.Split(string(b), "\n") {
		if l == "" || l[0] == '#' {
			continue
		}
		f := strings.Fields(l)
		if len(f) < 3 || f[0] != "read" && f[0] != "write" || !doublestar.ValidatePattern(f[1]) {
			t.Fatalf("noise.txt:%d: not read or write, a pattern and a reason: %s", i+1, l)
		}
		out = append(out, &noise{write: f[0] == "write", path: f[1], reason: strings.Join(f[2:], " ")})
	}
	return out
}
