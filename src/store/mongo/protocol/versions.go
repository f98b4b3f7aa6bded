package protocol

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// A version is kept before the write that replaces it: that the document was so is true whether or not that write then
// succeeds, so that keeping it again, or for nothing, does no harm. What ends a life is kept too, as a version of its
// own, once the log says that the deletion has happened, and before the record is removed.

// VersionKey names a version. Keys are in the order of ids and, of one id, the latest first: no id has a control character.
func VersionKey(v *Record) string {
	txn := v.Txn
	if txn == "" {
		txn = v.Doc.ETag().Version()
	}
	return VersionsFrom(v.ID, v.Committed()) + "\x01" + txn
}

// VersionsFrom is where the keys begin of the versions of a document that committed at the stamp or before it. They end
// before VersionsEnd.
func VersionsFrom(id dovetail.ID, at Stamp) string {
	return fmt.Sprintf("%s\x01%08x%08x", id, ^at.Seconds, ^at.Count)
}

// VersionsEnd follows the keys of all versions of a document, and comes before those of documents below it.
func VersionsEnd(id dovetail.ID) string { return string(id) + "\x02" }

// VersionID is the id in a key.
func VersionID(key string) dovetail.ID {
	id, _, _ := strings.Cut(key, "\x01")
	return dovetail.ID(id)
}

// versionOf is the version that a record holds.
func versionOf(r *Record) *Record {
	v := *r
	v.Intent = nil
	v.Strong, v.Weak = Links(r.Doc.References)
	return &v
}

// rewrites says whether the intent announces the document again under its version, which erases the earlier ones.
func rewrites(r *Record) bool {
	return r.Intent.Op == Update && !r.Intent.LockOnly && r.Intent.Next != nil && r.Intent.Next.ETag() == r.Doc.ETag()
}

// keepBefore keeps what is about to be replaced by a document, or erases what it is to erase.
func (e *Engine) keepBefore(ctx context.Context, old *Record, next *dovetail.Document) error {
	switch {
	case store.IsInternal(old.ID):
		return nil
	case next.ETag() == old.Doc.ETag():
		return e.server.Erase(ctx, old.ID, next.ETag())
	}
	return e.server.Keep(ctx, []*Record{versionOf(old)})
}

// keepReplaced keeps what the intents of transactions of several documents are about to replace. The records are whole.
func (e *Engine) keepReplaced(ctx context.Context, records []*Record) error {
	versions, err := e.replacedVersions(ctx, records)
	if err != nil {
		return err
	}
	return e.keep(ctx, versions)
}

// replacedVersions returns what keepReplaced keeps, and erases what is written again.
func (e *Engine) replacedVersions(ctx context.Context, records []*Record) (versions []*Record, err error) {
	for _, r := range records {
		switch {
		case r.Intent.Op == Create || r.Intent.LockOnly || store.IsInternal(r.ID):
		case rewrites(r):
			if err := e.server.Erase(ctx, r.ID, r.Doc.ETag()); err != nil {
				return nil, err
			}
		default:
			versions = append(versions, versionOf(r))
		}
	}
	return versions, nil
}

// lockedVersions returns what is to be kept of a transaction that committed at the stamp: those of the records that it replaces
// which are whole, and the deletions among all that have its intents. What it writes again is erased.
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
