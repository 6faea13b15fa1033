package hook

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"extdir/hook/wire"
)

// Time limits (docs/protocol.md, failure).
const (
	patience      = time.Second            // for a verdict, start of the daemon included
	startPatience = 900 * time.Millisecond // for a daemon to come up
	hostPatience  = 3 * time.Second        // of a host's hook, which no prompt waits for
	brokenFor     = 10 * time.Second       // a daemon that hung is given less time for so long
	shortPatience = 100 * time.Millisecond // … namely this
)

// EnvLine is the variable that may carry the line of a -c shell.
const EnvLine = "EXTDIR_LINE"

// statusSame tells the DEBUG way that the history has no new line: its trap also
// fires for what completion and key bindings run.
const statusSame = 97

// run is check and tell: gather, ask, act on the answer.
func (c *call) run(kind string) int {
	end := time.Now().Add(patience)
	c.req.Kind = kind
	c.judged = kind == "tell" // no allow, so far
	why := c.gather(kind)
	if why == stale {
		if c.req.Get("via") == "debug" {
			return statusSame
		}
		// What an unseen line means is the daemon's to say.
		c.req.Add("hist", "off")
		c.req.Add("line", "")
		why = ""
	}
	if why != "" {
		return c.refuse("extdir: blocked: " + why + "\n")
	}
	var conn *wire.Conn
	var rep wire.Reply
	var err error
	tries := 2
	if c.ahead.Fd >= 0 {
		tries--
		conn, rep, err = c.resume(end)
	}
	if tries == 2 || errors.Is(err, wire.ErrGone) && kind == "check" {
		conn, rep, err = c.ask(&c.req, end, tries)
	}
	if err != nil {
		return c.failed(err)
	}
	defer conn.Close()
	if kind == "tell" && c.started {
		return c.failed(errLost) // a new daemon knows nothing of the id
	}
	return c.act(conn, rep, end)
}

// resume takes over the request that was sent ahead.
func (c *call) resume(end time.Time) (*wire.Conn, wire.Reply, error) {
	if c.marked() {
		end = time.Now().Add(shortPatience)
	}
	conn, err := wire.Adopt(c.ahead.Fd, time.Until(end))
	if err != nil {
		return nil, wire.Reply{}, err
	}
	rep, err := conn.Reply(aheadSeq, c.ahead.Reply)
	if err != nil {
		conn.Close()
		return nil, wire.Reply{}, err
	}
	c.unmark()
	return conn, rep, nil
}

// gather completes the request with what the process itself knows.
func (c *call) gather(kind string) (failure string) {
	if text, ok := os.LookupEnv(EnvLine); ok {
		c.set("line", text)
	} else if !c.line {
		if why := c.readInput(); why != "" {
			return why
		}
	}
	if kind == "check" && !c.req.Has("cwd") {
		// getcwd(2) and not $PWD, which keeps the names of symlinks.
		if cwd, err := unix.Getwd(); err == nil && filepath.IsAbs(cwd) {
			c.req.Add("cwd", cwd)
		}
	}
	if kind == "check" && c.req.Get("hist") == "off" {
		if !c.line {
			c.req.Add("line", "")
		}
	} else if kind == "check" && !c.line {
		if why := c.lineOfHistory(); why != "" {
			return why
		}
	}
	if len(c.req.Get("line")) > maxLine {
		return "the line is longer than 1 MiB: put it in a script inside the project and run that"
	}
	if kind == "check" && c.drop != "" && c.private(c.req.Get("line")) {
		// Nothing is lost when this fails but the removal itself.
		os.WriteFile(c.drop, []byte(c.number+"\n"), 0o600)
	}
	return ""
}

// act turns a reply into a status.
func (c *call) act(conn *wire.Conn, rep wire.Reply, end time.Time) int {
	c.judged = true
	switch rep.Verdict {
	case wire.Allow:
		return StatusAllow
	case wire.NeedIt:
		return c.needed(rep.Arg)
	case wire.Prompt:
		return c.prompt(conn, rep.Arg)
	case wire.Block:
		return c.blocked(conn, rep.Arg)
	}
	return c.refuse("extdir: blocked: the daemon did not judge this line (" + rep.Verdict + " " + rep.Arg + "): see `extdird status`\n")
}

// needed hands the id of a need to the shell: through the file it named (the
// guard of bash can't read our standard output without a further fork), else on
// standard output.
func (c *call) needed(id string) int {
	if c.need == "" {
		os.Stdout.WriteString(id + "\n")
		return StatusNeed
	}
	if err := os.WriteFile(c.need, []byte(id+"\n"), 0o600); err != nil {
		return c.refuse("extdir: blocked: can't write beside the daemon's socket: " + err.Error() + "\n")
	}
	return StatusNeed
}

// needs prints what the daemon wants to know of the shell.
func (c *call) needs() int {
	c.judged = true
	conn, fields, err := c.detail(nil, c.req.Get("id"), time.Now().Add(patience))
	if err != nil {
		return c.failed(err)
	}
	conn.Close()
	os.Stdout.WriteString(field(fields, "needs") + "\n")
	return StatusAllow
}

// settle acts on a reply that the shell read itself: it is a need no shell can
// meet, a block or a prompt.
func (c *call) settle() int {
	end := time.Now().Add(patience)
	c.req.Kind = "settle"
	c.judged = true
	conn, err := c.dial(end)
	if err != nil {
		return c.failed(err)
	}
	defer conn.Close()
	if c.verdict == wire.NeedIt {
		return c.refuse("extdir: blocked: the shell could not tell the daemon what it asked for: start a new shell\n")
	}
	return c.act(conn, wire.Reply{Verdict: c.verdict, Arg: c.req.Get("id")}, end)
}

// heard is run by a shell whose own question came to nothing: it was not answered
// in time, or not understood. verdict= says that there had been a reply before.
func (c *call) heard(err error) int {
	c.judged = c.verdict != "" || errors.Is(err, errLost)
	return c.failed(err)
}

// hello announces an interactive shell, and starts the daemon, so that the first
// line finds it running. Nobody waits for it and nothing is printed.
func (c *call) hello() int {
	c.req.Kind = "hello"
	c.sweep()
	if conn, _, err := c.ask(&c.req, time.Now().Add(patience), 2); err == nil {
		conn.Close()
	}
	return StatusAllow
}

// ask connects and puts one question. A daemon that goes away while it is asked
// is replaced by another one, as often as tries say: on a crash that this very
// question brings about, no more daemons are spent.
func (c *call) ask(req *wire.Request, end time.Time, tries int) (*wire.Conn, wire.Reply, error) {
	for {
		conn, err := c.dial(end)
		if err != nil {
			return nil, wire.Reply{}, err
		}
		rep, _, err := conn.Ask(stamped(req))
		if err == nil {
			c.unmark()
			conn.SetTimeout(time.Until(end))
			return conn, rep, nil
		}
		conn.Close()
		if tries--; tries > 0 && errors.Is(err, wire.ErrGone) && req.Kind != "tell" && time.Now().Before(end) {
			continue
		}
		if errors.Is(err, wire.ErrTimeout) {
			c.mark()
		}
		return nil, wire.Reply{}, err
	}
}

// stamped gives the request a seq of its own if it has none.
func stamped(req *wire.Request) *wire.Request {
	if !req.Has("seq") {
		req.Add("seq", strconv.Itoa(os.Getpid())+"."+strconv.FormatInt(time.Now().UnixNano(), 36))
	}
	return req
}

// detail fetches the words behind an id; conn may be nil.
func (c *call) detail(conn *wire.Conn, id string, end time.Time) (*wire.Conn, []wire.Field, error) {
	if conn == nil {
		var err error
		if conn, err = c.dial(end); err != nil {
			return nil, nil, err
		}
	}
	req := &wire.Request{Kind: "detail"}
	req.Add("id", id)
	rep, body, err := conn.Ask(stamped(req))
	if err != nil {
		return conn, nil, err
	}
	if rep.Verdict != wire.Body {
		return conn, nil, errLost
	}
	fields, err := wire.ParseFields(body)
	return conn, fields, err
}

func field(fields []wire.Field, key string) string {
	for _, f := range fields {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

// blocked prints why and refuses.
func (c *call) blocked(conn *wire.Conn, id string) int {
	_, fields, err := c.detail(conn, id, time.Time{})
	text := field(fields, "text")
	if err != nil || text == "" {
		text = "extdir: blocked: decision " + id + " (`extdird why " + id + "` says why)"
	}
	return c.refuse(ended(text))
}

func ended(s string) string {
	if s == "" || s[len(s)-1] != '\n' {
		s += "\n"
	}
	return s
}
