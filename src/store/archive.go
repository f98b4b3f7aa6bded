package store

import (
	"context"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Export yields every document as it is stored, in the byte order of ids, all of one moment where the backend keeps
// versions or lists snapshots.
func (s *Store) Export(ctx context.Context) iter.Seq2[*dovetail.Document, error] {
	if s.backend.Capabilities().Versions {
		then, err := s.At(ctx, "")
		if err != nil {
			return func(yield func(*dovetail.Document, error) bool) { yield(nil, err) }
		}
		s = then
	}
	return s.Documents(ctx, ListQuery{})
}

// Import stores exported documents with their uids, revisions, times and status, in one
// transaction and in any order. It trusts nothing else: parents and references are checked, and the
// references found again, under the schema in force. None of the documents may exist.
//
// Documents of an export that are sealed are opened with the data keys that came along and the main keys of the store.
//
// Of the options Key and Message count. Errors are those of Apply, with Index counting the documents, and those of Sealer.Unseal.
func (s *Store) Import(ctx context.Context, documents []*dovetail.Document, options Options) (*Result, error) {
	operations := make([]Operation, len(documents))
	var failed dovetail.Errors
	for i, sealed := range documents {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, dovetail.AsError(ctx.Err())
		}
		doc, err := s.unseal(ctx, sealed)
		if err != nil {
			e := *dovetail.AsError(err)
			e.Key, e.Index = sealed.ID, i+1
			failed.Add(&e)
			continue
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			e := dovetail.AsError(err)
			failed.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Key: doc.ID, Index: i + 1,
				Message: "the data of " + string(doc.ID) + " cannot be read: " + e.Message})
			continue
		}
		if why := incomplete(doc); why != "" {
			failed.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Key: doc.ID, Index: i + 1,
				Message: string(doc.ID) + " is not an exported document: " + why, Remedy: "import what dovetail export wrote"})
		}
		operations[i] = Operation{Verb: Create, ID: doc.ID, Data: data, Content: doc.Content, restore: doc}
	}
	if err := failed.Err("the import was refused"); err != nil {
		return nil, err
	}
	return s.Apply(ctx, operations, Options{Key: options.Key, Message: options.Message})
}

func incomplete(doc *dovetail.Document) string {
	switch {
	case doc.UID == "":
		return "it has no uid"
	case doc.Revision == 0:
		return "it has no revision"
	case doc.Created.IsZero() || doc.Updated.IsZero():
		return "it has no times"
	}
	return ""
}
