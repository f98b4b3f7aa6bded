package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/internal/emco/emcoapi"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
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
	services   []string
	dryRun     bool
}

func newMigrateEMCOCommand(s *session) *cobra.Command {
	var o migrateEMCOOptions
	cmd := &cobra.Command{
		Use:   "emco FROM",
		Short: "Migrate the resources of EMCO",
		Long: `Read the database of EMCO, without changing it, and store its resources as documents. FROM is the URI of the database, mongodb://HOST/DATABASE, a folder
written by mongodump, or a single file: .bson, or .json and .jsonl with Extended JSON, as mongoexport writes it, each also with .gz. If the database
is not accessible, FROM can be the URL of EMCO's REST API, http://HOST:PORT; --service gives the URLs of services at other addresses. The API does not
return all data: missing data, such as the names of the intents of a deployment intent group, is reported.

Kinds and references are those of the ref-schema of the target. Fields get the names of EMCO's REST API, which differ from
those in its database. Files become content, kubeconfigs become the files of their clusters, the history of lifecycles becomes
status, and uid and times come from the ObjectId, so that a second migration into another database gives the same result.

All data is read and checked before the first document is stored. Documents are stored in batches, each in one transaction: parents and referenced
documents come before the documents that need them. If the command is interrupted, run it again, and it continues. Nothing is overwritten: if a
document of another origin has the same id as a migrated one, this is an error, and nothing is stored.

Inconsistent data, and data that would be lost, is reported: duplicate keys (the document whose data has the name of the key is used),
children without a parent, dangling references, references that are only in EMCO's list, fields that EMCO is not known to store,
missing fields that it always stores, resources that match no kind, and private keys. Documents that the ref-schema rejects are skipped,
together with their dependents. --references warn migrates documents with dangling references, and enforces their other references; a server must
accept them, so start it with --references warn, or migrate into its database with --store.

The exit code is 0 when everything was migrated, and 1 when something is reported.`,
		Example: `  dovetail migrate emco mongodb://localhost:27017/emco --dry-run --store bolt:./emco.db --ref-schemas ref-schemas/examples/emco
  dovetail migrate emco dump/emco --store bolt:./emco.db --ref-schemas ref-schemas/examples/emco
  dovetail migrate emco mongodb://localhost:27017/emco --server http://127.0.0.1:8080
  dovetail migrate emco http://emco:30415 --service clm=http://emco:30461 --service dcm=http://emco:30477 --store bolt:./emco.db --ref-schemas ref-schemas/examples/emco`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	s.messageFlag(cmd)
	cmd.Flags().StringVar(&o.collection, "collection", "resources", "the collection that holds the resources")
	o.referencesFlag(cmd, "strict skips documents with dangling references, warn migrates them")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "report only, store nothing")
	cmd.Flags().StringArrayVar(&o.services, "service", nil, "URL of a service of the REST API, as `NAME=URL`; may be repeated")
	noFileCompletion(cmd, "collection", "service")
	return cmd
}

// A batch of a migration is one transaction. Its size is far below what a server takes by default.
const (
	migrationBatch      = 1000
	migrationBatchBytes = 4 << 20
)

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
	kept, err := newSpool()
	if err != nil {
		return err
	}
	defer kept.close()
	migration := emco.New(model, kept, emco.Options{Dangling: o.dangling(), Now: s.Now()})
	if err := o.read(cmd, s, migration, model, from); err != nil {
		return err
	}
	before, err := existing(ctx, st, migration)
	if err != nil {
		return err
	}
	if !o.dryRun {
		if err := s.storeEMCO(ctx, st, migration, before); err != nil {
			return err
		}
	}
	if err := s.showFindings(migration.Findings); err != nil {
		return err
	}
	if s.output == formatTable || s.output == formatWide {
		fmt.Fprintln(s.Out, o.verdict(migration, before))
	}
	return different(len(migration.Findings) > 0)
}

// read reads a database, or what the API shows of it.
func (o *migrateEMCOOptions) read(cmd *cobra.Command, s *session, migration *emco.Migration, model *schema.Model, from string) error {
	ctx := cmd.Context()
	isAPI := strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://")
	api := emcoapi.API{HTTP: &http.Client{Timeout: 5 * time.Minute}, Base: from, Services: make(map[string]string)}
	for _, service := range o.services {
		name, address, _ := strings.Cut(service, "=")
		switch u, err := url.Parse(address); {
		case !isAPI:
			return usagef(cmd, "--service is for a FROM that is the URL of a REST API")
		case err != nil || u.Host == "":
			return usagef(cmd, "--service is %q, but must be NAME=URL", service)
		case !slices.Contains(servicesOf(model), name):
			return usagef(cmd, "--service names %q, but the services of the ref-schema are %s", name, strings.Join(servicesOf(model), ", "))
		}
		api.Services[name] = address
	}
	p := s.progress("read", "stored document")
	defer p.done()
	if isAPI {
		err := api.Read(ctx, model, emcoapi.Reader{Finding: func(f store.Finding) { migration.Findings = append(migration.Findings, f) }, Item: func(item emco.Item) error {
			p.step()
			return migration.AddItem(item)
		}})
		if err != nil {
			return err
		}
		return migration.Finish()
	}
	for v, err := range s.ReadForeign(ctx, from, o.collection) {
		if err != nil {
			return err
		}
		if err := migration.Add(v); err != nil {
			return err
		}
		p.step()
	}
	return migration.Finish()
}

// servicesOf are the services that kinds of a ref-schema belong to, sorted.
func servicesOf(model *schema.Model) []string {
	var names []string
	for _, kind := range model.Kinds() {
		if kind.Service != "" {
			names = append(names, kind.Service)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// existing counts what an earlier migration, which was interrupted, stored of the documents. Others with their ids are an error.
func existing(ctx context.Context, st Store, migration *emco.Migration) (stored int, err error) {
	var others dovetail.Errors
	for doc, err := range st.Documents(ctx, store.ListQuery{}) {
		if err != nil {
			return 0, err
		}
		switch known, err := migration.Exists(doc); {
		case err != nil:
			others.Add(err)
		case known:
			stored++
		}
	}
	return stored, others.Err("nothing was migrated")
}

// storeEMCO stores the documents of a migration, batch by batch.
func (s *session) storeEMCO(ctx context.Context, st Store, migration *emco.Migration, stored int) error {
	p := s.progressOf("migrated", "document", migration.Documents)
	defer p.done()
	p.steps(stored)
	for batch, err := range migration.Batches(migrationBatch, migrationBatchBytes) {
		if err == nil {
			_, err = s.importDocuments(ctx, st, batch)
		}
		if err != nil {
			if stored > 0 {
				fmt.Fprintf(s.Err, "%d of %s are migrated; the same command goes on with the others\n", stored, count(migration.Documents, "document"))
			}
			return err
		}
		stored += len(batch)
		p.steps(len(batch))
	}
	return nil
}

func (o *migrateEMCOOptions) verdict(m *emco.Migration, before int) string {
	verb := "migrated"
	if o.dryRun {
		verb = "would be migrated"
	}
	text := fmt.Sprintf("%s read, %s %s", count(m.Read, "stored document"), count(m.Documents, "document"), verb)
	if before > 0 {
		text += fmt.Sprintf(" (%d of them by an earlier run)", before)
	}
	if m.Merged > 0 {
		text += fmt.Sprintf(", %d merged into others or compared", m.Merged)
	}
	if len(m.Findings) > 0 {
		text += fmt.Sprintf(", %s found, %d left out", count(len(m.Findings), "problem"), m.Left)
	}
	return text
}
