package impact

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Func reports what differs of what a service derives from documents: from those of before, and from those of after, in which
// the changed ones have other states. What it reads is under the rights of the principal of the context. It ends early, without
// an error, when the report is full; an error of an ended context ends it, too.
type Func func(ctx context.Context, before, after *store.Store, changed []dovetail.ID, report *Report) error

// Item is one derived thing that differs.
type Item struct {
	Service string `json:"service"`
	// ID tells the items of a service apart; Title names one for users.
	ID    string `json:"id"`
	Title string `json:"title"`
	// Changes are at most MaxChanges; More is how many there are beside them.
	Changes []Change `json:"changes"`
	More    int      `json:"more,omitempty"`
	// Error says why it can no longer be derived.
	Error string `json:"error,omitempty"`
}

// MaxChanges is how many changes an item has.
const MaxChanges = 100

// Report collects items. The zero value keeps none.
type Report struct {
	Limit      int // how many items are kept
	Items      []Item
	Total      int  // how many there are
	Unreadable int  // how many derived things the principal may not read all sources of; whether they differ is not known
	Incomplete bool // not everything was looked at
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
	if forbids(was) || forbids(is) {
		r.Unreadable++
		return
	}
	item := Item{Service: r.service, ID: id, Title: title, Changes: Changes(was.Value, is.Value)}
	if is.Err != nil && (was.Err == nil || was.Err.Error() != is.Err.Error()) {
		item.Error, item.Changes = is.Err.Error(), []Change{}
	}
	if len(item.Changes) == 0 && item.Error == "" {
		return
	}
	if r.Total++; len(r.Items) == r.Limit {
		return
	}
	if more := len(item.Changes) - MaxChanges; more > 0 {
		item.Changes, item.More = item.Changes[:MaxChanges], more
	}
	r.Items = append(r.Items, item)
}

func forbids(d *Derived) bool { return dovetail.CodeOf(d.Err) == dovetail.CodeForbidden }
