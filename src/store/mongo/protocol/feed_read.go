package protocol

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// commit is one transaction as the feed finds it.
type commit struct {
	key     uint64 // names it in cursors
	origin  uint64 // of a document: names the commit that created it
	created Stamp
	stamp   Stamp
	changes []store.Change
	by      store.Provenance
}

// maxCommits is how many commits one poll takes while the feed catches up.
const maxCommits = 5000

// readNew finds what is new since a stamp and moves the feed over it. A read up to a fence takes a
// part of what lies before it, where nothing new appears, and moves next over that.
//
// Documents are read before the log: a document that was deleted and created again then never hides
// that its earlier self has gone, for the deletion was in the log before.
func (f *feed) readNew(ctx context.Context, since, fence Stamp) ([]store.Transaction, error) {
	behind := !fence.IsZero()
	commits, fence, err := f.documents(ctx, since, fence)
	if err != nil {
		return nil, err
	}
	commits, fence, err = f.log(ctx, since, fence, commits)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(commits, func(a, b commit) int { return a.stamp.Compare(b.stamp) })
	var sets []store.Transaction
	for _, c := range commits {
		if set := f.emit(c); len(set.Changes) > 0 {
			sets = append(sets, set)
		}
	}
	switch {
	case behind:
		f.next = fence
		f.advance(fence)
	case since == f.low:
		f.advance(f.high.Back(f.engine.env.VisibilityWindow))
	}
	return sets, nil
}

// documents finds documents by their stamps. With a fence it takes a part and returns where that
// ends.
func (f *feed) documents(ctx context.Context, since, fence Stamp) ([]commit, Stamp, error) {
	var commits []commit
	for r, err := range f.engine.server.Changed(ctx, since) {
		if err != nil {
			return nil, fence, err
		}
		if !fence.IsZero() && (!r.Stamp.Before(fence) || len(commits) >= maxCommits) {
			return commits, earlier(fence, r.Stamp), nil
		}
		if r.Doc != nil {
			commits = append(commits, commit{
				key: hash(r.Txn, r.ID), origin: hash(r.Origin, r.ID), created: r.Created, stamp: r.Stamp,
				changes: []store.Change{changeOf(store.Updated, r.Doc)}, by: r.By})
		}
	}
	return commits, fence, nil
}

// log adds what the log says, up to the fence, and leaves out what was found after where it ends.
func (f *feed) log(ctx context.Context, since, fence Stamp, commits []commit) ([]commit, Stamp, error) {
	taken := 0
	for entry, err := range f.engine.server.Log(ctx, since) {
		if err != nil {
			return nil, fence, err
		}
		if entry.State == Purged {
			if f.low.Before(entry.Stamp) {
				return nil, fence, expired()
			}
			continue
		}
		if !fence.IsZero() && (!entry.Stamp.Before(fence) || taken >= maxCommits) {
			fence = earlier(fence, entry.Stamp)
			break
		}
		commits = append(commits, commit{key: hash(entry.Txn, ""), stamp: entry.Stamp, changes: entry.Changes, by: entry.By})
		taken++
	}
	if !fence.IsZero() {
		commits = slices.DeleteFunc(commits, func(c commit) bool { return !c.stamp.Before(fence) })
	}
	return commits, fence, nil
}

func (f *feed) delivered(c commit) bool {
	_, seen := f.seen[c.key]
	return seen
}

// emit returns the set of a commit, without changes if the reader has it already or has got later
// ones of all its documents.
func (f *feed) emit(c commit) store.Transaction {
	f.high = later(f.high, c.stamp)
	if f.delivered(c) {
		f.seen[c.key] = c.stamp
		return store.Transaction{}
	}
	var changes []store.Change
	for _, change := range c.changes {
		if f.superseded(change, c.stamp) {
			continue
		}
		if c.origin != 0 && !c.created.IsZero() && !c.created.Before(f.low) {
			if _, seen := f.seen[c.origin]; !seen {
				change.Op = store.Created
				f.seen[c.origin] = c.created
			}
		}
		f.last[change.ID] = yielded{change, c.stamp}
		changes = append(changes, change)
	}
	f.seen[c.key] = c.stamp
	return store.Transaction{Cursor: f.cursor(), Time: c.stamp.Time(), Changes: changes, Provenance: c.by}
}

// superseded says whether the reader has got this change of a document, or a later one.
func (f *feed) superseded(change store.Change, stamp Stamp) bool {
	last, met := f.last[change.ID]
	switch {
	case !met:
		return false
	case last.UID != change.UID:
		return stamp.Before(last.stamp)
	case last.Revision != change.Revision:
		return change.Revision < last.Revision
	}
	return change.Op != store.Deleted || last.Op == store.Deleted
}

// advance moves low, and forgets what was stamped before.
// Documents may be created a moment after they are stamped, so that a little more is kept.
func (f *feed) advance(low Stamp) {
	if !f.low.Before(low) {
		return
	}
	f.low = low
	keep := low.Back(time.Second)
	for h, stamp := range f.seen {
		if stamp.Before(keep) {
			delete(f.seen, h)
		}
	}
	for id, y := range f.last {
		if y.stamp.Before(keep) {
			delete(f.last, id)
		}
	}
}

func earlier(a, b Stamp) Stamp {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b Stamp) Stamp {
	if a.Before(b) {
		return b
	}
	return a
}

func expired() error {
	return &dovetail.Error{Code: dovetail.CodeExpired, Message: "the cursor is older than the history of changes that is kept",
		Remedy: "read the documents again and go on from now"}
}

func invalidCursor() error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "this is not a cursor of this store",
		Remedy: "give one that was answered, or none to begin now"}
}
