package approval

import "time"

// trusted is a project's own file that a person read and took on, by its exact
// content: an edit ends it.
type trusted struct {
	SHA256 Digest
	By     By
	Given  time.Time
}

// Trust notes that a person trusts the file at path with this content.
func (s *Store) Trust(path string, sum Digest, by By) error {
	s.mu.Lock()
	s.trust[path] = trusted{SHA256: sum, By: by, Given: s.opt.Now()}
	s.mu.Unlock()
	return s.commit(ref{trustBucket, path})
}

// Distrust takes it back.
func (s *Store) Distrust(path string) error {
	s.mu.Lock()
	delete(s.trust, path)
	s.mu.Unlock()
	return s.commit(ref{trustBucket, path})
}

// Trusted tells whether the file at path is trusted with this content.
func (s *Store) Trusted(path string, sum Digest) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, ok := s.trust[path]
	return ok && t.SHA256 == sum
}
