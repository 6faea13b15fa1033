package server

import (
	"context"

	"extdir/daemon/session"
	"extdir/hook/wire"
)

func init() {
	handlers["session"] = handler{handle: beginSession}
	handlers["hello"] = handler{handle: hello}
	handlers["sessions"] = handler{handle: listSessions}
}

// beginSession makes the peer the anchor of a new session.
func beginSession(_ context.Context, c *conn, req *wire.Request) reply {
	o := session.Options{
		Agent: req.Get("agent"), Cwd: req.Get("cwd"), Home: req.Get("home"), Shell: req.Get("shell"),
		Trusted: c.s.o.Config.Settings().Roots,
	}
	if o.Home == "" {
		o.Home = c.s.o.Home
	}
	for _, f := range req.Fields {
		if f.Key == "root" && f.Value != "" {
			o.Roots = append(o.Roots, f.Value)
		}
	}
	sess, err := c.s.o.Sessions.Register(c.peer, o)
	if err != nil {
		return text(err.Error())
	}
	c.s.log.Info("session", "key", sess.Key, "driver", sess.Driver, "agent", sess.Agent, "roots", sess.Roots, "pid", sess.Anchor.Pid)
	f := []wire.Field{{Key: "id", Value: sess.Key}, {Key: "driver", Value: sess.Driver}}
	for _, root := range sess.Roots {
		f = append(f, wire.Field{Key: "root", Value: root})
	}
	return fields(f...)
}

func hello(_ context.Context, c *conn, req *wire.Request) reply {
	shpid, ok := number(req.Get("shpid"))
	if !ok {
		return reply{Verdict: wire.Error, Arg: "shpid"}
	}
	if err := c.s.o.Sessions.Hello(c.peer, shpid, req.Get("shell"), req.Get("version")); err != nil {
		return reply{Verdict: wire.Error, Arg: "refused"}
	}
	return reply{Verdict: wire.OK}
}

// SessionInfo is a session in JSON.
type SessionInfo struct {
	ID      string   `json:"id"`
	Driver  string   `json:"driver"`
	Agent   string   `json:"agent,omitempty"`
	Run     bool     `json:"run"`
	Mode    string   `json:"mode"`
	Roots   []string `json:"roots"`
	TTY     string   `json:"tty,omitempty"`
	Shell   string   `json:"shell,omitempty"`
	Pid     int      `json:"pid"`
	Started string   `json:"started"`
	Guard   string   `json:"guard,omitempty"`
	// Yours: the peer that asks belongs to it.
	Yours bool `json:"yours,omitempty"`
}

func (s *Server) info(sess session.Session) SessionInfo {
	roots := sess.Roots
	if roots == nil {
		roots = []string{}
	}
	return SessionInfo{
		ID: sess.Key, Driver: sess.Driver, Agent: sess.Agent, Run: sess.Run, Mode: s.mode(sess, first(sess.Roots)),
		Roots: roots, TTY: sess.TTY, Shell: sess.Shell, Pid: sess.Anchor.Pid,
		Started: sess.Started.UTC().Format(timeFormat), Guard: sess.Guard,
	}
}

const timeFormat = "2006-01-02T15:04:05Z"

func listSessions(_ context.Context, c *conn, _ *wire.Request) reply {
	own, mine, err := c.s.o.Sessions.Of(c.peer)
	if err != nil {
		return text(err.Error())
	}
	out := []SessionInfo{}
	for _, sess := range c.s.o.Sessions.Sessions() {
		info := c.s.info(sess)
		info.Yours = mine && sess.Key == own.Key
		out = append(out, info)
	}
	return jsonBody(out)
}
