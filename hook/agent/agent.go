// Package agent speaks the hook protocols of agents' hosts: a host's JSON comes in
// before it uses a tool, the host's JSON goes out.
//
// The shell is guarded without it. What it adds: a host's own question where it has
// one, refusals that the agent can read, and the host's own file tools, which touch
// files without a shell.
//
// The hosts differ in what they make of a hook that is late, fails, or prints
// something else, and most of them let the call run. So there is one rule for all: the
// decision is printed before the program ends, nothing else ever is, a reason is never
// empty, what is allowed is passed over in silence (an "allow" would end the host's own
// questions as well), and a payload that can't be understood is a deny where the tool
// could be one that touches files or runs lines.
//
// One file a host; tools.go is the table of their tools.
package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"extdir/hook"
	"extdir/hook/wire"
)

// host is an agent's host.
type host struct {
	name string
	// read takes the payload apart. A nil call is an event that is none of ours.
	read func(payload []byte) (*call, error)
	// write puts a deny or ask into the host's words and returns the exit status.
	write func(w io.Writer, verdict, reason string) (status int)
	// deadline is when the host stops waiting for a hook that was installed by
	// extdird, which names it in the host's settings.
	deadline time.Duration
}

var hosts = map[string]*host{}

// register is called by each host's file.
func register(h *host) { hosts[h.name] = h }

// call is what a host is about to do.
type call struct {
	tool  string
	input map[string]json.RawMessage
	cwd   string
	// asks: the host has a question of its own, and a person sits before it.
	asks bool
}

// maxPayload is far more than a line that can be judged; a file that a tool writes
// comes along with its text.
const maxPayload = 64 << 20

// margin is what is left of the deadline to say so.
const margin = 3 * time.Second

// Main runs the adapter of a host: words are the hook's options and the host's name.
func Main(words []string, in io.Reader, out, errs io.Writer) (status int) {
	o, rest := hook.Take(words)
	if len(rest) != 1 || hosts[rest[0]] == nil {
		fmt.Fprintf(errs, "extdir: extdir-hook agent takes one of %s: `extdird install --agent NAME` puts it into that agent's settings\n", strings.Join(Names(), ", "))
		return 2 // a deny to every host that knows one
	}
	h := hosts[rest[0]]
	say := func(verdict, reason string) int {
		return h.write(both{out, errs}, verdict, reason)
	}
	payload, err := io.ReadAll(io.LimitReader(in, maxPayload+1))
	if err != nil || len(payload) > maxPayload {
		return say(hook.Deny, "extdir: blocked: what "+h.name+" says of this tool can't be read")
	}
	c, err := h.read(payload)
	if err != nil {
		return say(hook.Deny, "extdir: blocked: what "+h.name+" says of this tool isn't understood ("+err.Error()+"); is extdir older than "+h.name+"?")
	}
	if c == nil {
		return 0
	}
	req, judged, err := c.request(h.name)
	if err != nil {
		return say(hook.Deny, "extdir: blocked: "+err.Error())
	}
	if !judged {
		return 0
	}
	verdict, text := o.Tool(req, c.asks, h.deadline-margin)
	if verdict == hook.Allow {
		if text != "" {
			fmt.Fprintln(errs, text)
		}
		return 0
	}
	return say(verdict, text)
}

// Names lists the hosts.
func Names() []string {
	return []string{"claude", "codex", "gemini", "cursor", "copilot", "opencode", "pi"}
}

// both is standard output and, for hosts that read it, standard error.
type both struct{ out, errs io.Writer }

func (b both) Write(p []byte) (int, error) { return b.out.Write(p) }

// reason writes the reason where hosts look for it that go by the exit status.
func reason(w io.Writer, text string) {
	if b, ok := w.(both); ok {
		fmt.Fprintln(b.errs, text)
	}
}

// print writes a decision as one line of JSON.
func print(w io.Writer, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		return
	}
	w.Write(append(b, '\n'))
}

// object reads a JSON object into fields that are read one by one, so that a field of
// another type than expected spoils no other.
func object(payload []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(payload, &m); err != nil {
		return nil, errors.New("no JSON object")
	}
	if m == nil {
		return nil, errors.New("no JSON object")
	}
	return m, nil
}

// text reads a string field, "" if there is none.
func text(m map[string]json.RawMessage, keys ...string) string {
	for _, k := range keys {
		var s string
		if raw, ok := m[k]; ok && json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// inputOf reads an object field that some hosts hand over as a string of JSON.
func inputOf(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return map[string]json.RawMessage{}, nil
	}
	if m, err := object(raw); err == nil {
		return m, nil
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		if m, err := object([]byte(s)); err == nil {
			return m, nil
		}
		// A tool that takes one text (apply_patch).
		return map[string]json.RawMessage{"input": raw}, nil
	}
	return nil, errors.New("the tool's input is no object")
}

// request is the question that a call is, if it is one.
func (c *call) request(agent string) (req wire.Request, judged bool, err error) {
	req.Kind = "tool"
	req.Add("agent", agent)
	req.Add("tool", c.tool)
	w, err := workOf(c.tool, c.input)
	if err != nil {
		return req, true, err
	}
	cwd := c.cwd
	if w.cwd != "" {
		cwd = w.cwd
	}
	if cwd == "" {
		cwd, _ = os.Getwd()
	}
	if !strings.HasPrefix(cwd, "/") {
		base := c.cwd
		if base == "" {
			base, _ = os.Getwd()
		}
		cwd = strings.TrimSuffix(base, "/") + "/" + cwd
	}
	req.Add("cwd", real(cwd))
	if home, err := os.UserHomeDir(); err == nil {
		req.Add("home", home)
	}
	switch {
	case w.line != "":
		req.Add("shell", "bash")
		req.Add("via", "c")
		req.Add("line", w.line)
	case len(w.files) > 0:
		for _, f := range w.files {
			req.Add("file."+f.kind, f.name)
		}
		if w.tree {
			req.Add("tree", "1")
		}
	default:
		return req, false, nil
	}
	return req, true, nil
}
