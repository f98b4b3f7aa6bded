package bolt

import (
	"context"
	"sync"

	"github.com/dovetail-store/dovetail/src/store"
)

// tailChanges is how many changes the tail has at most.
const tailChanges = 1024

// tail is the end of the change log, read and decoded once for all watches that are up to date.
type tail struct {
	mu        sync.Mutex
	known     bool                // the rest has a meaning
	published uint64              // it has all commits of this many publications
	after     uint64              // the sequence before the first of sets
	sets      []store.Transaction // never changed, since watches share them
	changes   int                 // in sets
}

// end is the sequence of the last one.
func (t *tail) end() uint64 { return t.after + uint64(len(t.sets)) }

// follows reports whether the tail has what follows a sequence.
func (t *tail) follows(sequence uint64) bool {
	return t.known && t.after <= sequence && sequence <= t.end()
}

// add appends what comes next, and drops what is too much or comes before the first entry that the log keeps.
func (t *tail) add(sets []store.Transaction, first uint64) {
	t.sets = append(t.sets, sets...)
	for _, set := range sets {
		t.changes += len(set.Changes)
	}
	drop := 0
	for drop < len(t.sets) && (t.changes > tailChanges || t.after+uint64(drop)+1 < first) {
		t.changes -= len(t.sets[drop].Changes)
		drop++
	}
	if drop > 0 {
		t.sets = t.sets[drop:] // what is dropped goes when append takes new memory; readers may have it until then
		t.after += uint64(drop)
	}
}

// readChanges returns what follows sequence, a page at most, and whether there is more. It has all commits of this many
// publications. With an error it returns those before it.
func (b *Backend) readChanges(ctx context.Context, sequence, published uint64) (sets []store.Transaction, more bool, err error) {
	if sets, more, ok := b.fromTail(ctx, sequence, published); ok {
		return sets, more, nil
	}
	entries, more, first, err := b.readLog(ctx, sequence)
	if err != nil {
		return nil, false, err
	}
	if sets, err = b.decodeLog(entries, sequence); err != nil || more {
		return sets, more, err
	}
	t := &b.tail
	t.mu.Lock()
	defer t.mu.Unlock()
	if end := sequence + uint64(len(sets)); end > t.end() || !t.known {
		t.known, t.published, t.after, t.sets, t.changes = true, published, sequence, nil, 0
		t.add(sets, first)
	}
	return sets, false, nil
}

// fromTail is readChanges of what the tail has. It reads on where that is not all.
func (b *Backend) fromTail(ctx context.Context, sequence, published uint64) (sets []store.Transaction, more, ok bool) {
	t := &b.tail
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.follows(sequence) {
		return nil, false, false
	}
	if t.published < published {
		entries, unread, first, err := b.readLog(ctx, t.end())
		if err != nil {
			return nil, false, false // which the reader finds out, too
		}
		next, err := b.decodeLog(entries, t.end())
		if err != nil {
			return nil, false, false
		}
		t.add(next, first)
		if more = unread; !more {
			t.published = published
		}
		if !t.follows(sequence) {
			return nil, false, false
		}
	}
	return t.sets[sequence-t.after:], more, true
}
