package cli

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/yaml"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// effectiveSetResult is an effective set as -o json shows it.
type effectiveSetResult struct {
	Parameters *value.Value             `json:"parameters"`
	Changes    []parameters.Change      `json:"changes,omitempty"`
	Explained  []parameters.Explanation `json:"explained,omitempty"`
}

// showToBe shows a set that is calculated with overrides.
func showToBe(s *session, view parameters.View, made *effectiveset.ToBe) error {
	var explained []parameters.Explanation
	if view == parameters.ViewExplain {
		explained = made.Explain()
	}
	return showEffectiveSet(s, view, made.EffectiveSet, explained)
}

func showEffectiveSet(s *session, view parameters.View, set *parameters.EffectiveSet, explained []parameters.Explanation) error {
	result := effectiveSetResult{Parameters: set.Value, Changes: set.Changes, Explained: explained}
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
		t.add(c.Path, jsonOr(c.Value, ""), jsonOr(c.Previous, ""), c.Origin.Name)
	}
	return t
}

// jsonOr is a value as JSON, or a text where there is none.
func jsonOr(v *value.Value, otherwise string) string {
	if v == nil {
		return otherwise
	}
	return string(v.JSON())
}

func explainedTable(explained []parameters.Explanation) table {
	t := table{header: []string{"PATH", "VALUE", "SOURCE", "WHY", "CHAIN"}, wide: 1}
	for _, e := range explained {
		t.add(e.Path, string(e.Value.JSON()), e.Source.Name, e.Why, chainText(e.Chain))
	}
	return t
}

// chainText is a chain as a line: who set what, and in braces what macros refer to.
func chainText(chain []parameters.Said) string {
	var all []string
	for _, said := range chain {
		one := said.Name
		if said.Calculated && said.Level != "" {
			one = string(said.Level) + " (calculated)"
		}
		if said.Value != nil || !said.Calculated {
			one += "=" + jsonOr(said.Value, "(secret)")
		}
		for _, m := range said.Macros {
			one += " {" + m.Macro + ": " + chainText(m.Chain) + "}"
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}
