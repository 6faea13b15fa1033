package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// errFound ends a walk.
var errFound = errors.New("found")

// Find returns the entry with that id; "" is the last decision about a line.
// Torn lines are skipped.
func Find(path, id string, files int) (Entry, error) {
	var hit Entry
	err := backwards(path, files, func(e Entry) error {
		if e.ID == id && id != "" || id == "" && e.Kind == "check" {
			hit = e
			return errFound
		}
		return nil
	})
	switch {
	case errors.Is(err, errFound):
		return hit, nil
	case err != nil:
		return Entry{}, err
	case id == "":
		return Entry{}, errors.New("no decision is logged yet")
	}
	return Entry{}, fmt.Errorf("there is no decision %s in the log; it may have been rotated away", id)
}

// Last returns the last n entries that keep wants (nil: all), newest first.
func Last(path string, n, files int, keep func(Entry) bool) ([]Entry, error) {
	var out []Entry
	if n <= 0 {
		return nil, nil
	}
	err := backwards(path, files, func(e Entry) error {
		if keep == nil || keep(e) {
			if out = append(out, e); len(out) >= n {
				return errFound
			}
		}
		return nil
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return out, err
}

// backwards calls f for each entry, the newest first, until it returns an error.
func backwards(path string, files int, f func(Entry) error) error {
	if files <= 0 {
		files = DefaultFiles
	}
	for i := range files {
		file, err := os.Open(numbered(path, i))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = linesBackwards(file, func(line []byte) error {
			var e Entry
			if len(line) == 0 || json.Unmarshal(line, &e) != nil {
				return nil
			}
			return f(e)
		})
		_ = file.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// linesBackwards reads a file from its end, in blocks.
func linesBackwards(r io.ReadSeeker, f func([]byte) error) error {
	at, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	const block = 64 << 10
	var rest []byte // the beginning of what was read, up to its first newline
	for at > 0 {
		n := min(at, block)
		at -= n
		if _, err := r.Seek(at, io.SeekStart); err != nil {
			return err
		}
		buf := make([]byte, n, int(n)+len(rest))
		if _, err := io.ReadFull(r, buf); err != nil {
			return err
		}
		buf = append(buf, rest...)
		for {
			i := bytes.LastIndexByte(buf, '\n')
			if i < 0 {
				break
			}
			if err := f(buf[i+1:]); err != nil {
				return err
			}
			buf = buf[:i]
		}
		rest = buf
	}
	if len(rest) > 0 {
		return f(rest)
	}
	return nil
}
