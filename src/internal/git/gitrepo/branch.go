package gitrepo

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxBranch is how many bytes the name of a branch may have.
const maxBranch = 200

// CheckBranch returns an error of CodeInvalid unless a text can be the name of a branch beside the one that is followed: without
// "refs/heads/" before it, and such that no program takes it for an option or another reference.
func (r *Repository) CheckBranch(name string) error {
	refused := func(message string) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: "choose another name for the branch"}
	}
	switch {
	case name == r.options.Branch:
		return refused("the branch " + name + " is the one that the store follows")
	case len(name) > maxBranch:
		return refused("the name of the branch is longer than 200 bytes")
	case strings.HasPrefix(name, "refs/"), name == "HEAD", !utf8.ValidString(name), plumbing.NewBranchReferenceName(name).Validate() != nil:
		return refused(strconv.Quote(name) + " is not the name of a branch")
	}
	return nil
}

// Made is a commit on the head of the clone that is not pushed. Its hash is that of the same change on the same head at the same
// time, whoever makes it.
type Made struct {
	Hash, Base string
	pack       *bytes.Buffer // nil where nothing was changed
}

// Make makes the commit of a change in the clone, as of a time, and pushes nothing. Where Edit changes nothing, its hash is that of the
// base.
func (r *Repository) Make(ctx context.Context, change Change, at time.Time) (Made, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	base := r.head
	commit, objects, err := r.commit(ctx, base, change, at)
	if err != nil {
		return Made{}, err
	}
	made := Made{Hash: commit.String(), Base: base.String()}
	if len(objects) > 0 {
		made.pack, err = r.pack(objects)
	}
	return made, err
}

// BranchHead asks the remote for the last commit of a branch; "" for one that does not exist there. Errors are those of Pull.
func (r *Repository) BranchHead(ctx context.Context, branch string) (string, error) {
	refs, err := r.references(ctx)
	if err != nil {
		return "", err
	}
	if hash := refs[plumbing.NewBranchReferenceName(branch).String()]; !hash.IsZero() {
		return hash.String(), nil
	}
	return "", nil
}

// SetBranch makes a commit the only one of a branch of the remote, whose last commit is as expected: "" for a branch that does not
// exist. Errors: CodeConflict where it is another one, CodeForbidden where the remote refuses it, CodeUnavailable where
// nothing was changed, CodeUnknown where the connection broke.
func (r *Repository) SetBranch(ctx context.Context, branch, expected string, made Made) error {
	return r.updateBranch(ctx, branch, expected, plumbing.NewHash(made.Hash), made.pack)
}

// DeleteBranch deletes a branch of the remote, whose last commit is as expected. Errors are those of SetBranch.
func (r *Repository) DeleteBranch(ctx context.Context, branch, expected string) error {
	return r.updateBranch(ctx, branch, expected, plumbing.ZeroHash, nil)
}

func (r *Repository) updateBranch(ctx context.Context, branch, expected string, to plumbing.Hash, pack *bytes.Buffer) error {
	if err := r.CheckBranch(branch); err != nil {
		return err
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	err := r.pushBranch(ctx, branch, expected, to, pack)
	if r.options.Pushed != nil {
		r.options.Pushed(err)
	}
	return err
}

// pushBranch is updateBranch for a name that is one of a branch. The caller holds asking.
func (r *Repository) pushBranch(ctx context.Context, branch, expected string, to plumbing.Hash, pack *bytes.Buffer) error {
	name, from := plumbing.NewBranchReferenceName(branch), plumbing.NewHash(expected)
	session, err := r.receivePack(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	advertised, err := r.advertised(ctx, session, maxReport)
	if err != nil {
		return err
	}
	if advertised.References[name.String()] != from {
		return r.branchMoved(branch)
	}
	if from == to {
		return nil
	}
	request := packp.NewReferenceUpdateRequestFromCapabilities(advertised.Capabilities)
	request.Commands = []*packp.Command{{Name: name, Old: from, New: to}}
	if pack != nil {
		request.Packfile = io.NopCloser(bytes.NewReader(pack.Bytes()))
	}
	report, err := session.ReceivePack(ctx, request)
	if err == nil {
		return nil
	}
	// Also when the caller has gone: what became of the branch must be known.
	asking, stop := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer stop()
	refs, asked := r.references(asking)
	switch now := refs[name.String()]; {
	case asked != nil:
		return r.unknown(err)
	case now == to:
		return nil
	case now != from:
		return r.branchMoved(branch)
	case report == nil: // it may still be on its way
		return r.unknown(err)
	}
	return &dovetail.Error{Code: dovetail.CodeForbidden, Message: "the repository refused the change of the branch " + branch,
		Remedy: "see the repository's rules for branches, or name another branch", Err: err}
}

func (r *Repository) branchMoved(branch string) error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Message: "the branch " + branch + " was changed at the same time; nothing was changed", Remedy: "try again"}
}
