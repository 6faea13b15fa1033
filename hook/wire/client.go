package wire

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Errors of Dial and OpenDir, comparable with errors.Is.
var (
	// ErrNoDaemon: nobody listens on the socket. Starting the daemon may help.
	ErrNoDaemon = errors.New("extdird is not running")
	// ErrForeign: the socket, or the directory it lies in, is not the user's own.
	ErrForeign = errors.New("is not yours alone")
	// ErrTimeout: the daemon took longer than the caller wanted to wait.
	ErrTimeout = errors.New("extdird does not answer")
	// ErrGone: the daemon ended before it said a word of its reply. What was asked
	// may or may not have been seen by it. It is an ErrNoDaemon.
	ErrGone error = goneError{}
)

type goneError struct{}

func (goneError) Error() string { return "extdird ended before it answered" }
func (goneError) Unwrap() error { return ErrNoDaemon }

// maxBody bounds what a client is willing to hold of one reply's body.
const maxBody = 64 << 20

// Conn is a connection to the daemon. It uses system calls directly: package net
// would cost a client that lives for a millisecond more than the question does.
type Conn struct {
	fd       int
	deadline time.Time
}

// OpenDir opens the directory of a socket and checks that it is a real directory
// (not a link to one) of this user that nobody else can enter. The descriptor is
// close-on-exec and good for openat and for a path through /proc/self/fd.
func OpenDir(dir string) (fd int, err error) {
	fd, err = unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch err {
	case nil:
	case unix.ENOTDIR, unix.ELOOP:
		return -1, &pathError{dir, "is not a directory, or a symlink to one; remove it", ErrForeign}
	default:
		return -1, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return -1, &os.PathError{Op: "stat", Path: dir, Err: err}
	}
	switch {
	case int(st.Uid) != os.Geteuid():
		err = &pathError{dir, "belongs to uid " + strconv.Itoa(int(st.Uid)) + ", not to you; remove it", ErrForeign}
	case st.Mode&0o077 != 0:
		err = &pathError{dir, "is open to others (mode 0" + strconv.FormatUint(uint64(st.Mode&0o777), 8) + "); chmod 700 it", ErrForeign}
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

type pathError struct {
	path, what string
	err        error
}

func (e *pathError) Error() string { return e.path + " " + e.what }
func (e *pathError) Unwrap() error { return e.err }

// Dial connects to the daemon at the socket path and makes sure that the process
// at the other end runs under this user. timeout holds for the connection and for
// every Ask until SetTimeout says otherwise.
func Dial(path string, timeout time.Duration) (*Conn, error) {
	dir, name := split(path)
	dfd, err := OpenDir(dir)
	if err != nil {
		if errors.Is(err, unix.ENOENT) {
			return nil, ErrNoDaemon
		}
		return nil, err
	}
	defer unix.Close(dfd)
	addr, err := SocketAddr(dfd, dir, name)
	if err != nil {
		return nil, err
	}
	fd, err := socket()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	c := &Conn{fd: fd}
	c.SetTimeout(timeout)
	if err := c.connect(addr); err != nil {
		c.Close()
		return nil, err
	}
	uid, err := peerUID(fd)
	if err != nil || uid != os.Geteuid() {
		c.Close()
		return nil, &pathError{path, "is served by another user; don't use it", ErrForeign}
	}
	return c, nil
}

func (c *Conn) connect(addr *unix.SockaddrUnix) error {
	for {
		if err := c.arm(); err != nil {
			return err
		}
		switch err := unix.Connect(c.fd, addr); err {
		case nil, unix.EISCONN:
			return nil
		case unix.EINTR:
		case unix.EAGAIN: // the daemon's backlog is full and SO_SNDTIMEO ran out
			return ErrTimeout
		case unix.ENOENT, unix.ECONNREFUSED:
			return ErrNoDaemon
		default:
			return os.NewSyscallError("connect", err)
		}
	}
}

func split(path string) (dir, name string) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[:max(i, 1)], path[i+1:]
		}
	}
	return ".", path
}

// Adopt is a connection that was made, and checked, before the Go runtime started.
func Adopt(fd int, timeout time.Duration) (*Conn, error) {
	if err := unix.SetNonblock(fd, false); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	c := &Conn{fd: fd}
	c.SetTimeout(timeout)
	return c, nil
}

// Reply reads the reply to a request that was sent on an adopted connection; head
// is what was read of it before.
func (c *Conn) Reply(seq string, head []byte) (Reply, error) {
	line := make([]byte, ReplyLen)
	n := copy(line, head)
	if err := c.fill(line, n); err != nil {
		return Reply{}, err
	}
	rep, err := ParseReply(line)
	if err == nil && (rep.Seq != seq || rep.Verdict == Body) {
		err = ErrReply
	}
	return rep, err
}

// SetTimeout bounds everything done on the connection from now on; 0 takes the
// bound away.
func (c *Conn) SetTimeout(d time.Duration) {
	c.deadline = time.Time{}
	if d > 0 {
		c.deadline = time.Now().Add(d)
	}
}

// arm gives the kernel what is left until the deadline.
func (c *Conn) arm() error {
	var tv unix.Timeval
	if !c.deadline.IsZero() {
		left := time.Until(c.deadline)
		if left <= 0 {
			return ErrTimeout
		}
		tv = unix.NsecToTimeval(max(left, time.Microsecond).Nanoseconds())
	}
	if err := unix.SetsockoptTimeval(c.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	return os.NewSyscallError("setsockopt", unix.SetsockoptTimeval(c.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &tv))
}

// Close closes the connection. It doesn't end an Ask that waits on another
// goroutine: only the end of the process does.
func (c *Conn) Close() error {
	if c.fd < 0 {
		return nil
	}
	fd := c.fd
	c.fd = -1
	return unix.Close(fd)
}

// Ask sends a request and reads its reply, and the body if the reply has one. A
// reply to another request than this one (its seq differs) is an error: the
// stream is out of step and must be closed.
func (c *Conn) Ask(req *Request) (Reply, []byte, error) {
	b := req.Append(nil)
	if len(b) > MaxRequest {
		return Reply{}, nil, ErrTooLong
	}
	for len(b) > 0 {
		n, err := c.syscall(syscall.Write, b)
		if errors.Is(err, errBroken) {
			break // what it said before it closed is still there to read
		}
		if err != nil {
			return Reply{}, nil, err
		}
		b = b[n:]
	}
	line := make([]byte, ReplyLen)
	if err := c.fill(line, 0); err != nil {
		return Reply{}, nil, err
	}
	rep, err := ParseReply(line)
	if err != nil {
		return Reply{}, nil, err
	}
	seq := req.Get("seq")
	if seq == "" {
		seq = "-"
	}
	if rep.Seq != seq {
		return Reply{}, nil, ErrReply
	}
	if rep.Verdict != Body {
		return rep, nil, nil
	}
	n, err := strconv.Atoi(rep.Arg)
	if err != nil || n < 0 || n > maxBody {
		return Reply{}, nil, ErrReply
	}
	body := make([]byte, n)
	switch err := c.fill(body, 0); {
	case errors.Is(err, ErrGone):
		return Reply{}, nil, ErrReply // it had begun to answer
	case err != nil:
		return Reply{}, nil, err
	}
	return rep, body, nil
}

// fill reads b from b[have] on.
func (c *Conn) fill(b []byte, have int) error {
	for have < len(b) {
		n, err := c.syscall(syscall.Read, b[have:])
		if err != nil && !errors.Is(err, errBroken) {
			return err
		}
		if err != nil || n == 0 {
			if have == 0 {
				return ErrGone
			}
			return ErrReply // closed in the middle
		}
		have += n
	}
	return nil
}

// errBroken: the other end has closed the connection.
var errBroken = errors.New("connection closed")

// syscall runs read or write. A call with a time limit on the socket ends with
// EINTR at any signal, SA_RESTART or not (signal(7)), so it is taken up again
// with what is left.
func (c *Conn) syscall(call func(int, []byte) (int, error), b []byte) (int, error) {
	for {
		if err := c.arm(); err != nil {
			return 0, err
		}
		switch n, err := call(c.fd, b); err {
		case nil:
			return n, nil
		case syscall.EINTR:
		case syscall.EAGAIN:
			return 0, ErrTimeout
		case syscall.EPIPE, syscall.ECONNRESET:
			return 0, errBroken
		default:
			return 0, os.NewSyscallError("socket", err)
		}
	}
}
