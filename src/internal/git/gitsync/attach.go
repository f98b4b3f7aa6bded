package gitsync

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/store"
)

// attach makes the store follow for the first time. Each portion is a transaction of its own, so that memory does not grow with the repository. Until
// the last one the record has no head, but the commit that is being attached, which all processes then attach. A process that comes later, or after one
// that died, compares what is there already, and goes on.
func (a *Syncer) attach(ctx context.Context, r *record, fence *store.Condition) error {
	head, err := a.toAttach(ctx, r)
	if err != nil {
		return err
	}
	if r.Attaching == nil && !a.options.Replace {
		if err := a.refuseToReplace(ctx, head); err != nil {
			return err
		}
	}
	now := attaching{Commit: head}
	if now.Of, err = a.environmentsAt(ctx, head); err != nil {
		return err
	}
	if r.Attaching == nil || r.Attaching.Commit != head {
		begun := &comparison{what: newRegion(), head: head, read: &surveyed{}}
		if _, err := a.transact(ctx, r, begun, &merges{}, fence, func() state { return state{Attaching: &now, Defects: defects{First: []defect{}}} }); err != nil {
			return err
		}
	}
	known, applied := defects{First: []defect{}}, 0
	return a.eachPortion(ctx, wholeRegion(), head, func(found *comparison) error {
		r, err := a.record(ctx)
		switch {
		case err != nil:
			return err
		case !r.attaches(head):
			return a.errOvertaken()
		}
		done := now
		done.Environments += len(found.what.environments)
		next, err := a.transact(ctx, r, found, &merges{}, fence, func() state {
			if found.last {
				return state{Head: head, Defects: known.with(found.read)}
			}
			return state{Attaching: &done, Defects: known.with(found.read)}
		})
		if err != nil {
			return err
		}
		now, known, applied = done, next.Defects, applied+len(found.operations)
		if found.last {
			a.tell(&record{}, wholeRegion(), *next, applied)
			return nil
		}
		a.options.Log.Info("the instance repository is being attached", "commit", head, "environments", now.Environments, "of", now.Of)
		return nil
	})
}

// attaches reports whether a commit is being attached.
func (r *record) attaches(commit string) bool {
	return r.doc != nil && r.Head == "" && r.Attaching != nil && r.Attaching.Commit == commit
}

// isAttaching reports whether the store is being attached to a commit, by whatever process.
func (a *Syncer) isAttaching(ctx context.Context, commit string) bool {
	r, err := a.record(ctx)
	return err == nil && r.attaches(commit)
}

// toAttach is the commit to attach: the one that was begun, if the clone has it, or the head.
func (a *Syncer) toAttach(ctx context.Context, r *record) (string, error) {
	if r.Attaching == nil {
		return a.repository.Head(), nil
	}
	_, err := a.repository.Message(r.Attaching.Commit)
	if dovetail.CodeOf(err) == dovetail.CodeMissing {
		if err := a.pull(ctx); err != nil {
			return "", err
		}
		_, err = a.repository.Message(r.Attaching.Commit)
	}
	if dovetail.CodeOf(err) == dovetail.CodeMissing { // history was rewritten
		return a.repository.Head(), nil
	}
	return r.Attaching.Commit, err
}

// environmentsAt counts the folders of environments of a commit.
func (a *Syncer) environmentsAt(ctx context.Context, commit string) (int, error) {
	const root = "environments"
	clusters, err := a.repository.FoldersAt(ctx, commit, root)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, cluster := range clusters {
		folders, err := a.repository.FoldersAt(ctx, commit, root+"/"+cluster)
		if err != nil {
			return 0, err
		}
		for _, folder := range folders {
			if a.holdsCluster(cluster) && isEnvironment(root+"/"+cluster+"/"+folder) {
				n++
			}
		}
	}
	return n, nil
}

// refuseToReplace refuses to attach a repository for the first time when that would change documents that the store has. A store without any
// is not compared.
func (a *Syncer) refuseToReplace(ctx context.Context, head string) error {
	empty := true
	for _, kind := range instancerepo.Kinds() {
		page, err := a.store.List(ctx, store.ListQuery{Kind: kind, Limit: 1})
		if err != nil {
			return err
		}
		empty = empty && len(page.Documents) == 0
	}
	if empty {
		return nil
	}
	var errs []*dovetail.Error
	err := a.eachPortion(ctx, wholeRegion(), head, func(found *comparison) error {
		const shown = 20
		more := replacing(found.operations)
		errs = append(errs, more[:min(len(more), shown-len(errs))]...)
		return nil
	})
	if err != nil || len(errs) == 0 {
		return err
	}
	return &dovetail.Error{Code: dovetail.CodeConflict, Errors: errs, Message: "the instance repository and the store differ, and would lose what only the store has",
		Remedy: "export the store into the repository and push that, or let the repository replace it with --instance-repo-first=replace"}
}

// replacing are refusals of the operations that would change documents that the store has.
func replacing(operations []store.Operation) []*dovetail.Error {
	var errs []*dovetail.Error
	for _, op := range operations {
		switch op.Verb {
		case store.Put:
			errs = append(errs, &dovetail.Error{Code: dovetail.CodeConflict, Key: op.ID, Position: op.Position, Message: string(op.ID) + " is another one in the store"})
		case store.Delete:
			errs = append(errs, &dovetail.Error{Code: dovetail.CodeConflict, Key: op.ID, Position: op.Position, Message: string(op.ID) + " is in the store only"})
		default:
		}
	}
	return errs
}
