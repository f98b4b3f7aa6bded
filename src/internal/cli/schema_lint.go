package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/internal/data/lint"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type schemaLintOptions struct {
	samples []string
}

func newSchemaLintCommand(s *session) *cobra.Command {
	var o schemaLintOptions
	cmd := &cobra.Command{
		Use:   "lint FILE... [--samples DIRECTORY]",
		Short: "Explain the rules of a ref-schema by example and find those without effect",
		Long: `Show for every reference rule the smallest data in which it finds a reference, and report rules that are
probably wrong: those that never find one, that always do, that another rule makes superfluous, or that contradict
the JSON Schema of their kind.

Show for every CEL rule the smallest document that violates it, if a bounded search finds one, and report rules that no
document violates, or every one, that another rule makes superfluous, that read unknown members of a strict kind,
and parts of rules with oldSelf that are not checked for new documents, though they could be.

With --samples, show the references of documents, and report rules that no sample uses, objects with some of the members
that a reference needs, references to documents that are not among the samples, samples that could not be stored, and
samples that violate a CEL rule.
Samples are manifests, as "dovetail apply" reads them. With -o json or yaml the references of every sample are listed.

The exit code is 0 when nothing is reported, and 1 otherwise.`,
		Example: `  dovetail schema lint ref-schemas/
  dovetail schema lint ref-schemas/ --samples samples/`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(s, args) },
	}
	cmd.Flags().StringArrayVar(&o.samples, "samples", nil, "a file of manifests or a `DIRECTORY` of such; may be repeated")
	return cmd
}

func (o *schemaLintOptions) run(s *session, args []string) error {
	model, err := s.compile(args)
	if err != nil {
		return err
	}
	report := lint.Lint(model)
	if len(o.samples) > 0 {
		samples, err := s.readSamples(model, o.samples)
		if err != nil {
			return err
		}
		report.Examine(model, samples)
	}
	item, err := valueOf(report)
	if err != nil {
		return err
	}
	result := shown{single: true, items: []*value.Value{item}, table: table{header: []string{"KIND", "REFERS TO", "BY", "DEFINED AT"}, wide: 1}}
	for _, rule := range report.Rules {
		by := "-"
		if len(rule.Examples) > 0 {
			by = string(rule.Examples[0].Data.JSON())
		}
		result.table.add(rule.Kind, strings.Join(rule.To, ","), by, rule.At)
	}
	for _, finding := range report.Findings {
		result.names = append(result.names, string(finding.Problem))
	}
	s.show(result)
	if s.output == formatTable || s.output == formatWide {
		showConditions(s, report)
		o.showFindings(s, report)
	}
	return different(len(report.Findings) > 0)
}

// readSamples reads manifests as samples. Those that cannot be read are an error: what is said of the others would look complete.
func (s *session) readSamples(model *schema.Model, files []string) ([]lint.Document, error) {
	operations, err := s.readManifests(model, files)
	if err != nil {
		return nil, err
	}
	if err := faultsOf(operations, "the samples cannot be read"); err != nil {
		return nil, err
	}
	var samples []lint.Document
	for _, op := range operations {
		if op.Verb != store.Delete && op.Verb != store.PutStatus {
			samples = append(samples, lint.Document{ID: op.ID, Data: op.Data, Position: op.Position})
		}
	}
	return samples, nil
}

// showConditions shows the rules in CEL below those of references.
func showConditions(s *session, report *lint.Report) {
	t := table{header: []string{"KIND", "RULE", "BROKEN BY", "DEFINED AT"}, wide: 1}
	for _, c := range report.Conditions {
		by := "no document was found"
		if c.BrokenBy != nil {
			by = c.BrokenBy.String()
		}
		t.add(c.Kind, strings.Join(strings.Fields(c.Expr), " "), by, c.At)
	}
	fmt.Fprint(s.Out, t.text(s.output == formatWide, s.paintOut()))
}

func (o *schemaLintOptions) showFindings(s *session, report *lint.Report) {
	paint := s.paintOut()
	for _, f := range report.Findings {
		fmt.Fprintf(s.Out, "%s: %s: %s\n", f.At, paint(yellow, string(f.Problem)), f.Message)
		if f.Remedy != "" {
			fmt.Fprintln(s.Out, "  "+f.Remedy)
		}
	}
	if len(report.Samples) > 0 {
		references := 0
		for _, sample := range report.Samples {
			references += len(sample.References)
		}
		fmt.Fprintf(s.Out, "%s with %s\n", count(len(report.Samples), "sample"), count(references, "reference"))
	}
	if len(report.Findings) == 0 {
		fmt.Fprintln(s.Out, "no findings")
		return
	}
	fmt.Fprintln(s.Out, count(len(report.Findings), "finding"))
}
