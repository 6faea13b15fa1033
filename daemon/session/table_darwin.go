package session

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

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

// start reads kern.procargs2: the number of arguments (4 bytes), the path that was
// executed, padding, the arguments, the environment; each ends with a NUL.
func (sysctls) start(pid int) (path string, args, env []string, err error) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", nil, nil, fmt.Errorf("the program of process %d can't be read: %w", pid, err)
	}
	if len(b) < 5 {
		return "", nil, nil, fmt.Errorf("the program of process %d can't be read", pid)
	}
	n := int(binary.NativeEndian.Uint32(b))
	first, rest, _ := bytes.Cut(b[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for len(rest) > 0 {
		var word []byte
		word, rest, _ = bytes.Cut(rest, []byte{0})
		switch {
		case len(args) < n:
			args = append(args, string(word))
		case len(word) > 0:
			env = append(env, string(word))
		default: // the end of the environment
			rest = nil
		}
	}
	return string(first), args, env, nil
}

func (t sysctls) Args(pid int) ([]string, error) {
	_, args, _, err := t.start(pid)
	return args, err
}

func (t sysctls) Env(pid int) ([]string, error) {
	_, _, env, err := t.start(pid)
	return env, err
}

// Cwd: sysctl(3) doesn't tell it, and proc_pidinfo(3) needs libproc. What a process
// was started with is where it was started, if its shell said so.
func (t sysctls) Cwd(pid int) (string, error) {
	_, _, env, err := t.start(pid)
	if err != nil {
		return "", err
	}
	for _, e := range env {
		if dir, ok := strings.CutPrefix(e, "PWD="); ok && filepath.IsAbs(dir) {
			return filepath.EvalSymlinks(dir)
		}
	}
	return "", errors.New("the working directory of another process isn't known here")
}

func (t sysctls) Exe(pid int) (File, error) {
	path, _, _, err := t.start(pid)
	if err != nil {
		return File{}, err
	}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return File{}, fmt.Errorf("the program of process %d: %w", pid, &fs.PathError{Op: "stat", Path: path, Err: err})
	}
	return File{Path: path, Dev: uint64(uint32(st.Dev)), Ino: st.Ino}, nil
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
