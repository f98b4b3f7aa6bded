package state

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// Effect is what other sources do to a resolution.
type Effect string

// The effects.
const (
	Changes Effect = "changes" // something else is selected
	Breaks  Effect = "breaks"  // what could be resolved cannot be any more
	Repairs Effect = "repairs" // what could not be resolved can be
)

// Forecast is what other sources would do to an ActiveResolution.
type Forecast struct {
	Resolution dovetail.ID `json:"resolution"`
	Effect     Effect      `json:"effect"`
	// Selections are those that differ, by source and package.
	Selections []Difference `json:"selections,omitempty"`
	Message    string       `json:"message,omitempty"` // why it cannot be resolved, of Breaks
}

// Difference is a package of which something else is selected: "version:channel"; nil where nothing is.
type Difference struct {
	Package string  `json:"package"` // source:name
	From    *string `json:"from"`
	To      *string `json:"to"`
}

// Forecasts are what other sources would do to ActiveResolutions.
type Forecasts struct {
	Resolutions []Forecast `json:"resolutions"` // at most MaxForecasts, in the order of ids
	Total       int        `json:"total"`
	Unreadable  int        `json:"unreadable,omitempty"` // ActiveResolutions of which the principal may not see what is selected
	Unknown     int        `json:"unknown,omitempty"`    // those that were not looked at, since it took too long
}

// MaxForecasts is how many ActiveResolutions are named.
const MaxForecasts = 100

// Add adds a forecast, nil for one of no effect.
func (f *Forecasts) Add(forecast *Forecast) {
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
func Foresee(ctx context.Context, id dovetail.ID, req *Request, before, after []*solver.Source, options solver.Options) (*Forecast, error) {
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
		return &Forecast{Resolution: id, Effect: Breaks, Message: why}, nil
	}
	forecast := &Forecast{Resolution: id, Effect: Changes, Selections: differences(was, is)}
	if was == nil {
		forecast.Effect = Repairs
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
func differences(was, is []solver.Selection) []Difference {
	by := make(map[string]*Difference)
	of := func(s solver.Selection) (*Difference, *string) {
		name := s.Source + ":" + s.Package
		if by[name] == nil {
			by[name] = &Difference{Package: name}
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
	var all []Difference
	for _, d := range by {
		if d.From == nil || d.To == nil || *d.From != *d.To {
			all = append(all, *d)
		}
	}
	slices.SortFunc(all, func(a, b Difference) int { return cmp.Compare(a.Package, b.Package) })
	return all
}
