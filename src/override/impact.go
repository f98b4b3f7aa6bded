package override

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/store"
)

// Impact reports what changed documents do to the effective sets of the environments that they reach, as they are calculated: each in an item of its leaves that differ. Where
// a set cannot be calculated, its places are compared by the generated files. It ends, and the report is incomplete, after the time of the options.
func Impact(options Options) impact.Func {
	kept := new(keptImpacts)
	return func(ctx context.Context, before, after *store.Store, changed []dovetail.ID, report *impact.Report) error {
		names, err := reached(ctx, before, after, changed)
		if err != nil {
			return err
		}
		generated := options
		generated.Repository = nil
		g := generatedImpact{New(Stored{Store: before}, generated), New(Stored{Store: after}, generated), report}
		if options.Repository == nil {
			for _, name := range names {
				if err := g.compare(ctx, name, nil); err != nil {
					return err
				}
			}
			return nil
		}
		m := mergedImpact{was: New(Stored{Store: before}, options), is: New(Stored{Store: after}, options), changed: make(map[dovetail.ID]bool), kept: kept}
		for _, id := range changed {
			m.changed[id] = true
		}
		sboms := effectiveset.NewSBOMs(m.is.sboms())
		now := options.Now
		if now == nil {
			now = time.Now
		}
		deadline := now().Add(cmp.Or(options.ImpactTime, 15*time.Second))
		measured := effectiveset.Measurement{Environments: names, Workers: workers(), Enough: func() bool { return !now().Before(deadline) },
			LoadPair: func(ctx context.Context, name string) (*effectiveset.Pair, error) {
				e, err := inventory.ParseEnvironment(name)
				if err != nil {
					return nil, err
				}
				return m.pair(ctx, e, sboms.Recording())
			},
			Each: func(one *effectiveset.EnvironmentImpact) error {
				if item, done := itemOf(one); done {
					report.Add(item)
					return nil
				}
				return g.compare(ctx, one.Environment, one.Problems)
			}}
		found, err := measured.Impact(ctx)
		if err != nil {
			return err
		}
		report.Incomplete = report.Incomplete || found.Unmeasured > 0
		return nil
	}
}

// reached are the environments, before a change or after it, whose parameters may depend on changed documents, in order.
func reached(ctx context.Context, before, after *store.Store, changed []dovetail.ID) ([]string, error) {
	var names []string
	for _, s := range []*store.Store{before, after} {
		for doc, err := range s.Documents(ctx, store.ListQuery{Kind: kindEnvironment}) {
			if err != nil {
				return nil, err
			}
			if e := environmentOf(doc.ID); slices.ContainsFunc(changed, func(id dovetail.ID) bool { return concerns(id, e) }) {
				names = append(names, e.String())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// concerns reports whether the parameters of an environment may depend on a document: what is below it, the ParamSets of its
// cluster and of the site, and the files that all environments share.
func concerns(id dovetail.ID, e inventory.Environment) bool {
	key := id.Key()
	switch last := key[len(key)-1]; last.Name {
	case kindSiteParamSet:
		return true
	case kindClusterParamSet:
		return key[0].Value == e.Cluster
	case kindConfigurationFile:
		return last.Value == fileRegistry || last.Value == fileSecretStores
	}
	return id == e.ID() || id.IsDescendantOf(e.ID())
}

// itemOf is what a change does to the set of an environment; false where the sets could not be compared, so that something else has to be.
func itemOf(one *effectiveset.EnvironmentImpact) (api.ImpactItem, bool) {
	item := api.ImpactItem{ID: one.Environment, Title: "the effective set of " + one.Environment, Basis: effectiveset.BasisCalculation}
	var errs []error
	before := one.Created
	for _, p := range one.Problems {
		before = before || p.Before
		if p.Before || one.Created { // it is not the change that breaks the set
			item.Findings = append(item.Findings, api.Finding{Severity: "error", Reason: p.Err.Reason, Location: p.Err.Position.String(), Message: p.Err.Message, Remedy: p.Err.Remedy})
		} else if len(errs) < impact.MaxFindings {
			errs = append(errs, errors.New(strings.TrimPrefix(p.Err.Position.String()+": "+p.Err.Message, ": ")))
		}
	}
	if !one.Compared && (before || len(errs) == 0) {
		return item, false
	}
	for _, f := range one.Findings {
		item.Findings = append(item.Findings, api.Finding{Severity: api.SeverityWarning, Reason: string(f.Reason), Location: f.Position.String(), Message: f.Message})
	}
	if err := errors.Join(errs...); err != nil {
		item.Error = err.Error()
	}
	for _, d := range one.Differences {
		change := api.Change{Op: api.ChangeOp(d.Op), File: d.File, Path: d.Path, From: impact.JSON(d.From), To: impact.JSON(d.To), Secret: d.Secret, Source: d.Origin.Position.String()}
		if d.Secret {
			change.From, change.To = nil, nil
		}
		item.Changes = append(item.Changes, change)
	}
	return item, true
}
