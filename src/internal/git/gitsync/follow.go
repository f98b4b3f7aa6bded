package gitsync

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/store"
)

// follow updates the store to the head of the clone, or the clone to the commit of the store when another
// process is ahead. It returns the record as it is then. Its writes carry the fence, if that is not nil. The
// caller holds changing.
func (a *Syncer) follow(ctx context.Context, fence *store.Condition) (*record, error) {
	for {
		r, err := a.record(ctx)
		if err == nil {
			a.now, err = a.outside(ctx)
		}
		switch {
		case err != nil:
			return nil, err
		case r.doc == nil:
			return nil, &dovetail.Error{Code: dovetail.CodeConflict, Key: a.recordID, Message: "the record of the attached instance repository is gone",
				Remedy: "restart the server; it then attaches the repository as for the first time"}
		case r.Head == a.repository.Head():
			return r, nil
		}
		to, err := a.step(ctx, r.Head)
		if err != nil {
			return nil, err
		}
		what, err := a.since(ctx, r.Head, to)
		if err != nil {
			return nil, err
		}
		if a.repository.Head() == r.Head { // the clone was behind
			return r, nil
		}
		for _, d := range r.Defects.First {
			if d.Refused {
				what.addFile(d.File)
			}
		}
		err = a.bring(ctx, r, what, to, fence)
		if err != nil && !isOvertaken(err) && !errors.Is(err, errEdited) {
			a.options.Report(Report{Head: r.Head, Defects: r.Defects.Total, Err: err})
			return nil, err
		}
	}
}

// since returns the region that differs between a commit and another one, "" for the head.
func (a *Syncer) since(ctx context.Context, commit, to string) (*region, error) {
	what := newRegion()
	if commit == "" {
		what.whole = true
		return what, nil
	}
	changed, err := a.repository.Changed(ctx, commit, to)
	if dovetail.CodeOf(err) == dovetail.CodeMissing {
		if err := a.pull(ctx); err != nil {
			return nil, err
		}
		changed, err = a.repository.Changed(ctx, commit, to)
		if dovetail.CodeOf(err) == dovetail.CodeMissing { // history was rewritten
			what.whole = true
			return what, nil
		}
	}
	if err != nil {
		return nil, err
	}
	var changing []dovetail.ID // whose files come or go
	for _, difference := range changed {
		if !a.ownPath(difference.Path) {
			continue
		}
		what.add(difference)
		if id := instancerepo.SharedFile(difference.Path); difference.InOne && id != "" {
			changing = append(changing, id)
		}
		if id := instancerepo.TemplateOf(difference.Path); id != "" {
			what.addDocument(id) // of which there may be a file, too
			if err := a.affected(ctx, what, id); err != nil {
				return nil, err
			}
		}
	}
	return what, a.naming(ctx, what, changing)
}

// bring brings the documents of a region and the record to a commit, "" for the head, in one transaction, in which the proposals that it
// merges are recorded. What the store cannot hold is a defect, and all else is brought. For the first time the store is attached, in several transactions.
func (a *Syncer) bring(ctx context.Context, r *record, what *region, to string, fence *store.Condition) error {
	if r.Head == "" {
		return a.attach(ctx, r, fence)
	}
	head := cmp.Or(to, a.repository.Head())
	m, err := a.merges(ctx, r.Head, head, what)
	if err != nil {
		return err
	}
	found, err := a.compared(ctx, what, head)
	if err != nil {
		return err
	}
	return a.write(ctx, r, found, m, fence)
}

// compared compares a region of a commit with the store, and widens it where a change has effects elsewhere. Of what is read only the
// differences are kept.
func (a *Syncer) compared(ctx context.Context, what *region, head string) (*comparison, error) {
	all := &comparison{what: what, head: head, read: &surveyed{}}
	err := a.eachPortion(ctx, what, head, func(portion *comparison) error {
		all.operations = append(all.operations, portion.operations...)
		all.read.defects = append(all.read.defects, portion.read.defects...)
		return nil
	})
	return all, err
}

// write makes the store say what was found, and records it, in one transaction, with the proposals that are merged. What the store cannot
// hold is a defect, and all else is written.
func (a *Syncer) write(ctx context.Context, r *record, found *comparison, m *merges, fence *store.Condition) error {
	next, err := a.transact(ctx, r, found, m, fence, func() state { return r.next(found.what, found.head, found.read) })
	if err == nil {
		a.tell(r, found.what, *next, len(found.operations))
	}
	return err
}

// transact does what was found and records the next state, which knows what of it was refused.
func (a *Syncer) transact(ctx context.Context, r *record, found *comparison, m *merges, fence *store.Condition, next func() state) (*state, error) {
	for {
		state := next()
		recording, err := r.write(state, a.inputs)
		if err != nil {
			return nil, err
		}
		options := store.Options{Fence: fence, Origin: originOf(found.head), Approved: m.approved()}
		if r.Head == "" { // the operator attaches it, and what it has is what is protected from then on
			options.Approved = append(options.Approved, idsOf(found.operations)...)
		}
		if ending := m.ending(); len(ending) > 0 {
			options.Managed = true
			if options.Message, err = a.messageOf(found.head); err != nil {
				return nil, err
			}
		}
		_, err = a.store.Apply(ctx, slices.Concat(found.operations, []store.Operation{recording}, m.ending()), options)
		switch {
		case err == nil:
			return &state, nil
		case isOvertaken(err):
			return nil, err
		case m.isEdited(err):
			return nil, errEdited
		}
		rest, refused := withoutRefused(found.operations, err)
		if refused == nil {
			return nil, err
		}
		found.operations = rest
		found.read.refused = append(found.read.refused, refused...)
		if err := m.without(refused, found.head); err != nil {
			return nil, err
		}
	}
}

func idsOf(operations []store.Operation) []dovetail.ID {
	ids := make([]dovetail.ID, len(operations))
	for i, op := range operations {
		ids[i] = op.ID
	}
	return ids
}

// messageOf is the message of a commit, as its transaction keeps it.
func (a *Syncer) messageOf(commit string) (string, error) {
	message, err := a.repository.Message(commit)
	return keptMessage(message), err
}

// widened widens a region when documents came or went, in a part of it, on which others depend.
func (a *Syncer) widened(ctx context.Context, what, part *region, read *surveyed, have map[dovetail.ID]*dovetail.Document) error {
	if what.whole {
		return nil
	}
	for _, id := range sortedIDs(have) {
		if read.byID[id] == nil && part.holds(id) {
			if err := a.affected(ctx, what, id); err != nil {
				return err
			}
		}
	}
	for _, d := range read.documents {
		if have[d.ID] == nil {
			if err := a.affected(ctx, what, d.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutRefused leaves out the operations that a transaction was refused for, and returns why. It returns
// nil when the error is not about any of them.
func withoutRefused(operations []store.Operation, err error) (rest []store.Operation, refused []*dovetail.Error) {
	e := dovetail.AsError(err)
	parts := e.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{e}
	}
	out := make(map[int]bool)
	for _, part := range parts {
		if part.Index < 1 || part.Index > len(operations) {
			continue
		}
		out[part.Index] = true
		defect := *part
		defect.Index = 0
		defect.Position = operations[part.Index-1].Position
		defect.Position.Path = part.Position.Path
		refused = append(refused, &defect)
	}
	for i, op := range operations {
		if !out[i+1] {
			rest = append(rest, op)
		}
	}
	return rest, refused
}

// next is the state after a region was brought to a commit.
func (r *record) next(what *region, head string, read *surveyed) state {
	next := state{Head: head, Defects: defects{First: []defect{}}}
	if !what.whole {
		next.Defects.Total = r.Defects.Total
		for _, d := range r.Defects.First {
			if what.judges(d.Reason, d.File) {
				next.Defects.Total--
			} else {
				next.Defects.First = append(next.Defects.First, d)
			}
		}
	}
	next.Defects = next.Defects.with(read)
	return next
}

// tell reports what was brought.
func (a *Syncer) tell(r *record, what *region, next state, applied int) {
	for _, d := range next.Defects.First {
		if !slices.Contains(r.Defects.First, d) {
			a.options.Log.Warn("the instance repository has a defect", "reason", d.Reason, "file", d.File, "line", d.Line, "message", d.Message, "remedy", d.Remedy)
		}
	}
	a.options.Log.Info("the store follows the instance repository", "from", r.Head, "to", next.Head, "whole", what.whole, "documents", applied, "defects", next.Defects.Total)
	a.options.Report(Report{Head: next.Head, Applied: applied, Defects: next.Defects.Total})
}
