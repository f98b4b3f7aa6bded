package protocol

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// A version is stored before the write that takes it out of the record. It is correct whether or not that write succeeds, so storing
// it again, or needlessly, does no harm. A deletion is stored as a version of its own, after the transaction record is committed and
// before the record is removed.

// VersionKey returns the key of a version. Keys are in the order of ids and, of one id, the latest first: no id has a control
// character.
func VersionKey(v *Record) string {
	txn := v.Txn
	if txn == "" {
		txn = v.Doc.ETag().Version()
	}
	return VersionsFrom(v.ID, v.Committed()) + "\x01" + txn
}

// VersionsFrom returns the start of the key range of a document's versions that committed at or before the timestamp. VersionsEnd
// is the end, exclusive.
func VersionsFrom(id dovetail.ID, at Stamp) string {
	return fmt.Sprintf("%s\x01%08x%08x", id, ^at.Seconds, ^at.Count)
}

// VersionsEnd returns a key after those of all versions of a document, and before those of the documents below it.
func VersionsEnd(id dovetail.ID) string { return string(id) + "\x02" }

// VersionID returns the id in a key.
func VersionID(key string) dovetail.ID {
	id, _, _ := strings.Cut(key, "\x01")
	return dovetail.ID(id)
}

// versionOf returns the version that a record has.
func versionOf(r *Record) *Record {
	v := *r
	v.Intent = nil
	v.Strong, v.Weak = Links(r.Doc.References)
	return &v
}

// rewrites reports whether the intent writes the document again at the same version, which is no version of its own.
func rewrites(r *Record) bool {
	return r.Intent.Op == Update && !r.Intent.LockOnly && r.Intent.Next != nil && r.Intent.Next.ETag() == r.Doc.ETag()
}

// keepBefore stores the version that is about to be replaced by a document. If the document is rewritten, what an update that failed has
// stored of the version must not remain.
func (e *Engine) keepBefore(ctx context.Context, old *Record, next *dovetail.Document) error {
	switch {
	case store.IsInternal(old.ID):
		return nil
	case next.ETag() == old.Doc.ETag():
		return e.server.ForgetVersion(ctx, old.ID, next.ETag())
	}
	return e.server.Keep(ctx, []*Record{versionOf(old)})
}

// keepReplaced stores the versions that multi-document transactions are about to replace. The records are whole.
func (e *Engine) keepReplaced(ctx context.Context, records []*Record) error {
	versions, err := e.replacedVersions(ctx, records)
	if err != nil {
		return err
	}
	return e.keep(ctx, versions)
}

// replacedVersions returns the versions for keepReplaced, and forgets those of rewritten documents; see keepBefore.
func (e *Engine) replacedVersions(ctx context.Context, records []*Record) (versions []*Record, err error) {
	for _, r := range records {
		switch {
		case r.Intent.Op == Create || r.Intent.LockOnly || store.IsInternal(r.ID):
		case rewrites(r):
			if err := e.server.ForgetVersion(ctx, r.ID, r.Doc.ETag()); err != nil {
				return nil, err
			}
		default:
			versions = append(versions, versionOf(r))
		}
	}
	return versions, nil
}

// lockedVersions returns the versions to be stored for a transaction that committed at the timestamp: those that it replaces, from
// the whole records, and the deletions, from all records with its intents.
func (e *Engine) lockedVersions(ctx context.Context, whole, all []*Record, at Stamp) ([]*Record, error) {
	versions, err := e.replacedVersions(ctx, whole)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if m := r.Intent; m.Op == Delete && !m.LockOnly && !store.IsInternal(r.ID) {
			last := r.Doc
			versions = append(versions, &Record{ID: r.ID, Txn: m.Txn, Since: at, By: m.By, Gone: true,
				Doc: &dovetail.Document{ID: r.ID, Kind: last.Kind, UID: last.UID, Revision: last.Revision}})
		}
	}
	return versions, nil
}

func (e *Engine) keep(ctx context.Context, versions []*Record) error {
	for part := range slices.Chunk(versions, probeBatch) {
		if err := e.server.Keep(ctx, part); err != nil {
			return err
		}
	}
	return nil
}
