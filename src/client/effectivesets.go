package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// WholeSetImpact is SetImpact for all environments, without the time limit of a request: it ends with ctx. The server reports its
// progress over the connection; progress is called with each report, and must not be nil.
func (c *Client) WholeSetImpact(ctx context.Context, draft api.SetDraft, limit int, progress func(api.SetProgress)) (*api.SetImpact, error) {
	body, err := encode(draft)
	if err != nil {
		return nil, err
	}
	r := request{method: http.MethodPost, path: "/api/effective-set/impact", query: c.scope.into(url.Values{"limit": {strconv.Itoa(limit)}, "progress": {"true"}}), body: body}
	answer, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	for lines := json.NewDecoder(answer.Body); ; {
		var line struct {
			Progress *api.SetProgress
			Impact   *api.SetImpact
			Problem  *api.Problem
		}
		switch err := lines.Decode(&line); {
		case err != nil && ctx.Err() != nil:
			return nil, dovetail.AsError(ctx.Err())
		case err != nil:
			return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the server at " + c.server + " ended its answer before the impact: " + reason(err),
				Remedy: "try again; the server keeps what it has calculated", Err: err}
		case line.Problem != nil:
			return nil, line.Problem.AsError()
		case line.Impact != nil:
			return line.Impact, nil
		case line.Progress != nil:
			progress(*line.Progress)
		}
	}
}

// SetImpact returns the impact that an override or a ParamSet would have on the effective sets of the environments that the principal
// may read. Nothing is stored. At most limit differences, problems and findings are listed. Errors: those of an invalid draft.
func (c *Client) SetImpact(ctx context.Context, draft api.SetDraft, limit int) (*api.SetImpact, error) {
	body, err := encode(draft)
	if err != nil {
		return nil, err
	}
	impact := new(api.SetImpact)
	r := request{method: http.MethodPost, path: "/api/effective-set/impact", query: c.scope.into(url.Values{"limit": {strconv.Itoa(limit)}}), body: body}
	if err := c.call(ctx, r, impact); err != nil {
		return nil, err
	}
	return impact, nil
}
