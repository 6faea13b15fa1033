package command

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"extdir/daemon/access"
	"extdir/daemon/command/facts"
)

// Every kind of the table is understood: only what two sources call text hides.
func TestBaseKinds(t *testing.T) {
	for _, k := range facts.Kinds() {
		o := readBaseKind(k)
		for _, v := range o.vals {
			if v.kind.base == kText && !o.sure {
				t.Errorf("%q hides on the word of one source", k)
			}
		}
		if k[0] == '!' && (o.arity != arityUnsure || len(o.vals) == 0) {
			t.Errorf("%q isn't read both ways", k)
		}
	}
	for k, want := range map[string]struct {
		vals  int
		arity arity
	}{
		"-": {0, arityFixed}, "t": {1, arityFixed}, "t2": {1, arityFixed}, "p=": {1, arityAttached}, "!-t": {1, arityUnsure},
		"!?": {1, arityUnsure}, "T T": {2, arityFixed}, "? ??": {1, arityFixed}, "-=": {0, arityAttached}, "t =": {1, arityAttached},
	} {
		if o := readBaseKind(k); len(o.vals) != want.vals || o.arity != want.arity {
			t.Errorf("%q: %d values, arity %d, want %v", k, len(o.vals), o.arity, want)
		}
	}
}

// The table takes no memory of its own.
func TestBaseHeap(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, name := range facts.Names() {
		baseSpec(name)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 2<<20 {
		t.Errorf("all commands in use hold %d bytes, want at most 2 MiB", used)
	}
}

func words(line ...string) []access.Word {
	out := make([]access.Word, len(line))
	for i, w := range line {
		out[i] = access.Text(w)
	}
	return out
}

func BenchmarkBaseFirstUse(b *testing.B) {
	for _, name := range []string{"gcc", "bazel", "git", "mongocli"} {
		b.Run(name, func(b *testing.B) {
			argv := words(name, "--output", "/x", "build", "-c", "y", "/z")
			t := &Table{base: true}
			for b.Loop() {
				baseSpecs.Clear()
				t.Run(argv, nowhere{t})
			}
		})
	}
}

func BenchmarkClassify(b *testing.B) {
	t, err := Builtin()
	if err != nil {
		b.Fatal(err)
	}
	for name, argv := range map[string][]access.Word{
		"base":     words("pv", "--format", "x", "-L", "1m", "src", "/srv/x"),
		"spec":     words("grep", "-rn", "-A", "3", "/etc/", "src", "/var/log"),
		"fallback": words("no-such-command", "-rn", "--file=/etc/x", "src", "/var/log"),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				t.Run(argv, nowhere{t})
			}
		})
	}
}

// What others describe costs a command nothing: the same line with and without a
// thousand more descriptions above.
func BenchmarkLayers(b *testing.B) {
	t, err := Builtin()
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "other-%d\n    usage [file]...\n    -o, --out <file/w>\n", i)
	}
	more, err := t.Over([]File{{"more.spec", text.String()}})
	if err != nil {
		b.Fatal(err)
	}
	argv := words("grep", "-rn", "-A", "3", "/etc/", "src", "/var/log")
	for name, t := range map[string]*Table{"alone": t, "more": more} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				t.Run(argv, nowhere{t})
			}
		})
	}
}

// The table gives options their values, and hides a word only where two sources
// call it text; what a spec leaves out is looked up there.
func TestBase(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"pv --format /srv/x ../f":        "r:../f r:/srv/x", // text by one source: asked about
		"sqlmap --config /x --threads 4": "r:/x w:/x",
		"asd-no-such --opt /x":           "r:/x w:/x",
		"grep --exclude-from /x pat f":   "r:/x",
		"ls --color /etc":                "r:/etc", // attached only, says the manual
		"airmon-ng start /x":             "r:/x w:/x",
		"hexyl -n/etc/x":                 "r:/etc/x w:/etc/x",
	} {
		if got := strings.Join(explain(t, table, "linux", line), " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	alone := &Table{base: true}
	for line, want := range map[string]string{
		"ls --color /etc":             "r:/etc",
		"curl --no-progress-meter /x": "r:/x",
		"nice -n 5 cat /etc/x":        "r:/etc/x",
	} {
		if got := strings.Join(explain(t, alone, "linux", line), " "); got != want {
			t.Errorf("table alone: %s: %s, want %s", line, got, want)
		}
	}
	// Two sources, so hidden; nothing else may be.
	hidden := 0
	kinds := baseKinds()
	for _, name := range facts.Names() {
		n, _ := facts.Find(name)
		for _, f := range n.Options() {
			for _, v := range kinds[f.Kind].vals {
				if v.kind.base == kText {
					hidden++
				}
			}
		}
	}
	if hidden == 0 || hidden > 2000 {
		t.Errorf("%d options hide their value", hidden)
	}
	t.Logf("%d options of commands hide their value", hidden)
}
