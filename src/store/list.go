package store

import (
	"context"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/value"
)

// ListQuery selects documents for a page. All conditions must hold.
type ListQuery struct {
	Under  dovetail.ID // only descendants of this id, which need not exist
	Kind   string      // only documents of this kind
	Labels selector.Labels
	Fields selector.Fields
	Text   selector.Text          // only documents whose data contains it, except in sensitive values
	Fits   func(dovetail.ID) bool // only ids for which it returns true; nil for all
	After  dovetail.ID            // only ids that are greater in byte order
	Limit  int                    // maximum number of documents; 0 means no limit
	// Bytes is the maximum memory for the documents of a page, which has at least one document; 0 means no limit. Documents
	// ignores it.
	Bytes int64
	// Complete refuses the list with CodeForbidden unless the principal may read all documents that Under and Kind can
	// select, existing or not, and all documents from which their status was derived. It is for results that would be wrong, or
	// would leak information, if documents were omitted.
	Complete bool
	// Sealed returns documents of sensitive kinds encrypted, as Sealer.ListSealed does. It cannot be combined with selectors.
	Sealed bool
	// Position is the position to read at: Page.Position of the previous page, or "" for the current one. Documents uses it, too.
	Position Cursor
}

// Page is a part of a list, in the byte order of ids.
type Page struct {
	Documents []*dovetail.Document
	// Next is the ListQuery.After of the next page; "" means that this is the last page.
	Next dovetail.ID
	// Position is the ListQuery.Position of the next page, so that all pages are read at the same position; "" if the database does
	// not support that.
	Position Cursor
}

// List returns one page of the documents that the query selects and the principal of the context may read.
func (s *Store) List(ctx context.Context, q ListQuery) (*Page, error) {
	s, err := s.pinned(ctx, q)
	if err != nil {
		return nil, err
	}
	q.Position = ""
	page, err := s.page(ctx, q)
	if err != nil || page.Next == "" || page.Position != "" || q.After != "" || !s.backend.Capabilities().Versions {
		return page, err
	}
	// There will be more pages, and a position to read them at has its price: it is paid now.
	for _, doc := range page.Documents {
		_ = HoldMemory(ctx, -SizeOf(doc)) // never refused
	}
	if s, err = s.At(ctx, ""); err != nil {
		return nil, err
	}
	return s.page(ctx, q)
}

func (s *Store) page(ctx context.Context, q ListQuery) (*Page, error) {
	page := &Page{Position: s.Position()}
	const portion = 64 << 10 // that is counted at once
	var size, due int64
	for doc, err := range s.Documents(ctx, q) {
		if err != nil {
			return nil, err
		}
		n, own := len(page.Documents), SizeOf(doc)
		if n > 0 && (n == q.Limit || q.Bytes > 0 && size+own > q.Bytes) {
			page.Next = page.Documents[n-1].ID
			break
		}
		page.Documents = append(page.Documents, doc)
		size += own
		if due += own; due >= portion {
			if err := HoldMemory(ctx, due); err != nil {
				return nil, err
			}
			due = 0
		}
	}
	return page, HoldMemory(ctx, due)
}

// Documents yields all documents that the query selects, and ignores its Limit. The sequence ends after the first error.
func (s *Store) Documents(ctx context.Context, q ListQuery) iter.Seq2[*dovetail.Document, error] {
	if q.Position != "" {
		then, err := s.At(ctx, q.Position)
		if err != nil {
			return func(yield func(*dovetail.Document, error) bool) { yield(nil, err) }
		}
		q.Position = ""
		return then.Documents(ctx, q)
	}
	v := s.view(ctx)
	terms, err := s.termsFor(ctx, q)
	if err != nil {
		return func(yield func(*dovetail.Document, error) bool) { yield(nil, err) }
	}
	inner := Query{Under: q.Under, Kind: q.Kind, After: q.After, Terms: terms, Keep: v.keeps()}
	all := q.Under == "" && q.Kind == ""
	if q.Limit > 0 && q.Labels.Empty() && q.Fields.Empty() && q.Text.Empty() && q.Fits == nil && !all && v == nil {
		inner.Limit = q.Limit + 1 // of all documents some are internal and do not count
	}
	list := s.backend.List
	if q.Sealed {
		list = func(ctx context.Context, inner Query) iter.Seq2[*dovetail.Document, error] {
			return s.listSealed(ctx, q, inner)
		}
	}
	if all {
		list = pastOwn(list)
	}
	if _, then := s.past(); (then || len(terms) > 0) && q.Limit > 0 && inner.Limit == 0 {
		list = inPortions(list, q.Limit+1)
	}
	return s.recordReads(ctx, func(yield func(*dovetail.Document, error) bool) {
		if q.Complete {
			if err := v.selects(ctx, q.Under, q.Kind); err != nil {
				yield(nil, err)
				return
			}
		}
		for doc, err := range list(ctx, inner) {
			if err != nil && doc != nil && (isInternal(doc.ID) || !v.reads(doc.Kind, doc.ID)) {
				continue // it cannot be opened, and is not shown anyway
			}
			if err == nil {
				if isInternal(doc.ID) || !v.reads(doc.Kind, doc.ID) || q.Fits != nil && !q.Fits(doc.ID) {
					continue
				}
				var fits bool
				if fits, err = s.matches(ctx, doc, q); err == nil && !fits {
					continue
				}
				if err == nil && !v.shows(doc) {
					if doc = v.show(doc); q.Complete || q.Sealed && IsSealed(doc.Data) { // sealed, the status cannot be left out
						doc, err = nil, notComplete(ctx)
					}
				}
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	})
}

// lastInternal comes after the ids of all documents of the store's own, and before those of most others.
const lastInternal dovetail.ID = internalPrefix + "~"

// pastOwn returns a list that reads on after the documents of the store's own once it begins with one: of audit records there may be
// millions, and none is shown.
func pastOwn(list func(context.Context, Query) iter.Seq2[*dovetail.Document, error]) func(context.Context, Query) iter.Seq2[*dovetail.Document, error] {
	return func(ctx context.Context, q Query) iter.Seq2[*dovetail.Document, error] {
		return func(yield func(*dovetail.Document, error) bool) {
			own, first := false, q.After < lastInternal
			for doc, err := range list(ctx, q) {
				if own = first && doc != nil && isInternal(doc.ID); own {
					break
				}
				if first = false; !yield(doc, err) {
					return
				}
			}
			if !own {
				return
			}
			q.After = lastInternal
			list(ctx, q)(yield)
		}
	}
}

// inPortions returns a list that reads so many documents at a time, and no more than are asked for: a backend may read all that a
// query selects before it yields any. All portions must be read at one position.
func inPortions(list func(context.Context, Query) iter.Seq2[*dovetail.Document, error], n int) func(context.Context, Query) iter.Seq2[*dovetail.Document, error] {
	return func(ctx context.Context, q Query) iter.Seq2[*dovetail.Document, error] {
		return func(yield func(*dovetail.Document, error) bool) {
			for q.Limit = n; ; {
				got := 0
				for doc, err := range list(ctx, q) {
					if !yield(doc, err) || doc == nil {
						return
					}
					got, q.After = got+1, doc.ID
				}
				if got < n {
					return
				}
			}
		}
	}
}

func (s *Store) matches(ctx context.Context, doc *dovetail.Document, q ListQuery) (bool, error) {
	if q.Labels.Empty() && q.Fields.Empty() && q.Text.Empty() {
		return true, nil
	}
	var secret schema.Sensitive
	if kind, known := s.Model().Kind(doc.Kind); known {
		secret = kind.Sensitive
	}
	var held int64
	data, err := value.DataOf(doc, func(values int) error {
		bytes := int64(values) * value.Cost
		held += bytes
		return HoldMemory(ctx, bytes)
	})
	defer func() { _ = HoldMemory(ctx, -held) }() // never refused
	if err != nil {
		return false, err
	}
	return q.Labels.Matches(data) && q.Fields.Matches(data) && (q.Text.Empty() || !secret.Whole && q.Text.Matches(data, secret.Places())), nil
}
