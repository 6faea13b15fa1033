package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A daemon that starts while a file is broken has no last good version in
// memory, and the user's denies would be gone. So the last good bytes of each
// file are kept as a file of their own, and that one is read instead. It begins
// with a comment that names the file it was taken from: bytes of another place's
// file are none of ours.

// keptName is where the last good bytes of a source are; "": nowhere.
func (c *Config) keptName(src source) string {
	if c.opts.Keep == "" {
		return ""
	}
	return filepath.Join(c.opts.Keep, "last-good-"+src.origin.layer+".json")
}

func keptHead(file string) []byte {
	return []byte("// the last good rules of " + strconv.Quote(file) + ", for a start while that file is broken\n")
}

// keep writes good bytes down, in one step and only if they are others than those
// that are there. It returns why it can't, or "".
func (c *Config) keep(src source, text []byte) string {
	name := c.keptName(src)
	if name == "" {
		return ""
	}
	text = append(keptHead(src.file), bytes.TrimPrefix(text, []byte("\ufeff"))...)
	if old, err := readFile(name, os.Geteuid()); err == nil && bytes.Equal(old, text) {
		return ""
	}
	f, err := os.CreateTemp(c.opts.Keep, ".last-good-") // mode 0600
	if err == nil {
		_, werr := f.Write(text)
		err = errors.Join(werr, f.Sync(), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), name)
		}
		if err != nil {
			os.Remove(f.Name())
		}
	}
	if err != nil {
		return fmt.Sprintf("the last good rules of %s can't be kept for a restart: %s", src.file, plain(err))
	}
	return ""
}

// drop forgets the kept bytes of a file that is gone.
func (c *Config) drop(src source) {
	if name := c.keptName(src); name != "" {
		_ = os.Remove(name) // it isn't there most of the time
	}
}

// kept reads back what was kept of a source. Its rules name the copy as the file
// they stand in, since its lines are the ones in force.
func (c *Config) kept(src source) (f *file, name string, at time.Time) {
	name = c.keptName(src)
	if name == "" {
		return nil, "", at
	}
	text, err := readFile(name, os.Geteuid())
	if err != nil || !bytes.HasPrefix(text, keptHead(src.file)) {
		return nil, "", at
	}
	f, problems := parse(name, text, src.origin)
	if len(problems) > 0 {
		return nil, "", at
	}
	if st, err := os.Stat(name); err == nil {
		at = st.ModTime()
	}
	return f, name, at
}

// holds says what is in force of a file whose bytes on disk aren't.
func (s Status) holds() string {
	switch {
	case s.Problem == "" || s.vanished:
		return "" // or the problem says it
	case s.Kept != "":
		return "the last good rules hold, those in " + s.Kept
	case !s.Loaded.IsZero():
		return "the last good rules hold, those read at " + s.Loaded.Local().Format(time.DateTime)
	}
	return "none of its rules hold"
}

// both joins what is to be said of two files.
func both(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case b == "":
		return a
	}
	return a + "; " + b
}
