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
	handlers["reload"] = handler{handle: func(_ context.Context, c *conn, _ *wire.Request) reply {
		if err := c.s.o.Reload(); err != nil {
			return text(err.Error())
		}
		return reply{Verdict: wire.OK}
	}}
}
