package store

import (
	"context"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// maxUnrecorded is how many documents that are read together are held until the record of them is kept.
const maxUnrecorded = 100

// revealKey is the key of contexts in which what is read is shown with its secrets.
type revealKey struct{}

// Revealing returns a context whose reads are for a person who asked to see secrets, so that the records of them say so.
func Revealing(ctx context.Context) context.Context { return context.WithValue(ctx, revealKey{}, true) }

// eventOf is what the record of a read calls it.
func eventOf(ctx context.Context) AuditVerb {
	if ctx.Value(revealKey{}) != nil {
		return AuditReveal
	}
	return AuditRead
}

// readRecord is the record of documents that one call reads.
type readRecord struct {
	store  *Store
	who    *dovetail.Principal
	record *AuditRecord // nil while there is nothing to record
}

// reading returns a record for what a call is about to read, nil where reads are not recorded.
func (s *Store) reading(ctx context.Context) *readRecord {
	if !s.RecordsReads() {
		return nil
	}
	return &readRecord{store: s, who: dovetail.PrincipalOf(ctx)}
}

// RecordsReads reports whether reads of documents may be recorded: what was made of them earlier then does not stand for another read.
func (s *Store) RecordsReads() bool { return s.config.Audit.Level != nil && s.config.Audit.on() }

// add notes a document, and reports whether it is one that is recorded.
func (r *readRecord) add(ctx context.Context, doc *dovetail.Document) bool {
	if r == nil || doc == nil || isInternal(doc.ID) || r.store.level(r.who, AuditRead, doc.Kind, doc.ID) == AuditNone {
		return false
	}
	if r.record == nil {
		r.record = newRecord(ctx, r.store.now())
		r.record.Event = eventOf(ctx)
	}
	r.record.Total++
	r.record.Operations = append(r.record.Operations, AuditEntry{ID: doc.ID, Kind: doc.Kind, After: doc.ETag().Version()})
	return true
}

// keep keeps what was noted so far.
func (r *readRecord) keep(ctx context.Context) error {
	if r == nil || r.record == nil {
		return nil
	}
	record := r.record
	r.record = nil
	return r.store.emit(ctx, record)
}

// recordRead records that one document is read, before it is answered.
func (s *Store) recordRead(ctx context.Context, doc *dovetail.Document) error {
	r := s.reading(ctx)
	r.add(ctx, doc)
	return r.keep(ctx)
}

// recordReads passes documents on once the record of them is kept.
func (s *Store) recordReads(ctx context.Context, documents iter.Seq2[*dovetail.Document, error]) iter.Seq2[*dovetail.Document, error] {
	r := s.reading(ctx)
	if r == nil {
		return documents
	}
	return func(yield func(*dovetail.Document, error) bool) {
		var held []*dovetail.Document
		pass := func() bool {
			if err := r.keep(ctx); err != nil {
				yield(nil, err)
				return false
			}
			for _, doc := range held {
				if !yield(doc, nil) {
					return false
				}
			}
			held = held[:0]
			return true
		}
		for doc, err := range documents {
			if err != nil {
				if pass() {
					yield(nil, err)
				}
				return
			}
			// Documents keep their order: those that follow a recorded one wait with it.
			if recorded := r.add(ctx, doc); !recorded && len(held) == 0 {
				if !yield(doc, nil) {
					return
				}
				continue
			}
			if held = append(held, doc); len(held) == maxUnrecorded && !pass() {
				return
			}
		}
		pass()
	}
}

// recordCopy records that the whole database is read, before any of it is answered: in one record with at most maxAudited of the documents.
// There is a record also if only the history has documents whose reads are recorded.
func (s *Store) recordCopy(ctx context.Context) error {
	r := s.reading(ctx)
	if r == nil {
		return nil
	}
	var copied *AuditRecord
	for _, kind := range s.Model().Kinds() {
		if kind.Abstract || s.level(r.who, AuditRead, kind.Name, "") == AuditNone {
			continue
		}
		if copied == nil {
			copied = newRecord(ctx, s.now())
			copied.Event = eventOf(ctx)
		}
		for doc, err := range s.backend.List(ctx, Query{Kind: kind.Name}) {
			if err != nil {
				return err
			}
			if copied.Total++; len(copied.Operations) < maxAudited {
				copied.Operations = append(copied.Operations, AuditEntry{ID: doc.ID, Kind: doc.Kind, After: doc.ETag().Version()})
			}
		}
	}
	return s.emit(ctx, copied)
}

// recordForbiddenEverywhere records that a request was refused for lack of a right on everything, if uses of the right are recorded for some kind.
func (s *Store) recordForbiddenEverywhere(ctx context.Context, right dovetail.Right, refused *dovetail.Error) error {
	if !s.config.Audit.on() {
		return nil
	}
	who := dovetail.PrincipalOf(ctx)
	if !slices.ContainsFunc(s.Model().Kinds(), func(kind *schema.Kind) bool {
		return !kind.Abstract && s.level(who, AuditVerb(right), kind.Name, "") != AuditNone
	}) {
		return nil
	}
	record := newRecord(ctx, s.now())
	record.Refused = refused.Message
	if right == dovetail.RightRead {
		record.Event = eventOf(ctx)
	}
	return s.emit(ctx, record)
}

// recordForbiddenRead records that a read was refused.
func (s *Store) recordForbiddenRead(ctx context.Context, kind string, id dovetail.ID, refused error) error {
	who := dovetail.PrincipalOf(ctx)
	if s.config.Audit.Level == nil || !s.config.Audit.on() || s.level(who, AuditRead, kind, id) == AuditNone {
		return nil
	}
	r := newRecord(ctx, s.now())
	r.Event, r.Refused, r.Total = eventOf(ctx), dovetail.AsError(refused).Message, 1
	r.Operations = append(r.Operations, AuditEntry{ID: id, Kind: kind})
	return s.emit(ctx, r)
}
