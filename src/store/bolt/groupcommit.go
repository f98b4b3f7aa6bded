package bolt

import (
	"runtime"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// run is the writer, the one goroutine that changes the store. It takes all that waits and makes one
// synced batch of it.
func (b *Backend) run() {
	defer close(b.done)
	for group := b.queue.take(); group != nil; group = b.queue.take() {
		b.process(group)
		// Those that were answered come back with their next requests, if they may run. With them in
		// it, the next group is twice as large, and each sync serves twice as many.
		runtime.Gosched()
	}
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// process carries a group out and answers each of its requests. What the answers say is durable:
// they are given after the commit, the refusals too, which may rest on writes of the same group.
func (b *Backend) process(group []*request) {
	group = slices.DeleteFunc(group, func(r *request) bool {
		if r.between != nil {
			r.outcome = committed
			r.answer(r.between())
		}
		return r.between != nil
	})
	if len(group) == 0 {
		return
	}
	logged := false
	b.last = latest(b.options.Clock(), b.last)
	err := b.update(func(batch *kv.Batch) (err error) {
		logged, err = applyGroup(batch, group, b.last, uint64(b.options.History), uint64(b.options.HistoryBytes))
		return err
	})
	if len(group) > 1 && (dovetail.CodeOf(err) == dovetail.CodeCorrupt || dovetail.IsOnlyRead(err)) {
		for i := range group { // only what has to do with the damage fails, or what is too large for the space that is left
			b.process(group[i : i+1])
		}
		return
	}
	b.degraded.Store(err != nil)
	if dovetail.IsOnlyRead(err) {
		b.full.Store(true)
	}
	if err != nil {
		b.options.Logger.Warn("the store cannot write", "file", b.path, "error", err)
	}
	if err == nil && logged { // before the answers: who has one finds the change
		b.news.add()
	}
	// gofail: var beforeAnswer struct{}
	for _, r := range group {
		r.answer(err)
	}
	if err == nil && logged { // after the answers: there may be many readers
		b.news.notify()
	}
}
