package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/backup"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

type backupOptions struct {
	target
	store.BackupOptions
	checkpoint bool
}

func newBackupCommand(s *session) *cobra.Command {
	var o backupOptions
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a backup of the whole store",
		Long: `Write all documents of one position, with uid, revision, times, status and files, and their ref-schema, to a
file. Writes can continue in the meantime: the backup contains all transactions up to its position, and no later
ones. "dovetail restore" stores it in an empty database.

The file is only replaced once the backup is complete and was verified. It consists of gzip members of lines of JSON: zcat shows what
it holds.

Documents of sensitive kinds stay encrypted, together with their data keys, which only the main key of the database decrypts
(see "dovetail secrets"): keep the main key elsewhere. --cleartext writes them unencrypted; without a main key that is the only way.

--checkpoint copies the file of an embedded store instead, with the history and everything else that is stored: a server can use the
copy as its database, without a restore. Documents stay as they are stored.`,
		Example: `  dovetail backup store.backup
  dovetail backup store.backup --store bolt:./data/dovetail.db
  dovetail backup yesterday.backup --at 2026-11-21T18:00:00Z
  dovetail backup copy.db --checkpoint && dovetail serve --store bolt:copy.db`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	cmd.Flags().StringVar(&o.At, "at", "", "back up the store as of a time, such as 2026-11-21T18:00:00Z, or a position")
	cmd.Flags().BoolVar(&o.Cleartext, "cleartext", false, "write sensitive data in clear")
	cmd.Flags().BoolVar(&o.checkpoint, "checkpoint", false, "copy the file of an embedded store, with the history")
	cmd.MarkFlagsMutuallyExclusive("checkpoint", "at")
	cmd.MarkFlagsMutuallyExclusive("checkpoint", "cleartext")
	noFileCompletion(cmd, "at")
	cmd.AddCommand(newBackupVerifyCommand(s))
	return cmd
}

func (o *backupOptions) run(cmd *cobra.Command, s *session, name string) error {
	if err := s.only(cmd, formatName, formatJSON, formatYAML); err != nil {
		return err
	}
	st, err := o.open(cmd.Context(), s)
	if err != nil {
		return err
	}
	defer release(st)
	if o.checkpoint {
		return s.writeCheckpoint(name, func(to io.Writer) error { return st.WriteCheckpoint(cmd.Context(), to) })
	}
	var read verified
	err = replaceFile(name, func(file io.Writer) (err error) {
		p := s.progress("backed up", "document")
		defer p.done()
		read, err = verifyWritten(file, func(to io.Writer) error { return st.WriteBackup(cmd.Context(), to, o.BackupOptions) },
			func(from io.Reader) (verified, error) { return verifyBackup(from, p.step) })
		return err
	})
	if err != nil {
		return inClear(err)
	}
	return s.showBackup(name, "written", read)
}

// verified is what a backup holds.
type verified struct {
	header  *backup.Header
	summary *backup.Summary
	// sealed has, for each kind, the first documents that are encrypted.
	sealed []*dovetail.Document
}

// verifyWritten verifies what is written while it is written.
func verifyWritten[T any](file io.Writer, write func(io.Writer) error, verify func(io.Reader) (T, error)) (none T, _ error) {
	from, to := io.Pipe()
	type outcome struct {
		read T
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		read, err := verify(from)
		from.CloseWithError(errors.Join(err, io.ErrClosedPipe)) // the writer need not go on
		done <- outcome{read, err}
	}()
	err := write(io.MultiWriter(file, to))
	to.CloseWithError(err)
	read := <-done
	if err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return none, err
	}
	return read.read, read.err
}

// verifyBackup reads a backup to its end.
func verifyBackup(from io.Reader, step func()) (v verified, err error) {
	const samples = 20
	of := map[string]int{}
	v.header, v.summary, err = backup.Read(from, nil, func(d *dovetail.Document) error {
		if store.IsSealed(d.Data) && of[d.Kind] < samples {
			of[d.Kind]++
			v.sealed = append(v.sealed, d)
		}
		step()
		return nil
	})
	return v, err
}

// readBackup opens a file and verifies the backup that it holds. The file is at its beginning again; close it.
func (s *session) readBackup(name string) (*os.File, verified, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, verified{}, unreadable(name, err)
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, verified{}, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: "this is a directory, not a backup",
			Remedy: "name the file that `dovetail backup` wrote; the manifests of a directory are stored by `dovetail apply -f " + quoted(name) + "`"}
	}
	p := s.progress("verified", "document")
	v, err := verifyBackup(bufio.NewReaderSize(file, 1<<20), p.step)
	p.done()
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close()
		e := *dovetail.AsError(err)
		e.Position.File = name
		return nil, verified{}, &e
	}
	return file, v, nil
}

func newBackupVerifyCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Check that a backup is complete and unchanged",
		Long: `Read a backup to its end and check every byte, as "dovetail restore" does before it stores anything. No store is needed. Whether
encrypted documents can be decrypted is not checked: that needs the main key.

A checkpoint is checked too, unless a store has opened it already.`,
		Example: `  dovetail backup verify store.backup`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.only(cmd, formatName, formatJSON, formatYAML); err != nil {
				return err
			}
			if isCheckpoint(args[0]) {
				return s.verifyCheckpoint(args[0])
			}
			file, v, err := s.readBackup(args[0])
			if err != nil {
				return err
			}
			file.Close()
			return s.showBackup(args[0], "complete and unchanged", v)
		},
	}
}

// shownBackup is what -o json and yaml show of a backup.
type shownBackup struct {
	File     string         `json:"file"`
	Format   int            `json:"format"`
	Created  time.Time      `json:"created"`
	Position store.Cursor   `json:"position"`
	Time     time.Time      `json:"time"`
	Schema   string         `json:"schema"`
	SHA256   string         `json:"sha256"`
	Total    int            `json:"documents"`
	Kinds    map[string]int `json:"kinds"`
}

// showBackup shows what a backup holds.
func (s *session) showBackup(name, what string, v verified) error {
	h := v.header
	if s.output == formatTable {
		fmt.Fprintf(s.Out, "%s: %s, position %s of %s, %s\n", name, what, h.Position, h.Time.Format(time.RFC3339), countKinds(v.summary.Documents, v.summary.Kinds))
		return nil
	}
	item, err := valueOf(shownBackup{name, h.Format, h.Created, h.Position, h.Time, h.Schema.Hash, v.summary.SHA256, v.summary.Documents, v.summary.Kinds})
	if err != nil {
		return err
	}
	s.show(shown{names: []string{name}, items: []*value.Value{item}, single: true})
	return nil
}

// countKinds is "3 documents (app 2, project 1)".
func countKinds(total int, kinds map[string]int) string {
	text := count(total, "document")
	for n, kind := range slices.Sorted(maps.Keys(kinds)) {
		text += fmt.Sprintf("%s%s %d", map[bool]string{true: " (", false: ", "}[n == 0], kind, kinds[kind])
	}
	if total > 0 {
		text += ")"
	}
	return text
}
