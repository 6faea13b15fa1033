package facts

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

type source struct {
	Alias string            `json:"@"`
	Opts  map[string]string `json:"o"`
	Args  []string          `json:"p"`
	Glob  []string          `json:"g"`
	Stop  int               `json:"stop"`
	Long1 int               `json:"long1"`
	Rest  string            `json:"dd"`
	Subs  map[string]*source
}

func (s *source) UnmarshalJSON(b []byte) error {
	type plain source
	var p struct {
		plain
		Subs map[string]*source `json:"s"`
	}
	err := json.Unmarshal(b, &p)
	*s = source(p.plain)
	s.Subs = p.Subs
	return err
}

// Every fact of base.json is found by look-up, and nothing else is there.
func TestEveryFact(t *testing.T) {
	text, err := os.ReadFile("base.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]*source
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if got := Names(); !slices.Equal(got, slices.Sorted(maps.Keys(all))) {
		t.Errorf("%d commands, want %d", len(got), len(all))
	}
	kinds := Kinds()
	options, nodes := 0, 0
	var same func(path string, s *source, n Node)
	same = func(path string, s *source, n Node) {
		nodes++
		got := n.Options()
		if len(got) != len(s.Opts) {
			t.Errorf("%s: %d options, want %d", path, len(got), len(s.Opts))
		}
		for o, k := range s.Opts {
			options++
			f, ok := n.Option(o)
			if !ok || kinds[f.Kind] != k || f.Inherited != slices.Contains(s.Glob, o) || got[o] != f {
				t.Errorf("%s %s: %v %v, want %s", path, o, f, ok, k)
			}
		}
		var args []string
		for _, k := range n.Operands() {
			args = append(args, kinds[k])
		}
		if !slices.Equal(args, s.Args) || n.Stop() != (s.Stop != 0) || n.Long1() != (s.Long1 != 0) || n.Rest() != strings.HasPrefix(s.Rest, "c") {
			t.Errorf("%s: operands or flags differ", path)
		}
		if got := n.Subs(); !slices.Equal(got, slices.Sorted(maps.Keys(s.Subs))) {
			t.Errorf("%s: subcommands %v", path, got)
		}
		for name, sub := range s.Subs {
			c, ok := n.Sub(name)
			if !ok {
				t.Errorf("%s %s isn't found", path, name)
				continue
			}
			if a := sub.Alias; a != "" {
				sub = s.Subs[a]
			}
			same(path+" "+name, sub, c)
		}
	}
	for name, s := range all {
		n, ok := Find(name)
		if !ok {
			t.Errorf("%s isn't found", name)
			continue
		}
		if s.Alias != "" {
			s = all[s.Alias]
		}
		same(name, s, n)
	}
	if nodes < 20000 || options < 150000 {
		t.Errorf("only %d nodes with %d options", nodes, options)
	}
}

func TestAbsent(t *testing.T) {
	for _, name := range []string{"", "\x00", "no such command", "zzzzzzzz", "--color"} {
		if _, ok := Find(name); ok {
			t.Errorf("%q is a command", name)
		}
	}
	n, _ := Find("git")
	if _, ok := n.Sub("--version"); ok {
		t.Error("git --version is a subcommand")
	}
	if _, ok := n.Option("commit"); ok {
		t.Error("commit is an option of git")
	}
}

func TestNotices(t *testing.T) {
	for _, who := range []string{"Hercules Labs", "rsteube", "Zsh Development Group"} {
		if !strings.Contains(Notices, who) {
			t.Errorf("no notice of %s", who)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		n, _ := Find("docker")
		n, _ = n.Sub("run")
		n.Option("--volume")
	}
}
