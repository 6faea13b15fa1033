package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"extdir/hook/wire"
)

// handler answers one kind of request.
type handler struct {
	handle func(ctx context.Context, c *conn, req *wire.Request) reply
	// hold is for a kind whose answer may take as long as a person. ctx ends when
	// the peer goes away; more is closed when another request comes in, which has
	// to end the holding.
	hold func(ctx context.Context, c *conn, req *wire.Request, more <-chan struct{}) reply
	// person: the kind needs a person at the other end.
	person bool
	// anyBuild: that may speak through any extdird, not the daemon's own alone.
	anyBuild bool
	// verdict: the kind is answered with a verdict, so that a failure to answer
	// has to be a refusal.
	verdict bool
}

// handlers are the kinds of docs/protocol.md. It is filled in init functions of
// the files that hold the kinds, since a few of them look at it.
var handlers = map[string]handler{}

// incident is the answer of a handler that panicked: it is written to the log in
// full, and the shell gets a refusal that names it.
func (s *Server) incident(h handler, req *wire.Request, p any) reply {
	id := newID()
	s.log.Error("internal error", "incident", id, "kind", req.Kind, "panic", p, "stack", string(stack()))
	sentence := "internal error while judging (incident " + id + "): see " + s.o.Command + " status for the log, and report it"
	if !h.verdict {
		return text(sentence)
	}
	s.book.put(id, &entry{text: "extdir: blocked: " + sentence + "\n"})
	return reply{Verdict: wire.Block, Arg: id}
}

// newID makes the id of a decision: short enough to type.
func newID() string {
	var b [4]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
