package changeset

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Carrier is a service whose documents are not merged as those of users are, since it makes them of what there is: revisions, and what belongs to
// them. A merge lets it do again on what there is now what was staged.
type Carrier struct {
	Kinds []string // of the documents that it makes so
	// Carry does in onto, a view, what was done between two states of the store. Where that was changed since, the error is CodeConflict.
	Carry func(ctx context.Context, from, to, onto *store.Store) error
}

// operations returns what merges the operations of a change set, or some of them, into a store of now, and the conflicts. What services
// made is made again upon all else.
func (c *ChangeSets) operations(ctx context.Context, now *store.Store, cs *changeSet, some []*operation, resolve store.Resolutions) ([]store.Operation, []store.MergeConflict, error) {
	plain, carried := c.carried(some)
	operations, conflicts, err := now.MergeOperations(ctx, stagedOf(plain), resolve)
	if err != nil || len(conflicts) > 0 || len(carried) == 0 {
		return operations, conflicts, err
	}
	from, err := c.store.Overlay(ctx, cs.Base, basesOf(some), nil)
	if err != nil {
		return nil, nil, cs.beyond(err)
	}
	to, err := c.store.Overlay(ctx, cs.Base, stagedOf(some), nil)
	if err != nil {
		return nil, nil, cs.beyond(err)
	}
	made := make(map[dovetail.ID]store.Staged)
	onto, err := c.store.Overlay(ctx, now.Position(), nil, func(_ context.Context, changes []store.Staged) error {
		for _, change := range changes {
			made[change.ID] = change
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(operations) > 0 {
		if _, err := onto.Apply(ctx, operations, store.Options{Managed: true, Needs: []store.Need{}}); err != nil {
			return nil, nil, dovetail.WithoutIndex(err)
		}
	}
	clear(made)
	for _, name := range carried {
		if err := c.options.Carriers[name].Carry(ctx, from, to, onto); err != nil {
			return nil, nil, err
		}
	}
	staged := make([]store.Staged, 0, len(made))
	for _, id := range slices.Sorted(maps.Keys(made)) {
		staged = append(staged, made[id])
	}
	more, conflicts, err := now.MergeOperations(ctx, staged, nil)
	return append(operations, more...), conflicts, err
}

// carryBack lets the services do again in a view what was before a transaction.
func (c *ChangeSets) carryBack(ctx context.Context, position store.Cursor, onto *store.Store) error {
	if len(c.options.Carriers) == 0 {
		return nil
	}
	page, err := c.store.Transactions(own(ctx), store.TransactionQuery{Before: position, Limit: 1})
	if err != nil || len(page.Transactions) == 0 {
		return err
	}
	after, err := c.store.At(ctx, position)
	if err != nil {
		return err
	}
	before, err := c.store.At(ctx, page.Transactions[0].Cursor)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.options.Carriers)) {
		if err := c.options.Carriers[name].Carry(ctx, after, before, onto); err != nil {
			return err
		}
	}
	return nil
}

// carriedKinds are those of the documents that services make again.
func (c *ChangeSets) carriedKinds() (kinds []string) {
	for _, carrier := range c.options.Carriers {
		kinds = append(kinds, carrier.Kinds...)
	}
	return kinds
}

// mergeNow is operations on what there is now.
func (c *ChangeSets) mergeNow(ctx context.Context, cs *changeSet, some []*operation) ([]store.Operation, []store.MergeConflict, error) {
	now, err := c.store.At(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	return c.operations(ctx, now, cs, some, nil)
}

// carried returns the operations that are merged as they are, and the services that make the others again.
func (c *ChangeSets) carried(all []*operation) (plain []*operation, services []string) {
	by := make(map[string]string) // services, by kind
	for name, carrier := range c.options.Carriers {
		for _, kind := range carrier.Kinds {
			by[kind] = name
		}
	}
	for _, op := range all {
		if name := by[op.Kind]; name == "" {
			plain = append(plain, op)
		} else if !slices.Contains(services, name) {
			services = append(services, name)
		}
	}
	slices.Sort(services)
	return plain, services
}
