package cli

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// shownSet is an effective set as -o json shows it: as the server answers it.
type shownSet struct {
	EnvironmentID   string `json:"environmentId"`
	Context         string `json:"context"`
	NamespaceName   string `json:"namespaceName,omitempty"`
	ApplicationName string `json:"applicationName,omitempty"`
	effectiveset.Shown
}

// showEffectiveSet shows the set of a query. made is nil where it is not calculated.
func showEffectiveSet(s *session, q instancerepo.EffectiveQuery, set *parameters.EffectiveSet, made *effectiveset.ToBe, found []effectiveset.Finding) {
	result := shownSet{EnvironmentID: q.Environment.String(), Context: string(q.Context), Shown: effectiveset.Show(set, made, q.View, found)}
	if q.Context != parameters.Pipeline {
		result.NamespaceName, result.ApplicationName = q.Namespace, q.Application
	}
	s.warn(warningsOf(found))
	switch view := q.View; {
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
}

func changesTable(changes []parameters.Change) table {
	t := table{header: []string{"PATH", "VALUE", "WAS", "BY"}}
	for _, c := range changes {
		t.add(c.Path, jsonOr(c.Value, ""), jsonOr(c.Previous, ""), c.Origin.Name)
	}
	return t
}

// jsonOr is a value as JSON, or a text if there is none.
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
func chainText(chain []parameters.Assignment) string {
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
