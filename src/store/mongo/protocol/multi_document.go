package protocol

import (
	"context"
	"errors"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// several is a transaction that marks more than one document, on its way.
type several struct {
	engine *Engine
	plan   *plan
	txn    string

	inserts []*Record
	places  []Change
	changes []store.Change
	// marked are the records as they are once the marks are set.
	marked []*Record
}

// multi commits a transaction that needs marks on several documents: it is decided by its entry in
// the log.
func (e *Engine) multi(ctx context.Context, p *plan) outcome {
	m := &several{engine: e, plan: p, txn: e.env.NewTxn()}
	if result := m.prepare(ctx); result.err != nil || result.verdict != done {
		return result
	}
	if err := e.server.Write(ctx, Entry{Txn: m.txn, State: Pending}); err != nil {
		m.abort(ctx)
		return failure(nothingDone(err))
	}
	beating, stop := context.WithCancel(ctx)
	defer stop()
	e.env.Beat(beating, e, m.txn)
	result := m.mark(ctx)
	if result.err == nil && result.verdict == done {
		result = m.check(ctx)
	}
	if result.err != nil || result.verdict != done {
		m.abort(ctx)
		return result
	}
	if len(m.changes) == 0 { // nothing to write: that all conditions held at one moment is the answer
		m.abort(ctx)
		return result
	}
	return m.decide(ctx)
}

// prepare reads what is there, compares it with the conditions, and works out the marks.
func (m *several) prepare(ctx context.Context) outcome {
	ids := make([]dovetail.ID, len(m.plan.slots))
	for i, s := range m.plan.slots {
		ids[i] = s.id
	}
	views, err := m.engine.find(ctx, ids, false)
	if err != nil {
		return failure(err)
	}
	result := outcome{verdict: done}
	for _, s := range m.plan.slots {
		v := views[s.id]
		now := v.document()
		switch {
		case s.absent && now != nil,
			s.version != nil && (now == nil || now.ETag() != *s.version),
			s.exists && now == nil:
			return outcome{verdict: failed}
		case v.fate != unmarked:
			result.verdict = busy
			result.met = append(result.met, v)
		case v.Record == nil:
			m.insert(s)
		default:
			m.place(s, v.Record)
		}
	}
	return result
}

// insert plans a record with a create mark: a document, or a placeholder that keeps others from
// creating one.
func (m *several) insert(s *slot) {
	mark := &Mark{Txn: m.txn, Op: Create, Multi: true, At: m.engine.env.Clock()}
	if s.put == nil {
		mark.Keep = true
		r := &Record{ID: s.id, Mark: mark}
		m.inserts = append(m.inserts, r)
		return
	}
	m.inserts = append(m.inserts, newRecord(s.put, mark))
	m.changes = append(m.changes, changeOf(store.Created, s.put))
}

// place plans a mark on a document that is there.
func (m *several) place(s *slot, head *Record) {
	mark := &Mark{Txn: m.txn, Op: Update, Multi: true, At: m.engine.env.Clock(), Shut: s.shut}
	change := Change{ID: s.id, Version: head.Doc.ETag(), Mark: mark}
	switch {
	case s.put != nil:
		mark.Next = s.put
		change.Link, change.Links = AddLinks, s.put.References
		m.changes = append(m.changes, changeOf(store.Updated, s.put))
	case s.deletes:
		mark.Op = Delete
		m.changes = append(m.changes, changeOf(store.Deleted, head.Doc))
	default:
		mark.Keep = true
	}
	m.places = append(m.places, change)
	marked := *head
	marked.Mark = mark
	m.marked = append(m.marked, &marked)
}

func changeOf(op store.Op, doc *dovetail.Document) store.Change {
	return store.Change{Op: op, ID: doc.ID, Kind: doc.Kind, UID: doc.UID, Revision: doc.Revision}
}

// mark sets the marks.
func (m *several) mark(ctx context.Context) outcome {
	m.marked = append(m.marked, m.inserts...)
	var inserted, placed outcome
	m.engine.env.Together(
		func() { inserted = m.markNew(ctx) },
		func() { placed = m.markOld(ctx) })
	if inserted.err != nil || placed.err == nil && inserted.verdict != done {
		return inserted
	}
	return placed
}

func (m *several) markNew(ctx context.Context) outcome {
	result := outcome{verdict: done}
	if len(m.inserts) == 0 {
		return result
	}
	for _, err := range m.engine.server.Insert(ctx, m.inserts) {
		switch {
		case errors.Is(err, ErrDuplicate):
			result.verdict = busy
		case err != nil:
			return failure(nothingDone(err))
		}
	}
	return result
}

func (m *several) markOld(ctx context.Context) outcome {
	if len(m.places) == 0 {
		return outcome{verdict: done}
	}
	n, err := m.engine.server.Apply(ctx, m.places)
	switch {
	case err != nil:
		return failure(nothingDone(err))
	case n < len(m.places):
		return outcome{verdict: busy}
	}
	return outcome{verdict: done}
}

// check checks the conditions on documents without a mark of the transaction. First those that must exist, then those
// that must not: so no transaction that this one does not see can have come in between.
func (m *several) check(ctx context.Context) outcome {
	views, err := m.engine.find(ctx, m.plan.targets, false)
	if err != nil {
		return failure(err)
	}
	if result := examineTargets(m.plan.targets, views); result.verdict != done {
		return result
	}
	return m.engine.free(ctx, m.plan)
}

// decide commits: the moment when the entry in the log turns is when all of it happens.
func (m *several) decide(ctx context.Context) outcome {
	lasting, cancel := m.engine.env.Lasting(ctx)
	defer cancel()
	var lost error
	for attempt := 1; ; attempt++ {
		turned, err := m.engine.server.Turn(lasting, m.txn, Pending, Turn{State: Committed, Changes: m.changes})
		switch code := dovetail.CodeOf(err); {
		case turned:
			m.settle(lasting, true)
			return outcome{verdict: done}
		case err == nil:
			return m.lookUp(lasting)
		case code == dovetail.CodeUnknown:
			lost = err
		case code != dovetail.CodeUnavailable && lost == nil:
			m.abort(lasting)
			return failure(err)
		}
		again, paused := m.engine.env.Pause(lasting, attempt)
		switch {
		case attempt < retries && paused == nil && again:
		case lost == nil:
			m.abort(lasting)
			return failure(err)
		default:
			return m.giveUp(lasting, lost)
		}
	}
}

// lookUp returns the outcome of a transaction that is no longer pending.
func (m *several) lookUp(ctx context.Context) outcome {
	entries, err := m.engine.server.Entries(ctx, []string{m.txn})
	if err != nil {
		return failure(unknown(err))
	}
	if entry, there := entries[m.txn]; there && entry.State != Pending {
		m.settle(ctx, true)
		return outcome{verdict: done}
	}
	m.abort(ctx)
	return outcome{verdict: busy} // another process took this one for dead
}

// giveUp aborts a transaction whose commit was not answered, if that is still possible.
func (m *several) giveUp(ctx context.Context, lost error) outcome {
	struck, err := m.engine.server.Strike(ctx, m.txn, Pending)
	switch {
	case err != nil:
		return failure(unknown(lost))
	case struck:
		m.settle(ctx, false)
		return failure(nothingDone(lost))
	}
	return m.lookUp(ctx)
}

// abort makes sure that the transaction never happens, and removes its marks. Marks that it
// cannot reach are resolved by the next transaction that meets them.
func (m *several) abort(ctx context.Context) {
	lasting, cancel := m.engine.env.Lasting(ctx)
	defer cancel()
	if _, err := m.engine.server.Strike(lasting, m.txn, Pending); err == nil {
		m.settle(lasting, false)
	}
}

// settle takes the marks away, and closes the entry of a transaction that happened.
func (m *several) settle(ctx context.Context, happened bool) {
	changes := make([]Change, len(m.marked))
	for i, r := range m.marked {
		changes[i] = settled(r, happened)
	}
	if len(changes) == 0 {
		return
	}
	n, err := m.engine.server.Apply(ctx, changes)
	if happened && err == nil && n == len(changes) {
		_, _ = m.engine.server.Turn(ctx, m.txn, Committed, Turn{State: Settled})
	}
}
