package embedded

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Create returns the operation that creates a document; it is refused with CodeExists if there is one. The data are what
// encoding/json writes as an object: a struct, a map, a json.RawMessage.
func Create(id dovetail.ID, data any) store.Operation {
	return store.NewOperation(store.Create, id, data)
}

// Put returns the operation that creates or replaces a document.
func Put(id dovetail.ID, data any) store.Operation { return store.NewOperation(store.Put, id, data) }

// Patch returns the operation that changes a document by a JSON merge patch (RFC 7396): members of the patch replace those of
// the data, null removes them. It is refused with CodeNotFound if there is no document.
func Patch(id dovetail.ID, patch any) store.Operation {
	return store.NewOperation(store.Patch, id, patch)
}

// Delete returns the operation that deletes a document. It is refused with CodeNotFound if there is none, and with CodeInUse
// while it has children or another document references it.
func Delete(id dovetail.ID) store.Operation { return store.Operation{Verb: store.Delete, ID: id} }

// DeleteCascade returns the operation that deletes a document with its descendants and the documents that reference any of them.
func DeleteCascade(id dovetail.ID) store.Operation {
	return store.Operation{Verb: store.Delete, ID: id, Cascade: true}
}

// Apply does all of the operations in one transaction, or none of them. Their order does not matter: parents and referenced
// documents must exist once all is done, so one call may create a document together with what it references. IfVersion of an
// operation makes it depend on a version of its document, so that no update is lost.
//
// Errors: a *dovetail.Error that reports everything that is wrong, one part for each operation if there are several. Its
// Code says what kind of error it is, and its fields name the documents: Missing, BlockedBy, Current.
func (s *Store) Apply(ctx context.Context, operations ...store.Operation) (*store.Result, error) {
	return s.engine.Apply(ctx, operations, store.Options{})
}

// DryRun checks the operations as Apply does, with the same result and errors, and writes nothing.
func (s *Store) DryRun(ctx context.Context, operations ...store.Operation) (*store.Result, error) {
	return s.engine.Apply(ctx, operations, store.Options{DryRun: true})
}
