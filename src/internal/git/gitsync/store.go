package gitsync

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Store is a store whose writes go through the syncers of its repositories. Everything else is that of the store.
type Store struct {
	*store.Store
	repositories *Repositories
}

// Attached returns the store as services are to see it where the repository is attached alone.
func (a *Syncer) Attached() *Store {
	alone := NewRepositories(a.store, nil)
	alone.Add(a)
	return alone.Attached()
}

// Apply is that of the repositories, signed by the principal of the context.
func (s *Store) Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error) {
	applied, err := s.repositories.Apply(ctx, operations, options, Commit{Message: options.Message})
	if err != nil {
		return nil, err
	}
	return applied.Result, nil
}

// Revert is that of the store, with writes that go through the repositories.
func (s *Store) Revert(ctx context.Context, position store.Cursor, options store.Options) (*store.Result, error) {
	return s.RevertBy(ctx, reverting{s}, position, nil, options)
}

// reverting applies what undoes a transaction. The record of the repository, which every transaction changes, is not
// undone: it follows the commit that the revert makes.
type reverting struct{ *Store }

// Apply implements store.Applier.
func (r reverting) Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error) {
	return r.Store.Apply(ctx, slices.DeleteFunc(operations, func(op store.Operation) bool { return kindOf(op.ID) == recordKind }), options)
}

// Rollback is that of the store, with writes that go through the repositories.
func (s *Store) Rollback(ctx context.Context, id dovetail.ID, version string, options store.Options) (*store.Result, error) {
	return s.RollbackBy(ctx, s, id, version, options)
}

// Rename is that of the store, with writes that go through the repositories.
func (s *Store) Rename(ctx context.Context, id, to dovetail.ID, options store.Options) (*store.Result, error) {
	return s.RenameBy(ctx, s, id, to, options)
}

// Migrate is refused: the repository has the documents in files of its own format, which a migration does not change.
func (s *Store) Migrate(context.Context, *store.Migration, store.MigrateOptions) (*store.Migrated, error) {
	return nil, &dovetail.Error{Code: dovetail.CodeConflict, Message: "an instance repository is attached, whose files a migration does not change",
		Remedy: "change the files, and start the server with the new ref-schema; or migrate while no repository is attached"}
}

// Create creates one document.
func (s *Store) Create(ctx context.Context, op store.Operation) (*dovetail.Document, error) {
	op.Verb = store.Create
	return s.one(ctx, op)
}

// Put creates or replaces one document.
func (s *Store) Put(ctx context.Context, op store.Operation) (*dovetail.Document, error) {
	op.Verb = store.Put
	return s.one(ctx, op)
}

// Delete deletes one document.
func (s *Store) Delete(ctx context.Context, op store.Operation) (*dovetail.Document, error) {
	op.Verb = store.Delete
	return s.one(ctx, op)
}

func (s *Store) one(ctx context.Context, op store.Operation) (*dovetail.Document, error) {
	result, err := s.Apply(ctx, []store.Operation{op}, store.Options{})
	if err != nil {
		return nil, err
	}
	return result.Outcomes[0].Document, nil
}

// Abort is that of the store, after the change that is under way: that may have pushed its commit, and then belongs into the
// store.
func (s *Store) Abort(ctx context.Context, key string) (*store.Result, error) {
	for _, a := range s.repositories.open() {
		done, err := a.change(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	return s.Store.Abort(ctx, key)
}

// Import is that of the store, but refused for documents that the repository holds: their versions and
// times are those of commits.
func (s *Store) Import(ctx context.Context, documents []*dovetail.Document, options store.Options) (*store.Result, error) {
	var errs dovetail.Errors
	for i, doc := range documents {
		if kind := kindOf(doc.ID); isHeld(kind) || kind == recordKind {
			errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Key: doc.ID, Index: i + 1,
				Message: "a " + kind + " comes from the instance repository that is attached", Remedy: "push it there, or import it with dovetail apply"})
		}
	}
	if err := errs.Err("the import was refused"); err != nil {
		return nil, err
	}
	return s.Store.Import(ctx, documents, options)
}
