package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// procfs is a process table read from a mounted proc file system (proc(5)).
type procfs struct {
	root string
	boot string // known already: it doesn't change while we run
}

var bootID = sync.OnceValue(func() string {
	id, err := procfs{root: "/proc"}.Boot()
	if err != nil {
		return "" // read again, and reported, where it is needed
	}
	return id
})

func systemTable() Table { return procfs{root: "/proc", boot: bootID()} }

// gone turns the errors of a process that ended between two reads into
// fs.ErrNotExist: an open file below /proc/PID then gives ESRCH.
func gone(pid int, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("there is no process %d: %w", pid, fs.ErrNotExist)
	}
	return err
}

func (t procfs) path(pid int, name string) string {
	return filepath.Join(t.root, strconv.Itoa(pid), name)
}

func (t procfs) read(pid int, name string) ([]byte, error) {
	f, err := os.Open(t.path(pid, name))
	if err != nil {
		return nil, gone(pid, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return nil, gone(pid, err)
	}
	return b, nil
}

func (t procfs) Boot() (string, error) {
	if t.boot != "" {
		return t.boot, nil
	}
	b, err := os.ReadFile(filepath.Join(t.root, "sys/kernel/random/boot_id"))
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(b))
	if id == "" {
		return "", errors.New("the kernel's boot id is empty")
	}
	return id, nil
}

func (t procfs) Proc(pid int) (Proc, error) {
	if pid <= 0 {
		return Proc{}, fmt.Errorf("there is no process %d: %w", pid, fs.ErrNotExist)
	}
	b, err := t.read(pid, "stat")
	if err != nil {
		return Proc{}, err
	}
	p, err := parseStat(b)
	if err != nil {
		return Proc{}, fmt.Errorf("%s: %w", t.path(pid, "stat"), err)
	}
	if p.Pid != pid {
		return Proc{}, fmt.Errorf("%s speaks of process %d", t.path(pid, "stat"), p.Pid)
	}
	if p.Boot, err = t.Boot(); err != nil {
		return Proc{}, err
	}
	return p, nil
}

// parseStat reads /proc/PID/stat. The name in parentheses may hold blanks and
// parentheses, so the fields are counted from the last ')'.
func parseStat(b []byte) (Proc, error) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return Proc{}, errors.New("the process name is missing")
	}
	var p Proc
	var err error
	if p.Pid, err = strconv.Atoi(strings.TrimSpace(string(b[:open]))); err != nil {
		return Proc{}, errors.New("the pid is no number")
	}
	p.Comm = string(b[open+1 : end])
	f := strings.Fields(string(b[end+1:]))
	// f[0] is field 3 of proc(5).
	const state, ppid, pgrp, sid, tty, tpgid, threads, start = 0, 1, 2, 3, 4, 5, 17, 19
	if len(f) <= start || len(f[state]) != 1 {
		return Proc{}, errors.New("fields are missing")
	}
	p.State = f[state][0]
	for _, n := range []struct {
		at int
		to *int
	}{{ppid, &p.Parent}, {pgrp, &p.Group}, {sid, &p.Leader}, {tpgid, &p.Foreground}, {threads, &p.Threads}} {
		if *n.to, err = strconv.Atoi(f[n.at]); err != nil {
			return Proc{}, fmt.Errorf("field %d is no number", n.at+3)
		}
	}
	dev, err := strconv.ParseInt(f[tty], 10, 64)
	if err != nil {
		return Proc{}, errors.New("the terminal is no number")
	}
	p.TTY = uint64(uint32(dev)) // printed as a signed 32-bit number
	if p.Start, err = strconv.ParseUint(f[start], 10, 64); err != nil {
		return Proc{}, errors.New("the start time is no number")
	}
	return p, nil
}

// Args: proc_pid_cmdline(5). A program may have written over it.
func (t procfs) Args(pid int) ([]string, error) { return t.strings(pid, "cmdline") }

// Env: proc_pid_environ(5), as it was at the start of the program.
func (t procfs) Env(pid int) ([]string, error) { return t.strings(pid, "environ") }

func (t procfs) strings(pid int, name string) ([]string, error) {
	b, err := t.read(pid, name)
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(string(b), "\x00")
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\x00"), nil
}

func (t procfs) Owner(pid int) (Owner, error) {
	b, err := t.read(pid, "status")
	if err != nil {
		return Owner{}, err
	}
	o := Owner{-1, -1, -1, -1}
	for line := range strings.Lines(string(b)) {
		key, rest, _ := strings.Cut(line, ":")
		f := strings.Fields(rest)
		switch {
		case key == "TracerPid" && len(f) == 1:
			o.Tracer = number(f[0])
		case key == "Uid" && len(f) == 4:
			o.Real, o.Effective, o.Saved = number(f[0]), number(f[1]), number(f[2])
		}
	}
	if o.Tracer < 0 || o.Real < 0 || o.Effective < 0 || o.Saved < 0 {
		return Owner{}, fmt.Errorf("%s: owner or tracer is missing", t.path(pid, "status"))
	}
	return o, nil
}

func (t procfs) Cwd(pid int) (string, error) { return os.Readlink(t.path(pid, "cwd")) }

// number is -1 for what is no number.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

func (t procfs) Exe(pid int) (File, error) {
	link := t.path(pid, "exe")
	var st unix.Stat_t
	// stat through the link reaches the very file that runs, also when its name
	// was unlinked or now means another file.
	if err := unix.Stat(link, &st); err != nil {
		return File{}, gone(pid, &fs.PathError{Op: "stat", Path: link, Err: err})
	}
	path, err := os.Readlink(link)
	if err != nil {
		return File{}, gone(pid, err)
	}
	return File{Path: path, Dev: uint64(st.Dev), Ino: st.Ino}, nil
}

func (t procfs) Pids() ([]int, error) {
	d, err := os.Open(t.root)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, n := range names {
		if pid := number(n); pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// split takes a terminal's number apart as the kernel's new_encode_dev put it
// together.
func split(tty uint64) (major, minor uint64) {
	return tty >> 8 & 0xfff, tty&0xff | tty>>12&0xfff00
}

// Unix98 slave terminals have the majors 136 to 143 (Documentation/admin-guide/devices.txt).
func ptsIndex(tty uint64) (uint64, bool) {
	major, minor := split(tty)
	if major < 136 || major > 143 {
		return 0, false
	}
	return (major-136)<<8 | minor, true
}

func (t procfs) TTYName(tty uint64) string {
	if tty == 0 {
		return ""
	}
	if n, ok := ptsIndex(tty); ok {
		return "/dev/pts/" + strconv.FormatUint(n, 10)
	}
	major, minor := split(tty)
	switch {
	case major == 4 && minor < 64:
		return "/dev/tty" + strconv.FormatUint(minor, 10)
	case major == 4:
		return "/dev/ttyS" + strconv.FormatUint(minor-64, 10)
	case major == 5 && minor == 1:
		return "/dev/console"
	}
	return fmt.Sprintf("/dev/char/%d:%d", major, minor)
}

// Holders looks for open masters in every process: their link reads /dev/ptmx
// or /dev/pts/ptmx, and fdinfo names the terminal (tty-index, Linux 4.14).
func (t procfs) Holders(tty uint64) (Holders, bool, error) {
	index, ok := ptsIndex(tty)
	if !ok {
		return Holders{}, false, nil
	}
	pids, err := t.Pids()
	if err != nil {
		return Holders{}, true, err
	}
	var h Holders
	for _, pid := range pids {
		holds, err := t.holds(pid, index)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			h.Hidden = append(h.Hidden, pid)
		case holds:
			h.Pids = append(h.Pids, pid)
		}
	}
	return h, true, nil
}

func (t procfs) holds(pid int, index uint64) (bool, error) {
	d, err := os.Open(t.path(pid, "fd"))
	if err != nil {
		return false, gone(pid, err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return false, gone(pid, err)
	}
	want := strconv.FormatUint(index, 10)
	for _, n := range names {
		link, err := os.Readlink(t.path(pid, "fd/"+n))
		if errors.Is(err, fs.ErrNotExist) {
			continue // closed meanwhile
		}
		if err != nil {
			return false, gone(pid, err)
		}
		if !strings.HasSuffix(link, "/ptmx") {
			continue
		}
		info, err := t.read(pid, "fdinfo/"+n)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		for line := range strings.Lines(string(info)) {
			if v, ok := strings.CutPrefix(line, "tty-index:"); ok && strings.TrimSpace(v) == want {
				return true, nil
			}
		}
	}
	return false, nil
}
