package server

import (
	"context"

	"extdir/hook/wire"
)

func init() {
	handlers["stop"] = handler{person: true, anyBuild: true, handle: func(_ context.Context, c *conn, _ *wire.Request) reply {
		c.acted("stop", "")
		return reply{Verdict: wire.OK, after: c.s.o.Stop}
	}}
	// Whether a person is there, for what extdird does by itself and only a person may
	// have it do.
	handlers["may"] = handler{person: true, handle: func(_ context.Context, c *conn, req *wire.Request) reply {
		switch act := req.Get("act"); act {
		case "install", "uninstall":
			c.acted(act, req.Get("text"))
			return reply{Verdict: wire.OK}
		}
		return text("there is no such act")
	}}
	handlers["reload"] = handler{handle: func(_ context.Context, c *conn, _ *wire.Request) reply {
		if err := c.s.o.Reload(); err != nil {
			return text(err.Error())
		}
		return reply{Verdict: wire.OK}
	}}
}
