package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// messageHeader says why a client writes; it is kept with the transaction.
const messageHeader = "Dovetail-Message"

// History yields the versions of a document, newest first, as far as the history is kept: who made each version, when,
// why, and what it changed. The document may have been deleted. To read the data of a version, use PositionOf, At and Get. The
// errors are those of store.Store.History.
func (c *Client) History(ctx context.Context, id dovetail.ID) iter.Seq2[store.VersionSummary, error] {
	return func(yield func(store.VersionSummary, error) bool) {
		path, err := c.itemPath(ctx, id)
		if err != nil {
			yield(store.VersionSummary{}, err)
			return
		}
		pages[store.VersionSummary](ctx, c, request{method: http.MethodGet, path: path, query: url.Values{"view": {"history"}}})(yield)
	}
}

// transactionJSON is a transaction as the server writes it.
type transactionJSON struct {
	Position store.Cursor `json:"position"`
	Time     time.Time    `json:"time"`
	store.Provenance
	Changes []struct {
		Op      store.Op    `json:"op"`
		ID      dovetail.ID `json:"id"`
		Kind    string      `json:"kind"`
		Version string      `json:"version"`
	} `json:"changes"`
}

func (t transactionJSON) transaction() store.Transaction {
	set := store.Transaction{Cursor: t.Position, Time: t.Time, Provenance: t.Provenance}
	for _, change := range t.Changes {
		c := store.Change{Op: change.Op, ID: change.ID, Kind: change.Kind}
		if tag, err := dovetail.ParseETag(change.Version); err == nil {
			c.UID, c.Revision = tag.UID, tag.Revision
		}
		set.Changes = append(set.Changes, c)
	}
	return set
}

// Transactions returns a page of the transactions that the query selects, newest first, as store.Store.Transactions does. With Limit 0
// the server chooses the length of the page.
func (c *Client) Transactions(ctx context.Context, q store.TransactionQuery) (*store.TransactionPage, error) {
	query := url.Values{}
	for name, text := range map[string]string{"id": string(q.ID), "under": string(q.Under), "kind": q.Kind,
		"principal": q.Principal, "from": timeText(q.From), "to": timeText(q.To), "before": string(q.Before)} {
		if text != "" {
			query.Set(name, text)
		}
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	var answer struct {
		Items  []transactionJSON `json:"items"`
		Before store.Cursor      `json:"before"`
	}
	if err := c.call(ctx, request{method: http.MethodGet, path: api.Transactions, query: query}, &answer); err != nil {
		return nil, err
	}
	page := &store.TransactionPage{Next: answer.Before}
	for _, item := range answer.Items {
		page.Transactions = append(page.Transactions, item.transaction())
	}
	return page, nil
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// Transaction returns one transaction, as store.Store.Transaction does.
func (c *Client) Transaction(ctx context.Context, position store.Cursor) (store.Transaction, error) {
	var answer transactionJSON
	err := c.call(ctx, request{method: http.MethodGet, path: api.Fill(api.Transaction, string(position))}, &answer)
	return answer.transaction(), err
}

// Revert undoes a transaction with a new one, as store.Store.Revert does, with the same errors: if values were changed since, the
// code is CodeConflict with the reason store.ReasonChangedSince. It uses DryRun, Key and Message of the options.
// The result of a dry run has the resulting documents.
func (c *Client) Revert(ctx context.Context, position store.Cursor, options store.Options) (*store.Result, error) {
	return c.restore(ctx, api.Fill(api.Revert, string(position)), nil, options)
}

// Rollback restores the data and files of an earlier version of a document, or recreates a deleted one, as store.Store.Rollback
// does. version "" means the version before the last change. It uses DryRun, Key and Message of the options. The result of a dry run
// has the resulting document.
func (c *Client) Rollback(ctx context.Context, id dovetail.ID, version string, options store.Options) (*store.Result, error) {
	body, err := encode(struct {
		ID      dovetail.ID `json:"id"`
		Version string      `json:"version,omitempty"`
	}{id, version})
	if err != nil {
		return nil, err
	}
	return c.restore(ctx, api.Rollback, body, options)
}

// Rename renames or moves a document with its descendants to another id of the same kind, and rewrites the references to them, as
// store.Store.Rename does. It uses DryRun, Key and Message of the options. The result of a dry run has the resulting documents.
func (c *Client) Rename(ctx context.Context, id, to dovetail.ID, options store.Options) (*store.Result, error) {
	body, err := encode(struct {
		ID dovetail.ID `json:"id"`
		To dovetail.ID `json:"to"`
	}{id, to})
	if err != nil {
		return nil, err
	}
	return c.restore(ctx, api.Rename, body, options)
}

func (c *Client) restore(ctx context.Context, path string, body []byte, options store.Options) (*store.Result, error) {
	r := request{method: http.MethodPost, path: path, body: body, query: c.scope.into(url.Values{}), header: headerOf(options), writes: !options.DryRun}
	if options.DryRun {
		r.query.Set("dryRun", "true")
	}
	var answer resultsJSON
	if err := c.call(ctx, r, &answer); err != nil {
		return nil, err
	}
	return answer.result(nil), nil
}
