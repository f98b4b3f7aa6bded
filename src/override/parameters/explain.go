package parameters

import (
	"github.com/dovetail-store/dovetail/src/value"
)

// Reasons why a value is the effective one.
const (
	BecauseOnly     = "only"     // no other source sets it
	BecauseLater    = "later"    // it comes last among the sources that set it
	BecauseOverride = "override" // an override replaces the generated value
	// It is calculated; no source sets it.
	BecauseCalculated = "calculated"
)

// Explanation says where one parameter comes from.
type Explanation struct {
	Path   string       `json:"path"`
	Value  *value.Value `json:"value"`
	Source Source       `json:"source"` // of the effective value
	Why    string       `json:"why"`    // one of the words above
	Chain  []Assignment `json:"chain"`  // all assignments, from the first to the last
}

// Assignment is the value that one source gives a parameter.
type Assignment struct {
	Source
	Path      string       `json:"path,omitempty"`  // of the assignment, if it sets a map that contains the parameter
	Value     *value.Value `json:"value,omitempty"` // nil for a credential
	Effective bool         `json:"won,omitempty"`   // this value is the effective one
	// Input says that this is one of the values from which the generated one was made.
	Input bool `json:"input,omitempty"`
	// Calculated says that no source sets it: it follows from the environment.
	Calculated bool `json:"calculated,omitempty"`
	// Macros are those of the effective value, in a calculated set.
	Macros []Reference `json:"macros,omitempty"`
}

// Reference is a macro, and the assignments of the parameter that it refers to.
type Reference struct {
	Macro string       `json:"macro"`
	Chain []Assignment `json:"chain"`
}

// Explain says where every parameter of merged layers comes from, in the order of Leaves.
func Explain(m *Merged, layers []Layer) []Explanation {
	all := make([]Explanation, len(m.Leaves))
	steps := 0
	for i := range m.Leaves {
		steps += len(m.Leaves[i].Steps)
	}
	said := make([]Assignment, 0, steps)
	for i := range m.Leaves {
		leaf := &m.Leaves[i]
		start, givers := len(said), 0
		for n, s := range leaf.Steps {
			layer := &layers[s.Layer]
			one := Assignment{Source: layer.Source, Value: s.Value, Effective: n == leaf.won, Input: layer.Input}
			if s.Path != leaf.Path {
				one.Path = s.Path
			}
			if !layer.Input {
				givers++
			}
			said = append(said, one)
		}
		all[i] = Explanation{Path: leaf.Path, Value: leaf.Value, Source: layers[leaf.Winner().Layer].Source, Chain: said[start:len(said):len(said)]}
		all[i].Why = why(&all[i].Source, givers)
	}
	return all
}

func why(winner *Source, givers int) string {
	switch {
	case givers == 1:
		return BecauseOnly
	case winner.Override:
		return BecauseOverride
	}
	return BecauseLater
}
