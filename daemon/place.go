// Package daemon puts extdird together: where it lives, that there is one of it,
// and how its parts are started, reloaded and stopped.
//
// A daemon belongs to one user and one [Place]: a directory for the socket and
// the lock, a configuration file, a directory for state. The lock comes first:
// whoever holds it may remove what an earlier daemon left of its socket, and
// nobody else touches it. So a daemon that was killed can be followed at once,
// and of twenty that start together one serves.
package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"extdir/hook/wire"
)

// Place is where one daemon keeps what it needs.
type Place struct {
	Dir    string // of --dir; "" for the user's own place
	Run    string // directory of socket and lock, mode 0700
	Socket string
	Lock   string
	Config string // the user's configuration file
	Specs  string // the folder of the user's spec files, beside it
	State  string // directory of grants and decision log
	Log    string // what the daemon itself has to say
	Audit  string // the decision log
}

const (
	socketName = "extdird.sock"
	lockName   = "extdird.lock"
)

// FindPlace returns the place of the daemon of this user by the XDG conventions,
// or below dir if that isn't empty. It looks, but makes nothing.
func FindPlace(dir string) (Place, error) { return findPlace(dir, os.Getenv, os.Geteuid()) }

// PlaceOf is a place given by its parts: what a session found when it began.
func PlaceOf(socket, config, state string) (Place, error) {
	for _, path := range []string{socket, config, state} {
		if !filepath.IsAbs(path) {
			return Place{}, fmt.Errorf("socket, configuration and state of a daemon are absolute paths, not %q", path)
		}
	}
	if filepath.Base(socket) != socketName {
		return Place{}, fmt.Errorf("the socket of a daemon is called %s, not %s", socketName, filepath.Base(socket))
	}
	return newPlace("", filepath.Dir(socket), config, state), nil
}

// arguments are those with which extdird serves the place.
func (p Place) arguments() []string {
	if p.Dir != "" {
		return []string{"serve", "--dir", p.Dir}
	}
	return []string{"serve", "--socket", p.Socket, "--config-file", p.Config, "--state-dir", p.State}
}

func findPlace(dir string, getenv func(string) string, uid int) (Place, error) {
	if dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return Place{}, fmt.Errorf("--dir %s: %w", dir, err)
		}
		// Sessions compare the place by name: one directory, one name.
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			abs = real
		}
		return newPlace(abs, filepath.Join(abs, "run"), filepath.Join(abs, "config.json"), filepath.Join(abs, "state")), nil
	}
	// In a session it is the session's, whatever has become of the variables below.
	if p, err := PlaceOf(getenv("EXTDIR_SOCKET"), getenv("EXTDIR_CONFIG"), getenv("EXTDIR_STATE")); err == nil {
		return p, nil
	}
	home := getenv("HOME")
	xdg := func(name, fallback string) (string, error) {
		// "All paths set in these environment variables must be absolute. If an
		// implementation encounters a relative path … it should consider the path
		// invalid and ignore it." (XDG Base Directory Specification 0.8)
		if v := getenv(name); filepath.IsAbs(v) {
			return filepath.Clean(v), nil
		}
		if !filepath.IsAbs(home) {
			return "", fmt.Errorf("HOME is not set to an absolute path, and neither is %s: set one of them, or use --dir", name)
		}
		return filepath.Join(home, fallback), nil
	}
	config, err := xdg("XDG_CONFIG_HOME", ".config")
	if err != nil {
		return Place{}, err
	}
	state, err := xdg("XDG_STATE_HOME", ".local/state")
	if err != nil {
		return Place{}, err
	}
	state = filepath.Join(state, "extdir")
	run := filepath.Join(state, "run")
	if home != "" && filepath.IsAbs(home) {
		// Not below XDG_STATE_HOME: the socket must be found by every shell of
		// the user, also by those which set that variable.
		run = filepath.Join(home, ".local/state/extdir/run")
	}
	for _, base := range []string{getenv("XDG_RUNTIME_DIR"), "/run/user/" + strconv.Itoa(uid)} {
		if filepath.IsAbs(base) && ownDir(base) {
			run = filepath.Join(base, "extdir")
			break
		}
	}
	return newPlace("", run, filepath.Join(config, "extdir", "config.json"), state), nil
}

func newPlace(dir, run, config, state string) Place {
	return Place{
		Dir: dir, Run: run,
		Socket: filepath.Join(run, socketName), Lock: filepath.Join(run, lockName),
		Config: config, Specs: filepath.Join(filepath.Dir(config), "specs"), State: state, Log: filepath.Join(state, "extdird.log"), Audit: filepath.Join(state, "decisions.jsonl"),
	}
}

// ownDir tells whether dir is a directory of this user that nobody else can enter.
func ownDir(dir string) bool {
	fd, err := wire.OpenDir(dir)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// makeRun makes the run directory where it is missing and opens it. A directory
// that is there and isn't private to the user is refused, never repaired: its
// contents can't be trusted.
func (p Place) makeRun() (fd int, err error) {
	if err := os.MkdirAll(filepath.Dir(p.Run), 0o700); err != nil {
		return -1, fmt.Errorf("can't make the directory for the socket: %w", err)
	}
	if err := os.Mkdir(p.Run, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return -1, fmt.Errorf("can't make the directory for the socket: %w", err)
	}
	fd, err = wire.OpenDir(p.Run)
	if err != nil {
		return -1, fmt.Errorf("can't use the directory for the socket: %w", err)
	}
	return fd, nil
}

// makeState makes the state directory. Its contents are written by name, so it
// has to be the user's own too.
func (p Place) makeState() error {
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return fmt.Errorf("can't make the state directory: %w", err)
	}
	fi, err := os.Stat(p.State)
	if err != nil {
		return fmt.Errorf("can't use the state directory: %w", err)
	}
	if !fi.IsDir() {
		return fmt.Errorf("can't use the state directory: %s is not a directory", p.State)
	}
	if err := os.Chmod(p.State, 0o700); err != nil {
		return fmt.Errorf("can't use the state directory: %w", err)
	}
	return nil
}
