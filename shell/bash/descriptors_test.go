package bash

import (
	"strings"
	"testing"
)

// A shell without free descriptors can't ask: a substitution that can't be made
// expands to nothing and leaves $? as it was, which would be an allow.
func TestNoDescriptors(t *testing.T) {
	for _, line := range []string{
		"ulimit -Sn 3", "ulimit -n 4", "ulimit -Sn 6",
		"ulimit -n 20; for i in {3..19}; do eval \"exec $i</dev/null\"; done",
	} {
		t.Run(line, func(t *testing.T) {
			g := start(t, setup{})
			g.Run(line)
			out := g.Run("echo unjudged")
			if strings.Contains("\n"+out, "\nunjudged\n") {
				t.Errorf("ran without a verdict:\n%s", out)
			}
		})
	}
	t.Run("enough", func(t *testing.T) {
		g := start(t, setup{})
		g.Run("ulimit -Sn 64")
		g.prints("echo judged", "judged")
	})
}
