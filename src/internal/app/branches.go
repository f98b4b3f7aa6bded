package app

import (
	"context"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/store"
)

// repositories are those in which change sets are proposed.
type repositories struct{ *gitsync.Repositories }

func (r repositories) Of(ctx context.Context, operations []store.Operation) (string, error) {
	names := r.Names()
	if len(names) == 1 && names[0] == gitsync.DefaultName {
		return "", nil
	}
	if len(operations) == 0 {
		return names[0], nil
	}
	syncer, err := r.Repositories.Of(ctx, operations, store.Options{Managed: true})
	if err != nil {
		return "", err
	}
	if syncer == nil {
		return "", &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: gitsync.ReasonNotInRepository, Message: "no instance repository holds what the change set changes",
			Remedy: "merge the change set without a branch"}
	}
	return syncer.Name(), nil
}

func (r repositories) Named(name string) (changeset.Branches, error) {
	if name == "" {
		name = gitsync.DefaultName
	}
	syncer, err := r.Repositories.Named(name)
	if err != nil {
		return nil, err
	}
	return branches{syncer}, nil
}

// branches are those that change sets are proposed as, in the repository that is attached.
type branches struct{ syncer *gitsync.Syncer }

func (b branches) Update(ctx context.Context) error { return b.syncer.Update(ctx) }

func (b branches) Branch() string { return b.syncer.Branch() }

func (b branches) CheckBranch(name string) error { return b.syncer.CheckBranch(name) }

func (b branches) Head(ctx context.Context, branch string) (string, error) {
	return b.syncer.BranchHead(ctx, branch)
}

func (b branches) Commit(ctx context.Context, draft changeset.Draft) (*changeset.Commit, error) {
	made, err := b.syncer.Prepare(ctx, draft.Operations, store.Options{Managed: true, ChangeSet: draft.ChangeSet, Approved: draft.IDs},
		gitsync.Commit{Author: draft.Author, Message: draft.Message}, draft.Time)
	if err != nil {
		return nil, err
	}
	return &changeset.Commit{Hash: made.Hash, Base: made.Base, Push: func(ctx context.Context, branch, expected string) error {
		return b.syncer.SetBranch(ctx, branch, expected, made)
	}}, nil
}

func (b branches) Delete(ctx context.Context, branch, expected string) error {
	return b.syncer.DeleteBranch(ctx, branch, expected)
}

// proposals are the change sets whose branches the sync recognizes when they are merged.
func proposals(resources *store.Store, gate *gatekeeper, carriers map[string]changeset.Carrier) func(context.Context) ([]gitsync.Proposal, error) {
	sets := changeset.New(resources, changeset.Options{Protections: gate.protections(), Carriers: carriers})
	return func(ctx context.Context) ([]gitsync.Proposal, error) {
		open, err := sets.Proposed(ctx)
		all := make([]gitsync.Proposal, len(open))
		for i, one := range open {
			all[i] = gitsync.Proposal(one)
		}
		return all, err
	}
}
