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

// ApprovePlan approves the plan of an ActiveResolution, by its digest as the status has it. A plan that is approved already stays so, and
// the answer says by whom. Of the options, Message counts. Errors: CodeConflict where the plan is another one by now, or none waits for an
// approval; CodeForbidden for who wrote the ActiveResolution.
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
