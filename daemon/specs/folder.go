package specs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"extdir/daemon/command"
	"extdir/daemon/watch"
)

// maxFile is far more than a person writes: all that ships with extdir is half of it.
const maxFile = 1 << 20

// folder is a folder of spec files.
type folder struct {
	dir    string
	called string // what reasons call it
	owner  int    // the user who alone may write it; -1: anybody
}

// names are the spec files of the folder. Names that begin with a dot are an
// editor's (.x.spec.swp, .#x.spec).
func (f folder) names() ([]string, error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) && f.isNothing() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: can't be read: %s", f.dir, plain(err))
	}
	var out []string
	for _, e := range entries {
		if n := e.Name(); strings.HasSuffix(n, ".spec") && n[0] != '.' {
			out = append(out, n)
		}
	}
	return out, nil
}

func (f folder) isNothing() bool {
	_, err := os.Lstat(f.dir)
	return err != nil
}

// files reads the folder. called maps what an error of command calls a file to
// its full name.
func (f folder) files() (files []command.File, called map[string]string, wrong []error) {
	called = map[string]string{}
	if f.owner >= 0 {
		var st unix.Stat_t
		if err := unix.Stat(f.dir, &st); err == nil && (int(st.Uid) != f.owner || st.Mode&0o022 != 0) {
			return nil, called, []error{fmt.Errorf("%s: others than the administrator may write it (chown root, chmod go-w)", f.dir)}
		}
	}
	names, err := f.names()
	if err != nil {
		return nil, called, []error{err}
	}
	for _, n := range names {
		full := filepath.Join(f.dir, n)
		text, err := f.read(full)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		name := f.called + "/" + n
		called[name] = full
		files = append(files, command.File{Name: name, Text: text})
	}
	return files, called, wrong
}

// read reads a file; with an owner only if nobody else could have written it.
func (f folder) read(name string) (string, error) {
	// O_NONBLOCK: opening a FIFO would wait for a writer for ever.
	file, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("%s: can't be read: %s", name, plain(err))
	}
	defer file.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &st); err != nil {
		return "", fmt.Errorf("%s: can't be read: %s", name, plain(err))
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return "", fmt.Errorf("%s: is not a regular file; write the spec itself there", name)
	}
	if f.owner >= 0 && (int(st.Uid) != f.owner || st.Mode&0o022 != 0) {
		return "", fmt.Errorf("%s: others than the administrator may write it (chown root, chmod go-w)", name)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("%s: can't be read: %s", name, plain(err))
	}
	if len(text) > maxFile {
		return "", fmt.Errorf("%s: is larger than 1 MiB; split it", name)
	}
	return string(text), nil
}

// links are what the links of the folder lead to, and links on the way.
func (f folder) links() []string {
	var out []string
	names, _ := f.names()
	for _, n := range names {
		full := filepath.Join(f.dir, n)
		at := watch.Resolve(full)
		for _, l := range at.Links {
			if l.Name != full {
				out = append(out, l.Name)
			}
		}
		if at.File != full {
			out = append(out, at.File)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// dirs are the folders whose entries decide what the folder holds.
func (f folder) dirs() []string {
	// A name in it, whether there is one or not: its folder, or what would hold that.
	dirs := append(watch.Resolve(filepath.Join(f.dir, "x.spec")).Dirs(), watch.Resolve(f.dir).Dirs()...)
	names, _ := f.names()
	for _, n := range names {
		dirs = append(dirs, watch.Resolve(filepath.Join(f.dir, n)).Dirs()...)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// signature changes whenever a file of the folder does, or who may write it.
func (f folder) signature(b *strings.Builder) {
	names, err := f.names()
	if err != nil {
		fmt.Fprintf(b, "%q %v\n", f.dir, err)
	}
	if f.owner >= 0 {
		var st unix.Stat_t
		if err := unix.Stat(f.dir, &st); err == nil {
			fmt.Fprintf(b, "%q %o %d\n", f.dir, st.Mode, st.Uid)
		}
	}
	for _, n := range names {
		b.WriteString(watch.Resolve(filepath.Join(f.dir, n)).Signature())
		b.WriteByte('\n')
	}
}

// plain is an error without the operation and path that Go puts before it.
func plain(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

func itoa(n int) string { return strconv.Itoa(n) }
