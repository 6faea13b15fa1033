// Package session knows who is typing: sessions, their anchors, and what the
// kernel tells about a peer.
//
// Nothing a peer says about itself is believed. A connection gives its pid by
// the kernel's word ([PeerOf]); everything else is read from the process table
// ([Table]): parents, terminal, start time, program. A pid alone is no identity,
// since it is reused: an [ID] is boot, pid and start time.
//
// [Manager] answers three questions. Which session does this shell belong to
// ([Manager.Find])? Is this -c line the driver's own word, or part of a line
// that was judged before ([Manager.Judge])? And: is this a person, who may
// answer questions ([Manager.Person])?
package session

import "time"

// ID names a process for the time of a boot: a pid alone is reused.
type ID struct {
	Boot  string // boot id of the kernel
	Pid   int
	Start uint64 // start time in clock ticks since boot, field 22 of /proc/PID/stat
}

// Drivers of a session.
const (
	Agent = "agent"
	Human = "human"
)

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

	// Wrapper is the run process above the anchor, which adopts the session's
	// orphans. The zero ID: there is none.
	Wrapper ID
	// Parent is the process above the anchor of an agent session that has no
	// wrapper: a child made with CLONE_PARENT (clone(2)) is the parent's, too.
	Parent ID
	// Guard is what "extdird guard" said of this session: "on", "off", or "" for
	// what the configuration says.
	Guard string
}

// Peer is the process at the other end of a connection.
type Peer struct {
	Pid   int
	UID   int
	Pidfd int // 0 or less where the kernel has none

	// Start is the peer's start time, read while the connection proved it alive.
	Start uint64
}

// Shell is a shell that spoke to the daemon.
type Shell struct {
	ID          ID
	Session     string // key
	Name        string // "bash" or "zsh", as announced
	Version     string
	TTY         string // name of its controlling terminal, "" if none
	Interactive bool   // false: a -c shell whose line was judged
}

// Options describe a session that "extdird run" starts.
type Options struct {
	Agent  string // name of the agent; not empty makes Driver "agent"
	Driver string // "": from Agent
	// Roots are asked for on the command line; none: found from Cwd.
	Roots []string
	// Trusted are roots which the configuration names: they may be a home
	// directory or a system directory.
	Trusted []string
	Cwd     string
	Home    string
	Shell   string
	// Found: the session isn't started by "extdird run", its agent was seen above a
	// shell.
	Found bool
}
