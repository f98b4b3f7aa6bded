package override

import (
	"cmp"
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// common is a parameter to which overrides of several environments give the same value.
type common struct {
	Context      string       `json:"context"`
	Object       string       `json:"associatedObject"` // "cloud", or a deploy postfix
	Application  string       `json:"applicationName,omitempty"`
	Parameter    string       `json:"parameter"`
	Value        *value.Value `json:"value"`
	Environments []string     `json:"environments"`
	// Others are the environments whose override of the same object gives it another value.
	Others []string `json:"others"`
}

// slot is where a parameter is overridden, in whatever environment.
type slot struct {
	context                        parameters.Context
	object, application, parameter string
}

func (s slot) compare(t slot) int {
	return cmp.Or(cmp.Compare(s.context, t.context), cmp.Compare(s.object, t.object), cmp.Compare(s.application, t.application), cmp.Compare(s.parameter, t.parameter))
}

// commonParameters are those that at least this many environments override with the same value, of the overrides that the principal may read: those of most
// environments first.
func (o *Overrides) commonParameters(ctx context.Context, c parameters.Context, least int) ([]common, error) {
	specs := make(map[dovetail.ID]*value.Value)
	err := o.eachOf(ctx, store.ListQuery{Kind: kindEnvironmentParamSet, Fits: func(id dovetail.ID) bool { _, name := placeOf(id); return parameters.IsOverride(name) }},
		func(s stored) { specs[s.id] = s.spec() })
	if err != nil {
		return nil, err
	}
	given := make(map[slot]map[inventory.Environment]*value.Value)
	err = o.eachOf(ctx, store.ListQuery{Kind: kindAssociation}, func(s stored) {
		a, ok := associationOf(s)
		if !ok || a.context != c || specs[a.paramSet] == nil {
			return
		}
		t, ok := parameters.OverrideTarget(a.environment, a.context, a.object, a.paramSetName())
		if !ok {
			return
		}
		of := parameters.Of(specs[a.paramSet], t.Application)
		if of == nil {
			return
		}
		for _, member := range of.Members {
			at := slot{a.context, a.object, t.Application, member.Name}
			if given[at] == nil {
				given[at] = make(map[inventory.Environment]*value.Value)
			}
			given[at][a.environment] = member.Value
		}
	})
	if err != nil {
		return nil, err
	}
	all := []common{}
	for at, values := range given {
		all = append(all, commonAt(at, values, least)...)
	}
	slices.SortFunc(all, func(a, b common) int {
		slotOf := func(c common) slot { return slot{parameters.Context(c.Context), c.Object, c.Application, c.Parameter} }
		return cmp.Or(len(b.Environments)-len(a.Environments), slotOf(a).compare(slotOf(b)), cmp.Compare(a.Environments[0], b.Environments[0]))
	})
	return all, nil
}

// commonAt are the values of a slot that at least this many environments share.
func commonAt(at slot, values map[inventory.Environment]*value.Value, least int) (all []common) {
	environments := make([]inventory.Environment, 0, len(values))
	for e := range values {
		environments = append(environments, e)
	}
	slices.SortFunc(environments, func(a, b inventory.Environment) int { return cmp.Compare(a.String(), b.String()) })
	for len(environments) > 0 {
		v := values[environments[0]]
		one := common{Context: at.context.Token(), Object: at.object, Application: at.application, Parameter: at.parameter, Value: v, Others: []string{}}
		for e := range values {
			if value.Equal(values[e], v) {
				one.Environments = append(one.Environments, e.String())
			} else {
				one.Others = append(one.Others, e.String())
			}
		}
		slices.Sort(one.Environments)
		slices.Sort(one.Others)
		if len(one.Environments) >= least {
			all = append(all, one)
		}
		environments = slices.DeleteFunc(environments, func(e inventory.Environment) bool { return value.Equal(values[e], v) })
	}
	return all
}

// eachOf reads documents page by page, of those that the principal may read.
func (o *Overrides) eachOf(ctx context.Context, q store.ListQuery, use func(stored)) error {
	for q.Limit = 500; ; {
		page, err := o.documents.List(ctx, q)
		if err != nil {
			return err
		}
		for _, doc := range page.Documents {
			s, err := parse(doc)
			if err != nil {
				return err
			}
			use(s)
		}
		if page.Next == "" {
			return nil
		}
		q.After, q.Position = page.Next, page.Position
	}
}
