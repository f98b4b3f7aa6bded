package changeset

import (
	"cmp"
	"context"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// applier applies operations by a function.
type applier func(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)

// Apply implements store.Applier.
func (a applier) Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error) {
	return a(ctx, operations, options)
}

// Revert makes a change set that undoes a merged one, on what there is now. It is merged as any other. Errors: those of
// Store.Revert; CodeConflict with ReasonNotOpen if it is not merged or was already reverted.
func (c *ChangeSets) Revert(ctx context.Context, name, newName, title string, options store.Options) (*Shown, error) {
	was, err := c.loadHead(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := was.mustBe(api.ChangeSetMerged); err != nil {
		return nil, err
	}
	position, err := c.position(ctx, was)
	if err != nil {
		return nil, err
	}
	if newName == "" {
		newName = "revert-" + name
	}
	if title == "" {
		title = "Revert " + name
		if was.title != "" {
			title += ": " + was.title
		}
	}
	var exists error // which does not pass as another writer's doing
	result, err := c.store.RevertBy(ctx, applier(func(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error) {
		result, err := c.propose(ctx, newName, title, position, operations, options)
		if dovetail.CodeOf(err) == dovetail.CodeExists {
			exists, err = err, &dovetail.Error{Code: dovetail.CodeUnprocessable, Message: err.Error()}
		}
		return result, err
	}), position, c.carriedKinds(), options)
	if err != nil {
		return nil, cmp.Or(exists, err)
	}
	shown, err := c.Get(ctx, newName)
	if err == nil {
		shown.repeated = result.Repeated
	}
	return shown, err
}

// propose makes a change set of operations on what there is now.
func (c *ChangeSets) propose(ctx context.Context, name, title string, reverts store.Cursor, operations []store.Operation, options store.Options) (*store.Result, error) {
	head, err := c.store.Head(ctx)
	if err != nil {
		return nil, err
	}
	cs, err := c.newChangeSet(ctx, name, title, "", head)
	if err != nil {
		return nil, err
	}
	made := make(map[dovetail.ID]store.Staged)
	overlay, err := c.store.Overlay(ctx, head, nil, func(_ context.Context, changes []store.Staged) error {
		for _, change := range changes {
			made[change.ID] = change
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var changed []dovetail.ID
	if len(c.options.Carriers) > 0 {
		if changed, err = c.changedBy(ctx, reverts); err != nil {
			return nil, err
		}
	}
	first, later, err := c.untilCarried(ctx, overlay, operations, changed)
	if err != nil {
		return nil, err
	}
	result := &store.Result{}
	if len(first) > 0 {
		if result, err = overlay.Apply(ctx, first, store.Options{}); err != nil {
			return nil, err
		}
	}
	if len(c.options.Carriers) > 0 {
		if err := c.carryBack(ctx, reverts, changed, overlay); err != nil {
			return nil, err
		}
	}
	if len(later) > 0 {
		if _, err := overlay.Apply(ctx, later, store.Options{}); err != nil {
			return nil, err
		}
	}
	for _, change := range made {
		if !same(change.Base, change.Document) {
			cs.operations = append(cs.operations, c.newOperation(change, cs.Author, cs.Created))
		}
	}
	if len(cs.operations) == 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Reason: api.ReasonNotOpen, Key: cs.id(), Message: "the change set was reverted already"}
	}
	sortOperations(cs.operations)
	cs.Reverts = reverts
	return result, c.create(ctx, cs, options)
}
