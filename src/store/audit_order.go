package store

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// recordsBetween yields the documents of the records after an id and before another, "" if there is no bound, in the order of time.
func (s *Store) recordsBetween(ctx context.Context, after, before string) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		inner := Query{Kind: auditKind}
		if after != "" {
			inner.After = auditPrefix + dovetail.ID(after)
		}
		for doc, err := range s.backend.List(ctx, inner) {
			if err == nil && before != "" && doc.ID >= auditPrefix+dovetail.ID(before) {
				return
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

const (
	// firstWindow is how much time is read first of records that are wanted newest first. Each window after it is twice as long, so that
	// quiet times take few.
	firstWindow = time.Minute
	// mostOfWindow is how many documents of a window are held. Of one that has more the newest are, and the next window is as much shorter.
	mostOfWindow = 1_000
)

// recordsBackwards is recordsBetween in the reverse order. Backends list forwards only: the records are read in windows of time, from the
// last one back.
func (s *Store) recordsBackwards(ctx context.Context, after, before string) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		oldest, end := "", s.now()
		for doc, err := range s.recordsBetween(ctx, after, before) {
			if err != nil {
				yield(nil, err)
				return
			}
			oldest = recordOf(doc)
			break
		}
		if oldest == "" {
			return
		}
		if t, ok := timeOfRecord(before); ok {
			end = t
		}
		for width := firstWindow; ; {
			start := end.Add(-width).UTC().Format(auditFormat)
			last := start <= oldest
			if last {
				start = after
			}
			held, all, err := s.lastBetween(ctx, start, before)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, doc := range slices.Backward(held) {
				if !yield(doc, nil) {
					return
				}
			}
			switch {
			case all > len(held):
				before = recordOf(held[0])
				end, _ = timeOfRecord(before)
				width = max(width*time.Duration(len(held))/time.Duration(all), time.Millisecond)
			case last:
				return
			default:
				before, end = start, end.Add(-width)
				width *= 2
			}
		}
	}
}

// lastBetween returns the last documents that recordsBetween yields, in the order of time, and how many it yields.
func (s *Store) lastBetween(ctx context.Context, after, before string) (held []*dovetail.Document, all int, err error) {
	for doc, err := range s.recordsBetween(ctx, after, before) {
		if err != nil {
			return nil, 0, err
		}
		if len(held) == 2*mostOfWindow {
			held = append(held[:0], held[mostOfWindow:]...)
		}
		held, all = append(held, doc), all+1
	}
	return held[max(0, len(held)-mostOfWindow):], all, nil
}

// recordOf is the ID of the record of a document.
func recordOf(doc *dovetail.Document) string { return string(doc.ID[len(auditPrefix):]) }

// timeOfRecord is the time in the ID of a record.
func timeOfRecord(id string) (time.Time, bool) {
	t, err := time.Parse(auditFormat, id[:min(len(id), len(auditFormat))])
	return t, err == nil
}
