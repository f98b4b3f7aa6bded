package override

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strconv"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// The names of what requests for the impact of a draft say.
const (
	sayOverride = "override"
	sayParamSet = "paramSet"
	sayLimit    = "limit"
	sayProgress = "progress"
)

// The bounds of how much of an impact is listed.
const (
	defaultListed = 1000
	maxListed     = 10_000
)

func (o *Overrides) handlePostImpact(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	limit := r.limit()
	draft := func() (*draftParamSet, error) { return nil, r.err() }
	if r.body().Map(sayOverride, sayParamSet) {
		override, paramSet := r.body().Get(sayOverride), r.body().Get(sayParamSet)
		switch {
		case override.IsMissing() == paramSet.IsMissing():
			r.body().Fail("give override or paramSet, and not both", "the body says not which change it is about")
		case paramSet.IsMissing():
			draft = r.draftOverride(ctx, o, override)
		default:
			draft = r.draftParamSet(ctx, o, paramSet)
		}
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	d, err := draft()
	if err != nil {
		return nil, err
	}
	if isProgress(call.Query) {
		return &httpapi.Response{Lines: o.forecastLines(d, limit)}, nil
	}
	impact, err := o.forecast(ctx, d, limit, nil)
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: impact}, nil
}

// isProgress reports whether a query asks for progress.
func isProgress(query url.Values) bool { return query.Get(sayProgress) == "true" }

// errNotRead ends a calculation whose lines are not read on.
var errNotRead = errors.New("the lines are not read on")

// forecastLines are how far the impact of a draft is calculated, and at last the impact, of all environments.
func (o *Overrides) forecastLines(d *draftParamSet, limit int) httpapi.Lines {
	return func(ctx context.Context) iter.Seq2[any, error] {
		return func(yield func(any, error) bool) {
			report := func(n int, found *effectiveset.Impact) error {
				line := map[string]api.SetProgress{sayProgress: {Environments: len(d.environments), Examined: n,
					Calculated: found.Calculated, Changed: found.Changed, Failed: found.Failed, Differences: found.Differences}}
				if !yield(line, nil) {
					return errNotRead
				}
				return nil
			}
			if report(0, &effectiveset.Impact{}) != nil {
				return
			}
			impact, err := o.forecast(ctx, d, limit, report)
			switch {
			case errors.Is(err, errNotRead):
			case err != nil:
				yield(nil, err)
			default:
				yield(map[string]*effectiveset.Impact{"impact": impact}, nil)
			}
		}
	}
}

// limit reads how many differences, problems and findings are listed.
func (r *request) limit() int {
	text := r.call.Query.Get(sayLimit)
	if text == "" {
		return defaultListed
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxListed {
		r.body().Get(sayLimit).Fail(fmt.Sprintf("give a number from 0 to %d", maxListed), "the limit %q is none", text)
	}
	return n
}

// draftOverride reads an override as the body that stores it has it.
func (r *request) draftOverride(ctx context.Context, o *Overrides, f decode.Field) func() (*draftParamSet, error) {
	inner := &request{call: &httpapi.Request{Body: f.Value}, path: f.Path()}
	var w where
	if !inner.only(overrideMembers...) {
		r.errs.Merge(&inner.errs)
		return nil
	}
	w = inner.where()
	values := inner.values(w)
	r.errs.Merge(&inner.errs)
	return func() (*draftParamSet, error) {
		p, err := o.resolve(ctx, w)
		if err != nil {
			return nil, err
		}
		return o.draftOverride(ctx, p, values)
	}
}

// draftParamSet reads a ParamSet as the body that creates it has it.
func (r *request) draftParamSet(ctx context.Context, o *Overrides, f decode.Field) func() (*draftParamSet, error) {
	inner := &request{call: &httpapi.Request{Body: f.Value}, path: f.Path()}
	readParamSet(inner)
	var location parameters.Location
	var name string
	var uses []use
	if inner.errs.Total() == 0 {
		location, name, uses = inner.newParamSet()
	}
	r.errs.Merge(&inner.errs)
	return func() (*draftParamSet, error) { return o.draftParamSet(ctx, location, name, f.Value, uses) }
}
