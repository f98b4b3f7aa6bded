package store

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/schema"
)

// Retention says what of the history is no longer needed. The zero value keeps all of it.
type Retention struct {
	// Before is how far back the history shall reach. Zero keeps all.
	Before time.Time
	// Kinds shortens the history of documents by their kind.
	Kinds map[string]KindRetention
}

// KindRetention says which earlier versions of the documents of a kind are no longer needed. What they said is erased: their
// reads return CodeExpired, and the history shows no more than that there was a version. What a document says now always stays.
type KindRetention struct {
	Before   time.Time // those that were replaced or deleted by then; zero if there is none
	Versions int       // all but so many of the latest of each document; 0 keeps all
}

// RemedyErased is the remedy of reads of a version that was erased.
const RemedyErased = "read a later version: the ref-schema says how long those of its kind are kept"

// ExpireHistory drops what is older than the history shall reach back at a time, zero for any length, and what the ref-schema
// does not want kept of kinds. It is work for upkeep: reads never drop anything.
func (s *Store) ExpireHistory(ctx context.Context, now time.Time, length time.Duration) error {
	before := func(length time.Duration) time.Time {
		if length == 0 {
			return time.Time{}
		}
		return now.Add(-length)
	}
	retention := Retention{Before: before(length), Kinds: make(map[string]KindRetention)}
	for _, kind := range s.Model().Kinds() {
		if kind.History != (schema.History{}) {
			retention.Kinds[kind.Name] = KindRetention{Before: before(kind.History.Time), Versions: kind.History.Versions}
		}
	}
	return s.backend.Expire(ctx, retention)
}
