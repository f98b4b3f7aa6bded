package emcostore

import (
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
)

// How errors begin. EMCO's services look for these texts, and derive the status of their answers from them: 409 for those of parents,
// schemas, children and references, 404 for ErrNotFound, and 500 for all others. ErrMissing they do not know, since EMCO accepts it.
const (
	ErrParent  = "db Insert parent resource not found"
	ErrSchema  = "db Insert referential schema missing"
	ErrMissing = "db Insert referenced resource not found"
	ErrInsert  = "db Insert error"

	ErrFind = "db Find error"

	ErrNotFound   = "db Remove resource not found"
	ErrChildren   = "db Remove parent child constraint"
	ErrReferenced = "db Remove referential constraint"
	ErrRemove     = "db Remove error"
)

// insertError gives the error of a write its beginning.
func insertError(err error, parent dovetail.ID) error {
	if err == nil {
		return nil
	}
	begin := ErrInsert
	if e := dovetail.AsError(err); dovetail.CodeOf(err) == dovetail.CodeMissing {
		begin = ErrMissing
		if parent != "" && (slices.Contains(e.Missing, parent) || slices.ContainsFunc(e.Errors, func(part *dovetail.Error) bool { return slices.Contains(part.Missing, parent) })) {
			begin = ErrParent
		}
	}
	return fmt.Errorf("%s: %w", begin, err)
}

// removeError gives the error of a deletion its beginning.
func (d *database) removeError(err error) error {
	begin := ErrRemove
	switch dovetail.CodeOf(err) {
	case dovetail.CodeNotFound:
		begin = ErrNotFound
	case dovetail.CodeInUse:
		begin = ErrReferenced
		e := dovetail.AsError(err)
		if slices.ContainsFunc(append(slices.Clone(e.Errors), e), d.hasChildren) {
			begin = ErrChildren
		}
	}
	return fmt.Errorf("%s: %w", begin, err)
}

// hasChildren reports whether a deletion is refused because of a document below, or of one that has a copy of the value that is deleted, which
// EMCO takes for one below.
func (d *database) hasChildren(e *dovetail.Error) bool {
	return e.BlockedBy != nil && slices.ContainsFunc(e.BlockedBy.IDs, func(by dovetail.ID) bool {
		kind, key := d.kinds[dovetail.KeyIDOf(namesOf(by.Key()))], namesOf(e.Key.Key())
		return by.IsDescendantOf(e.Key) || kind != nil && len(key) > 0 && emco.Copied(kind, key[len(key)-1]) != nil
	})
}

// namesOf are the names of the elements of a key.
func namesOf(key dovetail.Key) (names []string) {
	for _, element := range key {
		names = append(names, element.Name)
	}
	return names
}
