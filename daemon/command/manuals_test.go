package command

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"extdir/daemon/access"
)

// readLines are the lines of a file in testdata without comments.
func readLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// takes is how an option takes its value, as the reader would read it: "" if
// nothing is known for sure.
func takes(t *Table, path, option string) string {
	names := strings.Split(path, "/")
	s, ok := t.find(names[0])
	if !ok {
		return ""
	}
	r := newReader(t, s, []access.Word{access.Text(names[0])}, nowhere{t})
	for _, n := range names[1:] {
		sub := r.spec().sub(n)
		if sub == nil {
			return ""
		}
		r.enter(n, sub)
	}
	o := r.lookup(option)
	switch {
	case o == nil || o.arity == arityUnsure:
		return ""
	case len(o.vals) == 0:
		return "none"
	case o.arity == arityFixed:
		return "value"
	}
	return "attached"
}

// Specs and base table agree with the manual pages on how options take their
// values. testdata/manuals.txt says what the pages of one Debian say, and
// testdata/differences.txt which of the differences are known, and why.
func TestManuals(t *testing.T) {
	specs, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, line := range readLines(t, "differences.txt") {
		fact, why, ok := strings.Cut(line, " # ")
		if !ok || why == "" {
			t.Errorf("differences.txt: %s: say why behind a #", line)
		}
		known[fact] = true
	}
	for _, layer := range []struct {
		name  string
		table *Table
	}{{"specs", specs}, {"base", &Table{base: true}}} {
		same, differ, pages := 0, 0, map[string]bool{}
		for _, line := range readLines(t, "manuals.txt") {
			words := strings.Fields(line)
			for _, option := range words[2:] {
				got := takes(layer.table, words[0], option)
				switch got {
				case "":
					continue
				case words[1]:
					same++
				default:
					differ++
					fact := fmt.Sprintf("%s: %s %s %s, manual %s", layer.name, words[0], option, got, words[1])
					if !known[fact] {
						t.Errorf("%s: mend the description, or say in testdata/differences.txt why not", fact)
					}
					delete(known, fact)
				}
				pages[words[0]] = true
			}
		}
		if share := float64(same) / float64(same+differ); share < 0.985 {
			t.Errorf("%s: %.2f %% of %d facts of %d pages agree, want 98.5", layer.name, 100*share, same+differ, len(pages))
		} else {
			t.Logf("%s: %.2f %% of %d facts of %d pages agree", layer.name, 100*share, same+differ, len(pages))
		}
	}
	for fact := range known {
		t.Errorf("differences.txt: %s: no longer so, drop the line", fact)
	}
}
