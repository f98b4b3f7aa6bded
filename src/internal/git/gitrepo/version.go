package gitrepo

import (
	"context"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// known is the version that a file had at some head.
type known struct{ head, version plumbing.Hash }

// Time returns when a commit was made, as its committer says. CodeMissing is about one that is not known.
func (r *Repository) Time(commit string) (time.Time, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	hash, err := r.known(commit)
	if err != nil {
		return time.Time{}, err
	}
	c, err := r.git.CommitObject(hash)
	if err != nil {
		return time.Time{}, broken(r.options.Dir, err)
	}
	return c.Committer.When, nil
}

// versionOf is version for a file that may not exist.
func (r *Repository) versionOf(ctx context.Context, commit plumbing.Hash, path string) (string, error) {
	entry, err := r.entry(commit, path)
	switch {
	case err != nil:
		return "", err
	case !isRegular(entry.Mode):
		return "", &dovetail.Error{Code: dovetail.CodeNotFound, Position: dovetail.Position{File: path}, Message: "the file does not exist"}
	}
	return r.version(ctx, commit, path)
}

// version returns the hash of the last commit that changed a file which a commit has: as git log -1
// with its path, it follows a parent that has the same content. It walks only commits that are new
// since it was asked before.
func (r *Repository) version(ctx context.Context, commit plumbing.Hash, path string) (string, error) {
	before := r.versions[path]
	at := commit
	for at != before.head {
		if ctx.Err() != nil {
			return "", dovetail.AsError(ctx.Err())
		}
		same, err := r.parentWithSame(at, path)
		if err != nil {
			return "", err
		}
		if same.IsZero() {
			r.versions[path] = known{commit, at}
			return at.String(), nil
		}
		at = same
	}
	r.versions[path] = known{commit, before.version}
	return before.version.String(), nil
}

// parentWithSame returns the first parent of a commit in which a file is as in the commit, or zero.
func (r *Repository) parentWithSame(commit plumbing.Hash, path string) (plumbing.Hash, error) {
	c, err := r.git.CommitObject(commit)
	if err != nil {
		return plumbing.ZeroHash, broken(r.options.Dir, err)
	}
	here, err := r.entry(commit, path)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	for _, parent := range c.ParentHashes {
		there, err := r.entry(parent, path)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		if here == there {
			return parent, nil
		}
	}
	return plumbing.ZeroHash, nil
}

// entry returns the mode and content of a file in a commit; zero when it is not there.
func (r *Repository) entry(commit plumbing.Hash, path string) (object.TreeEntry, error) {
	tree, err := r.tree(commit)
	if err != nil {
		return object.TreeEntry{}, err
	}
	entry, err := tree.FindEntry(path)
	switch {
	case isMissing(err):
		return object.TreeEntry{}, nil
	case err != nil:
		return object.TreeEntry{}, broken(path, err)
	}
	return *entry, nil
}
