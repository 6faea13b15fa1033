package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"extdir/hook/wire"
)

// The test binary is a daemon when it is told so: locks, kills and starts are
// about processes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		dir := ""
		if len(os.Args) > 3 && os.Args[2] == "--dir" {
			dir = os.Args[3]
		}
		p, err := FindPlace(dir)
		if err == nil {
			err = Serve(context.Background(), Options{Place: p, Version: "test"})
		}
		switch {
		case errors.Is(err, ErrRunning):
			fmt.Println(err)
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func start(t *testing.T, dir string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe, "serve", "--dir", dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, &out
}

// await waits until the daemon of the place answers.
func await(t *testing.T, p Place) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		c, err := wire.Dial(p.Socket, time.Second)
		if err == nil {
			defer c.Close()
			rep, _, err := c.Ask(&wire.Request{Kind: "ping"})
			if err == nil && rep.Verdict == wire.OK && rep.Arg == "test" {
				return
			}
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(p.Log)
			t.Fatalf("no answer: %v\n%s", err, log)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestParallelStarts(t *testing.T) {
	const n, rounds = 20, 3
	for range rounds {
		dir := t.TempDir()
		p, err := FindPlace(dir)
		must(t, err)
		var mu sync.Mutex
		said := 0
		ended := make(chan error, n)
		var running []*exec.Cmd
		for range n {
			cmd, out := start(t, dir)
			running = append(running, cmd)
			go func() {
				err := cmd.Wait()
				mu.Lock()
				if strings.Contains(out.String(), "already running") {
					said++
				}
				mu.Unlock()
				if err != nil {
					err = fmt.Errorf("%w: %s", err, out)
				}
				ended <- err
			}()
		}
		for i := range n - 1 {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("a start that lost ended with %v", err)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%d of %d starts serve", n-i, n)
			}
		}
		await(t, p)
		if said != n-1 {
			t.Errorf("%d of %d said that one is running", said, n-1)
		}
		for _, cmd := range running {
			cmd.Process.Signal(syscall.SIGTERM)
		}
		if err := <-ended; err != nil {
			t.Errorf("the one that served ended with %v on SIGTERM", err)
		}
		if _, err := os.Lstat(p.Socket); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket is left after a clean end: %v", err)
		}
		if _, err := os.Lstat(p.Lock); err != nil {
			t.Errorf("the lock is gone: %v", err)
		}
	}
}

func TestRestartAfterKill(t *testing.T) {
	dir := t.TempDir()
	p, err := FindPlace(dir)
	must(t, err)
	cmd, _ := start(t, dir)
	for range 10 {
		await(t, p)
		must(t, cmd.Process.Kill())
		cmd.Wait()
		begin := time.Now()
		cmd, _ = start(t, dir)
		await(t, p)
		if d := time.Since(begin); d > 20*time.Second {
			t.Errorf("the next daemon answered after %v", d)
		}
	}
	// Frozen is not dead: its lock holds.
	must(t, cmd.Process.Signal(syscall.SIGSTOP))
	second, out := start(t, dir)
	if err := second.Wait(); err != nil || !strings.Contains(out.String(), "already running") {
		t.Errorf("second start beside a frozen daemon: %v, %s", err, out)
	}
}

func TestAutostart(t *testing.T) {
	// A place deeper than a socket's address can name.
	dir := filepath.Join(t.TempDir(), strings.Repeat("deep/", 40))
	must(t, os.MkdirAll(dir, 0o700))
	p, err := FindPlace(dir)
	must(t, err)
	t.Setenv("EXTDIR_SECRET", "1")
	before := children(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c, err := Connect(p)
			if err != nil {
				t.Error(err)
				return
			}
			c.Close()
		})
	}
	wg.Wait()
	pid, err := os.ReadFile(p.Lock)
	must(t, err)
	// The others, which came too late, may not have ended yet.
	for deadline := time.Now().Add(20 * time.Second); len(children(t)) > len(before)+1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("daemons beside the one that serves: %v, with %v from before", children(t), before)
		}
	}
	proc := "/proc/" + strings.TrimSpace(string(pid))
	environ, err := os.ReadFile(proc + "/environ")
	if err == nil {
		if bytes.Contains(environ, []byte("EXTDIR_SECRET")) {
			t.Error("the daemon inherited the whole environment")
		}
		if cwd, err := os.Readlink(proc + "/cwd"); err != nil || cwd != "/" {
			t.Errorf("the daemon's directory is %s (%v)", cwd, err)
		}
	} else if !errors.Is(err, os.ErrPermission) && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	var n int
	fmt.Sscan(string(pid), &n)
	must(t, syscall.Kill(n, syscall.SIGTERM))
	deadline := time.Now().Add(5 * time.Second)
	for {
		if syscall.Kill(n, 0) != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the daemon doesn't end")
		}
		time.Sleep(time.Millisecond)
	}
}

// children are the processes that this one started and that go on, on Linux.
func children(t *testing.T) []string {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	must(t, err)
	var all []string
	for _, l := range lists {
		b, _ := os.ReadFile(l)
		all = append(all, strings.Fields(string(b))...)
	}
	return all
}

func TestAutostartSaysWhyNot(t *testing.T) {
	p, err := FindPlace(t.TempDir())
	must(t, err)
	must(t, os.WriteFile(p.State, nil, 0o600))
	if err := Autostart(p); err == nil || !strings.Contains(err.Error(), "state directory") {
		t.Errorf("got %v", err)
	}
}
