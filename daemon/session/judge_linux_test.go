package session

import (
	"path/filepath"
	"testing"
)

// Each row sets up processes below the agent session's anchor (201, program
// "robot") or the person's bash (101), and asks for the -c shell 300.
func TestJudge(t *testing.T) {
	shell := func(w *world, ppid int) Peer {
		return w.add(proc{pid: 300, ppid: ppid, comm: "bash", start: 300})
	}
	for _, tt := range []struct {
		name string
		set  func(w *world, m *Manager) Peer
		want bool
	}{
		{"the anchor starts a shell", func(w *world, m *Manager) Peer {
			w.agent(m)
			return shell(w, 201)
		}, true},
		{"over a wrapper", func(w *world, m *Manager) Peer {
			w.agent(m)
			w.add(proc{pid: 250, ppid: 201, comm: "timeout", start: 250})
			return shell(w, 250)
		}, true},
		{"a helper of the driver that no line started", func(w *world, m *Manager) Peer {
			w.agent(m)
			w.add(proc{pid: 250, ppid: 201, comm: "node", start: 250})
			return shell(w, 250)
		}, true},
		{"an orphan that the run wrapper adopted", func(w *world, m *Manager) Peer {
			w.agent(m)
			return shell(w, 200)
		}, true},
		{"the anchor is the -c shell itself", func(w *world, m *Manager) Peer {
			w.add(proc{pid: 200, ppid: 101, comm: "extdird", start: 200, exe: w.own})
			p := w.add(proc{pid: 300, ppid: 200, comm: "bash", start: 300})
			if _, err := m.Register(p, Options{Agent: "robot", Cwd: w.t.TempDir()}); err != nil {
				w.t.Fatal(err)
			}
			return p
		}, true},
		{"below a -c shell that was judged", func(w *world, m *Manager) Peer {
			w.agent(m)
			line := w.add(proc{pid: 240, ppid: 201, comm: "bash", start: 240})
			if ok, _, _, err := m.Judge(line, 240, "bash"); !ok || err != nil {
				w.t.Fatal(ok, err)
			}
			w.add(proc{pid: 250, ppid: 240, comm: "make", start: 250})
			return shell(w, 250)
		}, false},
		{"below make, which the judged shell became by exec", func(w *world, m *Manager) Peer {
			w.agent(m)
			line := w.add(proc{pid: 240, ppid: 201, comm: "bash", start: 240})
			if ok, _, _, err := m.Judge(line, 240, "bash"); !ok || err != nil {
				w.t.Fatal(ok, err)
			}
			w.add(proc{pid: 240, ppid: 201, comm: "make", start: 240})
			return shell(w, 240)
		}, false},
		{"a judged shell asks again", func(w *world, m *Manager) Peer {
			w.agent(m)
			p := shell(w, 201)
			if ok, _, _, err := m.Judge(p, 300, "bash"); !ok || err != nil {
				w.t.Fatal(ok, err)
			}
			return p
		}, true},
		{"the pid of a judged shell was reused", func(w *world, m *Manager) Peer {
			w.agent(m)
			line := w.add(proc{pid: 240, ppid: 201, comm: "bash", start: 240})
			if ok, _, _, err := m.Judge(line, 240, "bash"); !ok || err != nil {
				w.t.Fatal(ok, err)
			}
			w.add(proc{pid: 240, ppid: 201, comm: "bash", start: 299})
			return shell(w, 240)
		}, true},
		{"below an interactive shell of the agent's session", func(w *world, m *Manager) Peer {
			w.agent(m)
			in := w.add(proc{pid: 230, ppid: 201, comm: "bash", start: 230, tty: 2})
			if err := m.Hello(in, 230, "bash", "5.2"); err != nil {
				w.t.Fatal(err)
			}
			w.add(proc{pid: 250, ppid: 230, comm: "make", start: 250, tty: 2})
			return shell(w, 250)
		}, false},
		{"the anchor is a guarded interactive shell", func(w *world, m *Manager) Peer {
			w.agent(m)
			if err := m.Hello(Peer{Pid: 201, UID: testUID, Pidfd: -1, Start: 201}, 201, "bash", "5.2"); err != nil {
				w.t.Fatal(err)
			}
			return shell(w, 201)
		}, false},
		{"below a person's guarded shell", func(w *world, m *Manager) Peer {
			if err := m.Hello(Peer{Pid: 101, UID: testUID, Pidfd: -1, Start: 101}, 101, "bash", "5.2"); err != nil {
				w.t.Fatal(err)
			}
			return shell(w, 101)
		}, false},
		{"no session above", func(w *world, m *Manager) Peer { return shell(w, 101) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			m := w.manager()
			w.desk()
			p := tt.set(w, m)
			got, _, _, err := m.Judge(p, 300, "bash")
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("judged: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestHintMustBeAbove(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	w.desk()
	w.agent(m)
	p := w.add(proc{pid: 300, ppid: 201, comm: "bash", start: 300})
	w.add(proc{pid: 310, ppid: 101, comm: "bash", start: 310})
	if _, _, err := m.Find(p, 310, "bash"); err == nil {
		t.Error("a shell beside the peer was believed")
	}
	if _, _, _, err := m.Judge(p, 310, "bash"); err == nil {
		t.Error("a shell beside the peer was believed")
	}
	// Nor can what an agent runs speak for what is above its anchor, known or not:
	// no session begins there.
	for _, pid := range []int{200, 201, 300} {
		for _, above := range []int{101, 100, 50, 1} {
			agent := Peer{Pid: pid, UID: testUID, Pidfd: -1, Start: uint64(pid)}
			if s, _, err := m.Find(agent, above, "bash"); err == nil {
				t.Errorf("process %d speaks for %d: %+v", pid, above, s)
			}
		}
	}
	if all := m.Sessions(); len(all) != 1 {
		t.Errorf("sessions began: %+v", all)
	}
	bash := Peer{Pid: 101, UID: testUID, Pidfd: -1, Start: 101}
	if err := m.Hello(bash, 101, "bash", "5.2"); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{201, 300} {
		agent := Peer{Pid: pid, UID: testUID, Pidfd: -1, Start: uint64(pid)}
		if s, _, err := m.Find(agent, 101, "bash"); err == nil {
			t.Errorf("process %d speaks for %+v", pid, s)
		}
		if _, s, _, err := m.Judge(agent, 101, "bash"); err == nil {
			t.Errorf("process %d speaks for %+v", pid, s)
		}
	}
	if _, _, err := m.Find(Peer{Pid: 300, UID: 1, Pidfd: -1}, 300, "bash"); err == nil {
		t.Error("another user was served")
	}
}

func TestFind(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	bash := w.desk()

	// The first word of a shell begins a human session, anchored at it.
	human, sh, err := m.Find(bash, 101, "bash")
	if err != nil {
		t.Fatal(err)
	}
	if human.Driver != Human || human.Run || human.Anchor.Pid != 101 || human.TTY != "/dev/pts/0" || !sh.Interactive {
		t.Fatalf("%+v %+v", human, sh)
	}
	// A hook that the shell starts speaks for it, and so does a nested shell.
	hook := w.add(proc{pid: 150, ppid: 101, comm: "extdir-hook", start: 150, tty: 1})
	if s, _, err := m.Find(hook, 101, "bash"); err != nil || s.Key != human.Key {
		t.Fatal(s, err)
	}
	w.add(proc{pid: 152, ppid: 101, comm: "bash", start: 152, tty: 1}) // a subshell
	deep := w.add(proc{pid: 153, ppid: 152, comm: "extdir-hook", start: 153, tty: 1})
	if s, sh, ok := m.known(deep, 101); !ok || s.Key != human.Key || sh.ID.Pid != 101 {
		t.Error("a hook below a subshell takes the long way", s, sh)
	}
	nested := w.add(proc{pid: 151, ppid: 101, comm: "zsh", start: 151, tty: 1})
	if s, sh, err := m.Find(nested, 151, "zsh"); err != nil || s.Key != human.Key || sh.Name != "zsh" {
		t.Fatal(s, sh, err)
	}
	// "extdird run" from there is a session of its own, twice two.
	one := w.agent(m)
	if one.Key == human.Key || one.Driver != Agent || !one.Run || one.Wrapper.Pid != 200 {
		t.Fatalf("%+v", one)
	}
	p2 := w.add(proc{pid: 211, ppid: 101, comm: "robot", start: 211, tty: 1})
	two, err := m.Register(p2, Options{Agent: "robot", Cwd: t.TempDir()})
	if err != nil || two.Key == one.Key {
		t.Fatal(two, err)
	}
	// Inside an agent session nothing begins a new one, nor widens the roots.
	sub := w.add(proc{pid: 220, ppid: 201, comm: "extdird", start: 220, tty: 1})
	got, err := m.Register(sub, Options{Cwd: "/", Roots: []string{t.TempDir()}})
	if err != nil || got.Key != one.Key || len(got.Roots) != 1 || got.Roots[0] != one.Roots[0] {
		t.Fatal(got, err)
	}
	in := w.add(proc{pid: 221, ppid: 220, comm: "bash", start: 221, tty: 1})
	if s, _, err := m.Find(in, 221, "bash"); err != nil || s.Key != one.Key {
		t.Fatal(s, err)
	}
}

// A guarded shell above, known by its hello, is the anchor for a nested one that
// asks first.
func TestOutermostGuardedShell(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	bash := w.desk()
	if err := m.Hello(bash, 101, "bash", "5.2"); err != nil {
		t.Fatal(err)
	}
	w.add(proc{pid: 130, ppid: 101, comm: "zsh", start: 130, tty: 1})
	p := w.add(proc{pid: 131, ppid: 130, comm: "bash", start: 131, tty: 1})
	s, _, err := m.Find(p, 131, "bash")
	if err != nil || s.Anchor.Pid != 101 {
		t.Fatal(s, err)
	}
	if n := len(m.Sessions()); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// memory keeps sessions as the store does.
type memory map[string]Saved

func (m memory) PutSession(s Saved) error     { m[s.Session.Key] = s; return nil }
func (m memory) DropSession(key string) error { delete(m, key); return nil }
func (m memory) Sessions() ([]Saved, error) {
	var out []Saved
	for _, s := range m {
		out = append(out, s)
	}
	return out, nil
}

func TestRestart(t *testing.T) {
	keep := memory{}
	with := func(c *Config) { c.Keep = keep }
	w := newWorld(t)
	m := w.manager(with)
	bash := w.desk()
	human, _, err := m.Find(bash, 101, "bash")
	if err != nil {
		t.Fatal(err)
	}
	agent := w.agent(m)
	w.add(proc{pid: 111, ppid: 100, comm: "bash", start: 111, tty: 3})
	dying, _, err := m.Find(Peer{Pid: 111, UID: testUID, Pidfd: -1}, 111, "bash")
	if err != nil {
		t.Fatal(err)
	}
	reused := w.add(proc{pid: 112, ppid: 100, comm: "bash", start: 112, tty: 4})
	if _, _, err := m.Find(reused, 112, "bash"); err != nil {
		t.Fatal(err)
	}
	m.Close()
	w.kill(111)
	w.add(proc{pid: 112, ppid: 100, comm: "bash", start: 500, tty: 4})

	m = w.manager(with)
	if n := len(m.Sessions()); n != 2 {
		t.Errorf("%d sessions after a restart: %+v", n, m.Sessions())
	}
	if _, ok := keep[dying.Key]; ok || len(keep) != 2 {
		t.Errorf("kept: %v", keep)
	}
	if s, _, err := m.Find(bash, 101, "bash"); err != nil || s.Key != human.Key {
		t.Error(s, err)
	}
	// That the person's shell is guarded is known still: its make recipes pass.
	p := w.add(proc{pid: 300, ppid: 101, comm: "sh", start: 300})
	if judge, _, _, err := m.Judge(p, 300, "sh"); judge || err != nil {
		t.Error(judge, err)
	}
	// And so is the agent's taint.
	if got := m.Person(w.add(proc{pid: 400, ppid: 201, comm: "extdird", start: 400, tty: 1, exe: w.own})); got.OK {
		t.Error("accepted below the agent after a restart")
	}
	_ = agent

	// Another boot: nothing is left, though pids and start times are the same.
	w.write("sys/kernel/random/boot_id", "other\n")
	m = w.manager(with)
	if n := len(m.Sessions()); n != 0 || len(keep) != 0 {
		t.Errorf("after a boot: %d sessions, kept %v", n, keep)
	}
}

func TestSweepKeepsWhatCantBeRead(t *testing.T) {
	var ended []string
	w := newWorld(t)
	m := w.manager(func(c *Config) { c.Ended = func(s Session) { ended = append(ended, s.Key) } })
	bash := w.desk()
	s, _, err := m.Find(bash, 101, "bash")
	if err != nil {
		t.Fatal(err)
	}
	w.write("101/stat", "garbage")
	m.Sweep()
	if len(ended) != 0 {
		t.Fatal("a session ended because its anchor couldn't be read")
	}
	w.add(proc{pid: 101, ppid: 100, comm: "bash", start: 101, state: "Z"})
	m.Sweep()
	if len(ended) != 1 || ended[0] != s.Key {
		t.Fatalf("ended: %v", ended)
	}
}

func TestRootsOfASession(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	w.desk()
	home := t.TempDir()
	p := w.add(proc{pid: 201, ppid: 101, comm: "robot", start: 201})
	if _, err := m.Register(p, Options{Agent: "robot", Roots: []string{home}, Home: home}); err == nil {
		t.Fatal("home became a root")
	}
	s, err := m.Register(p, Options{Agent: "robot", Cwd: home, Home: home})
	if err != nil || len(s.Roots) != 0 {
		t.Fatal(s, err)
	}
	dir := filepath.Join(home, "lib")
	w.file(filepath.Join(dir, "x"))
	if s, err = m.AddRoot(s.Key, dir); err != nil || len(s.Roots) != 1 {
		t.Fatal(s, err)
	}
	if _, err = m.AddRoot(s.Key, "/etc"); err == nil {
		t.Error("/etc became a root")
	}
}
