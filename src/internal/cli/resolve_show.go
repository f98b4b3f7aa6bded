package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// shownSelections is a solution as -o json shows it.
type shownSelections struct {
	Selections  []string           `json:"selections"`
	Plan        []solver.Step      `json:"plan,omitzero"`
	Explanation []solver.Selection `json:"explanation,omitempty"`
	Diff        *selectionDiff     `json:"diff,omitempty"`
}

// selectionDiff tells what changes against selections that were stored.
type selectionDiff struct {
	Added   []string          `json:"added"`
	Removed []string          `json:"removed"`
	Changed []selectionChange `json:"changed"`
}

// selectionChange is a package of which something else is selected than before.
type selectionChange struct {
	Package string `json:"package"`
	From    string `json:"from"`
	To      string `json:"to"`
}

// showSelections shows a solution. stored counts only with --diff.
func (s *session) showSelections(out *solver.Outcome, problem *solver.Problem, o *resolveOptions, stored []string) {
	selections := out.Selections
	shown := shownSelections{Selections: make([]string, 0, len(selections)), Plan: out.Plan}
	for _, selection := range selections {
		shown.Selections = append(shown.Selections, selection.String())
	}
	if o.diff != "" {
		shown.Diff = diffSelections(stored, shown.Selections)
	}
	if s.output == formatJSON {
		if o.explain {
			shown.Explanation = selections
		}
		s.writeJSON(shown)
		return
	}
	if shown.Diff != nil {
		s.showDiff(shown.Diff)
	}
	for i, selection := range selections {
		if shown.Diff == nil {
			fmt.Fprintln(s.Out, shown.Selections[i])
		}
		if o.explain {
			if shown.Diff != nil {
				fmt.Fprintln(s.Out, shown.Selections[i])
			}
			s.showReasons(selection, problem)
		}
	}
}

func (s *session) showReasons(selection solver.Selection, problem *solver.Problem) {
	if why := selection.Why; why.By != "" {
		fmt.Fprintf(s.Out, "  %s needs %s\n", why.By, why.Need)
	} else {
		fmt.Fprintf(s.Out, "  for [%d] %s\n", why.Constraint, problem.Spec().Constraints[why.Constraint].Label())
	}
	for _, ruled := range selection.Ruled {
		fmt.Fprintf(s.Out, "  not %s: %s\n", ruled.Candidate, ruled.Text)
	}
	if selection.More > 0 {
		fmt.Fprintf(s.Out, "  nor %d more\n", selection.More)
	}
}

func (s *session) showDiff(d *selectionDiff) {
	paint := s.paintOut()
	for _, text := range d.Removed {
		fmt.Fprintln(s.Out, paint(red, "- "+text))
	}
	for _, text := range d.Added {
		fmt.Fprintln(s.Out, paint(green, "+ "+text))
	}
	for _, c := range d.Changed {
		fmt.Fprintln(s.Out, paint(yellow, "~ "+c.From+" -> "+c.To))
	}
}

// diffSelections compares selections by package, in the order of the old ones, then of the new ones.
func diffSelections(from, to []string) *selectionDiff {
	d := &selectionDiff{Added: []string{}, Removed: []string{}, Changed: []selectionChange{}}
	of := func(list []string, name string) string {
		at := slices.IndexFunc(list, func(text string) bool { return packageOf(text) == name })
		if at < 0 {
			return ""
		}
		return list[at]
	}
	for _, text := range from {
		switch now := of(to, packageOf(text)); now {
		case text:
		case "":
			d.Removed = append(d.Removed, text)
		default:
			d.Changed = append(d.Changed, selectionChange{packageOf(text), text, now})
		}
	}
	for _, text := range to {
		if of(from, packageOf(text)) == "" {
			d.Added = append(d.Added, text)
		}
	}
	return d
}

// packageOf is the package of source:name:version:channel, all of it if it is something else.
func packageOf(selection string) string {
	parts := strings.Split(selection, ":")
	if len(parts) != 4 {
		return selection
	}
	return parts[1]
}
