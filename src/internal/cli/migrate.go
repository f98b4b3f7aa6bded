package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/value"
)

func newMigrateCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Migrate from another system",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMigrateEMCOCommand(s), newMigrateDeckhandCommand(s))
	return cmd
}

type migrateEMCOOptions struct {
	target
	collection string
	dryRun     bool
}

func newMigrateEMCOCommand(s *session) *cobra.Command {
	var o migrateEMCOOptions
	cmd := &cobra.Command{
		Use:   "emco FROM",
		Short: "Migrate the resources of EMCO",
		Long: `Read the database of EMCO, which stays as it is, and store its resources as documents, in one
transaction. FROM is the URI of the database, mongodb://HOST/DATABASE, a folder that mongodump wrote, or a file of it: .bson, or
.json and .jsonl with Extended JSON, as mongoexport writes it; .gz behind any of these is read too.

Kinds and references are those of the ref-schema of the target. Fields get the names that they have in EMCO's REST API, which are
others than those in its database. Files become content, kubeconfigs the files of their clusters, the history of lifecycles becomes
status, and uid and times come from the ObjectId, so that migrating twice into two databases gives the same.

What EMCO stored wrongly, and what would be lost, is reported: duplicate keys (that one counts whose data has the name of the key),
children without a parent, dangling references, references that only EMCO's list has, fields that EMCO is not known to store
or always stores, resources that match no kind, private keys. What the target rejects is left out, with all that
depends on it. --references warn keeps documents with dangling references, all other references of which are held; a server must
accept them, so start it with --references warn, or migrate into its database with --store.

The exit code is 0 when everything was migrated, and 1 when something is reported.`,
		Example: `  dovetail migrate emco mongodb://localhost:27017/emco --dry-run --store bolt:./emco.db --ref-schemas ref-schemas/examples/emco
  dovetail migrate emco dump/emco --store bolt:./emco.db --ref-schemas ref-schemas/examples/emco
  dovetail migrate emco mongodb://localhost:27017/emco --server http://127.0.0.1:8080`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	s.messageFlag(cmd)
	cmd.Flags().StringVar(&o.collection, "collection", "resources", "the collection that holds the resources")
	o.referencesFlag(cmd, "strict leaves documents with dangling references out, warn keeps them")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "report only, store nothing")
	noFileCompletion(cmd, "collection")
	return cmd
}

func (o *migrateEMCOOptions) run(cmd *cobra.Command, s *session, from string) error {
	if err := o.checkReferences(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	var stored []*value.Value
	p := s.progress("read", "stored document")
	defer p.done()
	for v, err := range s.ReadForeign(ctx, from, o.collection) {
		if err != nil {
			return err
		}
		stored = append(stored, v)
		p.step()
	}
	migration := emco.Migrate(model, stored, emco.Options{Dangling: o.dangling()})
	if !o.dryRun {
		if _, err := s.importDocuments(ctx, st, migration.Documents); err != nil {
			return err
		}
	}
	if err := s.showFindings(migration.Findings); err != nil {
		return err
	}
	if s.output == formatTable || s.output == formatWide {
		fmt.Fprintln(s.Out, o.verdict(len(stored), migration))
	}
	return different(len(migration.Findings) > 0)
}

func (o *migrateEMCOOptions) verdict(read int, m *emco.Migration) string {
	verb := "migrated"
	if o.dryRun {
		verb = "would be migrated"
	}
	text := fmt.Sprintf("%s read, %s %s", count(read, "stored document"), count(len(m.Documents), "document"), verb)
	if m.Merged > 0 {
		text += fmt.Sprintf(", %d merged into others or compared", m.Merged)
	}
	if len(m.Findings) > 0 {
		text += fmt.Sprintf(", %s found, %d left out", count(len(m.Findings), "problem"), m.Left)
	}
	return text
}
