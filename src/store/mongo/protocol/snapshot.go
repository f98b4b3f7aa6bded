package protocol

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// snapshotAttempts is how often a snapshot is tried.
const snapshotAttempts = 4

// snapshot reads the documents that the conditions of a transaction are about, as they were at one moment. Documents
// that are the same when they are read again were so in between, since versions do not come back. Absence
// can: for that the log must say that nothing was deleted in between.
//
// For a transaction of one document each condition is answered for a moment of its own, which is one
// round trip and all that its refusal is about.
func (e *Engine) snapshot(ctx context.Context, p *plan) (views map[dovetail.ID]view, consistent bool, err error) {
	views, err = e.readConditions(ctx, p)
	if err != nil || p.single || len(views) < 2 {
		return views, err == nil, err
	}
	for range snapshotAttempts {
		var before, after []string
		anyAbsent := slices.ContainsFunc(values(views), func(v view) bool { return v.document() == nil })
		if anyAbsent {
			if before, err = e.recentDeletions(ctx, views); err != nil {
				return nil, false, err
			}
			if views, err = e.readConditions(ctx, p); err != nil {
				return nil, false, err
			}
		}
		again, err := e.readConditions(ctx, p)
		if err != nil {
			return nil, false, err
		}
		if anyAbsent {
			if after, err = e.recentDeletions(ctx, views); err != nil {
				return nil, false, err
			}
		}
		if sameVersions(views, again) && slices.Equal(before, after) {
			return again, true, nil
		}
		views = again
	}
	return nil, false, nil
}

func values(views map[dovetail.ID]view) []view {
	all := make([]view, 0, len(views))
	for _, v := range views {
		all = append(all, v)
	}
	return all
}

// sameVersions says whether readers see the same documents in both.
func sameVersions(a, b map[dovetail.ID]view) bool {
	for id, v := range a {
		before, after := v.document(), b[id].document()
		if (before == nil) != (after == nil) || before != nil && before.ETag() != after.ETag() {
			return false
		}
	}
	return true
}

// recentDeletions returns the transactions that deleted some of the documents lately, or announced it.
func (e *Engine) recentDeletions(ctx context.Context, views map[dovetail.ID]view) ([]string, error) {
	now, err := e.server.Now(ctx)
	if err != nil {
		return nil, err
	}
	var txns []string
	for entry, err := range e.server.Log(ctx, now.Back(e.env.VisibilityWindow)) {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(entry.Changes, func(c store.Change) bool {
			_, concerned := views[c.ID]
			return concerned && c.Op == store.Deleted
		}) {
			txns = append(txns, entry.Txn)
		}
	}
	slices.Sort(txns)
	return txns, nil
}
