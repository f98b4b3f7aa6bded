package impact

import (
	"context"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Func reports what differs of what a service derives from documents: from those of before, and from those of after, in which
// the changed ones have other states. What it reads is under the rights of the principal of the context. It ends early, without
// an error, when the report is full; an error of an ended context ends it, too.
type Func func(ctx context.Context, before, after *store.Store, changed []dovetail.ID, report *Report) error

// MaxChanges and MaxFindings are how many of each an item has.
const (
	MaxChanges  = 100
	MaxFindings = 20
)

// Report collects items. The zero value keeps none.
type Report struct {
	Limit      int // how many items are kept, and how many unchanged ones
	Items      []api.ImpactItem
	Total      int              // how many there are
	Unchanged  []api.ImpactItem // what was looked at, and stays as it is
	Same       int              // how many of those there are
	Unreadable int              // how many derived things the principal may not read all sources of; whether they differ is not known
	Incomplete bool             // not everything was looked at
	service    string
}

// Of is the report in which the items that come next are of a service.
func (r *Report) Of(service string) *Report {
	r.service = service
	return r
}

// Compare adds an item if two values differ. An error says why one of them cannot be derived: CodeForbidden makes the thing an
// unreadable one; any other is part of the item, where it comes with the change.
func (r *Report) Compare(id, title string, was, is *Derived) {
	r.CompareItem(api.ImpactItem{ID: id, Title: title}, was, is)
}

// CompareItem is Compare of an item of which more is known.
func (r *Report) CompareItem(item api.ImpactItem, was, is *Derived) {
	if forbids(was) || forbids(is) {
		r.Unreadable++
		return
	}
	item.Changes = Changes(was.Value, is.Value)
	if is.Err != nil && (was.Err == nil || was.Err.Error() != is.Err.Error()) {
		item.Error, item.Changes = is.Err.Error(), []api.Change{}
	}
	if was.Value == nil && is.Value == nil && item.Error == "" {
		return // there is no such thing
	}
	r.Add(item)
}

// Add counts an item, and keeps it as long as there is room: one without changes and error among the unchanged ones.
func (r *Report) Add(item api.ImpactItem) {
	item.Service = r.service
	if item.Changes == nil {
		item.Changes = []api.Change{}
	}
	if more := len(item.Changes) - MaxChanges; more > 0 {
		item.Changes, item.More = item.Changes[:MaxChanges], more
	}
	if more := len(item.Findings) - MaxFindings; more > 0 {
		item.Findings, item.MoreFindings = item.Findings[:MaxFindings], more
	}
	to, total := &r.Items, &r.Total
	if len(item.Changes) == 0 && item.Error == "" {
		to, total = &r.Unchanged, &r.Same
	}
	if *total++; len(*to) < r.Limit {
		*to = append(*to, item)
	}
}

func forbids(d *Derived) bool { return dovetail.CodeOf(d.Err) == dovetail.CodeForbidden }
