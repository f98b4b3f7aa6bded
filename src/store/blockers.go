package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func newBlockers(ids []dovetail.ID) *dovetail.Blockers {
	return &dovetail.Blockers{IDs: ids[:min(len(ids), dovetail.MaxBlockers)], Total: len(ids)}
}

func mergeBlockers(a, b *dovetail.Blockers) *dovetail.Blockers {
	ids := slices.Concat(a.IDs, b.IDs)
	slices.Sort(ids)
	unique := slices.Compact(slices.Clone(ids))
	twice := len(ids) - len(unique)
	return &dovetail.Blockers{IDs: unique[:min(len(unique), dovetail.MaxBlockers)], Total: a.Total + b.Total - twice}
}

// readableBlockers leaves those that may be read of the documents that hold another one, and reports whether there are
// more.
func (p *plan) readableBlockers(ctx context.Context, id dovetail.ID, found *dovetail.Blockers) (*dovetail.Blockers, error) {
	if p.view == nil {
		return found, nil
	}
	ids := slices.Clone(found.IDs)
	if found.Total > len(ids) { // those that may be read can be among the rest
		all, err := p.afterwards().blockers(ctx, []Condition{{Test: Childless, ID: id}, {Test: Unreferenced, ID: id}})
		if err != nil {
			return nil, err
		}
		ids = slices.Concat(ids, all.below[id], all.referrers[id])
		slices.Sort(ids)
		ids = slices.Compact(ids)
	}
	all := len(ids)
	ids = slices.DeleteFunc(ids, func(id dovetail.ID) bool {
		kind, err := p.model.KindOf(id)
		return err != nil || !p.view.reads(kind.Name, id)
	})
	blockers := newBlockers(ids)
	blockers.Unreadable = len(ids) < all
	return blockers, nil
}

func listBlockers(b *dovetail.Blockers) string {
	const shown = 3
	var names []string
	for _, id := range b.IDs[:min(shown, len(b.IDs))] {
		names = append(names, string(id))
	}
	text := strings.Join(names, ", ")
	if more := b.Total - len(names); more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	switch {
	case !b.Unreadable:
		return text
	case text == "":
		return "documents that you may not read"
	}
	return text + ", and documents that you may not read"
}
