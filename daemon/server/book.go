package server

import "sync"

// entry is what the daemon keeps of a line it didn't allow, for the detail that
// the shell asks for next.
type entry struct {
	text  string // what to print
	needs string // what it wants to know of the shell, blank-separated
	ask   string // "terminal" or "outside"; "" when nothing is asked
	offer string // the choices besides deny, blank-separated
	wait  int    // milliseconds
}

// book keeps the last entries; old ones make room. A shell asks for the detail
// at once, so it needs to remember minutes, not history.
type book struct {
	mu      sync.Mutex
	entries map[string]*entry
	order   []string
}

const bookSize = 1024

func newBook() *book { return &book{entries: map[string]*entry{}} }

func (b *book) put(id string, e *entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, there := b.entries[id]; !there {
		b.order = append(b.order, id)
	}
	b.entries[id] = e
	if len(b.order) > bookSize {
		delete(b.entries, b.order[0])
		b.order = append(b.order[:0], b.order[1:]...)
	}
}

func (b *book) get(id string) (*entry, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.entries[id]
	return e, ok
}
