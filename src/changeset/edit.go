package changeset

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// maxOperations bounds the documents that a change set stages: every request in its view reads them.
const maxOperations = 10_000

// Create makes an open change set, based on what there is now. Errors: CodeExists.
func (c *ChangeSets) Create(ctx context.Context, name, title, description string, options store.Options) (*Shown, error) {
	return c.once(ctx, name, options, func() (*changeSet, error) {
		head, err := c.store.Head(ctx)
		if err != nil {
			return nil, err
		}
		cs, err := c.newChangeSet(ctx, name, title, description, head)
		if err != nil {
			return nil, err
		}
		return cs, c.create(ctx, cs, options)
	})
}

func (c *ChangeSets) newChangeSet(ctx context.Context, name, title, description string, base store.Cursor) (*changeSet, error) {
	if _, err := idOf(name); err != nil {
		return nil, err
	}
	who := principal(ctx).Name
	cs := &changeSet{name: name, title: title, description: description,
		status: status{State: api.ChangeSetOpen, Author: who, Authors: []string{who}, Base: base, Created: c.now(), Digest: digest(nil)}}
	return cs, nil
}

// create stores a new change set with the operations that it has.
func (c *ChangeSets) create(ctx context.Context, cs *changeSet, options store.Options) error {
	staged, err := cs.replace(nil, cs.operations)
	if err != nil {
		return err
	}
	cs.edited(cs.Author)
	made, err := cs.statusOperation()
	if err != nil {
		return err
	}
	head := store.Operation{Verb: store.Create, ID: cs.id(), Data: cs.data(), Status: made.Data}
	return c.apply(ctx, cs, dovetail.RightCreate, append([]store.Operation{head}, staged...), options)
}

// apply writes a change set: the first operation is on its own document. Whoever may do that needs no right on the operations,
// which are the work of this service.
func (c *ChangeSets) apply(ctx context.Context, cs *changeSet, right dovetail.Right, operations []store.Operation, options store.Options) error {
	options.Managed, options.Needs = true, []store.Need{{Right: right, ID: cs.id()}}
	result, err := c.store.Apply(ctx, operations, options)
	if err != nil {
		return dovetail.WithoutIndex(err)
	}
	cs.doc = result.Outcomes[0].Document
	return nil
}

// edit changes a change set that is in one of the states, and writes its status over the version that was read. change may
// return more operations. Where another edit comes first, it begins again.
func (c *ChangeSets) edit(ctx context.Context, name string, options store.Options, change func(cs *changeSet) ([]store.Operation, error), states ...api.ChangeSetState) (*Shown, error) {
	return c.once(ctx, name, options, func() (*changeSet, error) {
		cs, err := c.load(ctx, name)
		if err != nil {
			return nil, err
		}
		if err := cs.mustBe(states...); err != nil {
			return nil, err
		}
		more, err := change(cs)
		if err != nil {
			return nil, err
		}
		return cs, retryConflict(c.save(ctx, cs, more, options))
	})
}

// save writes the status of a change set, and more, over the version that was read.
func (c *ChangeSets) save(ctx context.Context, cs *changeSet, more []store.Operation, options store.Options) error {
	op, err := cs.statusOperation()
	if err != nil {
		return err
	}
	return c.apply(ctx, cs, dovetail.RightUpdate, append([]store.Operation{op}, more...), options)
}

// once does a write again as long as others come first, unless it was done under the same key. It answers the change set.
func (c *ChangeSets) once(ctx context.Context, name string, options store.Options, write func() (*changeSet, error)) (*Shown, error) {
	if done, err := c.replay(ctx, options); err != nil {
		return nil, err
	} else if done != nil {
		shown, err := c.Get(ctx, name)
		if shown != nil {
			shown.repeated = true
		}
		return shown, err
	}
	var cs *changeSet
	if err := store.Transact(ctx, func() (err error) {
		cs, err = write()
		return err
	}); err != nil {
		return nil, err
	}
	return c.show(ctx, cs)
}

// replay returns what was done under the key of the options, nil if there is nothing.
func (c *ChangeSets) replay(ctx context.Context, options store.Options) (*store.Result, error) {
	if options.Key == "" || options.DryRun {
		return nil, nil
	}
	return c.store.Replay(ctx, nil, options)
}

// Update changes title and description, those that are not nil.
func (c *ChangeSets) Update(ctx context.Context, name string, title, description *string, ifMatch []dovetail.ETag, options store.Options) (*Shown, error) {
	return c.once(ctx, name, options, func() (*changeSet, error) {
		cs, err := c.load(ctx, name)
		if err != nil {
			return nil, err
		}
		if err := cs.mustBe(api.ChangeSetOpen); err != nil {
			return nil, err
		}
		if title != nil {
			cs.title = *title
		}
		if description != nil {
			cs.description = *description
		}
		op := store.Operation{Verb: store.Put, ID: cs.id(), Data: cs.data(), IfMatch: []dovetail.ETag{cs.doc.ETag()}}
		if len(ifMatch) > 0 {
			op.IfMatch = ifMatch
			return cs, c.apply(ctx, cs, dovetail.RightUpdate, []store.Operation{op}, options)
		}
		return cs, retryConflict(c.apply(ctx, cs, dovetail.RightUpdate, []store.Operation{op}, options))
	})
}

// Delete deletes a change set, and the branch that it was proposed as, unless that has commits of others. What one that is merged
// did stays, and its transaction is in the history.
func (c *ChangeSets) Delete(ctx context.Context, name string, ifMatch []dovetail.ETag, options store.Options) error {
	return store.Transact(ctx, func() error {
		cs, err := c.loadHead(ctx, name)
		if err != nil {
			return err
		}
		op := store.Operation{Verb: store.Delete, ID: cs.id(), Cascade: true, IfMatch: []dovetail.ETag{cs.doc.ETag()}}
		retry := retryConflict
		if len(ifMatch) > 0 {
			op.IfMatch, retry = ifMatch, func(err error) error { return err }
		}
		if cs.Proposal != nil && !options.DryRun {
			if err := c.apply(ctx, cs, dovetail.RightDelete, []store.Operation{op}, store.Options{DryRun: true}); err != nil { // before the branch is gone
				return retry(err)
			}
			if _, err := c.withdraw(ctx, cs); err != nil {
				return err
			}
		}
		return retry(c.apply(ctx, cs, dovetail.RightDelete, []store.Operation{op}, options))
	})
}

// Close closes an open change set: nothing more is staged or merged. The branch that it was proposed as is deleted, unless it has
// commits of others.
func (c *ChangeSets) Close(ctx context.Context, name string, options store.Options) (*Shown, error) {
	return c.edit(ctx, name, options, func(cs *changeSet) ([]store.Operation, error) {
		cs.State, cs.Closed = api.ChangeSetClosed, &api.Ending{By: principal(ctx).Name, Time: c.now()}
		if cs.Proposal == nil || options.DryRun {
			return nil, nil
		}
		foretold := *cs
		if err := c.save(ctx, &foretold, nil, store.Options{DryRun: true}); err != nil { // before the branch is gone
			return nil, retryConflict(err)
		}
		kept, err := c.withdraw(ctx, cs)
		if !kept {
			cs.Proposal = nil
		}
		return nil, err
	}, api.ChangeSetOpen)
}

// Reopen opens a closed one again.
func (c *ChangeSets) Reopen(ctx context.Context, name string, options store.Options) (*Shown, error) {
	return c.edit(ctx, name, options, func(cs *changeSet) ([]store.Operation, error) {
		cs.State, cs.Closed = api.ChangeSetOpen, nil
		if cs.Base != "" {
			return nil, nil
		}
		head, err := c.store.Head(ctx) // it was not made by this service
		cs.Base, cs.Author = head, principal(ctx).Name
		cs.edited(cs.Author)
		return nil, err
	}, api.ChangeSetClosed)
}

// Drop takes what is staged of a document out of an open change set.
func (c *ChangeSets) Drop(ctx context.Context, name string, id dovetail.ID, options store.Options) (*Shown, error) {
	return c.edit(ctx, name, options, func(cs *changeSet) ([]store.Operation, error) {
		some, _ := c.readable(ctx, cs.operations)
		i := slices.IndexFunc(some, func(op *operation) bool { return op.ID == id })
		if i < 0 {
			return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: "the change set " + name + " does not stage " + string(id)}
		}
		gone := some[i]
		cs.operations = slices.DeleteFunc(cs.operations, func(op *operation) bool { return op == gone })
		cs.edited(principal(ctx).Name)
		return []store.Operation{gone.remove(cs.id())}, nil
	}, api.ChangeSetOpen)
}

// retryConflict marks errors of writes that another one came before.
func retryConflict(err error) error {
	if store.IsConflict(err) {
		return store.Retry(err)
	}
	return err
}
