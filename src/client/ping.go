package client

import (
	"context"
	"net/http"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Ping returns nil if the server is ready to serve requests. It does not retry. The error usually has CodeUnavailable.
func (c *Client) Ping(ctx context.Context) error {
	answer, err := c.once(ctx, request{method: http.MethodGet, path: api.Ready})
	if err != nil {
		e := *dovetail.AsError(err)
		if e.Code == dovetail.CodeUnavailable && e.Err == nil { // it answered
			e.Message, e.Remedy = "the server at "+c.server+" is not ready", "check its /readyz and its log"
		}
		return &e
	}
	return answer.Body.Close()
}
