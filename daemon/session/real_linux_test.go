package session

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

const askEnv = "EXTDIR_TEST_ASK"

// The test binary stands for the control command: started with askEnv it asks
// at that socket whether it counts as a person, and writes the answer to a file.
func TestMain(m *testing.M) {
	if path := os.Getenv(askEnv); path != "" {
		conn, err := net.Dial("unix", path)
		if err == nil {
			_, err = io.Copy(io.Discard, conn)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// asker is a daemon that answers one question: who are you?
type asker struct {
	t    *testing.T
	m    *Manager
	path string
	got  chan Standing
}

func newAsker(t *testing.T) *asker {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(exe)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewManager(Config{UID: os.Getuid(), Own: []File{fileOf(exe, fi)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	dir, err := os.MkdirTemp("", "ask") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	a := &asker{t: t, m: m, path: filepath.Join(dir, "s"), got: make(chan Standing, 1)}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: a.path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := l.AcceptUnix()
			if err != nil {
				return
			}
			p, err := PeerOf(conn)
			if err != nil {
				a.got <- Standing{Refusal: "PeerOf: " + err.Error()}
			} else {
				a.got <- m.Person(p)
			}
			p.Close()
			conn.Close()
		}
	}()
	return a
}

// ask is the command line of an asker's client.
func (a *asker) ask() []string {
	exe, _ := os.Executable()
	return []string{"env", askEnv + "=" + a.path, exe}
}

func (a *asker) wait() Standing {
	a.t.Helper()
	select {
	case s := <-a.got:
		return s
	case <-time.After(20 * time.Second):
		a.t.Fatal("nobody asked")
		return Standing{}
	}
}

func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
}

// tmux starts a server of its own that runs a command.
func tmux(t *testing.T, dir string, command ...string) {
	t.Helper()
	socket := filepath.Join(dir, "tmux")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })
	args := append([]string{"-S", socket, "-f", "/dev/null", "new-session", "-d"}, command...)
	cmd := exec.Command("tmux", args...)
	cmd.Env = append(os.Environ(), "TMUX=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, out)
	}
}

// anchor starts a shell that waits for a word, registers it as an agent session,
// and then lets it run script.
func (a *asker) anchor(script string) {
	a.t.Helper()
	cmd := exec.Command("sh", "-c", "read go; "+script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		a.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	id, err := Identify(cmd.Process.Pid)
	if err != nil {
		a.t.Fatal(err)
	}
	if _, err := a.m.Register(Peer{Pid: id.Pid, UID: os.Getuid(), Pidfd: -1, Start: id.Start}, Options{Agent: "robot", Cwd: a.t.TempDir()}); err != nil {
		a.t.Fatal(err)
	}
	// Start times have a granularity of 10 ms.
	time.Sleep(30 * time.Millisecond)
	fmt.Fprintln(in, "go")
}

func quote(words []string) string {
	for i, w := range words {
		words[i] = "'" + w + "'"
	}
	return strings.Join(words, " ")
}

func TestRealPersonInTmux(t *testing.T) {
	need(t, "tmux")
	a := newAsker(t)
	tmux(t, filepath.Dir(a.path), a.ask()...)
	got := a.wait()
	if !got.OK || !strings.HasPrefix(got.TTY, "/dev/pts/") {
		t.Fatalf("%+v", got)
	}
}

func TestRealOlderTmuxWhileAnAgentRuns(t *testing.T) {
	need(t, "tmux")
	a := newAsker(t)
	fifo := filepath.Join(filepath.Dir(a.path), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	tmux(t, filepath.Dir(a.path), "sh", "-c", "read go < "+fifo+"; "+quote(a.ask())+"; :")
	time.Sleep(30 * time.Millisecond)
	a.anchor("sleep 60")
	if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if got := a.wait(); !got.OK {
		t.Fatalf("%+v", got)
	}
}

func TestRealAttacks(t *testing.T) {
	for _, tt := range []struct {
		name, needs string
		script      func(a *asker) string
		want        string
	}{
		{"directly", "sh", func(a *asker) string { return quote(a.ask()) }, "without one"},
		{"setsid", "setsid", func(a *asker) string { return "setsid " + quote(a.ask()) }, "without one"},
		{"own terminal", "script", func(a *asker) string {
			return `script -qec "` + quote(a.ask()) + `" /dev/null; :`
		}, "descends from agent session"},
		{"double fork, clean environment, own terminal", "script", func(a *asker) string {
			return `(setsid env -i PATH="$PATH" script -qec "sleep 0.3; ` + quote(a.ask()) + `" /dev/null </dev/null >/dev/null 2>&1 &) ; sleep 30`
		}, ""},
		{"tmux server of its own", "tmux", func(a *asker) string {
			return "TMUX= tmux -S " + filepath.Join(filepath.Dir(a.path), "tmux") + " -f /dev/null new-session -d " + quote(a.ask()) + "; sleep 30"
		}, "TMUX"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			need(t, tt.needs)
			a := newAsker(t)
			t.Cleanup(func() {
				if tt.needs == "tmux" {
					_ = exec.Command("tmux", "-S", filepath.Join(filepath.Dir(a.path), "tmux"), "kill-server").Run()
				}
			})
			a.anchor(tt.script(a))
			got := a.wait()
			if got.OK {
				t.Fatal("accepted")
			}
			want := tt.want
			if want == "TMUX" {
				if want = "started after agent session"; a.m.Untracked() == nil {
					want = "descends from agent session"
				}
			}
			if want == "TRACKED" { // by the proc connector, where the kernel grants it
				if want = "stands no login"; a.m.Untracked() == nil {
					want = "descends from agent session"
				}
			}
			if (a.m.Untracked() == nil) != (got.Tier == TierTracked) {
				t.Errorf("tier %v, but %v", got.Tier, a.m.Untracked())
			}
			if !strings.Contains(got.Refusal, want) {
				t.Errorf("refusal: %s", got.Refusal)
			}
			t.Log(got.Refusal)
		})
	}
}

// Thousands of forks, then one that gets away from its parents: it is known
// still, or the evidence says that it isn't complete.
func TestRealForkStorm(t *testing.T) {
	need(t, "script")
	a := newAsker(t)
	a.anchor(`i=0; while [ $i -lt 3000 ]; do (exit 0); i=$((i+1)); done
(setsid env -i PATH="$PATH" script -qec "sleep 0.1; ` + quote(a.ask()) + `" /dev/null </dev/null >/dev/null 2>&1 &) ; sleep 30`)
	got := a.wait()
	if got.OK {
		t.Fatal("accepted")
	}
	if got.Tier == TierTracked && !strings.Contains(got.Refusal, "descends from agent session") {
		t.Errorf("every fork is followed, but: %s", got.Refusal)
	}
	t.Logf("tier %v: %s", got.Tier, got.Refusal)
}

// A peer that was never filled in has no descriptor: closing it must not close
// somebody else's.
func TestPeerZero(t *testing.T) {
	var p Peer
	if !p.Alive() {
		t.Error("a peer without pidfd counts as gone")
	}
	p.Close()
	if _, err := os.Stdin.Stat(); err != nil {
		t.Errorf("closing a zero peer closed descriptor 0: %v", err)
	}
}

func TestPeerOf(t *testing.T) {
	a := newAsker(t)
	conn, err := net.Dial("unix", a.path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	got := a.wait()
	if got.Pid != os.Getpid() || got.UID != os.Getuid() {
		t.Fatalf("%+v", got)
	}
}

// A peer that ended before it is looked at is refused, also while its socket,
// inherited by another process, goes on.
func TestPeerGone(t *testing.T) {
	dir, err := os.MkdirTemp("", "gone")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	exe, _ := os.Executable()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), askEnv+"="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if p, err := PeerOf(conn); err == nil {
		t.Errorf("a dead peer was known: %+v", p)
	}
}

func TestRealTableOfThisProcess(t *testing.T) {
	table := System()
	p, err := table.Proc(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if p.Parent != os.Getppid() || p.Boot == "" || p.Start == 0 {
		t.Errorf("%+v", p)
	}
	o, err := table.Owner(os.Getpid())
	if err != nil || o.Real != os.Getuid() || o.Tracer != 0 {
		t.Error(o, err)
	}
	chain, err := ancestry(table, os.Getpid())
	if err != nil || len(chain) < 2 {
		t.Error(chain, err)
	}
	if _, err := table.Proc(1 << 30); !isGone(err) {
		t.Error(err)
	}
}

func TestParseStat(t *testing.T) {
	const rest = " S 7 8 9 34818 10 0 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0"
	for _, comm := range []string{"bash", "tmux: server", "a) S 1 (b", "", ") )"} {
		p, err := parseStat([]byte("42 (" + comm + ")" + rest))
		if err != nil || p.Comm != comm || p.Parent != 7 || p.Group != 8 || p.Leader != 9 || p.Foreground != 10 || p.Start != 12345 {
			t.Errorf("%q: %+v %v", comm, p, err)
		}
		if n, ok := ptsIndex(p.TTY); !ok || n != 2 {
			t.Errorf("terminal %d", p.TTY)
		}
	}
	for _, bad := range []string{"", "42", "42 (x", "42 (x) S", "x (y)" + rest, "42 (x) SS 7", strings.Replace("42 (x)"+rest, "12345", "-", 1)} {
		if p, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, p)
		}
	}
}
