package cli

import (
	"context"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// setLabel is the label of documents that belong to a set, which is applied and pruned together.
const setLabel = "dovetail.dev/set"

// The values of --prune.
const (
	pruneNo   = "false"
	pruneYes  = "true"
	prunePlan = "plan"
)

// join puts the documents of operations into a set, and, with prune, adds operations that delete what belongs to the set and is not among them. All of
// it is one transaction. A document of another set is only taken with force. Errors: CodeConflict, with all documents of other sets.
func (o *applyOptions) join(ctx context.Context, st Store, operations []store.Operation) ([]store.Operation, error) {
	some, err := selector.ParseLabels(setLabel)
	if err != nil {
		return nil, err
	}
	var errs dovetail.Errors
	described := make(map[dovetail.ID]store.Operation, len(operations))
	joined := make([]store.Operation, 0, len(operations))
	for _, op := range operations {
		if op.Verb != store.Delete {
			described[op.ID] = op
		}
		if op.Verb == store.Put || op.Verb == store.Create || op.Verb == store.ApplyFields {
			if of, says := op.Data.At("metadata", "labels", setLabel).Str(); says && of != o.set {
				at := op.Data.At("metadata", "labels", setLabel).Position()
				at.File = op.Position.File
				errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Key: op.ID, Position: at,
					Message: string(op.ID) + " says that it belongs to the set " + of, Remedy: "take the label " + setLabel + " out, or give --set " + of})
			}
			op.Data = labelled(op.Data, o.set)
		}
		joined = append(joined, op)
	}
	gone := make(map[dovetail.ID]bool)
	for _, op := range operations {
		if op.Verb == store.Delete {
			gone[op.ID] = true
		}
	}
	for doc, err := range st.Documents(ctx, store.ListQuery{Labels: some}) {
		if err != nil {
			return nil, err
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			return nil, err
		}
		of, _ := data.At("metadata", "labels", setLabel).Str()
		op, is := described[doc.ID]
		switch {
		case is && of != o.set && !o.force:
			errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Key: doc.ID, Position: op.Position, Message: string(doc.ID) + " belongs to the set " + of,
				Remedy: "take it out of the files, or take it over with --force-conflicts"})
		case !is && of == o.set && o.prunes() && !gone[doc.ID]:
			joined = append(joined, store.Operation{Verb: store.Delete, ID: doc.ID, IfMatch: []dovetail.ETag{doc.ETag()}})
		}
	}
	return joined, errs.Err("the files describe documents of other sets")
}

// labelled returns data with the label of a set. What is no map stays, for the store to refuse.
func labelled(data *value.Value, set string) *value.Value {
	if data == nil || data.Kind != value.Map {
		return data
	}
	data = data.Clone()
	at := data
	for _, name := range []string{"metadata", "labels"} {
		next := at.Get(name)
		if next == nil || next.Kind == value.Null {
			next = value.NewMap()
			at.Set(name, next)
		}
		if next.Kind != value.Map {
			return data
		}
		at = next
	}
	at.Set(setLabel, value.NewString(set))
	return data
}

func (o *applyOptions) prunes() bool { return o.prune == pruneYes || o.prune == prunePlan }

// pruning checks the flags of sets.
func (o *applyOptions) pruning() (wrong string) {
	switch o.prune {
	case "", pruneNo, pruneYes:
	case prunePlan:
		o.dryRun = true
	default:
		return "--prune must be true, false or plan, not " + o.prune
	}
	if o.prunes() && strings.TrimSpace(o.set) == "" {
		return "--prune deletes what belongs to a set and is not in the files: name it with --set"
	}
	return ""
}
