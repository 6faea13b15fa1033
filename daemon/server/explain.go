package server

import (
	"context"
	"encoding/json"

	"extdir/daemon/session"
	"extdir/hook/wire"
)

func init() {
	handlers["explain"] = handler{handle: explainLine}
}

// explainLine judges a line as the peer's session would be: an agent that asks
// sees its own rules. roots stand in for the session's own.
func explainLine(ctx context.Context, c *conn, req *wire.Request) reply {
	sess, ok, err := c.s.o.Sessions.Of(c.peer)
	if err != nil {
		return text(err.Error())
	}
	r := request(req)
	if !ok {
		sess = session.Session{Driver: session.Human, Run: true}
	}
	for _, f := range req.Fields {
		if f.Key == "root" && f.Value != "" {
			r.Roots = append(r.Roots, f.Value)
		}
	}
	if len(r.Roots) == 0 {
		r.Roots = c.s.roots(sess, r.Cwd, r.Home)
	}
	// Nobody asks this shell for its aliases: they are taken to be none.
	r.ShellKnown = true
	return jsonBody(c.s.explained(ctx, sess, r))
}

// jsonBody is a reply whose body is v in JSON.
func jsonBody(v any) reply {
	b, err := json.Marshal(v)
	if err != nil {
		return text("internal error: " + err.Error())
	}
	return reply{Verdict: wire.Body, Body: append(b, '\n')}
}
