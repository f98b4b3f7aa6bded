package store

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Resolutions decide conflicts: of a document, by the path of a MergeConflict, which side counts.
type Resolutions map[dovetail.ID]map[string]api.Take

// StagedIDs returns the ids of staged documents, in their order.
func StagedIDs(staged []Staged) []dovetail.ID {
	ids := make([]dovetail.ID, len(staged))
	for i, one := range staged {
		ids[i] = one.ID
	}
	return ids
}

// MergeConflict is a value that was staged, and changed in another way since.
type MergeConflict struct {
	ID dovetail.ID
	// Path is that of the value, in the form of JSON Pointer; "" is the document as a whole, its files or its status.
	Path    string
	Message string
	// Base, Staged and Now are the value at the base, in the change set and in the store; nil where it does not exist, and
	// where the conflict is about files.
	Base, Staged, Now *value.Value
}

// MergeOperations returns the operations that make of what there is now what was staged: values that were changed since the
// base are merged as value.Merge does, and a document that is as it shall be needs no operation. Conflicts are values that
// both changed, each in a way of its own, and that resolve does not decide; operations leave them as they are now. No resolution takes a side
// of a document that a service manages: it would fit neither what the service made of the one nor of the other. They are
// not yet checked for integrity, which Apply does.
func (s *Store) MergeOperations(ctx context.Context, staged []Staged, resolve Resolutions) ([]Operation, []MergeConflict, error) {
	now, err := s.fetch(ctx, StagedIDs(staged))
	if err != nil {
		return nil, nil, err
	}
	created := make(map[string]bool) // kinds
	for i, one := range staged {
		if one.Document != nil && now[i] == nil {
			created[one.Document.Kind] = true
		}
	}
	var operations []Operation
	var conflicts []MergeConflict
	for i, one := range staged {
		r := reconciliation{id: one.ID, base: one.Base, target: one.Document, now: now[i], resolve: resolve[one.ID], words: &mergeWords, status: true}
		if kind, err := s.Model().KindOf(one.ID); err == nil {
			if r.authored = s.config.Author[kind.Name] != nil; kind.Managed {
				r.resolve, r.words = nil, &managedWords
			}
		}
		r.moves = one.Base != nil && created[one.Base.Kind]
		op, err := r.operation()
		if err != nil {
			return nil, nil, err
		}
		if op != nil {
			operations = append(operations, *op)
		}
		conflicts = slices.Concat(conflicts, r.conflicts)
	}
	return operations, conflicts, nil
}
