package hook

import (
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"extdir/hook/wire"
)

// terminal is the controlling terminal in raw mode.
type terminal struct {
	fd    int
	saved *unix.Termios
}

// openTerminal returns nil if there is no terminal, or not ours to use now.
func openTerminal() *terminal {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	if pgrp, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || pgrp != unix.Getpgrp() {
		unix.Close(fd)
		return nil
	}
	saved, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		unix.Close(fd)
		return nil
	}
	raw := *saved
	raw.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG | unix.IEXTEN
	raw.Iflag &^= unix.IXON
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &raw); err != nil {
		unix.Close(fd)
		return nil
	}
	return &terminal{fd, saved}
}

// close puts the terminal back; safe to call again, and on nil.
func (t *terminal) close() {
	if t == nil || t.saved == nil {
		return
	}
	tcflush(t.fd)
	unix.IoctlSetTermios(t.fd, setTermios, t.saved)
	t.saved = nil
}

// An answer is a key by itself. What is typed ahead or pasted, what a program
// writes at once, and the next line of somebody who has not seen the question
// comes as several keys, and as a rule at the wrong moment.
const (
	before = 500 * time.Millisecond // without a key, since the question or the last key
	after  = 350 * time.Millisecond // without another one behind it
)

// choice is one answer that may be given: its key and what it is called.
type choice struct {
	key         byte
	choice      string // as the daemon knows it
	shown, echo string
}

var allChoices = []choice{
	{'y', "once", "y once", "once"},
	{'s', "session", "s for this session", "session"},
	{'n', "deny", "n no", "no"},
}

// choices are what the daemon will take; without a word of it everything.
func choices(detail []wire.Field) []choice {
	for _, f := range detail {
		if f.Key != "offer" {
			continue
		}
		offered := " " + f.Value + " deny "
		var out []choice
		for _, c := range allChoices {
			if strings.Contains(offered, " "+c.choice+" ") {
				out = append(out, c)
			}
		}
		return out
	}
	return allChoices
}

// question shows text and waits for a key. What was typed before is thrown away.
func (t *terminal) question(text string, offered []choice) answer {
	var names []string
	for _, c := range offered {
		names = append(names, c.shown)
	}
	keys := strings.Join(names, " · ") + "  "
	tcflush(t.fd)
	t.write(text + "extdir: run it?  " + keys)

	typed := make(chan []byte)
	go t.read(typed)
	quiet := time.Now().Add(before)
	var key byte              // the answer, if nothing follows it
	var then <-chan time.Time // when it is one, or when thrown away keys are over
	hinted := false
	for {
		select {
		case b, ok := <-typed:
			if !ok {
				return answer{choice: "deny", reason: "the terminal was closed"}
			}
			for _, k := range b {
				if k == 3 || k == 4 { // Ctrl-C and Ctrl-D, which are mere bytes now
					t.write("no\n")
					return answer{choice: "deny"}
				}
			}
			alone := key == 0 && len(b) == 1 && time.Now().After(quiet)
			quiet = time.Now().Add(before)
			if alone {
				key, then = b[0], time.After(after)
			} else {
				key, then = 0, time.After(before)
			}
		case <-then:
			for _, c := range offered {
				if key == c.key || key == c.key-'a'+'A' {
					t.write(c.echo + "\n")
					return answer{choice: c.choice}
				}
			}
			if !hinted {
				t.write("\nextdir: one key by itself answers:  " + keys)
			}
			key, then, hinted = 0, nil, true
		}
	}
}

// read hands on what is typed, until the terminal is closed.
func (t *terminal) read(typed chan<- []byte) {
	defer close(typed)
	for {
		b := make([]byte, 256)
		n, err := syscall.Read(t.fd, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return
		}
		typed <- b[:n]
	}
}

func (t *terminal) write(s string) {
	for b := []byte(s); len(b) > 0; {
		n, err := unix.Write(t.fd, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return
		}
		b = b[n:]
	}
}
