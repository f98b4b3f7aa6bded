package changeset

import (
	"context"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// MergeResult is the result of a merge or of its dry run.
type MergeResult struct {
	api.ChangeSetMerge
	repeated bool
}

// Merge applies an open change set to what there is now, as one transaction, which needs the same rights as the changes
// themselves. What was changed since the base is merged value by value.
//
// Errors: CodeConflict with ReasonNotOpen, ReasonApprovalsMissing, or, with a part for each value that both changed,
// ReasonConflict; CodeForbidden with ReasonUnreadable; besides those of Store.Apply.
func (c *ChangeSets) Merge(ctx context.Context, name string, options store.Options) (*MergeResult, error) {
	result, err := c.replay(ctx, options)
	if err != nil {
		return nil, err
	}
	if result != nil {
		return c.mergeResult(ctx, name, result, len(result.Outcomes))
	}
	n := 0
	err = store.Transact(ctx, func() (err error) {
		result, n, err = c.merge(ctx, name, options)
		return err
	})
	if err != nil {
		return nil, err
	}
	if cs, err := c.loadHead(ctx, name); err == nil && !options.DryRun {
		_, _ = c.withdraw(ctx, cs) // what it proposes is merged: that the branch stays is no failure
	}
	return c.mergeResult(ctx, name, result, n)
}

// merge is one attempt. It returns how many of the outcomes are those of documents.
func (c *ChangeSets) merge(ctx context.Context, name string, options store.Options) (*store.Result, int, error) {
	cs, err := c.load(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	if err := c.mayMerge(ctx, cs); err != nil {
		return nil, 0, err
	}
	operations, conflicts, err := c.mergeNow(ctx, cs, cs.operations)
	if err != nil {
		return nil, 0, err
	}
	if len(conflicts) > 0 {
		return nil, 0, cs.conflicting(conflicts)
	}
	cs.State, cs.Merged = api.ChangeSetMerged, &api.Ending{By: principal(ctx).Name, Time: c.now()}
	ending, err := cs.statusOperation()
	if err != nil {
		return nil, 0, err
	}
	options = cs.mergeOptions(options)
	options.Requested = append([]store.Operation{}, operations...)
	if options.Message == "" {
		options.Message = cs.message()
	}
	result, err := c.options.Writer.Apply(ctx, append(operations, ending), options)
	return result, len(operations), retryConflict(err)
}

// mergeOptions are the options of a transaction that does what the operations of the change set say, and nothing else to any protected document.
func (cs *changeSet) mergeOptions(options store.Options) store.Options {
	options.Managed, options.ChangeSet, options.Approved = true, cs.name, append(store.StagedIDs(stagedOf(cs.operations)), cs.id())
	return options
}

// message is that of a merge to which the user gave none.
func (cs *changeSet) message() string {
	message := "Merge change set " + cs.name
	if cs.title != "" {
		message += ": " + cs.title
	}
	return message[:min(len(message), store.MaxMessage)]
}

// mayMerge returns an error unless the principal may merge the change set, which is open and has its approvals.
func (c *ChangeSets) mayMerge(ctx context.Context, cs *changeSet) error {
	if err := c.mayTry(ctx, cs); err != nil {
		return err
	}
	return cs.approved(c.options.Protections(ctx))
}

// mayTry is mayMerge without the approvals.
func (c *ChangeSets) mayTry(ctx context.Context, cs *changeSet) error {
	if err := cs.mustBe(api.ChangeSetOpen); err != nil {
		return err
	}
	if err := c.mayUpdate(ctx, cs); err != nil {
		return err
	}
	if _, unreadable := c.readable(ctx, cs.operations); unreadable > 0 {
		return cs.unreadable()
	}
	return nil
}

// mayUpdate returns an error unless the principal may edit the change set.
func (c *ChangeSets) mayUpdate(ctx context.Context, cs *changeSet) error {
	if may, err := c.store.Allowed(ctx, dovetail.RightUpdate, cs.id()); err != nil || !may {
		return forbidden(err, cs.id())
	}
	return nil
}

func forbidden(err error, id dovetail.ID) error {
	if err != nil {
		return err
	}
	return &dovetail.Error{Code: dovetail.CodeForbidden, Key: id, Message: "you may not update " + string(id),
		Remedy: "ask for a role that allows it; `dovetail auth can-i` shows what is allowed"}
}

func (c *ChangeSets) mergeResult(ctx context.Context, name string, result *store.Result, n int) (*MergeResult, error) {
	shown, err := c.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	merged := &MergeResult{repeated: result.Repeated, ChangeSetMerge: api.ChangeSetMerge{ChangeSet: shown.ChangeSet, Operations: []api.MergedOperation{}, Total: n}}
	if shown.Merged != nil {
		merged.Position = shown.Merged.Position
	}
	for _, outcome := range result.Outcomes[:n] {
		merged.Operations = append(merged.Operations, api.MergedOperation{ID: outcome.Document.ID, Effect: outcome.Effect})
	}
	return merged, nil
}

// show returns a conflict for those who may read its document.
func show(c store.MergeConflict) api.MergeConflict {
	return api.MergeConflict{ID: c.ID, Path: c.Path, Message: c.Message, Base: impact.JSON(c.Base), Staged: impact.JSON(c.Staged), Now: impact.JSON(c.Now)}
}

// conflicting is the error of conflicts, all on documents that the principal may read.
func (cs *changeSet) conflicting(conflicts []store.MergeConflict) error {
	var parts dovetail.Errors
	shown := make([]api.MergeConflict, len(conflicts))
	for i, conflict := range conflicts {
		shown[i] = show(conflict)
		parts.Add(&dovetail.Error{Code: dovetail.CodeConflict, Reason: api.ReasonChangeSetConflict, Key: conflict.ID, Message: conflict.Message,
			Position: dovetail.Position{Path: conflict.Path}})
	}
	err := &dovetail.Error{Code: dovetail.CodeConflict, Reason: api.ReasonChangeSetConflict, Key: cs.id(), Errors: parts.Kept(),
		Message: "what the change set " + cs.name + " changes was changed since its base", Remedy: "rebase it, and say for each conflict which value to take"}
	if parts.Omitted() > 0 {
		err.Total = parts.Total()
	}
	return &httpapi.ProblemError{Cause: err, Members: map[string]any{"conflicts": shown}}
}
