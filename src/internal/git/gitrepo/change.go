package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Change is the content of one commit.
type Change struct {
	Name, Email string // of the author and committer
	Message     string
	// Edit reads and writes files. Its error ends the change without a commit.
	Edit func(*Draft) error
}

// Draft is the repository as a change sees it: the head, with the changes that are pushed before it and with what it wrote
// already. It must not be used after Edit, nor by several at once.
type Draft struct {
	ctx      context.Context
	r        *Repository
	head, at plumbing.Hash     // of the branch, and the commit of the change before on it, if there is one
	files    map[string][]byte // nil: removed
}

// Read returns a file. One that does not exist is CodeNotFound.
func (d *Draft) Read(path string) ([]byte, error) {
	data, ok := d.files[path]
	switch {
	case !ok:
		return d.r.read(d.at, path)
	case data == nil:
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Position: dovetail.Position{File: path}, Message: "the file does not exist"}
	}
	return data, nil
}

// Version returns the hash of the last commit that changed a file, before the change. One that does
// not exist is CodeNotFound.
func (d *Draft) Version(path string) (string, error) {
	return d.r.versionOf(d.ctx, d.at, path)
}

// Head returns the hash of the head that the change builds on.
func (d *Draft) Head() string { return d.head.String() }

// Files returns the files of a part of the repository before the change, in the order of their paths.
func (d *Draft) Files(part Part) ([]File, error) {
	var files []File
	for f, err := range d.r.list(d.ctx, d.at, part, nil) {
		if err != nil {
			return nil, err
		}
		file, err := d.r.listed(f)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// Names yields the files of a part of the repository before the change, in the order of their paths, without reading them.
func (d *Draft) Names(part Part) iter.Seq2[File, error] {
	return namesOf(d.r.list(d.ctx, d.at, part, nil))
}

// Write puts a file, and the folders above it. A path that leaves the repository is CodeInvalid.
func (d *Draft) Write(path string, data []byte) error {
	if err := checkPath(path); err != nil {
		return err
	}
	d.files[path] = append([]byte{}, data...)
	return nil
}

// Remove removes a file, and the folders above it that it leaves empty. One that does not exist stays
// so.
func (d *Draft) Remove(path string) error {
	if err := checkPath(path); err != nil {
		return err
	}
	d.files[path] = nil
	return nil
}

// Change makes one commit and pushes it, and returns the hash of the commit, which is then the version
// of every file that it changed. When Edit changes nothing, there is no commit, and the hash is the
// head's.
//
// When another writer pushed meanwhile, it is CodeConflict: nothing was changed, and the head is now
// what the remote has, so that Read gives the current version. CodeUnavailable says that nothing was
// changed, CodeForbidden that the remote refused the commit, CodeUnknown that the connection broke and
// only a later pull can tell.
func (r *Repository) Change(ctx context.Context, change Change) (string, error) {
	commits, refused, err := r.Changes(ctx, []Change{change})
	if err = cmp.Or(refused[0], err); err != nil {
		return "", err
	}
	return commits[0], nil
}

// Changes makes a commit of each change, on that of the change before it, and pushes them together: the remote takes
// all or none. refused has the errors of changes whose Edit failed or that cannot be made; the others
// are pushed without them. commits has the hash of each commit, that of the one before it where Edit changed nothing, and "" for
// what is refused. err is that of the push, as of Change.
func (r *Repository) Changes(ctx context.Context, changes []Change) (commits []string, refused []error, err error) {
	commits, refused = make([]string, len(changes)), make([]error, len(changes))
	if r.options.Tag != "" {
		return commits, refused, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the repository is open at the tag " + r.options.Tag, Remedy: "open a branch to change it"}
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	last, made := r.head, []plumbing.Hash(nil)
	for i, change := range changes {
		commit, objects, err := r.commit(ctx, last, change, r.options.Now())
		if err != nil {
			refused[i] = err
			continue
		}
		last, made, commits[i] = commit, append(made, objects...), commit.String()
	}
	if last == r.head {
		return commits, refused, nil
	}
	pack, err := r.pack(made)
	if err != nil {
		return commits, refused, err
	}
	err = r.push(ctx, last, pack)
	if r.options.Pushed != nil {
		r.options.Pushed(err)
	}
	return commits, refused, err
}

// Preview gives edit the draft of a change of an earlier commit of the branch, and makes no commit. CodeMissing is about one that is
// not known.
func (r *Repository) Preview(ctx context.Context, commit string, edit func(*Draft) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.known(commit)
	if err != nil {
		return err
	}
	return edit(&Draft{ctx: ctx, r: r, head: at, at: at, files: make(map[string][]byte)})
}

// commit makes the commit of a change on another one in the clone, as of a time, and returns it with all objects that are
// new. When Edit changes nothing, it is the other one.
func (r *Repository) commit(ctx context.Context, on plumbing.Hash, change Change, at time.Time) (plumbing.Hash, []plumbing.Hash, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	draft := &Draft{ctx: ctx, r: r, head: r.head, at: on, files: make(map[string][]byte)}
	if err := change.Edit(draft); err != nil {
		return plumbing.ZeroHash, nil, err
	}
	if ctx.Err() != nil {
		return plumbing.ZeroHash, nil, dovetail.AsError(ctx.Err())
	}
	root, err := r.tree(on)
	if err != nil {
		return plumbing.ZeroHash, nil, err
	}
	w := writer{r: r}
	tree, err := w.tree("", root, draft.files)
	if err != nil || tree == root.Hash {
		return on, nil, err
	}
	who := object.Signature{Name: change.Name, Email: change.Email, When: at}
	made := &object.Commit{Author: who, Committer: who, Message: change.Message, TreeHash: tree, ParentHashes: []plumbing.Hash{on}}
	if err := r.options.Signer.sign(made); err != nil {
		return plumbing.ZeroHash, nil, dovetail.AsError(err)
	}
	commit, err := w.store(made)
	return commit, w.made, err
}

// pack packs objects of the clone, to be pushed.
func (r *Repository) pack(objects []plumbing.Hash) (*bytes.Buffer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortFunc(objects, func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
	var pack bytes.Buffer
	if _, err := packfile.NewEncoder(&pack, r.git.Storer, false).Encode(slices.Compact(objects), 0); err != nil {
		return nil, broken(r.options.Dir, err)
	}
	return &pack, nil
}

func checkPath(path string) error {
	if !fs.ValidPath(path) || path == "." {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: path},
			Message: "it is not the path of a file in a repository", Remedy: "name it from the root, with slashes, without . and .."}
	}
	return nil
}

func notAFile(path string) error {
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Position: dovetail.Position{File: path},
		Message: "it is not a regular file", Remedy: "put a file in its place"}
}
