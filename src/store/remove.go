package store

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// removes reports whether the plan, of one deletion, deletes that document and nothing else, as far as one can tell before it is read, on a backend that
// reads and locks it in one step.
func (p *plan) removes(ctx context.Context, options Options) bool {
	if p.steps[0].op.Cascade || p.expand || options.DryRun || options.Key != "" || options.Fence != nil {
		return false
	}
	if _, able := p.store.backend.(Remover); !able || p.store.config.Audit.Keep || p.begin(ctx) != nil {
		return false
	}
	st := &p.steps[0]
	return !st.invalid && st.kind != nil && !constrained(st.kind) && !p.mayCascade()
}

// remove does a plan that deletes one document, if it is such a one, and returns the record of the audit. Where that does not do, for whatever
// reason, nothing was changed: another plan is made the usual way, which finds out why.
func (p *plan) remove(ctx context.Context, options Options) (record *AuditRecord, removed bool, err error) {
	if !p.removes(ctx, options) {
		return nil, false, nil
	}
	defer p.store.keepLease(ctx, p.lease)()
	by := provenance(ctx, options)
	removed, err = p.store.backend.(Remover).Remove(ctx, p.steps[0].op.ID, by, func(doc *dovetail.Document) (Txn, bool) {
		if HoldMemory(ctx, SizeOf(doc)) != nil {
			return Txn{}, false
		}
		p.steps[0].current = doc
		if p.finish(ctx) != nil {
			return Txn{}, false
		}
		if managed := p.managed(options); p.errs.Total()+managed.Total() > 0 {
			return Txn{}, false
		}
		var failed error
		if record, failed = p.complete(ctx, options, "", ""); failed != nil {
			return Txn{}, false
		}
		if p.lease != nil {
			p.txn.Before = p.store.agreement.before(p.lease)
		}
		return p.txn, true
	})
	return record, removed, err
}
