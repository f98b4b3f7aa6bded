package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// checkStored is the refCheck of stored documents that also holds their terms against the indexes that are complete.
func (s *Store) checkStored(ctx context.Context) (refCheck, error) {
	state, err := s.readIndexes(ctx)
	if err != nil {
		return nil, err
	}
	model := s.Model()
	return func(s *Store, doc *dovetail.Document, candidates []schema.Candidate) ([]Finding, []link) {
		findings, needs := s.checkReferences(doc, candidates)
		if lacking := lackingTerms(state, model, doc); len(lacking) > 0 {
			findings = append(findings, Finding{Problem: ProblemUnindexed, ID: doc.ID,
				Message: fmt.Sprintf("%s: %d of its indexed values are missing from the index, so that selectors do not find it by them", doc.ID, len(lacking))})
		}
		return findings, needs
	}, nil
}

// lackingTerms returns the terms that a document should have and has not. More than it should have only cost time, since what an
// index finds is always looked at: a document keeps those of an index that is gone until it is written again.
func lackingTerms(state *indexes, model *schema.Model, doc *dovetail.Document) []string {
	kind, known := model.Kind(doc.Kind)
	if _, building := state.Build[doc.Kind]; !known || building || state.Model != model.Hash() {
		return nil
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil // a finding of its own
	}
	unused := slices.Clone(doc.Terms)
	for _, index := range kind.Indexes() {
		if _, complete := state.Ready[doc.Kind][index.String()+itemsPlace]; !complete {
			unused = append(unused, itemTerms(kind, index, data)...)
		}
	}
	return slices.DeleteFunc(termsOf(kind, data), func(term string) bool { return slices.Contains(unused, term) })
}

// repairTerms gives a document the terms that it lacks, and reports whether it has them now.
func (s *Store) repairTerms(ctx context.Context, id dovetail.ID) (bool, error) {
	state, err := s.readIndexes(ctx)
	if err != nil {
		return false, err
	}
	found, err := s.fetch(ctx, []dovetail.ID{id})
	if err != nil || found[0] == nil {
		return false, err
	}
	lacking := lackingTerms(state, s.Model(), found[0])
	if len(lacking) == 0 {
		return true, nil
	}
	found[0].Terms = append(found[0].Terms, lacking...)
	slices.Sort(found[0].Terms)
	return true, s.backend.SetTerms(ctx, found)
}
