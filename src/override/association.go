package override

import (
	"context"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// association is the use of a ParamSet by an object of an environment.
type association struct {
	stored
	environment inventory.Environment
	context     parameters.Context
	object      string
	order       int
	paramSet    dovetail.ID
}

// associations returns those of an environment.
func (o *Overrides) associations(ctx context.Context, e inventory.Environment) ([]association, error) {
	documents, err := o.list(ctx, e.ID(), kindAssociation)
	if err != nil {
		return nil, err
	}
	var all []association
	for _, doc := range documents {
		if a, ok := associationOf(doc); ok {
			all = append(all, a)
		}
	}
	return all, nil
}

// associationOf reads an association; false when there is no document, or none that its schema lets be.
func associationOf(doc stored) (association, bool) {
	if doc.doc == nil {
		return association{}, false
	}
	key, spec := doc.id.Key(), doc.spec()
	a := association{stored: doc, environment: inventory.Environment{Cluster: key[0].Value, Name: key[1].Value}}
	token, _ := spec.Get(memberContext).Str()
	var err error
	if a.context, err = parameters.ParseContext(token); err != nil {
		return a, false
	}
	a.object, _ = spec.Get(memberAssociatedObject).Str()
	if order := spec.Get(memberOrder); order != nil {
		a.order, _ = strconv.Atoi(order.Text)
	}
	for kind, location := range map[string]parameters.Location{kindEnvironmentParamSet: parameters.Location(a.environment),
		kindClusterParamSet: {Cluster: a.environment.Cluster}, kindSiteParamSet: {}} {
		if name, ok := spec.Get(kind).Str(); ok && name != "" {
			a.paramSet = paramSetID(location, name)
		}
	}
	return a, a.paramSet != ""
}

// paramSetName is the name of the ParamSet that it is about.
func (a association) paramSetName() string {
	_, name := placeOf(a.paramSet)
	return name
}

// newAssociation is one that does not exist yet. folder is the namespace's deploy postfix as the inventory has
// it, "" for the cloud.
func newAssociation(e inventory.Environment, c parameters.Context, object, folder string, paramSet dovetail.ID) association {
	uuid := parameters.AssociationID(e, c, object, uuidOf(paramSet))
	key := paramSet.Key()
	own := key[len(key)-1]
	spec := value.NewMap(
		value.Member{Name: memberContext, Value: value.NewString(c.Token())},
		value.Member{Name: memberAssociatedObject, Value: value.NewString(object)})
	if folder != "" {
		spec.Set(kindNamespace, value.NewString(folder))
	}
	spec.Set(memberOrder, value.NewNumber(0))
	spec.Set(own.Name, value.NewString(own.Value))
	id := e.ID().Child(kindAssociation, uuid)
	return association{stored: stored{id: id, data: value.NewMap(value.Member{Name: memberSpec, Value: spec})},
		environment: e, context: c, object: object, order: -1, paramSet: paramSet}
}
