package hook

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"extdir/hook/wire"
)

// say writes to standard error: an agent without a terminal has to see it too.
func say(s string) { os.Stderr.WriteString(s) }

// errLost: the daemon knows nothing of the id that it, or one before it, gave out.
var errLost = errors.New("it knows nothing of this decision")

// failed refuses for want of a verdict, or lets the line pass if the user chose
// so and the daemon had not said anything of it yet.
func (c *call) failed(err error) int {
	why := c.why(err)
	if c.open(err) {
		say("extdir: not judged (\"fail\": \"open\"): " + why + "\n")
		return StatusAllow
	}
	return c.refuse("extdir: blocked: " + why + "\n")
}

// open tells whether the user chose that a line passes for which there is no verdict.
func (c *call) open(err error) bool {
	return c.Fail == "open" && !c.judged && !errors.Is(err, wire.ErrForeign)
}

// why says what kept the daemon from judging, and what to do.
func (c *call) why(err error) string {
	why := err.Error()
	switch {
	case errors.Is(err, errLost), c.judged && errors.Is(err, wire.ErrNoDaemon):
		return "extdird ended before this line was decided: run the line again"
	case errors.Is(err, wire.ErrGone):
		return "extdird ends when it is asked about this line: `" + c.command("status") + "` names its log, which says why"
	case errors.Is(err, wire.ErrNoDaemon):
		return "extdird is not running and could not be started: run `" + c.command("serve") + "` in another terminal to see why"
	case errors.Is(err, wire.ErrTimeout):
		c.mark()
		return "extdird does not answer: `" + c.command("status") + "` in another terminal shows whether it is busy; end it with `kill` and the next line starts a new one"
	case errors.Is(err, wire.ErrReply), errors.Is(err, wire.ErrMalformed), errors.Is(err, wire.ErrVersion):
		return "extdird and this shell don't understand each other (" + why + "): start a new shell, and restart extdird with `" + c.command("stop") + "`"
	case errors.Is(err, wire.ErrTooLong):
		return "the line is longer than 1 MiB: put it in a script inside the project and run that"
	}
	return "no verdict from extdird: " + why
}

// command is how to call extdird for this daemon.
func (c *call) command(verb string) string {
	s := "extdird " + verb
	if c.Dir != "" {
		s += " --dir " + c.Dir
	}
	return s
}

// refuse prints text, drops what was typed ahead, and ends the line.
//
// In bash with PS0 the process kills itself with SIGINT where the user has no
// INT trap: the shell sees a substitution that died of SIGINT and raises SIGINT
// for itself (subst.c, command_substitute), which drops the line and leaves 130
// without a further word. Where that can't be, the status alone makes the guard
// throw. Sending SIGINT to the shell and ending with 0 would let the line run
// whenever the shell looks the other way.
func (c *call) refuse(text string) int {
	say(text)
	via := c.req.Get("via")
	if via == "ps0" || via == "debug" || via == "preexec" {
		flushInput()
	}
	if via == "ps0" && c.trapSeen && c.trap == "" {
		syscall.Kill(os.Getpid(), unix.SIGINT)
		time.Sleep(50 * time.Millisecond) // the signal is on its way; blocked or ignored it never comes
	}
	return StatusBlock
}

// flushInput throws away what waits in the terminal: the rest of a paste whose
// beginning was refused must not run, and must not answer a question.
func flushInput() {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	tcflush(fd)
}
