package api

import "encoding/json"

// SetImpact is the impact of a change on the effective sets of environments.
type SetImpact struct {
	Basis        string              `json:"basis" enum:"calculation"`
	Environments []EnvironmentImpact `json:"environments"`
	Calculated   int                 `json:"calculated" doc:"the number of environments that the change may affect"`
	Changed      int                 `json:"changed" doc:"the number of environments with differences"`
	Failed       int                 `json:"failed" doc:"the number of environments whose set is incomplete"`
	Differences  int                 `json:"differences"`
	Omitted      int                 `json:"omitted" doc:"the number of differences, problems and findings that are not listed"`
	Unmeasured   int                 `json:"unmeasured" doc:"the number of environments that were not calculated, because the time limit was reached"`
}

// EnvironmentImpact is the impact of a change on the effective set of one environment.
type EnvironmentImpact struct {
	Environment string          `json:"environmentId"`
	Total       int             `json:"total" doc:"the number of differences, problems and findings"`
	Differences []SetDifference `json:"differences"`
	Problems    []SetProblem    `json:"problems"`
	Findings    []Finding       `json:"findings"`
}

// SetDifference is a changed value of a file. The values of secrets are not included.
type SetDifference struct {
	File   string          `json:"file"`
	Path   string          `json:"path"` // JSON Pointer
	Op     ChangeOp        `json:"op"`
	From   json.RawMessage `json:"from,omitempty"`
	To     json.RawMessage `json:"to,omitempty"`
	Secret bool            `json:"secret,omitempty"`
	Level  string          `json:"level,omitempty" doc:"the level of the origin" enum:"tenant,cloud,cloud-application,namespace,application,custom,calculated"`
	Source string          `json:"source,omitempty" doc:"the ParamSet, or the file, line and column"`
}

// SetProblem is an error that makes a set incomplete.
type SetProblem struct {
	When When `json:"when"`
	Finding
}

// When names the sets that have a problem.
type When string

// The sets of a comparison.
const (
	Before When = "before" // the set before the change
	After  When = "after"
	Both   When = "both"
)

// Values returns all of them.
func (When) Values() []string { return texts(Before, After, Both) }

// SetDraft is an override or a ParamSet to be stored, exactly one of the two, as the JSON body of the request that stores it.
type SetDraft struct {
	Override json.RawMessage `json:"override,omitempty"`
	ParamSet json.RawMessage `json:"paramSet,omitempty"`
}

// SetProgress is the progress of the calculation of an impact. All fields count environments, except Differences.
type SetProgress struct {
	Environments int `json:"environments" doc:"environments to examine"`
	Examined     int `json:"looked" doc:"environments that have been examined"`
	Calculated   int `json:"calculated"`
	Changed      int `json:"changed"`
	Failed       int `json:"failed"`
	Differences  int `json:"differences"`
}
