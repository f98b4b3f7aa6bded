package store

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// ScrubResult is what a scrub found.
type ScrubResult struct {
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended"`
	Documents int       `json:"documents"` // that were checked
	Findings  []Finding `json:"findings"`  // the first maxScrubbed
	Total     int       `json:"total"`     // of findings
}

const maxScrubbed = 100

// The last result is an internal document, so that every process knows it.
const (
	scrubKind = "_scrub"
	scrubID   = dovetail.ID(scrubKind + "/last")
)

// Scrub checks all documents and indexes as Check does, while the store is in use, and keeps the result. rest is
// called after every few hundred documents, and may take its time; its error ends the scrub. What a write under way
// made look wrong is examined again after rest, and is no finding then. For the fence see PurgeIdempotencyRecords.
func (s *Store) Scrub(ctx context.Context, rest func(context.Context) error, fence *Condition) (*ScrubResult, error) {
	r := &ScrubResult{Started: s.now(), Findings: []Finding{}}
	found, err := s.scrubDocuments(ctx, r, rest)
	if err != nil {
		return nil, err
	}
	claims, err := s.confirmedClaims(ctx, rest)
	if err != nil {
		return nil, err
	}
	found = append(found, claims...)
	for _, check := range []func(context.Context, bool) iter.Seq2[Finding, error]{s.backend.Check, s.checkServices} {
		more, err := confirmedTwice(ctx, check, rest)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	r.Ended, r.Total = s.now(), len(found)
	r.Findings = append(r.Findings, found[:min(len(found), maxScrubbed)]...)
	data, err := json.Marshal(r)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	txn := Txn{Puts: []*dovetail.Document{s.internal(scrubID, scrubKind, data, r.Ended)}}
	if fence != nil {
		txn.Require = []Condition{*fence}
	}
	return r, s.backend.Commit(ctx, txn)
}

// scrubDocuments checks the documents, page by page.
func (s *Store) scrubDocuments(ctx context.Context, r *ScrubResult, rest func(context.Context) error) ([]Finding, error) {
	var found []Finding
	check, err := s.checkStored(ctx)
	if err != nil {
		return nil, err
	}
	for after := dovetail.ID(""); ; {
		page, damaged, err := s.scrubPage(ctx, after)
		if err != nil {
			return nil, err
		}
		found = append(found, damaged...)
		if len(page) == 0 {
			return found, nil
		}
		after = page[len(page)-1].ID
		page = slices.DeleteFunc(page, func(d *dovetail.Document) bool { return isInternal(d.ID) })
		r.Documents += len(page)
		suspects, err := s.defects(ctx, s.Model(), page, check, changedRules(s.Model()))
		if err != nil {
			return nil, err
		}
		if err := rest(ctx); err != nil {
			return nil, err
		}
		if len(suspects) == 0 {
			continue
		}
		confirmed, err := s.confirmed(ctx, suspects, check)
		if err != nil {
			return nil, err
		}
		found = append(found, confirmed...)
	}
}

// scrubPage reads a page. Where the database says that stored data is damaged, that is a finding, and the page ends.
func (s *Store) scrubPage(ctx context.Context, after dovetail.ID) (page []*dovetail.Document, damaged []Finding, err error) {
	for doc, err := range s.backend.List(ctx, Query{After: after, Limit: inspected}) {
		if dovetail.CodeOf(err) == dovetail.CodeCorrupt {
			damaged = append(damaged, Finding{Problem: ProblemUnreadable, ID: dovetail.AsError(err).Key, Message: dovetail.AsError(err).Message})
			if doc == nil {
				return page, damaged, nil
			}
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		page = append(page, doc)
	}
	return page, damaged, nil
}

// confirmed returns the findings that are still true of documents.
func (s *Store) confirmed(ctx context.Context, suspects []Finding, check refCheck) ([]Finding, error) {
	var ids []dovetail.ID
	for _, f := range suspects {
		ids = append(ids, f.ID)
	}
	slices.Sort(ids)
	documents, err := s.fetch(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	documents = slices.DeleteFunc(documents, func(d *dovetail.Document) bool { return d == nil })
	return s.defects(ctx, s.Model(), documents, check, changedRules(s.Model()))
}

// confirmedTwice returns what is wrong in two checks, one after the other.
func confirmedTwice(ctx context.Context, of func(context.Context, bool) iter.Seq2[Finding, error], rest func(context.Context) error) ([]Finding, error) {
	check := func() (found []Finding, err error) {
		for f, err := range of(ctx, false) {
			if err != nil {
				return nil, err
			}
			found = append(found, f)
		}
		return found, nil
	}
	first, err := check()
	if err != nil || len(first) == 0 {
		return nil, err
	}
	if err := rest(ctx); err != nil {
		return nil, err
	}
	second, err := check()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(first, func(f Finding) bool { return !slices.Contains(second, f) }), nil
}

// LastScrub returns what the last scrub found, nil before the first one. It is for reports on the state of the store:
// its findings name documents without regard to the principal's rights.
func (s *Store) LastScrub(ctx context.Context) (*ScrubResult, error) {
	docs, err := s.fetch(ctx, []dovetail.ID{scrubID})
	if err != nil || docs[0] == nil {
		return nil, err
	}
	r := new(ScrubResult)
	if err := json.Unmarshal(docs[0].Data, r); err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "the result of the last scrub cannot be read", Err: err}
	}
	return r, nil
}
