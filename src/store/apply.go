package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Apply does all of the operations in one transaction, or none of them. Parents and references must
// exist once all is done, so operations may come in any order, create a parent with its child, or
// refer to each other in a circle.
//
// Errors: everything that is wrong with the operations is reported together, each part with the
// operation's Index (from 1) and Position: CodeInvalid, CodeUnprocessable (the data breaks its
// schema), CodeExists, CodeNotFound, CodeMissing, CodeInUse, CodeStale, CodeForbidden, which has ReasonProtected
// where only a change set may change the document, and CodeConflict with ReasonManaged. CodeConflict without a reason means
// that competing writers did not let it through.
// A refused transaction changes nothing.
func (s *Store) Apply(ctx context.Context, operations []Operation, options Options) (*Result, error) {
	s.swapping.RLock()
	defer s.swapping.RUnlock()
	if err := options.checkMessage(); err != nil {
		return nil, err
	}
	expand, request := false, ""
	may, who := s.permissions(ctx), nameOf(ctx)
	shown, owner := s.viewOf(may), ownerOf(may, who)
	if options.DryRun {
		options.Key = ""
	}
	protections, approved := s.protections(ctx), make(map[dovetail.ID]bool, len(options.Approved))
	for _, id := range options.Approved {
		approved[id] = true
	}
	asked := operations
	if options.Requested != nil {
		asked = options.Requested
	}
	if options.Key != "" {
		if err := checkKey(options.Key); err != nil {
			return nil, err
		}
		request = s.digest(options, asked)
	}
	if options.Needs != nil {
		if err := s.needed(ctx, may, who, options); err != nil {
			return nil, err
		}
		may = nil
	}
	var result *Result
	const few = 16 // operations whose plan costs less than a look at the idempotency key
	replays := options.Key != "" && len(operations) > few
	err := Transact(ctx, func() (err error) {
		if replays {
			if result, err = s.replay(ctx, shown, owner, request, options); result != nil || err != nil {
				return err
			}
		}
		var lease *writeLease
		if !options.DryRun {
			if lease, err = s.lease(ctx); err != nil {
				return err
			}
		}
		approved := make(map[dovetail.ID]bool, len(options.Approved))
		for _, id := range options.Approved {
			approved[id] = true
		}
		newPlan := func() *plan {
			p := s.newPlan(operations, expand)
			if lease != nil {
				p.model, p.lease = lease.model, lease
			}
			p.author = provenance(ctx, options).Principal
			p.may, p.principal, p.view, p.requested = may, who, shown, len(asked)
			p.protections, p.approved = protections, approved
			return p
		}
		if len(operations) == 1 && operations[0].Verb == Delete {
			one := newPlan()
			record, removed, err := one.remove(ctx, options)
			if removed {
				s.report(ctx, record)
				result = resultOf(one, options, shown)
			}
			if removed || err != nil {
				return err
			}
			one.release(ctx)
		}
		p := newPlan()
		if err := p.build(ctx); err != nil {
			return err
		}
		failed, managed := slices.Clip(p.errs.Kept()), p.managed(options)
		p.omitted = p.errs.Omitted()
		var record *AuditRecord
		if len(failed)+managed.Total() > 0 || options.DryRun {
			var unmet []*dovetail.Error
			if !p.decided() {
				unmet, err = p.unmet(ctx)
			}
			if failed = append(failed, unmet...); len(failed) == 0 {
				failed, p.omitted = managed.Kept(), managed.Omitted() // what holds a document says more
			}
		} else if p.writes() || options.Key != "" {
			if record, err = p.complete(ctx, options, owner, request); err == nil {
				failed, err = p.commit(ctx, options)
			}
		}
		if err != nil {
			return err
		}
		failed = p.describeClaims(failed)
		if len(failed) > 0 && options.Key != "" && !replays {
			replays = true // what is refused now may have been done before
			p.release(ctx)
			return Retry(failed[0])
		}
		if alreadyDone(failed, owner, options.Key) {
			return Retry(failed[0])
		}
		switch decision := p.classify(failed); {
		case len(failed) == 0:
			if options.DryRun {
				if err := s.emit(ctx, p.record(ctx, true)); err != nil {
					return err
				}
			} else {
				s.report(ctx, record)
			}
			result = resultOf(p, options, shown)
			return nil
		case decision == refused:
			err := p.refusal(ctx, failed)
			return cmp.Or(p.recordRefusal(ctx, err), err)
		case decision == expandCascade:
			expand = true
		}
		p.release(ctx)
		return Retry(failed[0])
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// resultOf is the result of a plan that was done, as far as it is shown.
func resultOf(p *plan, options Options, shown *view) *Result {
	if options.Unfiltered || options.Needs != nil {
		return p.result(options.DryRun)
	}
	return shown.result(p.result(options.DryRun))
}

// complete adds to the transaction what is stored with it: the record under the idempotency key, and the one
// of the audit, which it returns, nil if there is none.
func (p *plan) complete(ctx context.Context, options Options, owner, request string) (*AuditRecord, error) {
	record := p.record(ctx, p.store.overlay() != nil) // what is staged is not done yet
	p.txn.Provenance = provenance(ctx, options)
	if options.Key != "" {
		if err := p.store.recordIdempotency(&p.txn, p.result(false), options, owner, request, p.now, p.model); err != nil {
			return nil, err
		}
	}
	return record, p.keep(record)
}

// provenance is what is kept with a transaction about its principal and its reason.
func provenance(ctx context.Context, options Options) Provenance {
	from := Provenance{Message: options.Message, Origin: options.Origin}
	if options.ChangeSet != "" {
		from.Origin = "changeSet:" + options.ChangeSet
	}
	if who := dovetail.PrincipalOf(ctx); who != nil {
		from.Principal = who.Name
	}
	return from
}

// commit commits the transaction. It returns what conditions failed; an error is anything else.
func (p *plan) commit(ctx context.Context, options Options) ([]*dovetail.Error, error) {
	fence, more := options.Fence, options.Together
	if fence != nil {
		p.txn.Require = append(p.txn.Require, *fence)
	}
	if more != nil {
		p.txn.Require, p.txn.Puts = append(p.txn.Require, more.Require...), append(p.txn.Puts, more.Puts...)
		p.txn.Deletes = append(p.txn.Deletes, more.Deletes...)
	}
	err := p.store.commitUnder(ctx, p.lease, p.txn)
	if err == nil {
		return nil, nil
	}
	var staging *stagingError
	if errors.As(err, &staging) {
		return nil, staging.error
	}
	failed := failedConditions(err)
	if failed == nil {
		return nil, err
	}
	if more != nil {
		for i := range more.Require {
			if fenced(failed, &more.Require[i]) != nil {
				return nil, &dovetail.Error{Code: dovetail.CodeConflict, Message: "what was to be stored together was stored by another request", Remedy: "try again", Err: err}
			}
		}
	}
	return failed, fenced(failed, fence)
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

// fenced returns the error when the fence is among what failed.
func fenced(failed []*dovetail.Error, fence *Condition) error {
	if fence == nil || !slices.ContainsFunc(failed, func(e *dovetail.Error) bool { return e.Key == fence.ID }) {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonFenced, Message: "another process holds the lease for this work",
		Remedy: "leave it to that one"}
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
