package cli

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

type layeringDiffOptions struct {
	layeringOptions
}

func newLayeringDiffCommand(s *session) *cobra.Command {
	var o layeringDiffOptions
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare rendered documents",
		Long: `Render two sites, each a file or a directory, and show the differences of the results: documents
added and removed, and changed values. Secrets are compared, but not shown.

The exit code is 0 when there is no difference and 1 otherwise.`,
		Example: `  dovetail layering diff site/ next/`,
		Args:    cobra.ExactArgs(2),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.layeringOptions.flags(cmd, s)
	return cmd
}

func (o *layeringDiffOptions) run(cmd *cobra.Command, s *session, args []string) error {
	var renderings [2]*rendering.Rendering
	for i, name := range args {
		rendered, err := s.renderFiles(cmd, []string{name}, o.layeringOptions)
		if err != nil {
			return s.refuseLayered(err)
		}
		renderings[i] = rendered
	}
	differences := rendering.Diff(renderings[0], renderings[1])
	result := shown{table: table{header: []string{"CHANGE", "DOCUMENT", "PATH", "OLD", "NEW"}}}
	for _, d := range differences {
		item, err := valueOf(d)
		if err != nil {
			return err
		}
		result.items = append(result.items, item)
		result.names = append(result.names, d.Document.String())
		if len(d.Values) == 0 {
			result.table.add(string(d.Change), d.Document.String(), "", "", "")
		}
		for _, v := range d.Values {
			result.table.add(string(d.Change), d.Document.String(), v.Path, literal(v.Old), literal(v.New))
		}
	}
	s.show(result)
	return different(len(differences) > 0)
}

// literal shows a value in a table; nothing for none.
func literal(v *value.Value) string {
	if v == nil {
		return ""
	}
	return string(v.JSON())
}
