package protocol

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// remove deletes a document at a version. It looks for children and referrers before it sets an intent, so that a refused deletion
// does not block creators. It commits through the log, as a multi-document transaction does, since a record that is gone cannot say
// when it was deleted.
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

// Remove deletes a document alone, and reads it in the step that sets the intent; see store.Remover. Unlike remove, it does not
// look for children and referrers first: it reads and locks, looks for them once, and commits. So a refused deletion blocks
// creators for a short time. After one, Remove leaves the document to Commit for a while, since it may well be refused again.
func (e *Engine) Remove(ctx context.Context, id dovetail.ID, by store.Provenance, plan func(*dovetail.Document) (store.Txn, bool)) (removed bool, err error) {
	if store.IsInternal(id) || e.env.RefusedLately(id) {
		return false, nil
	}
	m := &multiTxn{engine: e, plan: newPlan(store.Txn{Deletes: []dovetail.ID{id}, Provenance: by}), planned: plan}
	switch result := e.decideByLog(ctx, m); {
	case dovetail.CodeOf(result.err) == dovetail.CodeUnknown:
		return false, result.err
	case result.err == nil && result.decision == done:
		return true, nil
	case result.err == nil && result.decision == failed && len(m.locked) > 0:
		e.env.Refused(id)
	}
	return false, nil
}

// setDeleteIntent sets the intent of a transaction that only deletes one document, which also returns the document.
func (m *multiTxn) setDeleteIntent(ctx context.Context) outcome {
	id := m.plan.slots[0].id
	intent := &Intent{Txn: m.txn, Op: Delete, Multi: true, At: m.engine.env.Clock(), By: m.plan.txn.Provenance}
	change := Change{ID: id, Intent: intent}
	if change.AnyVersion = m.only == nil; m.only != nil {
		change.Version = *m.only
	}
	record, result := m.engine.setIntent(ctx, change)
	if record == nil {
		return result
	}
	m.locked = []*Record{record}
	m.replaced = m.locked
	m.changes = []store.Change{changeOf(store.Deleted, record.Doc)}
	if m.planned == nil {
		return result
	}
	return m.planLocked(record.Doc)
}

// planLocked calls planned, now that the document cannot change. The transaction must only delete the document, at its version.
func (m *multiTxn) planLocked(doc *dovetail.Document) outcome {
	txn, may := m.planned(doc.Clone())
	if !may {
		return outcome{decision: failed}
	}
	p := newPlan(txn)
	if !p.single || p.unsatisfiable || !p.slots[0].deletes || p.slots[0].id != doc.ID || p.slots[0].version == nil || *p.slots[0].version != doc.ETag() {
		return outcome{decision: failed}
	}
	m.plan = p
	return outcome{decision: done}
}
