package changeset

import (
	"context"
	"encoding/json"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Holders say what becomes of change sets in a migration. What one that is not merged stages is rewritten as documents are, and its base
// becomes the store as the migration leaves it. Approvals are of other content then. Where something that is staged cannot be
// rewritten, the migration is refused, unless the change set is closed.
func Holders() map[string]store.Holder {
	return map[string]store.Holder{Kind: migrateChangeSet, KindOperation: migrateOperation}
}

func migrateChangeSet(doc *dovetail.Document, h store.Holding) (json.RawMessage, error) {
	cs, err := read(doc)
	if err != nil || len(doc.Status) == 0 || cs.State == api.ChangeSetMerged {
		return nil, err
	}
	next := status{Base: "", Since: h.Next, Proposal: cs.Proposal}
	members := []string{"base", "since"}
	if next.Proposal != nil {
		next.Proposal.Digest = "" // of a branch with other files
		members = append(members, "proposal")
	}
	return withMembers(doc, next, members...)
}

func migrateOperation(doc *dovetail.Document, h store.Holding) (json.RawMessage, error) {
	op, err := readOperation(doc)
	if err != nil || op == nil {
		return nil, err
	}
	of, err := h.Get(doc.ID.Key()[:1].ID())
	if err != nil {
		return nil, err
	}
	cs, err := read(of)
	if err != nil || cs.State == api.ChangeSetMerged {
		return nil, err
	}
	for _, state := range []**dovetail.Document{&op.Base, &op.Document} {
		if *state == nil {
			continue
		}
		made, err := h.Rewrite(*state)
		if err != nil {
			return nil, cs.notRewritable(op, err)
		}
		*state, op.ID, op.Kind = made, made.ID, made.Kind
	}
	return withMembers(doc, op, "id", "kind", "base", "document")
}

// notRewritable is the error of a migration that cannot rewrite what an open change set stages. What a closed one stages stays as it is.
func (cs *changeSet) notRewritable(op *operation, err error) error {
	if cs.State == api.ChangeSetClosed {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Key: op.ID, Message: "the open change set " + cs.name + " stages " + string(op.ID) + ", which cannot be rewritten: " +
		dovetail.AsError(err).Message, Remedy: "drop that from the change set, or merge, close or delete the change set first", Err: err}
}

// withMembers returns the status of a document with some members of another one.
func withMembers(doc *dovetail.Document, from any, names ...string) (json.RawMessage, error) {
	all, err := value.StatusOf(doc)
	if err != nil {
		return nil, corrupt(doc, err)
	}
	given, err := value.FromAny(from)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if v := given.Get(name); v != nil {
			all.Set(name, v)
		} else {
			all.Delete(name)
		}
	}
	return all.JSON(), nil
}

// unknownBase stands for a base that the history no longer reaches back to.
const unknownBase store.Cursor = "expired"

// settleBase gives a change set that was migrated the position of its base.
func (c *ChangeSets) settleBase(ctx context.Context, cs *changeSet) error {
	if cs.Since == "" {
		return nil
	}
	since, err := c.store.InForceSince(ctx, cs.Since)
	if dovetail.CodeOf(err) == dovetail.CodeExpired {
		since, err = unknownBase, nil
	}
	cs.Base, cs.Since = since, ""
	return err
}
