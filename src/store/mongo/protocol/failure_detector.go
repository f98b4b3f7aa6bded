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
	seen   map[string]sighting
}

type sighting struct{ first, last time.Time }

// crowded is how many keys it has before old ones are forgotten.
const crowded = 10_000

// expired says whether the key has been seen for the expiry time.
func (s *failureDetector) expired(key string) bool {
	now := time.Now()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.seen == nil {
		s.seen = make(map[string]sighting)
	}
	if len(s.seen) > crowded {
		for k, sight := range s.seen {
			if now.Sub(sight.last) > s.expiry {
				delete(s.seen, k)
			}
		}
	}
	sight, met := s.seen[key]
	if !met {
		sight.first = now
	}
	sight.last = now
	s.seen[key] = sight
	return now.Sub(sight.first) >= s.expiry
}
