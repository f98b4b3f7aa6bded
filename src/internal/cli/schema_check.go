package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

func newSchemaCheckCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Check a ref-schema without a server",
		Long: `Check that files make a valid ref-schema. All errors are reported at once,
with file, line and column.`,
		Example: `  dovetail schema check ref-schemas/
  dovetail schema check base.yaml extension.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runSchemaCheck(s, args) },
	}
}

// schemaSummary is what there is to say about a valid ref-schema.
type schemaSummary struct {
	Hash       string `json:"hash"`
	Sources    int    `json:"sources"`
	Kinds      int    `json:"kinds"`
	Names      int    `json:"names"` // of key elements
	References int    `json:"references"`
	Warnings   int    `json:"warnings"`
}

func summarize(model *schema.Model) schemaSummary {
	sum := schemaSummary{Hash: model.Hash(), Sources: len(model.Sources()), Names: len(model.Names()), Warnings: len(model.Warnings())}
	for _, kind := range model.Kinds() {
		if !kind.Abstract {
			sum.Kinds++
		}
		sum.References += len(kind.References)
	}
	return sum
}

func runSchemaCheck(s *session, args []string) error {
	model, err := s.compile(args)
	if err != nil {
		return err
	}
	sum := summarize(model)
	item, err := valueOf(sum)
	if err != nil {
		return err
	}
	result := shown{single: true, items: []*value.Value{item}, names: []string{sum.Hash}}
	result.table.add(fmt.Sprintf("valid: %s with %s and %s, hash %s", count(sum.Kinds, "kind"), count(sum.Names, "key element"),
		count(sum.References, "reference"), sum.Hash))
	s.show(result)
	return nil
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
