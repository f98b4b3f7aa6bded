package store

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonChangedSince is the reason of the parts of an error that name what was changed since the transaction that is to be
// reverted, each at the path of a value.
const ReasonChangedSince = "CHANGED_SINCE"

// Revert undoes a transaction by another one: what it created is deleted, what it deleted is created again, with the
// status that it had and a new uid, and what it updated gets its data and files back; status, which belongs to services,
// stays. What was changed since is merged value by value; where both changed the same value the revert is refused with
// CodeConflict, and parts that name each. So is one that would leave anything dangling, with the errors of Apply. A revert is
// itself a transaction that can be reverted.
//
// The principal needs to see all of the transaction, and the rights of the operations. Errors besides: CodeExpired where the
// history does not reach back to before it, CodeInvalid if there is no such transaction.
func (s *Store) Revert(ctx context.Context, position Cursor, options Options) (*Result, error) {
	return s.RevertBy(ctx, s, position, nil, options)
}

// Applier applies operations: a Store, or what stands before one.
type Applier interface {
	Apply(ctx context.Context, operations []Operation, options Options) (*Result, error)
}

// RevertBy is Revert with the writes of another one, which sees to the documents of some kinds itself.
func (s *Store) RevertBy(ctx context.Context, by Applier, position Cursor, except []string, options Options) (*Result, error) {
	set, err := s.backend.Transaction(ctx, position)
	if err != nil {
		return nil, err
	}
	position = set.Cursor // which may have more than one text
	v := s.view(ctx)
	shown, some := v.transaction(set)
	switch all := slices.DeleteFunc(slices.Clone(set.Changes), func(c Change) bool { return isInternal(c.ID) }); {
	case !some:
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no transaction " + string(position) + " that may be read"}
	case len(shown.Changes) < len(all):
		return nil, notComplete(ctx)
	}
	if options.Message == "" {
		options.Message = "Revert " + string(position)
		if set.Message != "" {
			options.Message += ": " + set.Message[:min(len(set.Message), MaxMessage-len(options.Message)-2)]
		}
	}
	options.Request = cmp.Or(options.Request, "revert "+string(position))
	changes := slices.DeleteFunc(slices.Clone(shown.Changes), func(c Change) bool { return slices.Contains(except, c.Kind) })
	return s.restore(ctx, by, options, len(changes) < len(shown.Changes), func() ([]Operation, error) {
		return s.inverse(ctx, position, changes)
	})
}

// Rollback gives a document the data and files of an earlier version, or creates it again as it was: version is one of its
// history, "" the one before the last change. The errors are those of Revert, without conflicts: it is the whole of that
// version that counts.
func (s *Store) Rollback(ctx context.Context, id dovetail.ID, version string, options Options) (*Result, error) {
	return s.RollbackBy(ctx, s, id, version, options)
}

// RollbackBy is Rollback with the writes of another one.
func (s *Store) RollbackBy(ctx context.Context, by Applier, id dovetail.ID, version string, options Options) (*Result, error) {
	to, err := s.versionOf(ctx, id, version)
	if err != nil {
		return nil, err
	}
	if options.Message == "" {
		options.Message = "Roll back " + string(id) + " to version " + to.ETag().Version()
	}
	options.Request = "rollback " + string(id) + " " + version
	return s.restore(ctx, by, options, false, func() ([]Operation, error) {
		now, err := s.fetch(ctx, []dovetail.ID{id})
		if err != nil {
			return nil, err
		}
		op, err := operationTo(to, now[0])
		return []Operation{op}, err
	})
}

// versionOf returns a version of a document; of "" that before the last change, deletions included.
func (s *Store) versionOf(ctx context.Context, id dovetail.ID, version string) (*dovetail.Document, error) {
	n := 0
	for v, err := range s.History(ctx, id) {
		if err != nil {
			return nil, err
		}
		if n++; v.Op == Deleted || version == "" && n == 1 {
			continue
		}
		if tag := (dovetail.ETag{UID: v.UID, Revision: v.Revision}); version != "" && tag.Version() != version {
			continue
		}
		if v.Document == nil {
			return nil, &dovetail.Error{Code: dovetail.CodeExpired, Key: id, Message: "what that version of " + string(id) + " said was erased",
				Remedy: "choose a later one"}
		}
		return v.Document, nil
	}
	if version == "" {
		return nil, &dovetail.Error{Code: dovetail.CodeExpired, Key: id, Message: "no version of " + string(id) + " before the last change is kept"}
	}
	return nil, &dovetail.Error{Code: dovetail.CodeExpired, Key: id, Message: "no version " + version + " of " + string(id) + " is kept",
		Remedy: "look at the history of the document for those that are"}
}

// restore applies operations that are computed from what there is now, again where another writer came first. It applies none where there are
// none, unless there is more to do.
func (s *Store) restore(ctx context.Context, by Applier, options Options, more bool, operations func() ([]Operation, error)) (*Result, error) {
	if options.Key != "" && !options.DryRun { // what was done must not be computed again: nothing is left to be undone
		if done, err := s.Replay(ctx, nil, options); done != nil || err != nil {
			return done, err
		}
	}
	var result *Result
	err := Transact(ctx, func() error {
		made, err := operations()
		if err != nil {
			return err
		}
		if len(made) == 0 && !more {
			result = &Result{Outcomes: []Outcome{}}
			return nil
		}
		if result, err = by.Apply(ctx, made, options); IsConflict(err) {
			return Retry(err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// inverse returns the operations that undo changes.
func (s *Store) inverse(ctx context.Context, position Cursor, changes []Change) ([]Operation, error) {
	all, created := make([]reconciliation, len(changes)), make(map[string]bool) // of kinds
	for i, c := range changes {
		before, after, err := s.around(ctx, position, c.ID)
		if err != nil {
			return nil, err
		}
		now, err := s.fetch(ctx, []dovetail.ID{c.ID})
		if err != nil {
			return nil, err
		}
		all[i] = reconciliation{id: c.ID, authored: s.config.Author[c.Kind] != nil, base: after, target: before, now: now[0], words: &revertWords}
		if before != nil && now[0] == nil {
			created[c.Kind] = true
		}
	}
	var operations []Operation
	var conflicts dovetail.Errors
	for i, c := range changes {
		r := &all[i]
		r.moves = created[c.Kind]
		op, err := r.operation()
		if err != nil {
			return nil, err
		}
		for _, found := range r.conflicts {
			conflicts.Add(&dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonChangedSince, Key: c.ID, Message: found.Message,
				Position: dovetail.Position{Path: found.Path}})
		}
		if op != nil {
			operations = append(operations, *op)
		}
	}
	if kept := conflicts.Kept(); len(kept) > 0 {
		err := &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonChangedSince, Errors: kept,
			Message: "values of the transaction have been changed since", Remedy: "revert the later changes first, or set these values yourself"}
		if omitted := conflicts.Omitted(); omitted > 0 {
			err.Total = len(kept) + omitted
		}
		return nil, err
	}
	return operations, nil
}

// around returns a document as it was before a transaction and after it, nil where it was not there.
func (s *Store) around(ctx context.Context, position Cursor, id dovetail.ID) (before, after *dovetail.Document, err error) {
	found := false
	for v, err := range s.History(ctx, id) {
		switch {
		case err != nil:
			return nil, nil, err
		case found && v.Op == Deleted:
			return nil, after, nil
		case found && v.Document == nil, v.Cursor == position && v.Op != Deleted && v.Document == nil:
			return nil, nil, erasedSince(id)
		case found:
			return v.Document, after, nil
		case v.Cursor == position:
			found, after = true, v.Document
			if v.Op == Created {
				return nil, after, nil
			}
		}
	}
	return nil, nil, erasedSince(id)
}

func erasedSince(id dovetail.ID) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeExpired, Key: id, Message: "what " + string(id) + " said before the transaction is no longer kept"}
}

// says reports whether two documents have the same data and files: a later revert may have created one again.
func says(a, b *dovetail.Document) bool { return bytes.Equal(a.Data, b.Data) && sameFiles(a, b) }

func sameFiles(a, b *dovetail.Document) bool {
	return slices.EqualFunc(a.Content, b.Content, equalFiles)
}

// textOf shows a value in a message, not more than a line of it.
func textOf(v *value.Value) string {
	if v == nil {
		return "absent"
	}
	const most = 80
	text := string(v.JSON())
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return text
}

// operationTo returns the operation that makes a document what it was in a version; now is what is there, nil if there is nothing.
func operationTo(then, now *dovetail.Document) (Operation, error) {
	data, err := value.DataOf(then, nil)
	if err != nil {
		return Operation{}, dovetail.AsError(err)
	}
	op := Operation{Verb: Put, ID: then.ID, Data: data, Content: slices.Clone(then.Content), earlier: true}
	if op.Content == nil {
		op.Content = []dovetail.File{}
	}
	author, err := authorIn(then)
	if err != nil {
		return Operation{}, dovetail.AsError(err)
	}
	op.author = &author
	if now != nil {
		op.IfMatch = []dovetail.ETag{now.ETag()}
		op.FieldManagers, err = managersThen(then, now)
		return op, err
	}
	op.Verb = Create
	if len(then.Status) > 0 {
		status, err := value.StatusOf(then)
		if err != nil {
			return Operation{}, dovetail.AsError(err)
		}
		op.Status, op.Inputs = status, then.Inputs
	}
	return op, nil
}
