package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// bin is the directory of the binaries under test: real ones, since a daemon is
// started by its own path and compares programs by file.
var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "extdird-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = dir
	build := exec.Command("go", "build", "-o", dir+"/", "extdir/cmd/extdird", "extdir/cmd/extdir-hook")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the binaries under test:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// The command line as people and scripts see it: testdata/script.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv("BIN", bin)
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("TERM", "dumb")
			e.Setenv("SHELL", "/bin/bash")
			e.Setenv("TMPDIR", "")
			for _, name := range []string{"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
				e.Setenv(name, "")
			}
			e.Defer(func() { killAll(e.WorkDir) })
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"awaitping": awaitPing,
			"signal":    signalDaemon,
			"reduced":   awaitReduced,
		},
	})
}

// pidOf reads the number of the daemon whose place is dir.
func pidOf(dir string) (int, error) {
	b, err := os.ReadFile(filepath.Join(dir, "run", "extdird.lock"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

// killAll ends the daemons that a script left below its folder.
func killAll(dir string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "extdird.lock" {
			place := filepath.Dir(filepath.Dir(path))
			if pid, err := pidOf(place); err == nil && serves(pid) {
				syscall.Kill(pid, syscall.SIGKILL)
				gone(pid)
			}
		}
		return nil
	})
}

// serves makes sure that a number still means one of our daemons: it runs "serve"
// and isn't a zombie, which has no command line. (Its exe can't be read by others:
// see daemon.Harden.)
func serves(pid int) bool {
	cmd, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && strings.Contains(string(cmd), bin+"/extdird\x00serve\x00")
}

func gone(pid int) bool {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if !serves(pid) && ended(pid) {
			return true
		}
	}
	return false
}

// ended tells whether a process has closed its files too: a killed one has no
// command line any more some milliseconds before its socket refuses.
func ended(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	// The first thread may be a zombie while another still holds the files.
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	return len(threads) <= 1 && (strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X"))
}

// awaitPing DIR waits until the daemon of DIR answers without starting one.
func awaitPing(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Lstat(filepath.Join(dir, "run", "extdird.sock")); err == nil {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("the daemon of %s doesn't answer", args[0])
		}
	}
}

// reduced DIR waits until the status of the daemon of DIR says that protection is
// reduced.
func awaitReduced(ts *testscript.TestScript, neg bool, args []string) {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if err := ts.Exec("extdird", "status", "--dir", args[0]); err != nil {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("the daemon of %s sees nothing wrong", args[0])
		}
	}
}

// signal DIR NAME sends the daemon of DIR a signal and, if it ends by it, waits
// for that.
func signalDaemon(ts *testscript.TestScript, neg bool, args []string) {
	pid, err := pidOf(ts.MkAbs(args[0]))
	ts.Check(err)
	if !serves(pid) {
		ts.Fatalf("process %d is no daemon of this test", pid)
	}
	sig := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL}[args[1]]
	ts.Check(syscall.Kill(pid, sig))
	if !gone(pid) {
		ts.Fatalf("the daemon doesn't end")
	}
}
