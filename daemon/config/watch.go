package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// Two ways of noticing a change run side by side, since each alone is deaf at
// times (measured with fsnotify 1.10.1 on Linux): a watch on a file sees nothing
// more after one save by rename, a watch on a directory nothing after the directory
// was made anew, and neither sees a write to the target of a link. So the
// directories of the file and of every link on the way are watched, and every two
// seconds the file and the links are looked at themselves.
const (
	pollEvery = 2 * time.Second
	// debounce lets an editor finish: truncate, write, rename, chmod.
	debounce = 50 * time.Millisecond
	// patience ends waiting for a file that is written to all the time.
	patience = 200 * time.Millisecond
	// grace is how long a file may be gone (backup, delete and create) before
	// what it allows ends.
	grace = 2 * time.Second
)

type watch struct {
	c *Config
	source
	hub     *hub
	events  chan fsnotify.Event
	lost    chan struct{} // events were: look at the file itself
	every   time.Duration // between two looks at the file itself
	polling string        // why there is nothing but that
	dirs    []string
	reload  chan struct{}
	seen    string // signature of what was read last
	gone    time.Time
}

func newWatch(c *Config, src source, h *hub, every time.Duration) *watch {
	w := &watch{
		c: c, source: src, hub: h, every: every, polling: h.polling, reload: make(chan struct{}, 1),
		events: make(chan fsnotify.Event), lost: make(chan struct{}, 1),
	}
	h.watches = append(h.watches, w)
	return w
}

func reason(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "changes are noticed within 2 s only: no file watch is left (sysctl fs.inotify.max_user_watches)"
	case errors.Is(err, syscall.EMFILE):
		return "changes are noticed within 2 s only: no inotify instance or file is left (sysctl fs.inotify.max_user_instances, ulimit -n)"
	}
	return "changes are noticed within 2 s only: " + plain(err)
}

func (w *watch) run() {
	poll := time.NewTicker(w.every)
	defer poll.Stop()
	settle := time.NewTimer(time.Hour)
	settle.Stop()
	defer settle.Stop()
	end := time.NewTimer(time.Hour)
	end.Stop()
	defer end.Stop()
	var first time.Time // of the events not yet acted upon
	for {
		select {
		case <-w.c.done:
			return
		case e := <-w.events:
			if !w.concerns(e.Name) {
				continue
			}
			now := time.Now()
			if first.IsZero() {
				first = now
			}
			settle.Reset(max(0, min(debounce, patience-now.Sub(first))))
		case <-settle.C:
			first = time.Time{}
			w.load(false)
		case <-w.lost:
			w.load(false)
		case <-w.reload:
			w.load(true)
		case <-poll.C:
			w.load(false)
		case <-end.C:
			w.load(false)
		}
		if !w.gone.IsZero() {
			// Wake up when the grace ends, not a whole poll later.
			end.Reset(max(0, grace-time.Since(w.gone)))
		}
	}
}

// concerns tells whether an event can be about the file: its own name, a name of
// a link on the way, or a watched directory itself.
func (w *watch) concerns(name string) bool {
	if slices.Contains(w.dirs, name) {
		return true
	}
	links, file := chain(w.file)
	for _, l := range links {
		if name == l.name || strings.HasPrefix(l.name, name+"/") {
			return true
		}
	}
	return name == file || name == w.file || strings.HasPrefix(file, name+"/")
}

// load takes the file if it changed since it was read last (always: in any case).
func (w *watch) load(always bool) {
	w.follow()
	for range 3 {
		links, file := chain(w.file)
		before := signature(links, file)
		if before == w.seen && !always && w.gone.IsZero() {
			w.say(nil)
			return
		}
		src, err := readFile(file, w.owner)
		links, file = chain(w.file)
		if signature(links, file) != before {
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

func (w *watch) take(sig string, src []byte, err error) {
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
		s.Loaded, s.Missing, s.Polling = time.Now(), false, w.polling
		s.Kept, s.Unkept, s.vanished = "", unkept, false
		s.setProblems(nil, time.Now())
	})
}

// broken: the bytes on disk can't be taken. What was in force stays, or what was
// kept of an earlier daemon's comes into force.
func (w *watch) broken(problems []Problem) {
	if w.c.now.Load().files[w.index] == nil {
		if f, name, at := w.c.kept(w.source); f != nil {
			w.c.swap(w.index, f, func(s *Status) {
				s.Loaded, s.Missing, s.Polling, s.Kept = at, false, w.polling, name
				s.setProblems(problems, time.Now())
			})
			return
		}
	}
	w.say(problems)
}

// vanished: the file is gone, or empty as between truncate and write. What it
// allowed ends after a grace; what it denies and asks for stays.
func (w *watch) vanished(sig string, empty bool) {
	now := time.Now()
	f := w.c.now.Load().files[w.index] // changed by this goroutine alone
	w.seen = sig
	switch {
	case f == nil:
		w.c.drop(w.source)
		w.gone = time.Time{}
		w.c.note(w.index, func(s *Status) {
			s.Missing, s.Polling = !empty, w.polling
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
		s.Missing, s.Polling = !empty, w.polling
		s.Kept, s.Unkept, s.vanished = "", "", true
		s.setProblems([]Problem{{
			File:    w.file,
			Message: what + ": what it allowed no longer holds, what it denies does until extdird restarts",
		}}, now)
	})
}

// say puts problems into the status; nil leaves them as they are.
func (w *watch) say(problems []Problem) {
	w.c.note(w.index, func(s *Status) {
		s.Polling = w.polling
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

// follow watches the directories that matter now. What matters may change while
// the watches are put in place, so it is asked again until it is the same.
func (w *watch) follow() {
	if w.hub.notify == nil {
		return
	}
	for range 5 {
		want := w.matter()
		polling := ""
		for _, dir := range want {
			// Adding anew is cheap, and needed if the directory was made anew.
			if err := w.hub.notify.Add(dir); err != nil {
				polling = reason(err)
			}
		}
		w.dirs, w.polling = want, polling
		w.hub.keep(w, want)
		if slices.Equal(w.matter(), want) {
			return
		}
	}
}

// matter are the directories whose entries decide what the file is.
func (w *watch) matter() []string {
	links, file := chain(w.file)
	dirs := []string{existing(filepath.Dir(file))}
	for _, l := range links {
		dirs = append(dirs, existing(filepath.Dir(l.name)))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// existing is the nearest directory at or above dir that exists.
func existing(dir string) string {
	for dir != "/" {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

type link struct{ name, target string }

// maxLinks is how many links are followed; Linux follows 40.
const maxLinks = 40

// chain resolves a path and returns the links met on the way.
func chain(path string) (links []link, file string) {
	todo := split(path)
	file = "/"
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c == ".." {
			file = filepath.Dir(file)
			continue
		}
		name := filepath.Join(file, c)
		target, err := os.Readlink(name)
		if err != nil || len(links) >= maxLinks {
			file = name
			continue
		}
		links = append(links, link{name, target})
		if filepath.IsAbs(target) {
			file = "/"
		}
		todo = append(split(target), todo...)
	}
	return links, file
}

func split(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(c string) bool { return c == "" || c == "." })
}

// signature changes whenever the file or a link on the way does.
func signature(links []link, file string) string {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "%q>%q ", l.name, l.target)
	}
	var st unix.Stat_t
	if err := unix.Stat(file, &st); err != nil {
		fmt.Fprintf(&b, "%q %v", file, err)
		return b.String()
	}
	fmt.Fprintf(&b, "%q %d %d %d %d.%d %d.%d", file, st.Dev, st.Ino, st.Size,
		st.Mtim.Sec, st.Mtim.Nsec, st.Ctim.Sec, st.Ctim.Nsec)
	return b.String()
}
