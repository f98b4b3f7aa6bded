package gitrepo

import (
	"context"
	"errors"
	"iter"
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// File is a file of the repository.
type File struct {
	Path string // from the root, with slashes
	Data []byte
}

// Part is a part of a repository. The zero Part is all of it.
type Part struct {
	Under   []string // folders; none for the root
	Without []string // names of folders that are passed over with all in them
}

// Read returns a file at the head, and its version: the hash of the last commit that changed it.
// A file that does not exist is CodeNotFound.
func (r *Repository) Read(ctx context.Context, path string) (File, string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := r.read(r.head, path)
	if err != nil {
		return File{}, "", err
	}
	version, err := r.version(ctx, r.head, path)
	return File{Path: path, Data: data}, version, err
}

// Content returns what a file has at the head. A file that does not exist is CodeNotFound.
func (r *Repository) Content(path string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read(r.head, path)
}

// Version returns the hash of the last commit that changed a file, as a commit of the branch has it.
// CodeNotFound is about a file that does not exist there, CodeMissing about a commit that is not known,
// as one that another writer pushed since the last Pull.
func (r *Repository) Version(ctx context.Context, commit, path string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.known(commit)
	if err != nil {
		return "", err
	}
	return r.versionOf(ctx, at, path)
}

// Files yields the files of a part of one moment's head, in the order of their paths, and ends with the
// first error.
func (r *Repository) Files(ctx context.Context, part Part) iter.Seq2[File, error] {
	return r.FilesAt(ctx, "", part)
}

// FilesAt is Files of a commit, "" for the head. One that is not known is CodeMissing.
func (r *Repository) FilesAt(ctx context.Context, commit string, part Part) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		files, err := r.listAt(ctx, commit, part)
		if err != nil {
			yield(File{}, err)
			return
		}
		for _, f := range files {
			r.mu.Lock()
			data, err := r.blob(f.path, f.to)
			r.mu.Unlock()
			if !yield(File{Path: f.path, Data: data}, err) || err != nil {
				return
			}
		}
	}
}

func (r *Repository) listAt(ctx context.Context, commit string, part Part) ([]changed, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.orHead(commit)
	if err != nil {
		return nil, err
	}
	return r.list(ctx, at, part)
}

// orHead returns the hash of a commit that the clone has, that of the head for "".
func (r *Repository) orHead(commit string) (plumbing.Hash, error) {
	if commit == "" {
		return r.head, nil
	}
	return r.known(commit)
}

// Changed lists the paths of the files that differ between two commits, the second being "" for the head, those that are gone
// included, in order. A commit that is not known is CodeMissing.
func (r *Repository) Changed(ctx context.Context, since, until string) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	from, err := r.known(since)
	if err != nil {
		return nil, err
	}
	to, err := r.orHead(until)
	if err != nil {
		return nil, err
	}
	changed, err := r.difference(ctx, from, to)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(changed))
	for i, c := range changed {
		paths[i] = c.path
	}
	return paths, nil
}

// Contains says whether a commit is in the head's history; one that is not known is not.
func (r *Repository) Contains(commit string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.known(commit)
	if dovetail.CodeOf(err) == dovetail.CodeMissing {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return r.contains(at)
}

// known returns the hash of a commit that the clone has.
func (r *Repository) known(commit string) (plumbing.Hash, error) {
	hash := plumbing.NewHash(commit)
	_, err := r.git.CommitObject(hash)
	switch {
	case errors.Is(err, plumbing.ErrObjectNotFound):
		return hash, &dovetail.Error{Code: dovetail.CodeMissing, Message: "the local clone has no commit " + commit, Remedy: "pull"}
	case err != nil:
		return hash, broken(r.options.Dir, err)
	}
	return hash, nil
}

// read returns a file of a commit.
func (r *Repository) read(commit plumbing.Hash, path string) ([]byte, error) {
	tree, err := r.tree(commit)
	if err != nil {
		return nil, err
	}
	entry, err := tree.FindEntry(path)
	switch {
	case isMissing(err):
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Position: dovetail.Position{File: path}, Message: "the file does not exist"}
	case err != nil:
		return nil, broken(path, err)
	case !isRegular(entry.Mode):
		return nil, notAFile(path)
	}
	return r.blob(path, entry.Hash)
}

func isMissing(err error) bool {
	return errors.Is(err, object.ErrEntryNotFound) || errors.Is(err, object.ErrDirectoryNotFound)
}

// list lists the files of a part of a commit, by path.
func (r *Repository) list(ctx context.Context, commit plumbing.Hash, part Part) ([]changed, error) {
	root, err := r.tree(commit)
	if err != nil {
		return nil, err
	}
	folders := part.Under
	if len(folders) == 0 {
		folders = []string{""}
	}
	var files []changed
	for _, folder := range folders {
		tree := root
		if folder != "" {
			tree, err = root.Tree(folder)
		}
		switch {
		case isMissing(err):
			continue
		case err != nil:
			return nil, broken(folder, err)
		}
		if files, err = r.walk(ctx, files, tree, folder, part.Without); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(files, byPath)
	return slices.Compact(files), nil
}

// walk adds the files of a folder and those below it.
func (r *Repository) walk(ctx context.Context, files []changed, tree *object.Tree, at string, without []string) ([]changed, error) {
	if ctx.Err() != nil {
		return nil, dovetail.AsError(ctx.Err())
	}
	for _, entry := range tree.Entries {
		name := path.Join(at, entry.Name)
		if isRegular(entry.Mode) {
			files = append(files, changed{path: name, to: entry.Hash})
			continue
		}
		if !isFolder(entry.Mode) || slices.Contains(without, entry.Name) {
			continue
		}
		inner, err := object.GetTree(r.git.Storer, entry.Hash)
		if err != nil {
			return nil, broken(name, err)
		}
		if files, err = r.walk(ctx, files, inner, name, without); err != nil {
			return nil, err
		}
	}
	return files, nil
}
