package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"extdir/hook/wire"
)

// ErrRunning: another daemon holds the lock of this place.
var ErrRunning = errors.New("already running")

// hold is the single daemon's claim on its place: the open run directory and the
// lock. The lock file is never removed: a name that can vanish between open and
// flock would let two daemons hold "the" lock.
type hold struct {
	place Place
	dir   int
	lock  int
}

func (p Place) take() (*hold, error) {
	dir, err := p.makeRun()
	if err != nil {
		return nil, err
	}
	lock, err := unix.Openat(dir, lockName, unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if err != nil {
		unix.Close(dir)
		return nil, fmt.Errorf("can't open the lock %s: %w", p.Lock, err)
	}
	h := &hold{place: p, dir: dir, lock: lock}
	var st unix.Stat_t
	if err := unix.Fstat(lock, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		h.release()
		return nil, fmt.Errorf("the lock %s is not a regular file; remove it", p.Lock)
	}
	switch err := flock(lock); err {
	case nil:
	case unix.EWOULDBLOCK:
		h.release()
		return nil, ErrRunning
	default:
		h.release()
		return nil, fmt.Errorf("can't lock %s: %w", p.Lock, err)
	}
	// The number is for people who look; nothing trusts it.
	if unix.Ftruncate(lock, 0) == nil {
		unix.Pwrite(lock, []byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return h, nil
}

// patience is how long a start waits for a holder that nobody can reach: it is
// starting, or was killed and isn't all gone (the kernel closes the files of a
// process some time after its memory).
const patience = 400 * time.Millisecond

// takeOver takes the place as soon as it is free. ErrRunning means that somebody
// else serves it.
func (p Place) takeOver(ctx context.Context) (*hold, error) {
	for begin := time.Now(); ; {
		h, err := p.take()
		if !errors.Is(err, ErrRunning) || time.Since(begin) > patience {
			return h, err
		}
		c, derr := wire.Dial(p.Socket, patience)
		if derr == nil {
			c.Close()
		}
		if !errors.Is(derr, wire.ErrNoDaemon) {
			return nil, ErrRunning
		}
		select {
		case <-ctx.Done():
			return nil, ErrRunning
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func flock(fd int) error {
	for {
		err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EINTR {
			return err
		}
	}
}

// listen binds the socket in the very directory that was checked. Whatever has
// the socket's name is left over from a daemon that is gone: we hold the lock.
func (h *hold) listen() (*net.UnixListener, error) {
	if err := h.unlink(); err != nil {
		return nil, err
	}
	addr, err := wire.SocketAddr(h.dir, h.place.Run, socketName)
	if err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: addr.Name, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s: %w", h.place.Socket, err)
	}
	l.SetUnlinkOnClose(false) // by us, through the directory's descriptor
	if err := unix.Fchmodat(h.dir, socketName, 0o600, 0); err != nil {
		l.Close()
		return nil, fmt.Errorf("can't set the mode of %s: %w", h.place.Socket, err)
	}
	return l, nil
}

func (h *hold) unlink() error {
	if err := unix.Unlinkat(h.dir, socketName, 0); err != nil && err != unix.ENOENT {
		return fmt.Errorf("can't remove the old socket %s: %w", h.place.Socket, err)
	}
	return nil
}

// lost tells whether the place was taken from under the daemon: its directory or
// socket is gone or replaced, so that no client can reach it any more.
func (h *hold) lost() bool {
	var dir, sock, now unix.Stat_t
	if unix.Fstat(h.dir, &dir) != nil || unix.Lstat(h.place.Run, &now) != nil || dir.Ino != now.Ino || dir.Dev != now.Dev {
		return true
	}
	return unix.Fstatat(h.dir, socketName, &sock, unix.AT_SYMLINK_NOFOLLOW) != nil
}

func (h *hold) release() {
	unix.Close(h.lock)
	unix.Close(h.dir)
}
