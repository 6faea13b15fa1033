package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"

	"extdir/daemon/access"
	"extdir/daemon/analyze"
	"extdir/daemon/approval"
	"extdir/daemon/audit"
	"extdir/daemon/command"
	"extdir/daemon/config"
	"extdir/daemon/frame"
	"extdir/daemon/resolve"
	"extdir/daemon/server"
	"extdir/daemon/session"
	"extdir/daemon/specs"
	"extdir/daemon/watch"
)

// parts are what a daemon is made of, and how they are given back.
type parts struct {
	options server.Options
	closers []func()
}

func (p *parts) close() {
	for i := len(p.closers) - 1; i >= 0; i-- {
		p.closers[i]()
	}
}

// assemble opens what the server works with, in the order of who needs whom.
func assemble(ctx context.Context, place Place, log *slog.Logger) (_ *parts, err error) {
	p := &parts{}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // "~" in rules then matches nothing, and says so
	}
	warn := func(err error) { log.Warn("warning", "err", err) }

	call := place.Call()

	table, err := command.Builtin()
	if err != nil {
		return nil, err
	}
	watcher := watch.New()
	p.closers = append(p.closers, watcher.Close)
	known := specs.Open(specs.Options{User: place.Specs, Managed: specs.Managed}, table)
	analyzer := analyze.Analyzer{FS: resolve.OS()}

	conf, err := config.Open(config.Options{
		File: place.Config, Managed: ManagedConfig, Home: home, TmpDir: os.Getenv("TMPDIR"),
		Own: ownFiles(place, home), OwnLinks: known.Own, Keep: place.State, Watch: watcher,
		OnChange: func(st config.Status) {
			log.Info("configuration", "generation", st.Generation, "problem", st.Problem)
		},
	})
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, conf.Close)

	store, err := approval.Open(filepath.Join(place.State, "grants.db"), approval.Options{Warn: warn, Command: call})
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, func() {
		if err := store.Close(); err != nil {
			warn(err)
		}
	})

	pending := approval.NewPending(store)
	decisions := audit.Open(place.Audit, audit.Options{})
	p.closers = append(p.closers, func() { decisions.Close() })

	sessions, err := session.NewManager(session.Config{
		Keep: store, Own: ownPrograms(), UID: os.Geteuid(), Warn: warn, Command: call,
		Programs: programsOf(conf),
		Ended: func(s session.Session) {
			log.Info("session ended", "key", s.Key)
			pending.EndSession(s.Key)
		},
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); sessions.Watch(ctx) }()
	p.closers = append(p.closers, func() { cancel(); <-ended })
	say := func(st specs.Status) {
		log.Info("specs", "generation", st.Generation, "files", st.Files, "problem", st.Problem())
	}
	say(known.Status())
	follower := known.Follow(watcher, func(st specs.Status) {
		conf.Renew() // links in the folder may lead elsewhere
		say(st)
	})

	p.options = server.Options{
		Log: log, Peer: session.PeerOf, Specs: known,
		Analyze: func(r analyze.Request) access.Line {
			a := analyzer
			a.Commands = known.Table()
			return a.Analyze(r)
		},
		Touch: func(r analyze.Request, files []analyze.File) access.Line {
			a := analyzer
			a.Commands = known.Table()
			return a.Files(r, files)
		},
		Inner: func(agent string, r analyze.Request) analyze.Request {
			return frame.Request(agent, r, frame.Place{Home: home, TmpDir: os.Getenv("TMPDIR")})
		},
		Sessions: sessions, Config: conf, Store: store, Pending: pending, Audit: decisions, Command: call, Home: home,
		Program: program(),
		Files:   server.Files{Socket: place.Socket, Config: place.Config, Specs: place.Specs, State: place.State, Log: place.Log},
		Reload:  func() error { conf.Reload(); follower.Reload(); return nil },
	}
	return p, nil
}

// ManagedConfig is the administrator's file. It holds wherever the daemon's place
// is.
const ManagedConfig = "/etc/extdir/config.json"

// ownFiles are what no line of an agent may write to: what the guard is made of
// and what makes shells load it.
func ownFiles(place Place, home string) []string {
	own := []string{place.Run, place.State, filepath.Dir(place.Config)}
	if place.Dir != "" {
		own = []string{place.Run, place.State, place.Config, place.Specs}
	}
	own = append(own, binaries()...)
	if home == "" {
		return own
	}
	for _, name := range startFiles {
		own = append(own, filepath.Join(home, name))
	}
	return own
}

// startFiles are below home: the shells' start files that carry the integration
// (bash(1) INVOCATION, zsh(1) STARTUP FILES), and the settings in which agents
// name their hooks.
var startFiles = []string{
	".bashrc", ".bash_profile", ".bash_login", ".profile", ".bash_logout",
	".zshenv", ".zshrc", ".zprofile", ".zlogin", ".zlogout",
	".claude/settings.json", ".claude/settings.local.json",
	".codex/hooks.json", ".codex/config.toml", ".gemini/settings.json",
	".cursor/hooks.json", ".copilot/hooks", ".config/opencode/plugins", ".config/opencode/plugin", ".pi/agent/extensions",
	// What hosts source before an agent's words.
	".claude/shell-snapshots", ".codex/shell_snapshots",
}

// programsOf gives the names that the configuration adds, made ready once for each
// state of it.
func programsOf(conf *config.Config) func() *session.Programs {
	type made struct {
		of       *config.Programs
		programs *session.Programs
	}
	var last atomic.Pointer[made]
	return func() *session.Programs {
		now := conf.Programs()
		if m := last.Load(); m != nil && m.of == now {
			return m.programs
		}
		m := &made{now, session.NewPrograms(now.Agents, now.Terminals)}
		last.Store(m)
		return m.programs
	}
}
