package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"extdir/daemon/watch"
)

// grace is how long a file may be gone (backup, delete and create) before what it
// allowed ends.
const grace = 2 * time.Second

// watched is a file that is followed.
type watched struct {
	c *Config
	source
	deaf string // why changes are noticed within seconds only
	seen string // signature of what was read last
	gone time.Time
}

func (w *watched) subject() watch.Subject {
	return watch.Subject{
		Dirs:     func() []string { return watch.Resolve(w.file).Dirs() },
		Concerns: func(name string) bool { return watch.Resolve(w.file).Concerns(name) },
		Look: func(always bool, deaf string) time.Duration {
			w.deaf = deaf
			w.load(always)
			if w.gone.IsZero() {
				return 0
			}
			return max(time.Millisecond, grace-time.Since(w.gone))
		},
	}
}

// load takes the file if it changed since it was read last (always: in any case).
func (w *watched) load(always bool) {
	for range 3 {
		at := watch.Resolve(w.file)
		before := at.Signature()
		if before == w.seen && !always && w.gone.IsZero() {
			w.say(nil)
			return
		}
		src, err := readFile(at.File, w.owner)
		if watch.Resolve(w.file).Signature() != before {
			continue // it changed while it was read
		}
		w.take(before, src, err)
		return
	}
	// Written to without a pause: the next event or poll tries again.
}

// readFile reads a file; with an owner only if nobody else could have written it.
func readFile(name string, owner int) ([]byte, error) {
	// O_NONBLOCK: opening a FIFO would wait for a writer for ever.
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file", name)
	}
	if owner >= 0 {
		var s unix.Stat_t
		if err := unix.Fstat(int(f.Fd()), &s); err != nil {
			return nil, err
		}
		if int(s.Uid) != owner || st.Mode().Perm()&0o022 != 0 {
			return nil, fmt.Errorf("%s: others than the administrator may write it (chown root, chmod go-w)", name)
		}
	}
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

func (w *watched) take(sig string, src []byte, err error) {
	absent := errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && len(src) == 0
	switch {
	case absent:
		w.vanished(sig, err == nil)
		return
	case err != nil:
		w.seen, w.gone = sig, time.Time{}
		w.broken([]Problem{{File: w.file, Message: "can't be read: " + plain(err)}})
		return
	}
	w.seen, w.gone = sig, time.Time{}
	f, problems := parse(w.file, src, w.origin)
	if len(problems) > 0 {
		w.broken(problems)
		return
	}
	unkept := w.c.keep(w.source, src)
	w.c.swap(w.index, f, func(s *Status) {
		s.Loaded, s.Missing, s.Polling = time.Now(), false, w.deaf
		s.Kept, s.Unkept, s.vanished = "", unkept, false
		s.setProblems(nil, time.Now())
	})
}

// broken: the bytes on disk can't be taken. What was in force stays, or what was
// kept of an earlier daemon's comes into force.
func (w *watched) broken(problems []Problem) {
	if w.c.now.Load().files[w.index] == nil {
		if f, name, at := w.c.kept(w.source); f != nil {
			w.c.swap(w.index, f, func(s *Status) {
				s.Loaded, s.Missing, s.Polling, s.Kept = at, false, w.deaf, name
				s.setProblems(problems, time.Now())
			})
			return
		}
	}
	w.say(problems)
}

// vanished: the file is gone, or empty as between truncate and write. What it
// allowed ends after a grace; what it denies and asks for stays.
func (w *watched) vanished(sig string, empty bool) {
	now := time.Now()
	f := w.c.now.Load().files[w.index] // changed by this goroutine alone
	w.seen = sig
	switch {
	case f == nil:
		w.c.drop(w.source)
		w.gone = time.Time{}
		w.c.note(w.index, func(s *Status) {
			s.Missing, s.Polling = !empty, w.deaf
			s.setProblems(nil, now)
		})
		return
	case f.vanished:
		w.gone = time.Time{}
		w.say(nil)
		return
	case w.gone.IsZero():
		w.gone = now
	}
	if now.Sub(w.gone) < grace {
		return
	}
	w.gone = time.Time{}
	what := "is gone"
	if empty {
		what = "is empty"
	}
	w.c.drop(w.source)
	w.c.swap(w.index, f.strict(), func(s *Status) {
		s.Missing, s.Polling = !empty, w.deaf
		s.Kept, s.Unkept, s.vanished = "", "", true
		s.setProblems([]Problem{{
			File:    w.file,
			Message: what + ": what it allowed no longer holds, what it denies does until extdird restarts",
		}}, now)
	})
}

// say puts problems into the status; nil leaves them as they are.
func (w *watched) say(problems []Problem) {
	w.c.note(w.index, func(s *Status) {
		s.Polling = w.deaf
		if problems != nil {
			s.Missing, s.vanished = false, false
			s.setProblems(problems, time.Now())
		}
	})
}

func (s *Status) setProblems(problems []Problem, now time.Time) {
	text := ""
	if len(problems) > 0 {
		text = problems[0].short()
		if n := len(problems) - 1; n > 0 {
			text += fmt.Sprintf(" (and %d more)", n)
		}
	}
	if text != s.Problem {
		s.Since = now
	}
	if text == "" {
		s.Since = time.Time{}
	}
	s.Problem, s.Problems = text, problems
}

func (s Status) equal(t Status) bool {
	return s.Generation == t.Generation && s.Missing == t.Missing && s.Problem == t.Problem &&
		s.Polling == t.Polling && s.Holds == t.Holds && s.Kept == t.Kept && s.Unkept == t.Unkept && slices.Equal(s.Problems, t.Problems)
}
