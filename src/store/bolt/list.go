package bolt

import (
	"context"
	"iter"
	"os"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// List implements store.Backend. What it yields is read at one instant: with a limit it is the list of a snapshot; otherwise
// all of it is copied out of the file first, beyond a mebibyte into a temporary file beside it. So the one who iterates may
// take any time, and may commit, while no view is open: one that stays open keeps the file from
// using space again, and makes a flusher that has to map the file again wait, and with it the writer.
// A break ends the iteration, but not the copying: bound the query by Limit where that matters.
func (b *Backend) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	if q.Limit == 0 {
		return b.list(ctx, q, b.view, selected)
	}
	return func(yield func(*dovetail.Document, error) bool) {
		now, err := b.At(ctx, "")
		if err != nil {
			yield(nil, err)
			return
		}
		for doc, err := range now.List(ctx, q) {
			if !yield(doc, err) {
				return
			}
		}
	}
}

// list is List of what selected yields in a view.
func (b *Backend) list(ctx context.Context, q store.Query, view func(context.Context, func(*kv.View) error) error,
	selected func(*kv.View, store.Query) iter.Seq2[[]byte, []byte]) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		found := spillFile{folder: b.spillFolder(), hold: func(bytes int64) error { return store.HoldMemory(ctx, bytes) }}
		defer found.close()
		err := view(ctx, func(v *kv.View) error {
			n, looked := 0, 0
			for id, value := range selected(v, q) {
				if looked++; looked%1024 == 0 && ctx.Err() != nil {
					return dovetail.AsError(ctx.Err())
				}
				if value == nil {
					continue
				}
				if err := found.add(id, value); err != nil {
					return err
				}
				if n++; n == q.Limit {
					break
				}
			}
			return nil
		})
		if err != nil {
			yield(nil, err)
			return
		}
		for id, value := range found.all() {
			if ctx.Err() != nil {
				yield(nil, dovetail.AsError(ctx.Err()))
				return
			}
			if !yieldOne(ctx, dovetail.ID(id), value, yield) {
				return
			}
		}
		if found.err != nil {
			yield(nil, found.err)
		}
	}
}

// largeDocument is from how many bytes on a document counts that is held for a moment only.
const largeDocument = 32 << 10

// yieldOne yields a document, and reports whether there should be more.
func yieldOne(ctx context.Context, id dovetail.ID, value []byte, yield func(*dovetail.Document, error) bool) bool {
	if size := int64(len(value)); size >= largeDocument {
		if err := store.HoldMemory(ctx, size); err != nil {
			yield(nil, err)
			return false
		}
		defer func() { _ = store.HoldMemory(ctx, -size) }() // never refused
	}
	if isErased(value) {
		h, _ := headOf(value)
		return yield(&dovetail.Document{ID: id, Kind: h.kind, UID: h.uid, Revision: h.revision}, erased(id))
	}
	d, ok := decodeDocument(id, value)
	if !ok {
		yield(nil, damagedDocument(id))
		return false
	}
	return yield(d, nil)
}

// selected yields the ids and stored values of what the query selects, except its limit. What is not to be kept has no value.
func selected(v *kv.View, q store.Query) iter.Seq2[[]byte, []byte] {
	unwanted := func(id []byte) bool { return q.Keep != nil && !q.Keep(dovetail.ID(id)) }
	return func(yield func(id, value []byte) bool) {
		if len(q.Terms) > 0 {
			for id := range termIDs(v, q, false) {
				key := []byte(id)
				if unwanted(key) {
					if !yield(key, nil) {
						return
					}
					continue
				}
				if q.Kind != "" && v.Get(kinds, kindKey(q.Kind, id)) == nil {
					continue
				}
				if value := v.Get(docs, key); value != nil && !yield(key, value) {
					return
				}
			}
			return
		}
		if q.Kind == "" {
			for id, value := range v.Scan(docs, []byte(q.Under.Prefix()), []byte(q.After)) {
				if unwanted(id) {
					value = nil
				}
				if !yield(id, value) {
					return
				}
			}
			return
		}
		prefix := indexKey(q.Kind, q.Under.Prefix())
		for key := range v.Scan(kinds, prefix, kindKey(q.Kind, q.After)) {
			id := key[len(q.Kind)+len(separator):]
			if unwanted(id) {
				if !yield(id, nil) {
					return
				}
				continue
			}
			// An entry without a document is for Check to find, not for readers to trip over.
			if value := v.Get(docs, id); value != nil && !yield(id, value) {
				return
			}
		}
	}
}

func (b *Backend) spillFolder() string {
	if b.options.ReadOnly {
		return os.TempDir()
	}
	return filepath.Dir(b.path)
}
