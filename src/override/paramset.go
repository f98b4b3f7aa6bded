package override

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// getParamSet returns a ParamSet and its version, by its uuid.
func (o *Overrides) getParamSet(ctx context.Context, uuid string) (stored, string, error) {
	id, err := o.find(ctx, uuid)
	if err != nil {
		return stored{}, "", err
	}
	s, version, err := o.readVersioned(ctx, id)
	// One that may not be read is answered as one that does not exist: the uuid alone does not tell which document it is.
	if err == nil && s.doc == nil || dovetail.CodeOf(err) == dovetail.CodeForbidden {
		return stored{}, "", noParamSet("there is no ParamSet with the id " + uuid)
	}
	return s, version, err
}

// checkLevel compares an override's ParamSet with the level that its name says, if it says one.
func (o *Overrides) checkLevel(ctx context.Context, l parameters.Location, name string, content *value.Value) error {
	if l.Name == "" || !parameters.IsOverride(name) {
		return nil
	}
	e := inventory.Environment(l)
	all, err := o.namespaces(ctx, e)
	if err != nil {
		return err
	}
	postfixes := make([]string, len(all))
	for i, n := range all {
		postfixes[i] = n.postfix()
	}
	t, ok := parameters.FindTarget(e, name, postfixes)
	if !ok {
		return nil
	}
	return dovetail.Join("the ParamSet is not one of its level", parameters.CheckLevel(t, content))
}

// createParamSet makes a ParamSet with associations. Errors: CodeExists with what is there, and those of
// associations.
func (o *Overrides) createParamSet(ctx context.Context, l parameters.Location, name string, content *value.Value, uses []use, w write) (*httpapi.Response, error) {
	id := paramSetID(l, name)
	if err := o.homeExists(ctx, l); err != nil {
		return nil, err
	}
	if err := o.checkLevel(ctx, l, name, content); err != nil {
		return nil, err
	}
	spec := value.NewMap(value.Member{Name: memberName, Value: value.NewString(name)})
	takeContent(spec, content)
	response, err := o.transact(ctx, w, func() (*plan, error) {
		s, version, err := o.readVersioned(ctx, id)
		if err != nil {
			return nil, err
		}
		if s.doc != nil {
			return nil, o.existsAlready(s, version, showParamSet(s, version))
		}
		p := &plan{of: id, show: asParamSet, message: "Create the ParamSet " + name, operations: []store.Operation{s.put(spec)}, answer: paramSetAnswer(id, pathParamSets+"/"+uuidOf(id))}
		return p, o.associate(ctx, p, id, spec, uses)
	})
	if err != nil {
		return nil, err
	}
	o.ids.add(id)
	return response, nil
}

// paramSetAnswer returns the response to a change of a ParamSet.
func paramSetAnswer(id dovetail.ID, where string) func(*Applied) *httpapi.Response {
	return func(applied *Applied) *httpapi.Response {
		s, _ := outcomeOf(applied.Result, id)
		return &httpapi.Response{Body: showParamSet(s, applied.Version), Version: applied.Version, Location: where}
	}
}

// homeExists returns CodeNotFound when the cluster or environment of a location does not exist.
func (o *Overrides) homeExists(ctx context.Context, l parameters.Location) error {
	switch {
	case l.Cluster == "":
		return nil
	case l.Name != "":
		return o.exists(ctx, inventory.Environment(l))
	}
	_, err := o.documents.Get(ctx, dovetail.ID("").Child(kindCluster, l.Cluster))
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return &dovetail.Error{Code: dovetail.CodeNotFound, Reason: ReasonNoEnvironment, Message: "the cluster " + l.Cluster + " does not exist", Remedy: "create it, or correct the location"}
	}
	return err
}

// takeContent gives the spec of a ParamSet the parameters and applications of a request. What is missing
// there becomes empty.
func takeContent(spec, content *value.Value) {
	given := func(name string, none *value.Value) {
		if v := content.Get(name); !isNull(v) {
			none = v.Unplaced()
		}
		spec.Set(name, none)
	}
	given(memberParameters, value.NewMap())
	given(memberApplications, value.NewList())
}

// updateParamSet replaces parameters and applications. Errors: CodeNotFound, CodeRequired, CodeStale,
// CodeUnprocessable.
func (o *Overrides) updateParamSet(ctx context.Context, uuid string, content *value.Value, c Condition, w write) (*httpapi.Response, error) {
	return o.transact(ctx, w, func() (*plan, error) {
		s, version, err := o.getParamSet(ctx, uuid)
		if err != nil {
			return nil, err
		}
		if err := o.check(s, version, c, showParamSet(s, version)); err != nil {
			return nil, err
		}
		location, name := placeOf(s.id)
		if err := immobile(content, location, name); err != nil {
			return nil, err
		}
		if err := o.checkLevel(ctx, location, name, content); err != nil {
			return nil, err
		}
		spec := value.NewMap()
		if s.spec() != nil && s.spec().Kind == value.Map {
			spec = s.spec().Unplaced()
		}
		takeContent(spec, content)
		return &plan{of: s.id, base: version, show: asParamSet, message: "Change the ParamSet " + name, operations: []store.Operation{s.put(spec)},
			answer: paramSetAnswer(s.id, "")}, nil
	})
}

// immobile refuses another name or location than the ParamSet has.
func immobile(content *value.Value, l parameters.Location, name string) error {
	var errs dovetail.Errors
	fail := func(member, message string) {
		position := content.Get(member).Position()
		position.Path = value.Pointer(member)
		errs.Add(&dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonLocationImmobile, Position: position, Message: message,
			Remedy: "create another ParamSet, and delete this one"})
	}
	if text, ok := content.Get(memberName).Str(); ok && text != name {
		fail(memberName, "the name of the ParamSet is "+name+", which cannot change")
	}
	if text, ok := content.Get(sayLocation).Str(); ok {
		if to, err := parameters.ParseLocation(text); err != nil || to != l {
			fail(sayLocation, "the location of the ParamSet is "+l.String()+", which cannot change")
		}
	}
	return errs.Err("the ParamSet cannot move")
}

// removeParamSet deletes a ParamSet, with cascade also its associations; otherwise these hold it. Errors:
// CodeNotFound, CodeRequired, CodeStale, CodeInUse.
func (o *Overrides) removeParamSet(ctx context.Context, uuid string, cascade bool, c Condition, w write) (*httpapi.Response, error) {
	return o.transact(ctx, w, func() (*plan, error) {
		s, version, err := o.getParamSet(ctx, uuid)
		if err != nil {
			return nil, err
		}
		if err := o.check(s, version, c, showParamSet(s, version)); err != nil {
			return nil, err
		}
		p := &plan{of: s.id, base: version, show: asParamSet, operations: []store.Operation{s.remove()}}
		p.answer = p.empty
		if cascade {
			p, err = o.removal(ctx, s, version)
		}
		if p != nil {
			p.message = "Remove the ParamSet " + s.name()
		}
		return p, err
	})
}
