package gitsync

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/gitrepo"
	"github.com/dovetail-store/dovetail/src/store"
)

// follow updates the store to the head of the clone, or the clone to the commit of the store when another
// process is ahead. It returns the record as it is then. Its writes carry the fence, if that is not nil. The
// caller holds changing.
func (a *Syncer) follow(ctx context.Context, fence *store.Condition) (*record, error) {
	for {
		r, err := a.record(ctx)
		switch {
		case err != nil:
			return nil, err
		case r.doc == nil:
			return nil, &dovetail.Error{Code: dovetail.CodeConflict, Key: recordID, Message: "the record of the attached instance repository is gone",
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
	for _, path := range changed {
		what.addFile(path)
	}
	return what, err
}

// bring brings the documents of a region and the record to a commit, "" for the head, in one transaction, in which the proposals that it
// merges are recorded. What the store cannot hold is a defect, and all else is brought.
func (a *Syncer) bring(ctx context.Context, r *record, what *region, to string, fence *store.Condition) error {
	head := cmp.Or(to, a.repository.Head())
	m, err := a.merges(ctx, r.Head, head, what)
	if err != nil {
		return err
	}
	found, err := a.compared(ctx, what, head)
	if err != nil {
		return err
	}
	if r.Head == "" && !a.options.Replace {
		if err := refuseToOverwrite(found.operations); err != nil {
			return err
		}
	}
	return a.write(ctx, r, found, m, fence)
}

// comparison is what a region of a commit says, and the operations that make the store say it.
type comparison struct {
	what       *region
	head       string
	read       *surveyed
	operations []store.Operation
}

// compared compares a region of a commit with the store, and widens it as compare does.
func (a *Syncer) compared(ctx context.Context, what *region, head string) (*comparison, error) {
	read, have, err := a.compare(ctx, what, head)
	if err != nil {
		return nil, err
	}
	operations, err := what.differences(read, have)
	return &comparison{what, head, read, operations}, err
}

// write makes the store say what was found, and records it, in one transaction, with the proposals that are merged. What the store cannot
// hold is a defect, and all else is written.
func (a *Syncer) write(ctx context.Context, r *record, found *comparison, m *merges, fence *store.Condition) error {
	what, head, read, operations := found.what, found.head, found.read, found.operations
	for {
		next := r.next(what, head, read)
		recording, err := r.write(next, a.inputs)
		if err != nil {
			return err
		}
		options := store.Options{Fence: fence, Origin: originOf(head), Approved: m.approved()}
		if ending := m.ending(); len(ending) > 0 {
			options.Managed = true
			if options.Message, err = a.messageOf(head); err != nil {
				return err
			}
		}
		_, err = a.store.Apply(ctx, slices.Concat(operations, []store.Operation{recording}, m.ending()), options)
		if err == nil {
			a.tell(r, what, next, len(operations))
			return nil
		}
		switch {
		case isOvertaken(err):
			return err
		case m.isEdited(err):
			return errEdited
		}
		var refused []*dovetail.Error
		if operations, refused = withoutRefused(operations, err); refused == nil {
			return err
		}
		read.refused = append(read.refused, refused...)
		if err := m.without(refused, head); err != nil {
			return err
		}
	}
}

// messageOf is the message of a commit, as its transaction keeps it.
func (a *Syncer) messageOf(commit string) (string, error) {
	message, err := a.repository.Message(commit)
	return keptMessage(message), err
}

// compare surveys a region of a commit and reads what the store has of it. It widens the region where a change has
// effects elsewhere.
func (a *Syncer) compare(ctx context.Context, what *region, commit string) (*surveyed, map[dovetail.ID]*dovetail.Document, error) {
	for {
		files := filesOf(a.repository.FilesAt(ctx, commit, what.part()))
		if what.isEmpty() {
			files = filesOf(func(func(gitrepo.File, error) bool) {})
		}
		read, err := what.survey(files, a.options.Keys)
		if err != nil {
			return nil, nil, err
		}
		have, err := a.stored(ctx, what, read)
		if err != nil {
			return nil, nil, err
		}
		wider, err := a.widened(ctx, what, read, have)
		if err != nil || !wider {
			return read, have, err
		}
	}
}

// widened widens a region when documents came or went on which others depend, and says whether it did.
func (a *Syncer) widened(ctx context.Context, what *region, read *surveyed, have map[dovetail.ID]*dovetail.Document) (bool, error) {
	if what.whole {
		return false, nil
	}
	before := len(what.environments)
	for _, e := range what.list() {
		if read.byID[e.ID()] == nil && have[e.ID()] != nil {
			what.whole = true // the folder of its cluster may have gone with it
			return true, nil
		}
	}
	for _, id := range sortedIDs(have) {
		if read.byID[id] == nil && what.holds(id) {
			if err := a.affected(ctx, what, id); err != nil {
				return false, err
			}
		}
	}
	for _, d := range read.documents {
		if have[d.ID] == nil {
			if err := a.affected(ctx, what, d.ID); err != nil {
				return false, err
			}
		}
	}
	return len(what.environments) > before, nil
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

// refuseToOverwrite refuses, when a repository is attached for the first time, what would change documents
// that the store has.
func refuseToOverwrite(operations []store.Operation) error {
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
	if len(errs) == 0 {
		return nil
	}
	const shown = 20
	return &dovetail.Error{Code: dovetail.CodeConflict, Errors: errs[:min(len(errs), shown)], Message: "the instance repository and the store differ, and would lose what only the store has",
		Remedy: "export the store into the repository and push that, or let the repository replace it with --instance-repo-first=replace"}
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
	for _, e := range read.defects {
		next.Defects.First = append(next.Defects.First, defectOf(e))
	}
	for _, e := range read.refused {
		d := defectOf(e)
		d.Refused = true
		next.Defects.First = append(next.Defects.First, d)
	}
	next.Defects.Total += len(read.defects) + len(read.refused)
	slices.SortStableFunc(next.Defects.First, compareDefects)
	next.Defects.First = next.Defects.First[:min(len(next.Defects.First), maxDefects)]
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
