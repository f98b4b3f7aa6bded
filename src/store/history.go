package store

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/migration"
)

// History yields the versions of a document, newest first, as far as the history is kept, each with the transaction that made it.
// Errors: CodeForbidden unless the principal may currently read the document, CodeNotFound if no version of it is kept.
func (s *Store) History(ctx context.Context, id dovetail.ID) iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		v := s.view(ctx)
		err := v.mayRead(ctx, id)
		if isInternal(id) {
			err = notFound(id)
		}
		if err != nil {
			yield(Version{}, err)
			return
		}
		for version, err := range s.backend.Versions(ctx, id) {
			if err == nil && version.Document != nil {
				err = s.recordRead(ctx, version.Document)
				version.Document = v.show(version.Document)
			}
			if err == nil {
				version.Renamed = v.renamed(version)
				version.Provenance, err = s.shownProvenance(ctx, v, version)
			}
			if !yield(version, err) || err != nil {
				return
			}
		}
	}
}

// shownProvenance returns what is shown of who made a version and why: the message was written about the whole transaction.
func (s *Store) shownProvenance(ctx context.Context, v *view, version Version) (Provenance, error) {
	if v == nil {
		return version.Provenance, nil
	}
	version.Origin = v.origin(version.Origin)
	if version.Message == "" {
		return version.Provenance, nil
	}
	set, err := s.backend.Transaction(ctx, version.Cursor)
	if err != nil {
		return Provenance{}, err
	}
	shown, _ := v.transaction(set)
	return shown.Provenance, nil
}

// transaction returns a commit as it is shown, and whether any of it is: without the changes of documents that may not be
// read, and then without its message. Documents of the store's own are never shown.
func (v *view) transaction(set Transaction) (Transaction, bool) {
	var shown []Change
	omitted := false
	for _, c := range set.Changes {
		switch {
		case isInternal(c.ID):
		case v.reads(c.Kind, c.ID):
			shown = append(shown, c)
		default:
			omitted = true
		}
	}
	set.Changes = shown
	if omitted {
		set.Message = ""
	}
	if v != nil {
		set.Origin = v.origin(set.Origin)
	}
	return set, len(shown) > 0
}

// origin is what is shown of an origin: that of a rename, and of a migration that moves subtrees, names documents.
func (v *view) origin(text string) string {
	if moves := renamesOf(text); len(moves) > 0 {
		if first := moves[0]; !v.readsID(first.From) || !v.readsID(first.To) {
			return strings.TrimSuffix(renameOrigin, ":")
		}
		return slices.DeleteFunc(moves, func(move dovetail.Move) bool { return !v.readsID(move.From) || !v.readsID(move.To) }).origin()
	}
	if c := migration.ParseOrigin(text, false); c != nil {
		for _, move := range c.Subtrees() {
			if !(v.readsID(move.From) && v.readsID(move.To)) {
				return strings.TrimSuffix(migration.OriginPrefix, ":")
			}
		}
	}
	return text
}

// readsID reports whether the document of an id may be read, which need not exist.
func (v *view) readsID(id dovetail.ID) bool {
	if v == nil {
		return true
	}
	kind, err := v.store.Model().KindOf(id)
	return err == nil && v.reads(kind.Name, id)
}

// renamed returns the other id of the document in a version that a rename made, "" if there is none that may be read.
func (v *view) renamed(version Version) dovetail.ID {
	if version.Op == Updated {
		return ""
	}
	created := version.Op == Created
	other := migration.OfOrigin(version.Origin, version.ID, created)
	if moves := renamesOf(version.Origin); moves != nil {
		other = moves.of(version.ID, created)
	}
	if other == version.ID || !v.readsID(other) {
		return ""
	}
	return other
}

// TransactionQuery selects transactions. All conditions must hold; the zero value selects all.
type TransactionQuery struct {
	ID        dovetail.ID // only transactions that changed this document
	Under     dovetail.ID // only those that changed a document below this id
	Kind      string      // only those that changed a document of this kind
	Principal string      // only those of this principal
	From, To  time.Time   // only those in this interval, From included, To excluded; zero means unbounded
	Before    Cursor      // only those before this position; "" means from the latest
	Limit     int         // maximum number of transactions; 0 means no limit
}

// TransactionPage is a page of transactions, newest first.
type TransactionPage struct {
	Transactions []Transaction
	// Next is the TransactionQuery.Before of the next page; "" means that this is the last page.
	Next Cursor
}

// Transactions returns the transactions that the query selects, if the principal may read at least one of the changed documents. The
// changes of other documents are omitted, and then the message, too.
func (s *Store) Transactions(ctx context.Context, q TransactionQuery) (*TransactionPage, error) {
	v, page := s.view(ctx), &TransactionPage{}
	for set, err := range s.backend.Transactions(ctx, q.Before) {
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, dovetail.AsError(ctx.Err())
		}
		if !q.From.IsZero() && set.Time.Before(q.From) {
			break // earlier ones are older
		}
		shown, some := v.transaction(set)
		if !some || !q.selects(shown) {
			continue
		}
		if n := len(page.Transactions); q.Limit > 0 && n == q.Limit {
			page.Next = page.Transactions[n-1].Cursor
			break
		}
		page.Transactions = append(page.Transactions, shown)
	}
	return page, nil
}

func (q TransactionQuery) selects(set Transaction) bool {
	if q.Principal != "" && set.Principal != q.Principal || !q.To.IsZero() && !set.Time.Before(q.To) {
		return false
	}
	for _, c := range set.Changes {
		if (q.ID == "" || c.ID == q.ID) && (q.Under == "" || c.ID.IsDescendantOf(q.Under)) && (q.Kind == "" || c.Kind == q.Kind) {
			return true
		}
	}
	return false
}

// Transaction returns one transaction, filtered like those of Transactions. The error has CodeNotFound if it does not exist or the
// principal may not read any of its changes.
func (s *Store) Transaction(ctx context.Context, position Cursor) (Transaction, error) {
	set, err := s.backend.Transaction(ctx, position)
	if err != nil {
		return Transaction{}, err
	}
	shown, some := s.view(ctx).transaction(set)
	if !some {
		return Transaction{}, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no transaction " + string(position) + " that may be read"}
	}
	return shown, nil
}

// Shown returns a transaction of Backend.Changes filtered as by Transactions, and whether the principal may read any of its changes.
func (s *Store) Shown(ctx context.Context, set Transaction) (Transaction, bool) {
	return s.view(ctx).transaction(set)
}
