package cli

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/yaml"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// effectiveSetResult is an effective set as -o json shows it.
type effectiveSetResult struct {
	Parameters *value.Value             `json:"parameters"`
	Changes    []parameters.Change      `json:"changes,omitempty"`
	Explained  []parameters.Explanation `json:"explained,omitempty"`
}

func showEffectiveSet(s *session, view parameters.View, set *parameters.EffectiveSet) error {
	result := effectiveSetResult{Parameters: set.Value, Changes: set.Changes}
	if view == parameters.ViewExplain {
		result.Explained = parameters.Explain(&set.Merged, set.Layers)
	}
	switch {
	case s.output == formatJSON:
		s.writeJSON(result)
	case s.output == formatYAML, s.output != formatName && view == parameters.ViewGenerated:
		fmt.Fprint(s.Out, string(yaml.Marshal(set.Value)))
	case view == parameters.ViewToBe && s.output != formatName:
		s.show(shown{table: changesTable(set.Changes)})
	case view == parameters.ViewExplain && s.output != formatName:
		s.show(shown{table: explainedTable(result.Explained)})
	default:
		for _, leaf := range set.Leaves {
			fmt.Fprintln(s.Out, leaf.Path)
		}
	}
	return nil
}

func changesTable(changes []parameters.Change) table {
	t := table{header: []string{"PATH", "VALUE", "WAS", "BY"}}
	for _, c := range changes {
		was := ""
		if c.Previous != nil {
			was = string(c.Previous.JSON())
		}
		t.add(c.Path, string(c.Value.JSON()), was, c.Origin.Name)
	}
	return t
}

func explainedTable(explained []parameters.Explanation) table {
	t := table{header: []string{"PATH", "VALUE", "SOURCE", "WHY", "CHAIN"}, wide: 1}
	for _, e := range explained {
		var chain []string
		for _, said := range e.Chain {
			chain = append(chain, said.Name+"="+string(said.Value.JSON()))
		}
		t.add(e.Path, string(e.Value.JSON()), e.Source.Name, e.Why, strings.Join(chain, ", "))
	}
	return t
}
