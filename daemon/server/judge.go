package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/analyze"
	"extdir/daemon/approval"
	"extdir/daemon/explain"
	"extdir/daemon/policy"
	"extdir/daemon/session"
	"extdir/hook/wire"
)

// maxLine is the length of a line beyond which nothing is judged.
const maxLine = 256 << 10

// matter is a line to judge with everything that is known about it.
type matter struct {
	sess session.Session
	sh   session.Shell
	via  string // "ps0", "debug", "preexec" or "c"
	req  analyze.Request
	// told are the things the shell was asked about this very line, so that
	// nothing is asked twice; rounds counts how often it was asked.
	told   map[string]bool
	rounds int
	since  time.Time     // of the last round
	took   time.Duration // of the last judging
	// files are what a host's tool touches, in place of a line.
	files []analyze.File
}

// optionNames are the shell options that clients report when they are on; one of
// these that isn't reported is off, any other has the shell's default.
var optionNames = []string{
	"autocd", "dotglob", "expand_aliases", "extglob", "failglob", "globstar", "nocaseglob", "nullglob",
	"caseglob", "glob", // of zsh, on by default
}

// request reads the keys of check (and explain) into what the analyzer wants.
func request(req *wire.Request) analyze.Request {
	r := analyze.Request{
		Line: req.Get("line"), Shell: req.Get("shell"), Cwd: req.Get("cwd"), OldPwd: req.Get("oldpwd"),
		Home: req.Get("home"), CDPath: req.Get("cdpath"), Interactive: req.Get("via") != "c",
		Vars: map[string]analyze.Var{},
	}
	if r.Shell != "zsh" {
		r.Shell = "bash"
	}
	if !strings.HasPrefix(r.Cwd, "/") {
		r.Cwd = ""
	}
	for name, value := range map[string]string{"HOME": r.Home, "PWD": r.Cwd, "OLDPWD": r.OldPwd} {
		if value != "" {
			r.Vars[name] = analyze.Var{Set: true, Exported: true, Value: value}
		}
	}
	if req.Has("opts") {
		// Blanks, or colons as in $BASHOPTS:$SHELLOPTS.
		on := strings.FieldsFunc(req.Get("opts"), func(r rune) bool { return r == ' ' || r == ':' })
		r.Options = map[string]bool{}
		for _, name := range optionNames {
			r.Options[name] = slices.Contains(on, name)
		}
		for _, name := range on {
			r.Options[name] = true
		}
	}
	return r
}

// unjudged is the line that couldn't be looked at: one unknown access.
func unjudged(line, why string) access.Line {
	return access.Line{
		Accesses: []access.Access{{
			Kind: access.Read, Certainty: access.Unknown, External: true, Why: why, End: len(line),
		}},
		Dynamic: true, Error: why,
	}
}

// found is what a line, or a tool, would touch.
func (s *Server) found(ctx context.Context, m *matter) access.Line {
	if len(m.files) > 0 {
		return s.worked(ctx, m.req, func() access.Line { return s.o.Touch(m.req, m.files) })
	}
	return s.analyze(ctx, m.req)
}

// analyze looks at a line on a worker. Whatever goes wrong, the line is one
// unknown access.
func (s *Server) analyze(ctx context.Context, r analyze.Request) access.Line {
	return s.worked(ctx, r, func() access.Line { return s.o.Analyze(r) })
}

func (s *Server) worked(ctx context.Context, r analyze.Request, look func() access.Line) access.Line {
	if len(r.Line) > maxLine {
		return unjudged(r.Line, "the line is too long to judge")
	}
	var found access.Line
	// A late worker may still write to found: it is read after success alone.
	err := s.judges.run(ctx, s.lim.judge, func() { found = look() })
	var p *panicked
	switch {
	case err == nil:
		return found
	case errors.As(err, &p):
		id := newID()
		s.log.Error("internal error", "incident", id, "panic", p.value, "stack", string(p.stack))
		return unjudged(r.Line, fmt.Sprintf("internal error while judging (incident %s)", id))
	default:
		s.log.Warn("line not judged", "err", err)
		return unjudged(r.Line, "the line "+errLate.Error())
	}
}

// roots are the directories that count as inside for a line of a session.
func (s *Server) roots(sess session.Session, cwd, home string) []string {
	roots := slices.Clone(sess.Roots)
	add := func(dirs ...string) {
		for _, dir := range dirs {
			if dir != "" && !slices.Contains(roots, dir) {
				roots = append(roots, dir)
			}
		}
	}
	if sess.Driver != session.Agent {
		add(session.FindRoot(cwd, home))
	}
	add(s.o.Config.Roots(first(roots))...)
	for _, dir := range s.o.Config.Settings().Roots {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			add(real)
		}
	}
	return roots
}

// mode is how the session is treated: an agent's is always asked.
func (s *Server) mode(sess session.Session, root string) string {
	if sess.Driver == session.Agent {
		return "ask"
	}
	switch sess.Guard {
	case "on":
		return "ask"
	case "off":
		return "off"
	}
	if human := s.o.Config.SettingsFor(root, "").Human; human != "" {
		return human
	}
	if sess.Run {
		return "ask"
	}
	return "observe"
}

// context is what the policy wants to know besides the line.
func (s *Server) context(sess session.Session, r analyze.Request, grants policy.Grants) policy.Context {
	return policy.Context{
		Line: r.Line, Cwd: r.Cwd, Agent: sess.Agent, Driver: sess.Driver,
		Mode: s.mode(sess, first(r.Roots)), Roots: r.Roots, Grants: grants,
	}
}

// contextOf is the context a question was decided in.
func (s *Server) contextOf(q approval.Request) policy.Context {
	return policy.Context{
		Line: q.Line, Cwd: q.Cwd, Agent: q.Session.Agent, Driver: q.Session.Driver, Roots: q.Session.Roots,
	}
}

// inner takes the frame off that an agent's host puts round its lines.
func (s *Server) inner(sess session.Session, r analyze.Request, via string) analyze.Request {
	if s.o.Inner == nil || via != "c" || sess.Agent == "" {
		return r
	}
	return s.o.Inner(sess.Agent, r)
}

// decide is the policy's word on what was found.
func (s *Server) decide(found access.Line, ctx policy.Context) policy.Decision {
	return s.o.Config.Policy(first(ctx.Roots), ctx.Agent).Decide(found, ctx)
}

// explained judges a line for show: nothing is asked, stored or logged.
func (s *Server) explained(ctx context.Context, sess session.Session, r analyze.Request) explain.Explanation {
	begin := time.Now()
	found := s.analyze(ctx, r)
	analyzed := time.Now()
	pctx := s.context(sess, r, s.o.Store.Grants(sess))
	d := s.decide(found, pctx)
	return explain.Explained(found, pctx, d, explain.Stages{
		Analyze: analyzed.Sub(begin), Decide: time.Since(analyzed),
	})
}
