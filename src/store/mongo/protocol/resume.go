package protocol

import (
	"context"
	"maps"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// join brings a reader from its cursor to the shared tail, and returns the number of the last transaction in the tail that it has
// received. A cursor that the tail has returned is found there. For another one the tail is polled first, so that it has everything
// that the reader may have received elsewhere; what is older than the tail is read from the database.
func (e *Engine) join(ctx context.Context, after store.Cursor, yield func(store.Transaction) bool) (at uint64, more bool, err error) {
	p, err := e.parseCursor(after)
	if err != nil || ctx.Err() != nil {
		return 0, false, err
	}
	if at, known := e.tail.find(after, p); known {
		return at, true, nil
	}
	if err := e.tail.refresh(ctx); err != nil {
		return 0, false, err
	}
	if err := e.tail.covers(p); err != nil {
		return 0, false, err
	}
	f := e.resume(p)
	for {
		recent := e.tail.since(f.low, f.resumed)
		if recent.whole {
			for _, n := range recent.entries {
				set := f.emit(n.commit, func(change store.Change) bool { return recent.last[change.ID] > n.number })
				if len(set.Changes) > 0 && !yield(set) {
					return 0, false, nil
				}
			}
			if len(f.leftOut) == 0 {
				return recent.end, true, nil
			}
			if err := e.tail.refresh(ctx); err != nil { // what follows was committed since
				return 0, false, err
			}
			continue
		}
		if more, err := f.catchUp(ctx, recent.start, yield); err != nil || !more {
			return 0, false, err
		}
	}
}

// catchUp yields the commits before a fence, where nothing new can appear: one page at a time, in the order of timestamps.
func (f *feed) catchUp(ctx context.Context, fence Stamp, yield func(store.Transaction) bool) (more bool, err error) {
	for f.low.Before(fence) {
		part, err := f.engine.read(ctx, f.low, fence)
		switch {
		case err != nil:
			return false, err
		case f.low.Before(part.purged):
			return false, expired()
		}
		if err := f.engine.decideBefore(ctx, part.implicit, fence); err != nil { // with current timestamps, so that the tail finds them
			return false, err
		}
		overtaken, err := f.overtaken(ctx, part.commits)
		if err != nil {
			return false, err
		}
		for _, c := range part.commits {
			if set := f.emit(c, func(change store.Change) bool { return overtaken(c, change) }); len(set.Changes) > 0 && !yield(set) {
				return false, nil
			}
		}
		f.advance(part.until)
	}
	return true, nil
}

// overtaken returns a function that reports whether a change that the reader may have received is skipped, since the document has
// changed again. The current state is at least as recent as anything that any reader has received.
func (f *feed) overtaken(ctx context.Context, commits []commit) (func(commit, store.Change) bool, error) {
	var ids []dovetail.ID
	last := make(map[dovetail.ID]Stamp)
	deleted := make(map[dovetail.ID]bool) // documents with an uncertain deletion
	first := Stamp{}                      // the earliest timestamp of such a deletion
	for _, c := range commits {
		uncertain := !f.resumed.Before(c.stamp) && !f.delivered(c)
		for _, change := range c.changes {
			if last[change.ID] = c.stamp; !uncertain {
				continue
			}
			ids = append(ids, change.ID)
			if change.Op == store.Deleted {
				if len(deleted) == 0 {
					first = c.stamp
				}
				deleted[change.ID] = true
			}
		}
	}
	views, err := f.engine.findDecided(ctx, unique(ids), false)
	if err != nil {
		return nil, err
	}
	if err := f.engine.lastDeletions(ctx, views, deleted, first, last); err != nil {
		return nil, err
	}
	return func(c commit, change store.Change) bool {
		doc := views[change.ID].document()
		if change.Op == store.Deleted {
			return doc != nil || c.stamp.Before(last[change.ID])
		}
		return doc == nil || doc.UID != change.UID || doc.Revision > change.Revision
	}, nil
}

// lastDeletions sets the timestamps of the last deletions of documents that do not exist: they may have been created again in
// between, and the reader may have received that creation.
func (e *Engine) lastDeletions(ctx context.Context, views map[dovetail.ID]view, deleted map[dovetail.ID]bool, since Stamp, last map[dovetail.ID]Stamp) error {
	maps.DeleteFunc(deleted, func(id dovetail.ID, _ bool) bool { return views[id].document() != nil })
	if len(deleted) == 0 {
		return nil
	}
	for entry, err := range e.server.Log(ctx, since) {
		if err != nil {
			return err
		}
		for _, change := range entry.Changes {
			if change.Op == store.Deleted && deleted[change.ID] {
				last[change.ID] = later(last[change.ID], entry.Stamp)
			}
		}
	}
	return nil
}
