package server

import (
	"context"
	"sync"
	"time"

	"extdir/daemon/approval"
	"extdir/hook/wire"
)

func init() {
	handlers["pause"] = handler{person: true, handle: pause}
	handlers["guard"] = handler{handle: guard}
}

// maxPause is the longest a person can leave the guard off in one go.
const maxPause = 8 * time.Hour

// paused is the time until which lines pass unjudged. It ends by itself, and with
// the daemon.
type paused struct {
	mu    sync.Mutex
	until time.Time // has a monotonic reading: setting the clock doesn't stretch it
}

func (p *paused) set(t time.Time) {
	p.mu.Lock()
	p.until = t
	p.mu.Unlock()
}

// now returns the end of the pause, or false if there is none.
func (p *paused) now() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until, time.Now().Before(p.until)
}

func (p *paused) is() bool {
	_, is := p.now()
	return is
}

// pause lets every line pass for a while; for=0 ends it.
func pause(_ context.Context, c *conn, req *wire.Request) reply {
	if req.Get("for") == "0" {
		c.s.pause.set(time.Time{})
		c.acted("pause", "ended")
		return reply{Verdict: wire.OK}
	}
	n, ok := number(req.Get("for"))
	if !ok || seconds(n) > maxPause {
		return text("a pause lasts from a second to " + maxPause.String())
	}
	c.s.pause.set(time.Now().Add(seconds(n)))
	c.acted("pause", "for "+seconds(n).String())
	c.s.log.Warn("paused", "for", seconds(n), "tty", c.who.TTY)
	return reply{Verdict: wire.OK}
}

// guard switches the guard of one session. Off, and back to what the
// configuration says, need a person; on is anybody's.
func guard(_ context.Context, c *conn, req *wire.Request) reply {
	to := req.Get("to")
	if to == "default" {
		to = ""
	}
	sess, ok, err := c.named(req.Get("session"))
	switch {
	case err != nil:
		return text(err.Error())
	case !ok:
		return text("this terminal belongs to no session: say which one with --session (" + c.s.o.Command + " sessions lists them)")
	}
	if to != "on" {
		if c.who = c.s.o.Sessions.Person(c.peer); !c.who.OK {
			return text(c.who.Refusal)
		}
	}
	if _, err := c.s.o.Sessions.SetGuard(sess.Key, to); err != nil {
		return text(approval.Escape(err.Error()))
	}
	c.acted("guard", sess.Key+" "+req.Get("to"))
	return reply{Verdict: wire.OK}
}
