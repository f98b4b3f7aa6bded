package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// SetImpact is the impact of a change on the effective sets of environments.
type SetImpact struct {
	Basis        string              `json:"basis"` // "calculation"
	Environments []EnvironmentImpact `json:"environments"`
	Calculated   int                 `json:"calculated"` // how many environments the change may reach
	Changed      int                 `json:"changed"`    // how many have differences
	Failed       int                 `json:"failed"`     // how many have an incomplete set
	Differences  int                 `json:"differences"`
	Omitted      int                 `json:"omitted"`    // how many differences, problems and findings are not listed in Environments
	Unmeasured   int                 `json:"unmeasured"` // how many environments were not calculated, because the time limit was reached
}

// EnvironmentImpact is the impact of a change on the effective set of one environment.
type EnvironmentImpact struct {
	Environment string          `json:"environmentId"`
	Total       int             `json:"total"` // of differences, problems and findings
	Differences []SetDifference `json:"differences"`
	Problems    []SetProblem    `json:"problems"`
	Findings    []SetFinding    `json:"findings"`
}

// SetDifference is a changed value of a file. The values of secrets are not included.
type SetDifference struct {
	File   string          `json:"file"`
	Path   string          `json:"path"` // JSON Pointer
	Op     string          `json:"op"`   // "add", "remove" or "replace"
	From   json.RawMessage `json:"from,omitempty"`
	To     json.RawMessage `json:"to,omitempty"`
	Secret bool            `json:"secret,omitempty"`
	Level  string          `json:"level,omitempty"`  // where it comes from: "tenant", "cloud", "cloud-application", "namespace", "application", "custom" or "calculated"
	Source string          `json:"source,omitempty"` // the ParamSet, or the file, line and column
}

// SetProblem says why a set is incomplete.
type SetProblem struct {
	Severity string `json:"severity"` // "error"
	When     string `json:"when"`     // "before" the change, "after" it, or "both"
	Reason   string `json:"reason,omitempty"`
	Location string `json:"location,omitempty"`
	Message  string `json:"message"`
	Remedy   string `json:"remedy,omitempty"`
}

// SetFinding is a finding about the changed set.
type SetFinding struct {
	Severity string `json:"severity"` // "error": something is missing; or "warning"
	Reason   string `json:"reason,omitempty"`
	Location string `json:"location,omitempty"`
	Message  string `json:"message"`
	Remedy   string `json:"remedy,omitempty"`
}

// SetDraft is an override or a ParamSet to be stored, exactly one of the two, as the JSON body of the request that stores it.
type SetDraft struct {
	Override json.RawMessage `json:"override,omitempty"`
	ParamSet json.RawMessage `json:"paramSet,omitempty"`
}

// SetProgress is the progress of the calculation of an impact. All fields count environments, except Differences.
type SetProgress struct {
	Environments int `json:"environments"` // how many there are to examine
	Examined     int `json:"looked"`       // how many of them were examined so far
	Calculated   int `json:"calculated"`
	Changed      int `json:"changed"`
	Failed       int `json:"failed"`
	Differences  int `json:"differences"`
}

// WholeSetImpact is SetImpact for all environments, without the time limit of a request: it ends with ctx. The server reports its
// progress over the connection; progress is called with each report, and must not be nil.
func (c *Client) WholeSetImpact(ctx context.Context, draft SetDraft, limit int, progress func(SetProgress)) (*SetImpact, error) {
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
			Progress *SetProgress
			Impact   *SetImpact
			Problem  *problemJSON
		}
		switch err := lines.Decode(&line); {
		case err != nil && ctx.Err() != nil:
			return nil, dovetail.AsError(ctx.Err())
		case err != nil:
			return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the server at " + c.server + " ended its answer before the impact: " + reason(err),
				Remedy: "try again; the server keeps what it has calculated", Err: err}
		case line.Problem != nil:
			return nil, line.Problem.error()
		case line.Impact != nil:
			return line.Impact, nil
		case line.Progress != nil:
			progress(*line.Progress)
		}
	}
}

// SetImpact returns the impact that an override or a ParamSet would have on the effective sets of the environments that the principal
// may read. Nothing is stored. At most limit differences, problems and findings are listed. Errors: those of an invalid draft.
func (c *Client) SetImpact(ctx context.Context, draft SetDraft, limit int) (*SetImpact, error) {
	body, err := encode(draft)
	if err != nil {
		return nil, err
	}
	impact := new(SetImpact)
	r := request{method: http.MethodPost, path: "/api/effective-set/impact", query: c.scope.into(url.Values{"limit": {strconv.Itoa(limit)}}), body: body}
	if err := c.call(ctx, r, impact); err != nil {
		return nil, err
	}
	return impact, nil
}
