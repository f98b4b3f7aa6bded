package protocol

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// multiTxn is a transaction in progress that is committed by its transaction record.
type multiTxn struct {
	engine *Engine
	plan   *plan
	txn    string

	inserts []*Record
	updates []Change
	changes []store.Change
	// locked are the heads of the records with their intents, as they are once those are set.
	locked []*Record
	// only is the version of a document that is deleted alone. If the deletion is planned after the document is locked, planned is
	// set instead.
	only    *dovetail.ETag
	planned func(*dovetail.Document) (store.Txn, bool)
	// replaced are whole records to be stored as versions after the commit. Other replaced versions are stored before.
	replaced []*Record
	// otherKind means that a document changes its kind: lists do not find it under the new kind until its intent is removed.
	otherKind bool
}

// multi commits a transaction that needs intents on several documents, by its transaction record in the log.
func (e *Engine) multi(ctx context.Context, p *plan) outcome {
	m := &multiTxn{engine: e, plan: p}
	if result := m.prepare(ctx); result.err != nil || result.decision != done {
		return result
	}
	if err := m.fits(); err != nil {
		return failure(err)
	}
	return e.decideByLog(ctx, m)
}

// The maximum size of a transaction record. Servers accept documents of 16 MiB; the rest is for provenance.
const (
	maxEntry    = 15 << 20
	changeBytes = 96 // of a change in a record, excluding its texts
)

// fits returns an error if the changes do not fit into the transaction record, before anything is written.
func (m *multiTxn) fits() error {
	size := 0
	for _, c := range m.changes {
		size += changeBytes + len(c.ID) + len(c.Kind) + len(c.UID)
	}
	if size <= maxEntry {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeTooLarge, Remedy: "divide it into several transactions",
		Message: fmt.Sprintf("the transaction writes %d documents, more than one on MongoDB can: their ids, kinds and uids take %d bytes in its log, where %d fit",
			len(m.changes), size, maxEntry)}
}

// decideByLog executes a prepared transaction.
func (e *Engine) decideByLog(ctx context.Context, m *multiTxn) outcome {
	if err := m.writeEntry(ctx); err != nil {
		m.abort(ctx)
		return failure(nothingDone(err))
	}
	pendingContext, stop := context.WithCancel(ctx)
	defer stop()
	e.env.Heartbeat(pendingContext, e, m.txn)
	result := m.writeIntents(ctx)
	if result.err == nil && result.decision == done {
		result = m.checkAndKeep(ctx)
	}
	if result.err != nil || result.decision != done {
		m.abort(ctx)
		return result
	}
	if len(m.changes) == 0 { // nothing to write: the result is that all conditions held at one moment
		m.abort(ctx)
		return result
	}
	return m.commit(ctx)
}

// prepare reads the documents, checks the conditions against them, and plans the intents.
func (m *multiTxn) prepare(ctx context.Context) outcome {
	var ids []dovetail.ID
	for _, s := range m.plan.slots {
		if !m.plan.insertsBlindly(s) {
			ids = append(ids, s.id)
		}
	}
	views, err := m.engine.find(ctx, ids, false)
	if err != nil {
		return failure(err)
	}
	result := outcome{decision: done}
	for _, s := range m.plan.slots {
		v := views[s.id]
		now := v.document()
		switch {
		case s.absent && now != nil,
			s.version != nil && (now == nil || now.ETag() != *s.version),
			s.exists && now == nil:
			return outcome{decision: failed}
		case v.status != noIntent:
			result.decision = busy
			result.conflicts = append(result.conflicts, v)
		case v.Record == nil:
			m.planInsert(s)
		default:
			m.planUpdate(s, v.Record)
		}
	}
	return result
}

// planInsert plans a record with a create intent: a document, or a placeholder that prevents the creation of one.
func (m *multiTxn) planInsert(s *slot) {
	intent := &Intent{Op: Create, Multi: true, At: m.engine.env.Clock()}
	if s.put == nil {
		intent.LockOnly = true
		r := &Record{ID: s.id, Intent: intent}
		m.inserts = append(m.inserts, r)
		return
	}
	m.inserts = append(m.inserts, newRecord(s.put, intent, m.plan.txn.Provenance))
	m.changes = append(m.changes, changeOf(store.Created, s.put))
}

// planUpdate plans an intent on an existing document.
func (m *multiTxn) planUpdate(s *slot, head *Record) {
	intent := &Intent{Op: Update, Multi: true, At: m.engine.env.Clock(), Exclusive: s.exclusive,
		By: m.plan.txn.Provenance}
	change := Change{ID: s.id, Version: head.Doc.ETag(), Intent: intent}
	switch {
	case s.put != nil:
		intent.Next = s.put
		change.Link, change.Links = AddLinks, s.put.References
		m.otherKind = m.otherKind || s.put.Kind != head.Doc.Kind
		m.changes = append(m.changes, changeOf(store.Updated, s.put))
	case s.deletes:
		intent.Op = Delete
		m.changes = append(m.changes, changeOf(store.Deleted, head.Doc))
	default:
		intent.LockOnly = true
	}
	m.updates = append(m.updates, change)
	locked := *head
	locked.Intent = intent
	m.locked = append(m.locked, &locked)
}

func changeOf(op store.Op, doc *dovetail.Document) store.Change {
	return store.Change{Op: op, ID: doc.ID, Kind: doc.Kind, UID: doc.UID, Revision: doc.Revision}
}

// writeIntents sets the intents.
func (m *multiTxn) writeIntents(ctx context.Context) outcome {
	if m.only != nil || m.planned != nil {
		return m.setDeleteIntent(ctx)
	}
	m.locked = append(m.locked, m.inserts...)
	var inserted, placed outcome
	m.engine.env.Parallel(
		func() { inserted = m.insertIntents(ctx) },
		func() { placed = m.updateIntents(ctx) })
	if inserted.err != nil || placed.err == nil && inserted.decision != done {
		return inserted
	}
	return placed
}

func (m *multiTxn) insertIntents(ctx context.Context) outcome {
	result := outcome{decision: done}
	if len(m.inserts) == 0 {
		return result
	}
	var taken []dovetail.ID
	for i, err := range m.engine.server.Insert(ctx, m.inserts) {
		switch {
		case errors.Is(err, ErrDuplicate):
			taken = append(taken, m.inserts[i].ID)
		case err != nil:
			return failure(nothingDone(err))
		}
	}
	if len(taken) == 0 {
		return result
	}
	views, err := m.engine.find(ctx, taken, false)
	if err != nil {
		return failure(err)
	}
	result.decision = busy
	for _, id := range taken {
		switch v := views[id]; {
		case v.document() != nil:
			return outcome{decision: failed}
		case v.Record != nil:
			result.conflicts = append(result.conflicts, v)
		}
	}
	return result
}

func (m *multiTxn) updateIntents(ctx context.Context) outcome {
	if len(m.updates) == 0 {
		return outcome{decision: done}
	}
	n, err := m.engine.server.Apply(ctx, m.updates)
	switch {
	case err != nil:
		return failure(nothingDone(err))
	case n < len(m.updates):
		return outcome{decision: busy}
	}
	return outcome{decision: done}
}

// checkAndKeep checks the conditions, and stores the versions that are about to be replaced.
func (m *multiTxn) checkAndKeep(ctx context.Context) outcome {
	var result outcome
	var kept error
	m.engine.env.Parallel(
		func() { result = m.check(ctx) },
		func() { kept = m.keep(ctx) })
	if kept != nil && result.err == nil {
		return failure(nothingDone(kept))
	}
	return result
}

// keep reads the whole records that the transaction replaces, which can no longer change, and stores them as versions.
func (m *multiTxn) keep(ctx context.Context) error {
	var ids []dovetail.ID
	for _, c := range m.updates {
		if !c.Intent.LockOnly && !store.IsInternal(c.ID) {
			ids = append(ids, c.ID)
		}
	}
	for part := range slices.Chunk(ids, probeBatch) { // limits memory
		records, err := m.engine.server.Find(ctx, part, true)
		if err != nil {
			return err
		}
		replaced := make([]*Record, 0, len(part))
		for _, id := range part {
			if r := records[id]; r != nil && r.Intent != nil && r.Intent.Txn == m.txn {
				replaced = append(replaced, r)
			}
		}
		if err := m.engine.keepReplaced(ctx, replaced); err != nil {
			return err
		}
	}
	return nil
}

// check checks, after the intents are set, that targets exist, and then that documents have no children or referrers where that is
// required. What holds then holds until the commit: the intents on their new children and referrers protect targets from deletion,
// and those on the others prevent new children and referrers.
func (m *multiTxn) check(ctx context.Context) outcome {
	views, err := m.engine.find(ctx, m.plan.targets, false)
	if err != nil {
		return failure(err)
	}
	if result := examineTargets(m.plan.targets, views); result.decision != done {
		return result
	}
	return m.engine.checkBlockers(ctx, m.plan)
}

// commit commits the transaction, by changing the status of its transaction record to committed.
func (m *multiTxn) commit(ctx context.Context) outcome {
	detached, cancel := m.engine.env.Detached(ctx)
	defer cancel()
	var lost error
	fence := ""
	for attempt := 1; ; attempt++ {
		before := beforeOf(m.plan.txn)
		at, committed, err := m.engine.server.CommitEntry(detached, LogEntry{Txn: m.txn, Fence: fence, Changes: m.changes, By: m.plan.txn.Provenance}, before)
		switch code := dovetail.CodeOf(err); {
		case committed:
			m.committed(detached, at)
			return outcome{decision: done}
		case err == nil:
			result, fenced := m.readOutcome(detached)
			if fenced == nil {
				return result
			}
			if late := m.engine.tooLate(detached, before); late != nil {
				m.abort(detached)
				return failure(late)
			}
			fence = *fenced // set by the reader of a snapshot: the commit needs a current timestamp
			attempt--
			continue
		case code == dovetail.CodeUnknown:
			lost = err
		case code != dovetail.CodeUnavailable && lost == nil:
			m.abort(detached)
			return failure(err)
		}
		again, paused := m.engine.env.Pause(detached, attempt)
		switch {
		case attempt < retries && paused == nil && again:
		case lost == nil:
			m.abort(detached)
			return failure(err)
		default:
			return m.abortUnanswered(detached, lost)
		}
	}
}

// readOutcome returns the outcome of a transaction whose commit was not executed, or not by the last try; or, if it is still pending,
// its fence.
func (m *multiTxn) readOutcome(ctx context.Context) (result outcome, fence *string) {
	entries, err := m.engine.server.Entries(ctx, []string{m.txn})
	if err != nil {
		return failure(unknown(err)), nil
	}
	switch entry, there := entries[m.txn]; {
	case there && entry.State == Pending:
		fence = &entry.Fence
	case there:
		m.resolveIntents(ctx, true, entry.Stamp)
		return outcome{decision: done}, nil
	default:
		m.abort(ctx)
	}
	return outcome{decision: busy}, fence // unless it is pending, another process has aborted it
}

// abortUnanswered aborts a transaction whose commit was not acknowledged, if it is still pending.
func (m *multiTxn) abortUnanswered(ctx context.Context, lost error) outcome {
	deleted, err := m.engine.server.DeleteEntry(ctx, m.txn, Pending)
	switch {
	case err != nil:
		return failure(unknown(lost))
	case deleted:
		m.resolveIntents(ctx, false, Stamp{})
		return failure(nothingDone(lost))
	}
	result, _ := m.readOutcome(ctx)
	return result
}

// abort ensures that the transaction is never committed, and removes its intents. Intents that it cannot remove are resolved by the
// next transaction that encounters them.
func (m *multiTxn) abort(ctx context.Context) {
	detached, cancel := m.engine.env.Detached(ctx)
	defer cancel()
	if _, err := m.engine.server.DeleteEntry(detached, m.txn, Pending); err == nil {
		m.resolveIntents(detached, false, Stamp{})
	}
}

// resolveIntents removes the intents. If the transaction was committed at the timestamp, it also resolves the transaction record.
func (m *multiTxn) resolveIntents(ctx context.Context, happened bool, at Stamp) {
	if happened {
		_ = m.engine.Resolve(ctx, []*Unresolved{{m, at}})
		return
	}
	changes := make([]Change, len(m.locked))
	for i, r := range m.locked {
		changes[i] = resolveIntent(r, false, at)
	}
	if len(changes) > 0 {
		_, _ = m.engine.server.Apply(ctx, changes)
	}
}
