package lease

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// leadership is what a candidate leads, and what it knows of others. One goroutine uses it.
type leadership struct {
	*Candidate
	tasks []Task
	terms map[string]*term // of the tasks that it leads, by name
	ended chan *term       // those whose task has returned
	own   *session         // nil where it leads nothing, or is alone
	seen  map[dovetail.ID]sight
	look  time.Time // when to look next for tasks without a leader
}

// session is the time in which this process has led something without a gap.
type session struct {
	sign  *dovetail.Document // its heartbeat as it was written last
	beat  time.Time          // when to write the next one
	until time.Time          // when it ends without; other candidates wait a little longer
	beats int                // how many were written since the leases were read

	leading context.Context
	stop    context.CancelFunc
}

// sight is the last heartbeat of a session that was seen, and since when.
type sight struct {
	tag   dovetail.ETag
	since time.Time
}

// next is when something is to be done unless something happens.
func (l *leadership) next() time.Time {
	next := time.Now().Add(time.Hour)
	if len(l.terms) < len(l.tasks) {
		next = l.look
	}
	if l.own != nil {
		for _, at := range []time.Time{l.own.beat, l.own.until} {
			if at.Before(next) {
				next = at
			}
		}
	}
	return next
}

// proceed does what is due.
func (l *leadership) proceed(ctx context.Context) {
	now := time.Now()
	switch {
	case l.own != nil && !now.Before(l.own.until):
		l.options.Log.Warn("leases ended, since the database does not answer", "holder", l.options.Holder)
		l.lose()
	case l.own != nil && !now.Before(l.own.beat):
		l.beat(ctx)
	case len(l.terms) < len(l.tasks) && !now.Before(l.look):
		l.look = now.Add(l.glance())
		if err := l.campaign(ctx); err != nil && ctx.Err() == nil && !store.IsConflict(err) {
			l.options.Log.Warn("cannot ask for leases", "error", err)
		}
	}
}

// beat writes a heartbeat. That of a session which another process has ended fails with a conflict.
func (l *leadership) beat(ctx context.Context) {
	within, cancel := context.WithDeadline(ctx, l.own.until)
	defer cancel()
	err := l.writeBeat(within)
	switch {
	case err == nil:
		l.own.beats++
		l.verify(within)
	case ctx.Err() != nil:
	case store.IsConflict(err):
		l.options.Log.Warn("leases were lost to another process", "holder", l.options.Holder)
		l.lose()
	default:
		l.own.beat = time.Now().Add(l.margin() / 2)
	}
}

// verifyBeats is how many heartbeats are written between two looks at the leases themselves.
const verifyBeats = 4

// verify reads from time to time whether the leases name this process, and otherwise ends its session: a process of an earlier version may have
// taken one. It leads again what is free then.
func (l *leadership) verify(ctx context.Context) {
	if l.own.beats < verifyBeats {
		return
	}
	lost, err := l.lost(ctx)
	if err != nil {
		return // the next heartbeat finds out
	}
	if l.own.beats = 0; len(lost) == 0 {
		return
	}
	l.options.Log.Warn("leases were taken by another process", "holder", l.options.Holder, "leases", lost)
	l.own.stop()
	var kept []*term
	for len(l.terms) > 0 {
		t := <-l.ended
		if l.left(t); !slices.Contains(lost, t.task.Name) {
			kept = append(kept, t)
		}
	}
	if len(kept) > 0 {
		l.release(ctx, kept)
	}
	l.own = nil
}

// lead begins to lead tasks whose terms have been written.
func (l *leadership) lead(ctx context.Context, terms []*term) {
	leading := ctx
	if l.own != nil {
		leading = l.own.leading
	}
	for _, t := range terms {
		l.terms[t.task.Name] = t
		l.options.Log.Info("leading", "lease", t.task.Name, "holder", l.options.Holder, "term", t.record.Term)
		go func() {
			t.task.Lead(leading, t.fence())
			l.ended <- t
		}()
	}
}

// left notes that a task has returned.
func (l *leadership) left(t *term) {
	delete(l.terms, t.task.Name)
	l.look = time.Now().Add(l.glance())
	l.options.Log.Info("no longer leading", "lease", t.task.Name, "holder", l.options.Holder, "term", t.record.Term)
}

// finish releases the lease of a task that has returned: other candidates need not wait for it to expire.
func (l *leadership) finish(ctx context.Context, t *term) {
	l.left(t)
	l.release(ctx, []*term{t})
}

// lose ends all tasks whose leases are lost.
func (l *leadership) lose() {
	l.own.stop()
	for len(l.terms) > 0 {
		l.left(<-l.ended)
	}
	l.own = nil
}

// end waits until all tasks have returned, and releases their leases.
func (l *leadership) end(ctx context.Context) {
	var all []*term
	for len(l.terms) > 0 {
		t := <-l.ended
		l.left(t)
		all = append(all, t)
	}
	l.release(ctx, all)
}

// release gives leases back. With the last of them the session ends, and its heartbeat goes.
func (l *leadership) release(ctx context.Context, terms []*term) {
	if l.own == nil || len(terms) == 0 {
		return
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.glance())
	defer cancel()
	var txn store.Txn
	for _, t := range terms {
		says := t.record
		says.Released = true
		txn.Require = append(txn.Require, t.fence())
		txn.Puts = append(txn.Puts, l.after(t.held.ID, termKind, t.held, says))
	}
	if len(l.terms) == 0 {
		txn.Require = append(txn.Require, unchanged(l.own.sign.ID, l.own.sign))
		txn.Deletes = []dovetail.ID{l.own.sign.ID}
		l.own.stop()
		l.own = nil
	}
	if err := l.commit(last, txn, txn.Puts[0]); err != nil && !store.IsConflict(err) {
		l.options.Log.Warn("leases were not given back and end by themselves", "holder", l.options.Holder, "error", err)
	}
}
