package httpapi

import (
	"net/http"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// readStep is how many bytes a request reads before they are counted among those of all, and from how many on an answer
// counts: most requests never come so far.
const readStep = 32 << 10

// reading counts what one request reads, and its answer. It implements store.Memory.
type reading struct {
	memory *memory
	user   string

	mutex     sync.Mutex
	have, due int64 // bytes that are counted among those of all, and more that are not
	ended     bool  // what runs after the request is not counted
}

// Hold implements store.Memory.
func (r *reading) Hold(n int64) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.memory == nil || r.ended {
		return nil
	}
	switch r.due += n; {
	case -readStep < r.due && r.due < readStep:
		return nil
	case r.due > 0:
		if err := r.memory.hold(r.user, r.have, r.due); err != nil {
			r.due -= n // it is not taken
			return err
		}
		r.have, r.due = r.have+r.due, 0
	default:
		free := min(-r.due, r.have) // in all, no more than was counted
		r.memory.take(r.user, -free)
		r.have, r.due = r.have-free, 0
	}
	return nil
}

// mustHold counts what can no longer be refused.
func (r *reading) mustHold(n int64) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.memory == nil || r.ended || n < readStep {
		return
	}
	r.memory.take(r.user, n)
	r.have += n
}

// free ends what was counted so far.
func (r *reading) free() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.have != 0 {
		r.memory.take(r.user, -r.have)
	}
	r.have, r.due = 0, 0
}

func (r *reading) end() {
	r.free()
	r.mutex.Lock()
	r.ended = true
	r.mutex.Unlock()
}

// boundReading has what the request reads counted. What a watch reads is not kept except the event that is being sent.
func (x *requestContext) boundReading(watching bool) {
	x.reading.memory = x.api.reads
	if x.principal != nil {
		x.reading.user = x.principal.Name
	}
	if !watching {
		x.ctx = store.WithMemory(x.ctx, &x.reading)
	}
}

// holdEvent counts an event of a watch, and the documents of the next one, which are read while the client takes it. One
// that is larger than the whole limit is sent nevertheless: the watch would never get past it.
func (x *requestContext) holdEvent(bytes int64) error {
	if bytes < readStep {
		return nil
	}
	err := x.reading.Hold(2 * bytes)
	if dovetail.CodeOf(err) == dovetail.CodeTooLarge {
		x.reading.mustHold(2 * bytes)
		return nil
	}
	return err
}

// holdAnswer counts a large answer, which is there until the client has taken it. That of a write is not refused: what it
// wrote is stored.
func (x *requestContext) holdAnswer(bytes int64) error {
	switch {
	case bytes < readStep:
		return nil
	case x.r.Method == http.MethodGet || x.r.Method == http.MethodHead || x.dryRun:
		return x.reading.Hold(bytes)
	}
	x.reading.mustHold(bytes)
	return nil
}

// holdParsed counts values that are made of stored data for an answer.
func (x *requestContext) holdParsed(values int) error {
	return x.holdAnswer(int64(values) * value.Cost)
}
