package gitsync

import "runtime"

// AwaitQueued returns once n changes wait for the one that is being made.
func (a *Syncer) AwaitQueued(n int) {
	for {
		a.queue.mu.Lock()
		queued := len(a.queue.changes)
		a.queue.mu.Unlock()
		if queued == n {
			return
		}
		runtime.Gosched()
	}
}
