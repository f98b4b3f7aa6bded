package override

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
)

// generatedImpact compares the places of environments whose sets cannot be calculated: of an application or a pipeline its effective set, where one was
// generated, and elsewhere what the ParamSets of the level merge to.
type generatedImpact struct {
	was, is *Overrides
	report  *impact.Report
}

// compare reports the places of an environment that differ. Why its set is not calculated are findings of the first one. One of which not all may be read is only counted.
func (g *generatedImpact) compare(ctx context.Context, environment string, why []effectiveset.Problem) error {
	e, err := inventory.ParseEnvironment(environment)
	if err != nil {
		return err
	}
	findings := []api.Finding{}
	for _, p := range why {
		if p.Err.Code == dovetail.CodeForbidden {
			g.report.Unreadable++
			return nil
		}
		findings = append(findings, api.Finding{Severity: "warning", Reason: string(effectiveset.NotCalculated), Location: p.Err.Position.String(), Message: p.Err.Message, Remedy: p.Err.Remedy})
	}
	places := make(map[where]bool)
	for _, o := range []*Overrides{g.was, g.is} {
		if err := o.places(ctx, e, places); err != nil {
			return err
		}
	}
	if len(findings) > 0 {
		findings = slices.Insert(findings, 0, api.Finding{Severity: "warning", Reason: string(effectiveset.NotCalculated), Message: "the effective set of " + environment + " cannot be calculated: the generated files are compared"})
	}
	for _, w := range slices.SortedFunc(maps.Keys(places), func(a, b where) int { return strings.Compare(a.id(), b.id()) }) {
		g.report.CompareItem(api.ImpactItem{ID: w.id(), Title: w.title(), Basis: effectiveset.BasisGenerated, Findings: findings}, g.was.derive(ctx, w), g.is.derive(ctx, w))
		findings = nil
		if ctx.Err() != nil {
			return dovetail.AsError(ctx.Err())
		}
	}
	return nil
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

// derive returns the parameters of a place; nothing if there is no such place.
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
