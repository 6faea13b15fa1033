package session

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// PeerOf tells who connected. macOS has no handle on a process; LOCAL_PEERPID
// is the pid that connected (or last took the socket over), and the start time
// must be the same before and after the credentials are read.
func PeerOf(conn *net.UnixConn) (Peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return Peer{}, err
	}
	peer := Peer{Pidfd: -1}
	var first ID
	var inner error
	if err := raw.Control(func(fd uintptr) {
		peer.Pid, inner = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		if inner != nil {
			return
		}
		if first, inner = Identify(peer.Pid); inner != nil {
			return
		}
		var cred *unix.Xucred
		if cred, inner = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); inner != nil {
			return
		}
		peer.UID = int(cred.Uid)
		again := 0
		if again, inner = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID); inner == nil && again != peer.Pid {
			inner = fmt.Errorf("the connection changed hands from process %d to %d", peer.Pid, again)
		}
	}); err != nil {
		return Peer{}, err
	}
	if inner != nil {
		return Peer{}, fmt.Errorf("the kernel doesn't tell who connected: %w", inner)
	}
	again, err := Identify(peer.Pid)
	if err != nil || again != first {
		return Peer{}, fmt.Errorf("process %d ended while it was looked at", peer.Pid)
	}
	peer.Start = first.Start
	return peer, nil
}

// Alive: there is no handle to ask; start times must do.
func (p Peer) Alive() bool { return true }

// Close has nothing to give back.
func (p *Peer) Close() {}
