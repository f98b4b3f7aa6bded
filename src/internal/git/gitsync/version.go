package gitsync

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// Content returns what a file of the repository has at its head, for files that no document is. CodeNotFound says that there is none.
func (a *Syncer) Content(path string) ([]byte, error) { return a.repository.Content(path) }

// Version returns the version of a document as it was read: the hash of the last commit that changed its
// file, up to the commit that the store follows. Documents without a file have that of the store. A
// document that was written since it was read is CodeStale: read it again.
func (a *Syncer) Version(ctx context.Context, doc *dovetail.Document) (string, error) {
	paths := instancerepo.Paths(doc.ID)
	if !isHeld(doc.Kind) || len(paths) == 0 {
		return doc.ETag().Version(), nil
	}
	ctx = asSystem(ctx)
	r, err := a.record(ctx)
	if err != nil {
		return "", err
	}
	// What is the same after the record was read was so at its commit: they change together.
	now, err := a.store.Get(ctx, doc.ID)
	if err != nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
		return "", err
	}
	if err != nil || now.ETag() != doc.ETag() {
		return "", &dovetail.Error{Code: dovetail.CodeStale, Key: doc.ID, Current: now, Message: string(doc.ID) + " was changed while it was read", Remedy: "read it again"}
	}
	for _, path := range paths {
		version, err := a.versionAt(ctx, r.Head, path)
		if dovetail.CodeOf(err) != dovetail.CodeNotFound {
			return version, err
		}
	}
	return doc.ETag().Version(), nil
}

// Written returns when a document became what it says: the time of the commit that is its version, or of the
// store for one without a file. Errors are those of Version.
func (a *Syncer) Written(ctx context.Context, doc *dovetail.Document) (time.Time, error) {
	version, err := a.Version(ctx, doc)
	if err != nil || version == doc.ETag().Version() {
		return doc.Updated, err
	}
	return a.repository.Time(version)
}

// versionAt asks for a version, and pulls first when another process is ahead.
func (a *Syncer) versionAt(ctx context.Context, commit, path string) (string, error) {
	version, err := a.repository.Version(ctx, commit, path)
	if dovetail.CodeOf(err) != dovetail.CodeMissing {
		return version, err
	}
	if err := a.pull(ctx); err != nil {
		return "", err
	}
	return a.repository.Version(ctx, commit, path)
}
