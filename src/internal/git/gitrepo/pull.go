package gitrepo

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// How long the remote may take to say where its branch is, also after a push, and to send what is new.
const (
	askTimeout   = 20 * time.Second
	fetchTimeout = 10 * time.Minute
)

// Pulled tells what a pull brought.
type Pulled struct {
	From, To string   // hashes of commits; From is "" the first time. Equal when nothing is new
	Changed  []string // paths of the files that differ, those that are gone included, in order; none the first time
}

// Pull takes what the remote has as the head, also when history was rewritten there. A remote that has
// more files, or larger objects, than are read is CodeUnprocessable with the reason ReasonTooLarge, and leaves the head as it was;
// one that cannot be reached is CodeUnavailable; CodeUnauthenticated and CodeForbidden are about who
// may read it; one without the branch is CodeInvalid.
func (r *Repository) Pull(ctx context.Context) (Pulled, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	return r.pull(ctx)
}

// pull is Pull; the caller holds asking.
func (r *Repository) pull(ctx context.Context) (Pulled, error) {
	clone, to, err := r.fetch(ctx)
	if err != nil {
		return Pulled{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if clone != nil {
		if before, is := r.git.Storer.(*storage); is {
			_ = before.Close() // of files that were only read
		}
		r.git = clone
	}
	pulled, err := r.accept(ctx, to)
	if err != nil {
		if dovetail.CodeOf(err) == dovetail.CodeUnprocessable {
			r.refused = refusal{to, err}
		}
		return Pulled{}, err
	}
	r.head = to
	return pulled, r.keepHead()
}

// refusal is why a commit cannot be the head.
type refusal struct {
	commit plumbing.Hash
	err    error
}

// accept tells what a commit brings, if it can be the head.
func (r *Repository) accept(ctx context.Context, to plumbing.Hash) (Pulled, error) {
	pulled := Pulled{To: to.String()}
	if r.head.IsZero() {
		for _, err := range r.list(ctx, to, Part{}, nil) { // which has bounds
			if err != nil {
				return Pulled{}, err
			}
		}
		return pulled, nil
	}
	changed, err := r.difference(ctx, r.head, to)
	if err != nil {
		return Pulled{}, err
	}
	pulled.From = r.head.String()
	for _, c := range changed {
		pulled.Changed = append(pulled.Changed, c.path)
	}
	return pulled, nil
}

// keepHead sets the branch of the clone to the head, from which the next process starts.
func (r *Repository) keepHead() error {
	if err := r.git.Storer.SetReference(plumbing.NewHashReference(r.branch, r.head)); err != nil {
		return broken(r.options.Dir, err)
	}
	return nil
}

// fetch brings the branch's objects and returns its last commit, with the clone opened again where there were new
// ones, which the clone as it was opened before does not see.
func (r *Repository) fetch(ctx context.Context) (*git.Repository, plumbing.Hash, error) {
	session, err := r.uploadPack(ctx)
	if err != nil {
		return nil, plumbing.ZeroHash, err
	}
	defer session.Close()
	refs, err := r.advertised(ctx, session, maxPacked)
	if err != nil {
		return nil, plumbing.ZeroHash, err
	}
	to, found := refs.References[r.branch.String()]
	switch {
	case !found:
		return nil, to, r.unreachable(ctx, git.NoMatchingRefSpecError{})
	case to == r.refused.commit:
		return nil, to, r.refused.err
	case to == r.head:
		return nil, to, nil
	}
	clone, err := openClone(r.options.Dir)
	if err != nil {
		return nil, to, broken(r.options.Dir, err)
	}
	if err := r.receive(ctx, session, refs.Capabilities, clone, to); err != nil {
		err = r.unreachable(ctx, err)
		if dovetail.CodeOf(err) == dovetail.CodeUnprocessable {
			r.refused = refusal{to, err}
		}
		return nil, to, err
	}
	if clone, err = openClone(r.options.Dir); err != nil {
		return nil, to, broken(r.options.Dir, err)
	}
	tag, err := clone.TagObject(to)
	if err != nil { // a commit
		return clone, to, nil
	}
	commit, err := tag.Commit()
	if err != nil {
		return nil, to, broken(r.options.Dir, err)
	}
	return clone, commit.Hash, nil
}

// references asks the remote for all that it has.
func (r *Repository) references(ctx context.Context) (map[string]plumbing.Hash, error) {
	session, err := r.uploadPack(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	refs, err := r.advertised(ctx, session, maxPacked)
	if err != nil {
		return nil, err
	}
	return refs.References, nil
}

// changed is a file that differs between two commits. to is zero when the second has it not, or something irregular, as File says it; irregular says that one of them has,
// and inOne that the other has nothing there, or a folder.
type changed struct {
	path             string
	to               plumbing.Hash
	irregular, inOne bool
}

// difference lists the files that differ between two commits, in order.
func (r *Repository) difference(ctx context.Context, from, to plumbing.Hash) ([]changed, error) {
	if from == to {
		return nil, nil
	}
	before, err := r.tree(from)
	if err != nil {
		return nil, err
	}
	after, err := r.tree(to)
	if err != nil {
		return nil, err
	}
	if err := r.compare(ctx, before, after, "", new(bounds), func(changed) {}); err != nil { // before any is kept
		return nil, err
	}
	var all []changed
	if err := r.compare(ctx, before, after, "", new(bounds), func(c changed) { all = append(all, c) }); err != nil {
		return nil, err
	}
	slices.SortFunc(all, byPath)
	return all, nil
}

// compare tells of the files that differ between two folders at a path. Folders of the same content are not read.
func (r *Repository) compare(ctx context.Context, before, after *object.Tree, at string, b *bounds, add func(changed)) error {
	if ctx.Err() != nil {
		return dovetail.AsError(ctx.Err())
	}
	entries := len(before.Entries) + len(after.Entries)
	if err := b.enter(at, entries); err != nil {
		return err
	}
	defer b.leave(entries)
	type sides struct{ from, to object.TreeEntry }
	both := make(map[string]*sides)
	side := func(name string) *sides {
		if both[name] == nil {
			both[name] = new(sides)
		}
		return both[name]
	}
	for _, e := range before.Entries {
		side(e.Name).from = e
	}
	for _, e := range after.Entries {
		side(e.Name).to = e
	}
	for name, s := range both {
		if s.from == s.to {
			continue
		}
		full := strings.TrimPrefix(at+"/"+name, "/")
		if err := b.visit(full); err != nil {
			return err
		}
		if !isFileName(name) {
			add(changed{path: full, irregular: true, inOne: isNoFile(s.from) != isNoFile(s.to)})
			continue
		}
		inner := [2]*object.Tree{{}, {}}
		for i, e := range []object.TreeEntry{s.from, s.to} {
			if !isFolder(e.Mode) {
				continue
			}
			var err error
			if inner[i], err = object.GetTree(r.git.Storer, e.Hash); err != nil {
				return broken(full, err)
			}
		}
		if err := r.compare(ctx, inner[0], inner[1], full, b, add); err != nil {
			return err
		}
		if c := (changed{path: full, irregular: isIrregular(s.from) || isIrregular(s.to), inOne: isNoFile(s.from) != isNoFile(s.to)}); c.irregular || isRegular(s.from.Mode) || isRegular(s.to.Mode) {
			if isRegular(s.to.Mode) {
				c.to = s.to.Hash
			}
			add(c)
		}
	}
	return nil
}

func isNoFile(e object.TreeEntry) bool { return e.Mode == 0 || isFolder(e.Mode) }

// isIrregular reports whether an entry is neither a file nor a folder nor nothing.
func isIrregular(e object.TreeEntry) bool {
	return e.Mode != 0 && !isFolder(e.Mode) && !isRegular(e.Mode)
}

func byPath(a, b changed) int { return cmp.Compare(a.path, b.path) }

// blob opens a file, whose content is not in memory yet where it is large.
func (r *Repository) blob(path string, hash plumbing.Hash) (*object.Blob, error) {
	blob, err := r.git.BlobObject(hash)
	if err != nil {
		return nil, broken(path, err)
	}
	return blob, nil
}

func contentOf(path string, blob *object.Blob) ([]byte, error) {
	reader, err := blob.Reader()
	if err != nil {
		return nil, broken(path, err)
	}
	defer reader.Close()
	data := make([]byte, blob.Size)
	if _, err := io.ReadFull(reader, data); err != nil {
		return nil, broken(path, err)
	}
	return data, nil
}
