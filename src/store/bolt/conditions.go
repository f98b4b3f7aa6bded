package bolt

import (
	"context"
	"fmt"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// state answers conditions of a transaction from one view: that of the writer, where only yes or no
// matters, or that of a reader, which names the blocking documents.
type state struct {
	view *kv.View
	txn  *transaction
}

// document returns the stored form of a document, nil when there is none.
func (s state) document(id dovetail.ID) []byte { return s.view.Get(docs, []byte(id)) }

// holds reports whether all conditions hold. It looks no further than the first that does not.
func (s state) holds() bool {
	for _, c := range s.txn.require {
		if !s.conditionHolds(c) {
			return false
		}
	}
	return true
}

func (s state) conditionHolds(c store.Condition) bool {
	switch c.Test {
	case store.Absent:
		return s.document(c.ID) == nil
	case store.AtVersion:
		h, ok := headOf(s.document(c.ID))
		return ok && h.uid == c.Version.UID && h.revision == c.Version.Revision
	case store.Exists:
		return s.existsAfter(c.ID)
	case store.Childless:
		return isEmpty(s.childrenAfter(c.ID))
	default: // store.Unreferenced; prepare lets no other through
		return isEmpty(s.referrersAfter(c.ID))
	}
}

func isEmpty(ids iter.Seq[dovetail.ID]) bool {
	for range ids {
		return false
	}
	return true
}

// existsAfter reports whether the document will exist after the transaction's writes.
func (s state) existsAfter(id dovetail.ID) bool {
	if w := s.txn.find(id); w != nil {
		return w.value != nil
	}
	return s.document(id) != nil
}

// childrenAfter yields the descendants that the document will have after the transaction's writes:
// those that are stored and stay, merged by id with those that are put.
func (s state) childrenAfter(id dovetail.ID) iter.Seq[dovetail.ID] {
	return func(yield func(dovetail.ID) bool) {
		writes := s.txn.below(id)
		for key := range s.view.Scan(docs, []byte(id.Prefix()), nil) {
			child := dovetail.ID(key)
			for len(writes) > 0 && writes[0].id < child {
				if writes[0].value != nil && !yield(writes[0].id) {
					return
				}
				writes = writes[1:]
			}
			if len(writes) > 0 && writes[0].id == child {
				continue // decided by the write
			}
			if !yield(child) {
				return
			}
		}
		for _, w := range writes {
			if w.value != nil && !yield(w.id) {
				return
			}
		}
	}
}

// referrersAfter yields the documents other than itself that will hold a strong reference to the
// document after the transaction's writes, by id: those that are stored and not written, merged
// with those that are put.
func (s state) referrersAfter(id dovetail.ID) iter.Seq[dovetail.ID] {
	return func(yield func(dovetail.ID) bool) {
		puts := s.txn.referrers[id]
		for key, value := range s.view.Scan(referrers, referrerKey(id, ""), nil) {
			_, text, _ := splitKey(key)
			referrer := dovetail.ID(text)
			if value[0] != strongLink[0] || s.txn.find(referrer) != nil {
				continue
			}
			for len(puts) > 0 && puts[0] < referrer {
				if !yield(puts[0]) {
					return
				}
				puts = puts[1:]
			}
			if !yield(referrer) {
				return
			}
		}
		for _, referrer := range puts {
			if !yield(referrer) {
				return
			}
		}
	}
}

// explain returns what the contract says of each condition that does not hold, nil when all hold.
func (s state) explain(ctx context.Context) error {
	var failed []*dovetail.Error
	for _, c := range s.txn.require {
		if s.conditionHolds(c) {
			continue
		}
		failure, err := s.failure(ctx, c)
		if err != nil {
			return err
		}
		failure.Key = c.For
		if failure.Key == "" {
			failure.Key = c.ID
		}
		failed = append(failed, failure)
	}
	return store.Unmet(failed)
}

// failure describes a condition that does not hold. The error is one of finding out.
func (s state) failure(ctx context.Context, c store.Condition) (*dovetail.Error, error) {
	switch c.Test {
	case store.Absent:
		current, err := get(ctx, s.view, c.ID)
		return &dovetail.Error{Code: dovetail.CodeExists, Current: current,
			Message: fmt.Sprintf("%s exists already", c.ID), Remedy: "choose another name, or replace what is there"}, err

	case store.AtVersion:
		if s.document(c.ID) == nil {
			return &dovetail.Error{Code: dovetail.CodeNotFound, Message: fmt.Sprintf("%s does not exist", c.ID)}, nil
		}
		current, err := get(ctx, s.view, c.ID)
		return &dovetail.Error{Code: dovetail.CodeStale, Current: current,
			Message: fmt.Sprintf("%s has changed since version %s", c.ID, c.Version.Version()),
			Remedy:  "read it again and repeat the change on the current version"}, err

	case store.Exists:
		return &dovetail.Error{Code: dovetail.CodeMissing, Missing: []dovetail.ID{c.ID},
			Message: fmt.Sprintf("%s does not exist", c.ID), Remedy: "create it first, or in the same batch"}, nil

	case store.Childless:
		blockers, err := collect(ctx, s.childrenAfter(c.ID))
		return &dovetail.Error{Code: dovetail.CodeInUse, BlockedBy: blockers,
			Message: fmt.Sprintf("%s has descendants", c.ID), Remedy: "delete them first, or in the same batch"}, err

	default:
		blockers, err := collect(ctx, s.referrersAfter(c.ID))
		return &dovetail.Error{Code: dovetail.CodeInUse, BlockedBy: blockers,
			Message: fmt.Sprintf("%s is referred to", c.ID), Remedy: "delete the referrers, or their references, first or in the same batch"}, err
	}
}

// collect counts all blockers and names the first. There may be millions.
func collect(ctx context.Context, ids iter.Seq[dovetail.ID]) (*dovetail.Blockers, error) {
	blockers := new(dovetail.Blockers)
	for id := range ids {
		if blockers.Total < dovetail.MaxBlockers {
			blockers.IDs = append(blockers.IDs, id)
		}
		blockers.Total++
		if blockers.Total%1024 == 0 && ctx.Err() != nil {
			return nil, dovetail.AsError(ctx.Err())
		}
	}
	return blockers, nil
}
