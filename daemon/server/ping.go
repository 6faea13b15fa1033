package server

import (
	"context"

	"extdir/hook/wire"
)

func init() {
	handlers["ping"] = handler{handle: func(_ context.Context, c *conn, _ *wire.Request) reply {
		return reply{Verdict: wire.OK, Arg: c.s.o.Version}
	}}
}
