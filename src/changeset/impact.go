package changeset

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/store"
)

// Impact compares what services derive from what there is now, and from that with the change set merged. Errors: those of
// Merge, except for approvals.
func (c *ChangeSets) Impact(ctx context.Context, name string) (*api.ChangeSetImpact, error) {
	cs, err := c.load(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := cs.mustBe(api.ChangeSetOpen); err != nil {
		return nil, err
	}
	if _, unreadable := c.readable(ctx, cs.operations); unreadable > 0 {
		return nil, cs.unreadable()
	}
	now, after, staged, err := c.ontoNow(ctx, cs, nil, []store.Need{}) // to look at it needs no right to write
	if err != nil {
		return nil, err
	}
	changed := make([]dovetail.ID, len(staged))
	for i, s := range staged {
		changed[i] = s.ID
	}
	report := &impact.Report{Limit: c.options.ImpactLimit, Items: []api.ImpactItem{}, Unchanged: []api.ImpactItem{}}
	limited, cancel := context.WithTimeout(ctx, c.options.ImpactTime)
	defer cancel()
	for _, service := range slices.Sorted(maps.Keys(c.options.Impacts)) {
		err := c.options.Impacts[service](limited, now, after, changed, report.Of(service))
		if limited.Err() != nil && ctx.Err() == nil {
			report.Incomplete = true
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return &api.ChangeSetImpact{Items: report.Items, Total: report.Total, Unchanged: report.Unchanged, Same: report.Same,
		Unreadable: report.Unreadable, Incomplete: report.Incomplete}, nil
}
