package protocol

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Get returns the document, or CodeNotFound.
func (e *Engine) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	views, err := e.findDecided(ctx, []dovetail.ID{id}, true)
	if err != nil {
		return nil, err
	}
	if doc := views[id].document(); doc != nil {
		return doc, store.HoldMemory(ctx, store.SizeOf(doc))
	}
	return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " does not exist"}
}

// GetAll returns the documents in the order of the ids, nil for those that do not exist.
func (e *Engine) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	views, err := e.findDecided(ctx, unique(slices.Clone(ids)), true)
	if err != nil {
		return nil, err
	}
	documents, size := make([]*dovetail.Document, len(ids)), int64(0)
	given := make(map[dovetail.ID]bool, len(ids))
	for i, id := range ids {
		documents[i] = views[id].document()
		if given[id] && documents[i] != nil { // a repeated id: each result belongs to the caller
			documents[i] = documents[i].Clone()
		}
		given[id] = true
		if doc := documents[i]; doc != nil {
			size += store.SizeOf(doc)
		}
	}
	if err := store.HoldMemory(ctx, size); err != nil {
		return nil, err
	}
	return documents, nil
}

// The maximum size of a page of a list in memory.
const (
	pageDocuments = 1024
	pageBytes     = 8 << 20
)

// List yields the documents that the query selects, in the order of ids.
func (e *Engine) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		left := q.Limit
		for {
			page, last, err := e.page(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, doc := range page {
				if !yield(doc, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			if last == "" {
				return
			}
			q.After, q.Limit = last, max(left, 0)
		}
	}
}

// page reads one page of a list. It returns the id after which to continue, or "" at the end.
func (e *Engine) page(ctx context.Context, q store.Query) (documents []*dovetail.Document, last dovetail.ID, err error) {
	views, last, err := e.pageOfRecords(ctx, q)
	for _, v := range views {
		if doc := v.document(); doc != nil && hasTerms(doc, q.Terms) {
			documents = append(documents, doc)
		}
	}
	return documents, last, err
}

// pageOfRecords reads a page of whole records. It returns the id after which to continue, or "" at the end. Every page is a
// separate query, so that a slow reader keeps no cursor open on the server.
func (e *Engine) pageOfRecords(ctx context.Context, q store.Query) (views []view, last dovetail.ID, err error) {
	if q.Limit == 0 || q.Limit > pageDocuments {
		q.Limit = pageDocuments
	}
	read, size := 0, 0
	records := func(yield func(*Record, error) bool) {
		for r, err := range e.server.Scan(ctx, q) {
			if err == nil {
				read, last = read+1, r.ID
				size += sizeOf(r)
			}
			if !yield(r, err) || size > pageBytes {
				return
			}
		}
	}
	for v, err := range e.decided(ctx, e.views(ctx, records, q.Limit, true), true) {
		if err != nil {
			return nil, "", err
		}
		views = append(views, v)
	}
	if read < q.Limit && size <= pageBytes {
		last = ""
	}
	return views, last, nil
}

func sizeOf(r *Record) int {
	if r.Doc == nil {
		return 0
	}
	size := len(r.Doc.Data) + len(r.Doc.Status)
	for _, f := range r.Doc.Content {
		size += len(f.Data)
	}
	return size
}

// manyTargets is the maximum number of documents in one query for referrers.
const manyTargets = 5000

// Referrers returns the ids of documents with a strong or weak reference to any of the ids, in the order of ids.
func (e *Engine) Referrers(ctx context.Context, of []dovetail.ID, after dovetail.ID, limit int) ([]dovetail.ID, error) {
	var all []dovetail.ID
	for part := range slices.Chunk(unique(slices.Clone(of)), manyTargets) {
		for _, weak := range []bool{false, true} {
			found, err := e.referrers(ctx, part, weak, after, limit)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	all = unique(all)
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all, nil
}

// referrers returns those with either strong or weak references to any of the sorted ids.
func (e *Engine) referrers(ctx context.Context, of []dovetail.ID, weak bool, after dovetail.ID, limit int) ([]dovetail.ID, error) {
	var ids []dovetail.ID
	for {
		read := 0
		records := func(yield func(*Record, error) bool) {
			for r, err := range e.server.Linked(ctx, of, weak, after, limit) {
				if err == nil {
					read++
					after = r.ID
				}
				if !yield(r, err) {
					return
				}
			}
		}
		for v, err := range e.decided(ctx, e.views(ctx, records, probeBatch, false), false) {
			if err != nil {
				return nil, err
			}
			doc := v.document()
			if doc != nil && slices.ContainsFunc(doc.References, func(r dovetail.Reference) bool {
				return r.Weak == weak && r.ID != v.ID && contains(of, r.ID)
			}) {
				ids = append(ids, v.ID)
			}
		}
		if limit == 0 || read < limit || len(ids) >= limit {
			slices.SortFunc(ids, cmp.Compare[dovetail.ID])
			return ids, nil
		}
	}
}

// contains reports whether the sorted ids have the id.
func contains(ids []dovetail.ID, id dovetail.ID) bool {
	_, found := slices.BinarySearch(ids, id)
	return found
}
