// Package specs keeps the spec files of the user and of the administrator laid
// over the built-in ones.
//
// The first that describes a command wins as a whole unless it says extend: the
// user's files, then the administrator's, then what ships with extdir. A spec can
// loosen the gate (it may call every word text), so the administrator can say
// final of a command: no user's file describes it then. A file with a mistake is
// left out alone, and named; the commands it described are as the next layer
// says, or guesses.
package specs

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"extdir/daemon/command"
	"extdir/daemon/watch"
)

// Managed is the administrator's folder. A file there counts only while it, and
// the folder, belong to root and nobody else may write them.
const Managed = "/etc/extdir/specs"

// Options say where the folders are; "" is none.
type Options struct {
	User    string
	Managed string

	administrator int // user id; root but in tests
}

// Status tells what is in force.
type Status struct {
	Generation uint64    `json:"generation"`         // counts the tables that came into force
	Files      []string  `json:"files,omitempty"`    // in force
	Problems   []string  `json:"problems,omitempty"` // why a file is not, each with its place
	Since      time.Time `json:"-"`                  // since when there are these problems
	Polling    string    `json:"polling,omitempty"`  // why changes are noticed within seconds only
}

// Problem is one sentence, "" if all is well.
func (s Status) Problem() string {
	switch n := len(s.Problems); n {
	case 0:
		return ""
	case 1:
		return s.Problems[0]
	default:
		return s.Problems[0] + " (and " + plural(n-1, "more problem") + ")"
	}
}

// Set is the command knowledge in force. It is safe for concurrent use.
type Set struct {
	o    Options
	base *command.Table
	now  atomic.Pointer[state]
	load sync.Mutex
	seen string // signature of what was read last
}

type state struct {
	table  *command.Table
	status Status
	links  []string // names outside the folders that decide what is in them
}

// Open reads the folders once. Mistakes are no error: Status names them.
func Open(o Options, base *command.Table) *Set {
	s := &Set{o: o, base: base}
	s.now.Store(&state{table: base})
	s.refresh(true)
	return s
}

// Table is the knowledge in force.
func (s *Set) Table() *command.Table { return s.now.Load().table }

// Status tells which files are in force and what is wrong with the others.
func (s *Set) Status() Status { return s.now.Load().status }

// Own are the folder of the user's specs and the files that links in it lead to:
// who writes there changes what lines are taken for.
func (s *Set) Own() []string {
	var own []string
	for _, dir := range []string{s.o.User, s.o.Managed} {
		if dir != "" {
			own = append(own, dir)
		}
	}
	return append(own, s.now.Load().links...)
}

// Follow keeps the table up to date until the watcher is closed. changed is called
// after each change, from one goroutine at a time.
func (s *Set) Follow(w *watch.Watcher, changed func(Status)) *watch.Follower {
	return w.Follow(watch.Subject{
		Dirs: func() (dirs []string) {
			for _, l := range s.layers() {
				dirs = append(dirs, l.dirs()...)
			}
			return dirs
		},
		Look: func(always bool, deaf string) time.Duration {
			s.polling(deaf)
			if s.refresh(always) {
				changed(s.Status())
			}
			return 0
		},
	})
}

// refresh reads the folders if something changed in them, and tells whether
// something else is in force or wrong now.
func (s *Set) refresh(always bool) bool {
	s.load.Lock()
	defer s.load.Unlock()
	for range 3 {
		before := s.signature()
		if before == s.seen && !always {
			return false
		}
		next := s.read()
		if s.signature() != before {
			continue // it changed while it was read
		}
		s.seen = before
		old := s.now.Load()
		if slices.Equal(next.status.Problems, old.status.Problems) {
			next.status.Since = old.status.Since
		} else {
			next.status.Since = time.Now()
		}
		next.status.Generation = old.status.Generation + 1
		next.status.Polling = old.status.Polling
		s.now.Store(next)
		return true
	}
	return false // written to without a pause: the next look tries again
}

func (s *Set) polling(why string) {
	s.load.Lock()
	defer s.load.Unlock()
	old := s.now.Load()
	if old.status.Polling != why {
		next := *old
		next.status.Polling = why
		s.now.Store(&next)
	}
}

// read makes the table of what lies in the folders now.
func (s *Set) read() *state {
	st := &state{table: s.base}
	for _, l := range s.layers() {
		files, names, wrong := l.files()
		var errs []error
		st.table, errs = st.table.Lay(files)
		for _, err := range errs {
			var e *command.SpecError
			if errors.As(err, &e) {
				full := *e
				full.File = names[e.File]
				delete(names, e.File)
				err = &full
			}
			wrong = append(wrong, err)
		}
		for _, err := range wrong {
			st.status.Problems = append(st.status.Problems, err.Error()+"; the file is not in force")
		}
		for _, full := range names {
			st.status.Files = append(st.status.Files, full)
		}
		st.links = append(st.links, l.links()...)
	}
	slices.Sort(st.status.Files)
	slices.Sort(st.links)
	return st
}

// layers are the folders, the lowest first.
func (s *Set) layers() []folder {
	var out []folder
	if s.o.Managed != "" {
		out = append(out, folder{dir: s.o.Managed, called: s.o.Managed, owner: s.o.administrator})
	}
	if s.o.User != "" {
		out = append(out, folder{dir: s.o.User, called: filepath.Base(s.o.User), owner: -1})
	}
	return out
}

func (s *Set) signature() string {
	var b strings.Builder
	for _, l := range s.layers() {
		l.signature(&b)
	}
	return b.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return itoa(n) + " " + what + "s"
}

// Layer says whose a place is: "user", "managed", "built in", or "none".
func (s *Set) Layer(place string) string {
	switch {
	case place == "":
		return "none"
	case s.o.User != "" && strings.HasPrefix(place, filepath.Base(s.o.User)+"/"):
		return "user"
	case s.o.Managed != "" && strings.HasPrefix(place, s.o.Managed+"/"):
		return "managed"
	}
	return "built in"
}

// Names lists the commands that the files in force describe; all: those that
// ship with extdir too.
func (s *Set) Names(all bool) []string {
	var out []string
	for t := s.Table(); t != nil && (all || t != s.base); t = t.Below() {
		out = append(out, t.Names()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Files lists the spec files of a folder.
func Files(dir string) ([]string, error) {
	names, err := folder{dir: dir}.names()
	for i, n := range names {
		names[i] = filepath.Join(dir, n)
	}
	return names, err
}
