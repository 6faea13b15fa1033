// Package edit changes files that people keep: their configuration, their shells' start
// files, the settings of their agents. A change is shown before it is made, made only to
// the file it was shown of, and made whole or not at all.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"extdir/daemon/policy"
	"extdir/daemon/watch"
)

// Change is a change to a file.
type Change struct {
	File     string
	Old, New []byte
}

// Diff shows the change as lines that go and come, with a line of context.
func (c Change) Diff() string {
	old, next := lines(c.Old), lines(c.New)
	head := 0
	for head < len(old) && head < len(next) && old[head] == next[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(next)-head && old[len(old)-1-tail] == next[len(next)-1-tail] {
		tail++
	}
	var b strings.Builder
	put := func(mark string, ls []string) {
		for _, l := range ls {
			b.WriteString(mark + policy.Printable(l) + "\n")
		}
	}
	fmt.Fprintf(&b, "%s:%d\n", c.File, head+1)
	put("  ", old[max(0, head-1):head])
	put("- ", old[head:len(old)-tail])
	put("+ ", next[head:len(next)-tail])
	put("  ", next[len(next)-tail:min(len(next), len(next)-tail+1)])
	return b.String()
}

func lines(b []byte) []string {
	s := strings.TrimSuffix(string(b), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// Write puts the change into the file, whole or not at all: a new file beside the
// target of the last link takes its place.
func (c Change) Write() error {
	target := watch.Resolve(c.File).File
	now, err := os.ReadFile(target)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("%s can't be read: %s", c.File, plain(err))
	}
	if !bytes.Equal(now, c.Old) {
		return fmt.Errorf("%s was changed meanwhile: try again", c.File)
	}
	mode := os.FileMode(0o600)
	if st, err := os.Stat(target); err == nil {
		mode = st.Mode().Perm()
	}
	dir := filepath.Dir(target)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("%s can't be made: %s", dir, plain(err))
	}
	if err := replace(dir, target, c.New, mode); err != nil {
		return fmt.Errorf("%s can't be written: %s", c.File, plain(err))
	}
	return nil
}

func replace(dir, target string, text []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(dir, ".extdir-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already if all went well
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), target)
}

// plain is an error without the operation and path that Go puts before it.
func plain(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err.Error()
	}
	return err.Error()
}
