package follow

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
)

// clones are the local clones of repositories, by URL and branch.
type clones struct {
	mu   sync.Mutex
	dir  string // made for them; "" while none is
	open map[string]clone
}

// clone is one of them.
type clone struct {
	repository *gitrepo.Repository
	dir        string
	credential Credential // that it was made with
}

// git reads a folder of a repository. The revision is the commit.
func (f *Fetcher) git(ctx context.Context, l *load, name string, s *Spec, revision string) (*Content, error) {
	repository, err := f.clone(ctx, s)
	if err != nil {
		return nil, err
	}
	head := repository.Head()
	if head == revision {
		return nil, nil //nolint:nilnil // as documented: it is still that
	}
	part := gitrepo.Part{}
	if s.Path != "" {
		part.Under = []string{s.Path}
	}
	var files []catalog.File
	for file, err := range repository.FilesAt(ctx, head, part) {
		if err != nil {
			return nil, unreachable(s.URL.String(), err)
		}
		if !isRead(file.Path) {
			continue
		}
		if err := (limit.Limit{Bytes: gitrepo.MaxListed, Of: s.URL.String() + ": " + file.Path, Remedy: "split the file, or take it out of the repository"}).Check(file.Large); err != nil {
			return nil, err
		}
		if err := l.take(int64(len(file.Data) + len(file.Path))); err != nil {
			return nil, err
		}
		files = append(files, catalog.File{Name: file.Path, Data: file.Data})
	}
	c, err := contentOf(name, l.limits(), files)
	if err != nil {
		return nil, err
	}
	c.Revision = head
	return c, nil
}

// clone returns the clone of a repository as it is now. One at a time asks a remote.
func (f *Fetcher) clone(ctx context.Context, s *Spec) (*gitrepo.Repository, error) {
	f.clones.mu.Lock()
	defer f.clones.mu.Unlock()
	credential, err := f.credential(s.URL.Host)
	if err != nil {
		return nil, err
	}
	key := s.URL.String() + " " + s.Branch
	if c, is := f.clones.open[key]; is && c.credential == credential {
		_, err := c.repository.Pull(ctx)
		return c.repository, err
	} else if is { // made with an earlier one
		delete(f.clones.open, key)
		_ = os.RemoveAll(c.dir)
	}
	if f.clones.dir == "" {
		dir, err := os.MkdirTemp(f.options.Dir, "dovetail-sources-")
		if err != nil {
			return nil, noRoom(err)
		}
		f.clones.dir, f.clones.open = dir, make(map[string]clone)
	}
	dir, err := os.MkdirTemp(f.clones.dir, "clone-")
	if err != nil {
		return nil, noRoom(err)
	}
	credentials := gitrepo.Credentials{User: credential.User, Password: credential.Password}
	if credential.Token != "" {
		credentials.Password = credential.Token
	}
	r, err := gitrepo.Open(ctx, gitrepo.Options{URL: s.URL.String(), Branch: s.Branch, Dir: filepath.Join(dir, "clone"), Credentials: credentials,
		HTTP: f.options.Policy.Client()})
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	f.clones.open[key] = clone{r, dir, credential}
	return r, nil
}

// noRoom is the error of a folder for clones that cannot be made.
func noRoom(err error) error {
	e := dovetail.Outside(err)
	if e == nil {
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "there is no room for clones of repositories", Remedy: "make the temporary folder writable", Err: err}
	}
	e.Message = "there is no room for clones of repositories: " + e.Message
	return e
}

// Close removes the clones.
func (f *Fetcher) Close() error {
	f.clones.mu.Lock()
	defer f.clones.mu.Unlock()
	if f.clones.dir == "" {
		return nil
	}
	dir := f.clones.dir
	f.clones.dir, f.clones.open = "", nil
	return os.RemoveAll(dir)
}
