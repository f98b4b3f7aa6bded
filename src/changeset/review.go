package changeset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// maxReviews bounds the reviews of a change set.
const maxReviews = 1000

// Review adds what the principal says about an open change set. An approval is about the operations as they are: an edit voids
// it.
func (c *ChangeSets) Review(ctx context.Context, name string, decision api.Decision, comment string, options store.Options) (*Shown, error) {
	if len(comment) > store.MaxMessage {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("the comment has %d bytes; it may have %d", len(comment), store.MaxMessage), Remedy: "shorten it"}
	}
	if decision == api.Comment && comment == "" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the comment is empty", Remedy: "say something"}
	}
	return c.edit(ctx, name, options, func(cs *changeSet) ([]store.Operation, error) {
		if len(cs.Reviews) == maxReviews {
			return nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Key: cs.id(), Message: fmt.Sprintf("the change set has %d reviews already", maxReviews),
				Remedy: "continue in a new change set"}
		}
		seal, err := cs.seal()
		if err != nil {
			return nil, err
		}
		who := principal(ctx)
		cs.Reviews = append(cs.Reviews, Review{By: who.Name, Groups: who.Groups, Decision: decision, Comment: comment, Time: c.now(), Digest: cs.Digest, Seal: seal})
		cs.sealed = seal
		return nil, nil
	}, api.ChangeSetOpen)
}

// sealReviewed seals a change set that has reviews, with the operations that were read.
func (cs *changeSet) sealReviewed() (err error) {
	if len(cs.Reviews) > 0 {
		cs.sealed, err = cs.seal()
	}
	return err
}

// isCurrent reports whether a review is about the operations as they are. In a list, which does not read them, it goes by their numbers.
func (cs *changeSet) isCurrent(r Review) bool {
	return r.Digest == cs.Digest && (cs.sealed == "" || r.Seal == cs.sealed)
}

// current returns, by reviewer, the latest decision on the operations as they are.
func (cs *changeSet) current() []Review {
	var latest []Review
	for _, r := range cs.Reviews {
		if !cs.isCurrent(r) || r.Decision == api.Comment {
			continue
		}
		latest = append(slices.DeleteFunc(latest, func(o Review) bool { return o.By == r.By }), r)
	}
	return latest
}

// approvals says of each protection that covers one of the operations who has approved. Those who staged something do not count.
func (cs *changeSet) approvals(operations []*operation, protections []dovetail.Protection) []api.Approvals {
	all := []api.Approvals{}
	for _, p := range protections {
		if !slices.ContainsFunc(operations, func(op *operation) bool { return p.Covers(op.ID) }) {
			continue
		}
		a := api.Approvals{On: p.On, Approvals: p.Approvals, By: p.By, Message: p.Message, ApprovedBy: []string{}}
		for _, r := range cs.current() {
			if r.Decision == api.Approve && !slices.Contains(cs.Authors, r.By) && p.Counts(&dovetail.Principal{Name: r.By, Groups: r.Groups}) {
				a.ApprovedBy = append(a.ApprovedBy, r.By)
			}
		}
		a.Missing = max(0, p.Approvals-len(a.ApprovedBy))
		all = append(all, a)
	}
	return all
}

// waitsFor reports whether a change set waits for the review of the principal: it is open, others wrote it, they may review it, can read
// something that is staged, and have not decided on that as it is. Where protections cover it, one of them must lack an approval that
// theirs would be.
func (c *ChangeSets) waitsFor(ctx context.Context, cs *changeSet) (bool, error) {
	who := principal(ctx)
	if who.Name == "" || cs.State != api.ChangeSetOpen || cs.Author == who.Name || slices.Contains(cs.Authors, who.Name) ||
		slices.ContainsFunc(cs.current(), func(r Review) bool { return r.By == who.Name }) {
		return false, nil
	}
	if may, err := c.store.Allowed(ctx, dovetail.RightUpdate, cs.id()); err != nil || !may {
		return false, err
	}
	some, _ := c.readable(ctx, cs.operations)
	protections := cs.approvals(some, c.options.Protections(ctx))
	counts := func(a api.Approvals) bool {
		p := dovetail.Protection{By: a.By}
		return a.Missing > 0 && p.Counts(who)
	}
	return len(some) > 0 && (len(protections) == 0 || slices.ContainsFunc(protections, counts)), nil
}

// rejectedBy returns who rejects the operations as they are.
func (cs *changeSet) rejectedBy() []string {
	names := []string{}
	for _, r := range cs.current() {
		if r.Decision == api.Reject {
			names = append(names, r.By)
		}
	}
	return names
}

// approved returns an error unless all approvals are there and no reviewer rejects it.
func (cs *changeSet) approved(protections []dovetail.Protection) error {
	var errs dovetail.Errors
	add := func(message, remedy string) {
		errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Reason: api.ReasonApprovalsMissing, Key: cs.id(), Message: message, Remedy: remedy})
	}
	for _, a := range cs.approvals(cs.operations, protections) {
		if a.Missing > 0 {
			by := "users other than its authors"
			if len(a.By) > 0 {
				by = strings.Join(a.By, ", ")
			}
			remedy := "ask " + by + " for an approval"
			if a.Message != "" {
				remedy += ": " + a.Message
			}
			add(fmt.Sprintf("%s: %d of the approvals that are needed (%d) are missing", strings.Join(a.On, ", "), a.Missing, a.Approvals), remedy)
		}
	}
	for _, name := range cs.rejectedBy() {
		add(fmt.Sprintf("%q rejected the change set", name), "edit it, or ask for an approval")
	}
	if errs.Total() == 0 {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: api.ReasonApprovalsMissing, Key: cs.id(), Message: "the change set " + cs.name + " is not approved", Errors: errs.Kept()}
}
