package store

import (
	"context"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// What is kept for the watches that are still to show it: about so many bytes, of which each document or read takes some.
const (
	maxWatchedBytes = 16 << 20
	bytesPerWatched = 512
)

// watchReads reads the documents of changes for all watches of a process, so that a change that many of them show takes one read.
// What a watch may show is not its concern.
//
// A document serves for all changes up to its revision, and only a later one replaces it, so that no watch shows a document go
// back. Documents are shared and must not be changed.
type watchReads struct {
	mutex  sync.Mutex
	latest map[dovetail.ID]*dovetail.Document // both nil at first
	reads  map[watched]*watchRead             // under way, and those that found that the document had gone
	bytes  int
}

// watched is what a change leaves behind: a revision of a document.
type watched struct {
	id  dovetail.ID
	tag dovetail.ETag
}

// watchRead is one read of the document of a change.
type watchRead struct {
	of   watched
	done chan struct{} // closed when what follows is set
	doc  *dovetail.Document
	err  error
	left bool // by its watch, which has ended
}

// documents returns the documents of changes as they were some time after the changes, nil for those that had gone.
func (r *watchReads) documents(ctx context.Context, from Reader, changes []EventChange) ([]*dovetail.Document, error) {
	documents := make([]*dovetail.Document, len(changes))
	for waiting := make([]*watchRead, len(changes)); ; {
		r.read(ctx, from, r.find(changes, documents, waiting))
		again := false
		for i, read := range waiting {
			if read == nil {
				continue
			}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-read.done:
			}
			switch {
			case read.left:
				waiting[i], again = nil, true
			case read.err != nil:
				return nil, read.err
			case changes[i].isIn(read.doc):
				documents[i] = read.doc
			}
		}
		if !again {
			return documents, nil
		}
	}
}

// isIn reports whether a document is what the change made of it, or what later changes made of that.
func (c Change) isIn(doc *dovetail.Document) bool {
	return doc != nil && doc.UID == c.UID && doc.Revision >= c.Revision
}

// find fills in the documents of changes that are at hand, and the reads to wait for of the others. It returns those that are not being read yet.
func (r *watchReads) find(changes []EventChange, documents []*dovetail.Document, waiting []*watchRead) (missing []*watchRead) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.latest == nil {
		r.latest, r.reads = make(map[dovetail.ID]*dovetail.Document), make(map[watched]*watchRead)
	}
	for i, c := range changes {
		if c.Op == Deleted || documents[i] != nil || waiting[i] != nil {
			continue
		}
		if doc := r.latest[c.ID]; c.isIn(doc) {
			documents[i] = doc
			continue
		}
		of := watched{c.ID, dovetail.ETag{UID: c.UID, Revision: c.Revision}}
		if waiting[i] = r.reads[of]; waiting[i] == nil {
			waiting[i] = &watchRead{of: of, done: make(chan struct{})}
			r.reads[of] = waiting[i]
			missing = append(missing, waiting[i])
		}
	}
	return missing
}

// read does reads that others may be waiting for.
func (r *watchReads) read(ctx context.Context, from Reader, reads []*watchRead) {
	if len(reads) == 0 {
		return
	}
	ids := make([]dovetail.ID, len(reads))
	for i, read := range reads {
		ids[i] = read.of.id
	}
	documents, err := fetch(ctx, from, ids)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for i, read := range reads {
		switch {
		case err != nil:
			read.err, read.left = err, ctx.Err() != nil
			delete(r.reads, read.of)
		case documents[i] != nil && documents[i].UID == read.of.tag.UID:
			read.doc = documents[i]
			delete(r.reads, read.of)
			r.keep(read.doc)
		default:
			r.weigh(bytesPerWatched)
		}
		close(read.done)
	}
}

// keep keeps a document, unless there is a later one. The mutex is held.
func (r *watchReads) keep(doc *dovetail.Document) {
	before := r.latest[doc.ID]
	if before != nil && before.UID == doc.UID && before.Revision >= doc.Revision {
		return
	}
	r.latest[doc.ID] = doc
	if before != nil {
		r.bytes -= weight(before)
	}
	r.weigh(weight(doc))
}

// weigh counts what was added, and forgets all where that is too much. The mutex is held.
func (r *watchReads) weigh(bytes int) {
	if r.bytes += bytes; r.bytes > maxWatchedBytes {
		clear(r.latest)
		clear(r.reads)
		r.bytes = 0
	}
}

func weight(doc *dovetail.Document) int {
	return bytesPerWatched + len(doc.Data) + sizeOfStatus(doc)
}
