package command

import (
	"runtime"
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
		"base":     words("ansible-galaxy", "install", "-r", "req.yml", "--roles-path", "/srv/x"),
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
