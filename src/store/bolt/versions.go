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
// the same kind. So an update that changes no references costs one more record, and a creation none.

// keep makes the document that is about to be replaced an earlier version, and returns it; nil when there is none. A write
// under the same version erases the earlier ones instead: it is made because what they hold should not remain.
func (w *writer) keep(write *write, old *replaced) *replaced {
	if old == nil || store.IsInternal(write.id) {
		return old
	}
	if write.value != nil && old.uid == write.uid && old.revision == write.revision {
		since, _ := sinceOf(old.value) // headOf has checked it
		setSince(write.value, since)
		old.earlier = w.eraseVersions(write.id)
		return old
	}
	old.end = w.log.next()
	value := bytes.Clone(old.value)
	w.batch.Put(versions, versionKey(write.id, old.end), value)
	w.log.bounds.bytes += uint64(len(value))
	return old
}

// earlierVersion is a version that was kept before.
type earlierVersion struct {
	head
	end uint64
}

// lastOfKind returns the end of the last version kept that has the kind, 0 for none.
func (r *replaced) lastOfKind(kind string) uint64 {
	return r.last(func(h head) bool { return h.kind == kind })
}

// lastWithLink returns the end of the last version kept that refers to the target, 0 for none.
func (r *replaced) lastWithLink(id, target dovetail.ID) uint64 {
	return r.last(func(h head) bool {
		return slices.ContainsFunc(linksOf(id, h.references), func(l link) bool { return l.target == target })
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

// leave notes which version that is kept was the last one with an entry of an index; 0 for none.
func (w *writer) leave(space kv.Space, key []byte, end uint64) {
	if end > 0 {
		w.batch.Put(space, key, sequenceKey(end))
	}
}

// eraseVersions takes the bodies from the earlier versions of a document, and returns these in their order.
func (w *writer) eraseVersions(id dovetail.ID) []earlierVersion {
	var earlier []earlierVersion
	for key, value := range w.batch.Scan(versions, indexKey(string(id), ""), nil) {
		_, end, _ := splitVersionKey(key)
		h, _ := headOf(value)
		earlier = append(earlier, earlierVersion{h, end})
	}
	for _, v := range earlier {
		w.log.eraseVersion(versionKey(id, v.end))
	}
	return earlier
}

// eraseVersion takes the bodies from a version that is there and has them.
func (l *logWriter) eraseVersion(key []byte) {
	value := l.batch.Get(versions, key)
	if stub, ok := erase(value); ok {
		l.bounds.bytes -= min(l.bounds.bytes, uint64(len(value)-len(stub)))
		l.batch.Put(versions, key, stub)
	}
}

// forgetVersions drops the versions that the oldest commit ended of those whose versions are kept.
func (l *logWriter) forgetVersions() {
	end := l.bounds.versions
	l.bounds.versions++
	set, ok := decodeChanges(l.batch.Get(changes, sequenceKey(end)))
	if !ok {
		return // its versions stay, for Check to find
	}
	for _, c := range set.Changes {
		key := versionKey(c.ID, end)
		value := l.batch.Get(versions, key)
		if value == nil {
			continue
		}
		l.bounds.bytes -= min(l.bounds.bytes, uint64(len(value)))
		h, _ := headOf(value)
		l.batch.Delete(versions, key)
		l.forgetLast(oldKinds, kindKey(h.kind, c.ID), end)
		for _, link := range linksOf(c.ID, h.references) {
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
