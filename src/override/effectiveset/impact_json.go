package effectiveset

import (
	"cmp"
	"encoding/json"

	"github.com/dovetail-store/dovetail/src/value"
)

type jsonImpact struct {
	Basis        string            `json:"basis"`
	Environments []jsonEnvironment `json:"environments"`
	Calculated   int               `json:"calculated"`
	Changed      int               `json:"changed"`
	Failed       int               `json:"failed"`
	Differences  int               `json:"differences"`
	Omitted      int               `json:"omitted"`
	Unmeasured   int               `json:"unmeasured"`
}

type jsonEnvironment struct {
	Environment string           `json:"environmentId"`
	Total       int              `json:"total"`
	Differences []jsonDifference `json:"differences"`
	Problems    []jsonProblem    `json:"problems"`
	Findings    []ShownFinding   `json:"findings"`
}

type jsonDifference struct {
	File   string       `json:"file"`
	Path   string       `json:"path"`
	Op     Op           `json:"op"`
	From   *value.Value `json:"from,omitempty"`
	To     *value.Value `json:"to,omitempty"`
	Secret bool         `json:"secret,omitempty"`
	Level  Level        `json:"level,omitempty"`
	Source string       `json:"source,omitempty"`
}

type jsonProblem struct {
	When string `json:"when"`
	ShownFinding
}

// When says which of the sets a problem is of: before, after or both.
func (p Problem) When() string {
	switch {
	case !p.Before:
		return "after"
	case !p.After:
		return "before"
	}
	return "both"
}

// MarshalJSON gives all but the values of secrets.
func (i *Impact) MarshalJSON() ([]byte, error) {
	made := jsonImpact{Basis: BasisCalculation, Environments: make([]jsonEnvironment, len(i.Environments)), Calculated: i.Calculated, Changed: i.Changed, Failed: i.Failed, Differences: i.Differences, Omitted: i.Omitted, Unmeasured: i.Unmeasured}
	for n, e := range i.Environments {
		one := jsonEnvironment{Environment: e.Environment, Total: e.Total, Differences: []jsonDifference{}, Problems: []jsonProblem{}, Findings: append([]ShownFinding{}, ShowFindings(e.Findings)...)}
		for _, d := range e.Differences {
			shown := jsonDifference{File: d.File, Path: d.Path, Op: d.Op, From: d.From, To: d.To, Secret: d.Secret, Level: d.Origin.Level, Source: d.Origin.Position.String()}
			if d.Secret {
				shown.From, shown.To = nil, nil
			}
			one.Differences = append(one.Differences, shown)
		}
		for _, p := range e.Problems {
			problem := jsonProblem{p.When(), ShowError(p.Err)}
			problem.Reason = cmp.Or(problem.Reason, string(p.Err.Code))
			one.Problems = append(one.Problems, problem)
		}
		made.Environments[n] = one
	}
	return json.Marshal(made)
}
