package changeset

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/problem"
	"github.com/dovetail-store/dovetail/src/store"
)

// Check looks at what a merge by the principal would do. It shows nothing of documents that they may not read; what those stand
// against, it does not say.
func (c *ChangeSets) Check(ctx context.Context, name string) (*api.ChangeSetCheck, error) {
	cs, err := c.load(ctx, name)
	if err != nil {
		return nil, err
	}
	some, unreadable := c.readable(ctx, cs.operations)
	check := &api.ChangeSetCheck{Conflicts: []api.MergeConflict{}, Protections: cs.approvals(some, c.options.Protections(ctx)), RejectedBy: cs.rejectedBy(), Unreadable: unreadable}
	refusal := cs.mustBe(api.ChangeSetOpen)
	if refusal == nil {
		operations, conflicts, err := c.mergeNow(ctx, cs, some)
		if err != nil && !ofRequest(err) {
			return nil, err
		}
		refusal = err // of a service that does again what was staged
		for _, conflict := range conflicts {
			check.Conflicts = append(check.Conflicts, show(conflict))
		}
		if cs.Proposal != nil && cs.Proposal.Differs != "" {
			if check.Remaining, err = c.remaining(ctx, operations); err != nil {
				return nil, err
			}
		}
		switch {
		case unreadable > 0:
			refusal = cs.unreadable()
		case refusal == nil && len(conflicts) == 0:
			_, refusal = c.options.Writer.Apply(ctx, operations, cs.mergeOptions(store.Options{DryRun: true})) // as the merge, where files may refuse it
			refusal = dovetail.WithoutIndex(refusal)
		}
	}
	if !ofRequest(refusal) {
		return nil, refusal
	}
	check.Errors = parts(refusal)
	missing := slices.ContainsFunc(check.Protections, func(a api.Approvals) bool { return a.Missing > 0 })
	check.Mergeable = refusal == nil && len(check.Conflicts) == 0 && len(check.RejectedBy) == 0 && !missing
	return check, nil
}

// ofRequest reports whether an error is about what is to be merged, rather than about reading and writing at all.
func ofRequest(err error) bool {
	switch dovetail.CodeOf(err) {
	case dovetail.CodeUnavailable, dovetail.CodeUnknown, dovetail.CodeTimeout, dovetail.CodeCanceled, dovetail.CodeCorrupt, dovetail.CodeInternal:
		return false
	}
	return true
}

// parts are the parts of an error as problems show them.
func parts(err error) []api.ProblemPart {
	if err == nil {
		return []api.ProblemPart{}
	}
	e := dovetail.AsError(err)
	if len(e.Errors) == 0 {
		e = &dovetail.Error{Code: e.Code, Errors: []*dovetail.Error{e}}
	}
	return problem.New(e, "", nil).Errors
}
