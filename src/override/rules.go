package override

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The problems of ParamSets and associations.
const (
	ProblemAssociation = "association"          // the id of an association is not made of what it is of, so that requests do not find it
	ProblemObject      = "association-object"   // an association is of another object than its namespace
	ProblemOrder       = "association-order"    // two associations of an object have the same place
	ProblemTarget      = "association-override" // an override is associated with something that it is not named for
)

// Rules returns what the service knows of its documents.
func Rules() store.Service { return store.Service{Follow: Follow, Verify: verify} }

// verify finds ParamSets and associations that do not fit each other, or the environment that they are in.
func verify(ctx context.Context, then *store.Store) iter.Seq2[store.Defect, error] {
	return func(yield func(store.Defect, error) bool) {
		v := verification{ctx: own(ctx), o: New(Stored{then}, Options{}), namespaces: make(map[inventory.Environment][]namespace)}
		if err := v.associations(); err != nil {
			yield(store.Defect{}, err)
			return
		}
		for _, d := range v.defects {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// verification is one check of all documents of the service.
type verification struct {
	ctx        context.Context
	o          *Overrides
	namespaces map[inventory.Environment][]namespace
	defects    []store.Defect
}

func (v *verification) found(problem string, id dovetail.ID, repair []store.Operation, format string, args ...any) {
	v.defects = append(v.defects, store.Defect{Finding: store.Finding{Problem: problem, ID: id, Message: string(id) + ": " + fmt.Sprintf(format, args...)}, Repair: repair})
}

// associations checks associations, one by one and by the objects that they are of.
func (v *verification) associations() error {
	groups := make(map[group][]association)
	var order []group
	err := v.o.eachOf(v.ctx, store.ListQuery{Kind: kindAssociation}, func(s stored) {
		a, ok := associationOf(s)
		if !ok {
			v.found(ProblemAssociation, s.id, nil, "it is no association; delete it")
			return
		}
		g := group{a.environment, a.context, a.object}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], a)
	})
	if err != nil {
		return err
	}
	for _, g := range order {
		for _, a := range groups[g] {
			if err := v.association(a); err != nil {
				return err
			}
		}
		v.order(g, groups[g])
	}
	return nil
}

// order finds associations of an object that have the same place.
func (v *verification) order(g group, all []association) {
	places := make(map[int]bool)
	for _, a := range all {
		if places[a.order] {
			v.found(ProblemOrder, a.id, arrange(g, all, nil), "another association of %s in the context %s has the place %d, too", g.object, g.context.Token(), a.order)
			return
		}
		places[a.order] = true
	}
}

// association checks what an association is of.
func (v *verification) association(a association) error {
	object, err := v.object(a)
	if err != nil {
		return err
	}
	next := newAssociation(a.environment, a.context, object, a.folder(), a.paramSet)
	switch {
	case object != a.object:
		v.found(ProblemObject, a.id, v.moved(a, next, object), "it is of %s, but its namespace is %s", a.object, object)
	case next.id != a.id:
		v.found(ProblemAssociation, a.id, v.moved(a, next, object), "its id is not made of what it is of, which is %s", next.id)
	}
	if _, fits := parameters.OverrideTarget(a.environment, a.context, object, a.paramSetName()); parameters.IsOverride(a.paramSetName()) && !fits {
		v.found(ProblemTarget, a.id, nil, "it associates the override %s with %s, which it is not named for; rename the ParamSet with `dovetail rename`, or delete the association", a.paramSet, object)
	}
	return nil
}

// object returns what an association must be of: the namespace that it refers to.
func (v *verification) object(a association) (string, error) {
	if a.folder() == "" {
		return a.object, nil
	}
	all, known := v.namespaces[a.environment]
	if !known {
		var err error
		if all, err = v.o.namespaces(v.ctx, a.environment); err != nil {
			return "", err
		}
		v.namespaces[a.environment] = all
	}
	i := slices.IndexFunc(all, func(n namespace) bool { return n.folder == a.folder() })
	if i < 0 || a.object == all[i].folder {
		return a.object, nil
	}
	return all[i].postfix(), nil
}

// moved returns what replaces an association by one with another id or object; nil if there is one already.
func (v *verification) moved(a, next association, object string) []store.Operation {
	there, err := v.o.read(v.ctx, next.id)
	if err != nil || there.doc != nil && next.id != a.id {
		return nil
	}
	data, spec := a.data.Unplaced(), a.spec().Unplaced()
	spec.Set(memberAssociatedObject, value.NewString(object))
	data.Set(memberSpec, spec)
	name(data, next.name())
	if next.id == a.id {
		return []store.Operation{a.put(spec)}
	}
	return []store.Operation{a.remove(), {Verb: store.Create, ID: next.id, Data: data}}
}
