package bolt

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// A cursor is the identity of the store, a dash, and the sequence of the last commit seen.

func (b *Backend) cursor(sequence uint64) store.Cursor {
	return store.Cursor(b.db.Identity() + "-" + strconv.FormatUint(sequence, 10))
}

// parseCursor is strict: it takes only the one spelling that cursor gives.
func (b *Backend) parseCursor(cursor store.Cursor) (uint64, error) {
	text, ok := strings.CutPrefix(string(cursor), b.db.Identity()+"-")
	sequence, err := strconv.ParseUint(text, 10, 64)
	if !ok || err != nil || b.cursor(sequence) != cursor {
		return 0, invalidCursor()
	}
	return sequence, nil
}

func invalidCursor() error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the cursor is not one of this store",
		Remedy: "list what there is, and follow the changes from then on"}
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

// Changes implements store.Backend. It reads the log in pieces at the reader's pace and holds
// nothing while the reader is busy; one that falls behind the history gets CodeExpired.
func (b *Backend) Changes(ctx context.Context, after store.Cursor) iter.Seq2[store.ChangeSet, error] {
	return func(yield func(store.ChangeSet, error) bool) {
		sequence, err := b.parseCursor(after)
		for err == nil {
			news := b.news.wait() // before reading, so that nothing slips between
			var entries [][]byte
			var more bool
			if entries, more, err = b.readLog(ctx, sequence); err != nil {
				break
			}
			for _, entry := range entries {
				set, ok := decodeChanges(entry)
				if !ok {
					err = damagedChanges(sequence + 1)
					break
				}
				sequence++
				set.Cursor = b.cursor(sequence)
				if ctx.Err() != nil || !yield(set, nil) {
					return
				}
			}
			if more || err != nil {
				continue
			}
			select { // without another look: many watches wake for each commit
			case <-ctx.Done():
				return
			case <-news:
			}
			if b.news.isClosed() {
				err = closed()
			}
		}
		if ctx.Err() == nil {
			yield(store.ChangeSet{}, err)
		}
	}
}

func damagedChanges(sequence uint64) error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Message: fmt.Sprintf("entry %d of the change log is damaged", sequence),
		Remedy: "list what there is, and follow the changes from then on"}
}

// readLog returns the stored entries that follow sequence, at most a page of them, and whether there are more.
func (b *Backend) readLog(ctx context.Context, sequence uint64) (entries [][]byte, more bool, err error) {
	const (
		pieceEntries = 256
		pieceBytes   = 1 << 20
	)
	err = b.view(ctx, func(v *kv.View) error {
		bounds, err := readBounds(v)
		switch {
		case err != nil:
			return err
		case sequence > bounds.last:
			return invalidCursor()
		case sequence+1 < bounds.first:
			return &dovetail.Error{Code: dovetail.CodeExpired, Message: "the cursor is older than the history that is kept",
				Remedy: "list what there is, and follow the changes from then on"}
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
			if size += len(value); size >= pieceBytes || len(entries) == pieceEntries {
				break
			}
		}
		if entries == nil {
			return damagedChanges(sequence + 1)
		}
		more = next <= bounds.last
		return nil
	})
	return entries, more, err
}

// news wakes all that wait for the next commit.
type news struct {
	mu     sync.Mutex
	next   chan struct{} // closed at the next commit
	closed bool
}

func (n *news) init() { n.next = make(chan struct{}) }

// wait returns a channel that is closed by the next publish, or by close.
func (n *news) wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.next
}

func (n *news) publish() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		close(n.next)
		n.next = make(chan struct{})
	}
}

func (n *news) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.closed = true
		close(n.next)
	}
}

func (n *news) isClosed() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closed
}
