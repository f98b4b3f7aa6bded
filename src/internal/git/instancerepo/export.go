package instancerepo

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Export is what is to be done to a folder so that it says what documents say.
type Export struct {
	Changes  []Change          // by path
	Problems []*dovetail.Error // by id; what no file can hold

	repository *Repository
}

// Change is what is to be done to one file.
type Change struct {
	Path string // from the root
	Data []byte // nil to remove it
	New  bool   // there is none yet
}

// Effect says what the change does.
func (c Change) Effect() Effect {
	switch {
	case c.Data == nil:
		return WasRemoved
	case c.New:
		return WasCreated
	}
	return WasUpdated
}

// PlanExport reads a folder, which need not exist, and compares it with the documents. Files that say the
// same are not among the changes. Errors are those of reading files.
func PlanExport(ctx context.Context, dir string, documents []Document, sealing Sealing) (*Export, error) {
	e := &Export{repository: &Repository{dir: dir}}
	var there []File
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		repository, err := Open(dir)
		if err != nil {
			return nil, err
		}
		for f, err := range repository.Files(ctx) {
			if err != nil {
				return nil, err
			}
			if _, ok := find(f.Path); ok && !f.Irregular {
				there = append(there, f)
			}
		}
	}
	exists := make(map[string]bool, len(there))
	for _, f := range there {
		exists[f.Path] = true
	}
	edits, problems := Edits(there, documents, sealing)
	for name, data := range edits {
		e.Changes = append(e.Changes, Change{Path: name, Data: data, New: !exists[name]})
	}
	slices.SortFunc(e.Changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	e.Problems = problems
	return e, nil
}

// Write does one of the changes. Folders are made where they are missing. Errors are of CodeForbidden and
// CodeInternal.
func (e *Export) Write(c Change) error {
	name := e.repository.full(c.Path)
	if c.Data == nil {
		if err := os.Remove(name); err != nil {
			return unwritable(name, err)
		}
		return nil
	}
	return writeAll([]change{{name, c.Data}})
}
