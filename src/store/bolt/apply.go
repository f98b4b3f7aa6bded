package bolt

import (
	"time"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// writer carries requests out in one bbolt transaction.
type writer struct {
	tx                          *bbolt.Tx
	docs, kinds, referrers, log *bbolt.Bucket

	now     time.Time
	changed bool // something is to be committed
}

func newWriter(tx *bbolt.Tx, now time.Time) *writer {
	w := &writer{tx: tx, now: now, docs: tx.Bucket(docsBucket), kinds: tx.Bucket(kindsBucket),
		referrers: tx.Bucket(referrersBucket), log: tx.Bucket(logBucket)}
	w.log.FillPercent = 1 // it only grows at its end
	return w
}

// do carries out the requests whose conditions hold, in their order. The error says that bbolt
// failed, and all must be rolled back; what is wrong with single requests is their err.
func (w *writer) do(group []*request, history uint64) (err error) {
	defer guard(&err)
	for _, r := range group {
		switch {
		case r.job != nil:
			// Jobs check before they write: one that returns an error has written nothing.
			if r.err = r.job(w.tx); r.err == nil {
				w.changed = true
			}
		case !(state{w.docs, w.referrers, r.txn}).holds():
			r.outcome = refused
		default:
			if r.err, err = w.apply(r.txn); err != nil {
				return err
			}
		}
	}
	return w.trim(history)
}

// apply does the writes of a transaction and logs them. When a document that it replaces is damaged
// it writes nothing and returns that as problem.
func (w *writer) apply(t *transaction) (problem, err error) {
	before := make([]*head, len(t.writes))
	for i, write := range t.writes {
		if value := w.docs.Get([]byte(write.id)); value != nil {
			h, ok := headOf(value)
			if !ok {
				return damagedDocument(write.id), nil
			}
			before[i] = &h
		}
	}
	changes := make([]store.Change, 0, len(t.writes))
	for i := range t.writes {
		write, old := &t.writes[i], before[i]
		change := store.Change{ID: write.id, Kind: write.kind, UID: write.uid, Revision: write.revision}
		switch {
		case write.value != nil && old == nil:
			change.Op = store.Created
			err = w.put(write, head{})
		case write.value != nil:
			change.Op = store.Updated
			err = w.put(write, *old)
		case old != nil:
			change = store.Change{Op: store.Deleted, ID: write.id, Kind: old.kind, UID: old.uid, Revision: old.revision}
			err = w.delete(write.id, *old)
		default:
			continue // nothing there to delete
		}
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	if len(changes) == 0 {
		return nil, nil
	}
	w.changed = true
	return nil, w.record(changes)
}

// put stores the document and moves its index entries from what old, zero for a new one, had.
func (w *writer) put(write *write, old head) error {
	if err := w.docs.Put([]byte(write.id), write.value); err != nil {
		return err
	}
	if old.kind != write.kind {
		if err := w.removeKind(old.kind, write.id); err != nil {
			return err
		}
		if err := w.kinds.Put(kindKey(write.kind, write.id), present); err != nil {
			return err
		}
	}
	return w.relink(write.id, linksOf(write.id, old.references), write.links)
}

func (w *writer) delete(id dovetail.ID, old head) error {
	if err := w.docs.Delete([]byte(id)); err != nil {
		return err
	}
	if err := w.removeKind(old.kind, id); err != nil {
		return err
	}
	return w.relink(id, linksOf(id, old.references), nil)
}

func (w *writer) removeKind(kind string, id dovetail.ID) error {
	return w.kinds.Delete(kindKey(kind, id))
}

// relink changes the referrers index from the old links of a document to the new ones. Both are in
// the order of targets.
func (w *writer) relink(id dovetail.ID, old, links []link) error {
	for len(old) > 0 || len(links) > 0 {
		switch {
		case len(links) == 0 || len(old) > 0 && old[0].target < links[0].target:
			if err := w.referrers.Delete(referrerKey(old[0].target, id)); err != nil {
				return err
			}
			old = old[1:]
		case len(old) == 0 || links[0].target < old[0].target:
			if err := w.referrers.Put(referrerKey(links[0].target, id), linkValue(links[0])); err != nil {
				return err
			}
			links = links[1:]
		default:
			if old[0].strong != links[0].strong {
				if err := w.referrers.Put(referrerKey(links[0].target, id), linkValue(links[0])); err != nil {
					return err
				}
			}
			old, links = old[1:], links[1:]
		}
	}
	return nil
}
