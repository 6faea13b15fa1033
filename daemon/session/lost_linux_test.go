package session

import "testing"

// A daemon that knows nothing of a run wrapper above takes its shell for an
// agent's, and the -c lines of its program for the driver's own.
func TestLostRecord(t *testing.T) {
	w := newWorld(t)
	w.desk()
	w.add(proc{pid: 200, ppid: 101, comm: "extdird", start: 200, tty: 1, exe: w.own})
	bash := w.add(proc{pid: 201, ppid: 200, comm: "bash", start: 201, tty: 1})
	m := w.manager()
	s, _, err := m.Find(bash, 201, "bash")
	if err != nil {
		t.Fatal(err)
	}
	if s.Driver != Agent || s.Anchor.Pid != 201 || s.Wrapper.Pid != 200 {
		t.Errorf("restored as %+v", s)
	}

	w.add(proc{pid: 300, ppid: 101, comm: "extdird", start: 300, tty: 1, exe: w.own})
	w.add(proc{pid: 301, ppid: 300, comm: "python3", start: 301, tty: 1})
	sub := w.add(proc{pid: 302, ppid: 301, comm: "bash", start: 302, tty: 1})
	judge, s, _, err := m.Judge(sub, 302, "bash")
	if err != nil || !judge || s.Driver != Agent || s.Anchor.Pid != 301 {
		t.Errorf("judge %v, %+v, %v", judge, s, err)
	}

	// Without a wrapper above it is a person's shell as before.
	own := w.add(proc{pid: 400, ppid: 100, comm: "bash", start: 400, tty: 2})
	if s, _, err := m.Find(own, 400, "bash"); err != nil || s.Driver != Human {
		t.Errorf("%+v, %v", s, err)
	}
}
