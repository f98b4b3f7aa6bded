package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// SetImpact is what a change does to the effective sets of environments.
type SetImpact struct {
	Environments []EnvironmentImpact `json:"environments"`
	Calculated   int                 `json:"calculated"` // how many environments the change may reach
	Changed      int                 `json:"changed"`    // how many have differences
	Failed       int                 `json:"failed"`     // of how many the set is not complete
	Differences  int                 `json:"differences"`
	Omitted      int                 `json:"omitted"`    // how many differences, problems and findings are not among Environments
	Unmeasured   int                 `json:"unmeasured"` // how many environments were not looked at, since it took too long
}

// EnvironmentImpact is what it does to the set of one.
type EnvironmentImpact struct {
	Environment string          `json:"environmentId"`
	Total       int             `json:"total"` // of differences, problems and findings
	Differences []SetDifference `json:"differences"`
	Problems    []SetProblem    `json:"problems"`
	Findings    []SetFinding    `json:"findings"`
}

// SetDifference is a value of a file that differs. The values of secrets are not told.
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

// SetProblem is why a set is not complete.
type SetProblem struct {
	When     string `json:"when"` // "before" the change, "after" it, or "both"
	Reason   string `json:"reason,omitempty"`
	Location string `json:"location,omitempty"`
	Message  string `json:"message"`
	Remedy   string `json:"remedy,omitempty"`
}

// SetFinding is something else to know of the change.
type SetFinding struct {
	Reason   string `json:"reason"`
	Location string `json:"location,omitempty"`
	Message  string `json:"message"`
}

// SetDraft is an override or a ParamSet as it would be stored, one of the two: JSON, as the paths that store them take it.
type SetDraft struct {
	Override json.RawMessage `json:"override,omitempty"`
	ParamSet json.RawMessage `json:"paramSet,omitempty"`
}

// SetImpact says what an override or a ParamSet would do to the effective sets of environments that the principal may read. Nothing is stored. At most limit
// differences, problems and findings are listed. Errors: those of storing it, except those of what is stored.
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
