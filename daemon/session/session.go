// Package session knows who is typing: sessions, their anchors, and what the
// kernel tells about a peer.
package session

import "time"

// ID names a process for the time of a boot: a pid alone is reused.
type ID struct {
	Boot  string // boot id of the kernel
	Pid   int
	Start uint64 // start time in clock ticks since boot, field 22 of /proc/PID/stat
}

// Session is what one driver does in a terminal. Its fields don't change after
// creation except through Manager's methods; copies are handed out.
type Session struct {
	Key     string // short, printable, unique: shown to people
	Anchor  ID
	Driver  string // "agent" or "human"
	Agent   string // name given to run --agent, "" for human
	Run     bool   // started by extdird run (asks also when human)
	Roots   []string
	TTY     string // name of the controlling terminal, "" if none
	Home    string
	Shell   string
	Started time.Time
}

// Peer is the process at the other end of a connection.
type Peer struct {
	Pid   int
	UID   int
	Pidfd int // -1 where the kernel has none
}
