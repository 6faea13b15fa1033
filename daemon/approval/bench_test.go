package approval

import (
	"fmt"
	"path/filepath"
	"testing"

	"extdir/daemon/access"
)

// BenchmarkLookup is what a line's access costs among many grants.
func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, err := Open(filepath.Join(b.TempDir(), "db"), testOptions())
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			s.mu.Lock()
			for i := range n {
				g := readGrant(fmt.Sprintf("/data/%d/x", i), true)
				g.ID, g.Boot = fmt.Sprint("g", i), s.opt.Boot
				s.insert(&g)
			}
			s.mu.Unlock()
			a := certain(access.Read, "/data/7/x/a/b/c")
			for b.Loop() {
				v := s.Grants(testSession)
				v.ExactLine("cat x", "/code")
				if v.Path(a) == "" {
					b.Fatal("not covered")
				}
			}
		})
	}
}
