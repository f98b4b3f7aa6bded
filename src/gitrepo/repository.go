package gitrepo

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

const remoteName = "origin"

// Options say which branch of which repository.
type Options struct {
	// URL is what git clone takes: https, ssh or file, or the path of a folder, which needs git on
	// this machine. User and password of https may stand in it.
	URL         string
	Branch      string      // "main" when empty
	Credentials Credentials // of https and ssh
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
	auth    transport.AuthMethod // nil for what the URL says

	mu       sync.Mutex
	git      *git.Repository
	head     plumbing.Hash
	versions map[string]known
}

// Open opens the local clone, or makes it, and pulls. When the remote cannot be reached and there is a
// clone already, the head is what that has until the next Pull. Errors are those of Pull, and of
// CodeConflict when the folder has a clone of another repository.
func Open(ctx context.Context, options Options) (*Repository, error) {
	if options.Branch == "" {
		options.Branch = "main"
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	auth, err := options.Credentials.auth(options.URL)
	if err != nil {
		return nil, err
	}
	clone, err := open(options)
	if err != nil {
		return nil, err
	}
	r := &Repository{options: options, branch: plumbing.NewBranchReferenceName(options.Branch), auth: auth, git: clone, versions: make(map[string]known)}
	if _, err := r.Pull(ctx); err != nil {
		ref, missing := clone.Reference(r.branch, true)
		if dovetail.CodeOf(err) != dovetail.CodeUnavailable || missing != nil {
			return nil, err
		}
		r.head = ref.Hash()
	}
	return r, nil
}

// URL is where the remote is, without its password.
func (r *Repository) URL() string { return redacted(r.options.URL) }

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

// isRegular tells files from folders, links and other repositories.
func isRegular(mode filemode.FileMode) bool { return mode.IsFile() && mode != filemode.Symlink }

func isFolder(mode filemode.FileMode) bool { return mode == filemode.Dir }

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
