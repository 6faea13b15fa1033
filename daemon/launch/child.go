package launch

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"extdir/hook/wire"
)

// Child registers this process as the anchor of a new session and becomes the
// program behind "--". It returns only if it can't.
func Child(args []string) error {
	var socket, path string
	req := &wire.Request{Kind: "session"}
	for len(args) > 0 && args[0] != "--" {
		k, v, _ := strings.Cut(args[0], "=")
		switch k {
		case "socket":
			socket = v
		case "path":
			path = v
		case "agent", "root":
			req.Add(k, v)
		}
		args = args[1:]
	}
	if len(args) < 2 || socket == "" || path == "" {
		return errors.New(ChildCommand + " is for extdird run to call")
	}
	argv := args[1:]
	if cwd, err := os.Getwd(); err == nil {
		req.Add("cwd", cwd)
	}
	if home, err := os.UserHomeDir(); err == nil {
		req.Add("home", home)
	}
	req.Add("shell", kind(argv[0]))
	if err := register(socket, req); err != nil {
		return err
	}
	if err := syscall.Exec(path, argv, os.Environ()); err != nil {
		return fmt.Errorf("can't start %s: %w", path, err)
	}
	return nil
}

// register asks the daemon for a session. Without one nothing is started: it
// would run unguarded under a name that says it is guarded.
func register(socket string, req *wire.Request) error {
	conn, err := wire.Dial(socket, 2*time.Second)
	if err != nil {
		return fmt.Errorf("no session: can't reach the daemon at %s: %w", socket, err)
	}
	defer conn.Close()
	rep, body, err := conn.Ask(req)
	if err != nil {
		return fmt.Errorf("no session: %w", err)
	}
	if rep.Verdict != wire.Body {
		return fmt.Errorf("no session: the daemon refused (%s %s)", rep.Verdict, rep.Arg)
	}
	fields, err := wire.ParseFields(body)
	if err != nil {
		return fmt.Errorf("no session: %w", err)
	}
	id := ""
	for _, f := range fields {
		switch f.Key {
		case "text":
			return errors.New("no session: " + strings.TrimSpace(f.Value))
		case "id":
			id = f.Value
		}
	}
	if id == "" {
		return errors.New("no session: the daemon gave it no name")
	}
	return nil
}
