package httpapi

import (
	"context"
	"io"
	"iter"
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// atParameter is the moment that a read is of: a time, a position, or of an item one of its versions.
const atParameter = "at"

// positionHeader says which position an answer was read at.
const positionHeader = "Dovetail-Position"

// goBack has the request read the past where it asks for that, and returns the store as of then.
func (x *requestContext) goBack() (*store.Store, error) {
	query := x.r.URL.Query()
	if !query.Has(atParameter) || x.method.ownAt || !x.method.past && x.r.Method != http.MethodGet && x.r.Method != http.MethodHead {
		return nil, nil // a write refuses it with the other parameters that it does not know
	}
	if !x.method.past || x.watching() {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "this cannot be read as of an earlier position", Remedy: "leave out " + atParameter}
	}
	item := dovetail.ID("")
	if x.route.what != collectionRoute {
		item = x.resource
	}
	position, err := x.api.store.PositionOf(x.ctx, query.Get(atParameter), item)
	if err != nil {
		return nil, err
	}
	then, err := x.api.store.At(x.ctx, position)
	if err != nil {
		return nil, err
	}
	x.read(then)
	return then, nil
}

// reader is what a request reads: the store of now, or that of a position.
type reader interface {
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
	List(ctx context.Context, q store.ListQuery) (*store.Page, error)
	Referrers(ctx context.Context, id, after dovetail.ID, limit int) ([]dovetail.ID, error)
	Children(ctx context.Context, id, after dovetail.ID, limit int) ([]*dovetail.Document, dovetail.ID, error)
	Tree(ctx context.Context, id dovetail.ID, depth, limit int) (*store.Node, error)
	Backup(ctx context.Context, o store.BackupOptions) (*store.Backup, error)
	Checkpoint(ctx context.Context, begin func(store.Checkpoint) (io.Writer, error)) error
	At(ctx context.Context, position store.Cursor) (*store.Store, error)
	Pin(ctx context.Context) (*store.Store, error)
	Position() store.Cursor
	PositionOf(ctx context.Context, text string, id dovetail.ID) (store.Cursor, error)
	History(ctx context.Context, id dovetail.ID) iter.Seq2[store.Version, error]
	Authors(ctx context.Context, ids []dovetail.ID) ([]store.Author, error)
	Transactions(ctx context.Context, q store.TransactionQuery) (*store.TransactionPage, error)
	Transaction(ctx context.Context, position store.Cursor) (store.Transaction, error)
}

// read has the request read another store: that of a position, or of a change set over one, which the answer tells.
func (x *requestContext) read(then *store.Store) {
	if x.proposed == nil || x.proposed.Store != then {
		x.store = then
	}
	if position := then.Position(); position != "" {
		x.w.Header().Set(positionHeader, string(position))
	}
}
