package store

import (
	"context"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// overlayClaims are the claims of an overlay: those of staged documents, and of the stored ones that hold a claim now those
// which they held at the base, too. What a document gave up since the base counts as free: so it is when the change set is
// merged.
type overlayClaims struct {
	view    *Store
	overlay *overlay

	mutex   sync.Mutex
	of      *stagedSet
	holders map[dovetail.ID]dovetail.ID // of the claims of what is staged
}

// get returns the document of a claim in the view, nil if there is none.
func (c *overlayClaims) get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	set := c.overlay.staged.Load()
	holders, err := c.staged(ctx, set)
	if err != nil {
		return nil, err
	}
	if holder, taken := holders[id]; taken {
		return c.view.claimDocument(&claim{id: id}, holder, c.view.Model(), c.view.now()), nil
	}
	stored, err := fetch(ctx, c.overlay.now, []dovetail.ID{id})
	if err != nil {
		return nil, err
	}
	held, taken := claimOf(stored[0])
	if _, staged := set.entries[held.Holder]; !taken || staged {
		return nil, nil
	}
	base, err := fetch(ctx, c.overlay.Snapshot, []dovetail.ID{held.Holder})
	if err != nil || base[0] == nil {
		return nil, err
	}
	has, err := c.has(ctx, base[0], id)
	if err != nil || !has {
		return nil, err
	}
	return stored[0], nil
}

// has reports whether a document holds a claim.
func (c *overlayClaims) has(ctx context.Context, doc *dovetail.Document, id dovetail.ID) (bool, error) {
	found := false
	err := c.each(ctx, doc, func(one dovetail.ID) { found = found || one == id })
	return found, err
}

// each calls f for each claim of a document.
func (c *overlayClaims) each(ctx context.Context, doc *dovetail.Document, f func(dovetail.ID)) error {
	kind := constrainedKind(c.view.Model(), doc.ID)
	if kind == nil {
		return nil
	}
	claims, err := c.view.claimsOf(ctx, kind, doc, nil)
	for i := range claims {
		f(claims[i].id)
	}
	return err
}

// staged returns who holds the claims of staged documents.
func (c *overlayClaims) staged(ctx context.Context, set *stagedSet) (map[dovetail.ID]dovetail.ID, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.of == set {
		return c.holders, nil
	}
	holders := make(map[dovetail.ID]dovetail.ID)
	for _, id := range set.ids {
		if doc := set.entries[id].Document; doc != nil {
			if err := c.each(ctx, doc, func(claim dovetail.ID) { holders[claim] = id }); err != nil {
				return nil, err
			}
		}
	}
	c.of, c.holders = set, holders
	return holders, nil
}
