package descriptor

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Conditions are what a single SD must be like before it is written. The zero value asks for nothing.
type Conditions struct {
	IfMatch  []dovetail.ETag // versions one of which it must have
	IfExists bool
	IfNew    bool
}

// check compares the conditions with what is stored. The error has the code CodeStale.
func (c Conditions) check(of *stored) error {
	failed := func(message string) error {
		return &dovetail.Error{Code: dovetail.CodeStale, Key: of.id, Message: message, Current: of.doc, Remedy: "read it again and repeat the change on the current version"}
	}
	switch {
	case of.doc != nil && c.IfNew:
		return failed("the solution descriptor exists already")
	case of.doc == nil && (c.IfExists || len(c.IfMatch) > 0):
		return failed("the solution descriptor does not exist")
	case of.doc != nil && len(c.IfMatch) > 0 && !c.IfExists && !slices.Contains(c.IfMatch, of.doc.ETag()):
		return failed("the solution descriptor has changed")
	}
	return nil
}

// put replaces the stored SD with the given one, after the checks of mode Replace. The report has that
// part only. Errors are those of Process, and CodeStale for conditions.
func (s *Solutions) put(ctx context.Context, e inventory.Environment, p Part, descr *sd.Descriptor, c Conditions, options store.Options, answer answer) (*httpapi.Response, error) {
	if err := s.exists(ctx, e); err != nil {
		return nil, err
	}
	request := &sd.Request{Mode: sd.Replace}
	return s.transact(ctx, e, options, answer, func(full, delta *stored, state sd.State) ([]write, []*dovetail.Error, error) {
		of := full
		if p == Delta {
			of = delta
		}
		if err := c.check(of); err != nil {
			return nil, nil, err
		}
		outcome, err := s.merge(request, []*sd.Descriptor{descr}, full, state)
		if err != nil {
			return nil, nil, err
		}
		return []write{{p, of, outcome.Full}}, outcome.Warnings, nil
	})
}

// Delete removes an SD. Errors: CodeNotFound, CodeStale for conditions, and those of the store.
func (s *Solutions) Delete(ctx context.Context, e inventory.Environment, p Part, c Conditions, options store.Options) error {
	if err := s.exists(ctx, e); err != nil {
		return err
	}
	op := store.Operation{Verb: store.Delete, ID: p.of(e)}
	if !c.IfExists {
		op.IfMatch = c.IfMatch
	}
	_, err := s.store.Apply(ctx, []store.Operation{op}, options)
	return dovetail.WithoutIndex(err)
}

// changes returns the differences from the stored descriptor.
func changes(was, is *sd.Descriptor) []sd.Difference {
	if was == nil {
		was, _ = sd.New(dovetail.Position{}, // nothing is wrong with it
			value.NewMap(value.Member{Name: "applications", Value: value.NewList()}))
	}
	return sd.Diff(was, is)
}
