package bolt

import (
	"context"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// Terms are kept in the index of referrers, as weak references to ids that no document has: so commits, versions and checks
// treat them as they do references.

// termTarget is the id that stands for a term in the index.
func termTarget(term string) dovetail.ID { return dovetail.ID("#" + term) }

// termIDs yields, in their order, the ids of documents of the query that have a term of each group; with earlier also of those
// of which an earlier version has it.
func termIDs(v *kv.View, q store.Query, earlier bool) iter.Seq[dovetail.ID] {
	groups := slices.Clone(q.Terms)
	rarest := 0
	if len(groups) > 1 {
		fewest := maxCounted + 1
		for i, group := range groups {
			if n := count(union(termScans(v, q, group, earlier)), fewest); n < fewest {
				rarest, fewest = i, n
			}
		}
	}
	from := groups[rarest]
	others := slices.Delete(groups, rarest, rarest+1)
	return func(yield func(dovetail.ID) bool) {
		for id := range union(termScans(v, q, from, earlier)) {
			inAll := !slices.ContainsFunc(others, func(group []string) bool { return !hasTerm(v, id, group, earlier) })
			if inAll && !yield(id) {
				return
			}
		}
	}
}

// maxCounted is how many documents of a term are counted to find the group with the fewest.
const maxCounted = 1000

// count returns how many ids there are, limit for more.
func count(ids iter.Seq[dovetail.ID], limit int) int {
	n := 0
	for range ids {
		if n++; n == limit {
			break
		}
	}
	return n
}

// termScans returns the ids of each term of a group.
func termScans(v *kv.View, q store.Query, group []string, earlier bool) []iter.Seq[dovetail.ID] {
	var all []iter.Seq[dovetail.ID]
	scan := func(space kv.Space, term string) iter.Seq[dovetail.ID] {
		prefix, after := referrerKey(termTarget(term), dovetail.ID(q.Under.Prefix())), referrerKey(termTarget(term), q.After)
		return func(yield func(dovetail.ID) bool) {
			for key := range v.Scan(space, prefix, after) {
				if !yield(secondOf(key)) {
					return
				}
			}
		}
	}
	for _, term := range group {
		if all = append(all, scan(referrers, term)); earlier {
			all = append(all, scan(oldReferrers, term))
		}
	}
	return all
}

// hasTerm says whether a document has one of the terms.
func hasTerm(v *kv.View, id dovetail.ID, group []string, earlier bool) bool {
	return slices.ContainsFunc(group, func(term string) bool {
		key := referrerKey(termTarget(term), id)
		return v.Get(referrers, key) != nil || earlier && v.Get(oldReferrers, key) != nil
	})
}

// hasTerms says whether there is a term of each group.
func hasTerms(terms []string, groups [][]string) bool {
	return !slices.ContainsFunc(groups, func(group []string) bool {
		return !slices.ContainsFunc(group, func(term string) bool { return slices.Contains(terms, term) })
	})
}

// union yields the ids of sequences that are in order, in order and each once.
func union(all []iter.Seq[dovetail.ID]) iter.Seq[dovetail.ID] {
	if len(all) == 1 {
		return all[0]
	}
	return func(yield func(dovetail.ID) bool) {
		heads, nexts := make([]dovetail.ID, 0, len(all)), make([]func() (dovetail.ID, bool), 0, len(all))
		for _, ids := range all {
			next, stop := iter.Pull(ids)
			defer stop()
			if id, more := next(); more {
				heads, nexts = append(heads, id), append(nexts, next)
			}
		}
		for len(heads) > 0 {
			least := slices.Min(heads)
			if !yield(least) {
				return
			}
			for i := len(heads) - 1; i >= 0; i-- {
				if heads[i] != least {
					continue
				}
				var more bool
				if heads[i], more = nexts[i](); !more {
					heads, nexts = slices.Delete(heads, i, i+1), slices.Delete(nexts, i, i+1)
				}
			}
		}
	}
}

// SetTerms implements store.Backend. Terms that a document has stay beside the new ones, so that none leaves the index that an
// earlier version has.
func (b *Backend) SetTerms(ctx context.Context, documents []*dovetail.Document) error {
	return b.doLogged(ctx, func(l *logWriter) error {
		w := &writer{batch: l.batch, log: l}
		for _, doc := range documents {
			value := l.batch.Get(docs, []byte(doc.ID))
			stored, ok := decodeDocument(doc.ID, value)
			if !ok || stored.ETag() != doc.ETag() {
				continue // what is damaged is for its readers to find
			}
			was := linksOf(doc.ID, stored.References, stored.Terms)
			all := slices.Concat(stored.Terms, doc.Terms)
			slices.Sort(all)
			if all = slices.Compact(all); len(all) == len(stored.Terms) {
				continue
			}
			since, _ := sinceOf(value) // decodeDocument has checked it
			l.makeWhole(doc.ID, since) // which may be a difference from what is written now
			stored.Terms = all
			l.batch.Put(docs, []byte(doc.ID), setSince(encodeDocument(stored), since))
			w.relink(doc.ID, &replaced{links: was}, linksOf(doc.ID, stored.References, all))
		}
		return nil
	})
}
