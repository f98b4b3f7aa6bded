package changeset

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// View returns the store as of the base of a change set with what it stages in place. What is written to it is staged,
// if write says that something will be: then the change set must be open. Where it was edited since, a write is refused with
// CodeConflict and httpapi.ReasonEdited: it is to be done again in another view.
func (c *ChangeSets) View(ctx context.Context, name string, write bool) (*httpapi.View, error) {
	cs, err := c.load(ctx, name)
	if err != nil {
		return nil, err
	}
	var stage func(context.Context, []store.Staged, *store.Txn) error
	if write {
		if err := cs.mustBe(api.ChangeSetOpen); err != nil {
			return nil, err
		}
		stage = func(ctx context.Context, changes []store.Staged, own *store.Txn) error {
			return c.stage(ctx, cs, changes, own)
		}
	}
	view, err := c.store.OverlayTogether(ctx, cs.Base, stagedOf(cs.operations), stage)
	if err != nil {
		return nil, cs.beyond(err)
	}
	return &httpapi.View{Store: view, Version: cs.doc.ETag().Version()}, nil
}

// beyond says of a base that is not kept any more how to go on.
func (cs *changeSet) beyond(err error) error {
	if code := dovetail.CodeOf(err); cs.State != api.ChangeSetOpen || code != dovetail.CodeExpired && code != dovetail.CodeInvalid {
		return err
	}
	return &dovetail.Error{Code: dovetail.CodeExpired, Key: cs.id(), Message: "the history no longer reaches back to the base of the change set " + cs.name,
		Remedy: "rebase it", Err: err}
}

// stage adds changes to a change set, and writes them over the version that is known, together with what is the store's own.
func (c *ChangeSets) stage(ctx context.Context, cs *changeSet, changes []store.Staged, own *store.Txn) error {
	if len(changes) == 0 {
		return nil
	}
	next := *cs
	next.status = cs.copyStatus()
	byID := make(map[dovetail.ID]*operation, len(cs.operations)+len(changes))
	for _, op := range cs.operations {
		byID[op.ID] = op
	}
	who, at := principal(ctx).Name, c.now()
	var removed, added []*operation
	for _, change := range changes {
		if change.ID.Key()[0].Name == Kind {
			return &dovetail.Error{Code: dovetail.CodeConflict, Reason: store.ReasonManaged, Key: change.ID,
				Message: string(change.ID) + " cannot be staged: it is part of a change set", Remedy: "change it outside of the change set"}
		}
		if before := byID[change.ID]; before != nil {
			change.Base = before.Base
			removed = append(removed, before)
			delete(byID, change.ID)
		}
		if !same(change.Base, change.Document) {
			op := c.newOperation(change, who, at)
			added, byID[op.ID] = append(added, op), op
		}
	}
	next.operations = slices.Collect(maps.Values(byID))
	if len(next.operations) > maxOperations {
		return &dovetail.Error{Code: dovetail.CodeTooLarge, Key: cs.id(), Message: fmt.Sprintf("the change set would stage more than %d documents", maxOperations),
			Remedy: "split it into several"}
	}
	sortOperations(next.operations)
	operations, err := next.replace(removed, added)
	if err != nil {
		return err
	}
	next.edited(who)
	err = c.save(ctx, &next, operations, store.Options{Together: own})
	if store.IsConflict(err) {
		return &dovetail.Error{Code: dovetail.CodeConflict, Reason: httpapi.ReasonEdited, Key: cs.id(), Message: "the change set " + cs.name + " was edited at the same time",
			Remedy: "try again", Err: err}
	}
	if err == nil {
		*cs = next
	}
	return err
}

func (cs *changeSet) copyStatus() status {
	copied := cs.status
	copied.Authors, copied.Reviews = slices.Clone(cs.Authors), slices.Clone(cs.Reviews)
	if cs.Proposal != nil {
		proposal := *cs.Proposal
		copied.Proposal = &proposal
	}
	return copied
}

// same reports whether two states of a document say the same, nil that there is none.
func same(a, b *dovetail.Document) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Data, b.Data) && bytes.Equal(a.Status, b.Status) && slices.EqualFunc(a.Content, b.Content, func(a, b dovetail.File) bool {
		return a.Name == b.Name && a.Filename == b.Filename && a.MediaType == b.MediaType && bytes.Equal(a.Data, b.Data)
	})
}

// isSameLife reports whether two versions of a document have no deletion between them.
func isSameLife(a, b *dovetail.Document) bool { return a == nil || b == nil || a.UID == b.UID }
