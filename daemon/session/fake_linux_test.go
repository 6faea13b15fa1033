package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	testBoot = "11111111-2222-3333-4444-555555555555"
	testUID  = 1000
)

// world is a proc file system made of plain files, so that what is rare on a
// real machine (a reused pid, a hidden parent) is a line of a test.
type world struct {
	t    *testing.T
	root string
	own  string // our control command
	bin  string // any other program
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, root: filepath.Join(dir, "proc"), own: filepath.Join(dir, "extdird"), bin: filepath.Join(dir, "bin")}
	w.write("sys/kernel/random/boot_id", testBoot+"\n")
	w.file(w.own)
	// systemd, the terminal and a login shell: what most chains end in.
	w.add(proc{pid: 1, comm: "systemd", start: 1, uid: 0})
	return w
}

func (w *world) file(path string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		return
	}
	if err := os.WriteFile(path, []byte(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) link(target, name string) {
	w.t.Helper()
	path := filepath.Join(w.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	_ = os.Remove(path)
	if err := os.Symlink(target, path); err != nil {
		w.t.Fatal(err)
	}
}

// proc is a process to be. Zero values: terminal none, in the foreground of its
// terminal, program named like comm, user testUID.
type proc struct {
	pid, ppid  int
	comm       string
	start      int
	tty        int // number of a pseudo terminal, plus 1; 0: none
	background bool
	uid        int
	tracer     int
	exe        string
	master     int // it holds the master of this pseudo terminal (plus 1)
	state      string
	group      int    // 0: a group of its own
	args       string // separated by blanks
	env        string
	cwd        string
}

func ptsDev(n int) int { return 136<<8 | n }

func (w *world) add(p proc) Peer {
	w.t.Helper()
	dir := strconv.Itoa(p.pid)
	dev, fg := 0, -1
	if p.tty > 0 {
		dev, fg = ptsDev(p.tty-1), p.pid
		if p.background {
			fg = p.pid + 1
		}
	}
	group := p.pid
	if p.group != 0 {
		group = p.group
		if p.tty > 0 && !p.background {
			fg = group
		}
	}
	state := p.state
	if state == "" {
		state = "S"
	}
	w.write(dir+"/stat", fmt.Sprintf("%d (%s) %s %d %d %d %d %d 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n",
		p.pid, p.comm, state, p.ppid, group, p.pid, dev, fg, p.start))
	uid := p.uid
	if uid == 0 && p.pid != 1 {
		uid = testUID
	}
	if uid == -1 {
		uid = 0
	}
	w.write(dir+"/status", fmt.Sprintf("Name:\t%s\nTracerPid:\t%d\nUid:\t%d\t%d\t%d\t%d\n", p.comm, p.tracer, uid, uid, uid, uid))
	exe := p.exe
	if exe == "" {
		exe = filepath.Join(w.bin, p.comm)
	}
	w.file(exe)
	w.link(exe, dir+"/exe")
	w.write(dir+"/cmdline", strings.ReplaceAll(p.args, " ", "\x00")+"\x00")
	w.write(dir+"/environ", strings.ReplaceAll(p.env, " ", "\x00")+"\x00")
	if p.cwd != "" {
		w.link(p.cwd, dir+"/cwd")
	}
	w.link("/dev/null", dir+"/fd/0")
	if p.master > 0 {
		w.link("/dev/ptmx", dir+"/fd/7")
		w.write(dir+"/fdinfo/7", fmt.Sprintf("pos:\t0\nflags:\t02\ntty-index:\t%d\n", p.master-1))
	}
	return Peer{Pid: p.pid, UID: testUID, Pidfd: -1, Start: uint64(p.start)}
}

func (w *world) kill(pid int) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.root, strconv.Itoa(pid))); err != nil {
		w.t.Fatal(err)
	}
}

// manager starts a Manager over the world.
func (w *world) manager(change ...func(*Config)) *Manager {
	w.t.Helper()
	table := procfs{root: w.root}
	exe, err := os.Stat(w.own)
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := Config{Table: table, UID: testUID, Own: []File{fileOf(w.own, exe)}, Warn: func(err error) { w.t.Log("warned:", err) }}
	for _, c := range change {
		c(&cfg)
	}
	m, err := NewManager(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// desk adds a person's desktop: xterm 100 holds terminal 0, where bash 101 runs.
func (w *world) desk() (bash Peer) {
	w.add(proc{pid: 50, ppid: 1, comm: "sway", start: 50})
	w.add(proc{pid: 100, ppid: 50, comm: "xterm", start: 100, master: 1})
	return w.add(proc{pid: 101, ppid: 100, comm: "bash", start: 101, tty: 1, background: true})
}

// agent adds "extdird run --agent" below bash 101 and registers its child, pid
// 201, which the agent's program then runs in.
func (w *world) agent(m *Manager) Session {
	w.t.Helper()
	w.add(proc{pid: 200, ppid: 101, comm: "extdird", start: 200, tty: 1, exe: w.own})
	p := w.add(proc{pid: 201, ppid: 200, comm: "robot", start: 201, tty: 1})
	s, err := m.Register(p, Options{Agent: "robot", Cwd: w.t.TempDir(), Home: "/home/u"})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}
