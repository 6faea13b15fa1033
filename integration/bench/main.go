// Command bench measures what judging a line costs and prints one table: each bar,
// the figure of this run, and whether it holds. `make bench` runs it.
//
// Figures of different moments on a busy machine can't be compared. So ratios are
// taken within one run, both sides in turns, in CPU time of the process, and
// the median of many rounds counts. Times in µs are for orientation.
package main

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/analyze"
	"extdir/daemon/resolve"
	"extdir/integration/corpus"
)

// lineList is 50 lines that an agent types.
//
//go:embed lines.txt
var lineList string

// nowhere is a file system without files: the analyzer alone is measured.
type nowhere struct{}

func (nowhere) Lstat(string) (fs.FileInfo, error)     { return nil, fs.ErrNotExist }
func (nowhere) Readlink(string) (string, error)       { return "", fs.ErrNotExist }
func (nowhere) ReadDir(string) ([]fs.DirEntry, error) { return nil, fs.ErrNotExist }

// report collects the rows of the table.
type report struct {
	out    *tabwriter.Writer
	missed int
}

func (r *report) row(what, figure, bar string, holds bool) {
	mark := "ok"
	switch {
	case bar == "" || bar == "BAR":
		mark = ""
	case !holds:
		mark = "MISSED"
		r.missed++
	}
	fmt.Fprintf(r.out, "%s\t%s\t%s\t%s\n", what, figure, bar, mark)
}

func (r *report) note(format string, args ...any) {
	r.out.Flush()
	fmt.Printf("    "+format+"\n", args...)
}

func main() {
	runtime.LockOSThread()
	if len(os.Args) == 3 && os.Args[1] == firstUse {
		printFirstUses(os.Args[2])
		return
	}
	r := &report{out: tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)}
	tree, err := os.MkdirTemp("", "extdir-bench")
	if err == nil {
		defer os.RemoveAll(tree)
		err = run(r, tree)
	}
	r.out.Flush()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.RemoveAll(tree)
		os.Exit(2)
	}
	if r.missed > 0 {
		fmt.Fprintf(os.Stderr, "bench: %d of the bars missed\n", r.missed)
		os.RemoveAll(tree)
		os.Exit(1)
	}
}

func run(r *report, tree string) error {
	if err := corpus.Fixture(tree); err != nil {
		return err
	}
	r.row("MEASURED", "FIGURE", "BAR", true)
	table, err := openTable(r)
	if err != nil {
		return err
	}
	lookUp(r, table)
	var lines []string
	for l := range strings.SplitSeq(lineList, "\n") {
		if l != "" && !strings.HasPrefix(l, "#") {
			lines = append(lines, l)
		}
	}
	stub := &analyze.Analyzer{FS: nowhere{}, Commands: table, OS: "linux"}
	perLine(r, stub, lines)
	onDisk(r, &analyze.Analyzer{FS: resolve.OS(), Commands: table, OS: "linux"}, filepath.Join(tree, "projects/app"), lines)
	growth(r, stub)
	deep(r, stub)
	return corpora(r, &analyze.Analyzer{FS: resolve.Rooted(tree), Commands: table, OS: "linux"})
}

// request is a line in a project, with the little environment that corpora assume.
func request(line, root, home, shell string) analyze.Request {
	set := func(v string) analyze.Var { return analyze.Var{Set: true, Exported: true, Value: v} }
	return analyze.Request{
		Line: line, Shell: shell, Cwd: root, Home: home, Roots: []string{root},
		Vars: map[string]analyze.Var{
			"HOME": set(home), "PWD": set(root), "USER": set(filepath.Base(home)),
			"PATH": set("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
		},
		Aliases: map[string]string{}, Functions: map[string]string{}, ShellKnown: true,
	}
}

// timed is the CPU time of one call of f, the median of rounds of several calls.
func timed(rounds, calls int, f func()) time.Duration {
	took := make([]time.Duration, rounds)
	for i := range took {
		from := cpuTime()
		for range calls {
			f()
		}
		took[i] = (cpuTime() - from) / time.Duration(calls)
	}
	return middle(took)
}

func middle[T int | float64 | time.Duration](list []T) T { return at(list, 0.5) }

// at is a quantile of a list.
func at[T int | float64 | time.Duration](list []T, q float64) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// perLine compares analysis without a file system with the parser alone.
func perLine(r *report, a *analyze.Analyzer, lines []string) {
	parser := syntax.NewParser()
	var ratios []float64
	var parses, analyses []time.Duration
	var allocs []int
	type worst struct {
		ratio float64
		line  string
	}
	var by []worst
	for _, l := range lines {
		q := request(l, "/home/u/proj", "/home/u", "bash")
		parse := func() { parser.Parse(strings.NewReader(l), "") }
		judge := func() { a.Analyze(q) }
		judge() // the specs of its commands are decoded once in a daemon's life
		var p, j []time.Duration
		// In turns, each long enough that it pays for the garbage it makes: in a few
		// calls the collector hardly runs.
		for range 9 {
			p = append(p, timed(1, 800, parse))
			j = append(j, timed(1, 800, judge))
		}
		ratio := float64(middle(j)) / float64(middle(p))
		ratios, parses, analyses = append(ratios, ratio), append(parses, middle(p)), append(analyses, middle(j))
		by = append(by, worst{ratio, l})
		allocs = append(allocs, int(allocations(judge)))
	}
	p50 := at(ratios, 0.5)
	r.row("analysis / parsing alone, p50 of 50 lines", fmt.Sprintf("%.2f", p50), "<= 3.5", p50 <= 3.5)
	r.row("  the same, p90", fmt.Sprintf("%.2f", at(ratios, 0.9)), "", true)
	r.row("  parsing alone, p50", micros(middle(parses)), "", true)
	r.row("  analysis, no file system, p50", micros(middle(analyses)), "", true)
	r.row("  allocations a line, p50", fmt.Sprint(middle(allocs)), "", true)
	slices.SortFunc(by, func(x, y worst) int { return int((y.ratio - x.ratio) * 1000) })
	for _, w := range by[:5] {
		r.note("%5.1f  %s", w.ratio, w.line)
	}
}

func allocations(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 50 {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / 50
}

// onDisk is the same with the real file system.
func onDisk(r *report, a *analyze.Analyzer, root string, lines []string) {
	var took []time.Duration
	for _, l := range lines {
		q := request(l, root, filepath.Dir(root), "bash")
		a.Analyze(q)
		took = append(took, timed(20, 10, func() { a.Analyze(q) }))
	}
	r.row("  analysis with the real file system, p50", micros(at(took, 0.5)), "", true)
	r.row("  the same, p90", micros(at(took, 0.9)), "", true)
}

func micros(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d)/1000) }

// growth compares a line of 64 KB with one of 1 KB of the same form: as many bytes
// on both sides, enough that the garbage collector runs several times for either (a
// single large line pays for a whole round or for none).
func growth(r *report, a *analyze.Analyzer) {
	rep := strings.Repeat
	for _, f := range []struct {
		name string
		line func(size int) string
	}{
		{"commands", func(n int) string { return rep("cat src/a.go; ", n/14) }},
		{"words", func(n int) string { return "cat " + rep("src/a.go ", n/9) }},
		{"expansions", func(n int) string { return "x=src; cat " + rep(`"$x/a" `, n/7) }},
		{"pipeline", func(n int) string { return "cat a" + rep(" | grep x", n/9) }},
		{"&& chain", func(n int) string { return "cat a" + rep(" && cat b", n/9) }},
		{"here-document", func(n int) string { return "cat > a <<E\n" + rep("some text in it\n", n/16) + "E\n" }},
		{"quoted text", func(n int) string { return "echo '" + rep("some text in it\n", n/16) + "'" }},
		{"substitutions", func(n int) string { return "echo " + rep("$(pwd) ", n/7) }},
	} {
		small, large := request(f.line(1<<10), "/home/u/proj", "/home/u", "bash"), request(f.line(64<<10), "/home/u/proj", "/home/u", "bash")
		var ratios []float64
		var big time.Duration
		for range 5 {
			s := timed(1, 8*64, func() { a.Analyze(small) })
			big = timed(1, 8, func() { a.Analyze(large) })
			ratios = append(ratios, float64(big)/float64(s))
		}
		m := middle(ratios)
		r.row("64 KB / 1 KB, "+f.name, fmt.Sprintf("%.0f (%.0f ms)", m, float64(big)/1e6), "<= 96", m <= 96)
	}
}

// deep are lines of nested levels: a million, which the cap on bytes refuses, and
// as many as fit below it, which it is the depth guard's and the budgets' to end.
func deep(r *report, a *analyze.Analyzer) {
	forms := []struct{ before, level string }{
		{"", "("},
		{"", "{ "},
		{"", "$("},
		{"", `"$(`},
		{"", "$(("},
		{"", "${x:-"},
		{"", "if "},
		{"", "while "},
		{"", "time "},
		{"", "coproc "},
		{"", "f() "},
		{"[[ ", "! "},
		{"[[ ", "( "},
		{"", "`"},
		{"", "cat <("},
		{"", "case a in a) "},
		{"", "for x in a; do "},
		{"", "cat <<E\n"},
		{"", "eval "},
		{"", "sh -c "},
		{"", "command "},
		{"", "a=a="},
		{"", "- "},
		{"eval ", "a "},
		{"", "env "},
		{"", "xargs "},
	}
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1,000,000 levels", 0}, {"as many levels as fit in 256 KB", 256 << 10}} {
		var worst time.Duration
		name := ""
		for _, f := range forms {
			n := 1_000_000
			if size.bytes > 0 {
				n = (size.bytes - len(f.before)) / len(f.level)
			}
			q := request(f.before+strings.Repeat(f.level, n), "/home/u/proj", "/home/u", "bash")
			from := time.Now()
			l := a.Analyze(q)
			if took := time.Since(from); took > worst {
				worst, name = took, f.before+f.level
			}
			if size.bytes == 0 && !l.Dynamic {
				r.row("  "+f.level, "not unknown", "unknown", false)
			}
		}
		r.row(fmt.Sprintf("%s, worst of %d forms", size.name, len(forms)), fmt.Sprintf("%.0f ms (%s)", float64(worst)/1e6, strings.TrimSpace(name)), "<= 1000 ms", worst <= time.Second)
	}
}

// corpora judges every line of the corpora.
func corpora(r *report, a *analyze.Analyzer) error {
	files, err := filepath.Glob("integration/testdata/corpus/*.jsonl")
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no corpora below integration/testdata/corpus: run it from the repository's root")
	}
	type slow struct {
		took time.Duration
		cmd  string
	}
	var all []slow
	for _, f := range files {
		cases, err := corpus.Read[struct{ Cmd, Cwd, Home, Root, Shell string }](f)
		if err != nil {
			return err
		}
		for _, c := range cases {
			shell, root := c.Shell, c.Root
			if shell == "" {
				shell = "bash"
			}
			if root == "" {
				root = c.Cwd
			}
			q := request(c.Cmd, root, c.Home, shell)
			q.Cwd = c.Cwd
			all = append(all, slow{timed(3, 1, func() { a.Analyze(q) }), c.Cmd})
		}
	}
	slices.SortFunc(all, func(x, y slow) int { return int(y.took - x.took) })
	r.row(fmt.Sprintf("slowest of %d corpus lines", len(all)), fmt.Sprintf("%.1f ms", float64(all[0].took)/1e6), "<= 20 ms", all[0].took <= 20*time.Millisecond)
	for _, s := range all[:min(5, len(all))] {
		cmd := strings.ReplaceAll(s.cmd, "\n", "\\n")
		r.note("%5.1f ms  %.90s", float64(s.took)/1e6, cmd)
	}
	return nil
}
