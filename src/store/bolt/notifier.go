package bolt

import (
	"sync"
	"time"
)

// restPerReader is how long readers of changes are left alone after they were woken, for each of them; a rest shorter
// than leastRest is none. So a thousand watches take a part of a processor, however many commits there are, and see
// several of these at a time, while a few watches see each commit at once.
const (
	restPerReader = 20 * time.Microsecond
	leastRest     = time.Millisecond
)

// news wakes all that wait for the next commit.
type news struct {
	mu        sync.Mutex
	next      chan struct{} // closed when there are commits to read
	published uint64        // how often there were
	readers   int           // that came for next
	resting   bool
	pending   bool // there are commits to read after the rest
	closed    bool
}

func (n *news) init() { n.next = make(chan struct{}) }

// wait returns a channel that is closed after the next publish, or by close, and how often publish was called before.
func (n *news) wait() (next <-chan struct{}, published uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.readers++
	return n.next, n.published
}

func (n *news) publish() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.published++
	if n.resting {
		n.pending = true
		return
	}
	n.wake()
}

// wake wakes the readers, and lets them rest from then on.
func (n *news) wake() {
	if n.closed {
		return
	}
	close(n.next)
	n.next = make(chan struct{})
	rest := time.Duration(n.readers) * restPerReader
	n.readers, n.pending = 0, false
	if n.resting = rest >= leastRest; n.resting {
		time.AfterFunc(rest, n.rested)
	}
}

func (n *news) rested() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.resting = false
	if n.pending {
		n.wake()
	}
}

func (n *news) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.closed = true
		close(n.next)
	}
}

func (n *news) isClosed() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closed
}
