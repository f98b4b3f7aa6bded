package changeset

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// ontoNow returns the store of now with the change set merged into it, that store without it, and what is staged in the first.
// Everything is checked as a merge would be, except, where needs is not nil, for rights. Where there are conflicts, there is no
// such store.
func (c *ChangeSets) ontoNow(ctx context.Context, cs *changeSet, resolve store.Resolutions, needs []store.Need) (now, after *store.Store, staged []store.Staged, err error) {
	if now, err = c.store.At(ctx, ""); err != nil {
		return nil, nil, nil, err
	}
	operations, conflicts, err := c.operations(ctx, now, cs, cs.operations, resolve)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(conflicts) > 0 {
		return nil, nil, nil, cs.conflicting(conflicts)
	}
	after, err = c.store.Overlay(ctx, now.Position(), nil, func(_ context.Context, changes []store.Staged) error {
		staged = append(staged, changes...)
		return nil
	})
	if err == nil && len(operations) > 0 {
		_, err = after.Apply(ctx, operations, store.Options{Managed: true, Needs: needs})
	}
	return now, after, staged, dovetail.WithoutIndex(err)
}

// Rebase brings the base of an open change set forward to now. What was changed since is merged into what is staged;
// where both changed a value, resolve says which to take. It needs the rights of the changes themselves. Errors: those of Merge.
func (c *ChangeSets) Rebase(ctx context.Context, name string, resolve store.Resolutions, options store.Options) (*Shown, error) {
	return c.edit(ctx, name, options, func(cs *changeSet) ([]store.Operation, error) {
		if _, unreadable := c.readable(ctx, cs.operations); unreadable > 0 {
			return nil, cs.unreadable()
		}
		now, _, staged, err := c.ontoNow(ctx, cs, resolve, nil)
		if err != nil {
			return nil, err
		}
		removed, added := cs.operations, []*operation{}
		var kept []*operation
		for _, s := range staged {
			op := c.newOperation(s, principal(ctx).Name, c.now())
			if i := slices.IndexFunc(removed, func(was *operation) bool { return was.ID == s.ID }); i >= 0 {
				was := removed[i]
				if op.By, op.Time = was.By, was.Time; same(was.Base, s.Base) && isSameLife(was.Base, s.Base) && same(was.Document, s.Document) {
					kept, removed = append(kept, was), slices.Delete(slices.Clone(removed), i, i+1)
					continue
				}
			}
			added = append(added, op)
		}
		cs.operations = slices.Concat(kept, added)
		sortOperations(cs.operations)
		cs.Base = now.Position()
		operations, err := cs.replace(removed, added)
		cs.Operations, cs.Digest = len(cs.operations), digest(cs.operations)
		return operations, err
	}, api.ChangeSetOpen)
}
