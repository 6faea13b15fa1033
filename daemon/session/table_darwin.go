package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// sysctls is the process table as sysctl(3) tells it.
type sysctls struct{}

func systemTable() Table { return sysctls{} }

// From sys/proc.h: the state of a process that waits to be collected, and the
// flag of one that is being traced.
const (
	szomb   = 5
	ptraced = 0x800
)

func (sysctls) Boot() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

func (sysctls) entry(pid int) (unix.KinfoProc, error) {
	if pid <= 0 {
		return unix.KinfoProc{}, fmt.Errorf("there is no process %d: %w", pid, fs.ErrNotExist)
	}
	found, err := unix.SysctlKinfoProcSlice("kern.proc.pid", pid)
	if err != nil {
		return unix.KinfoProc{}, fmt.Errorf("process %d: %w", pid, err)
	}
	if len(found) == 0 || int(found[0].Proc.P_pid) != pid {
		return unix.KinfoProc{}, fmt.Errorf("there is no process %d: %w", pid, fs.ErrNotExist)
	}
	return found[0], nil
}

func (t sysctls) Proc(pid int) (Proc, error) {
	k, err := t.entry(pid)
	if err != nil {
		return Proc{}, err
	}
	p := Proc{
		Comm:       unix.ByteSliceToString(k.Proc.P_comm[:]),
		State:      'R',
		Parent:     int(k.Eproc.Ppid),
		Group:      int(k.Eproc.Pgid),
		Foreground: int(k.Eproc.Tpgid),
	}
	p.Pid = pid
	// Microseconds since 1970: the kernel stamps it once, so it serves as well
	// as clock ticks since boot.
	p.Start = uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec)
	if k.Proc.P_stat == szomb {
		p.State = 'Z'
	}
	if k.Eproc.Tdev != -1 { // NODEV
		p.TTY = uint64(uint32(k.Eproc.Tdev))
	}
	if p.Leader, err = unix.Getsid(pid); err != nil {
		p.Leader = 0 // another user's, or a zombie's
	}
	if p.Boot, err = t.Boot(); err != nil {
		return Proc{}, err
	}
	return p, nil
}

func (t sysctls) Owner(pid int) (Owner, error) {
	k, err := t.entry(pid)
	if err != nil {
		return Owner{}, err
	}
	o := Owner{
		Real:      int(k.Eproc.Pcred.P_ruid),
		Effective: int(k.Eproc.Ucred.Uid),
		Saved:     int(k.Eproc.Pcred.P_svuid),
	}
	if k.Proc.P_flag&ptraced != 0 {
		// While a process is traced its tracer is its parent.
		o.Tracer = int(k.Eproc.Ppid)
	}
	return o, nil
}

// Exe reads kern.procargs2: the number of arguments (4 bytes), then the path
// that was executed.
// Cwd: sysctl(3) doesn't tell it, and proc_pidinfo(3) needs libproc.
func (t sysctls) Cwd(int) (string, error) {
	return "", errors.New("the working directory of another process isn't known here")
}

func (t sysctls) Exe(pid int) (File, error) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return File{}, fmt.Errorf("the program of process %d can't be read: %w", pid, err)
	}
	if len(b) < 5 {
		return File{}, fmt.Errorf("the program of process %d can't be read", pid)
	}
	path, _, _ := bytes.Cut(b[4:], []byte{0})
	var st unix.Stat_t
	if err := unix.Stat(string(path), &st); err != nil {
		return File{}, fmt.Errorf("the program of process %d: %w", pid, &fs.PathError{Op: "stat", Path: string(path), Err: err})
	}
	return File{Path: string(path), Dev: uint64(uint32(st.Dev)), Ino: st.Ino}, nil
}

func (sysctls) Pids() ([]int, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("the process table is empty")
	}
	pids := make([]int, 0, len(all))
	for i := range all {
		if pid := int(all[i].Proc.P_pid); pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// Holders: macOS tells nobody's pty masters without libproc, which needs cgo.
func (sysctls) Holders(uint64) (Holders, bool, error) { return Holders{}, false, nil }

// Pseudo terminals have the major 16 on macOS (ttysNNN).
func (sysctls) TTYName(tty uint64) string {
	if tty == 0 {
		return ""
	}
	major, minor := tty>>24&0xff, tty&0xffffff
	if major == 16 {
		return fmt.Sprintf("/dev/ttys%03d", minor)
	}
	return fmt.Sprintf("/dev/char/%d:%d", major, minor)
}
