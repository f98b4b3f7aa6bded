package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

func newChangeSetImpactCommand(s *session) *cobra.Command {
	return newChangeSetReadCommand(s, &cobra.Command{
		Use:   "impact NAME",
		Short: "Show how a merge would change derived data",
		Long: `Show how a merge would change data that services derive from documents: effective sets, rendered documents and
resolutions, value by value. Effective sets are calculated with the change set; if that is not possible, the generated files are compared, and
warnings say why. Unchanged and unreadable results are counted. Secrets are not shown.`,
		Example: `  dovetail changeset impact bigger`,
	}, []format{formatJSON, formatYAML, formatName}, func(ctx context.Context, v *changeSetVerb) error {
		impact, err := v.st.ChangeSets().Impact(ctx, v.name)
		if err != nil {
			return v.explain(s, err)
		}
		item, err := valueOf(impact)
		if err != nil {
			return err
		}
		result := shown{single: true, items: []*value.Value{item}}
		paint := s.paintOut()
		for _, i := range impact.Items {
			result.names = append(result.names, i.ID)
			if s.output != formatTable {
				continue
			}
			fmt.Fprintf(s.Out, "%s\n%s", paint(cyan, i.Service+" "+i.Title), impactText(i.Changes, paint))
			if i.More > 0 {
				fmt.Fprintf(s.Out, "  ... and %d more\n", i.More)
			}
			if i.Error != "" {
				fmt.Fprintln(s.Out, "  "+paint(red, "error: ")+i.Error)
			}
		}
		for _, i := range slices.Concat(impact.Items, impact.Unchanged) {
			s.warn(findingsOf(i))
		}
		if s.output != formatTable {
			s.show(result)
			return nil
		}
		switch more := impact.Total - len(impact.Items); {
		case impact.Total == 0 && !impact.Incomplete:
			fmt.Fprintln(s.Err, "nothing that services derive changes")
		case more > 0:
			fmt.Fprintf(s.Err, "... and %d more\n", more)
		}
		if impact.Same > 0 {
			fmt.Fprintln(s.Err, sameText(impact))
		}
		if impact.Incomplete {
			s.warn([]*dovetail.Error{{Message: "not everything was compared: there may be more"}})
		}
		if impact.Unreadable > 0 {
			s.warn([]*dovetail.Error{{Message: fmt.Sprintf("%d that you may not read left out", impact.Unreadable)}})
		}
		return nil
	})
}

// impactText shows changed values, those of each file below its name.
func impactText(changes []api.Change, paint painter) string {
	var b strings.Builder
	for i := 0; i < len(changes); {
		file, of := changes[i].File, []api.Change{}
		for ; i < len(changes) && changes[i].File == file; i++ {
			c := changes[i]
			if secret := json.RawMessage("(secret)"); c.Secret {
				if c.Op != api.Added {
					c.From = secret
				}
				if c.Op != api.Removed {
					c.To = secret
				}
			}
			of = append(of, c)
		}
		if file != "" {
			fmt.Fprintf(&b, "  %s\n", file)
		}
		b.WriteString(changesText(of, nil, paint))
	}
	return b.String()
}

// findingsOf are the findings of an item of an impact, as warnings.
func findingsOf(i api.ImpactItem) []*dovetail.Error {
	var all []*dovetail.Error
	for _, f := range i.Findings {
		all = append(all, &dovetail.Error{Reason: f.Reason, Position: dovetail.Position{File: f.Location}, Message: f.Message, Remedy: f.Remedy})
	}
	if i.MoreFindings > 0 {
		all = append(all, &dovetail.Error{Message: fmt.Sprintf("%s: %d more are not listed", i.Title, i.MoreFindings)})
	}
	return all
}

// sameText says what was looked at and does not change.
func sameText(impact *api.ChangeSetImpact) string {
	const named = 3
	var titles []string
	for _, i := range impact.Unchanged[:min(named, len(impact.Unchanged))] {
		titles = append(titles, i.Title)
	}
	if more := impact.Same - len(titles); more > 0 {
		titles = append(titles, fmt.Sprintf("and %d more", more))
	}
	return "unchanged: " + strings.Join(titles, ", ")
}
