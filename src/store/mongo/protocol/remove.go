package protocol

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// remove deletes a document at a version. It looks for what holds the document before it sets an intent, which would keep
// others from referring to it for nothing. The log decides it, as a transaction of several documents, since a record that is
// gone cannot say when that happened.
func (e *Engine) remove(ctx context.Context, p *plan, version dovetail.ETag) outcome {
	errs, err := e.unmet(ctx, p)
	switch {
	case err != nil:
		return failure(err)
	case len(errs) > 0:
		return outcome{decision: failed, unmet: errs}
	}
	return e.decideByLog(ctx, &multiTxn{engine: e, plan: p, only: &version})
}

// lockOnly sets the intent on the only document of the transaction, and learns with it what it deletes.
func (m *multiTxn) lockOnly(ctx context.Context) outcome {
	id := m.plan.slots[0].id
	intent := &Intent{Txn: m.txn, Op: Delete, Multi: true, At: m.engine.env.Clock(), By: m.plan.txn.Provenance}
	record, result := m.engine.setIntent(ctx, Change{ID: id, Version: *m.only, Intent: intent})
	if record != nil {
		m.locked = []*Record{record}
		m.replaced = m.locked
		m.changes = []store.Change{changeOf(store.Deleted, record.Doc)}
	}
	return result
}
