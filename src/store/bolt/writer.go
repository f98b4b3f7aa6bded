package bolt

import (
	"context"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// run is the writer, the one goroutine that changes the file. It takes all that waits and makes one
// synced bbolt transaction of it.
func (b *Backend) run() {
	defer close(b.done)
	defer catchFaults()()
	for {
		group := b.queue.take()
		if group == nil {
			return
		}
		b.process(group)
	}
}

// process carries a group out and answers each of its requests. What the answers tell is durable:
// they are given after the commit, the refusals too, which may rest on writes of the same group.
func (b *Backend) process(group []*request) {
	if broken := b.broken.Load(); broken != nil {
		for _, r := range group {
			r.answer(failed, broken)
		}
		return
	}
	w, err := b.evaluate(group)
	if err == nil {
		err = b.finish(w)
	}
	// gofail: var beforeAnswer struct{}
	for _, r := range group {
		switch {
		case r.err != nil:
			r.answer(failed, r.err)
		case r.outcome == refused:
			r.answer(refused, nil)
		case err != nil:
			r.answer(failed, err)
		default:
			r.answer(committed, nil)
		}
	}
}

// evaluate opens a bbolt transaction and does in it the writes of all requests whose conditions
// hold, in their order. It sets the outcome refused and the err of requests that are not done.
func (b *Backend) evaluate(group []*request) (_ *writer, err error) {
	tx, err := b.db.Begin(true)
	if err != nil {
		return nil, b.writeFailed(err)
	}
	defer func() {
		if err != nil {
			b.rollback(tx)
		}
	}()
	w := newWriter(tx, b.options.Clock())
	if err := w.do(group, uint64(b.options.History)); err != nil {
		if dovetail.CodeOf(err) == dovetail.CodeCorrupt {
			return nil, b.stop(err, err)
		}
		return nil, b.writeFailed(err)
	}
	return w, nil
}

// finish commits what the writer did, if anything.
func (b *Backend) finish(w *writer) error {
	if !w.changed {
		b.rollback(w.tx)
		return nil
	}
	id := w.tx.ID()
	// gofail: var beforeCommit struct{}
	if err := b.commitGuarded(w.tx); err != nil {
		b.rollback(w.tx) // after a panic; else bbolt has done it
		return b.commitFailed(id, err)
	}
	// gofail: var afterCommit struct{}
	b.ailing.Store(false)
	b.news.publish()
	return nil
}

func (b *Backend) commitGuarded(tx *bbolt.Tx) (err error) {
	defer guard(&err)
	return b.commit(tx)
}

// rollback ends a bbolt transaction. On a damaged file even that may panic, and leave bbolt locked.
func (b *Backend) rollback(tx *bbolt.Tx) {
	var err error
	func() {
		defer guard(&err)
		tx.Rollback()
	}()
	b.stuck = b.stuck || err != nil
}

// commitFailed answers a failed bbolt commit. Until bbolt has written its header page the file is
// as it was, and what comes next may succeed. When the header is written, but the disk did not
// confirm it, readers see a state that may not survive; then the store stops writing.
func (b *Backend) commitFailed(id int, cause error) error {
	visible := 0
	err := b.view(context.Background(), func(tx *bbolt.Tx) error {
		visible = tx.ID()
		return nil
	})
	switch {
	case err != nil || visible >= id:
		return b.stop(stopped(cause), notKnown(cause))
	case dovetail.CodeOf(cause) == dovetail.CodeCorrupt:
		return b.stop(cause, cause)
	}
	return b.writeFailed(cause)
}

// stop makes all writes from here on return later, and returns now.
func (b *Backend) stop(later, now error) error {
	b.options.Logger.Error("the store stops writing", "file", b.path, "error", dovetail.AsError(later).Err)
	b.broken.Store(dovetail.AsError(later))
	return now
}

func (b *Backend) writeFailed(cause error) error {
	b.options.Logger.Warn("the store cannot write", "file", b.path, "error", cause)
	b.ailing.Store(true)
	return notWritten(cause)
}
