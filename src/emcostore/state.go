package emcostore

import (
	"context"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// tagState is the tag of the history of a lifecycle. EMCO's services decide on states; the state of the document follows what they store.
const tagState = "stateInfo"

// follow does the actions that lead a document to a state, and returns it as it is then. Each is a transaction: if one is refused, those
// before it stay, and inserting the stateInfo again continues from there.
func (d *database) follow(ctx context.Context, kind *schema.Kind, doc *dovetail.Document, state string) (*dovetail.Document, error) {
	if kind.Lifecycle == nil || state == "" {
		return doc, nil
	}
	is := store.StateOf(kind, doc)
	actions, reachable := actionsTo(kind.Lifecycle, is, state)
	if !reachable {
		return nil, dovetail.Errorf(dovetail.CodeUnprocessable, "%s is in the state %s, from which no action of a %s leads to %s", doc.ID, is, kind.Name, state)
	}
	for _, action := range actions {
		if _, err := d.documents.Apply(ctx, []store.Operation{store.NewAction(doc.ID, action, nil).IfVersion(doc.ETag())}, store.Options{}); err != nil {
			return nil, err
		}
		var err error
		if doc, err = d.documents.Get(ctx, doc.ID); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// actionsTo finds the shortest way of actions from one state to another, of several the first by name. How far a worker is with an action is
// not known: EMCO's services carry them out themselves.
func actionsTo(l *schema.Lifecycle, from, to string) (actions []string, reachable bool) {
	ways := map[string][]string{from: nil}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		if next[0] == to {
			return ways[to], true
		}
		for _, action := range l.Actions {
			transition := action.Next(schema.Standing{State: next[0]})
			if transition == nil || transition.To == "" || action.Restores != nil {
				continue
			}
			if _, seen := ways[transition.To]; !seen {
				ways[transition.To] = append(slices.Clone(ways[next[0]]), action.Name)
				next = append(next, transition.To)
			}
		}
	}
	return nil, false
}

// checkWork refuses a kind whose actions wait for workers of Dovetail, while the services store what has become of them.
func checkWork(kind *schema.Kind) error {
	if kind.Lifecycle == nil || !emco.Holds(kind, tagState) {
		return nil
	}
	for _, action := range kind.Lifecycle.Actions {
		if action.Work {
			return fmt.Errorf("the action %s of a %s is for a worker, and EMCO's services carry it out themselves: take \"work: true\" from it in the ref-schema", action.Name, kind.Name)
		}
	}
	return nil
}

// renewStatus takes the stateInfo over into the status that a document has now.
func renewStatus(parts *emco.Parts, doc *dovetail.Document) error {
	now, err := partsOf(doc)
	if err != nil || now.Status == nil {
		return err
	}
	now.Status.Set(tagState, parts.Status.Get(tagState))
	parts.Status = now.Status
	return nil
}
