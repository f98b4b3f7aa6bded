package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// OpenWork returns the actions that are not finished, oldest first, of the given kinds or of all, as store.Store.OpenWork does.
func (c *Client) OpenWork(ctx context.Context, kinds ...string) ([]*store.Work, error) {
	var answer struct {
		Items []*store.Work `json:"items"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: api.Work, query: url.Values{"kind": kinds}}, &answer)
	return answer.Items, err
}

// ClaimWork claims the action of a document, as store.Store.ClaimWork does.
func (c *Client) ClaimWork(ctx context.Context, id dovetail.ID, worker string, during time.Duration, options store.Options) (*store.Work, error) {
	return c.postWork(ctx, api.WorkClaim, map[string]any{"id": id, "worker": worker, "seconds": wholeSeconds(during)}, options)
}

// ClaimAnyWork claims the oldest unclaimed action of the given kinds, or of all, as store.Store.ClaimAnyWork does. It returns nil if
// there is none.
func (c *Client) ClaimAnyWork(ctx context.Context, kinds []string, worker string, during time.Duration, options store.Options) (*store.Work, error) {
	body := map[string]any{"worker": worker, "seconds": wholeSeconds(during)}
	if len(kinds) > 0 {
		body["kinds"] = kinds
	}
	return c.postWork(ctx, api.WorkClaim, body, options)
}

// RenewWork extends a claim, as store.Store.RenewWork does.
func (c *Client) RenewWork(ctx context.Context, id dovetail.ID, token string, during time.Duration, options store.Options) (*store.Work, error) {
	return c.postWork(ctx, api.WorkRenew, map[string]any{"id": id, "token": token, "seconds": wholeSeconds(during)}, options)
}

// FinishWork ends a claim with a result, as store.Store.FinishWork does. Options.Request does not count: it is the request itself.
func (c *Client) FinishWork(ctx context.Context, id dovetail.ID, token string, result store.WorkResult, options store.Options) (*dovetail.Document, error) {
	body := map[string]any{"id": id, "token": token, "failed": result.Failed}
	if result.Message != "" {
		body["message"] = result.Message
	}
	if result.Status != nil {
		body["status"] = json.RawMessage(result.Status.JSON())
	}
	text, err := encode(body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Document *dovetail.Document `json:"document"`
	}
	err = c.call(ctx, request{method: http.MethodPost, path: api.WorkFinish, body: text, writes: true, header: headerOf(options)}, &answer)
	return answer.Document, err
}

func (c *Client) postWork(ctx context.Context, path string, body map[string]any, options store.Options) (*store.Work, error) {
	text, err := encode(body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Work *store.Work `json:"work"`
	}
	err = c.call(ctx, request{method: http.MethodPost, path: path, body: text, writes: true, header: headerOf(options)}, &answer)
	return answer.Work, err
}

// wholeSeconds rounds up.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
