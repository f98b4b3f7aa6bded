package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
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
    - subtree: {from: site/a, to: region/eu/site/a}      # a document with all below it
    - move: {kind: cable, member: spec.a, to: spec.from} # a member of the data
    - default: {kind: cable, member: spec.colour, value: grey}
    - split: {kind: cable, member: spec.size, into: [spec.length, spec.unit], separator: " "}
    - drop: {kind: cable, member: spec.old}

Elements are renamed in the ids of all documents and in every reference to them. The steps are checked against both
ref-schemas, and the resulting documents against the new one: parents, references, JSON Schemas, unique values. If there are
errors, all of them are reported, and nothing changes. With --dry-run, show the plan only.

The server migrates while it is running; writes wait in the meantime. With --store no server may have an embedded store open; on MongoDB other
processes may. Give servers the files of the new ref-schema before you restart them: at startup, the old files would take effect again
if the documents conform to them.

Servers refuse a migration of more than 64 MiB of documents. With --store an embedded store is then written in batches, after everything
was checked: nothing else can open the database before the last one. If the command is interrupted, run it again: it continues.`,
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
	m := migrationRun{session: s, name: next.Hash(), options: store.MigrateOptions{DryRun: o.dryRun, Message: s.message}}
	migrate := m.onServer
	if o.store != "" {
		migrate = m.offline
	}
	done, err := migrate(ctx, &o.target, store.MigrationFile{Name: file, Text: text, Next: next})
	m.end()
	if err != nil {
		return err
	}
	if err := m.show(done); err != nil {
		return err
	}
	if s.output == formatTable || s.output == formatWide {
		what := fmt.Sprintf("%s changed, %s rewritten, %s lost", count(done.Documents, "document"), count(done.References, "reference"), count(done.Lost, "reference"))
		if o.dryRun {
			what += " (dry run: nothing was changed)"
		}
		fmt.Fprintln(s.Out, what)
	}
	return nil
}

// migrationRun is a migration with what it shows.
type migrationRun struct {
	*session
	options  store.MigrateOptions
	progress *progress
	name     string // of the ref-schema
	planned  string // what was shown of the plan
}

func (r *migrationRun) onServer(ctx context.Context, on *target, file store.MigrationFile) (*store.Migrated, error) {
	st, from, err := on.openWithModel(ctx, r.session)
	if err != nil {
		return nil, err
	}
	defer release(st)
	m, err := store.ParseMigration(file, from)
	if err != nil {
		return nil, err
	}
	return st.Migrate(ctx, m, r.options)
}

// offline migrates a database, and shows the plan before anything is written.
func (r *migrationRun) offline(ctx context.Context, on *target, file store.MigrationFile) (*store.Migrated, error) {
	if on.refSchemas != "" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Err: errUsage, Message: "--ref-schemas is not for migrations, which begin with the ref-schema that is stored", Remedy: "leave it out"}
	}
	backend, err := r.OpenBackend(ctx, on.store, cmp.Or(on.keyFile, r.env(EnvironmentName(keyFileSetting))))
	if err != nil {
		return nil, err
	}
	defer func() { _ = backend.Close() }() // what was stored is durable
	r.begin("checked", 0)
	r.options.Checked = func(documents int) { r.progress.steps(documents) }
	r.options.Planned = func(plan store.Migrated) {
		r.begin("migrated", plan.Documents)
		if r.output == formatTable || r.output == formatWide {
			_ = r.show(&plan)
		}
	}
	r.options.Written = func(documents int) { r.progress.steps(documents) }
	return store.MigrateOffline(ctx, backend, file, r.options, r.Config)
}

// begin begins to count, in place of what was counted.
func (r *migrationRun) begin(verb string, total int) {
	r.end()
	r.progress = r.progressOf(verb, "document", total)
}

func (r *migrationRun) end() {
	if r.progress != nil && r.progress.count > 0 {
		r.progress.done()
	}
	r.progress = nil
}

// show shows what a migration does to documents of each kind, unless that was shown as its plan.
func (r *migrationRun) show(done *store.Migrated) error {
	item, err := valueOf(done)
	if err != nil {
		return err
	}
	result := shown{single: true, items: []*value.Value{item}, names: []string{r.name}, table: table{header: []string{"KIND", "BECOMES", "RENAMED", "REWRITTEN"}}}
	for _, k := range done.Kinds {
		result.table.add(k.Kind, k.To, strconv.Itoa(k.Renamed), strconv.Itoa(k.Rewritten))
	}
	text := fmt.Sprint(done.Kinds, done.ChangeSets)
	if text == r.planned {
		return nil
	}
	r.planned = text
	r.session.show(result)
	if r.output == formatTable || r.output == formatWide {
		for _, cs := range done.ChangeSets {
			fmt.Fprintf(r.Out, "%s: %s rewritten; approvals of it no longer count\n", cs.ID, count(cs.Operations, "operation"))
		}
	}
	return nil
}
