package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"extdir/integration/term"
)

// The test binary stands in for extdird: as wrapper and as anchor.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == ChildCommand {
		err := Child(os.Args[2:])
		fmt.Fprintln(os.Stderr, "extdird:", err)
		os.Exit(1)
	}
	if spec := os.Getenv("TEST_RUN"); spec != "" {
		os.Unsetenv("TEST_RUN")
		o := Options{Extdird: os.Args[0]}
		for _, kv := range strings.Split(spec, "\n") {
			k, v, _ := strings.Cut(kv, "=")
			switch k {
			case "hook":
				o.Hook = v
			case "socket":
				o.Socket = v
			case "shell":
				o.Shell = v
			case "config":
				o.Config = v
			case "state":
				o.State = v
			case "agent":
				o.Agent = v
			case "root":
				o.Roots = append(o.Roots, v)
			}
		}
		if len(os.Args) > 1 {
			o.Command = os.Args[1:]
		}
		status, err := Run(o)
		if err != nil {
			fmt.Fprintln(os.Stderr, "extdird:", err)
		}
		os.Exit(status)
	}
	dir, err := os.MkdirTemp("", "hook")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	hookPath = filepath.Join(dir, "extdir-hook")
	if err := term.BuildHook(hookPath); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

var hookPath string

// world is a scratch home with a stand-in daemon.
type world struct {
	t    *testing.T
	d    *term.Daemon
	home string
	work string
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, d: term.NewDaemon(t), home: term.TempDir(t)}
	w.work = filepath.Join(w.home, "work")
	if err := os.Mkdir(w.work, 0o755); err != nil {
		t.Fatal(err)
	}
	w.write(".bashrc", "PS1='"+term.Prompt+"'\nbashrc=read\nunset HISTFILE\n")
	w.write(".zshrc", "PS1='"+term.Prompt+"'\nunsetopt prompt_sp\nzshrc=read\n")
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.home, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) env(options ...string) []string {
	options = append(options, "hook="+hookPath, "socket="+w.d.Socket)
	return []string{"HOME=" + w.home, "TEST_RUN=" + strings.Join(options, "\n")}
}

// run starts the wrapper on a terminal.
func (w *world) run(options []string, command ...string) *term.Term {
	w.t.Helper()
	return term.Start(w.t, term.Options{Dir: w.work, Env: w.env(options...), Quiet: len(command) > 0}, append([]string{os.Args[0]}, command...)...)
}

// output starts the wrapper without a terminal.
func (w *world) output(options []string, command ...string) (string, int) {
	w.t.Helper()
	cmd := exec.Command(os.Args[0], command...)
	cmd.Dir = w.work
	cmd.Env = append(w.env(options...), "PATH="+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

func (w *world) files() string {
	entries, err := os.ReadDir(w.work)
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
