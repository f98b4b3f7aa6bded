package gitrepo

import (
	"context"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxSteps bounds how many commits are examined one by one.
const maxSteps = 1000

// Steps lists the commits that led the branch from a commit to the head, in their order: of a merge only the commit itself, as
// git log --first-parent does. It is nil where the commit is not among the last ones of the branch, as when history was rewritten,
// or is not known.
func (r *Repository) Steps(ctx context.Context, from string) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var steps []string
	for at := r.head; len(steps) < maxSteps; {
		if ctx.Err() != nil {
			return nil, dovetail.AsError(ctx.Err())
		}
		if at.String() == from {
			slices.Reverse(steps)
			return steps, nil
		}
		c, err := r.git.CommitObject(at)
		if err != nil {
			return nil, broken(r.options.Dir, err)
		}
		steps = append(steps, at.String())
		if c.NumParents() == 0 {
			break
		}
		at = c.ParentHashes[0]
	}
	return nil, nil
}

// Message is that of a commit that is known.
func (r *Repository) Message(commit string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	hash, err := r.known(commit)
	if err != nil {
		return "", err
	}
	c, err := r.git.CommitObject(hash)
	if err != nil {
		return "", broken(r.options.Dir, err)
	}
	return c.Message, nil
}

// Brought yields the hash and message of each commit that one brought to the branch which was at another, as git log from..to
// does, in no order, and of not more than the first thousand.
func (r *Repository) Brought(ctx context.Context, from, to string, see func(hash, message string)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, err := r.ancestors(ctx, plumbing.NewHash(from), nil, func(*object.Commit) {})
	if err != nil {
		return err
	}
	_, err = r.ancestors(ctx, plumbing.NewHash(to), before, func(c *object.Commit) { see(c.Hash.String(), c.Message) })
	return err
}

// ancestors visits a commit and those before it, the latest first, without those to be left out, and returns which they are.
func (r *Repository) ancestors(ctx context.Context, of plumbing.Hash, without map[plumbing.Hash]bool, visit func(*object.Commit)) (map[plumbing.Hash]bool, error) {
	seen := make(map[plumbing.Hash]bool)
	for next := []plumbing.Hash{of}; len(next) > 0 && len(seen) < maxSteps; {
		hash := next[0]
		next = next[1:]
		if seen[hash] || without[hash] {
			continue
		}
		if ctx.Err() != nil {
			return nil, dovetail.AsError(ctx.Err())
		}
		c, err := r.git.CommitObject(hash)
		if err != nil {
			return nil, broken(r.options.Dir, err)
		}
		seen[hash] = true
		visit(c)
		next = append(next, c.ParentHashes...)
	}
	return seen, nil
}
