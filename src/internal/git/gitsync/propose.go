package gitsync

import (
	"context"
	"errors"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/store"
)

// ReasonNotInRepository is that of a proposal of what the repository does not hold.
const ReasonNotInRepository = "NOT_IN_REPOSITORY"

// Name is that of the repository.
func (a *Syncer) Name() string { return a.options.Name }

// Branch is the name of the branch that the store follows.
func (a *Syncer) Branch() string { return a.options.Branch }

// Update is Sync, for a request that needs what the repository has now.
func (a *Syncer) Update(ctx context.Context) error { return a.concealed(ctx, unusable(a.Sync(ctx))) }

// CheckBranch returns an error of CodeInvalid unless a text can be the name of a branch for a proposal.
func (a *Syncer) CheckBranch(name string) error { return a.repository.CheckBranch(name) }

// BranchHead asks the remote for the last commit of a branch; "" for one that does not exist there.
func (a *Syncer) BranchHead(ctx context.Context, branch string) (string, error) {
	hash, err := a.repository.BranchHead(ctx, branch)
	return hash, unusable(err)
}

// SetBranch makes a prepared commit the only one of a branch, whose last commit is as expected, "" if there is none.
func (a *Syncer) SetBranch(ctx context.Context, branch, expected string, made gitrepo.Made) error {
	return unusable(a.repository.SetBranch(ctx, branch, expected, made))
}

// DeleteBranch deletes a branch, whose last commit is as expected.
func (a *Syncer) DeleteBranch(ctx context.Context, branch, expected string) error {
	return unusable(a.repository.DeleteBranch(ctx, branch, expected))
}

// Prepare makes the commit that Apply would push for operations, upon the commit that the store follows and as of a time, and pushes
// nothing. What the repository does not hold is refused with CodeUnprocessable, ReasonNotInRepository; other errors are those of
// Apply.
func (a *Syncer) Prepare(ctx context.Context, operations []store.Operation, options store.Options, by Commit, at time.Time) (gitrepo.Made, error) {
	if err := a.refuseForeign(operations); err != nil {
		return gitrepo.Made{}, err
	}
	done, err := a.change(ctx)
	if err != nil {
		return gitrepo.Made{}, err
	}
	defer done()
	by = by.complete(ctx, operations)
	var made gitrepo.Made
	var refused error // of the operations, not of the repository
	err = store.Transact(ctx, func() error {
		refused = nil
		r, err := a.follow(asSystem(ctx), nil)
		if err != nil {
			return a.concealed(ctx, err)
		}
		made, err = a.repository.Make(ctx, gitrepo.Change{Name: by.Author, Email: by.Email, Message: by.Message, Edit: func(draft *gitrepo.Draft) error {
			if draft.Head() != r.Head {
				return errPeer
			}
			_, refused = a.plan(ctx, operations, options, draft)
			return refused
		}}, at)
		if errors.Is(err, errPeer) {
			return store.Retry(err)
		}
		return err
	})
	if errors.Is(err, errPeer) {
		err = overtaken()
	}
	if refused != nil {
		return gitrepo.Made{}, err
	}
	return made, unusable(err)
}

// refuseForeign refuses operations on what no file of the repository says.
func (a *Syncer) refuseForeign(operations []store.Operation) error {
	const remedy = "drop it from the change set, or merge the change set without a branch"
	var errs dovetail.Errors
	for i, op := range operations {
		var message string
		switch kind := kindOf(op.ID); {
		case !isHeld(kind) || !a.mayHold(op.ID):
			message = "the instance repository does not hold documents of the kind " + kind
		case op.Verb == store.PutStatus || op.Status != nil:
			message = "the instance repository does not hold the status of documents"
		case len(op.Content) > 0:
			message = "the instance repository does not hold the files of documents"
		default:
			continue
		}
		errs.Add(&dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonNotInRepository, Key: op.ID, Index: i + 1, Message: string(op.ID) + ": " + message, Remedy: remedy})
	}
	return errs.Err("a branch cannot carry all of it")
}
