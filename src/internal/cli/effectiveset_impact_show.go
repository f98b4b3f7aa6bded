package cli

import (
	"cmp"
	"fmt"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// showImpact shows what a change does to effective sets. Where sets are not complete the exit code is not 0.
func showImpact(s *session, impact *api.SetImpact) error {
	if s.output == formatJSON {
		s.writeJSON(impact)
	} else {
		showDifferences(s, impact)
	}
	return different(impact.Failed > 0)
}

// whens are what messages call the times of problems.
var whens = map[api.When]string{api.Before: "before the change", api.After: "after the change", api.Both: "before the change and after it"}

func showDifferences(s *session, impact *api.SetImpact) {
	t := table{header: []string{"ENVIRONMENT", "FILE", "PATH", "WAS", "VALUE", "LEVEL", "SOURCE"}, wide: 1}
	for _, e := range impact.Environments {
		for _, d := range e.Differences {
			was, is := string(d.From), string(d.To)
			if d.Secret && d.Op != "add" {
				was = "(secret)"
			}
			if d.Secret && d.Op != "remove" {
				is = "(secret)"
			}
			t.add(e.Environment, d.File, d.Path, was, is, d.Level, d.Source)
		}
	}
	s.show(shown{table: t})
	for _, e := range impact.Environments {
		for _, f := range e.Findings {
			s.warn([]*dovetail.Error{{Position: dovetail.Position{File: f.Location}, Message: e.Environment + ": " + f.Message}})
		}
		for _, p := range e.Problems {
			s.tell(red, "error: ", []*dovetail.Error{{Reason: p.Reason, Position: dovetail.Position{File: p.Location},
				Message: e.Environment + ", " + cmp.Or(whens[p.When], string(p.When)) + ": " + p.Message, Remedy: p.Remedy}})
		}
	}
	if impact.Omitted > 0 {
		s.warn([]*dovetail.Error{{Message: fmt.Sprintf("%d more differences, problems and warnings are not listed; raise --limit to see them", impact.Omitted)}})
	}
	if impact.Unmeasured > 0 {
		s.warn([]*dovetail.Error{{Message: count(impact.Unmeasured, "environment") + " were not looked at, since it took too long; ask again, or look with --repo, which has no limit of time"}})
	}
	fmt.Fprintf(s.Out, "%s; the change reaches %s and changes %d", count(impact.Differences, "difference"), count(impact.Calculated, "environment"), impact.Changed)
	if impact.Failed > 0 {
		fmt.Fprintf(s.Out, ", and of %d the set is not complete", impact.Failed)
	}
	fmt.Fprintln(s.Out)
}
