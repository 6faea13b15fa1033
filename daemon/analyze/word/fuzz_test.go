package word

import (
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/analyze/guard"
)

// Whatever the words are, expanding them neither fails nor costs more than the
// budget allows.
func FuzzExpand(f *testing.F) {
	for _, table := range []struct {
		name string
		zsh  bool
	}{{"testdata/bash.txt", false}, {"testdata/unknown.txt", false}, {"testdata/zsh.txt", true}} {
		rows, _ := readTable(f, table.name)
		for _, r := range rows {
			if r.kind == "" {
				f.Add(r.text, "v=abc; a=(x y); e=", table.zsh)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text, setup string, zsh bool) {
		file, err := guard.Parse(": "+text, zsh, nil)
		if err != nil {
			return
		}
		b := newBench(zsh)
		quietly(b, setup)
		size := 0
		syntax.Walk(file, func(n syntax.Node) bool {
			w, ok := n.(*syntax.Word)
			if !ok {
				return true
			}
			fields, _ := Fields(b, w)
			for _, f := range fields {
				size += len(f.String())
			}
			Assign(b, w)
			Document(b, w)
			p, _ := Pattern(b, w)
			s, _ := Single(b, w)
			Match(b, p, s, false)
			return false
		})
		if size > 64<<20 {
			t.Errorf("%d bytes out of %d", size, len(text))
		}
	})
}

// quietly runs a setup that may be nonsense.
func quietly(b *bench, setup string) {
	defer func() { _ = recover() }()
	_ = b.run(setup)
}
