package bolt

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// examineVersion looks at an earlier version that is stored whole, or as a difference by format 3.
func examineVersion(v *kv.View, key, value []byte) []defect {
	id, end, ok := splitVersionKey(key)
	return examineEnded(v, versions, key, value, id, end, ok)
}

// examineDifference looks at an earlier version that is stored as a difference.
func examineDifference(v *kv.View, key, value []byte) []defect {
	id, end, ok := splitDifferenceKey(key)
	return examineEnded(v, differences, key, value, id, end, ok && isDifference(value))
}

// examineEnded compares an earlier version with its entries in the old indexes.
func examineEnded(v *kv.View, space kv.Space, key, value []byte, id dovetail.ID, end uint64, ok bool) (defects []defect) {
	together, _ := valueEnded(v, id, end)
	h, readable := headOf(together)
	bounds, err := readBounds(v)
	if outside := end < bounds.versions || end > bounds.last; ok && err == nil && outside && (readable || isDifference(value)) {
		return []defect{extra(space, key, store.Finding{ID: id, Message: fmt.Sprintf("an earlier version of %s lies outside of the history", id)})}
	}
	if !ok || !readable {
		return []defect{{finding: store.Finding{Problem: undecodable, ID: id, Message: fmt.Sprintf("an earlier version of %s cannot be read", id)}}}
	}
	if err != nil || isDifference(value) {
		return nil // there is nothing to compare with
	}
	// What the document of now has is in the indexes of now.
	now, _ := headOf(v.Get(docs, []byte(id)))
	links := linksOf(id, now.references, now.terms)
	want := sequenceKey(end)
	if now.kind != h.kind && decodeSequence(v.Get(oldKinds, kindKey(h.kind, id))) < end {
		defects = append(defects, missing(oldKinds, kindKey(h.kind, id), want, store.Finding{ID: id,
			Message: fmt.Sprintf("an earlier version of %s is not in the index of kind %s", id, h.kind)}))
	}
	for _, l := range linksOf(id, h.references, h.terms) {
		if entry := referrerKey(l.target, id); !slices.ContainsFunc(links, func(n link) bool { return n.target == l.target }) && decodeSequence(v.Get(oldReferrers, entry)) < end {
			defects = append(defects, missing(oldReferrers, entry, want, store.Finding{ID: id, Other: l.target,
				Message: fmt.Sprintf("an earlier version of %s is not in the index of referrers of %s", id, l.target)}))
		}
	}
	return defects
}

// decodeSequence undoes sequenceKey; 0 for anything else.
func decodeSequence(value []byte) uint64 {
	if len(value) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(value)
}

// examineOldKind compares an entry of the old index of kinds with the version that it names.
func examineOldKind(v *kv.View, key, value []byte) []defect {
	kind, text, ok := splitKey(key)
	id := dovetail.ID(text)
	stored, _ := valueEnded(v, id, decodeSequence(value))
	h, readable := headOf(stored)
	if ok && stored != nil && (!readable || h.kind == kind) {
		return nil
	}
	return []defect{extra(oldKinds, key, store.Finding{ID: id,
		Message: fmt.Sprintf("the index of kind %s names an earlier version of %s that is not there", kind, id)})}
}

// examineOldReferrer compares an entry of the old index of referrers with the version that it names.
func examineOldReferrer(v *kv.View, key, value []byte) []defect {
	target, text, ok := splitKey(key)
	id := dovetail.ID(text)
	stored, _ := valueEnded(v, id, decodeSequence(value))
	h, readable := headOf(stored)
	refers := slices.ContainsFunc(linksOf(id, h.references, h.terms), func(l link) bool { return string(l.target) == target })
	if ok && stored != nil && (!readable || refers) {
		return nil
	}
	return []defect{extra(oldReferrers, key, store.Finding{ID: id, Other: dovetail.ID(target),
		Message: fmt.Sprintf("the index of referrers of %s names an earlier version of %s that is not there", target, id)})}
}
