package server

import (
	"context"
	"os"
	"time"

	"extdir/daemon/config"
	"extdir/daemon/session"
	"extdir/daemon/specs"
	"extdir/hook/wire"
)

func init() {
	handlers["status"] = handler{handle: status}
}

// Status is the state of the daemon in JSON.
type Status struct {
	Version string `json:"version"`
	Pid     int    `json:"pid"`
	Program string `json:"program"` // what the daemon was started from
	// Replaced: another file lies there by now, as after an update.
	Replaced bool   `json:"replaced,omitempty"`
	Since    string `json:"since"`
	Files    Files  `json:"files"`
	Config   struct {
		Generation uint64   `json:"generation"`
		Loaded     string   `json:"loaded,omitempty"`
		Missing    bool     `json:"missing,omitempty"`
		Problem    string   `json:"problem,omitempty"`
		Problems   []string `json:"problems,omitempty"`
		Holds      string   `json:"holds,omitempty"` // what is in force while there are problems
		Polling    string   `json:"polling,omitempty"`
		Fail       string   `json:"fail"`
		Observe    bool     `json:"observe,omitempty"`
		Wait       string   `json:"wait"`
		Burst      string   `json:"burst"`
	} `json:"config"`
	Specs *specs.Status `json:"specs,omitempty"`
	// Grants says why approvals don't outlive the daemon, if they don't.
	Grants      string `json:"grants,omitempty"`
	Evidence    string `json:"evidence"`
	Connections int    `json:"connections"`
	Sessions    int    `json:"sessions"`
	Pending     int    `json:"pending"`
	Session     string `json:"session,omitempty"` // the peer's own
	// Hosts are the agents whose hooks were run since the daemon started.
	Hosts map[string]HostCalls `json:"hosts,omitempty"`
	// Reduced lists what makes the guard protect less than it says, one sentence
	// each.
	Reduced []string `json:"reduced"`
}

func status(_ context.Context, c *conn, _ *wire.Request) reply {
	s := c.s
	st := Status{
		Version: s.o.Version, Pid: os.Getpid(), Since: s.begin.UTC().Format(timeFormat), Files: s.o.Files,
		Grants: s.o.Store.Status(), Evidence: s.o.Sessions.Tier().String(),
		Sessions: len(s.o.Sessions.Sessions()), Pending: len(s.o.Pending.List()), Reduced: []string{}, Hosts: s.hosts.all(),
	}
	if p := s.o.Program; p != (session.File{}) {
		st.Program, st.Replaced = p.Path, !session.FileAt(p.Path).Same(p)
	}
	s.mu.Lock()
	st.Connections = len(s.conns)
	s.mu.Unlock()
	cs, set := s.o.Config.Status(), s.o.Config.Settings()
	st.Config.Generation, st.Config.Missing, st.Config.Problem, st.Config.Polling = cs.Generation, cs.Missing, cs.Problem, cs.Polling
	st.Config.Holds = cs.Holds
	if !cs.Loaded.IsZero() {
		st.Config.Loaded = cs.Loaded.UTC().Format(timeFormat)
	}
	for _, p := range cs.Problems {
		st.Config.Problems = append(st.Config.Problems, p.Error())
	}
	st.Config.Fail, st.Config.Observe, st.Config.Wait, st.Config.Burst = set.Fail, set.Observe, set.Wait.String(), set.Burst
	if own, ok, err := s.o.Sessions.Of(c.peer); err == nil && ok {
		st.Session = own.Key
	}
	st.Reduced = append(st.Reduced, reduced(cs, set)...)
	if s.o.Specs != nil {
		known := s.o.Specs.Status()
		st.Specs = &known
		if why := known.Problem(); why != "" {
			st.Reduced = append(st.Reduced, "a description of commands is not in force: "+why)
		}
	}
	if st.Grants != "" {
		st.Reduced = append(st.Reduced, "approvals are not saved: "+st.Grants)
	}
	if until, is := s.pause.now(); is {
		st.Reduced = append(st.Reduced, "paused until "+until.Format(time.TimeOnly)+": every line runs unjudged ("+s.o.Command+" pause 0 ends it)")
	}
	if why := s.o.Audit.Status(); why != "" {
		st.Reduced = append(st.Reduced, "decisions are not logged: "+why)
	}
	if n := s.o.Audit.Dropped(); n > 0 {
		st.Reduced = append(st.Reduced, itoa(int(n))+" decisions were not logged: too many at once")
	}
	return jsonBody(st)
}

// reduced says what the user's own choices and broken files take from the guard.
func reduced(cs config.Status, set config.Settings) []string {
	var out []string
	if cs.Problem != "" {
		what := "the configuration on disk is not in force: " + cs.Problem
		if cs.Holds != "" {
			what += "; " + cs.Holds
		}
		out = append(out, what)
	}
	if cs.Unkept != "" {
		out = append(out, cs.Unkept)
	}
	if set.Fail == "open" {
		out = append(out, `"fail": "open": lines run unjudged while the daemon can't be reached`)
	}
	if set.Observe {
		out = append(out, `"observe": true: nothing is asked in any session`)
	}
	if set.Burst == "run" {
		out = append(out, `"burst": "run": lines pasted after a refused one still run`)
	}
	return out
}

// Files are where a daemon keeps things, as status shows them.
type Files struct {
	Socket string `json:"socket"`
	Config string `json:"config"`
	Specs  string `json:"specs,omitempty"`
	State  string `json:"state"`
	Log    string `json:"log"`
}
