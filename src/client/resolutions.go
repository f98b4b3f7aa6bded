package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/dovetail-store/dovetail/src/store"
)

// PlanApproval is the approval of a plan.
type PlanApproval struct {
	By   string    `json:"by"`
	Time time.Time `json:"time"`
	Plan string    `json:"plan"` // its digest
}

// ApprovePlan approves the plan of an ActiveResolution; plan is its digest from the status. If the plan is already approved, it returns
// the existing approval. It uses Message of the options. Errors: CodeConflict if the plan has changed or no plan is waiting for
// approval; CodeForbidden for the user who wrote the ActiveResolution.
func (c *Client) ApprovePlan(ctx context.Context, resolution, plan string, options store.Options) (*PlanApproval, error) {
	body, err := encode(map[string]string{"plan": plan})
	if err != nil {
		return nil, err
	}
	approval := new(PlanApproval)
	r := request{method: http.MethodPost, path: "/api/active-resolutions/" + url.PathEscape(resolution) + "/approve",
		header: headerOf(store.Options{Message: options.Message}), body: body, writes: true}
	if err := c.call(ctx, r, approval); err != nil {
		return nil, err
	}
	return approval, nil
}
