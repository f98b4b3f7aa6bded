package override

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// mergedChange is a value that the ParamSets of a level would come to, and did not before.
type mergedChange struct {
	EnvironmentID string       `json:"environmentId"`
	Object        string       `json:"associatedObject"`
	Application   string       `json:"applicationName,omitempty"`
	Path          string       `json:"path"`
	From          *value.Value `json:"from,omitempty"` // absent where it was not set
	To            *value.Value `json:"to,omitempty"`
	// Own is what says more of it: that the namespace sets the parameter itself.
	Own bool `json:"own,omitempty"`
}

// differs refuses a move that would change values.
func differs(all []mergedChange) error {
	var errs dovetail.Errors
	for _, d := range all {
		errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonMoveDiffers, Position: dovetail.Position{Path: d.Path},
			Message: fmt.Sprintf("%s of %s in %s would be another value", d.Path, strings.Trim(d.Object+" "+d.Application, " "), d.EnvironmentID),
			Remedy:  "look at the differences with ?dryRun=true, and accept them with differences: accept"})
	}
	return errs.Err("values would be others afterwards")
}

// future are documents as operations would leave them.
type future struct {
	Documents
	written map[dovetail.ID]*dovetail.Document // nil is deleted
}

// after returns the documents with operations done.
func after(documents Documents, operations []store.Operation) *future {
	f := &future{documents, make(map[dovetail.ID]*dovetail.Document)}
	for _, op := range operations {
		if op.Verb == store.Delete {
			f.written[op.ID] = nil
			continue
		}
		key := op.ID.Key()
		f.written[op.ID] = &dovetail.Document{ID: op.ID, Kind: key[len(key)-1].Name, Data: op.Data.JSON()}
	}
	return f
}

// Get implements Documents.
func (f *future) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	doc, written := f.written[id]
	switch {
	case !written:
		return f.Documents.Get(ctx, id)
	case doc == nil:
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " does not exist"}
	}
	return doc, nil
}

// List implements Documents, of whole lists.
func (f *future) List(ctx context.Context, q store.ListQuery) (*store.Page, error) {
	page, err := f.Documents.List(ctx, q)
	if err != nil {
		return nil, err
	}
	then := *page
	then.Documents = nil
	for _, doc := range page.Documents {
		if _, written := f.written[doc.ID]; !written {
			then.Documents = append(then.Documents, doc)
		}
	}
	for id, doc := range f.written {
		if doc != nil && doc.Kind == q.Kind && id.IsDescendantOf(q.Under) {
			then.Documents = append(then.Documents, doc)
		}
	}
	slices.SortFunc(then.Documents, func(a, b *dovetail.Document) int { return cmp.Compare(a.ID, b.ID) })
	return &then, nil
}

// differences are the values that ParamSets come to in all environments that a move reaches: those whose overrides lose parameters, and those that use the
// ParamSet.
func (o *Overrides) differences(ctx context.Context, m *movement) ([]mergedChange, error) {
	reached := slices.Clone(m.environments)
	uses, err := o.uses(ctx, m.of)
	if err != nil {
		return nil, err
	}
	for _, a := range uses {
		if !slices.Contains(reached, a.environment) {
			reached = append(reached, a.environment)
		}
	}
	then := New(after(o.documents, m.operations), o.options)
	all := []mergedChange{}
	for _, e := range reached {
		before, err := o.setsOf(ctx, e, m.context)
		if err != nil {
			return nil, err
		}
		is, err := then.setsOf(ctx, e, m.context)
		if err != nil {
			return nil, err
		}
		places, err := o.placesOf(ctx, e, m.context, slices.Concat(before, is))
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			of := mergedChange{EnvironmentID: e.String(), Object: p.Object(), Application: p.Application}
			was := allLevels(p.Target, before)
			all = of.compare(all, "", was, allLevels(p.Target, is))
			all = of.own(all, m.move, p, was)
		}
	}
	return all, nil
}

// setsOf are the ParamSets that an environment uses in a context.
func (o *Overrides) setsOf(ctx context.Context, e inventory.Environment, c parameters.Context) ([]parameters.Associated, error) {
	used, err := o.associations(ctx, e)
	if err != nil {
		return nil, err
	}
	return o.resolved(ctx, used, func(a association) bool { return a.context == c }, "", nil)
}

// allLevels merges what ParamSets say for a target, from the environment down: the most specific level wins.
func allLevels(t parameters.Target, sets []parameters.Associated) *value.Value {
	var layers []parameters.Layer
	for _, level := range t.Above() {
		layers = append(layers, parameters.Chain(level, sets)...)
	}
	return parameters.Merge(layers).Value
}

// placesOf are the levels of an environment that ParamSets say something about: the environment, its namespaces, and the applications that are named.
func (o *Overrides) placesOf(ctx context.Context, e inventory.Environment, c parameters.Context, sets []parameters.Associated) ([]place, error) {
	all := []place{{Target: parameters.Target{Environment: e, Context: c}}}
	if c == parameters.Pipeline {
		return all, nil
	}
	spaces, err := o.namespaces(ctx, e)
	if err != nil {
		return nil, err
	}
	var named []string
	for _, set := range sets {
		applications := set.ParamSet.Get(memberApplications)
		if isNull(applications) {
			continue
		}
		for _, item := range applications.Items {
			if name, ok := item.Get("appName").Str(); ok && !slices.Contains(named, name) {
				named = append(named, name)
			}
		}
	}
	slices.Sort(named)
	for i := range spaces {
		for _, application := range append([]string{""}, named...) {
			all = append(all, place{parameters.Target{Environment: e, Context: c, DeployPostfix: spaces[i].postfix(), Application: application}, &spaces[i]})
		}
	}
	return all, nil
}

// own adds parameters that move up to the cloud and that a namespace sets itself, outside of ParamSets: what it sets wins then.
func (d mergedChange) own(all []mergedChange, m *move, p place, before *value.Value) []mergedChange {
	if m.into == m.object || p.namespace == nil || p.Application != m.application || p.Object() != m.object {
		return all
	}
	member := map[parameters.Context]string{parameters.Deployment: memberDeployParameters, parameters.Runtime: memberRuntimeParameters, parameters.Pipeline: memberPipelineParameters}[m.context]
	sets := p.namespace.spec().Get(member)
	for _, name := range m.parameters {
		if v := sets.Get(name); v != nil && !value.Equal(v, before.Get(name)) {
			d.Path, d.From, d.To, d.Own = value.Pointer(name), before.Get(name), v, true
			all = append(all, d)
		}
	}
	return all
}

// compare adds the values below a path that are not the same.
func (d mergedChange) compare(all []mergedChange, path string, from, to *value.Value) []mergedChange {
	if from != nil && to != nil && from.Kind == value.Map && to.Kind == value.Map {
		was, is := value.IndexOf(from), value.IndexOf(to)
		for _, member := range from.Members {
			all = d.compare(all, path+value.Pointer(member.Name), member.Value, is.Get(member.Name))
		}
		for _, member := range to.Members {
			if was.Get(member.Name) == nil {
				all = d.compare(all, path+value.Pointer(member.Name), nil, member.Value)
			}
		}
		return all
	}
	if from == nil && to == nil || from != nil && to != nil && value.Equal(from, to) {
		return all
	}
	d.Path, d.From, d.To = path, from, to
	return append(all, d)
}
