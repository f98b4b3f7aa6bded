package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/backup"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type restoreOptions struct {
	store, keyFile  string
	findings, check bool
}

func newRestoreCommand(s *session) *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Store a backup in an empty database",
		Long: `Store the documents of a backup in an empty database, as they were, under the ref-schema of the backup. The backup is verified
first: one that is damaged or incomplete stores nothing.

Until everything was stored, read back, compared with the backup and checked, as "dovetail fsck" checks it, no server and no
other command opens the database. If the restore is interrupted, run it again: it continues.

Encrypted documents are decrypted with the main key of the database that they came from: add it to the file of
--encryption-key-file after the one of this database.`,
		Example: `  dovetail restore store.backup --store bolt:./restored/dovetail.db
  dovetail restore store.backup --store mongodb://host/dovetail --encryption-key-file main.key`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	cmd.Flags().StringVar(&o.store, "store", "", "the database: bolt:FILE or mongodb://HOST/DATABASE (default $DOVETAIL_STORE, or "+DefaultStore+")")
	cmd.Flags().StringVar(&o.keyFile, keyFileSetting, "", "the key file of sensitive kinds (default $"+EnvironmentName(keyFileSetting)+")")
	cmd.Flags().BoolVar(&o.findings, "allow-findings", false, "accept findings of the check, which the backed-up store had, too")
	cmd.Flags().BoolVar(&o.check, "dry-run", false, "verify the backup only")
	noFileCompletion(cmd, "store")
	return cmd
}

func (o *restoreOptions) run(cmd *cobra.Command, s *session, name string) error {
	if err := s.only(cmd, formatName, formatJSON, formatYAML); err != nil {
		return err
	}
	if isCheckpoint(name) {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: "this is a file of the embedded store, which needs no restore",
			Remedy: "copy it, and name the copy as a database: --store bolt:FILE"}
	}
	file, v, err := s.readBackup(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if o.check {
		return s.showBackup(name, "complete and unchanged", v)
	}
	location := cmp.Or(o.store, s.env(EnvironmentName("store")), DefaultStore)
	backend, err := s.OpenBackend(cmd.Context(), location, cmp.Or(o.keyFile, s.env(EnvironmentName(keyFileSetting))))
	if err != nil {
		return err
	}
	defer func() { _ = backend.Close() }() // what was stored is durable
	p := s.progressOf("restored", "document", v.summary.Documents)
	result, err := store.Restore(cmd.Context(), backend, store.Restoration{Backup: v.summary.SHA256, Sources: v.header.Schema.ToSchema(),
		Documents: documentsIn(file, v.summary), Sealed: v.sealed, AllowFindings: o.findings, Stored: p.steps}, store.Config{})
	p.done()
	if err != nil {
		return err
	}
	return s.showRestored(name, result)
}

// documentsIn yields the documents of a backup that was verified.
func documentsIn(file *os.File, expect *backup.Summary) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		stopped := &dovetail.Error{Code: dovetail.CodeCanceled, Message: "the reader stopped"}
		_, summary, err := backup.Read(bufio.NewReaderSize(file, 1<<20), nil, func(d *dovetail.Document) error {
			if !yield(d, nil) {
				return stopped
			}
			return nil
		})
		switch {
		case err == stopped: //nolint:errorlint // this very one
		case err != nil:
			yield(nil, err)
		case summary.SHA256 != expect.SHA256:
			yield(nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the backup was replaced while it was read", Remedy: "restore again"})
		}
	}
}

// showRestored shows what a restore did.
func (s *session) showRestored(name string, r *store.Restored) error {
	if s.output != formatTable {
		item, err := valueOf(r)
		if err != nil {
			return err
		}
		s.show(shown{names: []string{name}, items: []*value.Value{item}, single: true})
		return nil
	}
	fmt.Fprintf(s.Out, "%s restored; nothing differs from the backup\n", countKinds(r.Documents, r.Kinds))
	if r.Resumed > 0 {
		fmt.Fprintf(s.Out, "%s of them were stored by an earlier restore, which was interrupted\n", count(r.Resumed, "document"))
	}
	if len(r.Findings) > 0 {
		fmt.Fprintf(s.Out, "%s found, which the backed up store had too: see `dovetail fsck`\n", count(len(r.Findings), "problem"))
	}
	return nil
}
