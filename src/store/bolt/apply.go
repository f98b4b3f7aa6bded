package bolt

import (
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// writer carries requests out in one batch.
type writer struct {
	batch *kv.Batch
	now   time.Time
	log   *logWriter
}

// applyGroup applies the requests whose conditions hold, in their order, and sets the outcome of each.
// It says whether there are new changes in the log.
func applyGroup(batch *kv.Batch, group []*request, now time.Time, history uint64) (logged bool, err error) {
	w := &writer{batch: batch, now: now}
	if w.log, err = newLogWriter(batch); err != nil {
		return false, err
	}
	for _, r := range group {
		r.outcome, r.err = committed, nil
		switch {
		case r.job != nil:
			r.err = r.job(batch) // which has written nothing when it returns an error
		case !(state{&batch.View, r.txn}).holds():
			r.outcome = refused
		default:
			r.err = w.apply(r.txn)
		}
		if r.err != nil {
			r.outcome = failed
		}
	}
	return w.log.finish(history), nil
}

// apply does the writes of a transaction and logs them. When a document that it replaces is damaged
// it writes nothing and returns that.
func (w *writer) apply(t *transaction) error {
	before := make([]*head, len(t.writes))
	for i, write := range t.writes {
		if value := w.batch.Get(docs, []byte(write.id)); value != nil {
			h, ok := headOf(value)
			if !ok {
				return damagedDocument(write.id)
			}
			before[i] = &h
		}
	}
	done := make([]store.Change, 0, len(t.writes))
	for i := range t.writes {
		write, old := &t.writes[i], before[i]
		switch {
		case write.value != nil:
			done = append(done, w.put(write, old))
		case old != nil:
			done = append(done, w.delete(write.id, old))
		}
	}
	if len(done) > 0 {
		w.log.add(encodeChanges(w.now, done))
	}
	return nil
}

// put stores the document and moves its index entries from what old, nil for a new one, had.
func (w *writer) put(write *write, old *head) store.Change {
	change := store.Change{Op: store.Updated, ID: write.id, Kind: write.kind, UID: write.uid, Revision: write.revision}
	if old == nil {
		change.Op = store.Created
		old = new(head)
	} else if old.kind != write.kind {
		w.batch.Delete(kinds, kindKey(old.kind, write.id))
	}
	w.batch.Put(docs, []byte(write.id), write.value)
	if change.Op == store.Created || old.kind != write.kind {
		w.batch.Put(kinds, kindKey(write.kind, write.id), present)
	}
	w.relink(write.id, linksOf(write.id, old.references), write.links)
	return change
}

func (w *writer) delete(id dovetail.ID, old *head) store.Change {
	w.batch.Delete(docs, []byte(id))
	w.batch.Delete(kinds, kindKey(old.kind, id))
	w.relink(id, linksOf(id, old.references), nil)
	return store.Change{Op: store.Deleted, ID: id, Kind: old.kind, UID: old.uid, Revision: old.revision}
}

// relink changes the referrers index from the old links of a document to the new ones. Both are in
// the order of targets.
func (w *writer) relink(id dovetail.ID, old, links []link) {
	for len(old) > 0 || len(links) > 0 {
		switch {
		case len(links) == 0 || len(old) > 0 && old[0].target < links[0].target:
			w.batch.Delete(referrers, referrerKey(old[0].target, id))
			old = old[1:]
		case len(old) == 0 || links[0].target < old[0].target:
			w.batch.Put(referrers, referrerKey(links[0].target, id), linkValue(links[0]))
			links = links[1:]
		default:
			if old[0].strong != links[0].strong {
				w.batch.Put(referrers, referrerKey(links[0].target, id), linkValue(links[0]))
			}
			old, links = old[1:], links[1:]
		}
	}
}
