package session

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// PeerOf tells who connected. The caller closes the peer's Pidfd ([Peer.Close]).
//
// SO_PEERCRED names whoever called connect, and a pid alone may mean another
// process by now. SO_PEERPIDFD (Linux 6.5) holds on to the process itself.
// Older kernels: a pidfd is opened for the pid, and the start time must be the
// same before and after.
func PeerOf(conn *net.UnixConn) (Peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return Peer{}, err
	}
	peer := Peer{Pidfd: -1}
	var inner error
	if err := raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		cred, inner = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		if inner != nil {
			return
		}
		peer.Pid, peer.UID = int(cred.Pid), int(cred.Uid)
		n, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		if err == nil {
			peer.Pidfd = n
			return
		}
		if !errors.Is(err, unix.ENOPROTOOPT) {
			// ESRCH, ENODATA: the peer is gone.
			inner = err
		}
	}); err != nil {
		return Peer{}, err
	}
	if inner != nil {
		return Peer{}, fmt.Errorf("the kernel doesn't tell who connected: %w", inner)
	}
	if peer.Pid <= 0 {
		peer.Close()
		return Peer{}, errors.New("the peer lives outside this pid namespace, so nothing can be known of it")
	}
	first, err := Identify(peer.Pid)
	if err != nil {
		peer.Close()
		return Peer{}, err
	}
	if peer.Pidfd < 0 {
		fd, err := unix.PidfdOpen(peer.Pid, 0)
		switch {
		case err == nil:
			peer.Pidfd = fd
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
			// Linux before 5.3, or a filter; start times alone must do.
		default:
			return Peer{}, fmt.Errorf("process %d: %w", peer.Pid, err)
		}
		again, err := Identify(peer.Pid)
		if err != nil || again != first {
			peer.Close()
			return Peer{}, fmt.Errorf("process %d ended while it was looked at", peer.Pid)
		}
	}
	peer.Start = first.Start
	if !peer.Alive() {
		peer.Close()
		return Peer{}, fmt.Errorf("process %d ended while it was looked at", peer.Pid)
	}
	return peer, nil
}

// Alive tells whether the peer still runs, by its pidfd. Without one it can only
// be told by start times, and Alive is true.
func (p Peer) Alive() bool {
	if !p.held() {
		return true
	}
	for {
		fds := []unix.PollFd{{Fd: int32(p.Pidfd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && n == 0
	}
}

// held: there is a pidfd. None is 0, the zero value's: the Go runtime opens
// /dev/null for a standard descriptor that is closed at its start
// (runtime.checkfds, Go 1.21).
func (p Peer) held() bool { return p.Pidfd > 0 }

// Close gives the pidfd back.
func (p *Peer) Close() {
	if p.held() {
		_ = unix.Close(p.Pidfd)
		p.Pidfd = -1
	}
}
