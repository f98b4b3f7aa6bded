package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// What Impact warns of: a ref-schema that does this is not refused.
const (
	ProblemImmutableDefault = "immutable-default" // the next write gives the document a default that cannot change afterwards
	ProblemHistoryErased    = "history-erased"    // documents are encrypted, which erases what their earlier versions said
)

// warnings counts what a ref-schema does that cannot be undone.
func (s *Store) warnings(ctx context.Context, previous, next *schema.Model, count func(Finding)) error {
	if previous == nil {
		return nil
	}
	changed := make(map[string][]schema.Change)
	for _, d := range schema.Diff(previous, next) {
		changed[d.Kind] = append(changed[d.Kind], d.Change)
	}
	for _, kind := range next.Kinds() {
		if slices.Contains(changed[kind.Name], schema.SensitiveChanged) {
			if err := s.warnOfErasure(ctx, kind, count); err != nil {
				return err
			}
		}
		if len(kind.Immutable) > 0 && kind.Defaults && slices.ContainsFunc(changed[kind.Name], func(c schema.Change) bool {
			return c == schema.SchemaChanged || c == schema.DefaultsChanged || c == schema.ImmutableChanged
		}) {
			if err := s.warnOfDefaults(ctx, kind, count); err != nil {
				return err
			}
		}
	}
	return nil
}

// warnOfDefaults counts the documents that lack immutable values which have defaults.
func (s *Store) warnOfDefaults(ctx context.Context, kind *schema.Kind, count func(Finding)) error {
	for doc, err := range s.backend.List(ctx, Query{Kind: kind.Name}) {
		if err != nil {
			return err
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			continue // which is a finding of its own
		}
		with := filled(kind, data)
		for _, path := range kind.Immutable {
			for pointer, v := range path.Values(with) {
				if given, found := data.Find(pointer); !found || !same(given, v) {
					count(Finding{Problem: ProblemImmutableDefault, ID: doc.ID, Warning: true,
						Message: string(doc.ID) + ": " + pointer + " cannot change, and gets its default when the document is written next"})
				}
			}
		}
	}
	return nil
}

// warnOfErasure counts the documents of a kind that are encrypted in another way than they are stored.
func (s *Store) warnOfErasure(ctx context.Context, kind *schema.Kind, count func(Finding)) error {
	if !kind.Sensitive.Any() || !s.Encryption().Sealed {
		return nil
	}
	documents := 0
	for _, err := range s.backend.List(ctx, Query{Kind: kind.Name}) {
		if err != nil {
			return err
		}
		documents++
	}
	if documents > 0 {
		count(Finding{Problem: ProblemHistoryErased, Warning: true,
			Message: fmt.Sprintf("%s: %d documents are encrypted, which erases what their earlier versions said: neither at= nor a revert reaches them afterwards", kind.Name, documents)})
	}
	return nil
}
