package override

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// draftParamSet is a ParamSet as it would be: that of an override, or any other.
type draftParamSet struct {
	id      dovetail.ID
	stored  *value.Value // its spec as it is; nil if there is none
	drafted *value.Value
	uses    []use // beside those that are stored
	// environments are those that may use it; alone that it is of one, whose errors are those of the request.
	environments []inventory.Environment
	alone        bool
}

// draftOverride makes the ParamSet of an override with other parameters. Errors are those of create, except those of what exists.
func (o *Overrides) draftOverride(ctx context.Context, p place, values *value.Value) (*draftParamSet, error) {
	if err := o.exists(ctx, p.Environment); err != nil {
		return nil, err
	}
	of, err := o.getOverride(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := of.isOther(); err != nil {
		return nil, err
	}
	d := &draftParamSet{id: of.stored.id, stored: of.spec(), drafted: parameters.With(of.spec(), p.Target, values), environments: []inventory.Environment{p.Environment}, alone: true}
	if !of.associated {
		d.uses = []use{{environment: p.Environment, context: p.Context, object: p.Object(), order: -1}}
	}
	return d, nil
}

// draftParamSet makes a ParamSet with other contents and more associations. Errors are those of createParamSet, except those of what exists.
func (o *Overrides) draftParamSet(ctx context.Context, l parameters.Location, name string, content *value.Value, uses []use) (*draftParamSet, error) {
	if err := o.homeExists(ctx, l); err != nil {
		return nil, err
	}
	if err := o.checkLevel(ctx, l, name, content); err != nil {
		return nil, err
	}
	s, err := o.read(ctx, paramSetID(l, name))
	if err != nil {
		return nil, err
	}
	d := &draftParamSet{id: s.id, stored: s.spec(), drafted: value.NewMap(), uses: uses, alone: l.Name != ""}
	takeContent(d.drafted, content)
	var errs dovetail.Errors
	for _, u := range uses {
		if !l.Reaches(u.environment) {
			errs.Add(unreachable(u, l))
		}
		errs.Join(o.exists(ctx, u.environment))
	}
	if err := errs.Err("the associations are refused"); err != nil {
		return nil, err
	}
	if d.alone {
		d.environments = []inventory.Environment{inventory.Environment(l)}
		return d, nil
	}
	const page = 1000
	q := store.ListQuery{Kind: kindEnvironment, Limit: page} // without Fits, with which each page would read all that follows
	if l.Cluster != "" {
		q.Under = dovetail.ID("").Child(kindCluster, l.Cluster)
	}
	for {
		page, err := o.documents.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, doc := range page.Documents {
			d.environments = append(d.environments, environmentOf(doc.ID))
		}
		if page.Next == "" {
			return d, nil
		}
		q.After, q.Position = page.Next, page.Position
	}
}

// environmentOf is the environment that a document is, or is below of.
func environmentOf(id dovetail.ID) inventory.Environment {
	key := id.Key()
	return inventory.Environment{Cluster: key[0].Value, Name: key[1].Value}
}

// forecast calculates what a draft does to the sets of all environments that the principal may read. It names at most limit differences, problems and findings. Without a progress
// function it ends after the time that there is for it; an error of that function ends it.
func (o *Overrides) forecast(ctx context.Context, d *draftParamSet, limit int, progress func(int, *effectiveset.Impact) error) (*effectiveset.Impact, error) {
	sboms := effectiveset.NewSBOMs(o.sboms())
	standing := o.standing(ctx, d)
	m := effectiveset.Measurement{Limit: limit, Progress: progress, Workers: workers(), Environments: make([]string, len(d.environments)), LoadPair: func(ctx context.Context, name string) (*effectiveset.Pair, error) {
		e, err := inventory.ParseEnvironment(name)
		if err != nil {
			return nil, err
		}
		if known, ok := standing.get(ctx, e); ok {
			if !known.reached {
				return nil, nil
			}
			if one := o.impacts.get(known.key, sboms); one != nil {
				return &effectiveset.Pair{Known: one}, nil
			}
		}
		pair, made, err := o.pair(ctx, d, e, sboms.Recording())
		if err == nil {
			standing.put(e, made)
		}
		return pair, err
	}}
	for i, e := range d.environments {
		m.Environments[i] = e.String()
	}
	if d.alone {
		pair, err := m.LoadPair(ctx, m.Environments[0])
		if err != nil {
			return nil, err
		}
		m.LoadPair = func(context.Context, string) (*effectiveset.Pair, error) { return pair, nil }
	}
	if progress == nil {
		ended, cancel := context.WithTimeout(ctx, cmp.Or(o.options.ImpactTime, 15*time.Second))
		defer cancel()
		m.Enough = func() bool { return ended.Err() != nil }
	}
	return m.Impact(ctx)
}

// workers are how many sets are calculated at a time: one processor is left to other requests.
func workers() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// pair is what the set of an environment is calculated from without a draft and with it, nil where it does not use it; and what that depends on.
func (o *Overrides) pair(ctx context.Context, d *draftParamSet, e inventory.Environment, sboms *effectiveset.SBOMs) (pair *effectiveset.Pair, made forecastOf, err error) {
	before, after, err := o.associatedWith(ctx, d, e)
	if err != nil || after == nil {
		return nil, made, err
	}
	var spaces []namespace
	if slices.ContainsFunc(slices.Concat(before, after), func(a parameters.Associated) bool { return a.Object != parameters.Cloud }) {
		if spaces, err = o.namespaces(ctx, e); err != nil {
			return nil, made, err
		}
	}
	was, is, left := effectiveset.Overlaid(before, after, func(deployPostfix string) string {
		for _, ns := range spaces {
			if deployPostfix == ns.postfix() || deployPostfix == ns.folder {
				return ns.folder
			}
		}
		return deployPostfix
	})
	documents, err := o.calculatedFrom(ctx, e, "")
	if err != nil {
		return nil, made, err
	}
	made = forecastOf{reached: true, shared: sharedBy(e, before, after, documents)}
	if made.key, err = keyOf(e, documents, was, is, left); err != nil {
		return nil, made, err
	}
	if known := o.impacts.get(made.key, sboms); known != nil {
		return &effectiveset.Pair{Known: known}, made, nil
	}
	repository, unwritable, err := o.options.Repository(documents)
	if err != nil {
		return nil, made, err
	}
	in := effectiveset.Input{Repo: repository, Cluster: e.Cluster, Name: e.Name, SBOMs: sboms, Open: o.options.Open, OpenFile: o.options.OpenFile, Overlays: was}
	with := in
	with.Overlays = is
	keep := func(one *effectiveset.EnvironmentImpact) { o.impacts.put(made.key, one, sboms) }
	return &effectiveset.Pair{Before: &in, After: &with, Same: true, Found: left, Unusable: unwritable, Keep: keep}, made, nil
}

// sharedBy are the documents outside of an environment that its impact is made from: ParamSets, files that all environments share, and what documents have a status of.
func sharedBy(e inventory.Environment, before, after []parameters.Associated, documents []*dovetail.Document) []dovetail.ID {
	ids := []dovetail.ID{configurationFileID(fileRegistry), configurationFileID(fileSecretStores)}
	for _, a := range slices.Concat(before, after) {
		if id := paramSetID(a.Location, a.Name); !id.IsDescendantOf(e.ID()) {
			ids = append(ids, id)
		}
	}
	for _, doc := range documents {
		ids = append(ids, doc.Inputs...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// associatedWith are the ParamSets of the objects of an environment that use the one of a draft, as they are and with it; none where nothing uses it.
func (o *Overrides) associatedWith(ctx context.Context, d *draftParamSet, e inventory.Environment) (before, after []parameters.Associated, err error) {
	all, err := o.associations(ctx, e)
	if err != nil {
		return nil, nil, err
	}
	now := slices.Clone(all)
	for _, u := range d.uses {
		a := newAssociation(u.environment, u.context, u.object, "", d.id)
		if a.order = u.order; u.environment == e && !slices.ContainsFunc(now, func(b association) bool { return b.paramSet == d.id && b.context == a.context && b.object == a.object }) {
			now = append(now, a)
		}
	}
	using := func(of association) bool {
		return slices.ContainsFunc(now, func(a association) bool {
			return a.paramSet == d.id && a.context == of.context && a.object == of.object
		})
	}
	if before, err = o.resolved(ctx, all, using, d.id, d.stored); err != nil {
		return nil, nil, err
	}
	after, err = o.resolved(ctx, arranged(now), using, d.id, d.drafted)
	return before, after, err
}

// arranged gives associations the orders that they get when those among them that are new are written.
func arranged(all []association) []association {
	groups := make(map[group][]parameters.Link)
	for i, a := range all {
		g := group{a.environment, a.context, a.object}
		link := parameters.Link{ID: string(a.id), Name: a.paramSetName(), Order: 2*a.order + 1}
		switch {
		case a.doc != nil:
		case a.order < 0:
			link.Order = 2 * len(all) // after all others
		default:
			link.Order = 2 * a.order // before the one that has the order now
		}
		all[i].order = 0
		groups[g] = append(groups[g], link)
	}
	orders := make(map[string]int)
	for g, links := range groups {
		for _, link := range parameters.Arrange(g.context, g.object, links) {
			orders[link.ID] = link.Order
		}
	}
	for i := range all {
		all[i].order = orders[string(all[i].id)]
	}
	return all
}

// resolved reads the ParamSets of those associations that are wanted. The spec of one of them is given; "" is that of none.
func (o *Overrides) resolved(ctx context.Context, all []association, wanted func(association) bool, given dovetail.ID, spec *value.Value) ([]parameters.Associated, error) {
	specs := map[dovetail.ID]*value.Value{given: spec}
	var made []parameters.Associated
	for _, a := range all {
		if !wanted(a) {
			continue
		}
		content, known := specs[a.paramSet]
		if !known {
			s, err := o.read(ctx, a.paramSet)
			if err != nil {
				return nil, err
			}
			content = s.spec()
			specs[a.paramSet] = content
		}
		location, name := placeOf(a.paramSet)
		made = append(made, parameters.Associated{Context: a.context, Object: a.object, Order: a.order, Name: name, Location: location, ParamSet: content})
	}
	return made, nil
}
