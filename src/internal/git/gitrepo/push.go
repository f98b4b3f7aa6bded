package gitrepo

import (
	"bytes"
	"context"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// push sends a commit on the head, with the objects that are new, and takes it as the head. The remote compares
// and swaps its branch, so that no commit of another writer is lost. Exactly the objects that are new are sent, without
// the walk over the whole repository that would find them. The caller holds asking.
func (r *Repository) push(ctx context.Context, commit plumbing.Hash, pack *bytes.Buffer) error {
	session, err := r.receivePack(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	advertised, err := r.advertised(ctx, session, maxReport)
	if err != nil {
		return err
	}
	if advertised.References[r.branch.String()] != r.head {
		return r.overtaken(ctx)
	}
	request := packp.NewReferenceUpdateRequestFromCapabilities(advertised.Capabilities)
	request.Commands = []*packp.Command{{Name: r.branch, Old: r.head, New: commit}}
	request.Packfile = io.NopCloser(pack)
	if report, err := session.ReceivePack(ctx, request); err != nil {
		return r.pushOutcome(ctx, commit, report != nil, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.git.Storer.SetReference(plumbing.NewHashReference(r.branch, commit)); err != nil {
		return broken(r.options.Dir, err)
	}
	r.head = commit
	return nil
}

// overtaken takes what the remote has and says so.
func (r *Repository) overtaken(ctx context.Context) error {
	if _, err := r.pull(ctx); err != nil {
		return err
	}
	return &dovetail.Error{Code: dovetail.CodeConflict, Message: "another commit was pushed to the repository at the same time; nothing was changed",
		Remedy: "read the current version and decide again"}
}

// pushOutcome asks the remote for the outcome of a push that ended with an error. reported says that the
// remote itself reported it.
func (r *Repository) pushOutcome(ctx context.Context, commit plumbing.Hash, reported bool, cause error) error {
	// Also when the caller has gone: what the head is must be known.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	before := r.head
	if _, err := r.pull(ctx); err != nil {
		return r.unknown(cause)
	}
	r.mu.Lock()
	arrived, err := r.contains(commit)
	r.mu.Unlock()
	switch {
	case err != nil:
		return err
	case arrived:
		return nil
	case r.head != before:
		return r.overtaken(ctx)
	case !reported: // it may still be on its way
		return r.unknown(cause)
	}
	return &dovetail.Error{Code: dovetail.CodeForbidden, Message: "the repository refused the commit, so that nothing was changed",
		Remedy: "see the repository's rules for the branch", Err: cause}
}

// contains reports whether the head's history has a commit.
func (r *Repository) contains(commit plumbing.Hash) (bool, error) {
	made, err := r.git.CommitObject(commit)
	if err != nil {
		return false, broken(r.options.Dir, err)
	}
	head, err := r.git.CommitObject(r.head)
	if err != nil {
		return false, broken(r.options.Dir, err)
	}
	is, err := made.IsAncestor(head)
	if err != nil {
		return false, broken(r.options.Dir, err)
	}
	return is, nil
}
