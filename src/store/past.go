package store

import (
	"context"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// At returns a read-only store as of a position, "" for the current one. All reads are as of that position, with the current access
// rights. It holds no resources; reads return CodeExpired when the history of the position is no longer kept.
// The errors are those of Historian.At.
func (s *Store) At(ctx context.Context, position Cursor) (*Store, error) {
	if then, ok := s.past(); ok {
		if position == "" || position == then.Position() {
			return s, nil
		}
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "two positions are given",
			Remedy: "go on with the list under the position that it began with"}
	}
	snapshot, err := s.backend.At(ctx, position)
	if err != nil {
		return nil, err
	}
	then := &Store{backend: &past{snapshot, s.backend}, config: s.config, indexes: s.indexes}
	then.model.Store(s.Model())
	return then, nil
}

// past returns the past that the store reads, where it does, also below staged documents.
func (s *Store) past() (*past, bool) {
	if view := s.overlay(); view != nil {
		return &view.past, true
	}
	then, ok := s.backend.(*past)
	return then, ok
}

// Position returns the position at which a store returned by At or Overlay reads, "" for a store that reads the current state.
func (s *Store) Position() Cursor {
	if then, ok := s.past(); ok {
		return then.Position()
	}
	return ""
}

// PositionOf resolves a text to a position: a time (RFC 3339, or a day), a version of the document with the id, or
// a position.
func (s *Store) PositionOf(ctx context.Context, text string, id dovetail.ID) (Cursor, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return s.backend.PositionAt(ctx, at)
		}
	}
	_, invalid := s.backend.At(ctx, Cursor(text))
	if dovetail.CodeOf(invalid) != dovetail.CodeInvalid {
		return Cursor(text), invalid
	}
	if id == "" {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Err: invalid, Message: strconv.Quote(text) + " is neither a time nor a position of this store",
			Remedy: "give a time as 2026-11-21T12:00:00Z, a day as 2026-11-21, or a position of the history"}
	}
	for v, err := range s.History(ctx, id) {
		if err != nil {
			return "", err
		}
		if v.Op != Deleted && (dovetail.ETag{UID: v.UID, Revision: v.Revision}).Version() == strings.Trim(text, `"`) && v.Cursor != "" {
			return v.Cursor, nil
		}
	}
	return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: strconv.Quote(text) + " is neither a time nor a position nor a version of " + string(id),
		Remedy: "give a time as 2026-11-21T12:00:00Z, or a position or version of the history of the document"}
}

// past is a backend that reads a snapshot. It writes documents of the store's own only: records of what is read.
type past struct {
	Snapshot
	now Backend
}

// Commit refuses to change what was.
func (p *past) Commit(ctx context.Context, txn Txn) error {
	for _, doc := range txn.Puts {
		if !isInternal(doc.ID) {
			return readOnly()
		}
	}
	if len(txn.Deletes) > 0 {
		return readOnly()
	}
	return p.now.Commit(ctx, txn)
}

func readOnly() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "an earlier position cannot be written", Remedy: "leave out the position"}
}

// Head is the position of the snapshot.
func (p *past) Head(context.Context) (Cursor, error) { return p.Position(), nil }

// Changes refuses: a watch is about what comes.
func (p *past) Changes(context.Context, Cursor) iter.Seq2[Transaction, error] {
	return func(yield func(Transaction, error) bool) { yield(Transaction{}, readOnly()) }
}

// ChangesUntilNow has none: nothing is committed to what was.
func (p *past) ChangesUntilNow(context.Context, Cursor) iter.Seq2[Transaction, error] {
	return func(func(Transaction, error) bool) {}
}

// At implements Historian.
func (p *past) At(ctx context.Context, position Cursor) (Snapshot, error) {
	return p.now.At(ctx, position)
}

// Compare implements Historian.
func (p *past) Compare(a, b Cursor) (int, error) { return p.now.Compare(a, b) }

// Rewrite refuses: the history is that of now.
func (p *past) Rewrite(context.Context, func(*dovetail.Document) (*dovetail.Document, error)) error {
	return readOnly()
}

// Wipe refuses: the files are those of now.
func (p *past) Wipe(context.Context) error { return readOnly() }

// SetTerms refuses: indexes are of now.
func (p *past) SetTerms(context.Context, []*dovetail.Document) error { return readOnly() }

// PositionAt implements Historian.
func (p *past) PositionAt(ctx context.Context, at time.Time) (Cursor, error) {
	return p.now.PositionAt(ctx, at)
}

// Expire refuses: upkeep is for the store of now.
func (p *past) Expire(context.Context, Retention) error { return readOnly() }

// Versions implements Historian.
func (p *past) Versions(ctx context.Context, id dovetail.ID) iter.Seq2[Version, error] {
	return p.now.Versions(ctx, id)
}

// CurrentVersions implements Historian.
func (p *past) CurrentVersions(ctx context.Context, ids []dovetail.ID) ([]*Version, error) {
	return p.now.CurrentVersions(ctx, ids)
}

// Transaction implements Historian.
func (p *past) Transaction(ctx context.Context, position Cursor) (Transaction, error) {
	return p.now.Transaction(ctx, position)
}

// Transactions implements Historian.
func (p *past) Transactions(ctx context.Context, before Cursor) iter.Seq2[Transaction, error] {
	return p.now.Transactions(ctx, before)
}

// TransactionsAfter implements Historian.
func (p *past) TransactionsAfter(ctx context.Context, after Cursor) iter.Seq2[Transaction, error] {
	return p.now.TransactionsAfter(ctx, after)
}

// Check finds nothing: what is checked is what there is now.
func (p *past) Check(context.Context, bool) iter.Seq2[Finding, error] {
	return func(func(Finding, error) bool) {}
}

// Checkpoint refuses: a checkpoint is of now.
func (p *past) Checkpoint(context.Context, func(Checkpoint) (io.Writer, error)) error {
	return checkpointOfNow()
}

// Capabilities are those of the database, with lists of one instant.
func (p *past) Capabilities() Capabilities {
	c := p.now.Capabilities()
	c.SnapshotList = true
	return c
}

// Time implements Backend.
func (p *past) Time(ctx context.Context) (time.Time, error) { return p.now.Time(ctx) }

// Ping implements Backend.
func (p *past) Ping(ctx context.Context) error { return p.now.Ping(ctx) }

// Close leaves the database open.
func (p *past) Close() error { return nil }

// sealedReader reads documents of sensitive kinds as they may leave the database: a Sealer and its snapshots.
type sealedReader interface {
	ListSealed(ctx context.Context, q Query) iter.Seq2[*dovetail.Document, error]
}

// sealedReader returns what lists sealed documents, where the database encrypts; staged documents are not sealed.
func (s *Store) sealedReader() (sealedReader, bool) {
	if then, ok := s.backend.(*past); ok {
		reader, ok := then.Snapshot.(sealedReader)
		return reader, ok
	}
	reader, ok := s.backend.(Sealer)
	return reader, ok
}

// sealer returns the backend where it encrypts, also that of a past.
func (s *Store) sealer() (Sealer, bool) {
	backend := s.backend
	if then, ok := s.past(); ok {
		backend = then.now
	}
	sealer, ok := backend.(Sealer)
	return sealer, ok
}

// Pin returns the store as of the current position if the database supports that at no cost, and otherwise the store itself. It is for
// lists of several pages.
func (s *Store) Pin(ctx context.Context) (*Store, error) {
	if c := s.backend.Capabilities(); !c.SnapshotList || !c.Versions {
		return s, nil
	}
	return s.At(ctx, "")
}

// pinned returns the store that a page of a list is read from.
func (s *Store) pinned(ctx context.Context, q ListQuery) (*Store, error) {
	switch {
	case q.Position != "":
		return s.At(ctx, q.Position)
	case q.Limit > 0:
		return s.Pin(ctx)
	}
	return s, nil
}
