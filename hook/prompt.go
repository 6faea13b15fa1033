package hook

import (
	"errors"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"extdir/hook/wire"
)

// grace is what the daemon gets on top of its own waiting time to say that the
// time is over.
const grace = 2 * time.Second

// defaultWait stands in for a wait that the daemon didn't name.
const defaultWait = 50 * time.Second

// answer is one end of waiting: the daemon's reply, or a person's choice here.
type answer struct {
	rep    wire.Reply
	err    error
	choice string // "once", "session", "deny"; "" for a reply
	reason string
}

// prompt waits for a person. The daemon says where the person is asked: at this
// terminal, or elsewhere while this process waits. The daemon is asked to wait in
// both cases, so that an answer from elsewhere ends the question here.
func (c *call) prompt(conn *wire.Conn, id string) int {
	// Before anything is shown: from here on a signal is an answer.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	signal.Ignore(unix.SIGTSTP, unix.SIGTTOU, unix.SIGTTIN)

	_, fields, err := c.detail(conn, id, time.Time{})
	if err != nil {
		c.close(id, "cancel", "")
		return c.failed(err)
	}
	wait := defaultWait
	if ms, err := strconv.Atoi(field(fields, "wait")); err == nil && ms >= 0 {
		wait = time.Duration(ms) * time.Millisecond
	}
	answers := make(chan answer, 2)
	go func() {
		conn.SetTimeout(wait + grace)
		req := &wire.Request{Kind: "wait"}
		req.Add("id", id)
		rep, _, err := conn.Ask(stamped(req))
		answers <- answer{rep: rep, err: err}
	}()

	var tty *terminal
	if field(fields, "ask") == "terminal" {
		tty = openTerminal()
	}
	text := ended(field(fields, "text"))
	if tty != nil {
		defer tty.close()
		go func() { answers <- tty.question(text) }()
	} else {
		say(text)
	}

	var a answer
	select {
	case a = <-answers:
	case s := <-signals:
		a = answer{choice: "deny", reason: "interrupted"}
		if s == unix.SIGHUP || s == unix.SIGTERM {
			a.reason = "the shell was ended"
		}
	}
	if tty != nil && a.choice == "" {
		tty.write("answered elsewhere\n")
	}
	tty.close()
	signal.Stop(signals)
	signal.Reset(unix.SIGINT)

	switch {
	case a.choice == "" && a.err != nil:
		return c.failed(a.err)
	case a.choice == "":
		return c.act(conn, a.rep, time.Now().Add(patience))
	case a.choice == "deny" && tty == nil:
		c.close(id, "cancel", "")
		return c.refuse("extdir: blocked: cancelled while waiting for a person\n")
	case a.choice == "deny":
		c.close(id, "answer", "deny")
		return c.refuse("extdir: blocked: refused at this terminal\n")
	}
	rep, err := c.close(id, "answer", a.choice)
	if err != nil {
		return c.failed(err)
	}
	if rep.Verdict == wire.Allow {
		return StatusAllow
	}
	return c.refused(rep)
}

// refused shows what the daemon had against an answer.
func (c *call) refused(rep wire.Reply) int {
	if rep.Verdict == wire.Block {
		if conn, _, err := c.detail(nil, rep.Arg, time.Now().Add(patience)); err == nil {
			defer conn.Close()
			return c.blocked(conn, rep.Arg)
		}
	}
	return c.refuse("extdir: blocked: the answer was not taken (" + rep.Arg + "): answer with `" + c.command("approve") + "` in another terminal\n")
}

// close ends a pending request over a connection of its own: the first one is
// held by the daemon as long as it waits.
func (c *call) close(id, kind, choice string) (wire.Reply, error) {
	conn, err := wire.Dial(c.Socket, patience)
	if err != nil {
		return wire.Reply{}, err
	}
	defer conn.Close()
	req := &wire.Request{Kind: kind}
	req.Add("id", id)
	if choice != "" {
		req.Add("choice", choice)
	}
	if shpid := c.req.Get("shpid"); shpid != "" {
		req.Add("shpid", shpid)
	}
	rep, _, err := conn.Ask(stamped(req))
	return rep, err
}

// terminal is the controlling terminal in raw mode.
type terminal struct {
	fd    int
	saved *unix.Termios
}

// openTerminal returns nil if there is no terminal, or not ours to use now.
func openTerminal() *terminal {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	if pgrp, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || pgrp != unix.Getpgrp() {
		unix.Close(fd)
		return nil
	}
	saved, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		unix.Close(fd)
		return nil
	}
	raw := *saved
	raw.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG | unix.IEXTEN
	raw.Iflag &^= unix.IXON
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &raw); err != nil {
		unix.Close(fd)
		return nil
	}
	return &terminal{fd, saved}
}

// close puts the terminal back; safe to call again, and on nil.
func (t *terminal) close() {
	if t == nil || t.saved == nil {
		return
	}
	tcflush(t.fd)
	unix.IoctlSetTermios(t.fd, setTermios, t.saved)
	t.saved = nil
}

// tooFast is how long after the question an answer can't be one to it: keys that
// were typed ahead, a paste, a program that writes command and answer at once.
const tooFast = 300 * time.Millisecond

var errHangup = errors.New("the terminal was closed")

// question shows text and waits for one key. What was typed before is thrown
// away, and so is what comes faster than a hand.
func (t *terminal) question(text string) answer {
	t.write(text + "extdir: run it?  y once · s for this session · n no  ")
	for shown := time.Now(); ; {
		left := tooFast - time.Since(shown)
		if left <= 0 {
			break
		}
		time.Sleep(left)
	}
	tcflush(t.fd)
	for {
		key, err := t.key()
		if err != nil {
			return answer{choice: "deny", reason: err.Error()}
		}
		switch key {
		case 'y', 'Y':
			t.write("once\n")
			return answer{choice: "once"}
		case 's', 'S':
			t.write("session\n")
			return answer{choice: "session"}
		case 'n', 'N', 3, 4: // also Ctrl-C and Ctrl-D, which are mere bytes now
			t.write("no\n")
			return answer{choice: "deny"}
		}
	}
}

func (t *terminal) key() (byte, error) {
	var b [1]byte
	for {
		n, err := syscall.Read(t.fd, b[:])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 0, errHangup
		case n == 0:
			return 0, errHangup
		default:
			return b[0], nil
		}
	}
}

func (t *terminal) write(s string) {
	for b := []byte(s); len(b) > 0; {
		n, err := unix.Write(t.fd, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return
		}
		b = b[n:]
	}
}
