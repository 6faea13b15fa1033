package config

import (
	"slices"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// hub hands the notices of one watcher to the watches of all files: inotify
// instances are few (fs.inotify.max_user_instances is 128 for all of a user's
// programs), and one is enough.
type hub struct {
	c       *Config
	notify  *fsnotify.Watcher // nil: polling alone
	polling string            // why
	watches []*watch          // complete before run

	mu    sync.Mutex
	wants map[*watch][]string // the directories each needs
}

func newHub(c *Config, notifier func() (*fsnotify.Watcher, error)) *hub {
	h := &hub{c: c, wants: map[*watch][]string{}}
	n, err := notifier()
	if err != nil {
		h.polling = reason(err)
		return h
	}
	h.notify = n
	return h
}

// keep notes what a watch needs, and ends watching what nobody does.
func (h *hub) keep(w *watch, want []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.wants[w]
	h.wants[w] = want
	for _, dir := range old {
		needed := false
		for _, dirs := range h.wants {
			needed = needed || slices.Contains(dirs, dir)
		}
		if !needed {
			_ = h.notify.Remove(dir) // gone already, if this fails
		}
	}
}

func (h *hub) run() {
	if h.notify == nil {
		return
	}
	defer h.notify.Close()
	for {
		select {
		case <-h.c.done:
			return
		case e, ok := <-h.notify.Events:
			if !ok {
				return
			}
			for _, w := range h.watches {
				select {
				case w.events <- e:
				case <-h.c.done:
					return
				}
			}
		case _, ok := <-h.notify.Errors:
			if !ok {
				return
			}
			for _, w := range h.watches {
				select {
				case w.lost <- struct{}{}: // an overflow loses events
				default:
				}
			}
		}
	}
}
