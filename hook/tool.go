package hook

import (
	"strconv"
	"strings"
	"time"

	"extdir/hook/wire"
)

// Verdicts of Tool.
const (
	Allow = "allow"
	Deny  = "deny"
	Ask   = "ask" // the host is to put its own question
)

// Tool asks the daemon about what an agent's host is about to do. hostAsks: the host
// has a question of its own that reaches a person, which then stands for ours. Else a
// person is waited for, elsewhere, and no longer than limit: what the host would do
// with a hook that is late isn't the same in any two of them. The text is one sentence
// or more for whoever reads the host's screen, and for the agent.
//
// Without a verdict it is a deny, unless the options say otherwise.
func (o Options) Tool(req wire.Request, hostAsks bool, limit time.Duration) (verdict, text string) {
	c := &call{Options: o, ahead: Ahead{Fd: -1}, req: req, patient: true}
	begin := time.Now()
	conn, rep, err := c.ask(&c.req, begin.Add(hostPatience), 2)
	if err != nil {
		return c.without(err)
	}
	defer conn.Close()
	c.judged = true
	var words string
	if rep.Verdict == wire.Prompt {
		_, fields, err := c.detail(conn, rep.Arg, time.Time{})
		if err != nil {
			return c.without(err)
		}
		words = strings.TrimSpace(field(fields, "text"))
		if hostAsks {
			told := &wire.Request{Kind: "host"}
			told.Add("id", rep.Arg)
			told.Add("agent", req.Get("agent"))
			if ok, _, err := conn.Ask(stamped(told)); err == nil && ok.Verdict == wire.OK {
				why, _, _ := strings.Cut(words, "; answer elsewhere with: ")
				return Ask, strings.TrimPrefix(why, "extdir: asking a person: ")
			}
		}
		wait := limit
		if ms, err := strconv.Atoi(field(fields, "wait")); err == nil && ms >= 0 {
			wait = min(wait, time.Duration(ms)*time.Millisecond)
		}
		id := rep.Arg
		if rep, err = c.held(conn, id, wait-time.Since(begin)); err != nil {
			return c.without(err)
		}
	}
	switch rep.Verdict {
	case wire.Allow:
		return Allow, ""
	case wire.Block:
		if _, fields, err := c.detail(conn, rep.Arg, time.Time{}); err == nil && field(fields, "text") != "" {
			return Deny, strings.TrimSpace(field(fields, "text"))
		}
		return Deny, "extdir: blocked: decision " + rep.Arg + " (`extdird why " + rep.Arg + "` says why)"
	}
	return Deny, "extdir: blocked: the daemon did not judge this (" + rep.Verdict + " " + rep.Arg + "): see `extdird status`"
}

// held waits for a person. A further request on the connection ends the wait and
// leaves the question open: approved later, the same line passes.
func (c *call) held(conn *wire.Conn, id string, limit time.Duration) (wire.Reply, error) {
	req := &wire.Request{Kind: "wait"}
	req.Add("id", id)
	req.Add("for", strconv.Itoa(int(max(limit, time.Second)/time.Millisecond)))
	conn.SetTimeout(max(limit, time.Second) + grace)
	rep, _, err := conn.Ask(stamped(req))
	conn.SetTimeout(patience)
	return rep, err
}

// without is the verdict where the daemon gave none.
func (c *call) without(err error) (verdict, text string) {
	why := c.why(err)
	if c.open(err) {
		return Allow, "extdir: not judged (\"fail\": \"open\"): " + why
	}
	return Deny, "extdir: blocked: " + why
}
