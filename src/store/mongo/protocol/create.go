package protocol

import (
	"context"
	"errors"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Creation is one document to be created, on its way through a group. Its outcome is there when
// Engine.CreateGroup has returned.
type Creation struct {
	doc     *dovetail.Document
	targets []dovetail.ID
	by      store.Provenance
	txn     store.Txn // that it is
	outcome outcome
	// implicit says that others may commit it once it is inserted.
	implicit bool
}

// ID returns the id of the document. A group must not have two of one id.
func (c *Creation) ID() dovetail.ID { return c.doc.ID }

// Cancel gives up a creation that has not been in a group.
func (c *Creation) Cancel(err error) { c.outcome = failure(dovetail.AsError(err)) }

func (e *Engine) create(ctx context.Context, p *plan) outcome {
	c := &Creation{doc: p.slots[0].put, targets: p.targets, by: p.txn.Provenance, txn: p.txn}
	e.env.SubmitCreation(ctx, e, c)
	return c.outcome
}

// CreateGroup creates documents in three round trips, however many they are, and few of them in two. Each is a transaction
// of its own: what happens to one does not touch the others.
func (e *Engine) CreateGroup(ctx context.Context, group []*Creation) {
	txn := e.env.NewTxn()
	implicit := e.implicitly(group)
	for _, c := range group {
		c.implicit = implicit
	}
	ready := e.insertIntents(ctx, txn, group)
	if len(ready) == 0 {
		return
	}
	if implicit {
		e.checkImplicit(ctx, txn, ready)
		return
	}
	ready, rejected := e.checkTargets(ctx, ready)
	if len(rejected) > 0 {
		e.rollback(ctx, removals(txn, rejected))
	}
	if len(ready) > 0 {
		e.commitCreations(ctx, txn, ready)
	}
}

// insertIntents inserts the documents with create intents and returns those that got in.
func (e *Engine) insertIntents(ctx context.Context, txn string, group []*Creation) (ready []*Creation) {
	now := e.env.Clock()
	records := make([]*Record, len(group))
	for i, c := range group {
		intent := &Intent{Txn: txn, Op: Create, At: now}
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
		ready = append(ready, e.inserted(ctx, txn, unclear)...)
	default:
		e.rollback(ctx, removals(txn, unclear))
	}
	if len(taken) > 0 {
		e.explainTaken(ctx, taken)
	}
	return ready
}

// inserted returns those of the creations that are there, of which it is not known whether they were inserted. The others may yet be, and then
// others may commit them.
func (e *Engine) inserted(ctx context.Context, txn string, group []*Creation) (ready []*Creation) {
	detached, cancel := e.env.Detached(ctx)
	defer cancel()
	ids := make([]dovetail.ID, len(group))
	for i, c := range group {
		ids[i] = c.doc.ID
	}
	records, err := e.server.Find(detached, ids, false)
	for _, c := range group {
		if r := records[c.doc.ID]; err == nil && r != nil && r.Txn == txn {
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

// Links parts references into the ids of strong ones and of weak ones.
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

func removals(txn string, group []*Creation) []Change {
	changes := make([]Change, len(group))
	for i, c := range group {
		changes[i] = Change{ID: c.doc.ID, IntentTxn: txn, Remove: true}
	}
	return changes
}

// explainTaken says of creations whose id is taken whether readers see a document there.
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
			c.outcome = outcome{decision: busy} // it has been removed since
		}
	}
}

// checkTargets looks, once the intents are set, whether all targets are there and stay.
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

// examineTargets is done when all the targets exist and no transaction is about to delete one.
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

// commitCreations removes the intents: this is the moment at which each document is created.
func (e *Engine) commitCreations(ctx context.Context, txn string, ready []*Creation) {
	changes := make([]Change, len(ready))
	for i, c := range ready {
		changes[i] = Change{ID: c.doc.ID, IntentTxn: txn, Txn: txn, Stamping: StampCreated, Before: beforeOf(c.txn)}
	}
	answer := e.retryUntilKnown(ctx, changes)
	switch {
	case answer.all:
	case answer.refused != nil:
		for _, c := range ready {
			c.outcome = failure(answer.refused)
		}
		e.takeBack(ctx, txn, ready)
	default:
		for i, c := range ready {
			c.outcome = e.wasCreated(ctx, txn, c, answer.lost)
			if errors.Is(c.outcome.err, errUncommitted) {
				c.outcome = outcome{decision: busy, err: e.tooLate(ctx, changes[i].Before)}
				e.takeBack(ctx, txn, ready[i:i+1])
			}
		}
	}
}

// errUncommitted says that the database refused to take an intent away that is there.
var errUncommitted = errors.New("not committed")

// wasCreated finds out whether a commit that was not all done, or not all answered, created the
// document, or whether others did.
func (e *Engine) wasCreated(ctx context.Context, txn string, c *Creation, lost error) outcome {
	doc := c.doc
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
		return outcome{decision: busy} // another process took this one for dead and rolled the intent back
	case r != nil && !creating && r.Doc.UID == doc.UID:
		return outcome{decision: done} // and others have written it since
	}
	// It was created and deleted since, or it was rolled back, and then no late commit finds the intent.
	gone, err := e.deletions(detached, doc.ID, doc.UID)
	switch {
	case err != nil:
		return failure(unknown(err))
	case len(gone) > 0:
		return outcome{decision: done}
	}
	return outcome{decision: busy}
}

// NewCreation returns a creation of a document whose targets must be there.
func NewCreation(doc *dovetail.Document, targets []dovetail.ID) *Creation {
	return &Creation{doc: doc, targets: targets}
}

// Result says whether the document was created. An error without CodeUnknown, or none, means that it
// was not.
func (c *Creation) Result() (created bool, err error) {
	return c.outcome.err == nil && c.outcome.decision == done, c.outcome.err
}
