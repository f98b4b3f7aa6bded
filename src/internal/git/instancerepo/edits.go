package instancerepo

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Edits returns the files to write so that a part of a repository holds the documents after. files are all files
// of that part, and after all of its documents: those that Survey finds in the files, with some
// changed, added or left out. Only files whose documents change are edited, as Edit does; nil stands for a
// deleted file. Changed documents that no file can hold are reported, by id.
//
// New values of credentials are encrypted where a file has encrypted ones or is new, as the sealing says.
func Edits(files []File, after []Document, sealing Sealing) (map[string][]byte, []*dovetail.Error) {
	contents, err := Survey(each(files))
	if err != nil {
		return nil, []*dovetail.Error{dovetail.AsError(err)}
	}
	documents := contents.Documents()
	changed := changedBetween(documents, after)
	before, _ := gather(documents)
	sets, problems := gather(after)
	problems = slices.DeleteFunc(problems, func(e *dovetail.Error) bool { return !changed[e.Key] })

	existing := make(map[string]File) // by the paths that Files would give
	for _, f := range files {
		if at, ok := find(f.Path); ok && (existing[at.path].Path == "" || goesBefore(f.Path, existing[at.path].Path)) {
			existing[at.path] = f
		}
	}
	edits := make(map[string][]byte)
	wanted := make(map[string]bool)
	for _, s := range sets {
		wanted[s.path] = true
		if !s.changes(changed, before) {
			continue
		}
		name, old := s.path, []byte(nil)
		if f, ok := existing[s.path]; ok {
			name, old = f.Path, append([]byte{}, f.Data...)
		}
		text, errs := s.edit(name, old, sealing)
		problems = append(problems, errs...)
		if isNew := old == nil; len(errs) == 0 && (isNew && !s.isEmpty(before) || !isNew && !bytes.Equal(text, old)) { // a new one may be empty
			edits[name] = text
		}
	}
	for _, s := range before {
		if f, ok := existing[s.path]; ok && !wanted[s.path] {
			edits[f.Path] = nil
		}
	}
	for _, s := range sets {
		if existing[s.path].Path == "" && edits[s.path] == nil && !s.stands(existing, edits) {
			edits[s.path], _ = s.edit(s.path, nil, sealing)
		}
	}
	return edits, sorted(problems)
}

// stands reports whether other files, as they will be, make the folder that documents without a file are.
func (s *set) stands(existing map[string]File, edits map[string][]byte) bool {
	folder := path.Dir(s.path) + "/" // of a namespace
	if s.shape == inventoryShape {
		folder = path.Dir(path.Dir(s.path)) + "/"
	}
	for _, f := range existing {
		if text, edited := edits[f.Path]; strings.HasPrefix(f.Path, folder) && (!edited || text != nil) {
			return true
		}
	}
	for name, text := range edits {
		if text != nil && strings.HasPrefix(name, folder) {
			return true
		}
	}
	return false
}

// changedBetween returns the documents that are not the same in both.
func changedBetween(before, after []Document) map[dovetail.ID]bool {
	was := make(map[dovetail.ID]*value.Value, len(before))
	for _, d := range before {
		was[d.ID] = d.Data
	}
	changed := make(map[dovetail.ID]bool)
	for _, d := range after {
		if !value.Equal(was[d.ID], d.Data) {
			changed[d.ID] = true
		}
		delete(was, d.ID)
	}
	for id := range was {
		changed[id] = true
	}
	return changed
}

// changes reports whether a file must be written because its documents changed, came or went.
func (s *set) changes(changed map[dovetail.ID]bool, before []*set) bool {
	is := func(d *Document) bool { return changed[d.ID] }
	was := s.in(before)
	return slices.ContainsFunc(s.documents, is) || was != nil && slices.ContainsFunc(was.documents, is)
}

// in returns the set of the same file among others, which are in order; nil if there is none.
func (s *set) in(others []*set) *set {
	i, found := slices.BinarySearchFunc(others, s.path, func(o *set, path string) int { return cmp.Compare(o.path, path) })
	if !found {
		return nil
	}
	return others[i]
}

// isEmpty reports whether documents that needed no file need none now either.
func (s *set) isEmpty(before []*set) bool {
	content, _ := s.content(nil)
	return len(content.Members) == 0 && s.in(before) != nil
}

// each yields files that are there.
func each(files []File) func(yield func(File, error) bool) {
	return func(yield func(File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	}
}
