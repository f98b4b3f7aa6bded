package keyring

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Rotation is what a rotation of data keys did.
type Rotation struct {
	Key     string   // the new data key
	Retired []string // data keys that are no more
	Secrets int      // documents that were sealed again
	// Kept has, by data key that stays, what still needs it.
	Kept map[string][]string
}

// page is how many documents are sealed again in one transaction.
const page = 100

// Rotate makes a new data key, wrapped by the current main key, seals all secrets again with it, and deletes the other
// data keys, except those that needs names something for: what is staged in a change set. Then nothing else needs a main key that was
// replaced. Secrets can be read and written all the time; a rotation that is broken off can be repeated. Errors are those of Seal and
// of needs, which may be nil.
func (v *Keyring) Rotate(ctx context.Context, needs func(ctx context.Context, key string) ([]string, error)) (*Rotation, error) {
	if v.wrapper == nil {
		return nil, noKey()
	}
	old, err := v.names(ctx)
	if err != nil {
		return nil, err
	}
	next := 1
	if len(old) > 0 {
		next = numberOf(old[len(old)-1]) + 1
	}
	key, err := v.make(ctx, next)
	if err != nil {
		return nil, err
	}
	r := &Rotation{Key: key.ID}
	for _, name := range old {
		if err := v.retire(ctx, name, needs, r); err != nil {
			return r, err
		}
		if len(r.Kept[name]) == 0 {
			r.Retired = append(r.Retired, name)
		}
	}
	return r, nil
}

// retire seals again what refers to a data key, until nothing does and the store deletes it, unless something else needs it: another process
// may still seal with it meanwhile.
func (v *Keyring) retire(ctx context.Context, name string, needs func(ctx context.Context, key string) ([]string, error), r *Rotation) error {
	for {
		ids, err := v.store.Referrers(ctx, keyID(name), "", page)
		if err != nil {
			return err
		}
		if len(ids) == 0 && needs != nil {
			by, err := needs(ctx, name)
			if err != nil {
				return err
			}
			if len(by) > 0 {
				if r.Kept == nil {
					r.Kept = make(map[string][]string)
				}
				r.Kept[name] = by
				return nil
			}
		}
		if len(ids) == 0 {
			_, err := v.store.Apply(ctx, []store.Operation{{Verb: store.Delete, ID: keyID(name)}}, store.Options{Managed: true})
			if dovetail.CodeOf(err) != dovetail.CodeInUse {
				return err
			}
			continue
		}
		operations, err := v.resealed(ctx, ids, name)
		if err != nil {
			return err
		}
		_, err = v.store.Apply(ctx, operations, store.Options{Managed: true})
		switch dovetail.CodeOf(err) {
		case "":
			r.Secrets += len(operations)
		case dovetail.CodeStale, dovetail.CodeNotFound: // another writer changed one of them: read them again
		default:
			return err
		}
	}
}

// resealed makes the operations that seal what documents hold again.
func (v *Keyring) resealed(ctx context.Context, ids []dovetail.ID, name string) ([]store.Operation, error) {
	var operations []store.Operation
	for _, id := range ids {
		doc, err := v.store.Get(ctx, id)
		if dovetail.CodeOf(err) == dovetail.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		data, err := value.DataOf(doc, nil)
		if err != nil {
			return nil, err
		}
		if current, _ := data.At("spec", Element).Str(); current != name {
			continue
		}
		about, _ := data.At("spec", MemberContent).Str()
		sealed, _ := data.Get(MemberSealed).Str()
		secret, err := v.Open(ctx, sealed, name, about)
		if err != nil {
			return nil, err
		}
		again, key, err := v.Seal(ctx, secret, about)
		if err != nil {
			return nil, err
		}
		data.Set(MemberSealed, value.NewString(again))
		data.Get("spec").Set(Element, value.NewString(key))
		operations = append(operations, store.Operation{Verb: store.Put, ID: id, Data: data, IfMatch: []dovetail.ETag{doc.ETag()}})
	}
	return operations, nil
}
