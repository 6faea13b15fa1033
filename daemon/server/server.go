// Package server answers on the daemon's socket.
//
// A connection is a peer the kernel has named; what it sends is a string of
// requests (package wire), each of a kind with a handler of its own, one file a
// kind. The server's own part is to stay answerable whatever comes in: a peer of
// another user is closed before a byte is read, a request has a second to arrive,
// connections are limited and the slowest makes room for the next, lines are
// analyzed on a few workers of their own, and a handler that panics costs its own
// request a refusal and nobody else anything.
//
// Every failure of a question about a line is a refusal or a question to a
// person; there is no path from an error to allow.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"extdir/daemon/approval"
	"extdir/daemon/session"
	"extdir/hook/wire"
)

// Limits. They are variables of a Server only so that tests needn't wait.
type limits struct {
	connections int
	request     time.Duration // from a request's first byte (or the connection's start) to its last
	reply       time.Duration // for a reply to be taken
	judge       time.Duration // for one line to be analyzed
	room        time.Duration // age at which a silent connection makes room for a new one
}

var standard = limits{
	connections: 256,
	request:     time.Second,
	reply:       time.Second,
	judge:       700 * time.Millisecond,
	room:        50 * time.Millisecond,
}

// Server serves one listener.
type Server struct {
	o       Options
	lim     limits
	log     *slog.Logger
	begin   time.Time
	judges  *pool
	book    *book
	shells  *shells
	handed  handed
	agreed  agreed
	hosts   hosts
	matters *matters
	burst   approval.Burst
	pause   paused
	trouble trouble

	mu     sync.Mutex
	conns  map[*conn]struct{}
	freed  chan struct{} // gets a token whenever a connection ends
	served sync.WaitGroup
}

// New makes a server. Serve starts it.
func New(o Options) *Server {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if o.Command == "" {
		o.Command = "extdird"
	}
	return &Server{
		o: o, lim: standard, log: log, begin: time.Now(),
		judges:  newPool(),
		book:    newBook(),
		shells:  newShells(),
		matters: newMatters(),
		conns:   map[*conn]struct{}{},
		freed:   make(chan struct{}, 1),
	}
}

// Serve accepts connections until ctx is done or the listener fails, then closes
// every connection and returns. Lines in wait are refused by that.
func (s *Server) Serve(ctx context.Context, l *net.UnixListener) error {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	defer func() {
		cancel()
		s.mu.Lock()
		for c := range s.conns {
			c.nc.Close()
		}
		s.mu.Unlock()
		s.served.Wait()
		s.judges.close()
	}()
	for {
		nc, err := l.AcceptUnix()
		switch {
		case ctx.Err() != nil:
			if nc != nil {
				nc.Close()
			}
			return nil
		case err != nil && passing(err):
			// Out of descriptors or memory: what is open has to end first.
			s.log.Warn("can't accept", "err", err)
			s.evict(0)
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
			continue
		case err != nil:
			return err
		}
		peer, err := s.o.Peer(nc)
		if err != nil || peer.UID != os.Geteuid() {
			s.log.Warn("peer refused", "uid", peer.UID, "err", err)
			peer.Close()
			nc.Close()
			continue
		}
		c := &conn{s: s, nc: nc, peer: peer, busy: true, since: time.Now()}
		if !s.admit(ctx, c) {
			peer.Close()
			nc.Close()
			continue
		}
		go c.serve(ctx)
	}
}

// passing tells whether an error of accept is about this moment, not about the
// listener.
func passing(err error) bool {
	var ne net.Error
	return !errors.Is(err, net.ErrClosed) && (errors.As(err, &ne) && ne.Timeout() || isExhaustion(err))
}

// admit enters c among the connections. When there are too many, the one that
// has been silent longest makes room; while all are young it waits for one to
// end, with the rest of the queue in the listener's backlog.
func (s *Server) admit(ctx context.Context, c *conn) bool {
	for {
		s.mu.Lock()
		if len(s.conns) < s.lim.connections {
			s.conns[c] = struct{}{}
			s.served.Add(1)
			s.mu.Unlock()
			return true
		}
		s.mu.Unlock()
		if s.evict(s.lim.room) {
			continue
		}
		select {
		case <-ctx.Done():
			return false
		case <-s.freed:
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// evict takes out a connection that is silent for at least age: rather one that
// had its answer, since most of those are about to be closed by the peer, else the
// one that has been without a whole request longest.
func (s *Server) evict(age time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out *conn
	for c := range s.conns {
		if !c.busy && (out == nil || c.answered && !out.answered || c.answered == out.answered && c.since.Before(out.since)) {
			out = c
		}
	}
	if out == nil || time.Since(out.since) < age {
		return false
	}
	delete(s.conns, out)
	out.nc.Close()
	return true
}

func (s *Server) gone(c *conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	select {
	case s.freed <- struct{}{}:
	default:
	}
	s.served.Done()
}

// conn is one connection. Its requests are read and answered on one goroutine;
// only while a line waits for a person does a second one read, so that the end of
// the peer is noticed.
type conn struct {
	s    *Server
	nc   *net.UnixConn
	in   *wire.Reader
	peer session.Peer
	who  session.Standing // of the peer, in handlers that need a person

	first bool // no request was read yet

	// Guarded by Server.mu.
	busy  bool      // a request is being answered, or nothing was read yet
	since time.Time // begin of the connection or end of the last answer
	// answered: a request was, so what the connection waits for is the next.
	answered bool
}

func (c *conn) serve(ctx context.Context) {
	defer c.s.gone(c)
	defer c.peer.Close()
	defer c.nc.Close()
	c.in = wire.NewReader(c.nc)
	c.in.Begun = func() {
		if !c.first {
			c.nc.SetReadDeadline(time.Now().Add(c.s.lim.request))
		}
	}
	c.first = true
	c.nc.SetReadDeadline(time.Now().Add(c.s.lim.request))
	c.setBusy(false) // from here on its silence is the peer's
	for {
		req, err := c.read()
		for req != nil {
			c.setBusy(true)
			rep, next := c.answer(ctx, req)
			written := c.write(req, rep)
			if rep.after != nil {
				rep.after()
			}
			if !written {
				return
			}
			c.setBusy(false)
			req = next
		}
		if err != nil {
			c.refuse(err)
			return
		}
	}
}

func (c *conn) setBusy(b bool) {
	c.s.mu.Lock()
	c.answered = c.busy && !b && !c.first
	c.busy = b
	c.since = time.Now()
	c.s.mu.Unlock()
}

// read reads a request. The first must be complete a second after the connection
// is made; later ones a second after their first byte: a shell may keep a
// connection open while it is idle.
func (c *conn) read() (*wire.Request, error) {
	req, err := c.in.Next()
	if err == nil {
		c.first = false
		c.nc.SetReadDeadline(time.Time{})
	}
	return req, err
}

// listen reads on while an answer is held. more is closed when another request
// comes in, the context ends with the peer. stop ends the listening, must be
// called, and returns that request.
func (c *conn) listen(ctx context.Context) (_ context.Context, more <-chan struct{}, stop func() *wire.Request) {
	ctx, cancel := context.WithCancel(ctx)
	came, done := make(chan struct{}), make(chan struct{})
	var next *wire.Request
	go func() {
		defer close(done)
		req, err := c.read()
		switch {
		case err == nil:
			next = req
			close(came)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			cancel()
		}
	}()
	return ctx, came, func() *wire.Request {
		c.nc.SetReadDeadline(time.Unix(1, 0)) // wakes the reader; what it has read so far is kept
		<-done
		c.nc.SetReadDeadline(time.Time{})
		cancel()
		return next
	}
}

// refuse says what was wrong with the framing, as far as the peer can hear it.
func (c *conn) refuse(err error) {
	word := ""
	switch {
	case errors.Is(err, wire.ErrVersion):
		word = "version"
	case errors.Is(err, wire.ErrTooLong):
		word = "long"
	case errors.Is(err, wire.ErrMalformed):
		word = "malformed"
	default:
		return
	}
	c.nc.SetWriteDeadline(time.Now().Add(c.s.lim.reply))
	c.nc.Write(wire.Reply{Verdict: wire.Error, Arg: word}.Append(nil))
}

// answer runs the handler of a request, on this goroutine. A request that came in
// while one was held is handed back as next.
func (c *conn) answer(ctx context.Context, req *wire.Request) (rep reply, next *wire.Request) {
	h, known := handlers[req.Kind]
	if !known {
		return reply{Verdict: wire.Error, Arg: "kind"}, nil
	}
	defer func() {
		if p := recover(); p != nil {
			rep = c.s.incident(h, req, p)
		}
	}()
	if h.person {
		who := c.s.o.Sessions.Person
		if h.anyBuild {
			who = c.s.o.Sessions.Stopper
		}
		if c.who = who(c.peer); !c.who.OK {
			c.s.log.Warn("refused: not a person", "kind", req.Kind, "pid", c.who.Pid, "why", c.who.Refusal)
			return text(c.who.Refusal), nil
		}
	}
	if h.hold == nil {
		return h.handle(ctx, c, req), nil
	}
	held, more, stop := c.listen(ctx)
	defer func() { next = stop() }()
	return h.hold(held, c, req, more), nil
}

func (c *conn) write(req *wire.Request, rep reply) bool {
	arg := rep.Arg
	if rep.Verdict == wire.Body {
		arg = strconv.Itoa(len(rep.Body))
	}
	b := wire.Reply{Seq: req.Get("seq"), Verdict: rep.Verdict, Arg: arg}.Append(nil)
	b = append(b, rep.Body...)
	c.nc.SetWriteDeadline(time.Now().Add(c.s.lim.reply))
	_, err := c.nc.Write(b)
	return err == nil
}

// reply is what a handler answers.
type reply struct {
	Verdict, Arg string
	Body         []byte // with Verdict wire.Body
	after        func() // called when the reply was sent
}

// text is a reply whose body says in one sentence why not.
func text(s string) reply { return fields(wire.Field{Key: "text", Value: s}) }

func fields(f ...wire.Field) reply {
	return reply{Verdict: wire.Body, Body: wire.AppendFields(nil, f)}
}
