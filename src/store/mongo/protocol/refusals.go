package protocol

import (
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
)

// refusals records which documents' deletions were refused recently.
type refusals struct {
	clock clock.Clock
	mutex sync.Mutex
	until map[dovetail.ID]time.Time
}

// How long a refusal is kept, and of how many documents.
const (
	refusedLately = time.Minute
	maxRefusals   = 10_000
)

func (r *refusals) add(id dovetail.ID) {
	now := r.clock.Now()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.until) >= maxRefusals {
		r.until = nil // they are added again when they recur
	}
	if r.until == nil {
		r.until = make(map[dovetail.ID]time.Time)
	}
	r.until[id] = now.Add(refusedLately)
}

func (r *refusals) has(id dovetail.ID) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	until, noted := r.until[id]
	if noted && r.clock.Now().After(until) {
		delete(r.until, id)
		return false
	}
	return noted
}
