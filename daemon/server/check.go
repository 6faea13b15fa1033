package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/analyze"
	"extdir/daemon/approval"
	"extdir/daemon/policy"
	"extdir/daemon/session"
	"extdir/hook/wire"
)

func init() {
	handlers["check"] = handler{verdict: true, handle: check}
	handlers["tell"] = handler{verdict: true, handle: tell}
}

// check is the question in front of every line.
func check(ctx context.Context, c *conn, req *wire.Request) reply {
	s := c.s
	r := request(req)
	shpid, numbered := number(req.Get("shpid"))
	if !numbered {
		return s.refuse(session.Session{}, session.Shell{}, r, "the request names no shell (shpid)")
	}
	m := &matter{via: req.Get("via"), told: map[string]bool{}}
	var err error
	if m.via == "c" {
		var judge bool
		judge, m.sess, m.sh, err = s.o.Sessions.Judge(c.peer, shpid, r.Shell)
		if err == nil && !judge {
			return reply{Verdict: wire.Allow} // below a line that was judged, or below no session
		}
	} else {
		m.sess, m.sh, err = s.o.Sessions.Find(c.peer, shpid, r.Shell)
		if err == nil && m.sess.Driver != session.Agent {
			err = c.belongs(m.sess)
		}
	}
	if err != nil {
		return s.refuse(m.sess, m.sh, r, "it can't be told whose line this is: "+err.Error())
	}
	r.Roots = s.roots(m.sess, r.Cwd, r.Home)
	m.req = s.inner(m.sess, r, m.via)
	switch {
	case m.req.Line != r.Line:
		s.handed.begin(m.sh.ID, m.req.Line, r.Cwd)
	case m.via == "c" && s.handed.take(m.sh.ID, r.Line, r.Cwd):
		return reply{Verdict: wire.Allow}
	}
	if m.via == "c" && s.agreed.take(m.sess, m.req.Line, m.req.Cwd) {
		return reply{Verdict: wire.Allow}
	}
	if s.pause.is() {
		return s.paused(m)
	}
	settings := s.o.Config.SettingsFor(first(r.Roots), m.sess.Agent)
	if m.via != "c" && settings.Burst != "run" && s.burst.Follows(m.sess.Key, m.sh.TTY) {
		return s.block(m, access.Line{}, policy.Decision{Verdict: policy.VerdictBlock}, approval.Follows(r.Line))
	}
	if req.Get("hist") == "off" {
		return s.unseen(m)
	}
	if m.via == "c" {
		// A -c shell has no aliases, and functions only from the environment.
		m.req.ShellKnown = true
	} else {
		if m.via == "debug" {
			// A line that only defines a function fires no DEBUG trap: what was known
			// of the shell may be out of date.
			s.shells.forget(m.sh.ID)
		}
		sh := s.shells.get(m.sh.ID)
		m.req.ShellKnown, m.req.Aliases, m.req.Functions, m.req.Attributes = sh.known, sh.aliases, sh.functions, sh.attributes
	}
	return s.judge(ctx, m)
}

// belongs makes sure that the peer is in the session of the shell it names. An
// agent's process has a person's shell above it, too.
func (c *conn) belongs(sess session.Session) error {
	own, ok, err := c.s.o.Sessions.Of(c.peer)
	if err == nil && ok && own.Key != sess.Key {
		err = fmt.Errorf("process %d belongs to session %s, not to that of the shell it names", c.peer.Pid, own.Key)
	}
	return err
}

// paused lets a line pass while nothing is judged.
func (s *Server) paused(m *matter) reply {
	until, _ := s.pause.now()
	s.record(m, access.Line{Error: "not judged: paused until " + until.Format(time.TimeOnly)}, policy.Decision{}, "allow", "")
	s.shells.forget(m.sh.ID) // what this line does to the shell isn't known
	return reply{Verdict: wire.Allow}
}

// unseen is a line that the shell couldn't show.
func (s *Server) unseen(m *matter) reply {
	const why = "cannot see this line (history is off): start a new shell"
	found := unjudged(m.req.Line, why)
	pctx := s.context(m.sess, m.req, nil)
	d := s.decide(found, pctx)
	if d.Verdict == policy.VerdictAllow {
		s.record(m, found, d, "allow", "")
		return reply{Verdict: wire.Allow}
	}
	return s.block(m, found, d, "extdir: blocked: "+why)
}

// judge is the way from a line to a verdict. It is taken anew whenever the shell
// has told more.
func (s *Server) judge(ctx context.Context, m *matter) reply {
	begin := time.Now()
	found := m.untold(s.found(ctx, m))
	for range 3 {
		view := s.o.Store.Grants(m.sess)
		pctx := s.context(m.sess, m.req, view)
		d := s.decide(found, pctx)
		m.took = time.Since(begin)
		if needs := m.needs(found, d); len(needs) > 0 && pctx.Mode != "off" {
			return reply{Verdict: wire.NeedIt, Arg: s.need(m, needs)}
		}
		switch d.Verdict {
		case policy.VerdictAllow:
			if !view.Consume() {
				continue // another line took the approval for once
			}
			s.passed(m.sh, found)
			s.record(m, found, d, "allow", "")
			return reply{Verdict: wire.Allow}
		case policy.VerdictPrompt:
			return s.prompt(m, found, d)
		}
		return s.block(m, found, d, approval.Blocked(m.req.Line, d, found, m.req.Roots))
	}
	return s.refuse(m.sess, m.sh, m.req, "other lines took the approval for once; run it again")
}

// passed notes what a line that runs does to what is known of its shell.
func (s *Server) passed(sh session.Shell, found access.Line) {
	s.handed.allow(sh.ID)
	if found.Changes {
		s.shells.forget(sh.ID)
	}
}

// needs are the questions to the shell that could change the decision and were
// not put for this line yet.
func (m *matter) needs(found access.Line, d policy.Decision) []string {
	if d.Verdict == policy.VerdictBlock || m.rounds >= maxRounds {
		return nil
	}
	if !m.req.ShellKnown && !m.told["names:*"] {
		return []string{"names:*"}
	}
	allowed := max(d.Verdict, d.Observed) == policy.VerdictAllow
	var out []string
	for _, n := range found.Needs {
		if (n.Must || !allowed) && m.asks(n) {
			out = append(out, n.Kind+":"+n.Name)
		}
	}
	return out
}

// asks tells whether the shell can be asked for something and wasn't yet.
func (m *matter) asks(n access.Need) bool {
	return !m.told[n.Kind+":"+n.Name] && n.Name != "" && !strings.ContainsAny(n.Name, " \t\n\x00") &&
		(n.Kind != "var" || n.Name[0] < '0' || n.Name[0] > '9')
}

// untold makes an unknown access of what the line can't be allowed without and
// the shell didn't tell.
func (m *matter) untold(found access.Line) access.Line {
	for _, n := range found.Needs {
		if !n.Must || m.rounds < maxRounds && m.asks(n) {
			continue
		}
		found.Accesses = append(slices.Clip(found.Accesses), access.Access{
			Kind: access.Read, Certainty: access.Unknown, External: true, End: len(m.req.Line),
			Why: "the line depends on what $" + n.Name + " holds, which this shell can't tell",
		})
		found.Dynamic = true
	}
	return found
}

// maxRounds is how often a shell is asked about one line. Each round asks for
// what the last made visible (an alias that names a function that names a
// variable); what is unknown after them stays unknown.
const maxRounds = 6

// need keeps the matter until the shell tells.
func (s *Server) need(m *matter, needs []string) string {
	m.rounds++
	for _, n := range needs {
		m.told[n] = true
	}
	id := newID()
	s.matters.put(id, m)
	s.book.put(id, &entry{needs: strings.Join(needs, " ")})
	return id
}

// tell is the shell's answer to a need.
func tell(ctx context.Context, c *conn, req *wire.Request) reply {
	s := c.s
	m := s.matters.take(req.Get("id"))
	if m == nil {
		return s.refuse(session.Session{}, session.Shell{}, request(req), "what the shell told belongs to no line that waits for it")
	}
	// The one who tells must be the shell that was asked: another could make the
	// line look harmless.
	var sh session.Shell
	var err error
	if m.via == "c" {
		_, _, sh, err = s.o.Sessions.Judge(c.peer, m.sh.ID.Pid, m.req.Shell)
	} else {
		_, sh, err = s.o.Sessions.Find(c.peer, m.sh.ID.Pid, m.req.Shell)
	}
	if err != nil || sh.ID != m.sh.ID {
		return s.refuse(m.sess, m.sh, m.req, "another process answered for its shell")
	}
	m.learn(req.Fields)
	if m.via != "c" && m.req.ShellKnown {
		s.shells.set(m.sh.ID, shell{known: true, aliases: m.req.Aliases, functions: m.req.Functions, attributes: m.req.Attributes})
	}
	return s.judge(ctx, m)
}

// learn takes in what the shell told.
func (m *matter) learn(fields []wire.Field) {
	// Copies: the maps may be those that other lines of the shell read.
	m.req.Vars = maps.Clone(m.req.Vars)
	m.req.Aliases = cloned(m.req.Aliases)
	m.req.Functions = cloned(m.req.Functions)
	for _, f := range fields {
		kind, name, _ := strings.Cut(f.Key, ".")
		switch kind {
		case "var":
			m.req.Vars[name] = analyze.Var{Set: true, Value: f.Value}
		case "unset":
			m.req.Vars[name] = analyze.Var{}
		case "declare":
			if v, ok := declared(name, f.Value); ok {
				m.req.Vars[name] = v
			}
		case "alias":
			m.req.Aliases[name] = f.Value
		case "func":
			m.req.Functions[name] = f.Value
		}
	}
	for _, f := range fields {
		switch f.Key {
		case "names":
			m.named(strings.Fields(f.Value))
		case "attributes":
			m.req.Attributes = map[string]string{}
			for _, w := range strings.Fields(f.Value) {
				if name, flags, ok := strings.Cut(w, ":"); ok {
					m.req.Attributes[name] = flags
				}
			}
		}
	}
}

// named takes in the names of all aliases and functions. Which of the two a name
// is shows when its text is asked for; until then it is a function without a
// body, which the analyzer asks about. Texts of names that are gone are dropped.
func (m *matter) named(names []string) {
	maps.DeleteFunc(m.req.Aliases, func(n, _ string) bool { return !slices.Contains(names, n) })
	maps.DeleteFunc(m.req.Functions, func(n, _ string) bool { return !slices.Contains(names, n) })
	for _, n := range names {
		_, alias := m.req.Aliases[n]
		if _, function := m.req.Functions[n]; !alias && !function {
			m.req.Functions[n] = ""
		}
	}
	m.req.ShellKnown = true
}

func cloned(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return maps.Clone(m)
}

// refuse is a refusal of a line that got no further than this.
func (s *Server) refuse(sess session.Session, sh session.Shell, r analyze.Request, why string) reply {
	m := &matter{sess: sess, sh: sh, req: r}
	return s.block(m, unjudged(r.Line, why), policy.Decision{Verdict: policy.VerdictBlock}, "extdir: blocked: "+approval.Escape(why))
}

// block refuses a line, and with it what follows in the same burst.
func (s *Server) block(m *matter, found access.Line, d policy.Decision, words string) reply {
	id := newID()
	s.book.put(id, &entry{text: line(words) + s.broken(m.sess.Key)})
	s.burst.Refused(m.sess.Key, m.sh.TTY)
	s.record(m, found, d, "block", id)
	return reply{Verdict: wire.Block, Arg: id}
}

// line ends s with a newline.
func line(s string) string { return strings.TrimRight(s, "\n") + "\n" }

// prompt puts a question to a person. The waiting terminal itself may be asked
// in a session that a person drives; what an agent's terminal shows could be
// answered by the agent.
func (s *Server) prompt(m *matter, found access.Line, d policy.Decision) reply {
	sess := m.sess
	if len(sess.Roots) == 0 {
		sess.Roots = m.req.Roots // a person's root follows the line's directory
	}
	if sess.Home == "" {
		sess.Home = s.o.Home
	}
	q, err := s.o.Pending.Open(approval.Ask{
		Session: sess, Shell: m.sh, Via: m.via, Line: m.req.Line, Cwd: m.req.Cwd, Found: found, Decision: d,
	})
	if err != nil {
		why := approval.Blocked(m.req.Line, d, found, m.req.Roots)
		if errors.Is(err, approval.ErrLocked) {
			why += ": " + approval.ErrLocked.Error()
		}
		return s.block(m, found, d, why)
	}
	e := &entry{
		ask:   "outside",
		offer: words(approval.Offers(d, found)),
		wait:  int(s.o.Config.SettingsFor(first(m.req.Roots), m.sess.Agent).Wait / time.Millisecond),
	}
	if m.sess.Driver == session.Human && m.via != "c" {
		e.ask = "terminal"
		e.text = line(approval.Question(q))
	} else {
		why := approval.Why(m.req.Line, d, found, m.req.Roots)
		e.text = line("extdir: asking a person: " + why + "; answer elsewhere with: " + s.o.Command + " approve " + q.ID)
	}
	e.text += s.broken(m.sess.Key)
	s.book.put(q.ID, e)
	s.record(m, found, d, "prompt", q.ID)
	return reply{Verdict: wire.Prompt, Arg: q.ID}
}

// words are scopes as the wire names them.
func words(scopes []approval.Scope) string {
	var out []string
	for _, s := range scopes {
		out = append(out, string(s))
	}
	return strings.Join(out, " ")
}

func first(roots []string) string {
	if len(roots) == 0 {
		return ""
	}
	return roots[0]
}
