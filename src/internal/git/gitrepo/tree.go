package gitrepo

import (
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// writer makes the objects of a commit and notes them, so that exactly they are pushed.
type writer struct {
	r    *Repository
	made []plumbing.Hash
}

// tree writes the folder at a path with some of its files changed, by their paths below it; nil
// removes. It returns zero for a folder that became empty, except the root.
func (w *writer) tree(at string, old *object.Tree, files map[string][]byte) (plumbing.Hash, error) {
	entries := slices.Clone(old.Entries)
	below := make(map[string]map[string][]byte)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		folder, rest, deeper := strings.Cut(name, "/")
		if deeper {
			if below[folder] == nil {
				below[folder] = make(map[string][]byte)
			}
			below[folder][rest] = data
			continue
		}
		var err error
		if entries, err = w.file(at, entries, name, data); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(below)) {
		var err error
		if entries, err = w.folder(at, old, entries, name, below[name]); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	if slices.Equal(entries, old.Entries) {
		return old.Hash, nil
	}
	sort.Sort(object.TreeEntrySorter(entries))
	if len(entries) == 0 && at != "" {
		return plumbing.ZeroHash, nil
	}
	return w.store(&object.Tree{Entries: entries})
}

// file sets or removes one file of a folder. The bit that lets it be run stays.
func (w *writer) file(at string, entries []object.TreeEntry, name string, data []byte) ([]object.TreeEntry, error) {
	i := slices.IndexFunc(entries, func(e object.TreeEntry) bool { return e.Name == name })
	switch {
	case i >= 0 && !isRegular(entries[i].Mode):
		return nil, notAFile(path.Join(at, name))
	case data == nil && i < 0:
		return entries, nil
	case data == nil:
		return slices.Delete(entries, i, i+1), nil
	case i < 0:
		entries = append(entries, object.TreeEntry{Name: name, Mode: filemode.Regular})
		i = len(entries) - 1
	}
	hash := plumbing.ComputeHash(plumbing.BlobObject, data)
	if entries[i].Hash == hash {
		return entries, nil
	}
	entries[i].Hash = hash
	return entries, w.blob(data)
}

// folder changes files of a folder in a folder.
func (w *writer) folder(at string, old *object.Tree, entries []object.TreeEntry, name string, files map[string][]byte) ([]object.TreeEntry, error) {
	i := slices.IndexFunc(entries, func(e object.TreeEntry) bool { return e.Name == name })
	inner := &object.Tree{}
	if i >= 0 {
		if entries[i].Mode != filemode.Dir {
			return nil, notAFile(path.Join(at, name))
		}
		var err error
		if inner, err = old.Tree(name); err != nil {
			return nil, broken(path.Join(at, name), err)
		}
	}
	hash, err := w.tree(path.Join(at, name), inner, files)
	switch {
	case err != nil:
		return nil, err
	case hash.IsZero() && i >= 0:
		return slices.Delete(entries, i, i+1), nil
	case hash.IsZero():
		return entries, nil
	case i < 0:
		return append(entries, object.TreeEntry{Name: name, Mode: filemode.Dir, Hash: hash}), nil
	}
	entries[i].Hash = hash
	return entries, nil
}

// store writes a tree or a commit.
func (w *writer) store(o interface {
	Encode(plumbing.EncodedObject) error
}) (plumbing.Hash, error) {
	encoded := w.r.git.Storer.NewEncodedObject()
	if err := o.Encode(encoded); err != nil {
		return plumbing.ZeroHash, broken(w.r.options.Dir, err)
	}
	return w.keep(encoded)
}

func (w *writer) blob(data []byte) error {
	encoded := w.r.git.Storer.NewEncodedObject()
	encoded.SetType(plumbing.BlobObject)
	out, err := encoded.Writer()
	if err != nil {
		return broken(w.r.options.Dir, err)
	}
	if _, err := out.Write(data); err != nil {
		return broken(w.r.options.Dir, err)
	}
	if err := out.Close(); err != nil {
		return broken(w.r.options.Dir, err)
	}
	_, err = w.keep(encoded)
	return err
}

func (w *writer) keep(encoded plumbing.EncodedObject) (plumbing.Hash, error) {
	hash, err := w.r.git.Storer.SetEncodedObject(encoded)
	if err != nil {
		return plumbing.ZeroHash, broken(w.r.options.Dir, err)
	}
	w.made = append(w.made, hash)
	return hash, nil
}
