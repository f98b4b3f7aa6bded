package layering

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// change is what a request does to the documents of the newest revision. All else that is written for it is the work of the
// service.
type change struct {
	put   []entry                        // that are new, or say something else, or were in another bucket
	left  []entry                        // whose place is left: they go, or move to another bucket
	fresh map[string]*rendering.Document // what those that are put say, by the name of their content
	given map[dovetail.ID]bool           // places of documents that the principal itself gave
	needs []store.Need                   // the rights that it takes
	again bool                           // it makes a revision even if nothing changes
	rows  rows                           // of the profile deckhand
}

func (c *change) empty() bool { return len(c.put)+len(c.left) == 0 && !c.again }

// changeTo returns the change that replaces the contents of buckets with those that are given. An unchanged document keeps its
// entry if the principal may read it; any other principal would learn from it that a guess was right.
func (r *Revisions) changeTo(sc scope, from *head, was *site, contents []Content) *change {
	c := &change{fresh: make(map[string]*rendering.Document), given: make(map[dovetail.ID]bool)}
	stays := make(map[rendering.ID]string) // the bucket that has it then
	left := make(map[string]int)           // how many documents leave each of the buckets
	for _, content := range contents {
		left[content.Bucket] = 0
		r.put(c, sc, from, was, content)
		for _, d := range content.Documents {
			stays[d.ID] = content.Bucket
		}
	}
	for _, e := range from.index.where(func(e entry) bool {
		_, given := left[e.bucket]
		return given && stays[e.id] != e.bucket
	}) {
		left[e.bucket]++
		c.leave(e)
	}
	r.number(c, from)
	for _, content := range contents {
		if len(content.Documents)+left[content.Bucket] == 0 && sc.limited() {
			// Only a principal with the right to delete learns whether there is anything to delete.
			c.needs = append(c.needs, store.Need{Right: dovetail.RightDelete, ID: placeOf(entry{id: rendering.ID{Schema: "-", Name: "-"}, bucket: content.Bucket})})
		}
	}
	return c
}

// put adds to a change the documents of a bucket that are new, or other than they were.
func (r *Revisions) put(c *change, sc scope, from *head, was *site, content Content) {
	bucket := content.Bucket
	for _, d := range content.Documents {
		e := entry{id: d.ID, bucket: bucket}
		place := placeOf(e)
		c.given[place] = true
		right := dovetail.RightCreate
		if old, had := from.index[d.ID]; had && old.bucket == bucket {
			right = dovetail.RightUpdate
			stored := was.documents[old.content]
			if sc.knows(old, stored) && stored.Encrypted == d.Encrypted && value.Equal(r.options.shape(stored.Value()), r.options.shape(d.Value())) {
				if !r.deckhand() {
					continue
				}
				// Deckhand makes a row of its own in every revision that writes the bucket, and cannot compare secrets.
				if !d.Encrypted {
					e.content, e.since = old.content, from.Number+1
					if old.put == from.Number {
						e.since = old.since
					}
				}
			}
		}
		if e.content == "" {
			e.content, e.since = r.nameOf(d), from.Number+1
			c.fresh[e.content] = d
		}
		c.put = append(c.put, e)
		c.needs = append(c.needs, store.Need{Right: right, ID: place})
	}
}

func (c *change) leave(e entry) {
	c.left = append(c.left, e)
	c.needs = append(c.needs, store.Need{Right: dovetail.RightDelete, ID: placeOf(e)})
}

// changeBack is what makes the documents those of an older revision.
func (r *Revisions) changeBack(from *head, target *Revision) *change {
	c := &change{again: r.deckhand()}
	for _, e := range target.index.created() {
		old, had := from.index[e.id]
		right := dovetail.RightCreate
		switch {
		case c.again && had && old.bucket == e.bucket:
			right = dovetail.RightUpdate
		case had && old.bucket == e.bucket && old.content == e.content:
			continue
		case had && old.bucket == e.bucket:
			right = dovetail.RightUpdate
		case had:
			c.leave(old)
		}
		e.since = from.Number + 1
		c.put = append(c.put, e)
		c.needs = append(c.needs, store.Need{Right: right, ID: placeOf(e)})
	}
	for _, e := range from.index.sorted() {
		if _, stays := target.index[e.id]; !stays {
			c.leave(e)
		}
	}
	r.number(c, from)
	return c
}

// number gives the change the rows that Deckhand makes of one: for each document that goes, and then for each that is put.
func (r *Revisions) number(c *change, from *head) {
	c.rows.last = from.rows.last
	if !r.deckhand() {
		return
	}
	put := c.ids()
	for _, e := range c.left {
		if !put[e.id] {
			c.rows.last++
			c.rows.tombstones = append(c.rows.tombstones, tombstone{e.id, c.rows.last})
		}
	}
	for i := range c.put {
		e := &c.put[i]
		c.rows.last++
		e.put, e.row = from.Number+1, c.rows.last
		e.first = cmp.Or(from.index[e.id].first, e.first, e.row)
	}
}

// buckets are those of which it changes documents, in order.
func (c *change) buckets() []string {
	names := make(map[string]bool)
	for _, e := range slices.Concat(c.put, c.left) {
		names[e.bucket] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// ids are those of the documents that are put.
func (c *change) ids() map[rendering.ID]bool {
	ids := make(map[rendering.ID]bool, len(c.put))
	for _, e := range c.put {
		ids[e.id] = true
	}
	return ids
}

// apply returns the index that a change makes of one.
func (c *change) apply(x index) index {
	next := make(index, len(x)+len(c.put))
	for id, e := range x {
		next[id] = e
	}
	for _, e := range c.left {
		delete(next, e.id)
	}
	for _, e := range c.put {
		next[e.id] = e
	}
	return next
}

// documents are what the entries of a changed index say.
func (c *change) documents(next index, was *site) map[string]*rendering.Document {
	all := make(map[string]*rendering.Document, len(next))
	for _, e := range next {
		all[e.content] = cmp.Or(c.fresh[e.content], was.documents[e.content])
	}
	return all
}
