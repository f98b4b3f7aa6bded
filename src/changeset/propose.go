package changeset

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Repositories are the Git repositories that are attached to the store.
type Repositories interface {
	// Of is the name of the repository that holds the documents which operations change; "" for one that is attached alone. CodeUnprocessable says that
	// there is none, or more than one.
	Of(ctx context.Context, operations []store.Operation) (name string, err error)
	// Named returns the branches of a repository. CodeNotFound says that it is not attached.
	Named(name string) (Branches, error)
}

// Branches are those of a Git repository that is attached to the store.
type Branches interface {
	// Update brings the store to what the repository has now.
	Update(ctx context.Context) error
	// Branch is the name of the branch that the store follows.
	Branch() string
	// CheckBranch returns an error unless a text can be the name of another branch.
	CheckBranch(name string) error
	// Head returns the last commit of a branch; "" for one that does not exist.
	Head(ctx context.Context, branch string) (string, error)
	// Commit makes a commit and pushes nothing. What the repository does not hold is refused. That of the same draft upon the same commit
	// is the same.
	Commit(ctx context.Context, draft Draft) (*Commit, error)
	// Delete deletes a branch whose last commit is as expected. Errors: CodeConflict where it is another one, CodeForbidden where
	// the repository refuses it.
	Delete(ctx context.Context, branch, expected string) error
}

// Draft is what a commit says.
type Draft struct {
	ChangeSet       string
	Operations      []store.Operation
	IDs             []dovetail.ID // of the documents that are staged
	Author, Message string
	Time            time.Time
}

// Commit is one that is not pushed.
type Commit struct {
	Hash string
	Base string // the commit that it builds on; the same as Hash where nothing is changed
	// Push makes it the only one of a branch, whose last commit is as expected, "" for a new branch. Errors are those of Delete, and
	// CodeUnknown.
	Push func(ctx context.Context, branch, expected string) error
}

// Proposal is a branch on which a change set is proposed.
type Proposal struct {
	Branch string `json:"branch"`
	// Repository is the name of the repository that has the branch; "" for one that is attached alone.
	Repository string `json:"repository,omitempty"`
	// Commit is the last one that was pushed; "" if there is none yet.
	Commit string `json:"commit,omitempty"`
	// Commits are those that were made for the branch, the newest last, whether or not the outcome of the push is known: what is not
	// among them was pushed by others.
	Commits []string  `json:"commits"`
	By      string    `json:"by"`
	Time    time.Time `json:"time"`
	Digest  string    `json:"digest"` // of the operations that were proposed
	// Differs is a commit that merged the branch with a different content.
	Differs string `json:"differs,omitempty"`
}

// maxCommits bounds how many commits of a branch are known as those of Dovetail.
const maxCommits = 50

// Propose makes what a merge would change the only commit of a branch, which a merge request on the Git host can carry. Proposing
// again brings the branch to what the change set says now, upon the present head. A branch with commits of others is left as it is.
//
// Errors: CodeConflict with ReasonNotOpen, ReasonForeignCommits or ReasonConflict; CodeInvalid for a name that is none of a branch;
// CodeUnprocessable where the repository does not hold what is staged; besides those of Merge, without the approvals.
func (c *ChangeSets) Propose(ctx context.Context, name, branch string, options store.Options) (*Shown, error) {
	if cs, err := c.loadHead(ctx, name); err != nil {
		return nil, err
	} else if err := c.mayUpdate(ctx, cs); err != nil {
		return nil, err
	}
	if c.options.Repositories == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Reason: api.ReasonNoRepository, Message: "no Git repository is attached to the server",
			Remedy: "merge the change set, or start the server with --instance-repo"}
	}
	var made *Commit
	var proposed Proposal
	shown, err := c.once(ctx, name, options, func() (cs *changeSet, err error) {
		if cs, made, err = c.push(ctx, name, branch); err == nil {
			proposed = *cs.Proposal
		}
		return cs, err
	})
	if err != nil || made == nil {
		return shown, err
	}
	shown, err = c.edit(ctx, name, options, func(cs *changeSet) ([]store.Operation, error) {
		if p := cs.Proposal; p != nil && slices.Index(p.Commits, made.Hash) > slices.Index(p.Commits, p.Commit) {
			p.Commit = made.Hash
		}
		return nil, nil
	}, api.ChangeSetOpen)
	if dovetail.AsError(err) != nil && dovetail.AsError(err).Reason == api.ReasonNotOpen { // it was closed while the commit was pushed
		if branches, err := c.options.Repositories.Named(proposed.Repository); err == nil {
			_ = branches.Delete(ctx, proposed.Branch, made.Hash)
		}
	}
	return shown, err
}

// push is one attempt, of which the end is not recorded. That a commit is about to be pushed is recorded first, so that it is
// known as one of Dovetail whatever happens.
func (c *ChangeSets) push(ctx context.Context, name, branch string) (*changeSet, *Commit, error) {
	cs, err := c.load(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	repository, branches, err := c.repositoryOf(ctx, cs)
	if err != nil {
		return nil, nil, err
	}
	if err := branches.Update(ctx); err != nil {
		return nil, nil, err
	}
	if cs, err = c.load(ctx, name); err != nil {
		return nil, nil, err
	}
	if err := c.mayTry(ctx, cs); err != nil {
		return nil, nil, err
	}
	branch, head, err := c.branchFor(ctx, cs, repository, branch)
	if err != nil {
		return nil, nil, err
	}
	before := cs.Proposal
	made, p, err := c.commit(ctx, cs, branches, branch, head)
	if err != nil {
		return nil, nil, err
	}
	p.Repository = repository
	cs.Proposal = p
	if err := c.save(ctx, cs, nil, store.Options{}); err != nil {
		return nil, nil, retryConflict(err)
	}
	err = made.Push(ctx, branch, head)
	if err != nil && dovetail.CodeOf(err) != dovetail.CodeUnknown { // nothing was changed
		cs.Proposal = before
		if undone := c.save(ctx, cs, nil, store.Options{}); undone != nil && !store.IsConflict(undone) {
			return nil, nil, undone
		}
	}
	return cs, made, err
}

// repositoryOf returns the repository that holds what a change set changes.
func (c *ChangeSets) repositoryOf(ctx context.Context, cs *changeSet) (string, Branches, error) {
	operations := make([]store.Operation, len(cs.operations))
	for i, op := range cs.operations {
		operations[i] = store.Operation{Verb: store.Put, ID: op.ID}
		if op.Document == nil {
			operations[i].Verb = store.Delete
		}
	}
	name, err := c.options.Repositories.Of(ctx, operations)
	if err != nil {
		return "", nil, err
	}
	branches, err := c.options.Repositories.Named(name)
	return name, branches, err
}

// branchFor returns the branch of a proposal in a repository and its last commit, unless that is of others. Another branch that it had
// before is deleted.
func (c *ChangeSets) branchFor(ctx context.Context, cs *changeSet, repository, branch string) (name, head string, err error) {
	before := cs.Proposal
	switch {
	case branch == "" && before != nil:
		branch = before.Branch
	case branch == "":
		branch = "change-set/" + cs.name
	}
	branches, err := c.options.Repositories.Named(repository)
	if err != nil {
		return "", "", err
	}
	if err := branches.CheckBranch(branch); err != nil {
		return "", "", err
	}
	if before != nil && (before.Branch != branch || before.Repository != repository) {
		if _, err := c.withdraw(ctx, cs); err != nil {
			return "", "", err
		}
		cs.Proposal = nil
	}
	if head, err = branches.Head(ctx, branch); err != nil {
		return "", "", err
	}
	if head != "" && !cs.Proposal.pushed(head) {
		return "", "", &dovetail.Error{Code: dovetail.CodeConflict, Reason: api.ReasonForeignCommits, Key: cs.id(),
			Message: "the branch " + branch + " has commits that were not made by this change set: the last one is " + head,
			Remedy:  "stage what they change and delete the branch on the Git host, or propose it as another branch with --branch"}
	}
	return branch, head, nil
}

// pushed reports whether a commit was made for the branch of a proposal, nil if there is none.
func (p *Proposal) pushed(commit string) bool { return p != nil && slices.Contains(p.Commits, commit) }

// commit makes the commit of a change set, and what is recorded of it before it is pushed: the one that the branch has already, if
// nothing has changed.
func (c *ChangeSets) commit(ctx context.Context, cs *changeSet, branches Branches, branch, head string) (*Commit, *Proposal, error) {
	operations, conflicts, err := c.mergeNow(ctx, cs, cs.operations)
	if err != nil {
		return nil, nil, err
	}
	if len(conflicts) > 0 {
		return nil, nil, cs.conflicting(conflicts)
	}
	nothing := &dovetail.Error{Code: dovetail.CodeConflict, Key: cs.id(), Message: "the change set " + cs.name + " changes nothing in the branch " + branches.Branch(),
		Reason: api.ReasonNothing, Remedy: "stage something first, or merge it if it waited for approvals"}
	if len(operations) == 0 {
		return nil, nil, nothing
	}
	var p Proposal
	if cs.Proposal != nil {
		p = *cs.Proposal
		p.Commits = slices.Clone(p.Commits)
	}
	draft := Draft{ChangeSet: cs.name, Operations: operations, IDs: store.StagedIDs(stagedOf(cs.operations)), Author: p.By, Message: cs.proposalMessage(), Time: p.Time}
	if p.Digest == cs.Digest && head != "" {
		made, err := branches.Commit(ctx, draft)
		if err != nil {
			return nil, nil, retryConflict(err)
		}
		if made.Hash == head {
			made.Push = func(context.Context, string, string) error { return nil }
			return made, &p, nil
		}
	}
	draft.Author, draft.Time = principal(ctx).Name, c.now().Truncate(time.Second) // as commits have it
	made, err := branches.Commit(ctx, draft)
	if err != nil {
		return nil, nil, retryConflict(err)
	}
	if made.Hash == made.Base {
		return nil, nil, nothing
	}
	p.Branch, p.By, p.Time, p.Digest, p.Differs = branch, draft.Author, draft.Time, cs.Digest, ""
	p.Commits = append(slices.DeleteFunc(p.Commits, func(known string) bool { return known == made.Hash }), made.Hash)
	p.Commits = p.Commits[max(0, len(p.Commits)-maxCommits):]
	return made, &p, nil
}

// proposalMessage is that of the commit of a change set.
func (cs *changeSet) proposalMessage() string {
	const shown = 50
	var b strings.Builder
	b.WriteString(cmp.Or(strings.Join(strings.Fields(cs.title), " "), "Change set "+cs.name) + "\n\n")
	if description := strings.TrimSpace(cs.description); description != "" {
		b.WriteString(description + "\n\n")
	}
	for _, op := range cs.operations[:min(len(cs.operations), shown)] {
		fmt.Fprintf(&b, "%s %s\n", op.Verb, op.ID)
	}
	if more := len(cs.operations) - shown; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	fmt.Fprintf(&b, "\nChange-Set: %s\n", cs.name)
	return b.String()
}

// withdraw deletes the branch of a proposal. It stays, which kept says, where it has commits of others, or the repository refuses that.
func (c *ChangeSets) withdraw(ctx context.Context, cs *changeSet) (kept bool, err error) {
	if cs.Proposal == nil || c.options.Repositories == nil {
		return cs.Proposal != nil, nil
	}
	branch := cs.Proposal.Branch
	branches, err := c.options.Repositories.Named(cs.Proposal.Repository)
	switch dovetail.CodeOf(err) {
	case "":
	case dovetail.CodeNotFound: // it is not attached any more
		return true, nil
	default:
		return false, err
	}
	err = store.Transact(ctx, func() error {
		head, err := branches.Head(ctx, branch)
		if kept = head != "" && !cs.Proposal.pushed(head); err != nil || head == "" || kept {
			return err
		}
		return retryConflict(branches.Delete(ctx, branch, head))
	})
	if dovetail.CodeOf(err) == dovetail.CodeForbidden {
		return true, nil
	}
	return kept, err
}
