package session

import (
	"os"
	"testing"
)

// BenchmarkFindKnown is what every line of a shell costs.
func BenchmarkFindKnown(b *testing.B) {
	m, err := NewManager(Config{UID: os.Getuid()})
	if err != nil {
		b.Fatal(err)
	}
	id, err := Identify(os.Getpid())
	if err != nil {
		b.Fatal(err)
	}
	p := Peer{Pid: id.Pid, UID: os.Getuid(), Pidfd: -1, Start: id.Start}
	if _, _, err := m.Find(p, id.Pid, "bash"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := m.Find(p, id.Pid, "bash"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvidence is what one approval costs: the whole process table.
func BenchmarkEvidence(b *testing.B) {
	m, err := NewManager(Config{UID: os.Getuid()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := m.evidence(); err != nil {
			b.Fatal(err)
		}
	}
}
