package server

import (
	"context"

	"extdir/daemon/approval"
	"extdir/daemon/explain"
	"extdir/hook/wire"
)

func init() {
	handlers["approve"] = handler{person: true, handle: approve}
	handlers["deny"] = handler{person: true, handle: deny}
	handlers["pending"] = handler{handle: listPending}
}

// approve answers a question for a person. ok carries the grant's id; a body with
// both grant and text means that it counts but is not saved.
func approve(_ context.Context, c *conn, req *wire.Request) reply {
	s := c.s
	a := approval.Answer{Tree: req.Get("tree") == "1", Repo: req.Get("repo") == "1"}
	switch scope := req.Get("scope"); scope {
	case "", "session":
		a.Scope = approval.InSession
	case "once":
		a.Scope = approval.Once
	case "until":
		a.Scope = approval.Until
	default:
		return text("the scope is once, session or until, not " + approval.Escape(scope))
	}
	if req.Has("for") || a.Scope == approval.Until {
		n, ok := number(req.Get("for"))
		if !ok {
			return text("say for how long, in seconds from 1 on")
		}
		a.Scope, a.For = approval.Until, seconds(n)
	}
	kinds, err := parseKinds(req.Get("kinds"))
	if err != nil {
		return text(err.Error())
	}
	a.Kinds = kinds
	id := req.Get("id")
	q, _ := s.o.Pending.Get(id)
	g, err := s.o.Pending.Approve(id, a, c.by())
	if g.ID == "" && err != nil {
		return text(err.Error())
	}
	s.answered(q, "approve", c.by(), g.ID)
	var f []wire.Field
	if g.Scope == approval.Once && a.Scope != approval.Once {
		f = append(f, wire.Field{Key: "scope", Value: string(g.Scope)})
	}
	if err != nil {
		f = append(f, wire.Field{Key: "text", Value: err.Error()})
	}
	if len(f) > 0 {
		return fields(append(f, wire.Field{Key: "grant", Value: g.ID})...)
	}
	return reply{Verdict: wire.OK, Arg: g.ID}
}

func deny(_ context.Context, c *conn, req *wire.Request) reply {
	id := req.Get("id")
	q, _ := c.s.o.Pending.Get(id)
	if err := c.s.o.Pending.Deny(id, req.Get("reason"), c.by()); err != nil {
		return text(err.Error())
	}
	c.s.answered(q, "deny", c.by(), "")
	return reply{Verdict: wire.OK}
}

// by is the person that the peer was found to be.
func (c *conn) by() approval.By {
	return approval.By{Pid: c.who.Pid, UID: c.who.UID, TTY: c.who.TTY}
}

// PendingInfo is an open question in JSON.
type PendingInfo struct {
	ID       string            `json:"id"`
	Session  string            `json:"session"`
	Agent    string            `json:"agent,omitempty"`
	Driver   string            `json:"driver"`
	Line     string            `json:"line"`
	Cwd      string            `json:"cwd"`
	Opened   string            `json:"opened"`
	Expires  string            `json:"expires"`
	Waiting  int               `json:"waiting"`
	Question string            `json:"question"`
	Answer   explain.Answer    `json:"found"`
	Findings []explain.Finding `json:"findings"`
}

func listPending(_ context.Context, c *conn, _ *wire.Request) reply {
	out := []PendingInfo{}
	for _, q := range c.s.o.Pending.List() {
		e := explain.Explained(q.Found, c.s.contextOf(q), q.Decision, explain.Stages{})
		out = append(out, PendingInfo{
			ID: q.ID, Session: q.Session.Key, Agent: q.Session.Agent, Driver: q.Session.Driver,
			Line: q.Line, Cwd: q.Cwd, Opened: q.Opened.UTC().Format(timeFormat), Expires: q.Expires.UTC().Format(timeFormat),
			Waiting: q.Waiting, Question: approval.Question(q), Answer: e.Answer, Findings: e.Findings,
		})
	}
	return jsonBody(out)
}
