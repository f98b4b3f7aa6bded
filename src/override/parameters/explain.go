package parameters

import (
	"github.com/dovetail-store/dovetail/src/value"
)

// Why a value is the one that counts.
const (
	BecauseOnly     = "only"     // no other source sets it
	BecauseLater    = "later"    // of the sources that set it, this one comes last
	BecauseOverride = "override" // it is laid over what was generated
	// It is calculated, and no source sets it.
	BecauseCalculated = "calculated"
)

// Explanation says where one parameter comes from.
type Explanation struct {
	Path   string       `json:"path"`
	Value  *value.Value `json:"value"`
	Source Source       `json:"source"` // which won
	Why    string       `json:"why"`    // one of the words above
	Chain  []Said       `json:"chain"`  // who set it, from the first to the last
}

// Said is what one source says about a parameter.
type Said struct {
	Source
	Path  string       `json:"path,omitempty"`  // when it is not the parameter's own, but one above it
	Value *value.Value `json:"value,omitempty"` // nil for a credential
	Won   bool         `json:"won,omitempty"`
	// Input says that the generated value was made from it, among others.
	Input bool `json:"input,omitempty"`
	// Calculated says that it is not set anywhere: it follows from the environment.
	Calculated bool `json:"calculated,omitempty"`
	// Macros are those of the value that won, in a calculated set.
	Macros []Reference `json:"macros,omitempty"`
}

// Reference is a macro, and who set what it refers to.
type Reference struct {
	Macro string `json:"macro"`
	Chain []Said `json:"chain"`
}

// Explain says where every parameter of merged layers comes from, in the order of Leaves.
func Explain(m *Merged, layers []Layer) []Explanation {
	all := make([]Explanation, len(m.Leaves))
	steps := 0
	for i := range m.Leaves {
		steps += len(m.Leaves[i].Steps)
	}
	said := make([]Said, 0, steps)
	for i := range m.Leaves {
		leaf := &m.Leaves[i]
		start, givers := len(said), 0
		for n, s := range leaf.Steps {
			layer := &layers[s.Layer]
			one := Said{Source: layer.Source, Value: s.Value, Won: n == leaf.won, Input: layer.Input}
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
