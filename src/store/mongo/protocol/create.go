package protocol

import (
	"context"
	"errors"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Creation is a document to be created in a group. Its outcome is set when Engine.CreateGroup returns.
type Creation struct {
	doc     *dovetail.Document
	targets []dovetail.ID
	by      store.Provenance
	txn     store.Txn // the transaction that consists of this creation
	outcome outcome
	// implicit means that other processes may commit the creation once it is inserted.
	implicit bool
	// intentTxn is the transaction of the intent. An implicit creation has its own. The others of a group share one, so that one
	// condition covers all of their intents.
	intentTxn string
}

// ID returns the id of the document. The ids in a group must be unique.
func (c *Creation) ID() dovetail.ID { return c.doc.ID }

// Cancel sets the outcome of a creation that has not been in a group.
func (c *Creation) Cancel(err error) { c.outcome = failure(dovetail.AsError(err)) }

func (e *Engine) create(ctx context.Context, p *plan) outcome {
	c := &Creation{doc: p.slots[0].put, targets: p.targets, by: p.txn.Provenance, txn: p.txn}
	e.env.SubmitCreation(ctx, e, c)
	return c.outcome
}

// CreateGroup creates documents in three round trips, regardless of their number, or in two if they can be committed implicitly.
// Each is a separate transaction with its own outcome.
func (e *Engine) CreateGroup(ctx context.Context, group []*Creation) {
	txn := e.env.NewTxn()
	implicit := e.implicitly(group)
	for i, c := range group {
		if implicit && i > 0 {
			txn = e.env.NewTxn()
		}
		c.implicit, c.intentTxn = implicit, txn
	}
	ready := e.insertIntents(ctx, group)
	if len(ready) == 0 {
		return
	}
	if implicit {
		e.checkImplicit(ctx, ready)
		return
	}
	ready, rejected := e.checkTargets(ctx, ready)
	if len(rejected) > 0 {
		e.rollback(ctx, removals(rejected))
	}
	if len(ready) > 0 {
		e.commitCreations(ctx, ready)
	}
}

// insertIntents inserts the documents with create intents and returns those that were inserted.
func (e *Engine) insertIntents(ctx context.Context, group []*Creation) (ready []*Creation) {
	now := e.env.Clock()
	records := make([]*Record, len(group))
	for i, c := range group {
		intent := &Intent{Txn: c.intentTxn, Op: Create, At: now}
		if c.implicit {
			intent.Implicit, intent.Targets, intent.Before = true, c.targets, beforeOf(c.txn)
		}
		records[i] = newRecord(c.doc, intent, c.by)
	}
	var taken, unclear []*Creation
	for i, err := range e.server.Insert(ctx, records) {
		c := group[i]
		switch {
		case err == nil:
			ready = append(ready, c)
		case errors.Is(err, ErrDuplicate):
			taken = append(taken, c)
		default:
			c.outcome = failure(nothingDone(err))
			if dovetail.CodeOf(err) == dovetail.CodeUnknown {
				unclear = append(unclear, c)
			}
		}
	}
	switch {
	case len(unclear) == 0:
	case unclear[0].implicit:
		ready = append(ready, e.inserted(ctx, unclear)...)
	default:
		e.rollback(ctx, removals(unclear))
	}
	if len(taken) > 0 {
		e.explainTaken(ctx, taken)
	}
	return ready
}

// inserted returns those creations that are found, after an insertion with an unknown result. The others may still be inserted
// later, and then committed by other processes, so that their outcome is unknown.
func (e *Engine) inserted(ctx context.Context, group []*Creation) (ready []*Creation) {
	detached, cancel := e.env.Detached(ctx)
	defer cancel()
	ids := make([]dovetail.ID, len(group))
	for i, c := range group {
		ids[i] = c.doc.ID
	}
	records, err := e.server.Find(detached, ids, false)
	for _, c := range group {
		if r := records[c.doc.ID]; err == nil && r != nil && r.Txn == c.intentTxn {
			ready = append(ready, c)
		} else {
			c.outcome = failure(unknown(c.outcome.err))
		}
	}
	return ready
}

func newRecord(doc *dovetail.Document, intent *Intent, by store.Provenance) *Record {
	r := &Record{ID: doc.ID, Doc: doc, Intent: intent, By: by}
	r.Strong, r.Weak = Links(doc.References)
	return r
}

// Links splits references into the ids of strong and of weak ones.
func Links(references []dovetail.Reference) (strong, weak []dovetail.ID) {
	for _, ref := range references {
		if ref.Weak {
			weak = append(weak, ref.ID)
		} else {
			strong = append(strong, ref.ID)
		}
	}
	return strong, weak
}

func removals(group []*Creation) []Change {
	changes := make([]Change, len(group))
	for i, c := range group {
		changes[i] = Change{ID: c.doc.ID, IntentTxn: c.intentTxn, Remove: true}
	}
	return changes
}

// explainTaken sets the outcome of creations whose id is taken, depending on whether readers see a document there.
func (e *Engine) explainTaken(ctx context.Context, taken []*Creation) {
	ids := make([]dovetail.ID, len(taken))
	for i, c := range taken {
		ids[i] = c.doc.ID
	}
	views, err := e.find(ctx, ids, false)
	for _, c := range taken {
		switch v := views[c.doc.ID]; {
		case err != nil:
			c.outcome = failure(err)
		case v.document() != nil:
			c.outcome = outcome{decision: failed}
		case v.Record != nil:
			c.outcome = outcome{decision: busy, conflicts: []view{v}}
		default:
			c.outcome = outcome{decision: busy} // it has been removed meanwhile
		}
	}
}

// checkTargets checks, after the intents are set, that all targets exist and are not about to be deleted.
func (e *Engine) checkTargets(ctx context.Context, group []*Creation) (ready, rejected []*Creation) {
	var ids []dovetail.ID
	for _, c := range group {
		ids = append(ids, c.targets...)
	}
	views, err := e.find(ctx, unique(ids), false)
	for _, c := range group {
		if err != nil {
			c.outcome = failure(err)
		} else {
			c.outcome = examineTargets(c.targets, views)
		}
		if c.outcome.err != nil || c.outcome.decision != done {
			rejected = append(rejected, c)
		} else {
			ready = append(ready, c)
		}
	}
	return ready, rejected
}

// examineTargets returns done if all targets exist and no transaction is about to delete one.
func examineTargets(targets []dovetail.ID, views map[dovetail.ID]view) outcome {
	result := outcome{decision: done}
	for _, id := range targets {
		switch v := views[id]; {
		case v.document() == nil && v.status != undecided:
			return outcome{decision: failed}
		case v.exclusive() || v.status == undecided:
			result.decision = busy
			result.conflicts = append(result.conflicts, v)
		}
	}
	return result
}

// commitCreations removes the intents, which commits each creation.
func (e *Engine) commitCreations(ctx context.Context, ready []*Creation) {
	changes := make([]Change, len(ready))
	for i, c := range ready {
		changes[i] = Change{ID: c.doc.ID, IntentTxn: c.intentTxn, Txn: c.intentTxn, Stamping: StampCreated, Before: beforeOf(c.txn)}
	}
	answer := e.retryUntilKnown(ctx, changes)
	switch {
	case answer.all:
	case answer.refused != nil:
		for _, c := range ready {
			c.outcome = failure(answer.refused)
		}
		e.takeBack(ctx, ready)
	default:
		for i, c := range ready {
			c.outcome = e.wasCreated(ctx, c, answer.lost)
			if errors.Is(c.outcome.err, errUncommitted) {
				c.outcome = outcome{decision: busy, err: e.tooLate(ctx, changes[i].Before)}
				e.takeBack(ctx, ready[i:i+1])
			}
		}
	}
}

// errUncommitted means that the intent is still there although a change to remove it was answered: its deadline had passed.
var errUncommitted = errors.New("not committed")

// wasCreated determines the outcome of a creation whose intent this process has not removed, as far as it knows: whether this
// process or another one created the document. Lost is the error of a write that was not acknowledged, if there was one.
func (e *Engine) wasCreated(ctx context.Context, c *Creation, lost error) outcome {
	doc, txn := c.doc, c.intentTxn
	detached, cancel := e.env.Detached(ctx)
	defer cancel()
	records, err := e.server.Find(detached, []dovetail.ID{doc.ID}, false)
	if err != nil {
		return failure(unknown(err))
	}
	r := records[doc.ID]
	creating := r != nil && r.Intent != nil && r.Intent.Op == Create
	switch {
	case creating && r.Intent.Txn == txn && lost == nil:
		return failure(errUncommitted)
	case creating && r.Intent.Txn == txn:
		return failure(unknown(lost))
	case r != nil && r.Txn == txn:
		return outcome{decision: done}
	case lost == nil && !c.implicit:
		return outcome{decision: busy} // another process has rolled the creation back
	case r != nil && !creating && r.Doc.UID == doc.UID:
		return outcome{decision: done} // and another transaction has written it since
	}
	// It was created and then deleted, or it was rolled back, so that a delayed commit fails its compare-and-set.
	gone, err := e.deletions(detached, doc.ID, doc.UID)
	switch {
	case err != nil:
		return failure(unknown(err))
	case len(gone) > 0:
		return outcome{decision: done}
	}
	return outcome{decision: busy}
}

// NewCreation returns the creation of a document whose targets must exist.
func NewCreation(doc *dovetail.Document, targets []dovetail.ID) *Creation {
	return &Creation{doc: doc, targets: targets}
}

// Result reports whether the document was created. If it was not, err is nil if a condition failed or another transaction was in
// the way; only with CodeUnknown may the document have been created.
func (c *Creation) Result() (created bool, err error) {
	return c.outcome.err == nil && c.outcome.decision == done, c.outcome.err
}
