// Package launch is `extdird run`: it starts a shell, or an agent's program, as
// the anchor of a session of its own, with the guard loaded and no start file of
// the user touched.
//
// There are three processes. The wrapper ([Run]) makes the start files, becomes
// the reaper of what its descendants orphan (so that nothing they start drops out
// of the session's ancestry while it lives), passes signals on and ends with the
// status of the second. The second ([Child], the same binary again) tells the
// daemon that it is an anchor and then becomes, by exec, the third: shell or
// agent. A process can register only itself, so the daemon takes nobody's word
// for who that is.
package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"extdir/hook"
	"extdir/shell/bash"
	"extdir/shell/zsh"
)

// ChildCommand is the hidden command of extdird that has to call [Child].
const ChildCommand = "run-child"

// Options say what to start, and for whom.
type Options struct {
	Agent   string   // name of the agent; "" for a person's session
	Roots   []string // directories that count as inside; none: found from the working directory
	Shell   string   // bash or zsh, name or path; "" means $SHELL
	Command []string // program and arguments; empty: an interactive shell
	Socket  string   // the daemon's socket
	Dir     string   // --dir of the daemon, or ""
	Extdird string   // absolute path of extdird
	Hook    string   // absolute path of extdir-hook
	Config  string   // the daemon's configuration file, where Dir is ""
	State   string   // the daemon's directory for state, where Dir is ""
	Keep    []string // NAME=VALUE that the daemon is started with
	Fail    string   // "open" lets lines pass without a daemon
}

// Run starts what the options say, waits for it, and returns its exit status
// (128 + N if signal N ended it).
func Run(o Options) (int, error) {
	// The daemon has to be there: an anchor can't be made later.
	conn, err := hook.Connect(hook.Options{Socket: o.Socket, Extdird: o.Extdird, Dir: o.Dir, Config: o.Config, State: o.State, Keep: o.Keep})
	if err != nil {
		return 1, fmt.Errorf("can't reach the daemon at %s: %w", o.Socket, err)
	}
	conn.Close()

	files, err := writeFiles(o)
	if err != nil {
		return 1, err
	}
	defer files.remove()
	argv, err := o.argv(files)
	if err != nil {
		return 1, err
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return 127, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return 127, err
	}
	words := []string{o.Extdird, ChildCommand, "socket=" + o.Socket, "agent=" + o.Agent, "path=" + path}
	for _, r := range o.Roots {
		words = append(words, "root="+r)
	}
	words = append(append(words, "--"), argv...)
	return supervise(o.Extdird, words, files.environ(os.Environ(), o))
}

// argv is the command line of the anchor.
func (o Options) argv(f files) ([]string, error) {
	if len(o.Command) > 0 {
		return o.Command, nil
	}
	shell := o.Shell
	if shell == "" {
		shell = os.Getenv("SHELL")
	}
	switch kind(shell) {
	case "bash":
		return []string{shell, "--rcfile", f.rc(), "-i"}, nil
	case "zsh":
		return []string{shell, "-i"}, nil
	}
	if shell == "" {
		return nil, errors.New("SHELL is not set: say which shell to start with --shell bash or --shell zsh")
	}
	return nil, fmt.Errorf("%s can't be guarded: start bash or zsh with --shell, or a program behind --", shell)
}

// kind is the kind of a shell, by the name of its program: "bash-5.2" is bash.
func kind(shell string) string {
	name := strings.TrimPrefix(filepath.Base(shell), "-")
	for _, k := range []string{"bash", "zsh"} {
		if name == k || strings.HasPrefix(name, k+"-") {
			return k
		}
	}
	return name
}

// params are the constants of the integration.
func (o Options) params(f files) (bash.Params, zsh.Params) {
	return bash.Params{
		Hook: o.Hook, Extdird: o.Extdird, Socket: o.Socket, Dir: o.Dir,
		Config: o.Config, State: o.State, Keep: o.Keep, Fail: o.Fail, Env: f.env(),
	}, zsh.Params{
		Hook: o.Hook, Extdird: o.Extdird, Socket: o.Socket, Dir: o.Dir,
		Config: o.Config, State: o.State, Keep: o.Keep, Fail: o.Fail,
	}
}
