package changeset

import (
	"context"
	"fmt"
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The problems of change sets.
const (
	ProblemOperations = "change-set-operations" // the change set counts other operations than it has
	ProblemTwice      = "change-set-twice"      // two operations stage the same document
	ProblemUnreadable = "change-set-unreadable" // the change set, or one of its operations, cannot be read
)

// Rules returns what the service knows of its documents.
func Rules() store.Service { return store.Service{Holders: Holders(), Verify: verify} }

// verify finds change sets that do not fit their operations.
func verify(ctx context.Context, then *store.Store) iter.Seq2[store.Defect, error] {
	return func(yield func(store.Defect, error) bool) {
		ctx := own(ctx)
		for doc, err := range then.Documents(ctx, store.ListQuery{Kind: Kind}) {
			if err != nil {
				yield(store.Defect{}, err)
				return
			}
			defects, err := defectsOf(ctx, then, doc)
			if err != nil {
				yield(store.Defect{}, err)
				return
			}
			for _, d := range defects {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

// defectsOf returns what is wrong with the change set of a document.
func defectsOf(ctx context.Context, then *store.Store, doc *dovetail.Document) (defects []store.Defect, err error) {
	found := func(problem string, id dovetail.ID, repair []store.Operation, format string, args ...any) {
		defects = append(defects, store.Defect{Finding: store.Finding{Problem: problem, ID: id, Message: fmt.Sprintf(format, args...)}, Repair: repair})
	}
	cs, err := read(doc)
	if err != nil {
		found(ProblemUnreadable, doc.ID, nil, "%v; delete it", err)
		return defects, nil
	}
	if len(doc.Status) == 0 {
		return nil, nil // not made by this service
	}
	last, staged := 0, make(map[dovetail.ID]bool)
	for doc, err := range then.Documents(ctx, store.ListQuery{Under: cs.id(), Kind: KindOperation}) {
		if err != nil {
			return nil, err
		}
		op, err := readOperation(doc)
		if err != nil {
			found(ProblemUnreadable, doc.ID, nil, "%v; close or delete the change set", err)
			continue
		}
		if op == nil {
			continue
		}
		if staged[op.ID] {
			found(ProblemTwice, doc.ID, nil, "the change set %s stages %s twice; drop it with `dovetail changeset drop %s %s`, and stage it again", cs.name, op.ID, cs.name, op.ID)
		}
		staged[op.ID], last = true, max(last, op.number)
		cs.operations = append(cs.operations, op)
	}
	if cs.Operations == len(cs.operations) && cs.Digest == digest(cs.operations) && cs.Last >= last {
		return defects, nil
	}
	counted := cs.Operations
	cs.Operations, cs.Digest, cs.Last = len(cs.operations), digest(cs.operations), max(cs.Last, last)
	repair, err := cs.statusOperation()
	found(ProblemOperations, doc.ID, []store.Operation{repair},
		"the change set %s counts %d operations up to number %d, and has %d up to %d; a repair counts them again, and reviews do not hold any more", cs.name, counted, cs.Last, len(cs.operations), last)
	return defects, err
}
