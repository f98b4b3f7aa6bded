package override

import (
	"context"
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// override is what users set for a place: its ParamSet, which may not exist.
type override struct {
	place
	stored
	version    string // of the ParamSet
	associated bool   // its environment uses it
	// other is what the ParamSet of this name is the override of instead: an application x of the deploy postfix a
	// gives the same name as the deploy postfix a-x. It is "" in all other cases; otherwise there is no override here.
	other string
}

// notUsed says why an override has no effect.
const notUsed = "no association uses the ParamSet, so that it has no effect; PUT it to associate it again"

const pipelineOfNamespace = "the effective set does not use pipeline parameters of a namespace"

// getOverride reads the override of a place.
func (o *Overrides) getOverride(ctx context.Context, p place) (*override, error) {
	id := paramSetID(p.Location(), p.Name())
	s, version, err := o.readVersioned(ctx, id)
	if err != nil {
		return nil, err
	}
	of := &override{place: p, stored: s, version: version}
	if s.doc == nil {
		return of, nil
	}
	o.ids.add(id)
	a, err := o.read(ctx, of.association().id)
	if err != nil || a.doc != nil {
		of.associated = a.doc != nil
		return of, err
	}
	uses, err := o.uses(ctx, id)
	for _, use := range uses {
		if use.environment == p.Environment && use.context == p.Context {
			of.other, of.stored, of.version = use.object, stored{id: id}, ""
		}
	}
	return of, err
}

// association is how the override's environment uses it.
func (of *override) association() association {
	folder := ""
	if of.namespace != nil {
		folder = of.namespace.folder
	}
	return newAssociation(of.Environment, of.Context, of.Object(), folder, of.stored.id)
}

func (of *override) group() group { return group{of.Environment, of.Context, of.Object()} }

// missing is the error when there is no override, CodeNotFound.
func (o *Overrides) missing(ctx context.Context, p place) error {
	if err := o.exists(ctx, p.Environment); err != nil {
		return err
	}
	return noParamSet(fmt.Sprintf("there is no %s override for %s", p.Context.Token(), p.Target))
}

// notices are what a user should know about the override.
func (of *override) notices() []string {
	var all []string
	if of.doc != nil && !of.associated {
		all = append(all, notUsed)
	}
	if of.Context == parameters.Pipeline && of.Level() == parameters.LevelNamespace {
		all = append(all, pipelineOfNamespace)
	}
	return all
}

// set computes the change that gives a place these parameters: ParamSet and association together, and what
// the mode asks for.
func (o *Overrides) set(ctx context.Context, of *override, values *value.Value) (*plan, error) {
	spec := parameters.With(of.spec(), of.Target, values)
	p := &plan{operations: []store.Operation{of.put(spec)}, of: of.stored.id, base: of.version, show: of.show}
	all, err := o.associations(ctx, of.Environment)
	if err != nil {
		return nil, err
	}
	var added []association
	if !of.associated {
		added = append(added, of.association())
		p.regroup = []group{of.group()}
	}
	p.operations = append(p.operations, arrange(of.group(), all, added)...)
	further, notices, err := o.spread(ctx, of, values)
	p.operations = append(p.operations, further...)
	of.associated = true
	p.notices = append(of.notices(), notices...)
	if err != nil {
		return p, err
	}
	absent, err := o.absent(ctx, of.place, values)
	p.notices = append(p.notices, absent...)
	return p, err
}

// create makes an override. Errors: CodeExists with what is there.
func (o *Overrides) create(ctx context.Context, p place, values *value.Value, w write) (*httpapi.Response, error) {
	if err := o.exists(ctx, p.Environment); err != nil {
		return nil, err
	}
	response, err := o.transact(ctx, w, func() (*plan, error) {
		of, err := o.getOverride(ctx, p)
		if err != nil {
			return nil, err
		}
		if err := of.isOther(); err != nil {
			return nil, err
		}
		if of.doc != nil {
			return nil, o.existsAlready(of.stored, of.version, showOverride(of, nil))
		}
		plan, err := o.set(ctx, of, values)
		if plan != nil {
			plan.message = fmt.Sprintf("Create the %s override of %s", p.Context.Token(), p.Target)
			plan.answer = of.answer(plan, messageCreated, pathOverride)
		}
		return plan, err
	})
	if err != nil {
		return nil, err
	}
	o.ids.add(paramSetID(p.Location(), p.Name()))
	return response, nil
}

// answer returns the response to a change of the override.
func (of *override) answer(p *plan, message, location string) func(*Applied) *httpapi.Response {
	return func(applied *Applied) *httpapi.Response {
		made := *of
		made.take(applied)
		shown := showOverride(&made, p.notices)
		shown.Message = message
		return &httpapi.Response{Body: shown, Version: made.version, Location: location, Warnings: p.notices}
	}
}

// isOther is the error of a name that is that of another override, CodeConflict.
func (of *override) isOther() error {
	if of.other == "" {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonOtherTarget, Key: of.stored.id,
		Message: fmt.Sprintf("the ParamSet %s, which would be that of %s, is an override of %s", of.Name(), of.Target, of.other),
		Remedy:  "delete that one first, or set the parameters on another level"}
}

func (o *Overrides) existsAlready(s stored, version string, current any) error {
	return &httpapi.ProblemError{Version: version, Members: map[string]any{"version": version, "currentContent": current},
		Cause: &dovetail.Error{Code: dovetail.CodeExists, Reason: ReasonExists, Key: s.id, Message: "the ParamSet exists already",
			Remedy: "change it with PUT and If-Match"}}
}

// update replaces the parameters of an override. Errors: CodeNotFound, CodeRequired, CodeStale.
func (o *Overrides) update(ctx context.Context, p place, values *value.Value, c Condition, w write) (*httpapi.Response, error) {
	return o.transact(ctx, w, func() (*plan, error) {
		of, err := o.current(ctx, p, c)
		if err != nil {
			return nil, err
		}
		before := parameters.Of(of.spec(), p.Application)
		plan, err := o.set(ctx, of, values)
		if err != nil {
			return nil, err
		}
		plan.message = fmt.Sprintf("Change the %s override of %s", p.Context.Token(), p.Target)
		plan.notices = append(plan.notices, o.leftBehind(before, values)...)
		plan.answer = of.answer(plan, messageChanged, "")
		return plan, nil
	})
}

// remove resets a place: ParamSet and associations go together. Errors are those of update.
func (o *Overrides) remove(ctx context.Context, p place, c Condition, w write) (*httpapi.Response, error) {
	return o.transact(ctx, w, func() (*plan, error) {
		of, err := o.current(ctx, p, c)
		if err != nil {
			return nil, err
		}
		plan, err := o.removal(ctx, of.stored, of.version)
		if plan != nil {
			plan.message = fmt.Sprintf("Remove the %s override of %s", p.Context.Token(), p.Target)
			plan.show = of.show
			plan.notices = o.leftBehind(parameters.Of(of.spec(), p.Application), nil)
		}
		return plan, err
	})
}

// current reads an override that must exist in a version.
func (o *Overrides) current(ctx context.Context, p place, c Condition) (*override, error) {
	of, err := o.getOverride(ctx, p)
	if err != nil {
		return nil, err
	}
	if of.doc == nil {
		return nil, o.missing(ctx, p)
	}
	return of, o.check(of.stored, of.version, c, showOverride(of, nil))
}

// show shows another state of the override.
func (of *override) show(s stored, version string) any {
	other := *of
	other.stored, other.version = s, version
	return showOverride(&other, nil)
}

// take gives the override the state that a change left.
func (of *override) take(applied *Applied) {
	of.version = applied.Version
	if s, ok := outcomeOf(applied.Result, of.stored.id); ok {
		of.stored = s
	}
}

// removal computes the change that deletes a ParamSet with all of its associations, and closes the gaps that
// these leave.
func (o *Overrides) removal(ctx context.Context, s stored, version string) (*plan, error) {
	p := &plan{of: s.id, base: version, operations: []store.Operation{s.remove()}, show: asParamSet}
	p.answer = p.empty
	uses, err := o.uses(ctx, s.id)
	if err != nil {
		return nil, err
	}
	gone := make(map[dovetail.ID]bool)
	for _, a := range uses {
		gone[a.id] = true
		p.operations = append(p.operations, a.remove())
	}
	repaired := make(map[group]bool)
	for _, a := range uses {
		g := group{a.environment, a.context, a.object}
		if repaired[g] {
			continue
		}
		repaired[g] = true
		operations, err := o.closeGaps(ctx, g, gone)
		if err != nil {
			return nil, err
		}
		p.operations = append(p.operations, operations...)
		p.regroup = append(p.regroup, g)
	}
	return p, nil
}

// closeGaps arranges what is left of a group.
func (o *Overrides) closeGaps(ctx context.Context, g group, gone map[dovetail.ID]bool) ([]store.Operation, error) {
	all, err := o.associations(ctx, g.environment)
	if err != nil {
		return nil, err
	}
	var left []association
	for _, a := range all {
		if !gone[a.id] {
			left = append(left, a)
		}
	}
	return arrange(g, left, nil), nil
}

// uses are the associations of a ParamSet, in the order of their ids.
func (o *Overrides) uses(ctx context.Context, paramSet dovetail.ID) ([]association, error) {
	ids, err := o.documents.Referrers(ctx, paramSet, "", 0)
	if err != nil {
		return nil, err
	}
	var all []association
	for _, id := range ids {
		if key := id.Key(); key[len(key)-1].Name != kindAssociation {
			continue
		}
		s, err := o.read(ctx, id)
		if err != nil {
			return nil, err
		}
		if s.doc == nil {
			continue
		}
		if a, ok := associationOf(s); ok {
			all = append(all, a)
		}
	}
	return all, nil
}
