package server

import (
	"sync"

	"extdir/daemon/session"
)

// shell is what one shell told of itself. Aliases and functions last from line
// to line and are kept until a line may have changed them; values of variables
// hold for the line they were told for only and are not kept here.
type shell struct {
	known     bool // names of all aliases and functions are in the maps
	aliases   map[string]string
	functions map[string]string // body "" until it was told
	// attributes of variables, as the analyzer takes them: told with the names
	attributes map[string]string
}

// shells keeps what was learned of living shells. The one asked about least
// recently makes room: it is simply asked again.
type shells struct {
	mu    sync.Mutex
	m     map[session.ID]*remembered
	clock uint64
}

type remembered struct {
	shell
	used uint64
}

const maxShells = 512

func newShells() *shells { return &shells{m: map[session.ID]*remembered{}} }

// get returns a copy whose maps must not be written to.
func (s *shells) get(id session.ID) shell {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.m[id]
	if r == nil {
		return shell{}
	}
	s.clock++
	r.used = s.clock
	return r.shell
}

func (s *shells) set(id session.ID, sh shell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	s.m[id] = &remembered{sh, s.clock}
	if len(s.m) <= maxShells {
		return
	}
	var oldest session.ID
	used := s.clock + 1
	for id, r := range s.m {
		if r.used < used {
			oldest, used = id, r.used
		}
	}
	delete(s.m, oldest)
}

func (s *shells) forget(id session.ID) {
	s.mu.Lock()
	delete(s.m, id)
	s.mu.Unlock()
}
