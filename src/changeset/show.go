package changeset

import (
	"context"
	"encoding/base64"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Shown is a change set as a principal sees it.
type Shown struct {
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description,omitempty"`
	State       State            `json:"state"`
	Author      string           `json:"author"`
	Authors     []string         `json:"authors"`
	Base        store.Cursor     `json:"base"`
	Created     time.Time        `json:"created"`
	Operations  []ShownOperation `json:"operations,omitzero"` // not in lists
	Total       int              `json:"total"`               // of operations
	Unreadable  int              `json:"unreadable"`          // how many of them are on documents that may not be read
	Reviews     []ShownReview    `json:"reviews"`
	Reverts     store.Cursor     `json:"reverts,omitempty"`
	Proposal    *ShownProposal   `json:"proposal,omitempty"`
	Merged      *Ending          `json:"merged,omitempty"`
	Closed      *Ending          `json:"closed,omitempty"`
	Version     string           `json:"version"`

	doc      *dovetail.Document
	repeated bool
}

// ShownOperation is what is staged of a document; ID and Kind are absent where it may not be read.
type ShownOperation struct {
	ID   dovetail.ID `json:"id,omitempty"`
	Kind string      `json:"kind,omitempty"`
	Verb Verb        `json:"verb"`
	By   string      `json:"by"`
	Time time.Time   `json:"time"`
}

// ShownReview is a review, and whether it is about the operations as they are.
type ShownReview struct {
	Review
	Current bool `json:"current"`
}

// ShownProposal is a proposal, the branch that it is to be merged into, and whether it has the operations as they are.
type ShownProposal struct {
	Branch     string    `json:"branch"`
	Repository string    `json:"repository,omitempty"`
	Into       string    `json:"into,omitempty"`
	Commit     string    `json:"commit,omitempty"`
	By         string    `json:"by"`
	Time       time.Time `json:"time"`
	Current    bool      `json:"current"`
	// Differs is a commit that merged the branch, but with a different content.
	Differs string `json:"differs,omitempty"`
}

// showProposal shows the proposal of a change set, nil if there is none.
func (c *ChangeSets) showProposal(cs *changeSet) *ShownProposal {
	p := cs.Proposal
	if p == nil {
		return nil
	}
	shown := &ShownProposal{Branch: p.Branch, Repository: p.Repository, Commit: p.Commit, By: p.By, Time: p.Time, Differs: p.Differs,
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
	s := &Shown{Name: cs.name, Title: cs.title, Description: cs.description, State: cs.State, Author: cs.Author, Authors: cs.Authors, Base: cs.Base,
		Created: cs.Created, Total: cs.status.Operations, Reviews: []ShownReview{}, Reverts: cs.Reverts, Merged: cs.Merged, Closed: cs.Closed, Proposal: c.showProposal(cs),
		Version: cs.doc.ETag().Version(), doc: cs.doc, Operations: []ShownOperation{}}
	if s.Authors == nil {
		s.Authors = []string{}
	}
	for _, r := range cs.Reviews {
		shown := ShownReview{r, cs.isCurrent(r)}
		shown.Seal = ""
		s.Reviews = append(s.Reviews, shown)
	}
	reads := c.store.Readable(ctx)
	for _, op := range cs.operations {
		shown := ShownOperation{op.ID, op.Kind, op.Verb, op.By, op.Time}
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
	State  State  // "" for all
	Author string // "" for all
	Mine   bool   // only those that wait for the review of the principal
	Limit  int
	After  string // the name of the last one of the page before
}

// Page is a part of the list of change sets, in the order of their names, without their operations.
type Page struct {
	Items    []*Shown `json:"items"`
	Continue string   `json:"continue,omitempty"`
}

// waits is waitsFor of a change set that was read without its operations.
func (c *ChangeSets) waits(ctx context.Context, cs *changeSet) (bool, error) {
	if cs.State != Open {
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
func (c *ChangeSets) List(ctx context.Context, q Query) (*Page, error) {
	page, inner := &Page{Items: []*Shown{}}, store.ListQuery{Kind: Kind}
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
		page.Items = append(page.Items, shown)
	}
	return page, nil
}
