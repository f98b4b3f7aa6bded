package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

type layeringLintOptions struct {
	layeringOptions
	files []string
	fix   string
}

func newLayeringLintCommand(s *session) *cobra.Command {
	o := layeringLintOptions{fix: fixNo}
	cmd := &cobra.Command{
		Use:   "lint -f FILE|DIRECTORY|-...",
		Short: "Check layered documents",
		Long: `Check everything that rendering checks: formats, layers, parents, sources, cycles, paths, patterns, and the
rendered data against data schemas. All errors are shown at once, with file, line and column;
suspicious input gives a warning.

--fix corrects unambiguous errors: misspelt members of metadata, annotations and methods, numbers and
booleans instead of strings, and words such as yes instead of booleans. Nothing else in the files changes, and
the changes are shown as a diff; --fix=plan only shows them, and the exit code is then 1 if there are any.`,
		Example: `  dovetail layering lint -f site/
  dovetail layering lint -f site/ --fix=plan`,
		Args: cobra.ArbitraryArgs, // more files
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	layeringFiles(cmd, &o.files)
	o.layeringOptions.flags(cmd, s)
	optionalFlag(cmd, &o.fix, "fix", fixYes, "correct unambiguous errors in the files; --fix=plan only shows the corrections", fixYes, fixNo, fixPlan)
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
	names := slices.Concat(o.files, more)
	if o.fix != fixNo {
		return o.runFix(cmd, s, names)
	}
	options, err := o.options(cmd)
	if err != nil {
		return err
	}
	documents, err := s.readLayered(cmd.Context(), names)
	if err == nil {
		err = o.report(s, documents, options)
	}
	return s.refuseLayered(err)
}

// report renders documents, and says that they are good.
func (o *layeringLintOptions) report(s *session, documents []*rendering.Document, options rendering.Options) error {
	rendered, err := s.renderDocuments(documents, options)
	if err != nil {
		return err
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
