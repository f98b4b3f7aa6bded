package bolt

import (
	"bytes"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// A write moves the version that it replaces into a space of its own, under the sequence of the commit that ended it. The
// indexes of kinds and referrers hold what is there now; what leaves them for a version that is kept goes into an old one of
// the same kind. So an update that changes no references costs one more record, and a creation none. Most of these records are
// differences from the version that came next.

// keep makes the document that is about to be replaced an earlier version, and returns it; nil when there is none. A write
// under the same version keeps none: it says the same in another way, and what was there should not remain.
func (w *writer) keep(write *write, old *replaced) *replaced {
	if old == nil || store.IsInternal(write.id) {
		return old
	}
	if write.value != nil && old.uid == write.uid && old.revision == write.revision {
		write.keepTerms(old)
		since, _ := sinceOf(old.value) // headOf has checked it
		setSince(write.value, since)
		w.log.makeWhole(write.id, since) // which may be a difference from what is written now
		old.earlier = w.earlierVersions(write.id)
		return old
	}
	old.end = w.log.next()
	w.log.putVersion(write.id, old.end, kept(write, old))
	return old
}

// keepTerms adds the terms of what is replaced to the same version of it, which may have been read before SetTerms gave it them.
func (write *write) keepTerms(old *replaced) {
	doc, ok := decodeDocument(write.id, write.value)
	if !ok || slices.Equal(doc.Terms, old.terms) {
		return
	}
	all := slices.Concat(doc.Terms, old.terms)
	slices.Sort(all)
	doc.Terms = slices.Compact(all)
	write.value, write.links = encodeDocument(doc), linksOf(doc.ID, doc.References, doc.Terms)
}

// wholeVersions is which part of the versions is kept whole even so, so that few must be put together to read one, and damage
// to one concerns few.
const wholeVersions = 8

// kept returns what is stored of a version that is replaced. A difference has the kind and the links of the version that
// follows, so that no entry of an old index leads to it.
func kept(write *write, old *replaced) []byte {
	if old.revision%wholeVersions != 0 && old.kind == write.kind && slices.Equal(old.links, write.links) {
		if value, ok := difference(write.value, old.value); ok {
			return value
		}
	}
	return bytes.Clone(old.value)
}

// putVersion stores a new version.
func (l *logWriter) putVersion(id dovetail.ID, end uint64, value []byte) {
	if isDifference(value) {
		l.batch.Put(differences, differenceKey(id, end), value)
	} else {
		l.batch.Put(versions, versionKey(id, end), value)
	}
	l.bounds.bytes += uint64(len(value))
}

// earlierVersion is a version that was kept before.
type earlierVersion struct {
	id dovetail.ID
	head
	end uint64
}

// lastOfKind returns the end of the last version kept that has the kind, 0 if there is none.
func (r *replaced) lastOfKind(kind string) uint64 {
	return r.last(func(h head) bool { return h.kind == kind })
}

// lastWithLink returns the end of the last version kept that refers to the target, 0 if there is none.
func (r *replaced) lastWithLink(id, target dovetail.ID) uint64 {
	return r.last(func(h head) bool {
		return slices.ContainsFunc(linksOf(id, h.references, h.terms), func(l link) bool { return l.target == target })
	})
}

func (r *replaced) last(has func(head) bool) uint64 {
	if r.end > 0 {
		return r.end
	}
	for _, v := range slices.Backward(r.earlier) {
		if has(v.head) {
			return v.end
		}
	}
	return 0
}

// leave notes which version that is kept was the last one with an entry of an index; 0 if there is none.
func (w *writer) leave(space kv.Space, key []byte, end uint64) {
	if end > 0 {
		w.batch.Put(space, key, sequenceKey(end))
	}
}

// earlierVersions returns the earlier versions of a document in their order.
func (w *writer) earlierVersions(id dovetail.ID) (earlier []earlierVersion) {
	for end, value := range earlierValues(&w.batch.View, id) {
		h, _ := headOf(value)
		earlier = append(earlier, earlierVersion{id: id, head: h, end: end})
	}
	slices.Reverse(earlier)
	return earlier
}

// eraseVersion takes the bodies from a version that is there and has them. The version before it may be a difference from it.
func (l *logWriter) eraseVersion(id dovetail.ID, end uint64) {
	value, _ := valueEnded(&l.batch.View, id, end)
	stub, ok := erase(value)
	if !ok {
		return
	}
	since, _ := sinceOf(value) // erase has checked it
	l.makeWhole(id, since)
	l.replaceVersion(id, end, stub)
}

// makeWhole stores a version whole, if it is there.
func (l *logWriter) makeWhole(id dovetail.ID, end uint64) {
	if !isDifference(storedVersion(&l.batch.View, id, end)) {
		return
	}
	if value, err := valueEnded(&l.batch.View, id, end); err == nil {
		l.replaceVersion(id, end, bytes.Clone(value))
	}
}

// replaceVersion stores a version in another way.
func (l *logWriter) replaceVersion(id dovetail.ID, end uint64, value []byte) {
	l.dropVersion(id, end)
	l.putVersion(id, end, value)
}

// dropVersion drops a version, and returns how it was stored; nil when it was not there.
func (l *logWriter) dropVersion(id dovetail.ID, end uint64) []byte {
	stored := storedVersion(&l.batch.View, id, end)
	if stored == nil {
		return nil
	}
	l.bounds.bytes -= min(l.bounds.bytes, uint64(len(stored)))
	if key := differenceKey(id, end); l.batch.Get(differences, key) != nil {
		l.batch.Delete(differences, key)
	} else {
		l.batch.Delete(versions, versionKey(id, end))
	}
	return stored
}

// forgetVersions drops the versions that the oldest commit ended of those whose versions are kept. No others are differences
// from them: those are older.
func (l *logWriter) forgetVersions() {
	end := l.bounds.versions
	l.bounds.versions++
	set, ok := decodeChanges(l.batch.Get(changes, sequenceKey(end)))
	if !ok {
		return // its versions stay, for Check to find
	}
	for _, c := range set.Changes {
		value := l.dropVersion(c.ID, end)
		if value == nil || isDifference(value) {
			continue
		}
		h, _ := headOf(value)
		l.forgetLast(oldKinds, kindKey(h.kind, c.ID), end)
		for _, link := range linksOf(c.ID, h.references, h.terms) {
			l.forgetLast(oldReferrers, referrerKey(link.target, c.ID), end)
		}
	}
}

// forgetLast deletes an entry of an old index, unless it is that of a later version.
func (l *logWriter) forgetLast(space kv.Space, key []byte, end uint64) {
	if bytes.Equal(l.batch.Get(space, key), sequenceKey(end)) {
		l.batch.Delete(space, key)
	}
}
