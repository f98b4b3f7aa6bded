package protocol

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// unmet evaluates the conditions of a transaction on what readers see, and returns the errors of those that fail, as store.Backend
// defines them. It also returns none if concurrent writes prevent a consistent read of several documents.
func (e *Engine) unmet(ctx context.Context, p *plan) ([]*dovetail.Error, error) {
	views, err := e.readConditions(ctx, p)
	if err != nil {
		return nil, err
	}
	errs, err := e.evaluateAll(ctx, p, views)
	if err != nil || p.single || len(errs) == 0 || len(views) < 2 {
		return errs, err
	}
	// Even the error of a single condition implies that the others hold, so all must be evaluated at one moment.
	views, consistent, err := e.snapshot(ctx, p, views)
	if err != nil || !consistent {
		return nil, err
	}
	return e.evaluateAll(ctx, p, views)
}

// evaluateAll evaluates the conditions on what was read.
func (e *Engine) evaluateAll(ctx context.Context, p *plan, views map[dovetail.ID]view) ([]*dovetail.Error, error) {
	var errs []*dovetail.Error
	for _, c := range p.txn.Require {
		failed, err := e.evaluate(ctx, p, c, views[c.ID])
		if err != nil {
			return nil, err
		}
		if failed != nil {
			if failed.Key = c.ID; c.For != "" {
				failed.Key = c.For
			}
			errs = append(errs, failed)
		}
	}
	return errs, nil
}

// readConditions reads the documents of the conditions: whole if an error may contain them.
func (e *Engine) readConditions(ctx context.Context, p *plan) (map[dovetail.ID]view, error) {
	var heads, whole []dovetail.ID
	for _, c := range p.txn.Require {
		switch c.Test {
		case store.Absent, store.AtVersion:
			whole = append(whole, c.ID)
		case store.Exists:
			heads = append(heads, c.ID)
		case store.Childless, store.Unreferenced: // are read one by one
		}
	}
	whole = unique(whole)
	heads = slices.DeleteFunc(unique(heads), func(id dovetail.ID) bool {
		_, twice := slices.BinarySearch(whole, id)
		return twice
	})
	views, err := e.findDecided(ctx, heads, false)
	if err != nil {
		return nil, err
	}
	more, err := e.findDecided(ctx, whole, true)
	for id, v := range more {
		views[id] = v
	}
	for _, id := range slices.Concat(heads, whole) {
		if _, there := views[id]; !there {
			views[id] = view{}
		}
	}
	return views, err
}

func (e *Engine) evaluate(ctx context.Context, p *plan, c store.Condition, v view) (*dovetail.Error, error) {
	now, id := v.document(), string(c.ID)
	switch c.Test {
	case store.Absent:
		if now != nil {
			return &dovetail.Error{Code: dovetail.CodeExists, Message: id + " exists already", Current: now}, nil
		}
	case store.AtVersion:
		switch {
		case now == nil:
			return &dovetail.Error{Code: dovetail.CodeNotFound, Message: id + " does not exist"}, nil
		case now.ETag() != c.Version:
			return &dovetail.Error{Code: dovetail.CodeStale, Message: id + " is at another version than was expected", Current: now}, nil
		}
	case store.Exists:
		s := p.byID[c.ID]
		if s != nil && s.put != nil || now != nil && (s == nil || !s.deletes) {
			return nil, nil
		}
		return &dovetail.Error{Code: dovetail.CodeMissing, Message: id + " does not exist", Missing: []dovetail.ID{c.ID}}, nil
	case store.Childless, store.Unreferenced:
		blockers, err := e.blockers(ctx, p, c)
		if err != nil || len(blockers) == 0 {
			return nil, err
		}
		return &dovetail.Error{Code: dovetail.CodeInUse, Message: id + " is in use", BlockedBy: &dovetail.Blockers{
			IDs: blockers[:min(len(blockers), dovetail.MaxBlockers)], Total: len(blockers)}}, nil
	}
	return nil, nil
}

// blockers returns the ids of the children or referrers that the document would have after the transaction.
func (e *Engine) blockers(ctx context.Context, p *plan, c store.Condition) ([]dovetail.ID, error) {
	records := e.server.Children(ctx, []dovetail.ID{c.ID})
	if c.Test == store.Unreferenced {
		records = e.server.Referrers(ctx, []dovetail.ID{c.ID})
	}
	ids := p.ownBlockers(c)
	for v, err := range e.views(ctx, records, probeBatch, false) {
		if err != nil {
			return nil, err
		}
		s := p.byID[v.ID]
		switch {
		case s != nil && (s.deletes || s.put != nil && c.Test == store.Unreferenced):
		case c.Test == store.Childless && v.document() != nil,
			c.Test == store.Unreferenced && v.ID != c.ID && v.holds(c.ID):
			ids = append(ids, v.ID)
		}
	}
	return unique(ids), nil
}
