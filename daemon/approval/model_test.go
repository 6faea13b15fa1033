package approval

import (
	"fmt"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"extdir/daemon/access"
	"extdir/daemon/session"
)

// Whatever is done in whatever order, with restarts between: what the store
// covers is what a plain list of the grants covers.
func TestStoreAgainstAList(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		var s *Store
		restart := func() {
			if s != nil {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			var err error
			if s, err = Open(path, testOptions()); err != nil {
				t.Fatal(err)
			}
		}
		restart()
		defer func() { _ = s.Close() }()
		sessions := map[string]session.Session{}
		for _, key := range []string{"one", "two"} {
			v := testSession
			v.Key, v.Anchor.Pid = key, len(sessions)+1
			sessions[key] = v
			if err := s.PutSession(session.Saved{Session: v}); err != nil {
				t.Fatal(err)
			}
		}
		list := map[string]Grant{}
		dirs := []string{"/d", "/d/e", "/d/e/f", "/de", "/x"}
		paths := rapid.SampledFrom(dirs)
		keys := rapid.SampledFrom([]string{"one", "two"})
		kinds := rapid.SampledFrom([]access.Kind{access.Read, access.Write, access.Execute})
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				v := sessions[keys.Draw(t, "session")]
				one, other := kinds.Draw(t, "kind"), kinds.Draw(t, "kind")
				g, err := s.Add(Grant{
					Session: v.Key, Anchor: v.Anchor, Scope: InSession,
					Paths: []PathGrant{{
						Path: paths.Draw(t, "path"), Tree: rapid.Bool().Draw(t, "tree"),
						Kinds: access.Kinds(one | other),
					}},
				})
				if err != nil {
					t.Fatal(err)
				}
				list[g.ID] = g
			},
			"revoke": func(t *rapid.T) {
				for id := range list {
					if err := s.Revoke(id); err != nil {
						t.Fatal(err)
					}
					delete(list, id)
					return
				}
			},
			"end": func(t *rapid.T) {
				key := keys.Draw(t, "session")
				if err := s.EndSession(key); err != nil {
					t.Fatal(err)
				}
				for id, g := range list {
					if g.Session == key {
						delete(list, id)
					}
				}
			},
			"restart": func(t *rapid.T) { restart() },
			"": func(t *rapid.T) {
				if got := len(s.List()); got != len(list) {
					t.Fatalf("%d grants, want %d", got, len(list))
				}
				for key, v := range sessions {
					for _, p := range dirs {
						for _, k := range []access.Kind{access.Read, access.Write, access.Execute} {
							for _, tree := range []bool{false, true} {
								a := certain(k, p)
								a.Dir = tree
								want := false
								for _, g := range list {
									want = want || g.Session == key && g.Paths[0].covers(a)
								}
								if got := s.Grants(v).Path(a) != ""; got != want {
									t.Fatalf("%s %s %s (tree %v): %v, want %v", key, k, p, tree, got, want)
								}
							}
						}
					}
				}
			},
		})
	})
}
