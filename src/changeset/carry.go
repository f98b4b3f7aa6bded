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
	// MadeOf reports whether it makes documents of the one with an id, which is of another kind, so that it is asked when that changes.
	// Nil is for none.
	MadeOf func(dovetail.ID) bool
	// Carry does in onto, a view, what was done to the changed documents between two states of the store. onto has the changes of other
	// documents already. Where its own were changed since in another way, resolve decides, as for a document as a whole; otherwise the error is
	// CodeConflict, with a part for each document.
	Carry func(ctx context.Context, changed []dovetail.ID, from, to, onto *store.Store, resolve store.Resolutions) error
}

// conflictsOf returns the conflicts that an error of Carrier.Carry consists of, nil for any other error.
func conflictsOf(err error) (all []store.MergeConflict) {
	e := dovetail.AsError(err)
	parts := e.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{e}
	}
	for _, part := range parts {
		if part.Code != dovetail.CodeConflict || part.Reason != "" || part.Key == "" {
			return nil
		}
		all = append(all, store.MergeConflict{ID: part.Key, Message: part.Message})
	}
	return all
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
	first, _, err := c.untilCarried(ctx, onto, operations, store.StagedIDs(stagedOf(some)))
	if err != nil {
		return nil, nil, err
	}
	if len(first) > 0 {
		if _, err := onto.Apply(ctx, first, store.Options{Managed: true, Needs: []store.Need{}}); err != nil {
			return nil, nil, dovetail.WithoutIndex(err)
		}
	}
	clear(made)
	for _, name := range carried {
		if err := c.options.Carriers[name].Carry(ctx, store.StagedIDs(stagedOf(some)), from, to, onto, resolve); err != nil {
			if conflicts := conflictsOf(err); conflicts != nil {
				return nil, conflicts, nil
			}
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

// untilCarried parts operations in those that a view takes before services have made again what was changed, and those that have to wait: deletions of
// documents that documents of services are below, or refer to.
func (c *ChangeSets) untilCarried(ctx context.Context, view *store.Store, operations []store.Operation, changed []dovetail.ID) (first, later []store.Operation, err error) {
	kinds := c.carriedKinds()
	changed = slices.DeleteFunc(slices.Clone(changed), func(id dovetail.ID) bool {
		key := id.Key()
		return !slices.Contains(kinds, key[len(key)-1].Name)
	})
	documents, err := view.GetAll(own(ctx), changed)
	if err != nil {
		return nil, nil, err
	}
	held := make(map[dovetail.ID]bool)
	for _, doc := range documents {
		if doc == nil {
			continue
		}
		for _, ref := range doc.References {
			held[ref.ID] = true
		}
		for key := doc.Key(); len(key) > 1; {
			key = key[:len(key)-1]
			held[key.ID()] = true
		}
	}
	for _, op := range operations {
		if op.Verb == store.Delete && held[op.ID] {
			later = append(later, op)
		} else {
			first = append(first, op)
		}
	}
	return first, later, nil
}

// changedBy returns the ids of the documents that the transaction at a position changed.
func (c *ChangeSets) changedBy(ctx context.Context, position store.Cursor) ([]dovetail.ID, error) {
	transaction, err := c.store.Transaction(own(ctx), position)
	if err != nil {
		return nil, err
	}
	changed := make([]dovetail.ID, len(transaction.Changes))
	for i, change := range transaction.Changes {
		changed[i] = change.ID
	}
	return changed, nil
}

// carryBack lets the services do again in a view what was before a transaction, which changed some documents.
func (c *ChangeSets) carryBack(ctx context.Context, position store.Cursor, changed []dovetail.ID, onto *store.Store) error {
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
		if err := c.options.Carriers[name].Carry(ctx, changed, after, before, onto, nil); err != nil {
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
	for name, carrier := range c.options.Carriers {
		made := carrier.MadeOf != nil && slices.ContainsFunc(all, func(op *operation) bool { return carrier.MadeOf(op.ID) })
		if made && !slices.Contains(services, name) {
			services = append(services, name)
		}
	}
	slices.Sort(services)
	return plain, services
}
