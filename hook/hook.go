// Package hook is what runs in front of a person or an agent: it asks the daemon
// about one command line, shows a refusal, puts a question to the terminal, and
// turns the verdict into an exit status.
//
// One run is one line. The shell hands over what it knows as key=value words:
// as arguments (options of the hook and short facts), and ended by NUL on
// standard input (the line and whatever else may be long or private). The hook
// sends a check and reads one reply of fixed length. On allow, nearly always,
// nothing else happens. Everything else (need, prompt, block, no daemon, hung
// daemon) leaves that path and may take its time, within one second in all as
// long as nobody is being asked.
//
// The hook fails closed: whatever isn't a well-formed allow is a block, with a
// sentence that says how to repair.
package hook

import "extdir/hook/wire"

// Statuses of the process, as in docs/protocol.md.
const (
	StatusAllow = 0
	StatusNeed  = 98
	StatusBlock = 126
)

// Options are the words that are meant for the hook itself. All other words are
// fields of the request.
type Options struct {
	Socket  string // path of the daemon's socket
	Extdird string // absolute path of the daemon's binary; "" means no autostart
	Dir     string // --dir of the daemon, "" for the places of the XDG conventions
	// Config and State are where the daemon of those places keeps its files, Keep
	// the variables NAME=VALUE it is started with. They were found when the session
	// began: what a line exports later must not lead to a daemon with other rules.
	Config string
	State  string
	Keep   []string
	Fail   string // "open" lets lines pass without a daemon
}

// Ahead is what was done before the Go runtime started (cmd/extdir-hook).
type Ahead struct {
	Input    []byte // what was read from standard input
	InputEnd bool   // … up to its end
	Fd       int    // connection on which the request was sent, -1 for none
	Reply    []byte // the part of the reply that came
}

// aheadSeq is the seq of a request sent ahead: the only one of its connection.
const aheadSeq = "1"

// call is one run of the hook.
type call struct {
	Options
	ahead    Ahead
	req      wire.Request
	line     bool   // the text to judge was given
	trapSeen bool   // the shell told its INT trap
	trap     string // output of `trap -p INT`; not empty: INT is the user's
	history  string // output of `history 1`, still with its number
	previous string // output of `history 2`
	number   string // the history number the line must have
	control  string // HISTCONTROL of the user
	drop     string // file that tells the shell to remove the line from its history
	need     string // file that tells the shell the id of a need
	verdict  string // reply that the shell got by itself
	judged   bool   // the daemon had something other to say than allow
	started  bool   // this run started a daemon
	patient  bool   // nobody waits at a prompt
}

// Main runs the hook with the words after its name and returns the exit status:
// key=value words with one verb among them.
func Main(args []string, ahead Ahead) int {
	c := &call{ahead: ahead}
	verb := ""
	for _, a := range args {
		if !c.word(a) {
			if verb != "" {
				return usage()
			}
			verb = a
		}
	}
	switch verb {
	case "check":
		return c.run("check")
	case "tell":
		return c.run("tell")
	case "needs":
		return c.needs()
	case "hung":
		return c.heard(wire.ErrTimeout)
	case "settle":
		return c.settle()
	case "garbled":
		return c.heard(wire.ErrReply)
	case "lost":
		return c.heard(errLost)
	case "hello":
		return c.hello()
	}
	return usage()
}

func usage() int {
	say("extdir: extdir-hook is run by the shell integration: add the line that `extdird init bash` or `extdird init zsh` prints to your start file\n")
	return StatusBlock
}

// word takes one key=value.
func (c *call) word(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] == '=' {
			c.set(w[:i], w[i+1:])
			return i > 0
		}
	}
	return false
}

// set gives key its meaning: an option of the hook, or a field of the request.
func (c *call) set(key, value string) {
	switch key {
	case "socket":
		c.Socket = value
	case "extdird":
		c.Extdird = value
	case "dir":
		c.Dir = value
	case "config":
		c.Config = value
	case "state":
		c.State = value
	case "keep":
		c.Keep = append(c.Keep, value)
	case "fail":
		c.Fail = value
	case "trap":
		c.trap, c.trapSeen = value, true
	case "number":
		c.number = value
	case "history":
		c.history = value
	case "previous":
		c.previous = value
	case "histcontrol":
		c.control = value
	case "dropfile":
		c.drop = value
	case "verdict":
		c.verdict = value
	case "needfile":
		c.need = value
	case "line":
		c.line = true
		c.req.Add(key, value)
	default:
		c.req.Add(key, value)
	}
}
