package bolt

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// Terms are kept in the index of referrers, as weak references to ids that no document has: so commits, versions and checks
// treat them as they do references.

// termTarget is the id that stands for a term in the index.
func termTarget(term string) dovetail.ID { return dovetail.ID("#" + term) }

// termIDs yields, in their order, the ids of documents of the query that have a term of each group; with earlier also of those
// of which an earlier version has it, or had a term that begins like it.
func termIDs(v *kv.View, q store.Query, earlier bool) iter.Seq[dovetail.ID] {
	groups := make([]termGroup, len(q.Terms))
	for i, terms := range q.Terms {
		groups[i] = groupOf(v, terms, earlier)
	}
	rarest := 0
	if len(groups) > 1 {
		fewest := maxCounted + 1
		for i, group := range groups {
			if group.crowded {
				continue
			}
			if n := count(group.ids(v, q), fewest); n < fewest {
				rarest, fewest = i, n
			}
		}
	}
	from := groups[rarest]
	others := slices.Delete(groups, rarest, rarest+1)
	return func(yield func(dovetail.ID) bool) {
		for id := range from.ids(v, q) {
			inAll := !slices.ContainsFunc(others, func(group termGroup) bool { return !group.has(v, id) })
			if inAll && !yield(id) {
				return
			}
		}
	}
}

// maxCounted is how many documents of a term are counted to find the group with the fewest.
const maxCounted = 1000

// maxTargets is how many terms that begin with one of a query are read side by side.
const maxTargets = 512

// termGroup is a group of terms as the index has it.
type termGroup struct {
	terms   []string
	spaces  []kv.Space
	targets []dovetail.ID // of the terms, and of all that begin with them
	whole   bool          // targets are those of the terms
	crowded bool          // there are too many: targets are what they begin with
}

func groupOf(v *kv.View, terms []string, earlier bool) termGroup {
	g := termGroup{terms: terms, spaces: []kv.Space{referrers}, whole: true}
	if earlier {
		g.spaces = append(g.spaces, oldReferrers)
	}
	for _, term := range terms {
		for _, space := range g.spaces {
			for target := range targetsFrom(v, space, termTarget(term)) {
				if target != termTarget(term) {
					g.whole = false
				}
				g.targets = append(g.targets, target)
				if g.crowded = len(g.targets) > maxTargets; g.crowded {
					g.targets = g.targets[:0]
					for _, t := range terms {
						g.targets = append(g.targets, termTarget(t))
					}
					return g
				}
			}
		}
	}
	slices.Sort(g.targets)
	g.targets = slices.Compact(g.targets)
	return g
}

// targetsFrom yields the targets in an index that begin with one: itself only, where it has entries.
func targetsFrom(v *kv.View, space kv.Space, from dovetail.ID) iter.Seq[dovetail.ID] {
	return func(yield func(dovetail.ID) bool) {
		var after []byte
		for more := true; more; {
			more = false
			for key := range v.Scan(space, []byte(from), after) {
				target, _, _ := splitKey(key)
				more = yield(dovetail.ID(target)) && target != string(from)
				after = append([]byte(target), separator[0]+1)
				break
			}
		}
	}
}

// ids yields the ids of the query's documents that have one of the terms, in their order.
func (g *termGroup) ids(v *kv.View, q store.Query) iter.Seq[dovetail.ID] {
	if g.crowded {
		return g.crowdedIDs(v, q)
	}
	var all []iter.Seq[dovetail.ID]
	for _, target := range g.targets {
		prefix, after := referrerKey(target, dovetail.ID(q.Under.Prefix())), referrerKey(target, q.After)
		for _, space := range g.spaces {
			all = append(all, func(yield func(dovetail.ID) bool) {
				for key := range v.Scan(space, prefix, after) {
					if !yield(secondOf(key)) {
						return
					}
				}
			})
		}
	}
	return union(all)
}

// crowdedPart is how many ids of a crowded group are held in memory.
const crowdedPart = 4096

// crowdedIDs reads all entries of the terms for each part of the ids.
func (g *termGroup) crowdedIDs(v *kv.View, q store.Query) iter.Seq[dovetail.ID] {
	return func(yield func(dovetail.ID) bool) {
		for after := q.After; ; {
			var part []dovetail.ID
			tidy := func() {
				slices.Sort(part)
				part = slices.Compact(part)
				part = part[:min(len(part), crowdedPart)]
			}
			for _, target := range g.targets {
				for _, space := range g.spaces {
					for key := range v.Scan(space, []byte(target), nil) {
						id := secondOf(key)
						if id <= after || !strings.HasPrefix(string(id), q.Under.Prefix()) {
							continue
						}
						if part = append(part, id); len(part) == 2*crowdedPart {
							tidy()
						}
					}
				}
			}
			tidy()
			for _, id := range part {
				if !yield(id) {
					return
				}
			}
			if len(part) < crowdedPart {
				return
			}
			after = part[len(part)-1]
		}
	}
}

// has reports whether a document has one of the terms. Where the index does not say it is the document that does, and of earlier
// versions none is left out.
func (g *termGroup) has(v *kv.View, id dovetail.ID) bool {
	if g.whole {
		return slices.ContainsFunc(g.targets, func(target dovetail.ID) bool {
			key := referrerKey(target, id)
			return slices.ContainsFunc(g.spaces, func(space kv.Space) bool { return v.Get(space, key) != nil })
		})
	}
	if len(g.spaces) > 1 {
		return true
	}
	h, ok := headOf(v.Get(docs, []byte(id)))
	return !ok || hasTerms(h.terms, [][]string{g.terms})
}

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

// hasTerms reports whether there is a term of each group.
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
