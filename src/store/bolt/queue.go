package bolt

import "sync"

// Bounds of one group. They keep the memory of a batch and the time until its first member is
// answered small; one transaction alone may be larger.
const (
	maxGroup      = 512     // transactions
	maxGroupBytes = 8 << 20 // of encoded documents
)

// request is one task of the writer: a transaction, or else a job of the backend's own, or something that it does between two groups.
type request struct {
	txn     *transaction
	job     func(*logWriter) error
	between func() error

	// The writer notes here what becomes of it; they are good when answered is closed.
	outcome  outcome
	err      error // with failed
	answered chan struct{}
}

// outcome is the result of a request.
type outcome uint8

const (
	failed    outcome = iota // err says why
	committed                // it is done, and durable
	refused                  // a condition did not hold, in the state that the group's commit made durable
)

// answer ends the request with what the writer noted, unless its group could not be committed.
// A refusal stays one: whether it holds is examined again anyway.
func (r *request) answer(err error) {
	if err != nil && r.outcome != refused {
		r.outcome, r.err = failed, err
	}
	close(r.answered)
}

// queue holds the requests that wait for the writer.
type queue struct {
	mu      sync.Mutex
	arrived sync.Cond
	waiting []*request
	closed  bool
}

func (q *queue) init() { q.arrived.L = &q.mu }

// put appends a request. It returns false when the queue is closed.
func (q *queue) put(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, r)
	q.arrived.Signal()
	return true
}

// remove takes a request back. It returns false when the writer has it already.
func (q *queue) remove(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.waiting {
		if q.waiting[i] == r {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// take waits for requests and returns the next group of them, in the order of their arrival; nil
// when the queue is closed and empty.
func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 {
		if q.closed {
			return nil
		}
		q.arrived.Wait()
	}
	n, bytes := 0, 0
	for n < len(q.waiting) && n < maxGroup {
		if txn := q.waiting[n].txn; txn != nil {
			if bytes += txn.size; n > 0 && bytes > maxGroupBytes {
				break
			}
		}
		n++
	}
	group := q.waiting[:n:n]
	q.waiting = append([]*request(nil), q.waiting[n:]...)
	return group
}

// close lets the writer finish what waits, and nothing more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.arrived.Broadcast()
}
