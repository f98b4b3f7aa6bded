package bolt

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// Get implements store.Backend.
func (b *Backend) Get(ctx context.Context, id dovetail.ID) (d *dovetail.Document, err error) {
	err = b.view(ctx, func(v *kv.View) (err error) {
		d, err = get(ctx, v, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " does not exist"}
	}
	return d, nil
}

// GetAll implements store.Backend. All are read at one instant.
func (b *Backend) GetAll(ctx context.Context, ids []dovetail.ID) ([]*dovetail.Document, error) {
	all := make([]*dovetail.Document, len(ids))
	err := b.view(ctx, func(v *kv.View) (err error) {
		for i, id := range ids {
			if all[i], err = get(ctx, v, id); err != nil {
				return err
			}
			if i%1024 == 1023 && ctx.Err() != nil {
				return dovetail.AsError(ctx.Err())
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// get returns nil when there is no such document.
func get(ctx context.Context, v *kv.View, id dovetail.ID) (*dovetail.Document, error) {
	value := v.Get(docs, []byte(id))
	if value == nil {
		return nil, nil
	}
	return decode(ctx, id, value)
}

// decode reads a stored document.
func decode(ctx context.Context, id dovetail.ID, value []byte) (*dovetail.Document, error) {
	if isErased(value) {
		return nil, erased(id)
	}
	if err := store.HoldMemory(ctx, int64(len(value))); err != nil {
		return nil, err
	}
	d, ok := decodeDocument(id, value)
	if !ok {
		return nil, damagedDocument(id)
	}
	return d, nil
}

// Referrers implements store.Backend.
func (b *Backend) Referrers(ctx context.Context, of []dovetail.ID, after dovetail.ID, limit int) ([]dovetail.ID, error) {
	var found []dovetail.ID
	err := b.view(ctx, func(v *kv.View) error {
		for _, id := range of {
			if ctx.Err() != nil {
				return dovetail.AsError(ctx.Err())
			}
			own := 0
			for key := range v.Scan(referrers, referrerKey(id, ""), referrerKey(id, after)) {
				_, referrer, _ := splitKey(key)
				found = append(found, dovetail.ID(referrer))
				if own++; own == limit {
					break
				}
				if own%1024 == 0 && ctx.Err() != nil {
					return dovetail.AsError(ctx.Err())
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return firstReferrers(found, len(of), limit), nil
}

// firstReferrers returns the first of the referrers of this many documents, each once. Those of each document are in order.
func firstReferrers(found []dovetail.ID, of, limit int) []dovetail.ID {
	if of > 1 {
		slices.Sort(found)
		found = slices.Compact(found)
	}
	if limit > 0 {
		found = found[:min(limit, len(found))]
	}
	return found
}

// Capabilities implements store.Backend.
func (b *Backend) Capabilities() store.Capabilities {
	return store.Capabilities{Name: "bolt", SnapshotList: true, EveryChange: true, Versions: true, Terms: true, EveryTerm: true, MaxDocument: maxDocument, Checkpoints: true, Exclusive: true}
}

// Time implements store.Backend.
func (b *Backend) Time(context.Context) (time.Time, error) { return time.Now(), nil }
