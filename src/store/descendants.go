package store

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// How many documents a list is asked for at a time that looks below several ids.
const (
	minDescendants = 10
	maxDescendants = 1000
)

// eachDescendant reads what lies below any of the ids, each document once, in the order of ids. From what lies below one id it reads on
// to what lies below the next, so that documents that are neighbors take few reads. Where others lie in between, which a backend may leave out,
// it reads little at a time.
func eachDescendant(ctx context.Context, from Reader, of []dovetail.ID, do func(*dovetail.Document) error) error {
	left := topmost(of)
	switch len(left) {
	case 0:
		return nil
	case 1:
		for doc, err := range from.List(ctx, Query{Under: left[0]}) {
			if err != nil {
				return err
			}
			if err := do(doc); err != nil {
				return err
			}
		}
		return nil
	}
	q := Query{Under: commonAncestor(left), Limit: minDescendants}
	for len(left) > 0 {
		q.After, q.Below = max(q.After, dovetail.ID(left[0].Prefix())), left // the prefix is the id of no document
		read, useful := 0, 0
		for doc, err := range from.List(ctx, q) {
			if doc == nil {
				return err
			}
			read, q.After = read+1, doc.ID
			for len(left) > 0 && left[0]+"0" <= doc.ID { // '0' follows '/': it comes after all that lies below
				left = left[1:]
			}
			if len(left) == 0 {
				return nil
			}
			if !doc.ID.IsDescendantOf(left[0]) {
				continue // also one that cannot be read: it was not asked for
			}
			if err != nil {
				return err
			}
			useful++
			if err := do(doc); err != nil {
				return err
			}
		}
		switch {
		case read < q.Limit:
			return nil
		case useful >= q.Limit/2:
			q.Limit = min(4*q.Limit, maxDescendants)
		default:
			q.Limit = max(q.Limit/4, minDescendants)
		}
	}
	return nil
}

// topmost returns those of the ids that lie below no other one, in the order of what lies below them.
func topmost(ids []dovetail.ID) []dovetail.ID {
	sorted := slices.SortedFunc(slices.Values(ids), func(a, b dovetail.ID) int { return strings.Compare(a.Prefix(), b.Prefix()) })
	var top []dovetail.ID
	for _, id := range sorted {
		if last := len(top) - 1; last < 0 || id != top[last] && !id.IsDescendantOf(top[last]) {
			top = append(top, id)
		}
	}
	return top
}

// commonAncestor returns the longest prefix that all of the sorted ids lie below, "" if there is none.
func commonAncestor(sorted []dovetail.ID) (common dovetail.ID) {
	for above := range prefixes(sorted[0]) {
		if sorted[len(sorted)-1].IsDescendantOf(above) {
			common = above
		}
	}
	return common
}

// prefixes yields what an id lies below, the shortest first. Not all of it are ids of documents.
func prefixes(id dovetail.ID) iter.Seq[dovetail.ID] {
	return func(yield func(dovetail.ID) bool) {
		for at, c := range id {
			if c == '/' && !yield(id[:at]) {
				return
			}
		}
	}
}
