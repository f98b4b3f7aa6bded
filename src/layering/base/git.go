package base

import (
	"context"
	"os"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
)

// git reads a folder of a repository: of a commit, or with "" of the last one of the branch, or of the tag.
func git(ctx context.Context, s Source, commit string) (Content, error) {
	dir, err := os.MkdirTemp("", "dovetail-base-")
	if err != nil {
		return Content{}, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "there is no room for a clone of the repository", Remedy: "make the temporary folder writable", Err: err}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	repository, err := gitrepo.Open(ctx, gitrepo.Options{URL: s.Git, Branch: s.Branch, Tag: s.Tag, Dir: filepath.Join(dir, "clone")})
	if err != nil {
		return Content{}, err
	}
	if commit == "" {
		commit = repository.Head()
	}
	part := gitrepo.Part{}
	if s.Path != "" {
		part.Under = []string{s.Path}
	}
	files := collector{of: s}
	for file, err := range repository.FilesAt(ctx, commit, part) {
		if dovetail.CodeOf(err) == dovetail.CodeMissing {
			return Content{}, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "the repository does not have the commit " + commit + " of the lock any more", Remedy: "run dovetail layering lock", Err: err}
		}
		if err != nil {
			return Content{}, err
		}
		if path, below := files.takes(file.Path); below {
			if err := files.add(path, file.Data); err != nil {
				return Content{}, err
			}
		}
	}
	return files.content(commit)
}
