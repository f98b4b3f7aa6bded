package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

type schemaDiffOptions struct {
	target
	schemaVersion
	impact bool
	limit  int
}

func newSchemaDiffCommand(s *session) *cobra.Command {
	var o schemaDiffOptions
	cmd := &cobra.Command{
		Use:   "diff OLD NEW | diff NEW",
		Short: "Compare two ref-schemas",
		Long: `Show what is different between two ref-schemas, each a file or directory; with one argument, between
that of the server, or with --version or --at one that was in force before, and the given one. With
--impact, show instead which stored documents the new one would orphan or invalidate: a server rejects a
ref-schema as long as there are any. It also warns of what cannot be undone: immutable-default for documents that get a
default which cannot change afterwards.

The exit code is 0 when there is no difference, and 1 otherwise.`,
		Example: `  dovetail schema diff ref-schemas/ next/
  dovetail schema diff next/ --impact`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	o.schemaVersion.flags(cmd)
	cmd.Flags().BoolVar(&o.impact, "impact", false, "show which stored documents the new ref-schema would orphan or invalidate")
	cmd.Flags().IntVar(&o.limit, "limit", 100, "with --impact, maximum number to show; 0 means all")
	noFileCompletion(cmd, "limit")
	return cmd
}

func (o *schemaDiffOptions) run(cmd *cobra.Command, s *session, args []string) error {
	ctx := cmd.Context()
	if o.given() && (len(args) == 2 || o.impact) {
		return usagef(cmd, "--version and --at stand for the first of two ref-schemas that are compared")
	}
	next, err := s.compile(args[len(args)-1:])
	if err != nil {
		return err
	}
	if len(args) == 2 && !o.impact {
		before, err := s.compile(args[:1])
		if err != nil {
			return err
		}
		return s.showDifferences(schema.Diff(before, next))
	}
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	if o.impact {
		return o.showImpact(ctx, s, st, next)
	}
	before, err := o.schemaVersion.model(ctx, st)
	if err != nil {
		return err
	}
	if next, err = next.Completed(before); err != nil {
		return err
	}
	return s.showDifferences(schema.Diff(before, next))
}

func (s *session) showDifferences(differences []schema.Difference) error {
	result := shown{table: table{header: []string{"CHANGE", "WHAT"}}}
	for _, d := range differences {
		item, err := valueOf(d)
		if err != nil {
			return err
		}
		result.items = append(result.items, item)
		result.names = append(result.names, d.Kind)
		result.table.add(string(d.Change), d.Message)
	}
	s.show(result)
	return different(len(differences) > 0)
}

func (o *schemaDiffOptions) showImpact(ctx context.Context, s *session, st Store, next *schema.Model) error {
	findings, total, err := st.Impact(ctx, next, o.limit)
	if err != nil {
		return err
	}
	if err := s.showFindings(findings); err != nil {
		return err
	}
	if more := total - len(findings); more > 0 {
		fmt.Fprintf(s.Err, "and %d more\n", more)
	}
	return different(total > 0)
}

// showFindings shows what a check found.
func (s *session) showFindings(findings []store.Finding) error {
	result := shown{table: table{header: []string{"PROBLEM", "WHAT"}}}
	for _, f := range findings {
		item, err := valueOf(f)
		if err != nil {
			return err
		}
		result.items = append(result.items, item)
		result.names = append(result.names, string(f.ID))
		result.table.rows = append(result.table.rows, row{cells: []string{f.Problem, f.Message + repairedText(f)}})
	}
	s.show(result)
	return nil
}

func repairedText(f store.Finding) string {
	if f.Repaired {
		return " (repaired)"
	}
	if f.Allowed {
		return " (allowed: what the rule reads was changed since)"
	}
	return ""
}

// different is the verdict of a verb that compares.
func different(is bool) error {
	if is {
		return errDifferent
	}
	return nil
}
