package bolt

import (
	"cmp"
	"context"
	"iter"
	"sort"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// Transactions implements store.Backend.
func (b *Backend) Transactions(ctx context.Context, before store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		var next uint64 // the sequence to read next
		err := b.view(ctx, func(v *kv.View) error {
			bounds, err := readBounds(v)
			if err != nil {
				return err
			}
			if next = bounds.last; before == "" {
				return nil
			}
			at, err := b.parseCursor(before)
			switch {
			case err != nil:
				return err
			case at > bounds.last:
				return invalidCursor()
			case at < bounds.first && at+1 < bounds.first:
				return bounds.reach(0)
			}
			next = max(at, 1) - 1
			return nil
		})
		for ; err == nil && next > 0; next-- {
			var set store.Transaction
			var kept bool
			err = b.view(ctx, func(v *kv.View) (err error) {
				set, kept, err = b.transaction(v, next)
				return err
			})
			if err == nil && (!kept || !yield(set, nil)) {
				return
			}
		}
		if err != nil {
			yield(store.Transaction{}, err)
		}
	}
}

// TransactionsAfter implements store.Historian: the log has every commit.
func (b *Backend) TransactionsAfter(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		now := store.Transaction{Cursor: after}
		for set, err := range b.changes(ctx, after, false) {
			if !yield(set, err) || err != nil {
				return
			}
			now.Cursor, now.Time = set.Cursor, set.Time
		}
		if ctx.Err() != nil {
			yield(store.Transaction{}, dovetail.AsError(ctx.Err()))
			return
		}
		yield(now, nil)
	}
}

// Transaction implements store.Backend.
func (b *Backend) Transaction(ctx context.Context, position store.Cursor) (set store.Transaction, err error) {
	sequence, err := b.parseCursor(position)
	if err != nil {
		return set, err
	}
	err = b.view(ctx, func(v *kv.View) error {
		bounds, err := readBounds(v)
		if err != nil {
			return err
		}
		if sequence > bounds.last {
			return invalidCursor()
		}
		var kept bool
		if set, kept, err = b.transaction(v, sequence); err == nil && !kept {
			err = bounds.reach(0)
			if err == nil {
				err = invalidCursor() // nothing was committed yet
			}
		}
		return err
	})
	return set, err
}

// transaction reads an entry of the log. kept is false where the log does not reach back to it.
func (b *Backend) transaction(v *kv.View, sequence uint64) (set store.Transaction, kept bool, err error) {
	bounds, err := readBounds(v)
	if err != nil || sequence < bounds.first || sequence > bounds.last {
		return store.Transaction{}, false, err
	}
	set, ok := decodeChanges(v.Get(changes, sequenceKey(sequence)))
	if !ok {
		return store.Transaction{}, false, damagedChanges(sequence)
	}
	set.Cursor = b.cursor(sequence)
	return set, true, nil
}

// Compare implements store.Historian.
func (b *Backend) Compare(one, other store.Cursor) (int, error) {
	of, err := b.parseCursor(one)
	if err != nil {
		return 0, err
	}
	with, err := b.parseCursor(other)
	return cmp.Compare(of, with), err
}

// PositionAt implements store.Backend.
func (b *Backend) PositionAt(ctx context.Context, at time.Time) (position store.Cursor, err error) {
	err = b.view(ctx, func(v *kv.View) error {
		bounds, err := readBounds(v)
		if err != nil {
			return err
		}
		sequence, err := b.sequenceAt(v, at)
		if err != nil {
			return err
		}
		position = b.cursor(sequence)
		return bounds.reach(sequence)
	})
	return position, err
}

// sequenceAt returns the sequence of the last commit that was not later than a time; 0 for one before the log.
func (b *Backend) sequenceAt(v *kv.View, at time.Time) (uint64, error) {
	bounds, err := readBounds(v)
	if err != nil {
		return 0, err
	}
	// The first entry that is later, of those whose times are kept.
	n := sort.Search(int(bounds.last-bounds.first+1), func(i int) bool {
		set, kept, failed := b.transaction(v, bounds.first+uint64(i))
		if failed != nil {
			err = failed
		}
		return !kept || set.Time.After(at)
	})
	if n == 0 {
		return 0, err
	}
	return bounds.first + uint64(n) - 1, err
}

// Versions implements store.Backend.
func (b *Backend) Versions(ctx context.Context, id dovetail.ID) iter.Seq2[store.Version, error] {
	return func(yield func(store.Version, error) bool) {
		before, found := ^uint64(0), false
		for {
			var events []store.Version
			err := b.view(ctx, func(v *kv.View) (err error) {
				events, before, err = b.versionBefore(ctx, v, id, before)
				return err
			})
			if err == nil && len(events) == 0 {
				if found {
					return
				}
				err = &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " does not exist, and did not as far as the history reaches"}
			}
			if err != nil {
				yield(store.Version{}, err)
				return
			}
			found = true
			for _, event := range events {
				if !yield(event, nil) {
					return
				}
			}
		}
	}
}

// versionBefore returns the version of a document that began last before a sequence, with the deletion that ended it where
// that came before the sequence too, the newer first, and the sequence at which it began. It returns none when there is none.
func (b *Backend) versionBefore(ctx context.Context, v *kv.View, id dovetail.ID, before uint64) (events []store.Version, since uint64, err error) {
	var value []byte
	end := before
	switch before {
	case 0:
		return nil, 0, nil // what is from before versions were kept has none before it
	case ^uint64(0):
		value = v.Get(docs, []byte(id))
	default:
		if value, err = valueEnded(v, id, before); err != nil {
			return nil, 0, err
		}
	}
	if value == nil { // no version that the next one replaced: the last one that was deleted earlier
		for key, stored := range v.Scan(versions, indexKey(string(id), ""), nil) {
			_, ended, _ := splitVersionKey(key)
			if ended > before {
				break
			}
			end, value = ended, stored
		}
		if value == nil {
			return nil, 0, nil
		}
	}
	version, since, err := b.begun(v, id, value)
	if err != nil {
		return nil, 0, err
	}
	if end < before {
		deletion := version
		deletion.Op = store.Deleted
		if deletion.Transaction, err = b.provenance(v, end); err != nil {
			return nil, 0, err
		}
		events = append(events, deletion)
	}
	if !isErased(value) {
		version.Document, err = decode(ctx, id, value)
	}
	return append(events, version), since, err
}

// begun returns the version that a stored value is, without its document, and the sequence at which it began.
func (b *Backend) begun(v *kv.View, id dovetail.ID, value []byte) (version store.Version, since uint64, err error) {
	h, readable := headOf(value)
	since, sound := sinceOf(value)
	if !readable || !sound {
		return version, 0, damagedDocument(id)
	}
	bounds, err := readBounds(v)
	if err != nil {
		return version, 0, err
	}
	op := store.Created
	if since < bounds.versions && h.revision > 1 || storedVersion(v, id, since) != nil {
		op = store.Updated
	}
	version.Change = store.Change{Op: op, ID: id, Kind: h.kind, UID: h.uid, Revision: h.revision}
	version.Transaction, err = b.provenance(v, since)
	return version, since, err
}

// provenance returns a transaction without its changes.
func (b *Backend) provenance(v *kv.View, sequence uint64) (store.Transaction, error) {
	set, _, err := b.transaction(v, sequence)
	set.Changes = nil
	return set, err
}

// CurrentVersions implements store.Historian.
func (b *Backend) CurrentVersions(ctx context.Context, ids []dovetail.ID) ([]*store.Version, error) {
	found := make([]*store.Version, len(ids))
	err := b.view(ctx, func(v *kv.View) error {
		for i, id := range ids {
			value := v.Get(docs, []byte(id))
			if value == nil {
				continue
			}
			version, _, err := b.begun(v, id, value)
			if err != nil {
				return err
			}
			found[i] = &version
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
