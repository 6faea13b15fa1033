package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"extdir/daemon/audit"
)

// Without an ID, why shows the line that was stopped where it is asked.
func TestLastAsked(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "log")
	if e, err := (asker{}).last(empty); err == nil {
		t.Errorf("of an empty log: %+v", e)
	}
	w := asker{session: "s", tty: "/dev/pts/1"}
	log := []audit.Entry{
		{ID: "1", Kind: "check", Session: "s", TTY: "/dev/pts/1", Verdict: "allow", Line: "ls"},
		{ID: "2", Kind: "check", Session: "other", TTY: "/dev/pts/2", Verdict: "block", Line: "rm x"},
		{ID: "3", Kind: "check", Session: "s", TTY: "/dev/pts/1", Verdict: "allow", Line: "extdird why"},
	}
	for _, c := range []struct {
		w    asker
		add  audit.Entry
		want string
	}{
		{w, audit.Entry{}, "2"}, // nothing was stopped here: the last but the line that asks
		{w, audit.Entry{Verdict: "block"}, "0"},
		{w, audit.Entry{Verdict: "prompt"}, "0"},
		{w, audit.Entry{Verdict: "allow", Observed: "prompt"}, "0"},
		{asker{session: "s"}, audit.Entry{Verdict: "block"}, "0"},
		{asker{tty: "/dev/pts/1"}, audit.Entry{Verdict: "block"}, "0"},
		{asker{session: "s", tty: "/dev/pts/9"}, audit.Entry{Verdict: "block"}, "3"},
		{asker{}, audit.Entry{Verdict: "block"}, "3"},
	} {
		all := log
		if c.add.Verdict != "" {
			c.add.ID, c.add.Kind, c.add.Session, c.add.TTY = "0", "check", "s", "/dev/pts/1"
			all = append([]audit.Entry{c.add}, log...)
		}
		file := filepath.Join(t.TempDir(), "log")
		write(t, file, all)
		if e, err := c.w.last(file); err != nil || e.ID != c.want {
			t.Errorf("%+v with %+v: %s, %v", c.w, c.add, e.ID, err)
		}
	}
}

func write(t *testing.T, file string, log []audit.Entry) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, e := range log {
		if err := json.NewEncoder(f).Encode(e); err != nil {
			t.Fatal(err)
		}
	}
}
