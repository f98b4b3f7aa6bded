package bolt

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// The words of Finding.Problem.
const (
	undecodable  = "undecodable"   // a stored document cannot be read; never repaired
	indexMissing = "index-missing" // a document has no entry in an index, or a wrong one
	indexExtra   = "index-extra"   // an index has an entry without a document that belongs to it
	logDamaged   = "log-damaged"   // the change log has holes, or commits are left out of a store that was salvaged; never repaired
)

// chunkEntries bounds how much of a space a check looks at in one view.
const chunkEntries = 1000

// defect is a finding with what repairs it; repair is nil when nothing does.
type defect struct {
	finding store.Finding
	repair  func(*kv.Batch)
}

// examiner looks at one entry of a space and returns what is wrong about it. It sees the whole
// file at the instant at which it sees the entry.
type examiner func(v *kv.View, key, value []byte) []defect

// Check implements store.Backend. It reads documents and indexes in chunks, so that it delays
// no other request; each entry is compared with what belongs to it at one instant.
func (b *Backend) Check(ctx context.Context, repair bool) iter.Seq2[store.Finding, error] {
	walks := []struct {
		space   kv.Space
		examine examiner
	}{
		{docs, examineDocument},
		{kinds, examineKind},
		{referrers, examineReferrer},
		{versions, examineVersion},
		{differences, examineDifference},
		{oldKinds, examineOldKind},
		{oldReferrers, examineOldReferrer},
		{changes, examineChanges},
		{meta, examineBounds},
	}
	return func(yield func(store.Finding, error) bool) {
		for _, walk := range walks {
			for finding, err := range b.walk(ctx, walk.space, walk.examine, repair) {
				if !yield(finding, err) || err != nil {
					return
				}
			}
		}
	}
}

func (b *Backend) walk(ctx context.Context, space kv.Space, examine examiner, repair bool) iter.Seq2[store.Finding, error] {
	return func(yield func(store.Finding, error) bool) {
		var after []byte
		for more := true; more; {
			var defects []defect
			var last []byte
			look := func(v *kv.View) error {
				defects, last = examineChunk(v, space, examine, after)
				return nil
			}
			err := b.view(ctx, look)
			if err == nil && repair && slices.ContainsFunc(defects, defect.repairable) {
				// The writer looks again: what was found may be gone.
				err = b.do(ctx, func(batch *kv.Batch) error {
					err := look(&batch.View)
					repairAll(batch, defects)
					return err
				})
			}
			if err != nil {
				yield(store.Finding{}, err)
				return
			}
			for _, d := range defects {
				if !yield(d.finding, nil) {
					return
				}
			}
			after, more = last, last != nil
		}
	}
}

// examineChunk returns the defects of the next entries of a space and the key of the last, nil
// when there are no more.
func examineChunk(v *kv.View, space kv.Space, examine examiner, after []byte) (defects []defect, last []byte) {
	n := 0
	for key, value := range v.Scan(space, nil, after) {
		defects = append(defects, examine(v, key, value)...)
		if n++; n == chunkEntries {
			return defects, slices.Clone(key)
		}
	}
	return defects, nil
}

func (d defect) repairable() bool { return d.repair != nil }

func repairAll(batch *kv.Batch, defects []defect) {
	for i := range defects {
		if defects[i].repairable() {
			defects[i].repair(batch)
			defects[i].finding.Repaired = true
		}
	}
}

// examineDocument compares a document with its entries in the indexes.
func examineDocument(v *kv.View, key, value []byte) (defects []defect) {
	id := dovetail.ID(key)
	d, ok := decodeDocument(id, value)
	if !ok {
		return []defect{{finding: store.Finding{Problem: undecodable, ID: id,
			Message: fmt.Sprintf("%s cannot be read", id)}}}
	}
	if entry := kindKey(d.Kind, id); v.Get(kinds, entry) == nil {
		defects = append(defects, missing(kinds, entry, present, store.Finding{ID: id,
			Message: fmt.Sprintf("%s is not in the index of kind %s", id, d.Kind)}))
	}
	for _, l := range linksOf(id, d.References, d.Terms) {
		entry, want := referrerKey(l.target, id), linkValue(l)
		if got := v.Get(referrers, entry); !bytes.Equal(got, want) {
			defects = append(defects, missing(referrers, entry, want, store.Finding{ID: id, Other: l.target,
				Message: fmt.Sprintf("%s is not in the index of referrers of %s", id, l.target)}))
		}
	}
	return defects
}

// examineKind compares an entry of the index of kinds with its document.
func examineKind(v *kv.View, key, _ []byte) []defect {
	kind, text, ok := splitKey(key)
	id := dovetail.ID(text)
	value := v.Get(docs, []byte(id))
	h, readable := headOf(value)
	if ok && value != nil && (!readable || h.kind == kind) {
		return nil
	}
	return []defect{extra(kinds, key, store.Finding{ID: id,
		Message: fmt.Sprintf("the index of kind %s has an entry for %s, which is not there or of another kind", kind, id)})}
}

// examineReferrer compares an entry of the index of referrers with the document that refers.
func examineReferrer(v *kv.View, key, _ []byte) []defect {
	target, text, ok := splitKey(key)
	id := dovetail.ID(text)
	value := v.Get(docs, []byte(id))
	h, readable := headOf(value)
	refers := slices.ContainsFunc(linksOf(id, h.references, h.terms), func(l link) bool { return string(l.target) == target })
	if ok && value != nil && (!readable || refers) {
		return nil
	}
	return []defect{extra(referrers, key, store.Finding{ID: id, Other: dovetail.ID(target),
		Message: fmt.Sprintf("the index of referrers of %s names %s, which is not there or does not refer to it", target, id)})}
}

func missing(space kv.Space, key, value []byte, finding store.Finding) defect {
	finding.Problem = indexMissing
	return defect{finding, func(batch *kv.Batch) { batch.Put(space, key, value) }}
}

func extra(space kv.Space, key []byte, finding store.Finding) defect {
	finding.Problem = indexExtra
	key = slices.Clone(key) // which is the view's
	return defect{finding, func(batch *kv.Batch) { batch.Delete(space, key) }}
}
