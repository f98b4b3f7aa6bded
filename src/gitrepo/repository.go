package gitrepo

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

const remoteName = "origin"

// Options say which branch of which repository.
type Options struct {
	// URL is what git clone takes: https, ssh or file, or the path of a folder, which needs git on
	// this machine. User and password of https stand in it.
	URL    string
	Branch string // "main" when empty
	// Dir is the folder of the local clone. It is made when it is missing, and belongs to this
	// process alone.
	Dir string
	// Now gives the time of commits; nil for the clock of the machine.
	Now func() time.Time
}

// Repository is a branch of a repository. Its methods may be called by several at once; they wait for
// each other.
type Repository struct {
	options Options
	branch  plumbing.ReferenceName

	mu       sync.Mutex
	git      *git.Repository
	head     plumbing.Hash
	versions map[string]known
}

// Open opens the local clone, or makes it, and pulls. Errors are those of Pull, and of CodeConflict
// when the folder has a clone of another repository.
func Open(ctx context.Context, options Options) (*Repository, error) {
	if options.Branch == "" {
		options.Branch = "main"
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	clone, err := open(options)
	if err != nil {
		return nil, err
	}
	r := &Repository{options: options, branch: plumbing.NewBranchReferenceName(options.Branch), git: clone, versions: make(map[string]known)}
	if _, err := r.Pull(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

func open(options Options) (*git.Repository, error) {
	clone, err := git.PlainOpen(options.Dir)
	if errors.Is(err, git.ErrRepositoryNotExists) {
		clone, err = git.PlainInitWithOptions(options.Dir, &git.PlainInitOptions{Bare: true,
			InitOptions: git.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName(options.Branch)}})
	}
	if err != nil {
		return nil, broken(options.Dir, err)
	}
	remote, err := clone.Remote(remoteName)
	if errors.Is(err, git.ErrRemoteNotFound) {
		// The URL is not kept with its password.
		remote, err = clone.CreateRemote(&config.RemoteConfig{Name: remoteName, URLs: []string{redacted(options.URL)}})
	}
	if err != nil {
		return nil, broken(options.Dir, err)
	}
	if was := remote.Config().URLs[0]; was != redacted(options.URL) {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Position: dovetail.Position{File: options.Dir},
			Message: "the folder holds a clone of " + was, Remedy: "name another folder, or remove this one"}
	}
	return clone, nil
}

// Head returns the hash of the branch's last commit that is known.
func (r *Repository) Head() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.head.String()
}

// File is a file of the repository.
type File struct {
	Path string // from the root, with slashes
	Data []byte
}

// Read returns a file at the head, and its version: the hash of the last commit that changed it.
// A file that does not exist is CodeNotFound.
func (r *Repository) Read(ctx context.Context, path string) (File, string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := r.read(path)
	if err != nil {
		return File{}, "", err
	}
	version, err := r.version(ctx, path)
	return File{Path: path, Data: data}, version, err
}

// read returns a file at the head.
func (r *Repository) read(path string) ([]byte, error) {
	tree, err := r.tree(r.head)
	if err != nil {
		return nil, err
	}
	entry, err := tree.FindEntry(path)
	switch {
	case errors.Is(err, object.ErrEntryNotFound), errors.Is(err, object.ErrDirectoryNotFound):
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Position: dovetail.Position{File: path}, Message: "the file does not exist"}
	case err != nil:
		return nil, broken(path, err)
	case !isRegular(entry.Mode):
		return nil, notAFile(path)
	}
	return r.blob(path, entry.Hash)
}

// Files yields the files of one moment's head, in the order of their paths, and ends with the first
// error.
func (r *Repository) Files(ctx context.Context) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		r.mu.Lock()
		changed, err := r.difference(ctx, plumbing.ZeroHash, r.head)
		r.mu.Unlock()
		if err != nil {
			yield(File{}, err)
			return
		}
		for _, c := range changed {
			r.mu.Lock()
			data, err := r.blob(c.path, c.to)
			r.mu.Unlock()
			if !yield(File{Path: c.path, Data: data}, err) || err != nil {
				return
			}
		}
	}
}

// isRegular tells files from folders, links and other repositories.
func isRegular(mode filemode.FileMode) bool { return mode.IsFile() && mode != filemode.Symlink }

// tree returns the root of a commit; that of no commit is empty.
func (r *Repository) tree(commit plumbing.Hash) (*object.Tree, error) {
	if commit.IsZero() {
		return &object.Tree{}, nil
	}
	c, err := r.git.CommitObject(commit)
	if err != nil {
		return nil, broken(r.options.Dir, err)
	}
	tree, err := c.Tree()
	if err != nil {
		return nil, broken(r.options.Dir, err)
	}
	return tree, nil
}
