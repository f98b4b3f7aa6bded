package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// May says whether the server lets this client do something with a document, which need not exist.
func (c *Client) May(ctx context.Context, right dovetail.Right, id dovetail.ID) (bool, error) {
	var answer struct {
		Allowed bool `json:"allowed"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: "/v2/access",
		query: url.Values{"right": {string(right)}, "id": {string(id)}}}, &answer)
	return answer.Allowed, err
}
