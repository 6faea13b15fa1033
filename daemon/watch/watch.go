// Package watch tells the daemon's parts when files that they hold may have changed.
//
// Two ways of noticing run side by side, since each alone is deaf at times (measured
// with fsnotify 1.10.1 on Linux): a watch on a file sees nothing more after one save
// by rename, a watch on a directory nothing after the directory was made anew, and
// neither sees a write to the target of a link. So the directories that decide what a
// file is are watched, those of every link on the way among them, and every two
// seconds whoever follows them looks at the files themselves.
package watch

import (
	"errors"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// PollEvery is the time between two looks at the files themselves.
const PollEvery = 2 * time.Second

const (
	// debounce lets an editor finish: truncate, write, rename, chmod.
	debounce = 50 * time.Millisecond
	// patience ends waiting for a file that is written to all the time.
	patience = 200 * time.Millisecond
)

// Watcher hands the notices of one inotify instance to all that follow files:
// instances are few (fs.inotify.max_user_instances is 128 for all of a user's
// programs), and one is enough. It is safe for concurrent use.
type Watcher struct {
	notify *fsnotify.Watcher // nil: polling alone
	deaf   string            // why
	every  time.Duration
	done   chan struct{}
	wait   sync.WaitGroup
	close  sync.Once

	mu        sync.Mutex
	followers map[*Follower][]string // the directories each needs
}

// New returns a watcher; Close ends it.
func New() *Watcher { return With(fsnotify.NewWatcher, PollEvery) }

// With is New with another source of notices and another time between two looks.
func With(notifier func() (*fsnotify.Watcher, error), every time.Duration) *Watcher {
	w := &Watcher{every: every, done: make(chan struct{}), followers: map[*Follower][]string{}}
	n, err := notifier()
	if err != nil {
		w.deaf = reason(err)
		return w
	}
	w.notify = n
	w.wait.Go(w.run)
	return w
}

// Close ends watching, and waits for looks that are under way.
func (w *Watcher) Close() {
	w.close.Do(func() { close(w.done) })
	w.wait.Wait()
}

// Subject is what is followed.
type Subject struct {
	// Dirs are the directories whose entries decide what the files are. They may be
	// others after each change. Called from one goroutine at a time, like Look.
	Dirs func() []string
	// Concerns tells whether an event of that name can be about the files; nil: any.
	Concerns func(name string) bool
	// Look looks at the files, and takes them if they changed (always: in any case).
	// deaf says why changes are noticed within seconds only, "" if they are noticed
	// at once. If again is not 0 the next look is due then.
	Look func(always bool, deaf string) (again time.Duration)
}

// Follower looks at its subject whenever that may have changed.
type Follower struct {
	w      *Watcher
	s      Subject
	events chan fsnotify.Event
	lost   chan struct{} // events were: look at the files themselves
	reload chan struct{}
	done   chan struct{}
	ended  chan struct{}
	close  sync.Once
	dirs   []string
}

// Follow looks at the subject once, and from then on whenever it may have changed,
// in a goroutine of its own.
func (w *Watcher) Follow(s Subject) *Follower {
	f := &Follower{
		w: w, s: s, events: make(chan fsnotify.Event), lost: make(chan struct{}, 1), reload: make(chan struct{}, 1),
		done: make(chan struct{}), ended: make(chan struct{}),
	}
	w.mu.Lock()
	w.followers[f] = nil
	w.mu.Unlock()
	// Events that come meanwhile wait until run takes them.
	again := f.look(false)
	w.wait.Go(func() { defer close(f.ended); f.run(again) })
	return f
}

// Reload has the subject looked at and taken at once, changed or not.
func (f *Follower) Reload() {
	select {
	case f.reload <- struct{}{}:
	default:
	}
}

// Close ends following, and waits for a look that is under way.
func (f *Follower) Close() {
	f.close.Do(func() { close(f.done) })
	<-f.ended
}

func (f *Follower) run(again time.Duration) {
	defer f.w.need(f, nil, true)
	poll := time.NewTicker(f.w.every)
	defer poll.Stop()
	settle := time.NewTimer(time.Hour)
	settle.Stop()
	defer settle.Stop()
	due := time.NewTimer(time.Hour)
	due.Stop()
	defer due.Stop()
	var first time.Time // of the events not yet acted upon
	for {
		if again > 0 {
			due.Reset(again)
		}
		select {
		case <-f.done:
			return
		case <-f.w.done:
			return
		case e := <-f.events:
			again = 0
			if !slices.Contains(f.dirs, e.Name) && f.s.Concerns != nil && !f.s.Concerns(e.Name) {
				continue
			}
			now := time.Now()
			if first.IsZero() {
				first = now
			}
			settle.Reset(max(0, min(debounce, patience-now.Sub(first))))
		case <-settle.C:
			first = time.Time{}
			again = f.look(false)
		case <-f.lost:
			again = f.look(false)
		case <-f.reload:
			again = f.look(true)
		case <-poll.C:
			again = f.look(false)
		case <-due.C:
			again = f.look(false)
		}
	}
}

// look has the directories that matter now watched, and the subject looked at. What
// matters may change while the watches are put in place, so it is asked again until
// it is the same.
func (f *Follower) look(always bool) (again time.Duration) {
	deaf := f.w.deaf
	for range 5 {
		if f.w.notify == nil {
			break
		}
		want := f.s.Dirs()
		deaf = ""
		for _, dir := range want {
			// Adding anew is cheap, and needed if the directory was made anew.
			if err := f.w.notify.Add(dir); err != nil {
				deaf = reason(err)
			}
		}
		f.dirs = want
		f.w.need(f, want, false)
		if slices.Equal(f.s.Dirs(), want) {
			break
		}
	}
	return f.s.Look(always, deaf)
}

// need notes what a follower needs, and ends watching what nobody does.
func (w *Watcher) need(f *Follower, want []string, gone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.followers[f]
	w.followers[f] = want
	if gone {
		delete(w.followers, f)
	}
	if w.notify == nil {
		return
	}
	for _, dir := range old {
		needed := false
		for _, dirs := range w.followers {
			needed = needed || slices.Contains(dirs, dir)
		}
		if !needed {
			_ = w.notify.Remove(dir) // gone already, if this fails
		}
	}
}

func (w *Watcher) run() {
	defer w.notify.Close()
	for {
		select {
		case <-w.done:
			return
		case e, ok := <-w.notify.Events:
			if !ok {
				return
			}
			for _, f := range w.all() {
				select {
				case f.events <- e:
				case <-f.done:
				case <-w.done:
					return
				}
			}
		case _, ok := <-w.notify.Errors: // an overflow loses events
			if !ok {
				return
			}
			for _, f := range w.all() {
				select {
				case f.lost <- struct{}{}:
				default:
				}
			}
		}
	}
}

func (w *Watcher) all() []*Follower {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []*Follower
	for f := range w.followers {
		out = append(out, f)
	}
	return out
}

func reason(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "changes are noticed within 2 s only: no file watch is left (sysctl fs.inotify.max_user_watches)"
	case errors.Is(err, syscall.EMFILE):
		return "changes are noticed within 2 s only: no inotify instance or file is left (sysctl fs.inotify.max_user_instances, ulimit -n)"
	}
	return "changes are noticed within 2 s only: " + err.Error()
}
