package hook

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"extdir/hook/wire"
)

// Connect connects to the daemon and starts it if need be, within ten seconds: it is
// for `extdird run`, at which no prompt waits, on a machine that may be busy.
func Connect(o Options) (*wire.Conn, error) {
	c := &call{Options: o, patient: true}
	return c.dial(time.Now().Add(10 * time.Second))
}

// dial connects, and starts the daemon if none runs.
//
// A daemon that hung once is given a tenth of the time for a while: each line of
// a session would otherwise cost a second. It is still asked every time, so that
// it is back in business with the first answer.
func (c *call) dial(end time.Time) (*wire.Conn, error) {
	if c.Socket == "" {
		return nil, errors.New("extdir-hook was not told where the daemon is (socket=)")
	}
	broken := c.marked()
	if broken {
		end = time.Now().Add(shortPatience)
	}
	conn, err := wire.Dial(c.Socket, time.Until(end))
	switch {
	case errors.Is(err, wire.ErrTimeout):
		c.mark()
	case errors.Is(err, wire.ErrNoDaemon) && c.Extdird != "" && !broken:
		conn, err = c.start(end)
	}
	return conn, err
}

// start runs `extdird serve` and connects to it. Several shells may do so at
// once: the daemon's lock lets one of them live, and all connect to that one.
func (c *call) start(end time.Time) (*wire.Conn, error) {
	up := time.Now().Add(startPatience)
	if c.patient || up.After(end) {
		up = end
	}
	if err := c.spawn(); err != nil {
		return nil, &startError{c.Extdird, err}
	}
	c.started = true
	for {
		conn, err := wire.Dial(c.Socket, time.Until(end))
		if !errors.Is(err, wire.ErrNoDaemon) || time.Now().After(up) {
			if err != nil {
				c.mark()
			}
			return conn, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

type startError struct {
	path string
	err  error
}

func (e *startError) Error() string { return e.path + " can't be started: " + e.err.Error() }
func (e *startError) Unwrap() error { return e.err }

// kept are the variables the daemon is started with as they are now: what its
// programs need. Nothing that an agent's session may have put there otherwise
// (LD_PRELOAD, GODEBUG, PATH) reaches it.
var kept = []string{
	"USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
	"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY",
}

// places are the variables that decide which rules are in force, and what is
// allowed by them. They are taken as they are now only by a caller that fixed
// nothing.
var places = []string{"HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"}

func (c *call) spawn() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	args := []string{c.Extdird, "serve"}
	switch {
	case c.Dir != "":
		args = append(args, "--dir", c.Dir)
	case c.Config != "" && c.State != "":
		args = append(args, "--socket", c.Socket, "--config-file", c.Config, "--state-dir", c.State)
	}
	names := kept
	if len(c.Keep) == 0 && c.Config == "" {
		names = append(names[:len(names):len(names)], places...)
	}
	env := append([]string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, c.Keep...)
	for _, k := range names {
		if v, ok := os.LookupEnv(k); ok {
			env = append(env, k+"="+v)
		}
	}
	// The daemon outlives the shell: none of its descriptors may stay open there.
	closeOnExec()
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	_, err = syscall.ForkExec(c.Extdird, args, &syscall.ProcAttr{
		Dir:   "/",
		Env:   env,
		Files: []uintptr{null.Fd(), null.Fd(), null.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	return err
}

// The mark of a hung daemon is an empty file beside its socket; its age is what
// counts. zsh looks at the same file.
func (c *call) markFile() string { return c.Socket + ".hung" }

func (c *call) marked() bool {
	fi, err := os.Lstat(c.markFile())
	return err == nil && time.Since(fi.ModTime()) < brokenFor
}

func (c *call) mark() {
	if c.marked() {
		return // the ten seconds count from the first failure
	}
	os.Remove(c.markFile())
	if f, err := os.OpenFile(c.markFile(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
}

func (c *call) unmark() {
	if _, err := os.Lstat(c.markFile()); err == nil {
		os.Remove(c.markFile())
	}
}

// sweep removes the files of shells that are gone: bash.PID.need and bash.PID.drop
// beside the socket.
func (c *call) sweep() {
	dir := filepath.Dir(c.Socket)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), "bash.")
		if !ok {
			continue
		}
		number, _, _ := strings.Cut(rest, ".")
		if pid, err := strconv.Atoi(number); err == nil && syscall.Kill(pid, 0) == syscall.ESRCH {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
