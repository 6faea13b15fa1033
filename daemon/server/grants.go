package server

import (
	"context"

	"extdir/daemon/approval"
	"extdir/hook/wire"
)

func init() {
	handlers["grants"] = handler{handle: listGrants}
	handlers["revoke"] = handler{person: true, handle: revoke}
}

// GrantInfo is a grant in JSON.
type GrantInfo struct {
	ID      string      `json:"id"`
	Session string      `json:"session,omitempty"`
	Scope   string      `json:"scope"`
	Paths   []PathGrant `json:"paths,omitempty"`
	Exact   bool        `json:"exact,omitempty"` // covers the line, and nothing else
	Line    string      `json:"line"`
	Cwd     string      `json:"cwd"`
	Given   string      `json:"given"`
	Expires string      `json:"expires,omitempty"`
	By      string      `json:"by,omitempty"` // terminal of who gave it
	Saved   bool        `json:"saved"`
}

type PathGrant struct {
	Path  string `json:"path"`
	Tree  bool   `json:"tree,omitempty"`
	Kinds string `json:"kinds"`
}

func grantOf(g approval.Grant) GrantInfo {
	out := GrantInfo{
		ID: g.ID, Session: g.Session, Scope: string(g.Scope), Exact: g.Exact != nil, Line: g.Line, Cwd: g.Cwd,
		Given: g.Given.UTC().Format(timeFormat), By: g.By.TTY, Saved: g.Saved,
	}
	if !g.Expires.IsZero() {
		out.Expires = g.Expires.UTC().Format(timeFormat)
	}
	for _, p := range g.Paths {
		out.Paths = append(out.Paths, PathGrant{p.Path, p.Tree, p.Kinds.String()})
	}
	return out
}

func listGrants(_ context.Context, c *conn, _ *wire.Request) reply {
	out := []GrantInfo{}
	for _, g := range c.s.o.Store.List() {
		out = append(out, grantOf(g))
	}
	return jsonBody(out)
}

func revoke(_ context.Context, c *conn, req *wire.Request) reply {
	id := req.Get("id")
	if err := c.s.o.Store.Revoke(id); err != nil {
		return text(err.Error())
	}
	c.acted("revoke", id)
	return reply{Verdict: wire.OK}
}
