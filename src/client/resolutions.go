package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/store"
)

// ApprovePlan approves the plan of an ActiveResolution; plan is its digest from the status. If the plan is already approved, it returns
// the existing approval. It uses Message of the options. Errors: CodeConflict if the plan has changed or no plan is waiting for
// approval; CodeForbidden for the user who wrote the ActiveResolution.
func (c *Client) ApprovePlan(ctx context.Context, resolution, plan string, options store.Options) (*api.PlanApproval, error) {
	body, err := encode(map[string]string{"plan": plan})
	if err != nil {
		return nil, err
	}
	approval := new(api.PlanApproval)
	r := request{method: http.MethodPost, path: "/api/active-resolutions/" + url.PathEscape(resolution) + "/approve",
		header: headerOf(store.Options{Message: options.Message}), body: body, writes: true}
	if err := c.call(ctx, r, approval); err != nil {
		return nil, err
	}
	return approval, nil
}
