package server

import (
	"log/slog"
	"net"

	"extdir/daemon/session"
)

// Options are the parts a server is made of.
type Options struct {
	Version string
	Log     *slog.Logger
	// Peer tells who connected.
	Peer func(*net.UnixConn) (session.Peer, error)
	// Person tells whether the peer may answer questions: nil, or why not.
	Person func(session.Peer) error
	// Stop ends the daemon; Reload reads its configuration anew.
	Stop   func()
	Reload func() error
}
