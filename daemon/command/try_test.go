package command

import "testing"

// TestTry runs the examples that stand in the spec files.
func TestTry(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	n, wrong := table.Tries()
	for _, err := range wrong {
		t.Error(err)
	}
	if n < 1200 {
		t.Errorf("only %d examples", n)
	}
	t.Logf("%d commands, %d examples", len(table.specs), n)
}
