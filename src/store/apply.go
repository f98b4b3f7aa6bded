package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxAttempts bounds how often Apply plans anew because a competing writer came first.
const maxAttempts = 100

// Apply does all of the operations in one transaction, or none of them. Parents and references must
// exist once all is done, so operations may come in any order, create a parent with its child, or
// refer to each other in a circle.
//
// Errors: everything that is wrong with the operations is reported together, each part with the
// operation's Index (from 1) and Position: CodeInvalid, CodeUnprocessable (the data breaks its
// schema), CodeExists, CodeNotFound, CodeMissing, CodeInUse, CodeStale. CodeConflict means that
// competing writers did not let it through. A refused transaction changes nothing.
func (s *Store) Apply(ctx context.Context, operations []Operation, options Options) (*Result, error) {
	s.swapping.RLock()
	defer s.swapping.RUnlock()
	expand, request := false, ""
	if options.DryRun {
		options.Key = ""
	}
	if options.Key != "" {
		request = digest(operations)
	}
	for attempt := range maxAttempts {
		if options.Key != "" {
			if done, err := s.recall(ctx, options.Key, request); done != nil || err != nil {
				return done, err
			}
		}
		p := s.newPlan(operations, expand)
		if err := p.build(ctx); err != nil {
			return nil, err
		}
		failed := p.errs
		if len(failed) > 0 || options.DryRun {
			unmet, err := p.unmet(ctx)
			if err != nil {
				return nil, err
			}
			failed = append(failed, unmet...)
		} else if p.writes() || options.Key != "" {
			if options.Key != "" {
				if err := p.remember(options.Key, request); err != nil {
					return nil, err
				}
			}
			err := s.backend.Commit(ctx, p.txn)
			if err != nil {
				failed = failedConditions(err)
				if failed == nil {
					return nil, err
				}
			}
		}
		if alreadyDone(failed, options.Key) {
			continue
		}
		switch verdict := p.judge(failed); {
		case len(failed) == 0:
			return p.result(options.DryRun), nil
		case verdict == refused:
			return nil, p.refusal(failed)
		case verdict == expandCascade:
			expand = true
		}
		if err := pause(ctx, attempt); err != nil {
			return nil, err
		}
	}
	return nil, &dovetail.Error{Code: dovetail.CodeConflict,
		Message: "competing writers kept changing the same documents", Remedy: "try again"}
}

// failedConditions returns the parts of a commit's error when it says that conditions failed, and
// nil for any other error.
func failedConditions(err error) []*dovetail.Error {
	var failure *dovetail.Error
	if !errors.As(err, &failure) {
		return nil
	}
	switch failure.Code {
	case dovetail.CodeExists, dovetail.CodeNotFound, dovetail.CodeStale, dovetail.CodeMissing, dovetail.CodeInUse:
	default:
		return nil
	}
	if len(failure.Errors) > 0 {
		return failure.Errors
	}
	return []*dovetail.Error{failure}
}

// pause waits a little before the next attempt: not at all at first, then longer and at random, so
// that writers that compete for a document do not keep step.
func pause(ctx context.Context, attempt int) error {
	const eager, longest = 3, 20 * time.Millisecond
	if attempt < eager {
		return nil
	}
	wait := min(longest, time.Millisecond<<min(attempt-eager, 10))
	select {
	case <-ctx.Done():
		return dovetail.AsError(ctx.Err())
	case <-time.After(rand.N(wait)):
		return nil
	}
}

// Create creates one document.
func (s *Store) Create(ctx context.Context, op Operation) (*dovetail.Document, error) {
	op.Verb = Create
	return s.one(ctx, op)
}

// Put creates or replaces one document.
func (s *Store) Put(ctx context.Context, op Operation) (*dovetail.Document, error) {
	op.Verb = Put
	return s.one(ctx, op)
}

// Delete deletes one document.
func (s *Store) Delete(ctx context.Context, op Operation) (*dovetail.Document, error) {
	op.Verb = Delete
	return s.one(ctx, op)
}

func (s *Store) one(ctx context.Context, op Operation) (*dovetail.Document, error) {
	result, err := s.Apply(ctx, []Operation{op}, Options{})
	if err != nil {
		return nil, err
	}
	return result.Outcomes[0].Document, nil
}
