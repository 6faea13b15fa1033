package server

import (
	"context"
	"errors"
	"fmt"

	"extdir/daemon/approval"
	"extdir/daemon/session"
	"extdir/hook/wire"
)

func init() {
	handlers["root"] = handler{handle: showRoot}
	handlers["root-add"] = handler{person: true, handle: addRoot}
}

// RootInfo is what counts as inside, in JSON.
type RootInfo struct {
	Session string   `json:"session,omitempty"`
	Roots   []string `json:"roots"`
}

// named finds the session a control command speaks of: the one it names, else
// the one it runs in.
func (c *conn) named(key string) (session.Session, bool, error) {
	if key == "" {
		return c.s.o.Sessions.Of(c.peer)
	}
	sess, ok := c.s.o.Sessions.Get(key)
	if !ok {
		return sess, false, fmt.Errorf("there is no session %s; extdird sessions lists them", approval.Escape(key))
	}
	return sess, true, nil
}

func showRoot(_ context.Context, c *conn, req *wire.Request) reply {
	sess, ok, err := c.named(req.Get("session"))
	if err != nil {
		return text(err.Error())
	}
	if !ok {
		sess.Driver = session.Human
	}
	home := sess.Home
	if home == "" {
		home = c.s.o.Home
	}
	roots := c.s.roots(sess, req.Get("cwd"), home)
	if roots == nil {
		roots = []string{}
	}
	return jsonBody(RootInfo{Session: sess.Key, Roots: roots})
}

func addRoot(_ context.Context, c *conn, req *wire.Request) reply {
	sess, ok, err := c.named(req.Get("session"))
	if err == nil && !ok {
		err = errors.New("this terminal belongs to no session: say which one with --session (" + c.s.o.Command + " sessions lists them)")
	}
	if err != nil {
		return text(err.Error())
	}
	if _, err := c.s.o.Sessions.AddRoot(sess.Key, req.Get("dir")); err != nil {
		return text(err.Error())
	}
	c.acted("root", sess.Key+" "+req.Get("dir"))
	return reply{Verdict: wire.OK}
}
