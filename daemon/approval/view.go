package approval

import (
	"slices"
	"sync"

	"extdir/daemon/access"
	"extdir/daemon/policy"
	"extdir/daemon/session"
)

// Grants is what a session may do by approval. The view reads memory alone.
func (s *Store) Grants(of session.Session) *View {
	return &View{store: s, keys: []string{of.Key, ""}, anchor: of.Anchor}
}

// View implements policy.Grants for one line of one session: ExactLine first, as
// it says which line it is, then Path for each access. It notes which
// grants for once were made use of; Consume uses them up, after the verdict.
type View struct {
	store  *Store
	keys   []string
	anchor session.ID // a key is only short: the anchor must be the same, too

	mu   sync.Mutex
	once []string
	line []string // grants for paths of the line that ExactLine was asked about
}

var _ policy.Grants = (*View)(nil)

// Path returns the id of a grant that covers the access, or "".
func (v *View) Path(a access.Access) string {
	if a.Path == "" {
		return ""
	}
	v.store.mu.RLock()
	defer v.store.mu.RUnlock()
	v.mu.Lock()
	line := v.line
	v.mu.Unlock()
	for _, id := range line {
		if g := v.store.grants[id]; g != nil && g.coversPath(a) && v.valid(g) {
			return v.use(g)
		}
	}
	for _, key := range v.keys {
		ix := v.store.index[key]
		if ix == nil {
			continue
		}
		// The path itself, then every directory above it.
		for at := a.Path; at != ""; at = parent(at) {
			for _, id := range ix.paths[at] {
				g := v.store.grants[id]
				if g.coversPath(a) && v.valid(g) {
					return v.use(g)
				}
			}
		}
	}
	return ""
}

// ExactLine returns the id of a grant for this very line in this directory, or "".
func (v *View) ExactLine(line, cwd string) string {
	d := LineDigest(line, cwd)
	v.store.mu.RLock()
	defer v.store.mu.RUnlock()
	for _, key := range v.keys {
		if ix := v.store.index[key]; ix != nil {
			for _, id := range ix.exact[d] {
				switch g := v.store.grants[id]; {
				case !v.valid(g):
				case len(g.Paths) > 0:
					v.mu.Lock()
					v.line = append(v.line, id)
					v.mu.Unlock()
				default:
					return v.use(g)
				}
			}
		}
	}
	return ""
}

func (v *View) valid(g *Grant) bool {
	return (g.Session == "" || g.Anchor == v.anchor) && !v.store.expired(g)
}

func (v *View) use(g *Grant) string {
	if g.Scope == Once {
		v.mu.Lock()
		if !slices.Contains(v.once, g.ID) {
			v.once = append(v.once, g.ID)
		}
		v.mu.Unlock()
	}
	return g.ID
}

// Consume uses up the grants for once that the line needed. false: another line
// was faster and took one of them, so the line isn't covered.
func (v *View) Consume() bool {
	v.mu.Lock()
	ids := v.once
	v.once = nil
	v.mu.Unlock()
	if len(ids) == 0 {
		return true
	}
	v.store.mu.Lock()
	defer v.store.mu.Unlock()
	for _, id := range ids {
		if v.store.grants[id] == nil {
			return false
		}
	}
	for _, id := range ids {
		v.store.remove(id)
	}
	return true
}

// parent is the directory above, "" above "/".
func parent(p string) string {
	if p == "/" || p == "" {
		return ""
	}
	for i := len(p) - 1; i > 0; i-- {
		if p[i] == '/' {
			return p[:i]
		}
	}
	return "/"
}
