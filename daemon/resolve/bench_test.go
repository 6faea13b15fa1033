package resolve

import "testing"

// BenchmarkPath is one name of six components on the machine's disk, as a line
// asks for it: nothing is remembered between the rounds.
func BenchmarkPath(b *testing.B) {
	dir := tree(b, "a/b/c/f", "a/l -> b/c")
	for _, name := range []string{"/a/b/c/f", "/a/l/f", "/a/b/c/missing", "/a/missing/c/f"} {
		b.Run(name[1:], func(b *testing.B) {
			for b.Loop() {
				if _, err := Path(OS(), dir+name, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
