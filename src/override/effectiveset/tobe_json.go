package effectiveset

import (
	"github.com/dovetail-store/dovetail/src/api"
	paramsets "github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// What answers say that sets are made of.
const (
	BasisCalculation = "calculation"
	BasisGenerated   = "generated-files" // with the overrides laid over them
)

// Shown is the set of a target as answers and commands give it.
type Shown struct {
	Basis      string                  `json:"basis,omitempty"` // of all views but the generated one
	Parameters *value.Value            `json:"parameters"`
	Secrets    []string                `json:"secrets,omitempty"` // paths
	Changes    *[]paramsets.Change     `json:"changes,omitempty"` // of all views but the generated one
	Explained  []paramsets.Explanation `json:"explained,omitempty"`
	Findings   []api.Finding           `json:"findings,omitempty"`
}

// Show shows a set in a view. made is nil where it is not calculated, but what was generated with the overrides laid over it; the findings then say why.
func Show(set *paramsets.EffectiveSet, made *ToBe, view paramsets.View, found []Finding) Shown {
	shown := Shown{Parameters: set.Value, Secrets: set.Secrets()}
	if view == paramsets.ViewGenerated {
		return shown
	}
	changes := append([]paramsets.Change{}, set.Changes...) // a list if there are none, not null
	shown.Basis, shown.Changes, shown.Findings = BasisGenerated, &changes, ShowFindings(found)
	if made != nil {
		shown.Basis = BasisCalculation
	}
	switch {
	case view != paramsets.ViewExplain:
	case made != nil:
		shown.Explained = made.Explain()
	default:
		shown.Explained = paramsets.Explain(&set.Merged, set.Layers)
	}
	return shown
}
