package protocol

import (
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
)

// failureDetector records since when unchanged intents and transaction records have been seen. It uses only the time elapsed on the
// local clock.
type failureDetector struct {
	clock  clock.Clock
	expiry time.Duration
	mutex  sync.Mutex
	seen   map[string]observation
}

type observation struct{ first, last time.Time }

// maxKeys is the number of keys above which those are dropped that were not seen for the expiry time.
const maxKeys = 10_000

// expired reports whether the key has been seen for the expiry time.
func (s *failureDetector) expired(key string) bool {
	now := s.clock.Now()
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
