package sealing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/store"
)

// sealHistory seals earlier versions with the newest data key, as the ref-schema says now, and then deletes the keys that only they
// needed. What is current is sealed so already. The record of the key says once that is done: until then it is repeated, so that it
// may be broken off anywhere.
func (b *Backend) sealHistory(ctx context.Context, newest keyRecord, key *envelope.Key, fence *store.Condition, r *store.Rotation) error {
	policies := b.policies.Load()
	retired, err := b.keys.recordsOf(ctx, true)
	if err != nil || len(retired) == 0 && newest.History == policies.name() {
		return err
	}
	var unreadable []*dovetail.Error
	err = b.Backend.Rewrite(ctx, func(doc *dovetail.Document) (*dovetail.Document, error) {
		next, err := b.resealed(ctx, policies, doc, key)
		if err != nil && ctx.Err() == nil && dovetail.CodeOf(err) != dovetail.CodeExpired {
			unreadable = append(unreadable, dovetail.AsError(err))
		}
		if err != nil {
			return nil, ctx.Err()
		}
		if next != nil {
			r.Sealed++
		}
		return next, nil
	})
	if err != nil {
		return err
	}
	if len(unreadable) > 0 {
		return dovetail.Join("some earlier versions cannot be opened, so that their data keys stay", unreadable)
	}
	for _, old := range retired {
		if err := b.commitKeys(ctx, key, fence, store.Txn{Deletes: []dovetail.ID{retiredID(old.Name)}}); err != nil {
			return err
		}
		r.Retired = append(r.Retired, old.Name)
	}
	if err := b.Backend.Wipe(ctx); err != nil {
		return err
	}
	newest.History = policies.name()
	doc, err := b.keys.document(keyID(newest.Name), newest)
	if err != nil {
		return err
	}
	return b.commitKeys(ctx, key, fence, store.Txn{Puts: []*dovetail.Document{doc}})
}

// commitKeys changes records of data keys while the newest one stays.
func (b *Backend) commitKeys(ctx context.Context, newest *envelope.Key, fence *store.Condition, txn store.Txn) error {
	txn.Require = []store.Condition{{Test: store.Exists, ID: keyID(newest.ID)}}
	if fence != nil {
		txn.Require = append(txn.Require, *fence)
	}
	return b.Backend.Commit(ctx, txn)
}

// resealed returns an earlier version as it is to be stored, nil if it is. The history holds no data key: an earlier version has no
// reference to one. CodeExpired for a version whose key is gone.
func (b *Backend) resealed(ctx context.Context, policies *policies, doc *dovetail.Document, key *envelope.Key) (*dovetail.Document, error) {
	p, sensitive := policies.of(doc.Kind)
	if isSealed(doc) {
		s, err := parse(doc)
		if err != nil || s.Header.Key == "" && !sensitive || s.Header.Key == key.ID && (!sensitive || s.Header.Policy == p.name) {
			return nil, err
		}
	} else if !sensitive {
		return nil, nil
	}
	opened, err := b.openEarlier(ctx, doc)
	if err != nil {
		return nil, err
	}
	if !sensitive {
		p = everything
	}
	next, err := seal(opened, p, key)
	if err != nil {
		return nil, err
	}
	next.References = withoutKey(next.References)
	return next, nil
}

// name says the same as the policies, in one word.
func (p *policies) name() string {
	sum := sha256.New()
	for _, kind := range slices.Sorted(maps.Keys(p.byKind)) {
		sum.Write([]byte(kind + "\x00" + p.byKind[kind].name + "\x00")) // never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}
