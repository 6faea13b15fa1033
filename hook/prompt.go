package hook

import (
	"os"
	"os/signal"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"extdir/hook/wire"
)

// grace is what the daemon gets on top of its own waiting time to say that the
// time is over.
const grace = 2 * time.Second

// defaultWait stands in for a wait that the daemon didn't name.
const defaultWait = 50 * time.Second

// answer is one end of waiting: the daemon's reply, or a person's choice here.
type answer struct {
	rep    wire.Reply
	err    error
	choice string // "once", "session", "deny"; "" for a reply
	reason string
}

// prompt waits for a person. The daemon says where the person is asked: at this
// terminal, or elsewhere while this process waits. The daemon is asked to wait in
// both cases, so that an answer from elsewhere ends the question here.
func (c *call) prompt(conn *wire.Conn, id string) int {
	// Before anything is shown: from here on a signal is an answer.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	signal.Ignore(unix.SIGTSTP, unix.SIGTTOU, unix.SIGTTIN)

	_, fields, err := c.detail(conn, id, time.Time{})
	if err != nil {
		c.close(id, "cancel", "")
		return c.failed(err)
	}
	wait := defaultWait
	if ms, err := strconv.Atoi(field(fields, "wait")); err == nil && ms >= 0 {
		wait = time.Duration(ms) * time.Millisecond
	}
	answers := make(chan answer, 2)
	go func() {
		conn.SetTimeout(wait + grace)
		req := &wire.Request{Kind: "wait"}
		req.Add("id", id)
		rep, _, err := conn.Ask(stamped(req))
		answers <- answer{rep: rep, err: err}
	}()

	var tty *terminal
	if field(fields, "ask") == "terminal" {
		tty = openTerminal()
	}
	text := ended(field(fields, "text"))
	if tty != nil {
		defer tty.close()
		go func() { answers <- tty.question(text, choices(fields)) }()
	} else {
		say(text)
	}

	var a answer
	select {
	case a = <-answers:
	case s := <-signals:
		a = answer{choice: "deny", reason: "interrupted"}
		if s == unix.SIGHUP || s == unix.SIGTERM {
			a.reason = "the shell was ended"
		}
	}
	if tty != nil && a.choice == "" {
		tty.write("answered elsewhere\n")
	}
	tty.close()
	signal.Stop(signals)
	signal.Reset(unix.SIGINT)

	switch {
	case a.choice == "" && a.err != nil:
		return c.failed(a.err)
	case a.choice == "":
		return c.act(conn, a.rep, time.Now().Add(patience))
	case a.choice == "deny" && tty == nil:
		c.close(id, "cancel", "")
		return c.refuse("extdir: blocked: cancelled while waiting for a person\n")
	case a.choice == "deny":
		c.close(id, "answer", "deny")
		return c.refuse("extdir: blocked: refused at this terminal\n")
	}
	rep, err := c.close(id, "answer", a.choice)
	if err != nil {
		return c.failed(err)
	}
	if rep.Verdict == wire.Allow {
		return StatusAllow
	}
	return c.refused(rep)
}

// refused shows what the daemon had against an answer.
func (c *call) refused(rep wire.Reply) int {
	if rep.Verdict == wire.Block {
		if conn, _, err := c.detail(nil, rep.Arg, time.Now().Add(patience)); err == nil {
			defer conn.Close()
			return c.blocked(conn, rep.Arg)
		}
	}
	return c.refuse("extdir: blocked: the answer was not taken (" + rep.Arg + "): answer with `" + c.command("approve") + "` in another terminal\n")
}

// close ends a pending request over a connection of its own: the first one is
// held by the daemon as long as it waits.
func (c *call) close(id, kind, choice string) (wire.Reply, error) {
	conn, err := wire.Dial(c.Socket, patience)
	if err != nil {
		return wire.Reply{}, err
	}
	defer conn.Close()
	req := &wire.Request{Kind: kind}
	req.Add("id", id)
	if choice != "" {
		req.Add("choice", choice)
	}
	if shpid := c.req.Get("shpid"); shpid != "" {
		req.Add("shpid", shpid)
	}
	rep, _, err := conn.Ask(stamped(req))
	return rep, err
}
