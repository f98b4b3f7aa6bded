package bolt

import (
	"context"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// snapshot is the store as of a sequence: each document in the version that began no later, and ended later.
type snapshot struct {
	backend *Backend
	at      uint64
}

// At implements store.Backend.
func (b *Backend) At(ctx context.Context, position store.Cursor) (store.Snapshot, error) {
	s := &snapshot{backend: b}
	err := b.view(ctx, func(v *kv.View) error {
		bounds, err := readBounds(v)
		if err != nil {
			return err
		}
		if s.at = bounds.last; position == "" {
			return nil
		}
		if s.at, err = b.parseCursor(position); err != nil {
			return err
		}
		return bounds.reach(s.at)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// reach returns an error unless a position can be read.
func (b bounds) reach(at uint64) error {
	switch {
	case at > b.last:
		return invalidCursor()
	case at < b.oldest():
		return &dovetail.Error{Code: dovetail.CodeExpired, Message: "the position is older than the history that is kept",
			Remedy: "read a later one; the server's settings say how much history is kept"}
	}
	return nil
}

// Position implements store.Snapshot.
func (s *snapshot) Position() store.Cursor { return s.backend.cursor(s.at) }

// view is Backend.view as long as the history reaches back to the snapshot.
func (s *snapshot) view(ctx context.Context, read func(*kv.View) error) error {
	return s.backend.view(ctx, func(v *kv.View) error {
		bounds, err := readBounds(v)
		if err == nil {
			err = bounds.reach(s.at)
		}
		if err != nil {
			return err
		}
		return read(v)
	})
}

// Get implements store.Reader.
func (s *snapshot) Get(ctx context.Context, id dovetail.ID) (d *dovetail.Document, err error) {
	err = s.view(ctx, func(v *kv.View) (err error) {
		d, err = s.get(ctx, v, id)
		return err
	})
	if err == nil && d == nil {
		err = &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " did not exist then"}
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// GetAll implements store.Reader.
func (s *snapshot) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	all := make([]*dovetail.Document, len(ids))
	err := s.view(ctx, func(v *kv.View) (err error) {
		for i, id := range ids {
			if all[i], err = s.get(ctx, v, id); err != nil {
				return err
			}
			if i%1024 == 1023 && ctx.Err() != nil {
				return dovetail.AsError(ctx.Err())
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// listPart is how many bytes of documents a part of a list has, beside one document: so many are kept in memory.
const listPart = spillThreshold / 2

// List implements store.Reader. A snapshot is the same in every view. So a list with a limit, of which a page may take
// less since its documents are large, is read in parts: what no one takes is not copied, and no view stays open for long.
// One without a limit may be read for longer than the history lasts.
func (s *snapshot) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	if q.Limit == 0 {
		return s.backend.list(ctx, q, s.view, s.selected)
	}
	return func(yield func(*dovetail.Document, error) bool) {
		for more := true; more; {
			more = false
			part := func(v *kv.View, q store.Query) iter.Seq2[[]byte, []byte] {
				return func(yield func(id, value []byte) bool) {
					size := 0
					for id, value := range s.selected(v, q) {
						if more = size >= listPart; more || !yield(id, value) {
							return
						}
						size += len(value)
					}
				}
			}
			for doc, err := range s.backend.list(ctx, q, s.view, part) {
				if !yield(doc, err) || doc == nil {
					return
				}
				q.After = doc.ID
				q.Limit--
			}
		}
	}
}

// get returns nil when there was no such document.
func (s *snapshot) get(ctx context.Context, v *kv.View, id dovetail.ID) (*dovetail.Document, error) {
	value, err := valueAt(v, id, v.Get(docs, []byte(id)), s.at)
	if value == nil || err != nil {
		return nil, err
	}
	return decode(ctx, id, value)
}

// selected is what the function selected yields, as of the snapshot.
func (s *snapshot) selected(v *kv.View, q store.Query) iter.Seq2[[]byte, []byte] {
	return func(yield func(id, value []byte) bool) {
		for id, current := range s.candidates(v, q) {
			if q.Keep != nil && !q.Keep(id) {
				if !yield([]byte(id), nil) {
					return
				}
				continue
			}
			if current == nil || q.Kind != "" {
				current = v.Get(docs, []byte(id))
			}
			value, _ := valueAt(v, id, current, s.at) // whose reader finds the damage
			if value != nil && (q.Kind != "" || len(q.Terms) > 0) {
				if h, ok := headOf(value); ok && (q.Kind != "" && h.kind != q.Kind || !hasTerms(h.terms, q.Terms)) {
					continue
				}
			}
			if value != nil && !yield([]byte(id), value) {
				return
			}
		}
	}
}

// candidates yields, in their order, the ids that the query may select, each once: those of now, and those of
// earlier versions. Where all documents are examined it yields their values too.
func (s *snapshot) candidates(v *kv.View, q store.Query) iter.Seq2[dovetail.ID, []byte] {
	if len(q.Terms) > 0 {
		return func(yield func(dovetail.ID, []byte) bool) {
			for id := range termIDs(v, q, true) {
				if !yield(id, nil) {
					return
				}
			}
		}
	}
	if q.Kind == "" {
		return merged(v.Scan(docs, []byte(q.Under.Prefix()), []byte(q.After)), idOfDocument,
			v.Scan(versions, []byte(q.Under.Prefix()), versionKey(q.After, ^uint64(0))), idOfVersion)
	}
	prefix, after := indexKey(q.Kind, q.Under.Prefix()), kindKey(q.Kind, q.After)
	return merged(v.Scan(kinds, prefix, after), secondOf, v.Scan(oldKinds, prefix, after), secondOf)
}

func idOfDocument(key []byte) dovetail.ID { return dovetail.ID(key) }

func idOfVersion(key []byte) dovetail.ID {
	id, _, _ := splitVersionKey(key)
	return id
}

func secondOf(key []byte) dovetail.ID {
	_, id, _ := splitKey(key)
	return dovetail.ID(id)
}

// merged yields the ids of both sequences, which are in their order, each once, with the values of the first one.
func merged(a iter.Seq2[[]byte, []byte], idOfA func([]byte) dovetail.ID, b iter.Seq2[[]byte, []byte], idOfB func([]byte) dovetail.ID) iter.Seq2[dovetail.ID, []byte] {
	return func(yield func(dovetail.ID, []byte) bool) {
		next, stop := iter.Pull2(b)
		defer stop()
		pull := func(past dovetail.ID) (dovetail.ID, bool) {
			for {
				key, _, more := next()
				if !more {
					return "", false
				}
				if id := idOfB(key); id != past {
					return id, true
				}
			}
		}
		old, more := pull("")
		for key, value := range a {
			id := idOfA(key)
			for more && old < id {
				if !yield(old, nil) {
					return
				}
				old, more = pull(old)
			}
			if more && old == id {
				old, more = pull(old)
			}
			if !yield(id, value) {
				return
			}
		}
		for more {
			if !yield(old, nil) {
				return
			}
			old, more = pull(old)
		}
	}
}

// Referrers implements store.Reader.
func (s *snapshot) Referrers(ctx context.Context, of []dovetail.ID, after dovetail.ID, limit int) ([]dovetail.ID, error) {
	var found []dovetail.ID
	err := s.view(ctx, func(v *kv.View) error {
		for _, id := range of {
			if ctx.Err() != nil {
				return dovetail.AsError(ctx.Err())
			}
			own, err := s.referrersOf(ctx, v, id, after, limit)
			if err != nil {
				return err
			}
			found = append(found, own...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return firstReferrers(found, len(of), limit), nil
}

func (s *snapshot) referrersOf(ctx context.Context, v *kv.View, id, after dovetail.ID, limit int) (found []dovetail.ID, err error) {
	prefix, from := referrerKey(id, ""), referrerKey(id, after)
	looked := 0
	for referrer := range merged(v.Scan(referrers, prefix, from), secondOf, v.Scan(oldReferrers, prefix, from), secondOf) {
		if looked++; looked%1024 == 0 && ctx.Err() != nil {
			return nil, dovetail.AsError(ctx.Err())
		}
		value, err := valueAt(v, referrer, v.Get(docs, []byte(referrer)), s.at)
		if err != nil {
			return nil, err
		}
		h, readable := headOf(value)
		if value != nil && !readable {
			return nil, damagedDocument(referrer)
		}
		if !slices.ContainsFunc(linksOf(referrer, h.references, h.terms), func(l link) bool { return l.target == id }) {
			continue
		}
		if found = append(found, referrer); len(found) == limit {
			break
		}
	}
	return found, nil
}
