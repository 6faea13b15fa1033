package server

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/analyze"
	"extdir/daemon/approval"
	"extdir/daemon/session"
	"extdir/hook/wire"
)

func init() {
	handlers["tool"] = handler{verdict: true, handle: tool}
	handlers["host"] = handler{verdict: true, handle: host}
}

// tool is the question of an agent's host before it uses a tool: to run a line in a
// shell, or to read and write files by itself.
func tool(ctx context.Context, c *conn, req *wire.Request) reply {
	s := c.s
	r := request(req)
	r.Interactive, r.ShellKnown = false, true
	m := &matter{via: "hook", told: map[string]bool{}}
	var err error
	if m.sess, m.sh, err = s.o.Sessions.Host(c.peer, req.Get("agent"), req.Get("within") == "1"); err != nil {
		return s.refuse(m.sess, m.sh, r, "it can't be told whose tool this is: "+err.Error())
	}
	s.hosts.note(req.Get("agent"))
	if r.Home == "" {
		r.Home = s.o.Home
		r.Vars["HOME"] = analyze.Var{Set: true, Exported: true, Value: r.Home}
	}
	r.Roots = s.roots(m.sess, r.Cwd, r.Home)
	for _, f := range req.Fields {
		kind, ok := access.ParseKind(strings.TrimPrefix(f.Key, "file."))
		if !ok || !strings.HasPrefix(f.Key, "file.") {
			continue
		}
		m.files = append(m.files, analyze.File{Name: f.Value, Kind: kind, Why: "file of the tool " + req.Get("tool"), Tree: req.Get("tree") == "1"})
	}
	if len(m.files) > 0 {
		r.Line = shown(req.Get("tool"), m.files)
	}
	m.req = r
	if s.pause.is() {
		return s.paused(m)
	}
	out := s.judge(ctx, m)
	if out.Verdict == wire.Allow && len(m.files) == 0 {
		s.agreed.add(m.sess.Key, r.Line, r.Cwd)
	}
	return out
}

// hosts counts the calls of agents' hooks: that a host's settings name one doesn't say
// that it is run.
type hosts struct {
	mu sync.Mutex
	m  map[string]HostCalls
}

// HostCalls is how often the hook of an agent's host was run since the daemon started.
type HostCalls struct {
	Calls int    `json:"calls"`
	Last  string `json:"last"`
}

const maxHosts = 64

func (h *hosts) note(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.m == nil {
		h.m = map[string]HostCalls{}
	}
	if c, ok := h.m[name]; ok || len(h.m) < maxHosts {
		h.m[name] = HostCalls{c.Calls + 1, time.Now().UTC().Format(timeFormat)}
	}
}

func (h *hosts) all() map[string]HostCalls {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.m)
}

// shown is how a tool's files stand in a question and in the log.
func shown(tool string, files []analyze.File) string {
	var b strings.Builder
	b.WriteString(tool)
	for _, f := range files {
		b.WriteString(" " + f.Name)
	}
	return b.String()
}

// host is told by an agent's host that it asks the person itself. If it comes to run
// the line, it was answered there.
func host(_ context.Context, c *conn, req *wire.Request) reply {
	s := c.s
	sess, _, err := s.o.Sessions.Host(c.peer, req.Get("agent"), req.Get("within") == "1")
	if err != nil {
		return reply{Verdict: wire.Error, Arg: "host"}
	}
	q, ok := s.o.Pending.Get(req.Get("id"))
	if !ok || q.Session.Key != sess.Key {
		return reply{Verdict: wire.Error, Arg: "id"}
	}
	if s.o.Pending.Cancel(q.ID) == nil {
		s.answered(q, "host", approval.By{}, "")
	}
	s.agreed.add(sess.Key, q.Line, q.Cwd)
	return reply{Verdict: wire.OK}
}

// agreed keeps lines that were judged for an agent's host before it hands them to a
// shell, which asks about them once more: by then they are decided.
type agreed struct {
	mu sync.Mutex
	m  map[agreedLine]time.Time // until when
}

type agreedLine struct{ session, line, cwd string }

const (
	// agreedFor is how long a host may take to run what it asked about; a person may
	// sit over its own question meanwhile.
	agreedFor = 10 * time.Minute
	maxAgreed = 1024
)

func (a *agreed) add(key, line, cwd string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if a.m == nil {
		a.m = map[agreedLine]time.Time{}
	}
	if len(a.m) >= maxAgreed {
		for l, until := range a.m {
			if now.After(until) {
				delete(a.m, l)
			}
		}
		if len(a.m) >= maxAgreed {
			clear(a.m) // judged twice
		}
	}
	a.m[agreedLine{key, line, cwd}] = now.Add(agreedFor)
}

// take tells whether the line was agreed to, once. Elsewhere it means something else.
func (a *agreed) take(sess session.Session, line, cwd string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := agreedLine{sess.Key, line, cwd}
	until, ok := a.m[l]
	delete(a.m, l)
	return ok && time.Now().Before(until)
}
