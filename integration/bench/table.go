package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
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
	firstUses(r, table, table.Below().Names(), generated)
	return table, nil
}

// firstUses measures the first use of each command. What interrupts the process counts
// for the command it meets: the least of what several processes measure is its own cost.
func firstUses(r *report, table *command.Table, names []string, whose string) {
	least := useFirst(table, names)
	for range 4 {
		out, err := exec.Command(os.Args[0], firstUse, whose).Output()
		if err != nil {
			continue
		}
		for i, l := range strings.Fields(string(out)) {
			if n, err := strconv.ParseInt(l, 10, 64); err == nil && i < len(least) {
				least[i] = min(least[i], time.Duration(n))
			}
		}
	}
	worst := slices.Max(least)
	r.row(fmt.Sprintf("  first use of a command, worst of %d %s", len(names), whose),
		fmt.Sprintf("%.0f µs (%s)", float64(worst)/1000, names[slices.Index(least, worst)]), "<= 400 µs", worst <= 400*time.Microsecond)
}

// firstUse is the word that makes the program print what first uses take, in ns.
const firstUse = "first-uses"

func printFirstUses(whose string) {
	table, err := command.Builtin()
	if err != nil {
		os.Exit(1)
	}
	names := table.Names()
	if whose == generated {
		useFirst(table, names)
		names = table.Below().Names()
	}
	for _, d := range useFirst(table, names) {
		fmt.Println(int64(d))
	}
}

const generated = "of the generated table"

// useFirst is what using each of the commands takes.
func useFirst(table *command.Table, names []string) []time.Duration {
	g := drop{table}
	runtime.GC() // room for all: no command pays for a round of the collector
	took := make([]time.Duration, len(names))
	for i, n := range names {
		words := argv(n + " x")
		from := cpuTime()
		table.Run(words, g)
		took[i] = cpuTime() - from
	}
	return took
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
