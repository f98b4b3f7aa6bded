package state

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// MaxForecasts is how many ActiveResolutions are named.
const MaxForecasts = 100

// Add adds an impact to those of a source, nil for one of no effect.
func Add(f *api.SourceImpact, forecast *api.ResolutionImpact) {
	if forecast == nil {
		return
	}
	if f.Total++; len(f.Resolutions) < MaxForecasts {
		f.Resolutions = append(f.Resolutions, *forecast)
	}
}

// ErrNotKnown says that the time was too short to resolve.
var ErrNotKnown = errors.New("the time was too short to resolve")

// Foresee says what other sources would do to a resolution; nil if nothing. The error is ErrNotKnown or that of solver.Resolve.
func Foresee(ctx context.Context, id dovetail.ID, req *Request, before, after []*solver.Source, options solver.Options) (*api.ResolutionImpact, error) {
	problem, err := solver.NewProblem(req.Spec, before)
	if err == nil && problem.Reach().Same(req.Spec, after) {
		return nil, nil //nolint:nilnil // no effect
	}
	was, _, err := resolveOver(ctx, req, before, options)
	if err != nil {
		return nil, err
	}
	is, why, err := resolveOver(ctx, req, after, options)
	switch {
	case err != nil:
		return nil, err
	case is == nil && was == nil:
		return nil, nil //nolint:nilnil // no effect
	case is == nil:
		return &api.ResolutionImpact{Resolution: id, Effect: api.Breaks, Message: why}, nil
	}
	forecast := &api.ResolutionImpact{Resolution: id, Effect: api.Changes, Selections: differences(was, is)}
	if was == nil {
		forecast.Effect = api.Repairs
	} else if len(forecast.Selections) == 0 {
		return nil, nil //nolint:nilnil // no effect
	}
	return forecast, nil
}

// resolveOver returns the selections over some sources, nil if there are none, and why.
func resolveOver(ctx context.Context, req *Request, from []*solver.Source, options solver.Options) (selections []solver.Selection, why string, err error) {
	problem, err := solver.NewProblem(req.Spec, from)
	if err != nil {
		return nil, err.Error(), nil //nolint:nilerr // that it is wrong is why
	}
	outcome, err := solver.Resolve(ctx, problem, options)
	if err != nil {
		return nil, "", err
	}
	if outcome.TimedOut {
		return nil, "", ErrNotKnown
	}
	return outcome.Selections, outcome.Message, nil
}

// SourceOf is the document of a source with other packages. It keeps the priority that it has in the sources of before, unless one is given.
func SourceOf(name string, content, priority *value.Value, before []*solver.Source) *value.Value {
	content = content.Clone()
	content.Set("name", value.NewString(name))
	if priority == nil && content.Get("priority") == nil {
		for _, source := range before {
			if source.Name == name {
				priority = value.NewNumber(source.Priority)
			}
		}
	}
	if priority != nil {
		content.Set("priority", priority)
	}
	return content
}

// Replaced returns the sources with one in the place of that of its name, or beside them.
func Replaced(sources []*solver.Source, by *solver.Source) []*solver.Source {
	all := slices.DeleteFunc(slices.Clone(sources), func(s *solver.Source) bool { return s.Name == by.Name })
	all = append(all, by)
	slices.SortFunc(all, func(a, b *solver.Source) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// differences are those of selections, in the order of packages.
func differences(was, is []solver.Selection) []api.SelectionChange {
	by := make(map[string]*api.SelectionChange)
	of := func(s solver.Selection) (*api.SelectionChange, *string) {
		name := s.Source + ":" + s.Package
		if by[name] == nil {
			by[name] = &api.SelectionChange{Package: name}
		}
		text := s.Version + ":" + s.Channel
		return by[name], &text
	}
	for _, s := range was {
		d, text := of(s)
		d.From = text
	}
	for _, s := range is {
		d, text := of(s)
		d.To = text
	}
	var all []api.SelectionChange
	for _, d := range by {
		if d.From == nil || d.To == nil || *d.From != *d.To {
			all = append(all, *d)
		}
	}
	slices.SortFunc(all, func(a, b api.SelectionChange) int { return cmp.Compare(a.Package, b.Package) })
	return all
}
