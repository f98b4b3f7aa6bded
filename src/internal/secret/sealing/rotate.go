package sealing

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/store"
)

const (
	page     = 100  // documents that are sealed again in one transaction
	stepSize = 1000 // documents of one step of a rotation
	// maxRounds bounds how often a step finds that another process still sealed with an old key.
	maxRounds = 20
)

// Rotate implements store.Sealer.
func (b *Backend) Rotate(ctx context.Context, key string) (*store.Rotation, error) {
	return b.rotate(ctx, key, nil)
}

func (b *Backend) rotate(ctx context.Context, key string, fence *store.Condition) (*store.Rotation, error) {
	if b.keys.main == nil {
		return nil, noKey()
	}
	records, err := b.keys.records(ctx)
	if err != nil {
		return nil, err
	}
	next := 1
	if len(records) > 0 {
		next = numberOf(records[len(records)-1].Name) + 1
	}
	if key == "" {
		if _, err := b.keys.make(ctx, next, fence); err != nil {
			return nil, err
		}
		if records, err = b.keys.records(ctx); err != nil {
			return nil, err
		}
	}
	if len(records) == 0 {
		return &store.Rotation{Done: true}, nil
	}
	newest, err := b.keys.open(ctx, records[len(records)-1])
	if err != nil {
		return nil, err
	}
	r := &store.Rotation{Key: newest.ID}
	for _, old := range records[:len(records)-1] {
		gone, err := b.retire(ctx, old, newest, fence, r)
		if err != nil || !gone {
			return r, err
		}
	}
	if err := b.sealHistory(ctx, records[len(records)-1], newest, fence, r); err != nil {
		return r, err
	}
	r.Done = true
	return r, nil
}

// retire seals again what references a data key, and retires the key once nothing does. It reports whether the key is
// retired; where it is not, the step was long enough.
func (b *Backend) retire(ctx context.Context, old keyRecord, newest *envelope.Key, fence *store.Condition, r *store.Rotation) (gone bool, err error) {
	var unreadable []*dovetail.Error
	name := old.Name
	id, after := keyID(name), dovetail.ID("")
	for round := 0; r.Sealed < stepSize && round < maxRounds; {
		ids, err := b.Backend.Referrers(ctx, []dovetail.ID{id}, after, page)
		if err != nil {
			return false, err
		}
		if len(ids) > 0 {
			after = ids[len(ids)-1]
			documents, err := b.Backend.GetAll(ctx, ids)
			if err != nil {
				return false, err
			}
			n, failed, err := b.again(ctx, documents, newest, fence)
			if err != nil {
				return false, err
			}
			r.Sealed += n
			unreadable = append(unreadable, failed...)
			continue
		}
		if len(unreadable) > 0 {
			return false, dovetail.Join("some documents cannot be opened, so that the data key "+name+" stays", unreadable)
		}
		txn := store.Txn{Require: []store.Condition{{Test: store.Exists, ID: keyID(newest.ID)}, {Test: store.Unreferenced, ID: id}}}
		if err := b.keys.retire(old, &txn); err != nil {
			return false, err
		}
		if fence != nil {
			txn.Require = append(txn.Require, *fence)
		}
		err = b.Backend.Commit(ctx, txn)
		if dovetail.CodeOf(err) != dovetail.CodeInUse {
			return err == nil, err
		}
		after, round = "", round+1 // another process sealed with it
	}
	return false, nil
}

// again seals documents, as they are stored, with a key. The versions stay: what the documents say does not change. It
// returns how many were sealed, and why others could not be opened; those that were written meanwhile are left out.
func (b *Backend) again(ctx context.Context, documents []*dovetail.Document, key *envelope.Key, fence *store.Condition) (int, []*dovetail.Error, error) {
	var unreadable []*dovetail.Error
	txn := store.Txn{Require: []store.Condition{{Test: store.Exists, ID: keyID(key.ID)}}}
	if fence != nil {
		txn.Require = append(txn.Require, *fence)
	}
	for _, doc := range documents {
		if doc == nil {
			continue
		}
		opened, err := b.open(ctx, doc)
		if err != nil {
			if ctx.Err() != nil {
				return 0, nil, err
			}
			unreadable = append(unreadable, dovetail.AsError(err))
			continue
		}
		p, sensitive := b.policies.Load().of(doc.Kind)
		if !sensitive {
			p = everything // until it is written again
		}
		if opened, err = seal(opened, p, key); err != nil {
			return 0, nil, err
		}
		txn.Puts = append(txn.Puts, opened)
		txn.Require = append(txn.Require, store.Condition{Test: store.AtVersion, ID: doc.ID, Version: doc.ETag()})
	}
	if len(txn.Puts) == 0 {
		return 0, unreadable, nil
	}
	err := b.Backend.Commit(ctx, txn)
	switch dovetail.CodeOf(err) {
	case "":
		return len(txn.Puts), unreadable, nil
	case dovetail.CodeStale, dovetail.CodeNotFound, dovetail.CodeMissing, dovetail.CodeConflict:
	default:
		return 0, nil, err
	}
	if fence != nil && concerns(err, fence.ID) || concerns(err, keyID(key.ID)) {
		return 0, nil, err
	}
	if len(documents) == 1 {
		return 0, unreadable, nil // written by another, with a key that was current
	}
	// One of them was written meanwhile: the others by themselves.
	total := 0
	unreadable = nil // they are found again
	for half := range slices.Chunk(documents, (len(documents)+1)/2) {
		n, failed, err := b.again(ctx, half, key, fence)
		if err != nil {
			return total, nil, err
		}
		total, unreadable = total+n, append(unreadable, failed...)
	}
	return total, unreadable, nil
}

// SealAll seals what is stored in plaintext, and what was sealed by another ref-schema, or with a data key that a
// rotation which was broken off left. It returns how many documents it sealed.
func (b *Backend) SealAll(ctx context.Context, fence *store.Condition) (int, error) {
	if b.keys.main == nil {
		return 0, nil
	}
	key, err := b.keys.current(ctx, true)
	if err != nil {
		return 0, err
	}
	total := 0
	var unreadable []*dovetail.Error
	for kind, p := range b.policies.Load().byKind {
		q := store.Query{Kind: kind, Limit: page}
		for more := true; more; {
			var wanted []*dovetail.Document
			n := 0
			for doc, err := range b.Backend.List(ctx, q) {
				if err != nil {
					return total, err
				}
				n++
				q.After = doc.ID
				if !sealedAs(doc, p) {
					wanted = append(wanted, doc)
				}
			}
			more = n == page
			if len(wanted) == 0 {
				continue
			}
			sealed, failed, err := b.again(ctx, wanted, key, fence)
			if err != nil {
				return total, err
			}
			total, unreadable = total+sealed, append(unreadable, failed...)
		}
	}
	for done := false; !done; {
		r, err := b.rotate(ctx, key.ID, fence)
		if r != nil {
			total += r.Sealed
		}
		if err != nil {
			return total, err
		}
		done = r.Done
	}
	return total, dovetail.Join("some documents cannot be opened", unreadable)
}

// sealedAs reports whether a document is sealed by a policy.
func sealedAs(doc *dovetail.Document, p policy) bool {
	if !isSealed(doc) {
		return false
	}
	s, err := parse(doc)
	return err == nil && s.Header.Key != "" && s.Header.Policy == p.name
}

// Run seals what is not, as SealAll does, now, after each change of the ref-schema, and now and then, until the context
// ends.
func (b *Backend) Run(ctx context.Context, every time.Duration, fence *store.Condition, log *slog.Logger) {
	if b.keys.main == nil {
		return
	}
	for {
		n, err := b.SealAll(ctx, fence)
		if n > 0 {
			log.Info("documents of sensitive kinds were encrypted", "documents", n)
		}
		if err != nil && ctx.Err() == nil {
			log.Warn("documents of sensitive kinds are not encrypted", "error", err)
		}
		due, stop := b.clock.After(every)
		select {
		case <-ctx.Done():
			stop()
			return
		case <-due:
		case <-b.changed:
		}
		stop()
	}
}
