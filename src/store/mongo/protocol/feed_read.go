package protocol

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/store"
)

// commit is one transaction as it is found by its stamp.
type commit struct {
	key     uint64 // names it in cursors
	origin  uint64 // of a document: names the commit that created it
	created Stamp
	stamp   Stamp
	changes []store.Change
	by      store.Provenance
}

// found is what one read of documents and of the log finds: the commits from a stamp on, in the order of stamps.
type found struct {
	commits []commit
	until   Stamp // with a fence, where the read ends: everything stamped before was read
	purged  Stamp // the stamp of the latest purge, if it is not earlier

	implicit []*Record // creations with a stamp since then that are not known to be committed
}

// maxCommits is how many commits a read up to a fence takes.
const maxCommits = 5000

// stampSlack is how much later than its stamp a document may have been created.
const stampSlack = time.Second

// read finds what was committed since a stamp. With a fence, before which nothing new appears, it takes a part of what lies
// before it.
//
// Documents are read before the log: a document that was deleted and created again then never hides
// that its earlier self has gone, for the deletion was in the log before.
func (e *Engine) read(ctx context.Context, since, fence Stamp) (found, error) {
	all := found{until: fence}
	if err := e.readDocuments(ctx, since, &all); err != nil {
		return all, err
	}
	if err := e.readLog(ctx, since, &all); err != nil {
		return all, err
	}
	slices.SortStableFunc(all.commits, func(a, b commit) int { return a.stamp.Compare(b.stamp) })
	return all, nil
}

// readDocuments finds documents by their stamps.
func (e *Engine) readDocuments(ctx context.Context, since Stamp, all *found) error {
	for r, err := range e.server.Changed(ctx, since) {
		if err != nil {
			return err
		}
		if r.implicit() {
			all.implicit = append(all.implicit, r)
			continue
		}
		if !all.until.IsZero() && (!r.Stamp.Before(all.until) || len(all.commits) >= maxCommits) {
			all.until = earlier(all.until, r.Stamp)
			return nil
		}
		if r.Doc != nil {
			all.commits = append(all.commits, commit{
				key: hash(r.Txn, r.ID), origin: hash(r.Origin, r.ID), created: r.Created, stamp: r.Stamp,
				changes: []store.Change{changeOf(store.Updated, r.Doc)}, by: r.By})
		}
	}
	return nil
}

// readLog adds what the log says, up to where the read ends, and leaves out what was found after that.
func (e *Engine) readLog(ctx context.Context, since Stamp, all *found) error {
	taken := 0
	for entry, err := range e.server.Log(ctx, since) {
		if err != nil {
			return err
		}
		if entry.State == Purged {
			all.purged = entry.Stamp
			continue
		}
		if !all.until.IsZero() && (!entry.Stamp.Before(all.until) || taken >= maxCommits) {
			all.until = earlier(all.until, entry.Stamp)
			break
		}
		all.commits = append(all.commits, commit{key: hash(entry.Txn, ""), stamp: entry.Stamp, changes: entry.Changes, by: entry.By})
		taken++
	}
	if !all.until.IsZero() {
		all.commits = slices.DeleteFunc(all.commits, func(c commit) bool { return !c.stamp.Before(all.until) })
	}
	return nil
}
