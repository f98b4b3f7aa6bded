package gitrepo

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

const remoteName = "origin"

// Options say which branch of which repository.
type Options struct {
	// URL is what git clone takes: https, ssh or file, or the path of a folder, which needs git on
	// this machine. User and password of https may stand in it.
	URL         string
	Branch      string      // "main" when empty
	Tag         string      // read in place of a branch; then nothing can be changed
	Credentials Credentials // of https and ssh
	// HTTP is the client of http and https, whose transport decides where connections, and redirects, may lead; nil for
	// the default client.
	HTTP   *http.Client
	Signer *Signer // of commits; nil if there is none
	// Dir is the folder of the local clone. It is made when it is missing, and belongs to this
	// process alone.
	Dir string
	// Now gives the time of commits; nil for the clock of the machine.
	Now func() time.Time
	// Pushed is called with the outcome of each push, nil if the remote has the commit; default none.
	Pushed func(err error)
}

// Repository is a branch of a repository. Its methods may be called by several at once. Pull and Change wait
// for each other and for the remote; the others never wait for the remote.
type Repository struct {
	options Options
	branch  plumbing.ReferenceName
	auth    transport.AuthMethod // nil for what the URL says

	// asking is held to ask the remote or to move the head. It is taken before mu.
	asking  sync.Mutex
	refused refusal // the last commit that was, guarded by asking: what is wrong with it takes long to find

	// mu guards what follows, and is not held while the remote is asked. Who changes the head holds both.
	mu       sync.Mutex
	git      *git.Repository
	head     plumbing.Hash
	versions map[string]known
}

// Open opens the local clone, or makes it, and pulls. When there is a clone already, the remote keeps no one from opening it, whoever may push to
// it: if it cannot be reached, does not let the caller in, lacks the branch, or has what is too large, the head is what the clone has until the next
// Pull. Other errors are those of Pull, and of CodeConflict when the folder has a clone of another repository.
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
	branch := plumbing.NewBranchReferenceName(options.Branch)
	if options.Tag != "" {
		branch = plumbing.NewTagReferenceName(options.Tag)
	}
	r := &Repository{options: options, branch: branch, auth: auth, versions: make(map[string]known)}
	if err := r.open(); err != nil {
		return nil, err
	}
	if _, err = r.Pull(ctx); err != nil && (r.head.IsZero() || ctx.Err() != nil || !isOfRemote(err)) {
		return nil, err
	}
	return r, nil
}

// isOfRemote reports whether the error of a pull is about what the remote has or allows, not about the clone.
func isOfRemote(err error) bool {
	switch dovetail.CodeOf(err) {
	case dovetail.CodeUnavailable, dovetail.CodeUnauthenticated, dovetail.CodeForbidden, dovetail.CodeInvalid, dovetail.CodeUnprocessable:
		return true
	default:
		return false
	}
}

// URL is where the remote is, without its password.
func (r *Repository) URL() string { return WithoutCredentials(r.options.URL) }

// CommitURL is CommitURL of the remote.
func (r *Repository) CommitURL() string { return CommitURL(r.options.URL) }

// openClone opens a clone.
func openClone(dir string) (*git.Repository, error) {
	found, err := git.PlainOpen(dir)
	if err != nil {
		return nil, err
	}
	files, ok := found.Storer.(*filesystem.Storage)
	if !ok {
		return found, nil
	}
	return git.Open(newStorage(files, dir), nil)
}

// open opens the clone or makes it, with the head that it has. One that has none yet, since nothing was ever
// pulled, may become the clone of another repository.
func (r *Repository) open() error {
	dir, url := r.options.Dir, WithoutCredentials(r.options.URL)
	if err := errors.Join(removeEmptyRefs(dir), removeUnfinished(dir)); err != nil {
		return broken(dir, err)
	}
	clone, err := openClone(dir)
	if errors.Is(err, git.ErrRepositoryNotExists) {
		_, err = git.PlainInitWithOptions(dir, &git.PlainInitOptions{Bare: true, InitOptions: git.InitOptions{DefaultBranch: r.branch}})
		if err == nil {
			clone, err = openClone(dir)
		}
	}
	if err != nil {
		return broken(dir, err)
	}
	r.git = clone
	ref, err := clone.Reference(r.branch, true)
	switch {
	case err == nil:
		r.head = ref.Hash()
	case !errors.Is(err, plumbing.ErrReferenceNotFound):
		return broken(dir, err)
	}
	remote, err := clone.Remote(remoteName)
	if err == nil && remote.Config().URLs[0] != url {
		if !r.head.IsZero() && WithoutCredentials(remote.Config().URLs[0]) != url { // earlier versions kept the user
			return &dovetail.Error{Code: dovetail.CodeConflict, Position: dovetail.Position{File: dir},
				Message: "the folder holds a clone of " + WithoutCredentials(remote.Config().URLs[0]), Remedy: "name another folder, or remove this one"}
		}
		if err := clone.DeleteRemote(remoteName); err != nil {
			return broken(dir, err)
		}
		err = git.ErrRemoteNotFound
	}
	if errors.Is(err, git.ErrRemoteNotFound) {
		_, err = clone.CreateRemote(&config.RemoteConfig{Name: remoteName, URLs: []string{url}})
	}
	if err != nil {
		return broken(dir, err)
	}
	return nil
}

// removeEmptyRefs removes the references that a process was writing when it was killed: nothing can be fetched while there is one, and the next
// fetch writes them again.
func removeEmptyRefs(dir string) error {
	err := filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if info, err := entry.Info(); err != nil || info.Size() > 0 {
			return err
		}
		return os.Remove(path)
	})
	if errors.Is(err, fs.ErrNotExist) { // there is no clone yet
		return nil
	}
	return err
}

// removeUnfinished removes the packs that a process was writing when it was killed.
func removeUnfinished(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "objects", "pack", unfinished+"*"))
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
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
