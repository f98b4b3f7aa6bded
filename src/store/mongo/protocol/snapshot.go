package protocol

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// glances is how often a snapshot is tried.
const glances = 4

// snapshot reads the documents that the conditions of a transaction are about, as they were at one moment. Documents
// that are the same when they are read again were so in between, since versions do not come back. Absence
// can: for that the log must say that nothing was deleted in between.
//
// For a transaction of one document each condition is answered for a moment of its own, which is one
// round trip and all that its refusal is about.
func (e *Engine) snapshot(ctx context.Context, p *plan) (views map[dovetail.ID]view, still bool, err error) {
	views, err = e.conditioned(ctx, p)
	if err != nil || p.single || len(views) < 2 {
		return views, err == nil, err
	}
	for range glances {
		var before, after []string
		lacking := slices.ContainsFunc(values(views), func(v view) bool { return v.document() == nil })
		if lacking {
			if before, err = e.removals(ctx, views); err != nil {
				return nil, false, err
			}
			if views, err = e.conditioned(ctx, p); err != nil {
				return nil, false, err
			}
		}
		again, err := e.conditioned(ctx, p)
		if err != nil {
			return nil, false, err
		}
		if lacking {
			if after, err = e.removals(ctx, views); err != nil {
				return nil, false, err
			}
		}
		if same(views, again) && slices.Equal(before, after) {
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

// same says whether readers see the same documents in both.
func same(a, b map[dovetail.ID]view) bool {
	for id, v := range a {
		before, after := v.document(), b[id].document()
		if (before == nil) != (after == nil) || before != nil && before.ETag() != after.ETag() {
			return false
		}
	}
	return true
}

// removals returns the transactions that deleted some of the documents lately, or announced it.
func (e *Engine) removals(ctx context.Context, views map[dovetail.ID]view) ([]string, error) {
	now, err := e.server.Now(ctx)
	if err != nil {
		return nil, err
	}
	var txns []string
	for entry, err := range e.server.Log(ctx, now.Back(e.env.Overlap)) {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(entry.Changes, func(c store.Change) bool {
			_, asked := views[c.ID]
			return asked && c.Op == store.Deleted
		}) {
			txns = append(txns, entry.Txn)
		}
	}
	slices.Sort(txns)
	return txns, nil
}
