package bolt

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// patience is how long Commit waits for the outcome of a write under way after its context ended,
// before it answers that the outcome is not known. Most commits take a millisecond.
const patience = time.Second

// Commit implements store.Backend.
//
// Until the writer takes it up, the end of the context takes the transaction back. From then on
// Commit waits for the outcome, but no longer than a second after the end of the context: then
// it returns CodeUnknown.
func (b *Backend) Commit(ctx context.Context, txn store.Txn) error {
	if ctx.Err() != nil {
		return dovetail.AsError(ctx.Err())
	}
	t, err := prepare(txn)
	if err != nil {
		return err
	}
	if len(t.writes) == 0 {
		return b.explain(ctx, t)
	}
	// The writer only says that conditions do not hold: listing the blocking documents may take long, and
	// should delay this transaction only. So the refusal is explained from the state that readers see. If the
	// conditions hold by then, the transaction is tried again; each round means that another writer committed.
	for {
		outcome, err := b.submit(ctx, &request{txn: t})
		if outcome != refused {
			return err
		}
		if err := b.explain(ctx, t); err != nil {
			return err
		}
	}
}

// explain returns the errors of the conditions that do not hold in the current state.
func (b *Backend) explain(ctx context.Context, t *transaction) error {
	return b.view(ctx, func(v *kv.View) error { return state{v, t}.explain(ctx) })
}

// do runs a job in the writer, as a part of its next batch.
func (b *Backend) do(ctx context.Context, job func(*kv.Batch) error) error {
	return b.doLogged(ctx, func(l *logWriter) error { return job(l.batch) })
}

// doLogged is do for a job that changes what is kept of the log and of the versions.
func (b *Backend) doLogged(ctx context.Context, job func(*logWriter) error) error {
	_, err := b.submit(ctx, &request{job: job})
	return err
}

// submit hands the request to the writer and waits for the answer.
func (b *Backend) submit(ctx context.Context, r *request) (outcome, error) {
	r.answered = make(chan struct{})
	if !b.queue.put(r) {
		return failed, closed()
	}
	select {
	case <-r.answered:
		return r.outcome, r.err
	case <-ctx.Done():
	}
	if b.queue.remove(r) {
		return failed, dovetail.AsError(ctx.Err())
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-r.answered:
		return r.outcome, r.err
	case <-timer.C:
		return failed, &dovetail.Error{Code: dovetail.CodeUnknown, Err: ctx.Err(),
			Message: "the request ended while the write was under way", Remedy: "look whether it is there before you repeat it"}
	}
}
