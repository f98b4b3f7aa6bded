package bolt

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The words of Finding.Problem.
const (
	undecodable  = "undecodable"   // a stored document cannot be read; never mended
	indexMissing = "index-missing" // a document has no entry in an index, or a wrong one
	indexExtra   = "index-extra"   // an index has an entry without a document that belongs to it
)

// pieceEntries bounds how much of a bucket a check looks at in one bbolt transaction.
const pieceEntries = 1000

// defect is a finding with what mends it; mend is nil when nothing does.
type defect struct {
	finding store.Finding
	mend    func(*bbolt.Tx) error
}

// examiner looks at one entry of a bucket and returns what is wrong about it. It sees the whole
// file at the instant at which it sees the entry.
type examiner func(tx *bbolt.Tx, key, value []byte) []defect

// Check implements store.Backend. It walks documents and indexes piece by piece, so that it holds
// up nobody; each entry is compared with what belongs to it at one instant.
func (b *Backend) Check(ctx context.Context, repair bool) iter.Seq2[store.Finding, error] {
	walks := []struct {
		bucket  []byte
		examine examiner
	}{
		{docsBucket, examineDocument},
		{kindsBucket, examineKind},
		{referrersBucket, examineReferrer},
	}
	return func(yield func(store.Finding, error) bool) {
		for _, walk := range walks {
			for finding, err := range b.walk(ctx, walk.bucket, walk.examine, repair) {
				if !yield(finding, err) || err != nil {
					return
				}
			}
		}
	}
}

func (b *Backend) walk(ctx context.Context, bucket []byte, examine examiner, repair bool) iter.Seq2[store.Finding, error] {
	return func(yield func(store.Finding, error) bool) {
		var after []byte
		for more := true; more; {
			var defects []defect
			var last []byte
			look := func(tx *bbolt.Tx) error {
				defects, last = examinePiece(tx, bucket, examine, after)
				return nil
			}
			err := b.view(ctx, look)
			if err == nil && repair && slices.ContainsFunc(defects, defect.mendable) {
				// The writer looks again: what was found may be gone.
				err = b.do(ctx, func(tx *bbolt.Tx) error {
					look(tx)
					return mend(tx, defects)
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

// examinePiece returns the defects of the next entries of a bucket and the key of the last, nil
// when there are no more.
func examinePiece(tx *bbolt.Tx, bucket []byte, examine examiner, after []byte) (defects []defect, last []byte) {
	n := 0
	for key, value := range scan(tx.Bucket(bucket), nil, after) {
		defects = append(defects, examine(tx, key, value)...)
		if n++; n == pieceEntries {
			return defects, slices.Clone(key)
		}
	}
	return defects, nil
}

func (d defect) mendable() bool { return d.mend != nil }

func mend(tx *bbolt.Tx, defects []defect) error {
	for i := range defects {
		if !defects[i].mendable() {
			continue
		}
		if err := defects[i].mend(tx); err != nil {
			return err
		}
		defects[i].finding.Repaired = true
	}
	return nil
}

// examineDocument compares a document with its entries in the indexes.
func examineDocument(tx *bbolt.Tx, key, value []byte) (defects []defect) {
	id := dovetail.ID(key)
	d, ok := decodeDocument(id, value)
	if !ok {
		return []defect{{finding: store.Finding{Problem: undecodable, ID: id,
			Message: fmt.Sprintf("%s cannot be read", id)}}}
	}
	kinds, referrers := tx.Bucket(kindsBucket), tx.Bucket(referrersBucket)
	if entry := kindKey(d.Kind, id); kinds.Get(entry) == nil {
		defects = append(defects, missing(kindsBucket, entry, present, store.Finding{ID: id,
			Message: fmt.Sprintf("%s is not in the index of kind %s", id, d.Kind)}))
	}
	for _, l := range linksOf(id, d.References) {
		entry, want := referrerKey(l.target, id), linkValue(l)
		if got := referrers.Get(entry); got == nil || got[0] != want[0] {
			defects = append(defects, missing(referrersBucket, entry, want, store.Finding{ID: id, Other: l.target,
				Message: fmt.Sprintf("%s is not in the index of referrers of %s", id, l.target)}))
		}
	}
	return defects
}

// examineKind compares an entry of the index of kinds with its document.
func examineKind(tx *bbolt.Tx, key, _ []byte) []defect {
	kind, text, ok := splitKey(key)
	id := dovetail.ID(text)
	value := tx.Bucket(docsBucket).Get([]byte(id))
	h, readable := headOf(value)
	if ok && value != nil && (!readable || h.kind == kind) {
		return nil
	}
	return []defect{extra(kindsBucket, key, store.Finding{ID: id,
		Message: fmt.Sprintf("the index of kind %s has an entry for %s, which is not there or of another kind", kind, id)})}
}

// examineReferrer compares an entry of the index of referrers with the document that refers.
func examineReferrer(tx *bbolt.Tx, key, _ []byte) []defect {
	target, text, ok := splitKey(key)
	id := dovetail.ID(text)
	value := tx.Bucket(docsBucket).Get([]byte(id))
	h, readable := headOf(value)
	refers := slices.ContainsFunc(linksOf(id, h.references), func(l link) bool { return string(l.target) == target })
	if ok && value != nil && (!readable || refers) {
		return nil
	}
	return []defect{extra(referrersBucket, key, store.Finding{ID: id, Other: dovetail.ID(target),
		Message: fmt.Sprintf("the index of referrers of %s names %s, which is not there or does not refer to it", target, id)})}
}

func missing(bucket, key, value []byte, finding store.Finding) defect {
	finding.Problem = indexMissing
	return defect{finding, func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put(key, value) }}
}

func extra(bucket, key []byte, finding store.Finding) defect {
	finding.Problem = indexExtra
	key = slices.Clone(key) // bbolt's own does not outlive the transaction, nor a change of its page
	return defect{finding, func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Delete(key) }}
}
