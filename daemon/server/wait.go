package server

import (
	"context"
	"slices"
	"time"

	"extdir/daemon/approval"
	"extdir/daemon/policy"
	"extdir/daemon/session"
	"extdir/hook/wire"
)

func init() {
	handlers["wait"] = handler{verdict: true, hold: wait}
	handlers["detail"] = handler{handle: detail}
	handlers["answer"] = handler{verdict: true, handle: answer}
	handlers["cancel"] = handler{handle: cancel}
}

// wait holds the request until a person answered or the time is out. A peer that
// goes away takes its question along; one that sends something else leaves it.
func wait(ctx context.Context, c *conn, req *wire.Request, more <-chan struct{}) reply {
	s := c.s
	id := req.Get("id")
	q, ok := s.o.Pending.Get(id)
	if !ok {
		return s.noQuestion(id)
	}
	limit := s.o.Config.SettingsFor(first(q.Session.Roots), q.Session.Agent).Wait
	if ms, ok := number(req.Get("for")); ok { // the host of an agent has a deadline of its own
		limit = min(limit, time.Duration(ms)*time.Millisecond)
	}
	held, release := context.WithTimeout(ctx, limit)
	defer release()
	type ending struct {
		approval.Outcome
		err error
	}
	ended := make(chan ending, 1)
	go func() {
		o, err := s.o.Pending.Wait(held, id)
		ended <- ending{o, err}
	}()
	var o ending
	select {
	case o = <-ended:
	case <-more:
		release()
		o = <-ended
	}
	if o.err != nil {
		s.book.put(id, &entry{text: line("extdir: blocked: " + o.err.Error())})
		return reply{Verdict: wire.Block, Arg: id}
	}
	switch o.Verdict {
	case policy.VerdictAllow:
		s.passed(q.Shell, q.Found)
		if q.Via == "hook" {
			s.agreed.add(q.Session.Key, q.Line, q.Cwd)
		}
		return reply{Verdict: wire.Allow}
	case policy.VerdictPrompt: // not answered
		if ctx.Err() != nil {
			if q, ok := s.o.Pending.Get(id); ok && q.Waiting == 0 && s.o.Pending.Cancel(id) == nil {
				s.answered(q, "cancel", approval.By{}, "")
			}
		}
		o.Text = approval.Waiting(s.o.Command, id)
	}
	s.book.put(id, &entry{text: line(o.Text)})
	s.burst.Refused(q.Session.Key, q.Shell.TTY)
	return reply{Verdict: wire.Block, Arg: id}
}

func (s *Server) noQuestion(id string) reply {
	s.book.put(id, &entry{text: line("extdir: blocked: there is no open question " + approval.Escape(id) + "; run the line again")})
	return reply{Verdict: wire.Block, Arg: id}
}

// detail gives the words behind an id.
func detail(_ context.Context, c *conn, req *wire.Request) reply {
	id := req.Get("id")
	e, ok := c.s.book.get(id)
	if !ok {
		return reply{Verdict: wire.Error, Arg: "id"}
	}
	f := []wire.Field{{Key: "text", Value: e.text}}
	if e.needs != "" {
		f = append(f, wire.Field{Key: "needs", Value: e.needs})
	}
	if e.ask != "" {
		f = append(f, wire.Field{Key: "ask", Value: e.ask}, wire.Field{Key: "offer", Value: e.offer}, wire.Field{Key: "wait", Value: itoa(e.wait)})
	}
	return fields(f...)
}

// answer is what was chosen at the waiting terminal itself. In an agent's session
// that terminal is the agent's: it can only refuse.
func answer(_ context.Context, c *conn, req *wire.Request) reply {
	s := c.s
	id := req.Get("id")
	q, ok := s.o.Pending.Get(id)
	if !ok {
		return s.noQuestion(id)
	}
	refused := func(why string) reply {
		rid := newID()
		s.book.put(rid, &entry{text: line("extdir: blocked: the answer was not taken: " + approval.Escape(why))})
		return reply{Verdict: wire.Block, Arg: rid}
	}
	if err := s.o.Sessions.Answers(c.peer, q.Shell); err != nil {
		return refused(err.Error())
	}
	by := approval.By{Pid: c.peer.Pid, UID: c.peer.UID, TTY: q.Shell.TTY}
	var a approval.Answer
	switch choice := req.Get("choice"); {
	case choice == "deny":
		if err := s.o.Pending.Deny(id, req.Get("reason"), by); err != nil {
			return refused(err.Error())
		}
		s.book.put(id, &entry{text: line(approval.Denied(q.Line, req.Get("reason")))})
		s.burst.Refused(q.Session.Key, q.Shell.TTY)
		s.answered(q, "deny", by, "")
		return reply{Verdict: wire.Block, Arg: id}
	case q.Session.Driver != session.Human:
		return refused("this is an agent's terminal; a person answers in another one with: " + s.o.Command + " approve " + id)
	case choice == "once":
		a.Scope = approval.Once
	case choice == "session":
		if !slices.Contains(approval.Offers(q.Decision, q.Found), approval.InSession) {
			return refused("what acts on the guard itself can be allowed once, not for the session")
		}
		a.Scope = approval.InSession
	default:
		return refused("the choice is once, session or deny")
	}
	g, err := s.o.Pending.Approve(id, a, by)
	if g.ID == "" && err != nil {
		return refused(err.Error())
	}
	if err != nil {
		s.log.Warn("approval", "err", err)
	}
	s.passed(q.Shell, q.Found)
	s.answered(q, "approve", by, g.ID)
	return reply{Verdict: wire.Allow}
}

// cancel is a shell that gave up waiting. Any process of the session may say so:
// it refuses a line, no more.
func cancel(_ context.Context, c *conn, req *wire.Request) reply {
	s := c.s
	id := req.Get("id")
	q, ok := s.o.Pending.Get(id)
	if !ok {
		return reply{Verdict: wire.Error, Arg: "id"}
	}
	sess, ok, err := s.o.Sessions.Of(c.peer)
	if err != nil || !ok || sess.Key != q.Session.Key {
		return reply{Verdict: wire.Error, Arg: "session"}
	}
	if err := s.o.Pending.Cancel(id); err != nil {
		return reply{Verdict: wire.Error, Arg: "answered"}
	}
	s.burst.Refused(q.Session.Key, q.Shell.TTY)
	s.answered(q, "cancel", approval.By{Pid: c.peer.Pid}, "")
	return reply{Verdict: wire.OK}
}
