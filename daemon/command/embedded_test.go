package command

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// Every file of the folder is in the list of those that ship.
func TestEmbedded(t *testing.T) {
	found, err := filepath.Glob("specs/*.spec")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, f := range builtinFiles {
		name := filepath.Join("specs", f.Name)
		listed = append(listed, name)
		text, err := os.ReadFile(name)
		if err != nil || string(text) != f.Text {
			t.Errorf("embedded.go: %s is not what it embeds (%v)", f.Name, err)
		}
	}
	slices.Sort(listed)
	if !slices.Equal(listed, found) {
		t.Errorf("embedded.go lists %q, the folder holds %q", listed, found)
	}
}

// The open table, with every command of the specs used, is small enough for a
// daemon that is always there.
func TestHeap(t *testing.T) {
	baseKinds()
	baseSpecs.Clear()
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	table, err := (&Table{base: true}).over(builtinFiles, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range table.Names() {
		table.Run(words(name, "-a", "x"), nowhere{table})
	}
	used := heap() - before
	t.Logf("%d commands, %d bytes", len(table.Names()), used)
	if used > 2<<20 {
		t.Errorf("the table holds %d bytes, want at most 2 MiB", used)
	}
	runtime.KeepAlive(table)
}
