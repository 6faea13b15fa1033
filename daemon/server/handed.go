package server

import (
	"sync"

	"extdir/daemon/session"
)

// handed keeps lines out of which a host's frame was taken until their shell hands
// them on: Codex's ends in exec SHELL -c 'LINE', and the shell that takes its place,
// the same process, sends the line again. It was judged, shown and answered; it isn't
// once more.
type handed struct {
	mu sync.Mutex
	m  map[session.ID]handedLine
}

type handedLine struct {
	line, cwd string
	allowed   bool
}

// maxHanded is more than are ever under way. Beyond it all are forgotten: a line is
// then judged twice.
const maxHanded = 512

// begin notes a line that is being judged.
func (h *handed) begin(id session.ID, line, cwd string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.m == nil || len(h.m) >= maxHanded {
		h.m = map[session.ID]handedLine{}
	}
	h.m[id] = handedLine{line: line, cwd: cwd}
}

// allow notes that what the shell asked about last runs.
func (h *handed) allow(id session.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l, ok := h.m[id]; ok {
		l.allowed = true
		h.m[id] = l
	}
}

// take tells whether this is the line that was handed on, once.
func (h *handed) take(id session.ID, line, cwd string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.m[id]
	delete(h.m, id)
	return ok && l.allowed && l.line == line && l.cwd == cwd
}
