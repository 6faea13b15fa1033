// Package policy decides: accesses and commands in, verdict out. It is pure: no
// files, no clock, no sockets. Rules come compiled from package config.
package policy

import "extdir/daemon/access"

// Action is what a rule says. The order is the order of strictness.
type Action uint8

const (
	NoOpinion Action = iota
	Allow
	Ask
	Deny
)

func (a Action) String() string {
	return [...]string{"no opinion", "allow", "ask", "deny"}[a]
}

// ParseAction is the inverse of Action.String for allow, ask and deny.
func ParseAction(s string) (Action, bool) {
	switch s {
	case "allow":
		return Allow, true
	case "ask":
		return Ask, true
	case "deny":
		return Deny, true
	}
	return NoOpinion, false
}

// Verdict is the answer for a whole line.
type Verdict uint8

const (
	VerdictAllow Verdict = iota
	VerdictPrompt
	VerdictBlock
)

func (v Verdict) String() string {
	return [...]string{"allow", "prompt", "block"}[v]
}

// Origin says where a rule stands.
type Origin struct {
	Layer string // "built-in", "defaults", "managed", "user", "projects", "project", "agents", "grant"
	File  string // "" for built-in, defaults and grants
	Line  int    // 1-based; 0 if File is ""
	Col   int    // in bytes, 1-based
}

// Rule is one line of a surface, as a person wrote it.
type Rule struct {
	Surface string // "path", "external_directory", "bash"
	Pattern string
	Action  Action // for the kind or command asked about
	Reason  string
	Origin  Origin
}

// Finding is what one gate says of one access or command.
type Finding struct {
	Gate    string // "built-in", "path", "external_directory", "bash", "unknown"
	Action  Action
	Rule    *Rule // nil: no rule matched and the gate's default holds
	Access  int   // index into Line.Accesses, or -1
	Command int   // index into Line.Commands, or -1
	Name    string
	Grant   string // id of the grant that silenced it, or ""
}

// Decision is the verdict with its reasons: every finding that isn't allow comes
// first, strictest first.
type Decision struct {
	Verdict  Verdict
	Findings []Finding
	// Observed: the verdict would have been Observed, but the session only
	// observes (driver "human": "observe").
	Observed Verdict
}

// Grants tells what stored approvals cover. Implementations are safe for
// concurrent use and do no I/O that waits.
type Grants interface {
	// Path: is this access covered? The id of the grant, or "".
	Path(a access.Access) string
	// ExactLine: is this very line (bytes and cwd) approved?
	ExactLine(line, cwd string) string
}

// Context is what a decision depends on besides the line.
type Context struct {
	Line   string
	Cwd    string
	Agent  string // agent's name, "" in human sessions
	Driver string // "agent" or "human"
	Mode   string // "ask", "observe", "off": how a human session is treated; agents are always "ask"
	Roots  []string
	Grants Grants // may be nil
}
