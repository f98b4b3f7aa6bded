package protocol

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// snapshotAttempts is how often a consistent read is tried.
const snapshotAttempts = 4

// snapshot reads the documents of a transaction's conditions as they were at one moment. Documents that are unchanged when they are
// read again did not change in between, since versions are never reused. A document that is absent both times may have existed in
// between; then the log has its deletion.
func (e *Engine) snapshot(ctx context.Context, p *plan, views map[dovetail.ID]view) (_ map[dovetail.ID]view, consistent bool, err error) {
	var known []string // deletions from before the views were read
	for range snapshotAttempts {
		again, err := e.readConditions(ctx, p)
		if err != nil {
			return nil, false, err
		}
		same := sameVersions(views, again)
		views = again
		if !same {
			continue
		}
		deleted, err := e.recentDeletions(ctx, absent(views))
		if err != nil {
			return nil, false, err
		}
		if slices.Equal(known, deleted) {
			return views, true, nil
		}
		if views, err = e.readConditions(ctx, p); err != nil {
			return nil, false, err
		}
		known = deleted
	}
	return nil, false, nil
}

// absent returns the ids of the documents that readers do not see.
func absent(views map[dovetail.ID]view) []dovetail.ID {
	var ids []dovetail.ID
	for id, v := range views {
		if v.document() == nil {
			ids = append(ids, id)
		}
	}
	return unique(ids)
}

// sameVersions reports whether readers see the same documents in both.
func sameVersions(a, b map[dovetail.ID]view) bool {
	for id, v := range a {
		before, after := v.document(), b[id].document()
		if (before == nil) != (after == nil) || before != nil && before.ETag() != after.ETag() {
			return false
		}
	}
	return true
}

// recentDeletions returns the transactions that recently deleted any of the documents.
func (e *Engine) recentDeletions(ctx context.Context, ids []dovetail.ID) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	now, err := e.server.Now(ctx)
	if err != nil {
		return nil, err
	}
	var txns []string
	for entry, err := range e.server.Deletions(ctx, ids, now.Back(e.env.VisibilityWindow)) {
		if err != nil {
			return nil, err
		}
		txns = append(txns, entry.Txn)
	}
	slices.Sort(txns)
	return txns, nil
}
