package cli

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/value"
)

// showImpact shows what a change does to effective sets. Where sets are not complete the exit code is not 0.
func showImpact(s *session, impact *effectiveset.Impact, environments int) error {
	if s.output == formatJSON {
		s.writeJSON(impact)
	} else {
		showDifferences(s, impact, environments)
	}
	return different(impact.Failed > 0)
}

func showDifferences(s *session, impact *effectiveset.Impact, environments int) {
	t := table{header: []string{"ENVIRONMENT", "FILE", "PATH", "WAS", "VALUE", "LEVEL", "SOURCE"}, wide: 1}
	for _, e := range impact.Environments {
		for _, d := range e.Differences {
			t.add(e.Environment, d.File, d.Path, shownValue(d, d.From), shownValue(d, d.To), string(d.Origin.Level), d.Origin.Position.String())
		}
	}
	s.show(shown{table: t})
	for _, e := range impact.Environments {
		for _, f := range e.Findings {
			s.warn([]*dovetail.Error{{Position: f.Position, Message: e.Environment + ": " + f.Message}})
		}
		for _, p := range e.Problems {
			err := *p.Err
			err.Message = e.Environment + ", " + map[string]string{"before": "before the change", "after": "after the change", "both": "before the change and after it"}[p.When()] + ": " + err.Message
			s.tell(red, "error: ", []*dovetail.Error{&err})
		}
	}
	if impact.Omitted > 0 {
		s.warn([]*dovetail.Error{{Message: fmt.Sprintf("%d more differences, problems and warnings are not listed; raise --limit to see them", impact.Omitted)}})
	}
	fmt.Fprintf(s.Out, "%s in %d of %s; the change reaches %d", count(impact.Differences, "difference"), impact.Changed, count(environments, "environment"), impact.Calculated)
	if impact.Failed > 0 {
		fmt.Fprintf(s.Out, ", and of %d the set is not complete", impact.Failed)
	}
	fmt.Fprintln(s.Out)
}

// shownValue is one of the values of a difference, without what is secret.
func shownValue(d effectiveset.Difference, v *value.Value) string {
	switch {
	case v == nil:
		return ""
	case d.Secret:
		return "(secret)"
	}
	return string(v.JSON())
}
