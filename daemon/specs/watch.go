package specs

import (
	"context"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// As with the configuration, two ways of noticing a change run side by side,
// since each alone is deaf at times: a watch on the folders that matter, and a
// look at the files themselves every two seconds.
const (
	pollEvery = 2 * time.Second
	// debounce lets an editor finish: truncate, write, rename, chmod.
	debounce = 50 * time.Millisecond
	// patience ends waiting for a file that is written to all the time.
	patience = 200 * time.Millisecond
)

// Watch keeps the table up to date until ctx is done. changed is called after
// each change, from one goroutine.
func (s *Set) Watch(ctx context.Context, changed func(Status)) { s.watch(ctx, pollEvery, changed) }

func (s *Set) watch(ctx context.Context, every time.Duration, changed func(Status)) {
	var events chan fsnotify.Event
	var lost chan error
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		s.polling("changes are noticed within 2 s only: " + err.Error())
	} else {
		defer notify.Close()
		events, lost = notify.Events, notify.Errors
	}
	var watched []string
	follow := func() {
		if notify == nil {
			return
		}
		var want []string
		for _, l := range s.layers() {
			want = append(want, l.dirs()...)
		}
		why := ""
		for _, dir := range want {
			// Adding anew is cheap, and needed if the directory was made anew.
			if err := notify.Add(dir); err != nil {
				why = "changes are noticed within 2 s only: " + err.Error()
			}
		}
		for _, dir := range watched {
			if !slices.Contains(want, dir) {
				_ = notify.Remove(dir) // gone already, if this fails
			}
		}
		watched = want
		s.polling(why)
	}
	look := func(always bool) {
		follow()
		if s.refresh(always) {
			changed(s.Status())
			follow() // links may lead elsewhere now
		}
	}
	poll := time.NewTicker(every)
	defer poll.Stop()
	settle := time.NewTimer(time.Hour)
	settle.Stop()
	defer settle.Stop()
	var first time.Time // of the events not yet acted upon
	look(false)
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			now := time.Now()
			if first.IsZero() {
				first = now
			}
			settle.Reset(max(0, min(debounce, patience-now.Sub(first))))
		case <-settle.C:
			first = time.Time{}
			look(false)
		case _, ok := <-lost: // an overflow loses events
			if !ok {
				lost = nil
				continue
			}
			look(false)
		case <-s.reload:
			look(true)
		case <-poll.C:
			look(false)
		}
	}
}
