package resolution

import (
	"context"
	"errors"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// forecastTime is how long may be looked for what a source would do to ActiveResolutions.
const forecastTime = 20 * time.Second

// forecast says what ActiveResolutions would select with another content of a source: those that the principal may read. It is asked for
// before the content is published.
func (r *Resolutions) forecast(ctx context.Context, call *httpapi.Request, name string, content, priority *value.Value) (*api.SourceImpact, error) {
	// As the controller reads; what the principal may see of it is asked for each of them.
	all := dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + ServiceName})
	before, err := r.cache.get(all, nil)
	if err != nil {
		return nil, err
	}
	parser := solver.NewParser()
	parser.Stop = call.Stop(ctx)
	next := parser.Source(state.SourceOf(name, content, priority, before))
	if err := parser.Stopped(); err != nil {
		return nil, err
	}
	after := state.Replaced(before, next)
	found := &api.SourceImpact{Resolutions: []api.ResolutionImpact{}}
	end := r.options.Timer.Now().Add(forecastTime)
	if latest := r.deadline(ctx); !latest.IsZero() && latest.Before(end) {
		end = latest
	}
	for doc, err := range r.store.Documents(ctx, store.ListQuery{Kind: state.Kind}) {
		if err != nil {
			return nil, err
		}
		if r.options.Timer.Now().After(end) {
			found.Unknown++
			continue
		}
		whole, err := r.store.Get(all, doc.ID)
		if dovetail.CodeOf(err) == dovetail.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		req, err := state.ReadRequest(whole)
		if err != nil { // the controller leaves it, too
			found.Unknown++
			continue
		}
		switch err := r.store.Covers(ctx, joined(inputsOf(req), whole.Inputs)...); {
		case dovetail.CodeOf(err) == dovetail.CodeForbidden:
			found.Unreadable++
			continue
		case err != nil:
			return nil, err
		}
		one, err := state.Foresee(ctx, doc.ID, req, before, after, solver.Options{Timeout: within(ctx, req.Spec), Deadline: end, Pause: call.Pause, Now: r.options.Timer.Now})
		if errors.Is(err, state.ErrNotKnown) {
			found.Unknown++
			continue
		}
		if err != nil {
			return nil, err
		}
		state.Add(found, one)
	}
	return found, nil
}
