package changeset

import (
	"context"
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// maxReviews bounds the reviews of a change set.
const maxReviews = 1000

// Review adds what the principal says about an open change set. An approval is about the operations as they are: an edit voids
// it.
func (c *ChangeSets) Review(ctx context.Context, name string, decision Decision, comment string, options store.Options) (*Shown, error) {
	if len(comment) > store.MaxMessage {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("the comment has %d bytes; it may have %d", len(comment), store.MaxMessage), Remedy: "shorten it"}
	}
	if decision == Comment && comment == "" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the comment is empty", Remedy: "say something"}
	}
	options.Request = fmt.Sprintf("review %s %s %s", name, decision, comment)
	return c.edit(ctx, name, options, func(cs *changeSet) ([]store.Operation, error) {
		if len(cs.Reviews) == maxReviews {
			return nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Key: cs.id(), Message: fmt.Sprintf("the change set has %d reviews already", maxReviews),
				Remedy: "continue in a new change set"}
		}
		who := principal(ctx)
		cs.Reviews = append(cs.Reviews, Review{By: who.Name, Groups: who.Groups, Decision: decision, Comment: comment, Time: c.now(), Digest: cs.Digest})
		return nil, nil
	}, Open)
}
