package command

import (
	"slices"
	"sort"
	"strings"
	"testing"
)

// TestTry runs the examples that stand in the spec files.
func TestTry(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	seen := map[*spec]bool{}
	var walk func(s *spec)
	walk = func(s *spec) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, try := range s.tries {
			n++
			want := slices.Clone(try.want)
			sort.Strings(want)
			want = slices.Compact(want)
			if got := explain(t, table, "linux", try.line); !slices.Equal(got, want) {
				t.Errorf("%s: %s\n\tgot  %s\n\twant %s", try.place, try.line, strings.Join(got, " "), strings.Join(want, " "))
			}
		}
		for _, sub := range s.subs {
			walk(sub)
		}
	}
	for _, s := range table.specs {
		walk(s)
	}
	t.Logf("%d commands, %d examples", len(table.specs), n)
}
