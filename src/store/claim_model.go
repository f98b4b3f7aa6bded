package store

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// constraintSet is what claims may say of their constraints under some models; nil ones have none.
func constraintSet(models ...*schema.Model) map[string]bool {
	set := make(map[string]bool)
	for _, model := range models {
		if model == nil {
			continue
		}
		for _, kind := range model.Kinds() {
			for _, constraint := range constraintsOf(kind) {
				set[constraint] = true
			}
		}
	}
	return set
}

// duplicates finds documents that have the same unique values under a model, by constraints that the previous one does not
// have.
func (s *Store) duplicates(ctx context.Context, previous, next *schema.Model, found func(Finding)) error {
	known := constraintSet(previous)
	for _, kind := range next.Kinds() {
		check := &claimCheck{store: s, model: next, only: func(constraint string) bool { return !known[constraint] }}
		if !adds(kind, known) {
			continue
		}
		holders := make(map[dovetail.ID]dovetail.ID)
		for doc, err := range s.backend.List(ctx, Query{Kind: kind.Name}) {
			if doc == nil {
				return err
			}
			if err != nil {
				continue // one that cannot be opened is a finding of its own
			}
			all, err := check.wantedOf(ctx, []*dovetail.Document{doc})
			if err != nil {
				return err
			}
			for _, w := range all {
				if other, taken := holders[w.id]; taken {
					found(notUniqueFinding(&w, other))
					continue
				}
				holders[w.id] = doc.ID
			}
		}
	}
	return nil
}

// adds says whether a kind has a constraint that is not known.
func adds(kind *schema.Kind, known map[string]bool) bool {
	for _, constraint := range constraintsOf(kind) {
		if !known[constraint] {
			return true
		}
	}
	return false
}

// lacks says whether the previous model, nil for none, has constraints that the next one does not have.
func lacks(next, previous *schema.Model) bool {
	known := constraintSet(next)
	for constraint := range constraintSet(previous) {
		if !known[constraint] {
			return true
		}
	}
	return false
}

// prepareClaims writes the claims that the next model asks for before it is put in force, by a transaction that is not empty.
func (s *Store) prepareClaims(ctx context.Context, stored *dovetail.Document, next *schema.Model, txn Txn) error {
	if len(txn.Puts) == 0 {
		return nil
	}
	previous := previousModel(stored)
	if !lacks(previous, next) {
		return nil
	}
	drop := func() error {
		if previous == nil && stored != nil {
			return nil // it is not known which ones another process needs
		}
		return s.dropClaims(ctx, previous) // what a change that was broken off left
	}
	if err := drop(); err != nil {
		return err
	}
	found, err := s.buildClaims(ctx, previous, next)
	if err != nil || len(found) == 0 {
		return err
	}
	if err := drop(); err != nil {
		return err
	}
	const shown = 20
	return impactError(found[:min(len(found), shown)], len(found))
}

// buildClaims writes the claims of stored documents that the previous model did not ask for, page by page. It is done
// before the next model is in force: under the previous one these claims mean nothing. What it finds are documents that
// have the same values.
func (s *Store) buildClaims(ctx context.Context, previous, next *schema.Model) ([]Finding, error) {
	known := constraintSet(previous)
	check := &claimCheck{store: s, model: next, only: func(constraint string) bool { return !known[constraint] }}
	var found []Finding
	for _, kind := range next.Kinds() {
		if !adds(kind, known) {
			continue
		}
		for ids, err := range s.pagesOf(ctx, kind.Name) {
			if err != nil {
				return nil, err
			}
			findings, err := check.documents(ctx, ids, true)
			if err != nil {
				return nil, err
			}
			for _, f := range findings {
				if f.Problem == ProblemNotUnique {
					found = append(found, f)
				}
			}
		}
	}
	return found, nil
}

// dropClaims deletes the claims whose constraints none of the models has.
func (s *Store) dropClaims(ctx context.Context, models ...*schema.Model) error {
	const page = 500
	known := constraintSet(models...)
	var old []dovetail.ID
	flush := func() error {
		if len(old) == 0 {
			return nil
		}
		err := s.backend.Commit(ctx, Txn{Deletes: old})
		old = nil
		return err
	}
	for doc, err := range s.backend.List(ctx, Query{Kind: claimKind}) {
		if err != nil {
			return err
		}
		if held, ok := claimOf(doc); !ok || !known[held.Constraint] {
			old = append(old, doc.ID)
		}
		if len(old) == page {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
