package client

import (
	"context"
	"net/http"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// ResultByIdempotencyKey returns the result of the client's transaction with an idempotency key, as
// store.Store.ResultByIdempotencyKey does, with the same errors. The documents in the result have only id, kind, uid and revision.
func (c *Client) ResultByIdempotencyKey(ctx context.Context, key string) (*store.Result, error) {
	result, err := c.outcome(ctx, http.MethodGet, key)
	if result == nil && err == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Reason: store.ReasonAborted,
			Message: "the transaction with this idempotency key was aborted; nothing was changed", Remedy: "use a new key for a new request"}
	}
	return result, err
}

// Abort ensures that no transaction of the client with an idempotency key is committed from now on. If one has already been committed,
// Abort returns its result, otherwise nil, as store.Store.Abort does, with the same errors.
func (c *Client) Abort(ctx context.Context, key string) (*store.Result, error) {
	return c.outcome(ctx, http.MethodDelete, key)
}

func (c *Client) outcome(ctx context.Context, method, key string) (*store.Result, error) {
	var answer struct {
		State string `json:"state"`
		resultsJSON
	}
	err := c.call(ctx, request{method: method, path: api.Fill(api.IdempotencyKey, key), query: scope{changeSet: c.scope.changeSet}.into(nil)}, &answer)
	if err != nil || answer.State != "committed" {
		return nil, err
	}
	return answer.result(nil), nil
}
