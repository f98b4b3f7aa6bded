package override

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Author is the author of a change, and its message. All may be empty.
type Author struct{ Name, Email, Message string }

// Condition is the version that a document must have before it is changed.
type Condition struct {
	Versions []string // one of these
	Any      bool     // any version
	New      bool     // none: it must not exist
}

// plan is a change that was computed from what is there.
type plan struct {
	operations []store.Operation
	of         dovetail.ID
	base       string   // its version
	message    string   // when the author gave none
	notices    []string // for the user
	regroup    []group  // whose order may have to be restored afterwards
	// show formats the current document for the answer to a conflict.
	show func(s stored, version string) any
	// answer returns the response to the change, once it is made.
	answer func(*Applied) *httpapi.Response
}

// empty returns the response to a change that has nothing to show but its notices.
func (p *plan) empty(*Applied) *httpapi.Response { return &httpapi.Response{Warnings: p.notices} }

// write is how a change is made: by whom, and with which options.
type write struct {
	Author
	options store.Options
}

// group is what has an order of its own: the associations of an object in a context.
type group struct {
	environment inventory.Environment
	context     parameters.Context
	object      string
}

// transact computes a change and does it, again until no other writer comes between.
func (o *Overrides) transact(ctx context.Context, w write, compute func() (*plan, error)) (response *httpapi.Response, err error) {
	if principal := dovetail.PrincipalOf(ctx); w.Name == "" && principal != nil {
		w.Name = principal.Name
	}
	err = store.Transact(ctx, func() error {
		p, err := compute()
		if err != nil {
			return err
		}
		if w.Message != "" {
			p.message = w.Message
		}
		applied, err := o.documents.Apply(ctx, p.operations,
			Change{Author: w.Name, Email: w.Email, Message: p.message, Of: p.of, Base: p.base, Options: w.options, Answer: p.answer})
		switch {
		case err == nil:
			if response = p.answer(applied); w.options.DryRun {
				return nil
			}
			if err := o.settle(ctx, w.Author, p); err != nil { // what was asked for is done all the same
				response.Warnings = append(response.Warnings, "the order of the ParamSets could not be repaired; the next change of them repairs it: "+dovetail.AsError(err).Message)
			}
			return nil
		case dovetail.AsError(err).Reason == ReasonPushConflict:
			return o.pushConflict(ctx, p, err)
		case store.IsConflict(err):
			return store.Retry(err)
		}
		return dovetail.WithoutIndex(err)
	})
	return response, err
}

// settle repairs the order of groups when two changes of one group happened at the same moment, neither of
// which could see the other.
func (o *Overrides) settle(ctx context.Context, who Author, p *plan) error {
	for _, g := range p.regroup {
		err := store.Transact(ctx, func() error {
			all, err := o.associations(ctx, g.environment)
			if err != nil {
				return err
			}
			operations := arrange(g, all, nil)
			if len(operations) == 0 {
				return nil
			}
			_, err = o.documents.Apply(ctx, operations, Change{Author: who.Name, Email: who.Email, Message: "Order the ParamSets of " + g.object, Of: operations[0].ID})
			if err != nil && (store.IsConflict(err) || dovetail.AsError(err).Reason == ReasonPushConflict) {
				return store.Retry(err)
			}
			return dovetail.WithoutIndex(err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// arrange returns the operations that put a group into order; added are associations that do not exist yet,
// and are created. all may hold others, too.
func arrange(g group, all []association, added []association) []store.Operation {
	var links []parameters.Link
	byID := make(map[string]association)
	collect := func(some []association, last int) {
		for _, a := range some {
			if a.environment != g.environment || a.context != g.context || a.object != g.object {
				continue
			}
			order := a.order
			if order < 0 {
				order = last
			}
			byID[string(a.id)] = a
			links = append(links, parameters.Link{ID: string(a.id), Name: a.paramSetName(), Order: order})
		}
	}
	collect(added, len(all)) // at a tie before those that are there, so that a place can be asked for
	collect(all, len(all))
	var operations []store.Operation
	for _, link := range parameters.Arrange(g.context, g.object, links) {
		a := byID[link.ID]
		if a.doc != nil && a.order == link.Order {
			continue
		}
		spec := a.spec().Unplaced()
		spec.Set(memberOrder, value.NewNumber(int64(link.Order)))
		operations = append(operations, a.put(spec))
	}
	return operations
}

// check compares a condition with the version that a ParamSet has; s exists. Errors: CodeRequired, and
// CodeStale with what is there.
func (o *Overrides) check(s stored, version string, c Condition, current any) error {
	if len(c.Versions) == 0 && !c.Any && !c.New {
		return &dovetail.Error{Code: dovetail.CodeRequired, Reason: ReasonVersionRequired, Key: s.id, Message: "the header If-Match is missing",
			Remedy: "give the ETag of what you read, or * to overwrite whatever is there"}
	}
	if !c.New && (c.Any || slices.Contains(c.Versions, version)) {
		return nil
	}
	expected := any(c.Versions)
	if len(c.Versions) == 1 {
		expected = c.Versions[0]
	}
	message := "it has changed since it was read"
	if c.New {
		message = "it exists already"
	}
	return &httpapi.ProblemError{Version: version, Members: map[string]any{"version": version, "expected": expected, "currentContent": current},
		Cause: &dovetail.Error{Code: dovetail.CodeStale, Reason: ReasonVersion, Key: s.id, Message: message,
			Remedy: "show the current values, and repeat the change on them"}}
}

// pushConflict adds the current document to the error when another user changed the repository at the same time.
func (o *Overrides) pushConflict(ctx context.Context, p *plan, err error) error {
	refusal := &httpapi.ProblemError{Cause: dovetail.AsError(err)}
	s, version, readErr := o.readVersioned(ctx, p.of)
	if readErr == nil && s.doc != nil { // otherwise the refusal itself is all that there is to say
		refusal.Version = version
		refusal.Members = map[string]any{"version": version, "currentContent": p.show(s, version)}
	}
	return refusal
}
