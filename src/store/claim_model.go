package store

import (
	"cmp"
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
// have. Documents that the change of the model writes again have the references that they are given.
func (s *Store) duplicates(ctx context.Context, previous, next *schema.Model, reindexed []*dovetail.Document, found func(Finding)) error {
	known := constraintSet(previous)
	check := addedClaims(s, known, next, reindexed)
	for _, kind := range next.Kinds() {
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

// addedClaims checks the claims of constraints that are not known.
func addedClaims(s *Store, known map[string]bool, next *schema.Model, reindexed []*dovetail.Document) *claimCheck {
	check := newClaimCheck(s, next)
	check.only = func(constraint string) bool { return !known[constraint] }
	check.reindexed = make(map[dovetail.ID]*dovetail.Document, len(reindexed))
	for _, doc := range reindexed {
		check.reindexed[doc.ID] = doc
	}
	return check
}

// adds reports whether a kind has a constraint that is not known.
func adds(kind *schema.Kind, known map[string]bool) bool {
	for _, constraint := range constraintsOf(kind) {
		if !known[constraint] {
			return true
		}
	}
	return false
}

// lacks reports whether the previous model, nil if there is none, has constraints that the next one does not have.
func lacks(next, previous *schema.Model) bool {
	known := constraintSet(next)
	for constraint := range constraintSet(previous) {
		if !known[constraint] {
			return true
		}
	}
	return false
}

// prepareClaims writes the claims that the next model asks for before it is put in force in place of the stored one, with the
// documents that are written again with it.
func (s *Store) prepareClaims(ctx context.Context, stored *dovetail.Document, next *schema.Model, reindexed []*dovetail.Document) error {
	previous := previousModel(stored)
	if !lacks(previous, next) {
		return nil
	}
	inForce := versionOf(modelID, stored)
	drop := func() error {
		if previous == nil && stored != nil {
			return nil // it is not known which ones another process needs
		}
		return s.dropClaims(ctx, previous, &inForce) // what a change that was broken off left
	}
	if err := drop(); err != nil {
		return err
	}
	found, err := s.buildClaims(ctx, previous, next, reindexed, &inForce)
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
// have the same values. Each transaction is conditional on the fence, where there is one.
func (s *Store) buildClaims(ctx context.Context, previous, next *schema.Model, reindexed []*dovetail.Document, fence *Condition) ([]Finding, error) {
	known := constraintSet(previous)
	check := addedClaims(s, known, next, reindexed)
	check.fence = fence
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

// dropClaims deletes the claims whose constraints a model does not have; nil has none. Once the fence no longer holds it
// leaves the rest to the change that came in between, which may need them.
func (s *Store) dropClaims(ctx context.Context, model *schema.Model, fence *Condition) error {
	const page = 500
	known := constraintSet(model)
	var old []dovetail.ID
	flush := func() error {
		if len(old) == 0 {
			return nil
		}
		err := s.backend.Commit(ctx, Txn{Deletes: old, Require: []Condition{*fence}})
		old = nil
		return cmp.Or(fenced(failedConditions(err), fence), err)
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
