package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/schema"
)

func newSchemaAggregateCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "aggregate FILE...",
		Short: "Write several ref-schemas as one",
		Long: `Write the ref-schemas of several files as one YAML document to the standard output, in an order that
does not depend on that of the arguments. Files that do not make a valid ref-schema are refused.`,
		Example: `  dovetail schema aggregate src/*/ref-schemas/v1.yaml > ref-schemas/dovetail.yaml`,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return runSchemaAggregate(cmd, s, args) },
	}
}

func runSchemaAggregate(cmd *cobra.Command, s *session, args []string) error {
	if err := s.only(cmd, formatYAML); err != nil {
		return err
	}
	sources, err := s.readSchemas(args)
	if err != nil {
		return err
	}
	text, err := schema.Aggregate(sources)
	if err != nil {
		return err
	}
	fmt.Fprint(s.Out, string(text))
	return nil
}
