package session

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func fileOf(path string, fi os.FileInfo) File {
	st := fi.Sys().(*syscall.Stat_t)
	return File{Path: path, Dev: uint64(st.Dev), Ino: st.Ino}
}

// Every row is an approval attempt while an agent session (anchor 201, started
// at 201, on terminal 0) runs; "" accepts, else a part of the refusal.
func TestPerson(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(w *world, m *Manager) Peer
		want string
	}{
		{"a person's second terminal, opened before", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 110, ppid: 50, comm: "xterm", start: 110, master: 3})
			w.add(proc{pid: 111, ppid: 110, comm: "bash", start: 111, tty: 3, background: true})
			return w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3, exe: w.own})
		}, ""},
		{"a second terminal opened later below an older desktop", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 310, ppid: 50, comm: "xterm", start: 310, master: 3})
			w.add(proc{pid: 311, ppid: 310, comm: "bash", start: 311, tty: 3, background: true})
			return w.add(proc{pid: 400, ppid: 311, comm: "extdird", start: 400, tty: 3, exe: w.own})
		}, ""},
		{"a later ssh login of an older sshd, whose descriptors are hidden", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 60, ppid: 1, comm: "sshd", start: 60, uid: -1})
			w.add(proc{pid: 320, ppid: 60, comm: "sshd", start: 320, uid: -1})
			w.add(proc{pid: 321, ppid: 320, comm: "sshd", start: 321})
			w.hide(321)
			w.add(proc{pid: 322, ppid: 321, comm: "bash", start: 322, tty: 4, background: true})
			return w.add(proc{pid: 400, ppid: 322, comm: "extdird", start: 400, tty: 4, exe: w.own})
		}, ""},
		{"a pane of a tmux server that is older, while the agent has another pane", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 120, ppid: 1, comm: "tmux: server", start: 120, exe: filepath.Join(w.bin, "tmux"), master: 5})
			w.add(proc{pid: 121, ppid: 120, comm: "bash", start: 121, tty: 5, background: true})
			return w.add(proc{pid: 400, ppid: 121, comm: "extdird", start: 400, tty: 5, exe: w.own})
		}, ""},
		{"entered from outside the pid namespace", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 330, ppid: 0, comm: "bash", start: 330, tty: 6, background: true})
			return w.add(proc{pid: 400, ppid: 330, comm: "extdird", start: 400, tty: 6, exe: w.own})
		}, ""},
		{"pid 1 is a shell on the peer's own terminal", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 1, comm: "bash", start: 1, tty: 7, background: true})
			return w.add(proc{pid: 400, ppid: 1, comm: "extdird", start: 400, tty: 7, exe: w.own})
		}, ""},
		{"pid 1 is a shell on another terminal", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 1, comm: "bash", start: 1, tty: 7, background: true})
			w.add(proc{pid: 331, ppid: 1, comm: "script", start: 331, master: 6})
			return w.add(proc{pid: 400, ppid: 331, comm: "extdird", start: 400, tty: 6, exe: w.own})
		}, "no login"},

		{"directly below the agent", func(w *world, m *Manager) Peer {
			return w.add(proc{pid: 400, ppid: 201, comm: "extdird", start: 400, tty: 1, exe: w.own})
		}, "descends from agent session"},
		{"below the agent on a terminal of its own (script)", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 340, ppid: 201, comm: "script", start: 340, tty: 1, master: 8})
			return w.add(proc{pid: 400, ppid: 340, comm: "extdird", start: 400, tty: 8, exe: w.own})
		}, "descends from agent session"},
		{"orphan adopted by the run wrapper", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 341, ppid: 200, comm: "script", start: 341, master: 8})
			return w.add(proc{pid: 400, ppid: 341, comm: "extdird", start: 400, tty: 8, exe: w.own})
		}, "descends from agent session"},
		{"orphan seen before its parent ended", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 342, ppid: 201, comm: "sh", start: 342})
			w.add(proc{pid: 343, ppid: 342, comm: "script", start: 343, master: 8})
			m.Sweep()
			w.kill(342)
			w.add(proc{pid: 343, ppid: 1, comm: "script", start: 343, master: 8})
			return w.add(proc{pid: 400, ppid: 343, comm: "extdird", start: 400, tty: 8, exe: w.own})
		}, "descends from agent session"},
		{"double fork between two looks, own terminal", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 344, ppid: 1, comm: "script", start: 344, master: 8})
			return w.add(proc{pid: 400, ppid: 344, comm: "extdird", start: 400, tty: 8, exe: w.own})
		}, "no login"},
		{"double fork adopted by the user's service manager", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 40, ppid: 1, comm: "systemd", start: 40})
			w.add(proc{pid: 344, ppid: 40, comm: "script", start: 344, master: 8})
			return w.add(proc{pid: 400, ppid: 344, comm: "extdird", start: 400, tty: 8, exe: w.own})
		}, "no login"},
		{"double fork into a tmux server of its own", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 345, ppid: 1, comm: "tmux: server", start: 345, exe: filepath.Join(w.bin, "tmux"), master: 8})
			w.add(proc{pid: 346, ppid: 345, comm: "bash", start: 346, tty: 8, background: true})
			return w.add(proc{pid: 400, ppid: 346, comm: "extdird", start: 400, tty: 8, exe: w.own})
		}, "started after agent session"},
		{"on the agent's terminal, outside its ancestry", func(w *world, m *Manager) Peer {
			return w.add(proc{pid: 400, ppid: 101, comm: "extdird", start: 400, tty: 1, exe: w.own})
		}, "runs on this terminal"},
		{"on the terminal of something the agent left behind", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 110, ppid: 50, comm: "xterm", start: 110, master: 3})
			w.add(proc{pid: 111, ppid: 110, comm: "bash", start: 111, tty: 3, background: true})
			w.add(proc{pid: 350, ppid: 201, comm: "sleep", start: 350, tty: 3})
			return w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3, exe: w.own})
		}, "runs on this terminal"},
		{"the agent holds a copy of the terminal's master", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 110, ppid: 50, comm: "xterm", start: 110, master: 3})
			w.add(proc{pid: 111, ppid: 110, comm: "bash", start: 111, tty: 3, background: true})
			w.add(proc{pid: 351, ppid: 201, comm: "thief", start: 351, master: 3})
			return w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3, exe: w.own})
		}, "the other end of terminal"},
		{"an orphan of nobody knows who holds the master", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 110, ppid: 50, comm: "xterm", start: 110, master: 3})
			w.add(proc{pid: 111, ppid: 110, comm: "bash", start: 111, tty: 3, background: true})
			w.add(proc{pid: 352, ppid: 1, comm: "thief", start: 352, master: 3})
			return w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3, exe: w.own})
		}, "the other end of terminal"},
		{"nobody to be seen at the other end", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 110, ppid: 50, comm: "xterm", start: 110})
			w.add(proc{pid: 111, ppid: 110, comm: "bash", start: 111, tty: 3, background: true})
			return w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3, exe: w.own})
		}, "can't be seen who holds"},

		{"another program", func(w *world, m *Manager) Peer {
			p := person(w)
			w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3})
			return p
		}, "is not the extdird"},
		{"traced", func(w *world, m *Manager) Peer {
			p := person(w)
			w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3, exe: w.own, tracer: 77})
			return p
		}, "traced by process 77"},
		{"set-user-id", func(w *world, m *Manager) Peer {
			p := person(w)
			w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3, exe: w.own, uid: -1})
			return p
		}, "another user's rights"},
		{"no terminal", func(w *world, m *Manager) Peer {
			p := person(w)
			w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, exe: w.own})
			return p
		}, "without one"},
		{"in the background", func(w *world, m *Manager) Peer {
			p := person(w)
			w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3, exe: w.own, background: true})
			return p
		}, "from the background"},
		{"another user", func(w *world, m *Manager) Peer {
			p := person(w)
			p.UID = 1001
			return p
		}, "another user"},
		{"the pid is another process by now", func(w *world, m *Manager) Peer {
			p := person(w)
			p.Start = 399
			return p
		}, "ended while it was looked at"},
		{"gone", func(w *world, m *Manager) Peer {
			p := person(w)
			w.kill(400)
			return p
		}, "can't be told"},
		{"the program can't be read", func(w *world, m *Manager) Peer {
			p := person(w)
			_ = os.Remove(filepath.Join(w.root, "400/exe"))
			return p
		}, "can't be told"},
		{"the owner can't be read", func(w *world, m *Manager) Peer {
			p := person(w)
			w.write("400/status", "Name:\textdird\n")
			return p
		}, "can't be told"},
		{"a parent can't be read", func(w *world, m *Manager) Peer {
			p := person(w)
			w.write("110/stat", "110 (xterm\n")
			return p
		}, "can't be told"},
		{"a parent is hidden", func(w *world, m *Manager) Peer {
			p := person(w)
			w.kill(110)
			return p
		}, "can't be told"},
		{"a parent's pid was reused", func(w *world, m *Manager) Peer {
			p := person(w)
			w.add(proc{pid: 110, ppid: 50, comm: "xterm", start: 300, master: 3})
			return p
		}, "can't be told"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			m := w.manager()
			w.desk()
			w.agent(m)
			got := m.Person(tt.set(w, m))
			if tt.want == "" {
				if !got.OK {
					t.Fatalf("refused: %s", got.Refusal)
				}
				return
			}
			if got.OK {
				t.Fatal("accepted")
			}
			if !strings.Contains(got.Refusal, tt.want) {
				t.Errorf("refusal %q doesn't say %q", got.Refusal, tt.want)
			}
		})
	}
}

// person adds the control command in a terminal of its own, which is accepted.
func person(w *world) Peer {
	w.add(proc{pid: 110, ppid: 50, comm: "xterm", start: 110, master: 3})
	w.add(proc{pid: 111, ppid: 110, comm: "bash", start: 111, tty: 3, background: true})
	return w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3, exe: w.own})
}

// hide takes away the right to look at a process's descriptors. The super-user
// may look at everything, so the directory is made unreadable by being a file.
func (w *world) hide(pid int) {
	w.t.Helper()
	dir := filepath.Join(w.root, strconv.Itoa(pid), "fd")
	if err := os.RemoveAll(dir); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func TestPersonAcceptsTheBase(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	w.desk()
	w.agent(m)
	if got := m.Person(person(w)); !got.OK || got.TTY != "/dev/pts/2" || got.Tier != TierAdopted {
		t.Fatalf("%+v", got)
	}
}

// An update puts another file where the daemon was started from: that one is
// believed, the old one still, and one from elsewhere may only end the daemon.
func TestPersonAfterAnUpdate(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	w.desk()
	w.agent(m)
	p := person(w)
	old := w.own + ".old"
	if err := os.Rename(w.own, old); err != nil {
		t.Fatal(err)
	}
	w.file(w.own)
	elsewhere := filepath.Join(w.bin, "other", "extdird")
	for _, tt := range []struct {
		exe           string
		person, stops bool
	}{
		{w.own, true, true},
		{old, true, true},
		{elsewhere, false, true},
		{filepath.Join(w.bin, "curl"), false, false},
	} {
		w.add(proc{pid: 400, ppid: 111, comm: "extdird", start: 400, tty: 3, exe: tt.exe})
		got, stop := m.Person(p), m.Stopper(p)
		if got.OK != tt.person || stop.OK != tt.stops {
			t.Errorf("%s: %+v, to stop %+v", tt.exe, got, stop)
		}
		if !got.OK && !strings.Contains(got.Refusal, "("+w.own+")") {
			t.Errorf("%s: the sentence doesn't say which one: %s", tt.exe, got.Refusal)
		}
	}
	// What descends from an agent can't stop it with any.
	agents := w.add(proc{pid: 410, ppid: 201, comm: "extdird", start: 410, tty: 1, exe: elsewhere})
	if got := m.Stopper(agents); got.OK {
		t.Errorf("an agent may stop the daemon: %+v", got)
	}
}

// A human session taints nothing: the person may answer from its own shells.
func TestHumanSessionsTaintNothing(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	bash := w.desk()
	if _, _, err := m.Find(bash, 101, "bash"); err != nil {
		t.Fatal(err)
	}
	p := w.add(proc{pid: 400, ppid: 101, comm: "extdird", start: 400, tty: 1, exe: w.own})
	if got := m.Person(p); !got.OK {
		t.Fatal(got.Refusal)
	}
}

// What an agent session left behind stays tainted after the session ended.
func TestTaintOutlivesTheSession(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	w.desk()
	s := w.agent(m)
	w.add(proc{pid: 360, ppid: 201, comm: "bash", start: 360, tty: 9, background: true})
	m.Sweep()
	w.kill(201)
	w.kill(200)
	w.add(proc{pid: 360, ppid: 1, comm: "bash", start: 360, tty: 9, background: true})
	m.Sweep()
	if _, ok := m.Get(s.Key); ok {
		t.Fatal("the session goes on without its anchor")
	}
	p := w.add(proc{pid: 400, ppid: 360, comm: "extdird", start: 400, tty: 9, exe: w.own})
	if got := m.Person(p); got.OK || !strings.Contains(got.Refusal, "descends from agent session") {
		t.Fatalf("%+v", got)
	}
	// A -c line of it is judged, though there is no session above.
	w.add(proc{pid: 370, ppid: 360, comm: "python3", start: 370})
	judge, js, _, err := m.Judge(w.add(proc{pid: 371, ppid: 370, comm: "sh", start: 371}), 371, "sh")
	if err != nil || !judge || js.Driver != Agent || js.Anchor.Pid != 360 {
		t.Errorf("judged %v in %+v: %v", judge, js, err)
	}
	m.End(js.Key)
	w.kill(370)
	w.kill(371)
	// And a line of it is an agent's line.
	sh := Peer{Pid: 360, UID: testUID, Pidfd: -1, Start: 360}
	again, _, err := m.Find(sh, 360, "bash")
	if err != nil {
		t.Fatal(err)
	}
	if again.Driver != Agent || again.Agent != "robot" || again.Key == s.Key {
		t.Errorf("the orphan's session is %+v", again)
	}
	// Nor does starting "extdird run" wash it off.
	p = w.add(proc{pid: 361, ppid: 360, comm: "bash", start: 361, tty: 9})
	m.End(again.Key)
	run, err := m.Register(p, Options{Roots: []string{t.TempDir()}})
	if err != nil || run.Driver != Agent || len(run.Roots) != 1 || run.Roots[0] != s.Roots[0] {
		t.Errorf("%+v %v", run, err)
	}
	w.kill(361)
	// With the last process the taint is gone.
	w.kill(360)
	w.kill(400)
	m.Sweep()
	if len(m.taint) != 0 || len(m.former) != 0 {
		t.Errorf("left: %v %v", m.taint, m.former)
	}
}

// A child made with CLONE_PARENT is the child of the anchor's parent. Below a run
// wrapper that changes nothing; without one the younger siblings are tainted.
func TestClonedToTheParent(t *testing.T) {
	for _, wrapped := range []bool{true, false} {
		w := newWorld(t)
		m := w.manager()
		w.desk()
		parent := 200
		if wrapped {
			w.agent(m)
		} else {
			parent = 101
			p := w.add(proc{pid: 201, ppid: 101, comm: "robot", start: 201})
			if _, err := m.Register(p, Options{Agent: "robot", Cwd: t.TempDir()}); err != nil {
				t.Fatal(err)
			}
		}
		w.add(proc{pid: 380, ppid: parent, comm: "script", start: 380, master: 8})
		p := w.add(proc{pid: 410, ppid: 380, comm: "extdird", start: 410, tty: 8, exe: w.own})
		if got := m.Person(p); got.OK || !strings.Contains(got.Refusal, "descends from agent session") {
			t.Errorf("wrapped %v: %+v", wrapped, got)
		}
		if got := m.Person(person(w)); !got.OK {
			t.Errorf("wrapped %v: another terminal: %s", wrapped, got.Refusal)
		}
	}
}

func TestTiers(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	if got := m.Tier(); got != TierAdopted {
		t.Errorf("without agent sessions: %v", got)
	}
	w.desk()
	w.agent(m)
	if got := m.Tier(); got != TierAdopted {
		t.Errorf("below a run wrapper: %v", got)
	}
	w.add(proc{pid: 500, ppid: 101, comm: "other", start: 500})
	p := w.add(proc{pid: 501, ppid: 500, comm: "other", start: 501})
	if _, err := m.Register(p, Options{Agent: "other", Cwd: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if got := m.Tier(); got != TierTerminal {
		t.Errorf("an agent session without a wrapper: %v", got)
	}
}

// The waiting terminal itself may answer: the shell, or the hook it started.
func TestAnswers(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	bash := w.desk()
	_, sh, err := m.Find(bash, 101, "bash")
	if err != nil {
		t.Fatal(err)
	}
	hook := func(p proc) Peer {
		p.pid, p.comm = 150, "extdir-hook"
		if p.start == 0 {
			p.start = 150
		}
		return w.add(p)
	}
	if err := m.Answers(hook(proc{ppid: 101, tty: 1}), sh); err != nil {
		t.Error(err)
	}
	w.add(proc{pid: 141, ppid: 101, comm: "bash", start: 141, tty: 1, group: 101}) // a substitution
	if err := m.Answers(hook(proc{ppid: 141, tty: 1, group: 101}), sh); err != nil {
		t.Error(err)
	}
	w.add(proc{pid: 142, ppid: 101, comm: "bash", start: 142, tty: 1})
	w.add(proc{pid: 140, ppid: 101, comm: "make", start: 140, tty: 1})
	for _, tt := range []struct {
		name string
		p    proc
	}{
		{"in the background", proc{ppid: 101, tty: 1, background: true}},
		{"no terminal", proc{ppid: 101}},
		{"another terminal", proc{ppid: 101, tty: 2}},
		{"traced", proc{ppid: 101, tty: 1, tracer: 9}},
		{"below another child", proc{ppid: 140, tty: 1}},
		{"below a script of the shell's kind", proc{ppid: 142, tty: 1}},
		{"not below the shell", proc{ppid: 100, tty: 1}},
	} {
		if m.Answers(hook(tt.p), sh) == nil {
			t.Errorf("%s: taken", tt.name)
		}
	}
}
