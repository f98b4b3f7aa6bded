package protocol

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Replaced is a committed update whose replaced version is to be stored.
type Replaced struct {
	id   dovetail.ID
	txn  string
	prev *Record
	row  int // how many updates in a row have replaced their predecessor's intent, so that the record stayed locked
}

// ID returns the id of the document.
func (r *Replaced) ID() dovetail.ID { return r.id }

// maxReplaced is the maximum size in bytes of a document and its replaced version to be stored together in one record.
const maxReplaced = 1 << 20

// maxRow is how many updates in a row may replace their predecessor's intent. Then it is removed, so that other processes get a turn.
const maxRow = 32

// replace updates a document by one write, if that is possible: if the update changes no reference, so that other transactions need
// not know of it, and neither kind nor terms, so that snapshots find the replaced version before it is stored, and if both versions
// together are small. The intent of the previous update by this process, whose timestamp is final, is replaced by the new one once
// its version is stored.
func (e *Engine) replace(ctx context.Context, p *plan, version dovetail.ETag) (result outcome, possible bool) {
	doc := p.slots[0].put
	if doc.ETag() == version {
		return result, false
	}
	waiting := e.env.TakeReplaced(doc.ID)
	var records map[dovetail.ID]*Record
	var err, kept error
	read := func() { records, err = e.server.Find(ctx, []dovetail.ID{doc.ID}, true) }
	if waiting == nil {
		read()
	} else {
		e.env.Parallel(read, func() { kept = e.keep(ctx, []*Record{waiting.prev}) })
	}
	r := records[doc.ID]
	strong, weak := Links(doc.References)
	switch {
	case err != nil || kept != nil, r == nil || r.Doc == nil || r.Doc.ETag() != version || r.Doc.Kind != doc.Kind,
		!sameIDs(r.Strong, strong) || !sameIDs(r.Weak, weak) || !linked(r) || !slices.Equal(r.Doc.Terms, doc.Terms) ||
			sizeOf(r)+sizeOf(&Record{Doc: doc}) > maxReplaced:
	case r.Intent == nil:
		return e.updateAtOnce(ctx, p, versionOf(r), nil), true
	case waiting != nil && r.Intent.Txn == waiting.txn:
		result = e.updateAtOnce(ctx, p, versionOf(r), waiting)
		if result.err == nil && result.decision == done {
			return result, true
		}
		possible = true
	case r.replaced():
		result, possible = outcome{decision: busy, conflicts: []view{{Record: r, status: pending}}}, true
	}
	if waiting != nil {
		e.env.SubmitReplaced(e, waiting)
	}
	return result, possible
}

// updateAtOnce changes a document by one write, which takes its timestamp, is visible to readers, and leaves an intent with the
// replaced version.
//
// A snapshot may have chosen a later position before the write became visible. So the timestamp is only final once the position of
// the latest snapshot is known to be earlier; otherwise the document gets a new timestamp. Snapshots wait until the intents that
// they see are gone. If they encounter one later, they show the replaced version.
//
// The update may replace the intent of an earlier one that has a final timestamp and whose replaced version is stored.
func (e *Engine) updateAtOnce(ctx context.Context, p *plan, prev *Record, waiting *Replaced) outcome {
	doc, version := p.slots[0].put, prev.Doc.ETag()
	txn := e.env.NewTxn()
	intent := &Intent{Txn: txn, Op: Update, Prev: prev, At: e.env.Clock()}
	change := Change{ID: doc.ID, Version: version, Doc: doc, Intent: intent, Txn: txn, Stamping: StampNow, By: p.txn.Provenance, Before: beforeOf(p.txn)}
	next := &Replaced{id: doc.ID, txn: txn, prev: prev}
	if waiting != nil {
		change.IntentTxn, next.row = waiting.txn, waiting.row+1
	}
	var at Stamp
	answer := e.untilKnown(ctx, func(ctx context.Context) (done bool, err error) {
		at, done, err = e.server.Replace(ctx, change)
		return done, err
	})
	switch {
	case answer.refused != nil:
		return failure(answer.refused)
	case !answer.all && answer.lost == nil:
		if late := e.tooLate(ctx, change.Before); late != nil {
			return failure(late)
		}
		return e.mismatch(ctx, doc.ID, version)
	case !answer.all:
		views, err := e.findDetached(ctx, doc.ID)
		v := views[doc.ID]
		switch {
		case err != nil:
			return failure(unknown(err))
		case v.Record != nil && v.Txn == txn:
			at = v.Stamp
		case superseded(v.document(), doc, version):
			return outcome{decision: failed}
		default:
			return failure(unknown(answer.lost))
		}
	}
	e.confirm(ctx, next, intent, at)
	return outcome{decision: done}
}

// confirm makes the timestamp of an update final, and schedules the storage of the replaced version. If that fails, another process
// does both, as it does for a dead owner.
func (e *Engine) confirm(ctx context.Context, made *Replaced, intent *Intent, at Stamp) {
	detached, cancel := e.env.Detached(ctx)
	defer cancel()
	taken, err := e.lastNow(detached)
	if err != nil {
		return
	}
	if !taken.Before(at) {
		n, err := e.server.Apply(detached, []Change{{ID: made.id, IntentTxn: intent.Txn, Intent: intent, Txn: intent.Txn, Stamping: StampNow}})
		if err != nil || n == 0 {
			return
		}
	}
	e.env.SubmitReplaced(e, made)
}

// KeepReplaced stores the versions that updates have replaced, and removes their intents.
func (e *Engine) KeepReplaced(ctx context.Context, group []*Replaced) error {
	versions, changes := make([]*Record, len(group)), make([]Change, len(group))
	for i, r := range group {
		versions[i], changes[i] = r.prev, Change{ID: r.id, IntentTxn: r.txn, OnlyIntent: true}
	}
	if err := e.keep(ctx, versions); err != nil {
		return err
	}
	_, err := e.server.Apply(ctx, changes)
	return err
}

// finishReplaced completes updates by a single write whose owners seem dead: it stores the replaced versions, and gives the documents
// a current timestamp, since theirs may not be final.
func (e *Engine) finishReplaced(ctx context.Context, heads []*Record) error {
	ids := make([]dovetail.ID, len(heads))
	for i, r := range heads {
		ids[i] = r.ID
	}
	for part := range slices.Chunk(ids, probeBatch) {
		records, err := e.server.Find(ctx, part, true)
		if err != nil {
			return err
		}
		var versions []*Record
		var changes []Change
		for _, r := range heads {
			if now := records[r.ID]; now != nil && now.replaced() && now.Intent.Txn == r.Intent.Txn {
				versions = append(versions, now.Intent.Prev)
				changes = append(changes, Change{ID: r.ID, IntentTxn: now.Intent.Txn, Txn: now.Txn, Stamping: StampNow, Moved: true})
			}
		}
		if len(changes) == 0 {
			continue
		}
		if err := e.keep(ctx, versions); err != nil {
			return err
		}
		n, err := e.server.Apply(ctx, changes)
		e.resolved(true, n)
		if err != nil {
			return nothingDone(err)
		}
	}
	return nil
}

// wasMoved reports whether the update of a transaction is known to have got its timestamp from another process, by finishReplaced.
func wasMoved(now *Record, txn string) bool {
	switch {
	case now == nil:
		return false
	case now.Txn == txn:
		return now.Moved
	}
	return now.replaced() && now.Intent.Prev.Txn == txn && now.Intent.Prev.Moved
}
