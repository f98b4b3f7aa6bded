package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type schemaMigrateOptions struct {
	target
	schemas []string
	dryRun  bool
}

func newSchemaMigrateCommand(s *session) *cobra.Command {
	var o schemaMigrateOptions
	cmd := &cobra.Command{
		Use:   "migrate FILE --schema NEW",
		Short: "Change the ref-schema together with the documents",
		Long: `Change the stored documents by the steps of a migration, and put a new ref-schema in force, in one
transaction. FILE has the steps:

  steps:
    - rename: {element: device, to: host}                # an element of keys, and the kind that is called so
    - move: {kind: cable, member: spec.a, to: spec.from} # a member of the data
    - default: {kind: cable, member: spec.colour, value: grey}
    - split: {kind: cable, member: spec.size, into: [spec.length, spec.unit], separator: " "}
    - drop: {kind: cable, member: spec.old}

Renamed elements are renamed in the ids of all documents and in every reference to them. The steps are checked against both
ref-schemas, and what they make of the documents against the new one: parents, references, JSON Schemas, unique values. If anything is
wrong, all of it is reported, and nothing changes. With --dry-run, show the plan only.

The server does it while it runs: writes wait meanwhile. With --store no server may have an embedded store open; on MongoDB other
processes may. Give servers the files of the new ref-schema before you start them again: those of the old one come back in force at a start,
unless the documents do not fit them.`,
		Example: `  dovetail schema migrate hosts.yaml --schema next/ --dry-run
  dovetail schema migrate hosts.yaml --schema next/ -m "devices are hosts"
  dovetail schema migrate hosts.yaml --schema next/ --store bolt:./data/dovetail.db`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.flags(cmd)
	schemaFlag(cmd, &o.schemas)
	s.messageFlag(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check everything and show the plan, but change nothing")
	check(cmd.MarkFlagRequired("schema"))
	return cmd
}

func (o *schemaMigrateOptions) run(cmd *cobra.Command, s *session, file string) error {
	ctx := cmd.Context()
	text, err := s.readInput(file)
	if err != nil {
		return err
	}
	next, err := s.compile(o.schemas)
	if err != nil {
		return err
	}
	st, from, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	m, err := store.ParseMigration(store.MigrationFile{Name: file, Text: text, Next: next}, from)
	if err != nil {
		return err
	}
	done, err := st.Migrate(ctx, m, store.MigrateOptions{DryRun: o.dryRun, Message: s.message})
	if err != nil {
		return err
	}
	item, err := valueOf(done)
	if err != nil {
		return err
	}
	result := shown{single: true, items: []*value.Value{item}, names: []string{next.Hash()}, table: table{header: []string{"KIND", "BECOMES", "RENAMED", "REWRITTEN"}}}
	for _, k := range done.Kinds {
		result.table.add(k.Kind, k.To, strconv.Itoa(k.Renamed), strconv.Itoa(k.Rewritten))
	}
	s.show(result)
	if s.output == formatTable || s.output == formatWide {
		what := fmt.Sprintf("%s changed, %s rewritten, %s lost", count(done.Documents, "document"), count(done.References, "reference"), count(done.Lost, "reference"))
		if o.dryRun {
			what += " (dry run: nothing was changed)"
		}
		fmt.Fprintln(s.Out, what)
	}
	return nil
}
