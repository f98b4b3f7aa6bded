package layering

import (
	"context"
	"strconv"

	"golang.org/x/sync/singleflight"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	// maxAtOnce is how many documents are deleted with their revisions in one transaction. Of more, the revisions go first, and what they
	// held afterwards: clients of Deckhand wait for an answer, and for no longer than a request may take.
	maxAtOnce = 2000
	// maxContents is how many contents of older revisions one transaction deletes.
	maxContents = 1000
)

// DeleteAll deletes all revisions and all documents: numbering starts again. Data keys stay. Of many documents the revisions are gone when it
// returns, and what they held soon after: the head says so, and writers wait for it.
func (r *Revisions) DeleteAll(ctx context.Context, options store.Options) error {
	if err := r.mayDeleteAll(ctx); err != nil {
		return err
	}
	if err := r.mayStage("the deletion of all revisions"); err != nil {
		return err
	}
	options.Managed = true
	kinds := []string{elementHead, elementRevision, elementBucket, elementContent}
	var operations []store.Operation
	err := store.Transact(ctx, func() error {
		from, err := r.head(ctx)
		if err != nil {
			return err
		}
		if from.deleting() {
			r.finishDeletion(ctx)
			operations = nil
			return nil
		}
		if len(from.index) > maxAtOnce && r.store.DeletesAll(ctx, Kinds...) {
			return r.deleteRevisions(ctx, from, options)
		}
		operations, err = r.deletions(ctx, kinds)
		return err
	})
	if err == nil && len(operations) > 0 {
		_, err = r.store.Apply(ctx, operations, options)
	}
	if dovetail.CodeOf(err) == dovetail.CodeForbidden { // the refusal of the store names documents
		if dovetail.AsError(err).Reason == store.ReasonProtected {
			return &dovetail.Error{Code: dovetail.CodeForbidden, Reason: store.ReasonProtected, Message: "not all revisions and buckets may be changed outside of a change set",
				Remedy: "delete them in a change set, with ?changeSet=NAME"}
		}
		return mayNotDeleteAll()
	}
	return err
}

// deletions delete all documents of some kinds, with what is below them.
func (r *Revisions) deletions(ctx context.Context, kinds []string) (operations []store.Operation, err error) {
	for _, kind := range kinds {
		docs, err := r.below(own(ctx), 0, kind)
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			operations = append(operations, store.Operation{Verb: store.Delete, ID: doc.ID, Cascade: true})
		}
	}
	return operations, nil
}

// deleteRevisions deletes all revisions, and has the head say that what they held is to go. Of an error that another writer causes it is
// tried again.
func (r *Revisions) deleteRevisions(ctx context.Context, from *head, options store.Options) error {
	operations, err := r.deletions(ctx, []string{elementRevision})
	if err != nil {
		return err
	}
	moved := deletingOperation(from, 0)
	options.Needs = []store.Need{{Right: dovetail.RightDelete, ID: headID}}
	_, err = r.store.Apply(ctx, append(operations, moved), options)
	if isOutdated(err) {
		return store.Retry(err)
	}
	if err == nil {
		r.finishDeletion(ctx)
	}
	return err
}

// deletingOperation has the head say that all revisions were deleted, and in how many steps so far what they held was.
func deletingOperation(from *head, steps int) store.Operation {
	return store.Operation{Verb: store.Put, ID: headID, IfMatch: []dovetail.ETag{from.doc.ETag()}, Data: value.NewMap(nameMember(headName), specMember(
		value.Member{Name: "revision", Value: value.NewNumber(0)}, value.Member{Name: "deleted", Value: value.NewNumber(int64(steps))}))}
}

// step is how many steps of the deletion are done.
func (h *head) step() (int, error) {
	data, err := value.DataOf(h.doc, nil)
	if err != nil {
		return 0, err
	}
	steps, err := strconv.Atoi(textOf(data.At("spec", "deleted")))
	if err != nil {
		return 0, dovetail.UnreadableData(headID, err)
	}
	return steps, nil
}

// deleting reports whether the revisions were deleted, and what they held is not yet.
func (h *head) deleting() bool { return h.doc != nil && h.Number == 0 }

// finishDeletion deletes what deleted revisions held, without waiting for it. Whoever writes next continues with it where this process ends before.
func (r *Revisions) finishDeletion(ctx context.Context) <-chan singleflight.Result {
	return r.leaving.DoChan("", func() (any, error) { return nil, r.deleteLeft(own(context.WithoutCancel(ctx))) })
}

// awaitDeletion is finishDeletion for who needs its end. The error, of CodeUnavailable, is that of the context.
func (r *Revisions) awaitDeletion(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "all revisions were deleted, and what they held is still being deleted", Remedy: "try again soon", Err: ctx.Err()}
	case done := <-r.finishDeletion(ctx):
		return done.Err
	}
}

// deleteLeft deletes what deleted revisions held, and the head at last. Each of its transactions holds only while the head says that there is something
// left, so that it takes nothing of what comes later.
func (r *Revisions) deleteLeft(ctx context.Context) error {
	return store.Transact(ctx, func() error {
		for {
			from, err := r.head(ctx)
			if err != nil || !from.deleting() {
				return err
			}
			operations, last, err := r.nextLeft(ctx)
			if err != nil {
				return err
			}
			step, err := from.step()
			if err != nil {
				return err
			}
			guard := deletingOperation(from, step+1)
			if last {
				guard = store.Operation{Verb: store.Delete, ID: headID, IfMatch: guard.IfMatch}
			}
			if _, err := r.store.Apply(ctx, append(operations, guard), store.Options{Managed: true}); err != nil {
				if isOutdated(err) || dovetail.CodeOf(err) == dovetail.CodeNotFound { // another process does the same
					return store.Retry(err)
				}
				return err
			}
		}
	})
}

// nextLeft deletes the next part of what is left: the buckets with their documents, which refer to each other, and then contents.
func (r *Revisions) nextLeft(ctx context.Context) (operations []store.Operation, last bool, err error) {
	if operations, err = r.deletions(ctx, []string{elementBucket}); err != nil || len(operations) > 0 {
		return operations, false, err
	}
	page, err := r.store.List(ctx, store.ListQuery{Kind: elementContent, Limit: maxContents})
	if err != nil {
		return nil, false, err
	}
	for _, doc := range page.Documents {
		operations = append(operations, store.Operation{Verb: store.Delete, ID: doc.ID, Cascade: true})
	}
	return operations, len(page.Documents) < maxContents, nil
}
