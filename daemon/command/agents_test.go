package command

import "testing"

// The commands that coding agents use most (testdata/agents.txt) are all
// described by hand, or are builtins that the shell's interpretation carries out
// (daemon/analyze/builtin.go): none is left to the generated table or to guessing.
func TestAgents(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	names := readLines(t, "agents.txt")
	if len(names) != 386 {
		t.Errorf("%d commands, want 386", len(names))
	}
	interpreted := map[string]bool{
		".": true, "alias": true, "cd": true, "command": true, "eval": true, "exec": true, "export": true,
		"popd": true, "pushd": true, "read": true, "set": true, "source": true, "trap": true,
	}
	by := map[string]int{}
	for _, name := range names {
		where := table.Where(name)
		switch {
		case interpreted[name]:
			by["builtin"]++
		case len(where) == 0:
			t.Errorf("%s: nobody describes it", name)
		case where[0].Place == basePlace.String():
			t.Errorf("%s: only the generated table describes it; write a spec", name)
		case len(where) > 1:
			by["spec over base"]++
		default:
			by["spec alone"]++
		}
	}
	t.Logf("%d commands: %v", len(names), by)
}
