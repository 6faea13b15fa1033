package server

import (
	"log/slog"
	"net"

	"extdir/daemon/access"
	"extdir/daemon/analyze"
	"extdir/daemon/approval"
	"extdir/daemon/audit"
	"extdir/daemon/config"
	"extdir/daemon/session"
	"extdir/daemon/specs"
)

// Options are the parts a server is made of.
type Options struct {
	Version string
	Log     *slog.Logger
	// Peer tells who connected.
	Peer func(*net.UnixConn) (session.Peer, error)
	// Analyze finds what a line would touch.
	Analyze  func(analyze.Request) access.Line
	Sessions *session.Manager
	Config   *config.Config
	Specs    *specs.Set // nil: the built-in ones alone
	Store    *approval.Store
	Pending  *approval.Pending
	Audit    *audit.Log
	// Touch does what Analyze does for files that a host's tool names.
	Touch func(analyze.Request, []analyze.File) access.Line
	// Inner takes the host's frame off a line of that agent, if it has one.
	Inner func(agent string, r analyze.Request) analyze.Request
	// Command is how a person calls extdird, for hints; "": by its name.
	Command string
	// Program is the file the daemon was started from.
	Program session.File
	Home    string // the user's home directory at the daemon's start
	Files   Files
	// Stop ends the daemon; Reload reads its configuration anew.
	Stop   func()
	Reload func() error
}
