package override

import (
	"context"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// use is a wish to associate a ParamSet.
type use struct {
	environment inventory.Environment
	context     parameters.Context
	object      string
	order       int               // place among the others, -1 for the last
	position    dovetail.Position // in the request
}

// associate adds to a change the associations of a ParamSet, which may be created by the same change. Errors:
// CodeNotFound for the environment, CodeUnprocessable, CodeExists. All that is wrong is reported together.
func (o *Overrides) associate(ctx context.Context, p *plan, paramSet dovetail.ID, spec *value.Value, uses []use) error {
	location, name := placeOf(paramSet)
	added := make(map[group][]association)
	var groups []group
	var errs dovetail.Errors
	fail := func(u use, code dovetail.Code, reason, message, remedy string) {
		errs.Add(&dovetail.Error{Code: code, Reason: reason, Position: u.position, Message: message, Remedy: remedy})
	}
	for _, u := range uses {
		if err := o.exists(ctx, u.environment); err != nil {
			return err
		}
		folder, err := o.folderOf(ctx, u)
		if err != nil {
			return err
		}
		t, fits := parameters.OverrideTarget(u.environment, u.context, u.object, name)
		a := newAssociation(u.environment, u.context, u.object, folder, paramSet)
		a.order = u.order
		g := group{u.environment, u.context, u.object}
		there, err := o.read(ctx, a.id)
		if err != nil {
			return err
		}
		switch {
		case !location.Reaches(u.environment):
			errs.Add(unreachable(u, location))
		case u.object != parameters.Cloud && folder == "":
			fail(u, dovetail.CodeUnprocessable, ReasonNoNamespace, fmt.Sprintf("%s has no namespace with the deploy postfix %s", u.environment, u.object), "name cloud, or the deploy postfix of a namespace")
		case parameters.IsOverride(name) && !fits:
			fail(u, dovetail.CodeUnprocessable, ReasonOtherTarget, fmt.Sprintf("%s is not the name of an override of %s in the context %s", name, u.object, u.context.Token()), "associate it with what it is named for")
		case there.doc != nil, slices.ContainsFunc(added[g], func(other association) bool { return other.id == a.id }):
			fail(u, dovetail.CodeExists, ReasonAssociated, fmt.Sprintf("it is associated with %s of %s in the context %s already", u.object, u.environment, u.context.Token()), "change the one that is there")
		default:
			if fits && parameters.IsOverride(name) {
				errs.Add(parameters.CheckLevel(t, spec)...)
			}
			if len(added[g]) == 0 {
				groups = append(groups, g)
			}
			added[g] = append(added[g], a)
		}
	}
	if errs.Total() > 0 {
		return errs.Err("the associations are refused")
	}
	for _, g := range groups {
		all, err := o.associations(ctx, g.environment)
		if err != nil {
			return err
		}
		p.operations = append(p.operations, arrange(g, all, added[g])...)
		p.regroup = append(p.regroup, g)
	}
	return nil
}

// unreachable is the error of a ParamSet where the environment does not look for it.
func unreachable(u use, location parameters.Location) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonUnreachable, Position: u.position,
		Message: fmt.Sprintf("%s does not look for ParamSets in %s", u.environment, location), Remedy: "create it in the environment, its cluster or for all"}
}

// folderOf returns the namespace of an object as the inventory has it: "" for the cloud, and for none.
func (o *Overrides) folderOf(ctx context.Context, u use) (string, error) {
	if u.object == parameters.Cloud {
		return "", nil
	}
	all, err := o.readableNamespaces(ctx, u.environment)
	if err != nil {
		return "", err
	}
	for _, n := range all {
		if u.object == n.postfix() || u.object == n.folder {
			return n.folder, nil
		}
	}
	return "", nil
}

// removeAssociation deletes one association of a ParamSet. Errors: CodeNotFound, CodeStale.
func (o *Overrides) removeAssociation(ctx context.Context, paramSet, uuid string, c Condition, w write) (*httpapi.Response, error) {
	return o.transact(ctx, w, func() (*plan, error) {
		a, version, err := o.getAssociation(ctx, paramSet, uuid)
		if err != nil {
			return nil, err
		}
		if len(c.Versions) > 0 || c.Any {
			if err := o.check(a.stored, version, c, showAssociation(a, version)); err != nil {
				return nil, err
			}
		}
		g := group{a.environment, a.context, a.object}
		operations, err := o.closeGaps(ctx, g, map[dovetail.ID]bool{a.id: true})
		p := &plan{of: a.id, base: version, show: asAssociation, message: "Remove " + a.paramSetName() + " from " + a.object, regroup: []group{g},
			operations: append([]store.Operation{a.remove()}, operations...)}
		p.answer = p.empty
		return p, err
	})
}

// getAssociation returns an association of a ParamSet with its version.
func (o *Overrides) getAssociation(ctx context.Context, paramSet, uuid string) (association, string, error) {
	s, _, err := o.getParamSet(ctx, paramSet)
	if err != nil {
		return association{}, "", err
	}
	ids, err := o.documents.Referrers(ctx, s.id, "", 0)
	if err != nil {
		return association{}, "", err
	}
	i := slices.IndexFunc(ids, func(id dovetail.ID) bool {
		return id.Key()[len(id.Key())-1] == dovetail.Element{Name: kindAssociation, Value: uuid}
	})
	var found stored
	var version string
	if i >= 0 {
		found, version, err = o.readVersioned(ctx, ids[i])
	}
	a, ok := associationOf(found)
	if err == nil && !ok {
		err = &dovetail.Error{Code: dovetail.CodeNotFound, Reason: ReasonNoParamSet, Message: "the ParamSet has no association with the id " + uuid, Remedy: "see its associations"}
	}
	return a, version, err
}

// addAssociation associates a ParamSet. Errors: CodeNotFound, and those of associate.
func (o *Overrides) addAssociation(ctx context.Context, paramSet string, u use, w write) (*httpapi.Response, error) {
	return o.transact(ctx, w, func() (*plan, error) {
		s, _, err := o.getParamSet(ctx, paramSet)
		if err != nil {
			return nil, err
		}
		id := newAssociation(u.environment, u.context, u.object, "", s.id).id
		p := &plan{of: id, show: asAssociation, message: "Associate " + s.name() + " with " + u.object, answer: associationAnswer(id)}
		return p, o.associate(ctx, p, s.id, s.spec(), []use{u})
	})
}

// associationAnswer returns the response to the creation of an association.
func associationAnswer(id dovetail.ID) func(*Applied) *httpapi.Response {
	return func(applied *Applied) *httpapi.Response {
		s, _ := outcomeOf(applied.Result, id)
		a, _ := associationOf(s)
		shown := showAssociation(a, applied.Version)
		return &httpapi.Response{Body: shown, Version: applied.Version, Warnings: shown.Notices,
			Location: pathParamSets + "/" + shown.ParamSetID + "/associations/" + shown.ID}
	}
}
