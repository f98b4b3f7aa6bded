package changeset

import (
	"context"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Proposed is an open change set that is proposed as a branch.
type Proposed struct {
	Name    string
	Commits []string // those that the branch had
	Staged  []store.Staged
	// Operations returns what a merge does to what there is now, and the conflicts.
	Operations func(ctx context.Context) ([]store.Operation, []store.MergeConflict, error)
	// Approved says that it has the approvals that protections require, and that no reviewer rejects it.
	Approved bool
	// Merged returns what records that a commit merged it, Differs that a commit merged the branch with a different content; nil where
	// that is recorded already.
	Merged, Differs func(commit string) (*store.Operation, error)
}

// Proposed returns the open change sets that are proposed as branches, whoever asks.
func (c *ChangeSets) Proposed(ctx context.Context) ([]Proposed, error) {
	var all []Proposed
	for doc, err := range c.store.Documents(own(ctx), store.ListQuery{Kind: Kind}) {
		if err != nil {
			return nil, err
		}
		head, err := read(doc)
		if err != nil {
			return nil, err
		}
		if head.State != api.ChangeSetOpen || head.Proposal == nil {
			continue
		}
		cs, err := c.load(own(ctx), head.name)
		switch {
		case dovetail.CodeOf(err) == dovetail.CodeNotFound:
			continue
		case err != nil:
			return nil, err
		case cs.State == api.ChangeSetOpen && cs.Proposal != nil:
			all = append(all, c.proposed(ctx, cs))
		}
	}
	return all, nil
}

func (c *ChangeSets) proposed(ctx context.Context, cs *changeSet) Proposed {
	record := func(change func(next *changeSet)) (*store.Operation, error) {
		next := *cs
		next.status = cs.copyStatus()
		change(&next)
		op, err := next.statusOperation()
		return &op, err
	}
	return Proposed{Name: cs.name, Commits: cs.Proposal.Commits, Staged: stagedOf(cs.operations), Approved: cs.approved(c.options.Protections(ctx)) == nil,
		Operations: func(ctx context.Context) ([]store.Operation, []store.MergeConflict, error) {
			return c.mergeNow(ctx, cs, cs.operations)
		},
		Merged: func(commit string) (*store.Operation, error) {
			return record(func(next *changeSet) {
				next.State, next.Merged = api.ChangeSetMerged, &api.Ending{By: principal(ctx).Name, Time: c.now(), Commit: commit}
				next.Proposal.Differs = ""
			})
		},
		Differs: func(commit string) (*store.Operation, error) {
			if cs.Proposal.Differs == commit {
				return nil, nil
			}
			return record(func(next *changeSet) { next.Proposal.Differs = commit })
		}}
}

// remaining lists what operations would change now.
func (c *ChangeSets) remaining(ctx context.Context, operations []store.Operation) ([]api.Remaining, error) {
	ids := make([]dovetail.ID, len(operations))
	for i, op := range operations {
		ids[i] = op.ID
	}
	now, err := c.store.GetAll(ctx, ids)
	if err != nil {
		return nil, err
	}
	all := make([]api.Remaining, len(operations))
	for i, op := range operations {
		was, err := dataOf(now[i])
		if err != nil {
			return nil, err
		}
		var is *value.Value
		switch op.Verb {
		case store.Delete:
		case store.PutStatus:
			is = was
		default:
			is = op.Data
		}
		all[i] = api.Remaining{ID: op.ID, Changes: impact.Changes(was, is)}
	}
	return all, nil
}
