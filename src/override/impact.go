package override

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/impact"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
)

// Impact reports the places whose parameters differ: of an application or a pipeline those of its effective set, where one was
// generated, and elsewhere what the ParamSets of the level merge to.
func Impact(options Options) impact.Func {
	return func(ctx context.Context, before, after *store.Store, changed []dovetail.ID, report *impact.Report) error {
		was, is := New(Stored{Store: before}, options), New(Stored{Store: after}, options)
		environments := make(map[inventory.Environment]bool)
		for _, s := range []*store.Store{before, after} {
			for doc, err := range s.Documents(ctx, store.ListQuery{Kind: kindEnvironment}) {
				if err != nil {
					return err
				}
				e := inventory.Environment{Cluster: doc.Key()[0].Value, Name: doc.Key()[1].Value}
				if slices.ContainsFunc(changed, func(id dovetail.ID) bool { return concerns(id, e) }) {
					environments[e] = true
				}
			}
		}
		for _, e := range slices.SortedFunc(maps.Keys(environments), func(a, b inventory.Environment) int { return strings.Compare(a.String(), b.String()) }) {
			places := make(map[where]bool)
			for _, o := range []*Overrides{was, is} {
				if err := o.places(ctx, e, places); err != nil {
					return err
				}
			}
			for _, w := range slices.SortedFunc(maps.Keys(places), func(a, b where) int { return strings.Compare(a.id(), b.id()) }) {
				report.Compare(w.id(), w.title(), was.derive(ctx, w), is.derive(ctx, w))
				if ctx.Err() != nil {
					return dovetail.AsError(ctx.Err())
				}
			}
		}
		return nil
	}
}

// concerns says whether the parameters of an environment may depend on a document: what is below it, and the ParamSets of its
// cluster and of the site.
func concerns(id dovetail.ID, e inventory.Environment) bool {
	key := id.Key()
	switch last := key[len(key)-1].Name; last {
	case kindSiteParamSet:
		return true
	case kindClusterParamSet:
		return key[0].Value == e.Cluster
	}
	return id == e.ID() || id.IsDescendantOf(e.ID())
}

// places adds those of an environment: in each context the environment, its namespaces, and applications with an effective set.
func (o *Overrides) places(ctx context.Context, e inventory.Environment, places map[where]bool) error {
	namespaces, err := o.readableNamespaces(ctx, e)
	if err != nil {
		return err
	}
	parts, err := o.listed(ctx, store.ListQuery{Under: e.ID(), Kind: kindEffectiveSetPart})
	if err != nil {
		return err
	}
	for _, c := range parameters.Contexts() {
		places[where{environment: e, context: c}] = true
		if c == parameters.Pipeline {
			continue
		}
		for _, n := range namespaces {
			places[where{environment: e, context: c, namespace: n.called}] = true
			for _, part := range parts {
				if names := strings.Split(part.name(), "/"); len(names) > 3 && names[0] == string(c) && names[1] == n.folder {
					places[where{environment: e, context: c, namespace: n.called, application: names[2]}] = true
				}
			}
		}
	}
	return nil
}

// derive returns the parameters of a place; nothing where there is no such place.
func (o *Overrides) derive(ctx context.Context, w where) *impact.Derived {
	p, err := o.resolve(ctx, w)
	var set *parameters.EffectiveSet
	if err == nil {
		var made *effective
		if made, err = o.getEffective(ctx, p, parameters.ViewToBe, parameters.OverlapRefused, nil); err == nil {
			set = made.EffectiveSet
		}
	}
	if code := dovetail.CodeOf(err); set == nil && p.Environment != (inventory.Environment{}) && (code == dovetail.CodeInvalid || dovetail.AsError(err).Reason == ReasonNoEffectiveSet) {
		set, err = o.chain(ctx, p)
	}
	switch {
	case dovetail.CodeOf(err) == dovetail.CodeNotFound:
		return &impact.Derived{}
	case err != nil:
		return &impact.Derived{Err: err}
	}
	return &impact.Derived{Value: set.Value}
}

// id tells a place apart from others.
func (w where) id() string {
	return strings.TrimRight(strings.Join([]string{w.environment.String(), string(w.context), w.namespace, w.application}, "/"), "/")
}

func (w where) title() string {
	switch {
	case w.application != "":
		return "the " + string(w.context) + " parameters of " + w.application + " in " + w.namespace + " of " + w.environment.String()
	case w.namespace != "":
		return "the " + string(w.context) + " parameters of " + w.namespace + " of " + w.environment.String()
	}
	return "the " + string(w.context) + " parameters of " + w.environment.String()
}
