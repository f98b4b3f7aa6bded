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
// It reports whether there are new changes in the log.
func applyGroup(batch *kv.Batch, group []*request, now time.Time, history, bytes uint64) (logged bool, err error) {
	w := &writer{batch: batch, now: now}
	if w.log, err = newLogWriter(batch); err != nil {
		return false, err
	}
	for _, r := range group {
		r.outcome, r.err = committed, nil
		switch {
		case r.job != nil:
			r.err = r.job(w.log) // which has written nothing when it returns an error
		case !(state{&batch.View, r.txn}).holds():
			r.outcome = refused
		default:
			r.err = w.apply(r.txn)
		}
		if r.err != nil {
			r.outcome = failed
		}
	}
	return w.log.finish(history, bytes), nil
}

// apply does the writes of a transaction and logs them. When a document that it replaces is damaged
// it writes nothing and returns that.
func (w *writer) apply(t *transaction) error {
	before := make([]*replaced, len(t.writes))
	for i, write := range t.writes {
		if value := w.batch.Get(docs, []byte(write.id)); value != nil {
			h, ok := headOf(value)
			if !ok {
				return damagedDocument(write.id)
			}
			before[i] = &replaced{head: h, links: linksOf(write.id, h.references, h.terms), value: value}
		}
	}
	done := make([]store.Change, 0, len(t.writes))
	for i := range t.writes {
		write, old := &t.writes[i], before[i]
		switch {
		case write.value != nil:
			setSince(write.value, w.log.next())
			done = append(done, w.put(write, w.keep(write, old)))
		case old != nil:
			done = append(done, w.delete(write.id, w.keep(write, old)))
		}
	}
	if len(done) > 0 {
		w.log.add(encodeChanges(w.now, done, t.provenance))
	}
	return nil
}

// replaced is the stored document that a write replaces.
type replaced struct {
	head
	links []link
	value []byte

	// What is kept of it: itself, as the version that ends with the sequence, or, where it is written again under its
	// version, the ones before it.
	end     uint64
	earlier []earlierVersion
}

// put stores the document and moves its index entries from what old, nil for a new one, had.
func (w *writer) put(write *write, old *replaced) store.Change {
	change := store.Change{Op: store.Updated, ID: write.id, Kind: write.kind, UID: write.uid, Revision: write.revision}
	if old == nil {
		change.Op = store.Created
		old = new(replaced)
	} else if old.kind != write.kind {
		w.batch.Delete(kinds, kindKey(old.kind, write.id))
		w.leave(oldKinds, kindKey(old.kind, write.id), old.lastOfKind(old.kind))
	}
	w.batch.Put(docs, []byte(write.id), write.value)
	if change.Op == store.Created || old.kind != write.kind {
		w.batch.Put(kinds, kindKey(write.kind, write.id), present)
	}
	w.relink(write.id, old, write.links)
	return change
}

func (w *writer) delete(id dovetail.ID, old *replaced) store.Change {
	w.batch.Delete(docs, []byte(id))
	w.batch.Delete(kinds, kindKey(old.kind, id))
	w.leave(oldKinds, kindKey(old.kind, id), old.lastOfKind(old.kind))
	w.relink(id, old, nil)
	return store.Change{Op: store.Deleted, ID: id, Kind: old.kind, UID: old.uid, Revision: old.revision}
}

// relink changes the referrers index from the links of what is replaced to the new ones. Both are in
// the order of targets.
func (w *writer) relink(id dovetail.ID, replaced *replaced, links []link) {
	old := replaced.links
	for len(old) > 0 || len(links) > 0 {
		switch {
		case len(links) == 0 || len(old) > 0 && old[0].target < links[0].target:
			w.batch.Delete(referrers, referrerKey(old[0].target, id))
			w.leave(oldReferrers, referrerKey(old[0].target, id), replaced.lastWithLink(id, old[0].target))
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
