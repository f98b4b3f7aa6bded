package store

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// ProblemImmutableDefault is what Impact warns of, without refusing the ref-schema: the next write gives the document a default that
// cannot change afterwards.
const ProblemImmutableDefault = "immutable-default"

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
