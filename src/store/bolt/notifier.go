package bolt

import (
	"sync"
	"time"
)

// pausePerReader is how long readers of changes are not woken after they were woken, for each of them; a pause shorter
// than minPause is none. So a thousand watches take a part of a processor, however many commits there are, and see
// several of these at a time, while a few watches see each commit at once.
const (
	pausePerReader = 20 * time.Microsecond
	minPause       = time.Millisecond
)

// notifier wakes all that wait for the next commit.
type notifier struct {
	mu        sync.Mutex
	next      chan struct{} // closed when there are commits to read
	published uint64        // how often there were
	readers   int           // that came for next
	paused    bool
	pending   bool // there are commits to read after the pause
	closed    bool
}

func (n *notifier) init() { n.next = make(chan struct{}) }

// wait returns a channel that is closed after the next notify, or by close, and how often add was called before.
func (n *notifier) wait() (next <-chan struct{}, published uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.readers++
	return n.next, n.published
}

// add says that there are commits to read from now on.
func (n *notifier) add() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.published++
}

// notify wakes those that wait for what was added.
func (n *notifier) notify() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.paused {
		n.pending = true
		return
	}
	n.wake()
}

// wake wakes the readers, and pauses notifications from then on.
func (n *notifier) wake() {
	if n.closed {
		return
	}
	close(n.next)
	n.next = make(chan struct{})
	pause := time.Duration(n.readers) * pausePerReader
	n.readers, n.pending = 0, false
	if n.paused = pause >= minPause; n.paused {
		time.AfterFunc(pause, n.endPause)
	}
}

func (n *notifier) endPause() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.paused = false
	if n.pending {
		n.wake()
	}
}

func (n *notifier) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.closed = true
		close(n.next)
	}
}

func (n *notifier) isClosed() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closed
}
