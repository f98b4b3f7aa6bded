package layering

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// seenBuckets follows an index from revision to revision, and counts in each bucket the documents that a principal may read.
type seenBuckets struct {
	scope scope
	index index
	count map[string]int
	known map[dovetail.ID]bool // whether a document may be read, by its place
}

func (b *seenBuckets) reads(e entry) bool {
	place := placeOf(e)
	may, known := b.known[place]
	if !known {
		may = b.scope.reads(e)
		b.known[place] = may
	}
	return may
}

// add counts a document in, or with -1 out.
func (b *seenBuckets) add(e entry, n int) {
	if !b.reads(e) {
		return
	}
	if b.count[e.bucket] += n; b.count[e.bucket] == 0 {
		delete(b.count, e.bucket)
	}
}

func (b *seenBuckets) remove(id rendering.ID) {
	if e, was := b.index[id]; was {
		b.add(e, -1)
		delete(b.index, id)
	}
}

func (b *seenBuckets) apply(d difference) {
	for _, id := range d.gone {
		b.remove(id)
	}
	for _, e := range d.put {
		b.remove(e.id)
		b.index[e.id] = e
		b.add(e, 1)
	}
}

// seenBuckets returns the names of the buckets of revisions of which the principal may read any document, in order. Indexes are
// read once each, from the last one that is whole. It is nil for a principal that may read everything.
func (r *Revisions) seenBuckets(ctx context.Context, sc scope, docs []*dovetail.Document) (map[int][]string, error) {
	if !sc.limited() {
		return nil, nil
	}
	revisions := make([]*Revision, len(docs))
	for i, doc := range docs {
		var err error
		if revisions[i], err = readRevision(doc); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(revisions, func(a, b *Revision) int { return a.Number - b.Number })
	found := make(map[int][]string, len(docs))
	b := &seenBuckets{scope: sc, known: make(map[dovetail.ID]bool)}
	at := 0 // the revision whose index b has
	for _, of := range revisions {
		first := at + 1
		if of.whole > at {
			first, b.index, b.count = of.whole, make(index), make(map[string]int)
		}
		if err := r.eachDifference(ctx, first, of.Number, b.apply); err != nil {
			return nil, err
		}
		at = of.Number
		found[at] = slices.Sorted(maps.Keys(b.count))
	}
	return found, nil
}
