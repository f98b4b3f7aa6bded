package bolt

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// A cursor is the identity of the store, a dash, and the sequence of the last commit seen.

func (b *Backend) cursor(sequence uint64) store.Cursor {
	return store.Cursor(b.db.Identity() + "-" + strconv.FormatUint(sequence, 10))
}

// parseCursor is strict: it takes only the one spelling that cursor gives, or gave in a store that this one comes from.
func (b *Backend) parseCursor(cursor store.Cursor) (uint64, error) {
	text, ok := strings.CutPrefix(string(cursor), b.db.Identity()+"-")
	sequence, err := strconv.ParseUint(text, 10, 64)
	if !ok || err != nil || b.cursor(sequence) != cursor {
		if sequence, ok := b.formerSequence(cursor); ok {
			return sequence, nil
		}
		return 0, invalidCursor()
	}
	return sequence, nil
}

func invalidCursor() error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the cursor is not one of this store",
		Remedy: "list the documents again, and watch from there"}
}

// Head implements store.Backend.
func (b *Backend) Head(ctx context.Context) (head store.Cursor, err error) {
	err = b.view(ctx, func(v *kv.View) error {
		bounds, err := readBounds(v)
		head = b.cursor(bounds.last)
		return err
	})
	return head, err
}

// Changes implements store.Backend. It reads the log in pages at the reader's pace and holds
// nothing while the reader is busy; one that falls behind the history gets CodeExpired.
func (b *Backend) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return b.changes(ctx, after, true)
}

// ChangesUntilNow implements store.Backend.
func (b *Backend) ChangesUntilNow(ctx context.Context, after store.Cursor) iter.Seq2[store.Transaction, error] {
	return b.changes(ctx, after, false)
}

func (b *Backend) changes(ctx context.Context, after store.Cursor, waits bool) iter.Seq2[store.Transaction, error] {
	return func(yield func(store.Transaction, error) bool) {
		sequence, err := b.parseCursor(after)
		for err == nil {
			next, published := b.news.wait() // before reading, so that nothing slips between
			var sets []store.Transaction
			var more bool
			sets, more, err = b.readChanges(ctx, sequence, published)
			for _, set := range sets {
				if ctx.Err() != nil || !yield(set, nil) {
					return
				}
				sequence++
			}
			if more || err != nil {
				continue
			}
			if !waits {
				return
			}
			select { // without another look: many watches wake for each commit
			case <-ctx.Done():
				return
			case <-next:
			}
			if b.news.isClosed() {
				err = closed()
			}
		}
		if ctx.Err() == nil {
			yield(store.Transaction{}, err)
		}
	}
}

func damagedChanges(sequence uint64) error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Message: fmt.Sprintf("entry %d of the change log is damaged", sequence),
		Remedy: "list the documents again, and watch from there"}
}

// decodeLog reads the entries that follow sequence as readLog returns them. With an error it returns those before the damage.
func (b *Backend) decodeLog(entries [][]byte, sequence uint64) ([]store.Transaction, error) {
	sets := make([]store.Transaction, 0, len(entries))
	for _, entry := range entries {
		set, ok := decodeChanges(entry)
		if !ok {
			return sets, damagedChanges(sequence + 1)
		}
		sequence++
		set.Cursor = b.cursor(sequence)
		sets = append(sets, set)
	}
	return sets, nil
}

// readLog returns the stored entries that follow sequence, at most a page of them, whether there are more, and the first
// sequence that is kept.
func (b *Backend) readLog(ctx context.Context, sequence uint64) (entries [][]byte, more bool, first uint64, err error) {
	const (
		chunkEntries = 256
		chunkBytes   = 1 << 20
	)
	err = b.view(ctx, func(v *kv.View) error {
		bounds, err := readBounds(v)
		first = bounds.first
		switch {
		case err != nil:
			return err
		case sequence > bounds.last:
			return invalidCursor()
		case sequence+1 < bounds.first:
			return &dovetail.Error{Code: dovetail.CodeExpired, Message: "the cursor is older than the history that is kept",
				Remedy: "list the documents again, and watch from there"}
		case sequence == bounds.last:
			return nil
		}
		size, next := 0, sequence+1
		for key, value := range v.Scan(changes, nil, sequenceKey(sequence)) {
			if !bytes.Equal(key, sequenceKey(next)) {
				break
			}
			next++
			entries = append(entries, bytes.Clone(value))
			if size += len(value); size >= chunkBytes || len(entries) == chunkEntries {
				break
			}
		}
		if entries == nil {
			return damagedChanges(sequence + 1)
		}
		more = next <= bounds.last
		return nil
	})
	return entries, more, first, err
}
