package session

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Proc is what the process table says of one process.
type Proc struct {
	ID
	Comm       string // program name as the kernel keeps it, 15 bytes at the most on Linux
	State      byte   // R, S, Z …
	Parent     int    // 0: none in this pid namespace
	Group      int
	Leader     int    // the kernel's session id: pid of the session leader
	TTY        uint64 // device number of the controlling terminal, 0: none
	Foreground int    // foreground process group of that terminal
	Threads    int    // 0: not told
}

// Dead tells whether the process only waits to be collected. One whose first
// thread ended looks the same but for the others, which go on.
func (p Proc) Dead() bool {
	return (p.State == 'Z' || p.State == 'X' || p.State == 'x') && p.Threads <= 1
}

// Owner is who a process belongs to and who traces it.
type Owner struct {
	Real, Effective, Saved int
	Tracer                 int // 0: nobody
}

// File names a program by where it lies, not by what it is called.
type File struct {
	Path     string
	Dev, Ino uint64
}

// Same tells whether both name the same file. A zero File is the same as nothing.
func (f File) Same(g File) bool { return f.Ino != 0 && f.Ino == g.Ino && f.Dev == g.Dev }

// FileAt is the file that lies at a name, the zero File if none does.
func FileAt(path string) File {
	var st unix.Stat_t
	if path == "" || unix.Stat(path, &st) != nil {
		return File{}
	}
	return File{Path: path, Dev: uint64(st.Dev), Ino: st.Ino}
}

// Holders are the processes that hold the master side of a terminal.
type Holders struct {
	Pids []int
	// Hidden are processes whose descriptors may not be looked at (other users',
	// or marked not dumpable): a holder may be among them.
	Hidden []int
}

// Table is the process table. Errors that wrap fs.ErrNotExist mean that there
// is no such process; any other error means that it is not known.
type Table interface {
	Boot() (string, error)
	Proc(pid int) (Proc, error)
	Owner(pid int) (Owner, error)
	Exe(pid int) (File, error)
	// Args are the words that a process was started with, or says it was.
	Args(pid int) ([]string, error)
	// Env is the environment that a process was started with.
	Env(pid int) ([]string, error)
	// Cwd is the physical working directory of a process.
	Cwd(pid int) (string, error)
	Pids() ([]int, error)
	// Holders finds who holds the master of the pseudo terminal tty. ok is false
	// if tty is no pseudo terminal or the platform doesn't tell.
	Holders(tty uint64) (h Holders, ok bool, err error)
	// TTYName gives a terminal's device file.
	TTYName(tty uint64) string
}

// System is the process table of this machine.
func System() Table { return systemTable() }

// Identify names a running process.
func Identify(pid int) (ID, error) {
	p, err := System().Proc(pid)
	if err != nil {
		return ID{}, err
	}
	if p.Dead() {
		return ID{}, fmt.Errorf("process %d has ended: %w", pid, fs.ErrNotExist)
	}
	return p.ID, nil
}

// alive tells whether the very process id still runs. An error means unknown.
func alive(t Table, id ID) (bool, error) {
	p, err := t.Proc(id.Pid)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	return p.ID == id && !p.Dead(), nil
}

// maxDepth bounds a walk upwards. Real chains have 3 to 11 hops; the bound only
// keeps a table that contradicts itself from holding us.
const maxDepth = 512

// ancestry returns the process and all above it, itself first. It fails rather
// than return a chain with a hole: where a parent is gone the child is read
// again, since the kernel gives an orphan a new parent at once.
func ancestry(t Table, pid int) ([]Proc, error) {
	p, err := t.Proc(pid)
	if err != nil {
		return nil, err
	}
	chain := []Proc{p}
	for tries := 0; p.Parent != 0; {
		if len(chain) > maxDepth {
			return nil, fmt.Errorf("process %d has more than %d ancestors", pid, maxDepth)
		}
		up, err := t.Proc(p.Parent)
		// A parent that is younger than its child is another process with a
		// reused pid.
		if err == nil && up.Start <= p.Start {
			chain = append(chain, up)
			p, tries = up, 0
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if tries++; tries > 5 {
			return nil, fmt.Errorf("the parent %d of process %d can't be seen", p.Parent, p.Pid)
		}
		again, err := t.Proc(p.Pid)
		if err != nil {
			return nil, err
		}
		if again.ID != p.ID {
			return nil, fmt.Errorf("process %d ended while it was looked at: %w", p.Pid, fs.ErrNotExist)
		}
		p = again
		chain[len(chain)-1] = p
	}
	return chain, nil
}
