package protocol

import (
	"sync"
	"time"
)

// failureDetector remembers since when intents and entries have been seen. Only the local clock counts, and
// only how far it has moved.
type failureDetector struct {
	expiry time.Duration
	mutex  sync.Mutex
	seen   map[string]observation
}

type observation struct{ first, last time.Time }

// maxKeys is how many keys it has before old ones are forgotten.
const maxKeys = 10_000

// expired says whether the key has been seen for the expiry time.
func (s *failureDetector) expired(key string) bool {
	now := time.Now()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.seen == nil {
		s.seen = make(map[string]observation)
	}
	if len(s.seen) > maxKeys {
		for k, observed := range s.seen {
			if now.Sub(observed.last) > s.expiry {
				delete(s.seen, k)
			}
		}
	}
	observed, met := s.seen[key]
	if !met {
		observed.first = now
	}
	observed.last = now
	s.seen[key] = observed
	return now.Sub(observed.first) >= s.expiry
}
