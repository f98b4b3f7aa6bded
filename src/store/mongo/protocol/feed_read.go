package protocol

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/store"
)

// commit is one transaction, found by its commit timestamp.
type commit struct {
	key     uint64 // identifies it in cursors
	origin  uint64 // identifies the commit that created the document
	created Stamp
	stamp   Stamp
	changes []store.Change
	by      store.Provenance
}

// found is the result of one read of documents and log: the commits from a timestamp on, in the order of timestamps.
type found struct {
	commits []commit
	until   Stamp // with a fence, where the read ended: everything with an earlier timestamp was read
	purged  Stamp // the timestamp of the latest purge, if it is not earlier than that of the read

	implicit []*Record // creations that are not known to be committed, with timestamps from that of the read on
}

// maxCommits is the maximum number of commits of a read with a fence.
const maxCommits = 5000

// stampSlack is how much later than Stamp the Created of the same creation may be: a server may take the two one after the other.
const stampSlack = time.Second

// read finds what was committed from a timestamp on. With a fence, before which nothing new can appear, it reads one page of what
// is before the fence.
//
// Documents are read before the log. If a document is found that was deleted and created again, its deletion is then found, too,
// since that was in the log before the second creation.
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

// readDocuments finds documents by their timestamps.
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

// readLog adds the log, up to the end of the read, and drops what was found after that.
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
