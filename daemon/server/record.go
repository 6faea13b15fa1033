package server

import (
	"slices"

	"extdir/daemon/access"
	"extdir/daemon/approval"
	"extdir/daemon/audit"
	"extdir/daemon/policy"
)

// record writes a decision about a line to the log. It never waits.
func (s *Server) record(m *matter, found access.Line, d policy.Decision, verdict, id string) {
	if id == "" {
		id = newID()
	}
	e := audit.Entry{
		ID: id, Kind: "check", Session: m.sess.Key, Driver: m.sess.Driver, Agent: m.sess.Agent,
		TTY: m.sh.TTY, Shell: m.req.Shell, Pid: m.sh.ID.Pid, Cwd: m.req.Cwd, Line: m.req.Line,
		Verdict: verdict, Error: found.Error, Took: m.took,
	}
	if d.Observed > d.Verdict {
		e.Observed = d.Observed.String()
	}
	if verdict == "prompt" {
		e.Question = id
	}
	if b, ok := s.book.get(id); ok {
		e.Text = b.text
	}
	for _, f := range d.Findings {
		if f.Grant != "" && !slices.Contains(e.Grants, f.Grant) {
			e.Grants = append(e.Grants, f.Grant)
		}
		e.Findings = append(e.Findings, logged(f, found))
	}
	s.o.Audit.Write(e)
}

func logged(f policy.Finding, found access.Line) audit.Finding {
	out := audit.Finding{Gate: f.Gate, Action: f.Action.String(), Path: f.Name}
	if f.Access >= 0 && f.Access < len(found.Accesses) {
		a := found.Accesses[f.Access]
		out.Kind, out.Why, out.Unknown = a.Kind.String(), a.Why, a.Certainty == access.Unknown
		if a.Path != "" {
			out.Path = a.Path
		}
		if a.Typed != out.Path {
			out.Typed = a.Typed
		}
	}
	if r := f.Rule; r != nil {
		out.Rule, out.Layer, out.File, out.LineNo = r.Pattern, r.Origin.Layer, r.Origin.File, r.Origin.Line
	}
	return out
}

// answered writes down what a person, or a waiting terminal, answered.
func (s *Server) answered(q approval.Request, kind string, by approval.By, grant string) {
	e := audit.Entry{
		ID: newID(), Kind: kind, Session: q.Session.Key, Driver: q.Session.Driver, Agent: q.Session.Agent,
		TTY: by.TTY, Pid: by.Pid, Cwd: q.Cwd, Line: q.Line, Question: q.ID,
	}
	if grant != "" {
		e.Grants = []string{grant}
	}
	s.o.Audit.Write(e)
}

// acted writes down what a person did besides answering.
func (c *conn) acted(kind, text string) {
	c.s.o.Audit.Write(audit.Entry{ID: newID(), Kind: kind, TTY: c.who.TTY, Pid: c.peer.Pid, Text: text})
}
