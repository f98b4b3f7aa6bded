package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/deckhand"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/barbican"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone"
	"github.com/dovetail-store/dovetail/src/layering/history"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type migrateDeckhandOptions struct {
	target
	secrets  string
	keystone string
	rendered string
	dryRun   bool
}

func newMigrateDeckhandCommand(s *session) *cobra.Command {
	var o migrateDeckhandOptions
	cmd := &cobra.Command{
		Use:   "deckhand FROM",
		Short: "Migrate the revisions of Airship Deckhand",
		Long: `Read the tables of a database of Airship Deckhand, and store its revisions with their numbers, times, documents, tags and
validations, in one transaction. FROM is the URI of the database, postgres://USER:PASSWORD@HOST/DATABASE, which stays as it is, or a
folder with a file for each table as PostgreSQL writes it with \copy TABLE to 'TABLE.csv' (format csv, header, null '\N').

The secrets that encrypted documents refer to are read from Barbican at the URL of --barbican, with the account in --keystone, a file in the format of
clouds.yaml, or from the file of --barbican, a JSON list of objects with ref, secret_type and payload. They are encrypted with the main key of --encryption-key-file, which must be that of the server if the target is one.

Afterwards every revision is rendered. Unknown data, data that cannot be migrated, and revisions that cannot be rendered are reported;
with --rendered also each value that Deckhand rendered differently, and its origin.
Nothing is overwritten: the target must have no revisions, or those of the database, and then nothing changes. After an interruption,
run the same command again.

The exit code is 0 when everything was migrated, and 1 when something is reported.`,
		Example: `  dovetail migrate deckhand dump --barbican secrets.json --store bolt:./dovetail.db --encryption-key-file main.key
  dovetail migrate deckhand postgres://deckhand@db/deckhand --barbican secrets.json --store bolt:./dovetail.db --encryption-key-file main.key
  dovetail migrate deckhand dump --barbican https://barbican.example.org:9311 --keystone keystone.yaml --store bolt:./dovetail.db --encryption-key-file main.key
  dovetail migrate deckhand dump --barbican secrets.json --server http://127.0.0.1:8080 --encryption-key-file main.key --dry-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	cmd.Flags().Lookup(keyFileSetting).Usage = "the key file with the main key of the target, to seal secrets with (default $" + EnvironmentName(keyFileSetting) + ")"
	s.messageFlag(cmd)
	cmd.Flags().StringVar(&o.secrets, "barbican", "", "the URL of the Barbican with the secrets of encrypted documents, or a file with these secrets")
	cmd.Flags().StringVar(&o.keystone, "keystone", "", "the file with the Keystone of that Barbican, and an account with permission to read the secrets")
	cmd.Flags().StringVar(&o.rendered, "rendered", "", "a folder with Deckhand's responses for rendered documents to compare with, such as 3.yaml for revision 3")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "report only, store nothing")
	return cmd
}

func (o *migrateDeckhandOptions) run(cmd *cobra.Command, s *session, from string) error {
	ctx := cmd.Context()
	h, findings, err := o.read(cmd, s, from)
	if err != nil {
		return err
	}
	answered, err := readRendered(o.rendered)
	if err != nil {
		return err
	}
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	keyFile := cmp.Or(o.keyFile, s.env(EnvironmentName(keyFileSetting)))
	documents, err := s.TakeOver(ctx, st, h, keyFile)
	if err != nil {
		return err
	}
	if len(documents) > 0 && !o.dryRun {
		if _, err := s.importDocuments(ctx, st, documents); err != nil {
			return err
		}
		if left, err := s.TakeOver(ctx, st, h, keyFile); err != nil || len(left) > 0 { // what is stored is what was read
			return cmp.Or(err, error(&dovetail.Error{Code: dovetail.CodeInternal, Message: "the revisions are not in the target after they were stored"}))
		}
	}
	rendered, faults := h.Check(ctx, answered)
	findings = append(findings, faults...)
	if err := s.showFindings(findings); err != nil {
		return err
	}
	if s.output == formatTable || s.output == formatWide {
		fmt.Fprintln(s.Out, o.verdict(h, len(documents) == 0, rendered, findings))
	}
	return different(len(findings) > 0)
}

func (o *migrateDeckhandOptions) verdict(h *history.History, there bool, rendered int, findings []store.Finding) string {
	verb := "migrated"
	switch {
	case there:
		verb = "there already"
	case o.dryRun:
		verb = "would be migrated"
	}
	rows := 0
	for _, of := range h.Revisions {
		rows += len(of.Rows)
	}
	text := fmt.Sprintf("%s with %s %s, %d rendered", count(len(h.Revisions), "revision"), count(rows, "row"), verb, rendered)
	if len(findings) > 0 {
		text += fmt.Sprintf(", %s found", count(len(findings), "problem"))
	}
	return text
}

// read reads the tables and the secrets.
func (o *migrateDeckhandOptions) read(cmd *cobra.Command, s *session, from string) (*history.History, []store.Finding, error) {
	ctx := cmd.Context()
	var tables []*deckhand.Table
	var err error
	if strings.Contains(from, "://") {
		err = s.ReadTables(ctx, from, deckhand.Tables, func(name string, text io.Reader) error {
			table, err := deckhand.ReadCSV(name, name, text)
			tables = append(tables, table)
			return err
		})
	} else {
		tables, err = readDump(from)
	}
	if err != nil {
		return nil, nil, err
	}
	secrets, err := o.readSecrets(cmd, tables)
	if err != nil {
		return nil, nil, err
	}
	return deckhand.Read(tables, secrets)
}

// readSecrets reads the secrets that the tables point to: from Barbican, or from a file.
func (o *migrateDeckhandOptions) readSecrets(cmd *cobra.Command, tables []*deckhand.Table) (deckhand.Secrets, error) {
	remote := strings.Contains(o.secrets, "://")
	switch {
	case remote && o.keystone == "":
		return nil, usagef(cmd, "a Barbican at a URL needs --keystone, the file with its Keystone and an account that may read the secrets")
	case !remote && o.keystone != "":
		return nil, usagef(cmd, "--keystone is for a Barbican at a URL: give --barbican URL, or leave it out")
	case o.secrets == "":
		return nil, nil
	case !remote:
		text, err := os.ReadFile(o.secrets)
		if err != nil {
			return nil, unreadable(o.secrets, err)
		}
		return deckhand.ParseSecrets(o.secrets, text)
	}
	account, err := keystone.New(keystone.Options{File: o.keystone, Timeout: time.Minute})
	if err != nil {
		return nil, err
	}
	client, err := barbican.New(o.secrets, account)
	if err != nil {
		return nil, err
	}
	found, err := client.Read(cmd.Context(), deckhand.References(tables))
	if err != nil {
		return nil, err
	}
	secrets := make(deckhand.Secrets, len(found))
	for ref, s := range found {
		secret := deckhand.NewSecret(ref, s.Type, s.Payload)
		secret.Refused, secret.Forbidden = s.Refused, s.Forbidden
		secrets[ref] = secret
	}
	return secrets, nil
}

// readDump reads all tables of a folder.
func readDump(dir string) ([]*deckhand.Table, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	var tables []*deckhand.Table
	var errs []error
	for _, entry := range entries {
		name, is := strings.CutSuffix(entry.Name(), ".csv")
		if !is {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		file, err := os.Open(path)
		if err != nil {
			return nil, unreadable(path, err)
		}
		table, err := deckhand.ReadCSV(name, path, file)
		errs = append(errs, err, file.Close())
		tables = append(tables, table)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return slices.Clip(tables), nil
}

// readRendered reads the rendered documents of revisions, by their numbers, from a folder; none of "".
func readRendered(dir string) (map[int][]*value.Value, error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	answered := make(map[int][]*value.Value, len(entries))
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		number, err := strconv.Atoi(strings.TrimSuffix(entry.Name(), ".yaml"))
		if err != nil {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: path + " is not named for a revision", Remedy: "name it as 3.yaml for revision 3"}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, unreadable(path, err)
		}
		if answered[number], err = yaml.ParsePython(path, text, value.Limits{}); err != nil {
			return nil, err
		}
	}
	return answered, nil
}
