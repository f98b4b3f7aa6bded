package override

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// effective is the effective set of a place.
type effective struct {
	place
	*parameters.EffectiveSet
	generated  time.Time
	calculated *effectiveset.ToBe // nil where it is what was generated, perhaps with overrides laid over it
	findings   []effectiveset.Finding
}

// getEffective reads the effective set of a place, with a draft instead of a stored override if there is one. With overrides it is calculated; where that is not
// possible they are laid over what was generated, which a finding says. Errors: CodeInvalid for a place that has none, CodeNotFound when none was generated and
// none can be calculated, CodeConflict for files that overlap.
func (o *Overrides) getEffective(ctx context.Context, p place, view parameters.View, onOverlap parameters.OnOverlap, instead *draft) (*effective, error) {
	if err := parameters.CheckEffective(p.Target); err != nil {
		return nil, err
	}
	if p.Context == parameters.Pipeline {
		p.DeployPostfix, p.Application = "", ""
	}
	set := &effective{place: p}
	files, err := o.generated(ctx, set)
	if view == parameters.ViewGenerated {
		if err == nil {
			set.EffectiveSet, err = parameters.Effective(nil, files, nil, onOverlap)
		}
		return set, err
	}
	if err != nil && dovetail.AsError(err).Reason != ReasonNoEffectiveSet {
		return nil, err
	}
	tried, failed := o.toBe(ctx, p, instead, onOverlap)
	if failed != nil {
		return nil, failed
	}
	if set.calculated = tried; tried.EffectiveSet != nil {
		set.EffectiveSet, set.findings = tried.EffectiveSet, tried.Found
		return set, nil
	}
	if set.calculated = nil; err != nil {
		return nil, notCalculated(err, tried)
	}
	set.findings = tried.Why("the overrides are laid over the generated files, which knows neither levels nor macros")
	associated, err := o.associatedAt(ctx, p, view == parameters.ViewToBe && instead == nil, instead) // a draft comes after all others
	if err != nil {
		return nil, err
	}
	inputs, overrides := parameters.Split(p.Target, associated)
	if view != parameters.ViewExplain {
		inputs = nil
	}
	set.EffectiveSet, err = parameters.Effective(inputs, files, overrides, onOverlap)
	return set, err
}

// toBe calculates what a place gets with its overrides. What it cannot be calculated from is no error.
func (o *Overrides) toBe(ctx context.Context, p place, instead *draft, onOverlap parameters.OnOverlap) (*effectiveset.ToBe, error) {
	if o.options.Repository == nil {
		return &effectiveset.ToBe{Failed: &dovetail.Error{Code: dovetail.CodeInvalid, Message: "no sets are calculated here"}}, nil
	}
	associated, err := o.associatedAt(ctx, p, false, instead)
	var documents []*dovetail.Document
	if err == nil {
		documents, err = o.calculatedFrom(ctx, p.Environment, "")
	}
	if dovetail.CodeOf(err) == dovetail.CodeForbidden {
		return &effectiveset.ToBe{Failed: &dovetail.Error{Code: dovetail.CodeForbidden, Message: "not all that it is calculated from may be read"}}, nil
	}
	if err != nil {
		return nil, err
	}
	repository, unwritable, err := o.options.Repository(documents)
	if err != nil {
		return nil, err
	}
	if len(unwritable) > 0 {
		return &effectiveset.ToBe{Failed: dovetail.Join("documents are no part of an instance repository", unwritable)}, nil
	}
	folder := ""
	if p.namespace != nil && p.DeployPostfix != "" {
		folder = p.namespace.folder
	}
	in := effectiveset.Input{Repo: repository, Cluster: p.Environment.Cluster, Name: p.Environment.Name, SBOMs: o.sboms(), Open: o.options.Open, OpenFile: o.options.OpenFile}
	return effectiveset.CalculateToBe(in, p.Target, folder, associated, onOverlap)
}

// notCalculated is the error of a set that was not generated, and cannot be calculated.
func notCalculated(err error, tried *effectiveset.ToBe) error {
	both := *dovetail.AsError(err)
	var why dovetail.Errors
	why.Join(tried.Failed)
	if both.Errors = why.Kept(); len(both.Errors) > 0 {
		both.Message += ", and it cannot be calculated"
	}
	return &both
}

// associatedAt are the ParamSets that a place uses on all levels, or only its overrides, with a draft in the place of the stored override if there is one.
func (o *Overrides) associatedAt(ctx context.Context, p place, onlyOverrides bool, instead *draft) ([]parameters.Associated, error) {
	associated, err := o.associated(ctx, p, onlyOverrides)
	if err != nil || instead == nil {
		return associated, err
	}
	return instead.instead(p.Target, associated)
}

// generated reads the files of an effective set and when it was generated.
func (o *Overrides) generated(ctx context.Context, set *effective) ([]parameters.Layer, error) {
	t := set.Target
	if set.namespace != nil && t.DeployPostfix != "" {
		t.DeployPostfix = set.namespace.folder
	}
	var files []parameters.Layer
	for i, name := range parameters.EffectiveFiles(t) {
		part, err := o.part(ctx, t.Environment, name)
		if err != nil {
			return nil, err
		}
		if part.doc == nil {
			continue
		}
		at, err := o.generatedAt(ctx, part)
		if err != nil {
			return nil, err
		}
		if at.After(set.generated) {
			set.generated = at
		}
		files = append(files, parameters.Layer{Source: parameters.Source{Name: part.name(), File: true, Order: i}, Values: part.spec().Get(memberParameters)})
	}
	if len(files) > 0 {
		return files, nil
	}
	if err := o.exists(ctx, t.Environment); err != nil {
		return nil, err
	}
	return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Reason: ReasonNoEffectiveSet,
		Message: fmt.Sprintf("there is no %s effective set for %s", t.Context, set.Target), Remedy: "generate it, or correct what you ask for"}
}

// part reads a file of the effective set, which need not exist; its extension may also be yml.
func (o *Overrides) part(ctx context.Context, e inventory.Environment, name string) (stored, error) {
	part, err := o.read(ctx, e.ID().Child(kindEffectiveSetPart, name))
	if err != nil || part.doc != nil {
		return part, err
	}
	return o.read(ctx, e.ID().Child(kindEffectiveSetPart, strings.TrimSuffix(name, "yaml")+"yml"))
}

// generatedAt is when a file was generated: what its document says, or when that was written.
func (o *Overrides) generatedAt(ctx context.Context, part stored) (time.Time, error) {
	if text, ok := part.spec().Get(memberGenerated).Str(); ok {
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return at, nil
		}
	}
	at, err := o.documents.Written(ctx, part.doc)
	if dovetail.CodeOf(err) == dovetail.CodeStale { // what was read is history already, and this is what is left of it
		return part.doc.Updated, nil
	}
	return at, err
}

// associated returns the ParamSets that a place uses on all levels, or only its overrides.
func (o *Overrides) associated(ctx context.Context, p place, onlyOverrides bool) ([]parameters.Associated, error) {
	var used []association
	var err error
	if onlyOverrides {
		used, err = o.overridesOf(ctx, p)
	} else {
		used, err = o.associations(ctx, p.Environment)
	}
	if err != nil {
		return nil, err
	}
	wanted := func(a association) bool {
		return a.context == p.Context && (a.object == parameters.Cloud || a.object == p.DeployPostfix)
	}
	return o.resolved(ctx, used, wanted, "", nil)
}

// overridesOf returns the associations of the overrides that apply to a place: at most one on each level,
// which need not be looked for.
func (o *Overrides) overridesOf(ctx context.Context, p place) ([]association, error) {
	var used []association
	for _, t := range p.Above() {
		paramSet := paramSetID(t.Location(), t.Name())
		s, err := o.read(ctx, newAssociation(t.Environment, t.Context, t.Object(), "", paramSet).id)
		if err != nil {
			return nil, err
		}
		if s.doc == nil {
			continue
		}
		if a, ok := associationOf(s); ok {
			used = append(used, a)
		}
	}
	return used, nil
}

// chain merges the ParamSets of the level of a place.
func (o *Overrides) chain(ctx context.Context, p place) (*parameters.EffectiveSet, error) {
	if err := o.exists(ctx, p.Environment); err != nil {
		return nil, err
	}
	associated, err := o.associated(ctx, p, false)
	if err != nil {
		return nil, err
	}
	layers := parameters.Chain(p.Target, associated)
	return &parameters.EffectiveSet{Merged: *parameters.Merge(layers), Layers: layers}, nil
}
