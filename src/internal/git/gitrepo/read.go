package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// File is a file of the repository.
type File struct {
	Path string // from the root, with slashes
	Data []byte
	// Irregular says that it is a symbolic link, a repository within the repository, or has a name that no file can have, such as two dots, of which nothing is read.
	Irregular bool
	// Large is how many bytes it has, where these are more than MaxListed: then none of them is read.
	Large int64
}

// MaxListed is how many bytes a file has at most that is read among others: more than any that a document can be. One that is read alone has at most maxRead.
const (
	MaxListed = 16 << 20
	maxRead   = 4 * MaxListed
)

// Part is a part of a repository. The zero Part is all of it.
type Part struct {
	Under   []string                 // folders; none for the root
	Without func(folder string) bool // says which folders, by their paths, are passed over with all in them; nil if there is none
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

// FilesAt is Files of a commit, "" for the head. One that is not known is CodeMissing. Folders are read as their files are yielded, so that
// many need no more memory than few.
func (r *Repository) FilesAt(ctx context.Context, commit string, part Part) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for f, err := range r.listAt(ctx, commit, part) {
			var file File
			if err == nil {
				r.mu.Lock()
				file, err = r.listed(f)
				r.mu.Unlock()
			}
			if !yield(file, err) || err != nil {
				return
			}
		}
	}
}

// NamesAt yields the files that FilesAt yields, without reading them.
func (r *Repository) NamesAt(ctx context.Context, commit string, part Part) iter.Seq2[File, error] {
	return namesOf(r.listAt(ctx, commit, part))
}

func namesOf(files iter.Seq2[changed, error]) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for f, err := range files {
			if !yield(File{Path: f.path, Irregular: f.irregular}, err) {
				return
			}
		}
	}
}

// FoldersAt returns the names of the folders in a folder of a commit, in order; none where it does not exist.
func (r *Repository) FoldersAt(ctx context.Context, commit, folder string) ([]string, error) {
	if ctx.Err() != nil {
		return nil, dovetail.AsError(ctx.Err())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.orHead(commit)
	if err != nil {
		return nil, err
	}
	root, err := r.tree(at)
	if err != nil {
		return nil, err
	}
	tree, err := r.below(root, folder)
	if err != nil || tree == nil {
		return nil, err
	}
	var names []string
	for _, entry := range tree.Entries {
		if isFolder(entry.Mode) && isFileName(entry.Name) {
			names = append(names, entry.Name)
		}
	}
	return names, nil
}

func (r *Repository) listAt(ctx context.Context, commit string, part Part) iter.Seq2[changed, error] {
	return func(yield func(changed, error) bool) {
		r.mu.Lock()
		at, err := r.orHead(commit)
		r.mu.Unlock()
		if err != nil {
			yield(changed{}, err)
			return
		}
		for f, err := range r.list(ctx, at, part, &r.mu) {
			if !yield(f, err) {
				return
			}
		}
	}
}

// orHead returns the hash of a commit that the clone has, that of the head for "".
func (r *Repository) orHead(commit string) (plumbing.Hash, error) {
	if commit == "" {
		return r.head, nil
	}
	return r.known(commit)
}

// Difference is a path at which two commits have different files.
type Difference struct {
	Path      string
	Irregular bool // one of them has something there that is irregular, as File says it
	InOne     bool // the other has nothing there, or a folder
}

// Changed lists what differs between two commits, the second being "" for the head, files that are gone
// included, in the order of paths. A commit that is not known is CodeMissing.
func (r *Repository) Changed(ctx context.Context, since, until string) ([]Difference, error) {
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
	differences := make([]Difference, len(changed))
	for i, c := range changed {
		differences[i] = Difference{c.path, c.irregular, c.inOne}
	}
	return differences, nil
}

// Contains reports whether a commit is in the head's history; one that is not known is not.
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

// listed reads a file of a list.
func (r *Repository) listed(f changed) (File, error) {
	file := File{Path: f.path, Irregular: f.irregular}
	if f.irregular {
		return file, nil
	}
	blob, err := r.blob(f.path, f.to)
	if err != nil {
		return file, err
	}
	if blob.Size > MaxListed {
		file.Large = blob.Size
		return file, nil
	}
	file.Data, err = contentOf(f.path, blob)
	return file, err
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
	blob, err := r.blob(path, entry.Hash)
	switch {
	case err != nil:
		return nil, err
	case blob.Size > maxRead:
		return nil, &dovetail.Error{Code: dovetail.CodeUnprocessable, Position: dovetail.Position{File: path},
			Message: fmt.Sprintf("the file has %d bytes, more than the %d that are allowed", blob.Size, maxRead), Remedy: "split the file, or take it out of the repository"}
	}
	return contentOf(path, blob)
}

func isMissing(err error) bool {
	return errors.Is(err, object.ErrEntryNotFound) || errors.Is(err, object.ErrDirectoryNotFound)
}

// below returns a folder in another one, nil if there is none: symbolic links are not followed.
func (r *Repository) below(tree *object.Tree, folder string) (*object.Tree, error) {
	for name := range strings.SplitSeq(folder, "/") {
		i := slices.IndexFunc(tree.Entries, func(e object.TreeEntry) bool { return e.Name == name && isFolder(e.Mode) })
		if i < 0 {
			return nil, nil
		}
		inner, err := object.GetTree(r.git.Storer, tree.Entries[i].Hash)
		if err != nil {
			return nil, broken(folder, err)
		}
		tree = inner
	}
	return tree, nil
}

// list yields the files of a part of a commit, by path, and ends with the first error. While it reads it holds a lock; nil when the caller does.
func (r *Repository) list(ctx context.Context, commit plumbing.Hash, part Part, lock sync.Locker) iter.Seq2[changed, error] {
	return func(yield func(changed, error) bool) {
		w := walk{ctx: ctx, r: r, lock: lock, part: part, yield: yield}
		if err := w.all(commit); err != nil && !errors.Is(err, errEnough) {
			yield(changed{}, err)
		}
	}
}

// errEnough ends a walk of which no more is asked for.
var errEnough = errors.New("enough")

// walk visits the files of a part of a commit.
type walk struct {
	ctx   context.Context
	r     *Repository
	lock  sync.Locker // nil if there is none
	part  Part
	yield func(changed, error) bool

	bounds bounds
}

// reading holds the lock while something is read.
func (w *walk) reading(read func() error) error {
	if w.ctx.Err() != nil {
		return dovetail.AsError(w.ctx.Err())
	}
	if w.lock != nil {
		w.lock.Lock()
		defer w.lock.Unlock()
	}
	return read()
}

func (w *walk) all(commit plumbing.Hash) error {
	var root *object.Tree
	if err := w.reading(func() (err error) {
		root, err = w.r.tree(commit)
		return err
	}); err != nil {
		return err
	}
	if len(w.part.Under) == 0 {
		return w.folder(root, "")
	}
	// The files of a folder come where the folder and a slash do.
	under := slices.SortedFunc(slices.Values(w.part.Under), func(a, b string) int { return cmp.Compare(a+"/", b+"/") })
	before := "/"
	for _, folder := range under {
		if strings.HasPrefix(folder+"/", before) {
			continue
		}
		before = folder + "/"
		tree := root
		err := w.reading(func() (err error) {
			if folder != "" {
				tree, err = w.r.below(root, folder)
			}
			return err
		})
		if err != nil {
			return err
		}
		if tree == nil {
			continue
		}
		if err := w.folder(tree, folder); err != nil {
			return err
		}
	}
	return nil
}

// isFileName reports whether an entry of a folder has a name that a file can have, and Git would check out: nothing keeps another program from writing others, which lead elsewhere.
func isFileName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.Contains(name, "/") && !strings.EqualFold(name, ".git")
}

// folder visits the files of a folder and those below it, which Git keeps in the order of their paths.
func (w *walk) folder(tree *object.Tree, at string) error {
	if err := w.bounds.enter(at, len(tree.Entries)); err != nil {
		return err
	}
	defer w.bounds.leave(len(tree.Entries))
	for _, entry := range tree.Entries {
		name := strings.TrimPrefix(at+"/"+entry.Name, "/")
		if err := w.bounds.visit(name); err != nil {
			return err
		}
		if !isFileName(entry.Name) {
			if !w.yield(changed{path: name, irregular: true}, nil) {
				return errEnough
			}
			continue
		}
		if !isFolder(entry.Mode) {
			f := changed{path: name, to: entry.Hash}
			if !isRegular(entry.Mode) {
				f = changed{path: name, irregular: true}
			}
			if !w.yield(f, nil) {
				return errEnough
			}
			continue
		}
		if w.part.Without != nil && w.part.Without(name) {
			continue
		}
		var inner *object.Tree
		if err := w.reading(func() (err error) {
			inner, err = object.GetTree(w.r.git.Storer, entry.Hash)
			return err
		}); err != nil {
			return broken(name, err)
		}
		if err := w.folder(inner, name); err != nil {
			return err
		}
	}
	return nil
}
