package server

import (
	"sync"
	"time"

	"extdir/daemon/approval"
)

// trouble notes which sessions were told that a configuration file is broken: the
// next question or refusal says it, and not each one after that.
type trouble struct {
	mu    sync.Mutex
	since time.Time // the trouble that told is about
	told  map[string]bool
}

// first tells whether a session hears of the trouble since that time for the
// first time.
func (t *trouble) first(session string, since time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told == nil || !t.since.Equal(since) {
		t.since, t.told = since, map[string]bool{}
	}
	if t.told[session] {
		return false
	}
	t.told[session] = true
	return true
}

// broken is the line that says what is wrong with the configuration, or "".
func (s *Server) broken(session string) string {
	st := s.o.Config.Status()
	problem, since := st.Problem, st.Since
	if s.o.Specs != nil {
		known := s.o.Specs.Status()
		if more := known.Problem(); more != "" {
			if problem != "" {
				problem += "; "
			}
			problem += more
			if known.Since.After(since) {
				since = known.Since
			}
		}
	}
	if problem == "" || !s.trouble.first(session, since) {
		return ""
	}
	words := "extdir: " + problem
	if st.Holds != "" {
		words += "; " + st.Holds
	}
	return approval.Escape(words) + "\n"
}
