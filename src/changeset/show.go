package changeset

import (
	"context"
	"encoding/base64"
	"slices"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Shown is a change set as a principal sees it.
type Shown struct {
	api.ChangeSet
	doc      *dovetail.Document
	repeated bool
}

// showProposal shows the proposal of a change set, nil if there is none.
func (c *ChangeSets) showProposal(cs *changeSet) *api.ChangeSetProposal {
	p := cs.Proposal
	if p == nil {
		return nil
	}
	shown := &api.ChangeSetProposal{Branch: p.Branch, Repository: p.Repository, Commit: p.Commit, By: p.By, Time: p.Time, Differs: p.Differs,
		Current: p.Digest == cs.Digest && p.Commit != "" && slices.Index(p.Commits, p.Commit) == len(p.Commits)-1}
	if c.options.Repositories != nil {
		if branches, err := c.options.Repositories.Named(p.Repository); err == nil {
			shown.Into = branches.Branch()
		}
	}
	return shown
}

// show returns a change set as the principal may see it, with its operations.
func (c *ChangeSets) show(ctx context.Context, cs *changeSet) (*Shown, error) {
	s := &Shown{doc: cs.doc, ChangeSet: api.ChangeSet{Name: cs.name, Title: cs.title, Description: cs.description, State: cs.State,
		Author: cs.Author, Authors: cs.Authors, Base: cs.Base, Created: cs.Created, Operations: []api.StagedOperation{},
		Total: cs.status.Operations, Reviews: []api.Review{}, Reverts: cs.Reverts, Proposal: c.showProposal(cs),
		Merged: cs.Merged, Closed: cs.Closed, Version: cs.doc.ETag().Version()}}
	if s.Authors == nil {
		s.Authors = []string{}
	}
	for _, r := range cs.Reviews {
		s.Reviews = append(s.Reviews, api.Review{By: r.By, Groups: r.Groups, Decision: r.Decision, Comment: r.Comment, Time: r.Time,
			Digest: r.Digest, Current: cs.isCurrent(r)})
	}
	reads := c.store.Readable(ctx)
	for _, op := range cs.operations {
		shown := op.shown()
		if reads != nil && !reads(op.Kind, op.ID) {
			shown.ID, shown.Kind = "", ""
			s.Unreadable++
		}
		s.Operations = append(s.Operations, shown)
	}
	if cs.Merged != nil {
		position, err := c.position(ctx, cs)
		if err != nil {
			return nil, err
		}
		merged := *cs.Merged
		merged.Position, s.Merged = position, &merged
	}
	return s, nil
}

// position is that of the transaction which merged a change set: the last that changed it. "" where it is not known any more.
func (c *ChangeSets) position(ctx context.Context, cs *changeSet) (store.Cursor, error) {
	for version, err := range c.store.History(own(ctx), cs.id()) {
		return version.Cursor, err
	}
	return "", nil
}

// Get returns a change set.
func (c *ChangeSets) Get(ctx context.Context, name string) (*Shown, error) {
	cs, err := c.load(ctx, name)
	if err != nil {
		return nil, err
	}
	return c.show(ctx, cs)
}

// Query selects change sets.
type Query struct {
	State  api.ChangeSetState // "" for all
	Author string             // "" for all
	Mine   bool               // only those that wait for the review of the principal
	Limit  int
	After  string // the name of the last one of the page before
}

// waits is waitsFor of a change set that was read without its operations.
func (c *ChangeSets) waits(ctx context.Context, cs *changeSet) (bool, error) {
	if cs.State != api.ChangeSetOpen {
		return false, nil
	}
	whole, err := c.load(ctx, cs.name)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound { // it was deleted meanwhile
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return c.waitsFor(ctx, whole)
}

// List returns the change sets that the principal may read.
func (c *ChangeSets) List(ctx context.Context, q Query) (*api.ChangeSets, error) {
	page, inner := &api.ChangeSets{Items: []api.ChangeSet{}}, store.ListQuery{Kind: Kind}
	if q.After != "" {
		id, err := idOf(q.After)
		if err != nil {
			return nil, err
		}
		inner.After = id
	}
	for doc, err := range c.store.Documents(ctx, inner) {
		if err != nil {
			return nil, err
		}
		cs, err := c.readSettled(ctx, doc)
		if err != nil {
			return nil, err
		}
		if q.State != "" && cs.State != q.State || q.Author != "" && cs.Author != q.Author {
			continue
		}
		if q.Mine {
			waits, err := c.waits(ctx, cs)
			if err != nil {
				return nil, err
			}
			if !waits {
				continue
			}
		}
		if len(page.Items) == q.Limit {
			page.Continue = base64.RawURLEncoding.EncodeToString([]byte(page.Items[q.Limit-1].Name))
			break
		}
		shown, err := c.show(ctx, cs)
		if err != nil {
			return nil, err
		}
		shown.Operations = nil
		page.Items = append(page.Items, shown.ChangeSet)
	}
	return page, nil
}
