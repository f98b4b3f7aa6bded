package store

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/fieldmanager"
	"github.com/dovetail-store/dovetail/src/value"
)

// reconciliation takes a document from what it is now to a target, with what was changed since a base: a revert to what it
// was before a transaction, since the transaction, and a merge to what was staged, since it was staged. Nil is a document that
// does not exist.
type reconciliation struct {
	id                dovetail.ID
	base, target, now *dovetail.Document
	resolve           map[string]api.Take // decides conflicts, by path
	words             *conflictWords
	authored          bool // whether the status has the author of the data, which follows these
	status            bool // whether the status is merged, too
	moves             bool // whether others create documents of its kind, one of which may be this one under another id

	conflicts []MergeConflict
}

// conflictWords are the messages of conflicts. Those of values take the path, and the value now, at the base and of the target.
type conflictWords struct{ deletes, again, moved, creates, gone, files, value string }

var (
	revertWords = conflictWords{
		deletes: "%s was changed since it was created, and would be deleted",
		again:   "%s was deleted and created again since it was created, and would be deleted",
		moved:   "%s was deleted or renamed since it was created, and what the transaction deleted would come back beside it",
		creates: "%s was created again since it was deleted",
		gone:    "%s was deleted since it was changed",
		files:   "the files of %s were changed since",
		value:   "%s is %s now; the transaction changed it from %[4]s to %[3]s",
	}
	mergeWords = conflictWords{
		deletes: "%s was changed since its deletion was staged",
		again:   "%s was deleted and created again in the store since its deletion was staged",
		moved:   "%s was deleted or renamed in the store since its deletion or rename was staged",
		creates: "%s was created in the store since it was staged",
		gone:    "%s was deleted in the store since it was staged",
		files:   "the files of %s were changed since they were staged",
		value:   "%s is %s now; it was %s, and is staged as %s",
	}
)

// managedWords are those of a merge of documents that a service manages.
var managedWords = conflictWords{
	deletes: "%s" + madeAgain, again: "%s" + madeAgain, moved: "%s" + madeAgain, creates: "%s" + madeAgain, gone: "%s" + madeAgain, files: "%s" + madeAgain,
	value: "%s is %s now; it was %s, and is staged as %s: a service has made it again since; stage the requests to that service again, in another change set",
}

const madeAgain = " was made by its service again since it was staged: stage the requests to that service again, in another change set"

// operation returns what is to be done, nil if there is nothing. What is a conflict is left as it is now.
func (r *reconciliation) operation() (*Operation, error) {
	switch {
	case r.target == nil && r.now == nil: // deleted since
		if r.base != nil && r.moves && r.resolve[""] != api.TakeStaged {
			r.conflict(r.words.moved)
		}
		return nil, nil
	case r.target == nil:
		switch {
		case r.base == nil || !says(r.now, r.base):
			if !r.decided(r.words.deletes) {
				return nil, nil
			}
		case r.status && r.now.UID != r.base.UID: // a revert may have brought back what another one deletes
			if !r.decided(r.words.again) {
				return nil, nil
			}
		}
		return &Operation{Verb: Delete, ID: r.id, IfMatch: []dovetail.ETag{r.now.ETag()}, exact: true}, nil
	case r.base == nil && r.now == nil:
		return r.whole()
	case r.base == nil:
		if says(r.now, r.target) || !r.decided(r.words.creates) {
			return nil, nil
		}
		return r.whole()
	case r.now == nil:
		if !r.decided(r.words.gone) {
			return nil, nil
		}
		return r.whole()
	}
	return r.merge()
}

// whole returns the operation that makes the document what the target is, whatever there is now.
func (r *reconciliation) whole() (*Operation, error) {
	op, err := operationTo(r.target, r.now)
	if err != nil {
		return nil, err
	}
	op.earlier = !r.status
	if r.status && r.now != nil {
		if op.Status, op.Inputs, err = statusOf(r.target); err != nil {
			return nil, err
		}
	}
	return &op, nil
}

// decided reports whether the target counts although the document was changed since: as a conflict it does not.
func (r *reconciliation) decided(message string) bool {
	take := r.resolve[""]
	if take == "" {
		r.conflict(message)
	}
	return take == api.TakeStaged
}

// conflict adds one of the document as a whole.
func (r *reconciliation) conflict(message string) {
	r.conflicts = append(r.conflicts, MergeConflict{ID: r.id, Message: fmt.Sprintf(message, r.id)})
}

// merge returns the operation that gives the document the values of the target, and keeps those that were changed since.
func (r *reconciliation) merge() (*Operation, error) {
	data, status, err := r.mergeValues()
	if err != nil {
		return nil, err
	}
	op := &Operation{Verb: Put, ID: r.id, Data: data, Status: status, IfMatch: []dovetail.ETag{r.now.ETag()}, earlier: !r.status}
	author, err := authorIn(r.target)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	op.author = &author
	switch {
	case sameFiles(r.target, r.base), sameFiles(r.target, r.now):
	case !sameFiles(r.base, r.now) && !r.decided(r.words.files):
	default:
		op.Content = slices.Clone(r.target.Content)
		if op.Content == nil {
			op.Content = []dovetail.File{}
		}
	}
	if op.FieldManagers, err = r.managers(data); err != nil {
		return nil, err
	}
	if !r.status {
		return op, nil
	}
	now, err := value.DataOf(r.now, nil)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	if op.Status != nil {
		op.Inputs = r.inputs()
	}
	switch {
	case !value.Equal(now, data):
	case op.Status != nil && op.Status.Kind != value.Null:
		op.Verb, op.Data, op.Status = PutStatus, op.Status, nil
	case op.Status == nil && op.Content == nil:
		return nil, nil
	}
	return op, nil
}

// managers are who set which fields of the document once it has the data. Nothing was changed since the base: those of the target. Else a
// revert gives back what it changes to who had it; nil says that it belongs to who merges.
func (r *reconciliation) managers(data *value.Value) (*value.Value, error) {
	var of [3]*value.Value
	for i, doc := range []*dovetail.Document{r.base, r.now, r.target} {
		var err error
		if of[i], err = ManagedFields(doc); err != nil {
			return nil, err
		}
	}
	switch {
	case value.Equal(of[0], of[1]) && bytes.Equal(r.base.Data, r.now.Data):
		return managersThen(r.target, r.now)
	case r.status || of[1] == nil:
		return nil, nil
	}
	entries, err := fieldmanager.Parse(of[1])
	if err != nil {
		return nil, err
	}
	then, err := fieldmanager.Parse(of[2])
	if err != nil {
		return nil, err
	}
	now, err := value.DataOf(r.now, nil)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	return fieldmanager.Restore(now, data, entries, then, fieldmanager.Entry{Manager: DefaultFieldManager}).Value(), nil
}

// managersThen returns who set which fields of an earlier or staged document that a present one becomes: null for no manager.
func managersThen(then, now *dovetail.Document) (*value.Value, error) {
	managers, err := ManagedFields(then)
	if err == nil && managers == nil && HasManagedFields(now.Status) {
		managers = value.NullValue()
	}
	return managers, err
}

// inputs are what a merged status was made from.
func (r *reconciliation) inputs() []dovetail.ID {
	if slices.Equal(r.base.Inputs, r.now.Inputs) {
		return r.target.Inputs
	}
	return union(r.target.Inputs, r.now.Inputs)
}

// statusMember stands for the status among the members of the data, which have none of that name.
const statusMember = "status"

// mergeValues merges data and, where it is to be, status, which is nil where it stays as it is now.
func (r *reconciliation) mergeValues() (data, status *value.Value, err error) {
	var read [3]*value.Value
	for i, doc := range []*dovetail.Document{r.base, r.now, r.target} {
		if read[i], err = r.values(doc); err != nil {
			return nil, nil, err
		}
	}
	merged, conflicts := value.MergeFunc(read[0], read[1], read[2], func(c value.Conflict) (*value.Value, bool) {
		switch r.resolve[c.Path] {
		case api.TakeStaged:
			return c.Yours, true
		case api.TakeNow:
			return c.Theirs, true
		}
		return nil, false
	})
	for _, c := range conflicts {
		r.conflicts = append(r.conflicts, MergeConflict{ID: r.id, Path: c.Path, Base: c.Base, Staged: c.Yours, Now: c.Theirs,
			Message: fmt.Sprintf(r.words.value, c.Path, textOf(c.Theirs), textOf(c.Base), textOf(c.Yours))})
	}
	if !r.status {
		return merged, nil, nil
	}
	status = merged.Get(statusMember)
	if value.Equal(status, read[1].Get(statusMember)) {
		return without(merged, statusMember), nil, nil
	}
	if status == nil {
		status = value.NullValue()
	}
	return without(merged, statusMember), status, nil
}

// values returns data and status as one value. Who set which fields, the author and the actor are no part of it: they follow the data.
func (r *reconciliation) values(doc *dovetail.Document) (*value.Value, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	if !r.status || len(doc.Status) == 0 {
		return data, nil
	}
	status, err := value.StatusOf(doc)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	if status.Kind == value.Map {
		if status = without(status, ManagedFieldsMember); r.authored {
			status = without(without(status, AuthorMember), ActorMember)
		}
		if len(status.Members) == 0 {
			return data, nil
		}
	}
	return value.NewMap(append(slices.Clone(data.Members), value.Member{Name: statusMember, Value: status})...), nil
}

// without returns a map without a member.
func without(of *value.Value, member string) *value.Value {
	return value.NewMap(slices.DeleteFunc(slices.Clone(of.Members), func(m value.Member) bool { return m.Name == member })...)
}

// statusOf returns the status and inputs of a document as an operation takes them: null for none.
func statusOf(doc *dovetail.Document) (*value.Value, []dovetail.ID, error) {
	if len(doc.Status) == 0 {
		return value.NullValue(), nil, nil
	}
	status, err := value.StatusOf(doc)
	if err != nil {
		return nil, nil, dovetail.AsError(err)
	}
	return status, doc.Inputs, nil
}
