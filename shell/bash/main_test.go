package bash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"extdir/integration/term"
)

// hook is the real extdir-hook, built once.
var hook string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "hook")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	hook = filepath.Join(dir, "extdir-hook")
	if err := term.BuildHook(hook); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// guarded is a bash with the guard loaded, in an empty directory.
type guarded struct {
	*term.Term
	t    *testing.T
	d    *term.Daemon
	dir  string
	hook string
}

// setup is what a scenario may want different.
type setup struct {
	via   string
	rc    string // start file, before the guard
	after string // … after it
	env   []string
	argv  []string
	fail  string
	quiet bool
	bare  bool // without the guard
	// copied: with a hook of its own. revived: what starts the daemon revives it.
	copied, revived bool
}

// home makes a scratch home whose .bashrc loads the guard.
func home(t *testing.T, d *term.Daemon, s setup) (dir string, env []string) {
	t.Helper()
	term.Need(t, "bash", "bash")
	dir = term.TempDir(t)
	p := Params{Hook: hook, Socket: d.Socket, Via: s.via, Fail: s.fail, Env: filepath.Join(dir, ".env.bash")}
	if s.copied {
		p.Hook = copyHook(t, dir)
	}
	if s.revived {
		p.Extdird = d.Revived()
	}
	write(t, filepath.Join(dir, ".env.bash"), Env(p))
	guard := Script(p)
	if s.bare {
		guard = ""
	}
	write(t, filepath.Join(dir, ".bashrc"), "PS1='"+term.Prompt+"'\nHISTFILE=$HOME/.hist\n"+s.rc+"\n"+guard+s.after+"\n")
	write(t, filepath.Join(dir, ".inputrc"), "set bell-style none\n")
	return dir, append([]string{"INPUTRC=" + dir + "/.inputrc"}, s.env...)
}

func start(t *testing.T, s setup) *guarded {
	t.Helper()
	d := term.NewDaemon(t)
	dir, env := home(t, d, s)
	argv := s.argv
	if argv == nil {
		argv = []string{"bash", "-i"}
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	tt := term.Start(t, term.Options{Dir: work, Env: append(env, "HOME="+dir), Quiet: s.quiet}, argv...)
	return &guarded{tt, t, d, work, filepath.Join(dir, "extdir-hook")}
}

// copyHook puts a hook into dir that a test may take away.
func copyHook(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(hook)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "extdir-hook")
	term.Program(t, path, b)
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// files are the names in the working directory.
func (g *guarded) files() string {
	g.t.Helper()
	entries, err := os.ReadDir(g.dir)
	if err != nil {
		g.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// hasFiles fails unless exactly these files are there.
func (g *guarded) hasFiles(want string) {
	g.t.Helper()
	if have := g.files(); have != want {
		g.t.Fatalf("files: have %q, want %q; screen:\n%s", have, want, g.Screen())
	}
}

// prints runs a line and fails unless it prints exactly want.
func (g *guarded) prints(line, want string) {
	g.t.Helper()
	if have := strings.TrimRight(g.Run(line), "\n"); have != want {
		g.t.Fatalf("%q printed %q, want %q; screen:\n%s", line, have, want, g.Screen())
	}
}

// blocks runs a line and fails unless the refusal is shown.
func (g *guarded) blocks(line string) {
	g.t.Helper()
	if out := g.Run(line); !strings.Contains(out, "extdir: blocked: ") {
		g.t.Fatalf("%q was not refused: %q; screen:\n%s", line, out, g.Screen())
	}
}

// checked fails unless exactly these lines were checked.
func (g *guarded) checked(want ...string) {
	g.t.Helper()
	if have := g.d.Checked(); strings.Join(have, "\x00") != strings.Join(want, "\x00") {
		g.t.Fatalf("checked: have %q, want %q; screen:\n%s", have, want, g.Screen())
	}
}

func itoa(n int) string { return fmt.Sprint(n) }

// attached waits until a tracer is at pid.
func attached(pid int) bool {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if strings.Contains(string(b), "TracerPid:\t") && !strings.Contains(string(b), "TracerPid:\t0\n") {
			return true
		}
	}
	return false
}
