package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// tracker follows every fork below the agent sessions by the kernel's proc
// connector (Documentation/driver-api/connector.rst, linux/cn_proc.h), so that a
// double fork can't leave a session however fast it is. The kernel queues an
// event before the new process runs; draining the queue before a question is
// answered therefore sees all that happened before.
//
// The kernel refuses it to ordinary users before Linux 6.6 and sends nothing
// outside the first pid and network namespaces; then there is no tracker and
// the evidence is of a lower tier.
type tracker struct {
	fd   int
	stop *os.File // closing it ends run
	wake *os.File
	done chan struct{}

	table Table

	mu     sync.Mutex
	live   map[int]string // process of a session → key, in the order of events
	pruned int            // how many were left when the dead were last taken out
	lossy  bool           // events were lost: what is missing can't be known
}

// From linux/connector.h and linux/cn_proc.h; x/sys has none of them.
const (
	cnIdxProc      = 1
	cnValProc      = 1
	procListen     = 1
	procEventFork  = 0x00000001
	nlHeaderLen    = unix.SizeofNlMsghdr
	cnHeaderLen    = 20
	eventHeaderLen = 16
	trackBuffer    = 4 << 20 // 20 000 forks in a row gave no overflow (measured on 6.18)
)

// startTracker asks the kernel for fork events, and makes sure that they come.
func startTracker(table Table) (*tracker, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_CONNECTOR)
	if err != nil {
		return nil, fmt.Errorf("forks can't be followed: %w", err)
	}
	t := &tracker{fd: fd, table: table, live: map[int]string{}, done: make(chan struct{})}
	if err := t.listen(); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("forks can't be followed: %w", err)
	}
	if t.wake, t.stop, err = os.Pipe(); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	go t.run()
	return t, nil
}

func (t *tracker) listen() error {
	// The larger limit needs rights; the smaller one is as good as it gets then.
	if unix.SetsockoptInt(t.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, trackBuffer) != nil {
		_ = unix.SetsockoptInt(t.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, trackBuffer)
	}
	if err := unix.Bind(t.fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: cnIdxProc}); err != nil {
		return err
	}
	// struct proc_input: the operation, then (since 6.6) a mask of events.
	const bodyLen = 8
	msg := make([]byte, nlHeaderLen+cnHeaderLen+bodyLen)
	le := binary.NativeEndian
	le.PutUint32(msg[0:], uint32(len(msg)))
	le.PutUint16(msg[4:], unix.NLMSG_DONE)
	cn := msg[nlHeaderLen:]
	le.PutUint32(cn[0:], cnIdxProc)
	le.PutUint32(cn[4:], cnValProc)
	le.PutUint16(cn[16:], bodyLen)
	le.PutUint32(cn[cnHeaderLen:], procListen)
	le.PutUint32(cn[cnHeaderLen+4:], procEventFork)
	if err := unix.Sendto(t.fd, msg, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	return t.prove()
}

// prove makes a fork of our own and waits for its event. The kernel's answer to
// the request won't do: outside the first pid namespace it says nothing, and
// since 6.6 nothing either way (measured on 6.18).
func (t *tracker) prove() error {
	// The fork happens, the exec in the child fails.
	if p, err := os.StartProcess(os.DevNull, []string{os.DevNull}, &os.ProcAttr{}); err == nil {
		_, _ = p.Wait()
	}
	var buf [4096]byte
	for end := time.Now().Add(200 * time.Millisecond); ; {
		left := time.Until(end)
		if left <= 0 {
			return errors.New("the kernel sends no events; it does from Linux 6.6 on, in its first pid and network namespaces")
		}
		fds := []unix.PollFd{{Fd: int32(t.fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, int(left.Milliseconds())+1); err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		n, from, err := unix.Recvfrom(t.fd, buf[:], 0)
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		what, body, ok := event(buf[:n])
		if fromKernel(from) && ok && what == procEventFork && len(body) >= 8 && int(binary.NativeEndian.Uint32(body[4:])) == os.Getpid() {
			return nil
		}
	}
}

// fromKernel: another process can send to our socket as well, and would have
// the tracker forget processes by invented births.
func fromKernel(sa unix.Sockaddr) bool {
	nl, ok := sa.(*unix.SockaddrNetlink)
	return ok && nl.Pid == 0
}

// event takes a message apart: struct nlmsghdr, struct cn_msg, struct proc_event.
func event(b []byte) (what uint32, body []byte, ok bool) {
	le := binary.NativeEndian
	if len(b) < nlHeaderLen+cnHeaderLen+eventHeaderLen {
		return 0, nil, false
	}
	cn := b[nlHeaderLen:]
	if le.Uint32(cn[0:]) != cnIdxProc || le.Uint32(cn[4:]) != cnValProc {
		return 0, nil, false
	}
	ev := cn[cnHeaderLen:]
	return le.Uint32(ev), ev[eventHeaderLen:], true
}

func (t *tracker) run() {
	defer close(t.done)
	for {
		fds := []unix.PollFd{{Fd: int32(t.fd), Events: unix.POLLIN}, {Fd: int32(t.wake.Fd()), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			t.mu.Lock()
			t.lossy = true
			t.mu.Unlock()
			return
		}
		if fds[1].Revents != 0 {
			return
		}
		t.mu.Lock()
		t.drain()
		t.mu.Unlock()
	}
}

// drain takes all events that wait. The caller holds the lock.
func (t *tracker) drain() {
	var buf [4096]byte
	le := binary.NativeEndian
	for {
		n, from, err := unix.Recvfrom(t.fd, buf[:], 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return
		case errors.Is(err, unix.ENOBUFS):
			t.lossy = true
			continue
		case err != nil:
			t.lossy = true
			return
		}
		if !fromKernel(from) {
			continue
		}
		what, body, ok := event(buf[:n])
		if !ok || len(body) < 16 {
			continue
		}
		if what != procEventFork {
			continue
		}
		// Parent's pid and thread group, child's pid and thread group.
		parent, child, group := int(le.Uint32(body[4:])), int(le.Uint32(body[8:])), int(le.Uint32(body[12:]))
		if child != group {
			continue // a thread
		}
		// A pid that comes anew is nobody's, whatever was there before.
		delete(t.live, child)
		if key, ok := t.live[parent]; ok {
			t.live[child] = key
			if len(t.live) > 2*t.pruned+1024 {
				t.prune()
			}
		}
	}
}

// prune takes out who is gone. The kernel's exit events won't do: one is sent
// when the first thread of a process ends, and the others may go on and fork.
func (t *tracker) prune() {
	maps.DeleteFunc(t.live, func(pid int, _ string) bool {
		_, err := t.table.Proc(pid)
		return isGone(err)
	})
	t.pruned = len(t.live)
}

// add begins to follow a process.
func (t *tracker) add(pid int, key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live[pid] = key
}

// below returns the running processes of all sessions; ok is false if events
// were lost since it was last called.
func (t *tracker) below() (live map[int]string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drain()
	t.prune()
	ok, t.lossy = !t.lossy, false
	return maps.Clone(t.live), ok
}

func (t *tracker) close() {
	_ = t.stop.Close()
	<-t.done
	_ = t.wake.Close()
	_ = unix.Close(t.fd)
}
