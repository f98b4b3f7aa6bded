package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

type exportOptions struct {
	target
	moment
	under     string
	cleartext bool
}

func newExportCommand(s *session) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write all documents to a file",
		Long: `Write every document, with its uid, revision, times, status and files, as one line of JSON, in the
order of ids, to a file or the standard output. Two exports of the same documents are the same byte
for byte. A file is only replaced once the export is complete. The last line counts the documents and
has a digest of all lines before it, so that an import detects missing lines.

Documents of sensitive kinds, such as credentials, stay encrypted, together with their data keys, which only the main
key of the database decrypts (see "dovetail secrets"). --cleartext writes them unencrypted.`,
		Example: `  dovetail export backup.jsonl
  dovetail export --store bolt:./data/dovetail.db > backup.jsonl
  dovetail export --at 2026-11-21 yesterday.jsonl
  dovetail export --cleartext | jq .data`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args) },
	}
	o.target.flags(cmd)
	o.moment.flags(cmd)
	cmd.Flags().StringVar(&o.under, "under", "", "only what is below the document with this id")
	cmd.Flags().BoolVar(&o.cleartext, "cleartext", false, "write sensitive data in clear")
	noFileCompletion(cmd, "under")
	cmd.AddCommand(newExportRepoCommand(s))
	return cmd
}

func (o *exportOptions) run(cmd *cobra.Command, s *session, args []string) error {
	if err := s.only(cmd, formatJSON); err != nil {
		return err
	}
	ctx := cmd.Context()
	st, model, err := o.openWithModel(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	query := store.ListQuery{Sealed: !o.cleartext && hasSensitive(model)}
	if o.under != "" {
		if query.Under, err = dovetail.ParseID(o.under); err != nil {
			return err
		}
	}
	then, err := o.of(ctx, st)
	if err != nil {
		return err
	}
	if len(args) == 0 || args[0] == "-" {
		return s.export(ctx, then, model, query, s.Out)
	}
	return replaceFile(args[0], func(w io.Writer) error { return s.export(ctx, then, model, query, w) })
}

func hasSensitive(model *schema.Model) bool {
	return slices.ContainsFunc(model.Kinds(), func(k *schema.Kind) bool { return k.Sensitive.Any() })
}

// export writes what the query selects, and the line that ends an export.
func (s *session) export(ctx context.Context, st Store, model *schema.Model, query store.ListQuery, to io.Writer) error {
	p := s.progress("exported", "document")
	defer p.done()
	w := bufio.NewWriterSize(to, 1<<16)
	sum := newExportSum()
	var line []byte
	for doc, err := range st.Documents(ctx, query) {
		if err != nil {
			return inClear(err)
		}
		// Services keep copies of documents, of which the server knows whether they have secrets.
		if kind, known := model.Kind(doc.Kind); query.Sealed && known && kind.Sensitive.Any() && !kind.Managed && !store.IsSealed(doc.Data) {
			return inClear(&dovetail.Error{Code: dovetail.CodeConflict, Key: doc.ID, Message: "the server returns " + string(doc.ID) + " unencrypted", Remedy: "update the server"})
		}
		if line, err = doc.AppendJSON(line[:0]); err != nil {
			return &dovetail.Error{Code: dovetail.CodeCorrupt, Key: doc.ID, Err: err,
				Message: "the stored data of " + string(doc.ID) + " cannot be written as JSON", Remedy: "see `dovetail fsck`"}
		}
		line = append(line, '\n')
		sum.add(line)
		if _, err := w.Write(line); err != nil {
			return unwritable(err)
		}
		p.step()
	}
	if _, err := w.Write(sum.line()); err != nil {
		return unwritable(err)
	}
	if err := w.Flush(); err != nil {
		return unwritable(err)
	}
	return nil
}

// inClear adds, to an error that says that sensitive data are not encrypted, what else can be done.
func inClear(err error) error {
	if dovetail.CodeOf(err) != dovetail.CodeConflict {
		return err
	}
	e := *dovetail.AsError(err)
	e.Remedy += "; or write them in clear with --cleartext"
	return &e
}

// replaceFile writes a file beside the named one and renames it when it is complete.
func replaceFile(name string, write func(io.Writer) error) (err error) {
	temporary := name + ".part"
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return unwritable(err)
	}
	defer func() {
		if err != nil {
			os.Remove(temporary)
		}
	}()
	if err := write(outputFile{file}); err != nil {
		file.Close()
		return err
	}
	if err := file.Sync(); err != nil {
		file.Close()
		return unwritable(err)
	}
	if err := file.Close(); err != nil {
		return unwritable(err)
	}
	if err := os.Rename(temporary, name); err != nil {
		return unwritable(err)
	}
	return nil
}

// outputFile tells errors of writing a file from those of what is written.
type outputFile struct{ file io.Writer }

// Write implements io.Writer.
func (o outputFile) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if err != nil {
		err = unwritable(err)
	}
	return n, err
}

func unwritable(err error) error {
	e := &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the output cannot be written: " + err.Error(),
		Remedy: "name a file that can be written, on a disk with room", Err: err}
	if known := dovetail.Outside(err); known != nil {
		e.Code, e.Reason = known.Code, known.Reason
		e.Remedy = known.Remedy + ", or name a file on another disk"
	}
	return e
}
