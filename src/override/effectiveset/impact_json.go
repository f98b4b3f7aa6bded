package effectiveset

import (
	"cmp"
	"encoding/json"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/value"
)

// When returns the sets that have a problem.
func (p Problem) When() api.When {
	switch {
	case !p.Before:
		return api.After
	case !p.After:
		return api.Before
	}
	return api.Both
}

// MarshalJSON gives all but the values of secrets.
func (i *Impact) MarshalJSON() ([]byte, error) {
	made := api.SetImpact{Basis: BasisCalculation, Environments: make([]api.EnvironmentImpact, len(i.Environments)), Calculated: i.Calculated, Changed: i.Changed, Failed: i.Failed, Differences: i.Differences, Omitted: i.Omitted, Unmeasured: i.Unmeasured}
	for n, e := range i.Environments {
		one := api.EnvironmentImpact{Environment: e.Environment, Total: e.Total, Differences: []api.SetDifference{}, Problems: []api.SetProblem{}, Findings: append([]api.Finding{}, ShowFindings(e.Findings)...)}
		for _, d := range e.Differences {
			shown := api.SetDifference{File: d.File, Path: d.Path, Op: api.ChangeOp(d.Op), Secret: d.Secret, Level: string(d.Origin.Level), Source: d.Origin.Position.String()}
			if !d.Secret {
				shown.From, shown.To = jsonOf(d.From), jsonOf(d.To)
			}
			one.Differences = append(one.Differences, shown)
		}
		for _, p := range e.Problems {
			problem := api.SetProblem{When: p.When(), Finding: ShowError(p.Err)}
			problem.Reason = cmp.Or(problem.Reason, string(p.Err.Code))
			one.Problems = append(one.Problems, problem)
		}
		made.Environments[n] = one
	}
	return json.Marshal(made)
}

func jsonOf(v *value.Value) json.RawMessage {
	if v == nil {
		return nil
	}
	return v.JSON()
}
