package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/command"
)

// drop is a ground that keeps nothing: reading the words alone is measured.
type drop struct{ table *command.Table }

func (drop) Path(command.Path)                          {}
func (d drop) In(access.Word) command.Ground            { return d }
func (d drop) With(string, access.Word) command.Ground  { return d }
func (d drop) Run(argv []access.Word)                   { d.table.Run(argv, d) }
func (drop) Shell(string, access.Word, []access.Word)   {}
func (drop) Unknown(access.Word, string)                {}
func (drop) Self(access.SelfLevel, access.Word, string) {}
func (drop) Stdin() (access.Word, bool)                 { return access.Word{}, false }
func (drop) Stat(access.Word) (exists, isDir bool)      { return false, false }
func (drop) Var(string) (access.Word, bool)             { return access.Word{}, false }
func (drop) OS() string                                 { return "linux" }

// openTable opens the command table and measures that. Its heap is what it holds
// once every command that a spec describes has been used.
func openTable(r *report) (*command.Table, error) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, from := heap(), cpuTime()
	table, err := command.Builtin()
	if err != nil {
		return nil, err
	}
	r.row("opening the command table, once a daemon", fmt.Sprintf("%.1f ms", float64(cpuTime()-from)/1e6), "", true)
	firstUses(r, table, table.Names(), "of the specs")
	kept := float64(heap()-before) / (1 << 20)
	r.row("its heap, all of them used", fmt.Sprintf("%.2f MB", kept), "<= 2 MB", kept <= 2)
	firstUses(r, table, table.Below().Names(), "of the generated table")
	return table, nil
}

// firstUses measures the first use of each command.
func firstUses(r *report, table *command.Table, names []string, whose string) {
	g := drop{table}
	var worst time.Duration
	slowest := ""
	runtime.GC() // room for all: no command pays for a round of the collector
	for _, n := range names {
		words := argv(n + " x")
		from := cpuTime()
		table.Run(words, g)
		if took := cpuTime() - from; took > worst {
			worst, slowest = took, n
		}
	}
	r.row(fmt.Sprintf("  first use of a command, worst of %d %s", len(names), whose), fmt.Sprintf("%.0f µs (%s)", float64(worst)/1000, slowest), "<= 400 µs", worst <= 400*time.Microsecond)
}

func argv(line string) []access.Word {
	var out []access.Word
	for f := range strings.FieldsSeq(line) {
		out = append(out, access.Text(f))
	}
	return out
}

// lookUp measures what a line of a command costs after its first use.
func lookUp(r *report, table *command.Table) {
	g := drop{table}
	words := argv("tar -czf out.tgz -C build --exclude tmp src docs")
	line := timed(20, 200, func() { table.Run(words, g) })
	r.row("  a line of tar with 8 words", micros(line), "<= 2 µs", line <= 2*time.Microsecond)
}
