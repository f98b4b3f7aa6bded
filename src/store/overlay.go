package store

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Staged is the state that a change set gives a document.
type Staged struct {
	ID dovetail.ID
	// Base is what the document was when it was staged first, at the base of the change set; nil where it did not exist.
	Base *dovetail.Document
	// Document is what it shall be, whole: data, references, status, inputs and files; nil for a deletion. With Base nil too
	// nothing is left to be staged.
	Document *dovetail.Document
}

// Overlay returns the store as of a position, "" for now, with staged documents in place of those that there are: a view,
// from which everything reads as from At, under the rights of now. The documents must not be changed afterwards.
//
// What Apply is asked to do there is checked against the view in full, except that protections do not count, and handed to
// stage in place of the database: each document that would be written, whole, in one call a transaction. Once stage
// returned nil the view has it, too; its error is that of Apply. Where stage is nil nothing can be written. Documents of
// the store's own, such as the record under an idempotency key, go to the database, once stage returned nil.
//
// A document that is staged gets a uid that no other has, so its versions are never those of a stored one: a condition on a
// version of the view does not hold in the store, nor the other way round.
func (s *Store) Overlay(ctx context.Context, position Cursor, documents []Staged, stage func(ctx context.Context, changes []Staged) error) (*Store, error) {
	if stage == nil {
		return s.OverlayTogether(ctx, position, documents, nil)
	}
	return s.OverlayTogether(ctx, position, documents, func(ctx context.Context, changes []Staged, own *Txn) error {
		if err := stage(ctx, changes); err != nil || own == nil {
			return err
		}
		return s.backend.Commit(ctx, *own)
	})
}

// OverlayTogether is Overlay for a stage that writes to the database: own has the documents of the store's own, nil if there are none, for
// Options.Together, so that both are one commit. If nothing is staged, the view writes them itself.
func (s *Store) OverlayTogether(ctx context.Context, position Cursor, documents []Staged, stage func(ctx context.Context, changes []Staged, own *Txn) error) (*Store, error) {
	if _, ok := s.past(); ok {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "an earlier position or a view has no views of its own", Remedy: "leave out the position"}
	}
	snapshot, err := s.backend.At(ctx, position)
	if err != nil {
		return nil, err
	}
	o := &overlay{past: past{snapshot, s.backend}, stored: s, stage: stage}
	entries := make(map[dovetail.ID]Staged, len(documents))
	for _, one := range documents {
		entries[one.ID] = one
	}
	o.staged.Store(newStagedSet(entries))
	view := &Store{backend: o, config: s.config, indexes: s.indexes}
	view.model.Store(s.Model())
	o.claims = overlayClaims{view: view, overlay: o}
	return view, nil
}

// overlay returns the backend of a view, nil where the store is none.
func (s *Store) overlay() *overlay {
	view, _ := s.backend.(*overlay)
	return view
}

// Stored returns the store that a view with staged documents is one of, and any other store itself.
func (s *Store) Stored() *Store {
	if o := s.overlay(); o != nil {
		return o.stored
	}
	return s
}

// overlay is a backend that reads a snapshot with staged documents in place, and stages what is committed.
type overlay struct {
	past
	stored     *Store // that it is a view of
	stage      func(context.Context, []Staged, *Txn) error
	claims     overlayClaims
	committing sync.Mutex
	staged     atomic.Pointer[stagedSet]
}

// stagedSet is what is staged. It is never changed.
type stagedSet struct {
	entries   map[dovetail.ID]Staged
	ids       []dovetail.ID                 // of entries, sorted
	referrers map[dovetail.ID][]dovetail.ID // of their documents, sorted
}

func newStagedSet(entries map[dovetail.ID]Staged) *stagedSet {
	set := &stagedSet{entries: entries, ids: slices.Sorted(maps.Keys(entries)), referrers: make(map[dovetail.ID][]dovetail.ID)}
	for _, id := range set.ids {
		if doc := entries[id].Document; doc != nil {
			for _, ref := range doc.References {
				if ref.ID != id {
					set.referrers[ref.ID] = append(set.referrers[ref.ID], id)
				}
			}
		}
	}
	for target, ids := range set.referrers {
		set.referrers[target] = slices.Compact(ids)
	}
	return set
}

// stages reports whether a document is one that was staged.
func (o *overlay) stages(id dovetail.ID) bool {
	return o.staged.Load().entries[id].Document != nil
}

// Get implements Reader.
func (o *overlay) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	one, staged := o.staged.Load().entries[id]
	switch {
	case isClaim(id):
		doc, err := o.claims.get(ctx, id)
		if doc == nil && err == nil {
			err = notFound(id)
		}
		return doc, err
	case !staged:
		return o.Snapshot.Get(ctx, id)
	case ctx.Err() != nil:
		return nil, dovetail.AsError(ctx.Err())
	case one.Document == nil:
		return nil, notFound(id)
	}
	return one.Document.Clone(), HoldMemory(ctx, SizeOf(one.Document))
}

// GetAll implements Reader.
func (o *overlay) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	set := o.staged.Load()
	var others []dovetail.ID
	var which []int
	documents := make([]*dovetail.Document, len(ids))
	for i, id := range ids {
		one, staged := set.entries[id]
		if isClaim(id) {
			var err error
			if documents[i], err = o.claims.get(ctx, id); err != nil {
				return nil, err
			}
		} else if !staged {
			others, which = append(others, id), append(which, i)
		} else if documents[i] = one.Document.Clone(); one.Document != nil {
			if err := HoldMemory(ctx, SizeOf(one.Document)); err != nil {
				return nil, err
			}
		}
	}
	below, err := o.Snapshot.GetAll(ctx, others)
	if err != nil {
		return nil, err
	}
	for n, doc := range below {
		documents[which[n]] = doc
	}
	return documents, nil
}

// List implements Reader.
func (o *overlay) List(ctx context.Context, q Query) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		set := o.staged.Load()
		shadowed, found := set.selected(q)
		inner := q
		if q.Limit > 0 {
			inner.Limit += shadowed
		}
		n := 0
		emit := func(doc *dovetail.Document, err error) bool {
			n++
			return yield(doc, err) && n != q.Limit
		}
		emitStaged := func(before func(dovetail.ID) bool) bool {
			for len(found) > 0 && before(found[0].ID) {
				doc := found[0].Clone()
				if found = found[1:]; ctx.Err() != nil {
					return yield(nil, dovetail.AsError(ctx.Err())) && false
				}
				if !emit(doc, nil) {
					return false
				}
			}
			return true
		}
		for doc, err := range o.Snapshot.List(ctx, inner) {
			switch {
			case doc == nil:
				yield(nil, err)
				return
			case !emitStaged(func(id dovetail.ID) bool { return id < doc.ID }):
				return
			}
			if _, staged := set.entries[doc.ID]; !staged && !emit(doc, err) {
				return
			}
		}
		emitStaged(func(dovetail.ID) bool { return true })
	}
}

// selected returns the staged documents that a query selects, in the order of ids, except its limit, and how many of the stored
// ones that it selects may be replaced or deleted.
func (s *stagedSet) selected(q Query) (shadowed int, found []*dovetail.Document) {
	for _, id := range s.ids {
		if id <= q.After || q.Under != "" && !id.IsDescendantOf(q.Under) {
			continue
		}
		shadowed++
		doc := s.entries[id].Document
		if doc != nil && (q.Kind == "" || doc.Kind == q.Kind) && (q.Keep == nil || q.Keep(id)) {
			found = append(found, doc)
		}
	}
	return shadowed, found
}

// Referrers implements Reader.
func (o *overlay) Referrers(ctx context.Context, of []dovetail.ID, after dovetail.ID, limit int) ([]dovetail.ID, error) {
	set, most := o.staged.Load(), limit
	if limit > 0 {
		most += len(set.ids)
	}
	ids, err := o.Snapshot.Referrers(ctx, of, after, most)
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(referrer dovetail.ID) bool { _, staged := set.entries[referrer]; return staged })
	for _, id := range of {
		for _, referrer := range set.referrers[id] {
			if referrer > after {
				ids = append(ids, referrer)
			}
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if limit > 0 && len(ids) > limit {
		ids = ids[:limit]
	}
	return ids, nil
}

// Commit implements Backend: it stages what is no document of the store's own.
func (o *overlay) Commit(ctx context.Context, txn Txn) error {
	o.committing.Lock()
	defer o.committing.Unlock()
	if ctx.Err() != nil {
		return dovetail.AsError(ctx.Err())
	}
	failed, err := o.unmet(ctx, txn)
	if err == nil {
		err = Unmet(failed)
	}
	if err != nil {
		return err
	}
	set, own := o.staged.Load(), ownPart(txn)
	changes, err := o.changes(ctx, set, txn)
	switch {
	case err != nil:
		return err
	case len(changes) == 0 && own == nil:
		return nil
	case len(changes) == 0:
		return o.now.Commit(ctx, *own)
	case o.stage == nil:
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "this view cannot be written", Remedy: "write to an open change set"}
	}
	if err := o.stage(ctx, changes, own); err != nil {
		if failed, unread := o.unmet(ctx, txn); unread == nil && len(failed) > 0 {
			return Unmet(failed) // the same request was executed meanwhile
		}
		return &stagingError{err}
	}
	o.staged.Store(set.with(changes))
	return nil
}

// stagingError is an error of stage, whatever its code: not that of a condition of the transaction.
type stagingError struct{ error }

// unmet returns the conditions that do not hold in the view.
func (o *overlay) unmet(ctx context.Context, txn Txn) ([]*dovetail.Error, error) {
	after := afterwards{before: o, putting: make(map[dovetail.ID]*dovetail.Document, len(txn.Puts)), deleting: make(map[dovetail.ID]bool, len(txn.Deletes))}
	for _, doc := range txn.Puts {
		after.putting[doc.ID] = doc
	}
	for _, id := range txn.Deletes {
		after.deleting[id] = true
	}
	return after.unmet(ctx, txn.Require, after.remains)
}

// changes returns what a transaction stages, beside what is staged.
func (o *overlay) changes(ctx context.Context, set *stagedSet, txn Txn) ([]Staged, error) {
	var changes []Staged
	var ids []dovetail.ID
	var which []int
	add := func(id dovetail.ID, doc *dovetail.Document) {
		if isInternal(id) {
			return
		}
		was, staged := set.entries[id]
		if !staged {
			ids, which = append(ids, id), append(which, len(changes))
		}
		changes = append(changes, Staged{ID: id, Base: was.Base, Document: doc})
	}
	limit := o.Capabilities().MaxDocument
	for _, doc := range txn.Puts {
		if limit > 0 && sizeOfData(doc)+len(doc.Status) > limit {
			return nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Key: doc.ID, Message: string(doc.ID) + " is larger than a document of the database may be"}
		}
		add(doc.ID, doc.Clone())
	}
	for _, id := range txn.Deletes {
		add(id, nil)
	}
	base, err := fetch(ctx, o.Snapshot, ids)
	if err != nil {
		return nil, err
	}
	for n, doc := range base {
		changes[which[n]].Base = doc
	}
	return slices.DeleteFunc(changes, func(c Staged) bool { // deletions of nothing
		_, staged := set.entries[c.ID]
		return !staged && c.Base == nil && c.Document == nil
	}), nil
}

// with returns the set with changes.
func (s *stagedSet) with(changes []Staged) *stagedSet {
	entries := maps.Clone(s.entries)
	for _, c := range changes {
		if entries[c.ID] = c; c.Base == nil && c.Document == nil {
			delete(entries, c.ID)
		}
	}
	return newStagedSet(entries)
}

// ownPart is the part of a transaction that concerns documents of the store's own. Claims follow from what is staged, and
// count in the store once that is merged.
func ownPart(txn Txn) *Txn {
	own := &Txn{Provenance: txn.Provenance}
	for _, c := range txn.Require {
		if isOwn(c.ID) {
			own.Require = append(own.Require, c)
		}
	}
	for _, doc := range txn.Puts {
		if isOwn(doc.ID) {
			own.Puts = append(own.Puts, doc)
		}
	}
	for _, id := range txn.Deletes {
		if isOwn(id) {
			own.Deletes = append(own.Deletes, id)
		}
	}
	if len(own.Puts)+len(own.Deletes) == 0 {
		return nil
	}
	return own
}

func isOwn(id dovetail.ID) bool { return isInternal(id) && !isClaim(id) }
