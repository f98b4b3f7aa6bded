package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

type layeringLintOptions struct {
	layeringOptions
	files []string
}

func newLayeringLintCommand(s *session) *cobra.Command {
	var o layeringLintOptions
	cmd := &cobra.Command{
		Use:   "lint -f FILE|DIRECTORY|-...",
		Short: "Check layered documents",
		Long: `Check everything that rendering checks: formats, layers, parents, sources, cycles, paths, patterns, and the
rendered data against data schemas. All errors are shown at once, with file, line and column;
suspicious input gives a warning.`,
		Example: `  dovetail layering lint -f site/`,
		Args:    cobra.ArbitraryArgs, // more files
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	layeringFiles(cmd, &o.files)
	o.layeringOptions.flags(cmd)
	return cmd
}

// layeringSummary is what there is to say about good documents.
type layeringSummary struct {
	Rendered int               `json:"rendered"`
	Warnings []layeringMessage `json:"warnings"`
	Total    int               `json:"totalWarnings,omitempty"` // where Warnings does not have them all
}

func (o *layeringLintOptions) run(cmd *cobra.Command, s *session, more []string) error {
	if err := s.only(cmd, formatJSON); err != nil {
		return err
	}
	rendered, err := s.renderFiles(cmd, append(o.files, more...), o.layeringOptions)
	if err != nil {
		return s.refuseLayered(err)
	}
	if s.output == formatJSON {
		s.writeJSON(newLayeringSummary(rendered))
		return nil
	}
	fmt.Fprintf(s.Out, "valid: %s, %s\n", count(len(rendered.Documents), "rendered document"), count(rendered.Warnings.Total(), "warning"))
	return nil
}

func newLayeringSummary(rendered *rendering.Rendering) layeringSummary {
	sum := layeringSummary{Rendered: len(rendered.Documents), Warnings: make([]layeringMessage, 0, len(rendered.Warnings.Kept()))}
	if rendered.Warnings.Omitted() > 0 {
		sum.Total = rendered.Warnings.Total()
	}
	for _, w := range rendered.Warnings.Kept() {
		sum.Warnings = append(sum.Warnings, newLayeringMessage(w))
	}
	return sum
}
