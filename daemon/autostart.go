package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"extdir/hook/wire"
)

// startWait is how long a command waits for a daemon that it had to start: a machine
// under load takes its time, and nobody's prompt waits for it (the hook's own patience
// is startPatience).
const startWait = 5 * time.Second

// Connect connects to the daemon of the place, and starts it first if there is
// none.
func Connect(p Place) (*wire.Conn, error) {
	c, err := wire.Dial(p.Socket, time.Second)
	if errors.Is(err, wire.ErrNoDaemon) {
		if err := Autostart(p); err != nil {
			return nil, err
		}
		c, err = wire.Dial(p.Socket, time.Second)
	}
	return c, err
}

// Autostart starts the daemon of the place with the running binary and waits
// until it takes connections. That another caller does the same at the same time
// does no harm: the lock lets one of them serve.
//
// What the daemon inherits is chosen, since whoever started it may be an agent's
// shell: a few variables that say where things are, "/" as its directory, a
// process session of its own, no descriptor and a private umask.
func Autostart(p Place) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("can't find the extdird binary to start the daemon: %w", err)
	}
	cmd := exec.Command(exe, p.arguments()...)
	cmd.Env = reducedEnv(os.Environ())
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	old := syscall.Umask(0o077)
	var errs strings.Builder
	r, w, err := os.Pipe()
	if err == nil {
		cmd.Stderr = w
		err = cmd.Start()
		w.Close()
	}
	syscall.Umask(old)
	if err != nil {
		return fmt.Errorf("can't start the daemon: %w", err)
	}
	defer r.Close()
	ended := make(chan struct{})
	go func() {
		// A daemon that can't serve says why and ends.
		r.SetReadDeadline(time.Now().Add(startWait))
		b := make([]byte, 4096)
		n, _ := r.Read(b)
		errs.Write(b[:n])
		cmd.Wait()
		close(ended)
	}()
	for begin := time.Now(); time.Since(begin) < startWait; time.Sleep(5 * time.Millisecond) {
		c, err := wire.Dial(p.Socket, startWait)
		if err == nil {
			c.Close()
			return nil
		}
		if !errors.Is(err, wire.ErrNoDaemon) {
			return err
		}
		select {
		case <-ended:
			if msg := strings.TrimSpace(errs.String()); msg != "" {
				return fmt.Errorf("can't start the daemon: %s", strings.TrimPrefix(msg, "extdird: "))
			}
		default:
		}
	}
	return fmt.Errorf("the daemon was started and doesn't answer after %v: see %s", startWait, p.Log)
}

// reducedEnv keeps what the daemon needs to find its files and to say so.
func reducedEnv(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "HOME", "USER", "LOGNAME", "PATH", "LANG", "TMPDIR",
			"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "GOCOVERDIR":
			out = append(out, kv)
		}
	}
	return out
}
