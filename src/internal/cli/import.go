package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

type importOptions struct {
	target
	incomplete bool
}

func newImportCommand(s *session) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Store the documents of an export",
		Long: `Store documents as "dovetail export" wrote them, with their uid, revision, times, status and files, in
one transaction. Parents and references are checked again. Nothing is overwritten: if one of the
documents exists, nothing is stored. The same applies if a line of the export is missing or was changed.
With --store, --references warn also imports documents with dangling references, from a database that allows
them. A server has a --references setting of its own.

Encrypted documents are decrypted with the main key of the database that they came from: the server needs it in its
key file, after its own, or with --store the file of --encryption-key-file.`,
		Example: `  dovetail import backup.jsonl --store bolt:./data/dovetail.db --encryption-key-file main.key`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	o.referencesFlag(cmd, "with --store, strict refuses dangling references, warn keeps them")
	s.messageFlag(cmd)
	cmd.Flags().BoolVar(&o.incomplete, "allow-incomplete", false, "import a file of an older version, without the last line that counts its documents")
	cmd.AddCommand(newImportCatalogCommand(s), newImportRepoCommand(s))
	return cmd
}

func (o *importOptions) run(cmd *cobra.Command, s *session, name string) error {
	if err := s.only(cmd, formatName, formatJSON, formatYAML); err != nil {
		return err
	}
	if err := o.checkReferences(cmd); err != nil {
		return err
	}
	if o.dangling() && o.store == "" {
		return usagef(cmd, "--references warn needs --store: a server does as its own --references says")
	}
	ctx := cmd.Context()
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	documents, numbers, err := s.readExport(name, o.incomplete)
	if err != nil {
		return err
	}
	if o.store != "" {
		if err := knowsKinds(ctx, st, documents); err != nil {
			return err
		}
	}
	result, err := s.importDocuments(ctx, st, documents)
	if err != nil {
		return atLines(err, name, numbers)
	}
	if s.output == formatTable {
		fmt.Fprintf(s.Out, "%s imported\n", count(len(result.Outcomes), "document"))
		return nil
	}
	return s.showResult(result, false)
}

// knowsKinds returns one error for all kinds of documents that a database does not have: it lacks their ref-schema.
func knowsKinds(ctx context.Context, st Store, documents []*dovetail.Document) error {
	model, err := st.Model(ctx)
	if err != nil {
		return err
	}
	unknown := make(map[string]bool)
	for _, doc := range documents {
		if _, known := model.Kind(doc.Kind); !known {
			unknown[doc.Kind] = true
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the database has no kind " + strings.Join(sortedKeys(unknown), ", no kind "),
		Remedy: "name the directory with the ref-schemas of these documents with --ref-schemas"}
}

// readExport reads documents, one a line, and the numbers of these lines. What is wrong with any of
// them is reported at once.
func (s *session) readExport(name string, incomplete bool) (documents []*dovetail.Document, numbers []int, err error) {
	in := s.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, nil, unreadable(name, err)
		}
		defer file.Close()
		in = file
	}
	p := s.progress("read", "document")
	defer p.done()
	lines := bufio.NewReaderSize(in, 1<<20)
	if start, _ := lines.Peek(2); bytes.Equal(start, gzipMagic) {
		return nil, nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: positionName(name)}, Message: "it is compressed by gzip, as backups are",
			Remedy: "restore a backup with `dovetail restore`; unpack an export, as `zcat FILE | dovetail import -` does"}
	}
	var errs []*dovetail.Error
	var end *exportSummary
	sum := newExportSum()
	bad := func(number int, message string, err error) {
		errs = append(errs, &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: "import what `dovetail export` wrote",
			Position: dovetail.Position{File: positionName(name), Line: number}, Err: err})
	}
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		switch empty := len(bytes.TrimSpace(line)) == 0; {
		case empty:
		case end != nil:
			bad(number, "the line comes after the one that ends the export", nil)
		default:
			if end = endOf(line); end != nil {
				break
			}
			doc := new(dovetail.Document)
			if err := json.Unmarshal(line, doc); err != nil {
				bad(number, "the line is not a document as export writes it", err)
			}
			sum.add(line)
			documents = append(documents, doc)
			numbers = append(numbers, number)
			p.step()
		}
		switch {
		case errors.Is(err, io.EOF):
			if wrong := s.checkEnd(sum, end, incomplete, documents, dovetail.Position{File: positionName(name), Line: number}); wrong != nil {
				errs = append(errs, wrong)
			}
			return documents, numbers, dovetail.Join("nothing was imported", errs)
		case err != nil:
			return nil, nil, unreadable(positionName(name), err)
		}
	}
}

// checkEnd checks the end of an export. An import without one prints a warning.
func (s *session) checkEnd(sum *exportSum, end *exportSummary, incomplete bool, documents []*dovetail.Document, at dovetail.Position) *dovetail.Error {
	if incomplete && end == nil {
		fmt.Fprintf(s.Err, "warning: the export has no last line that counts its documents, so that some may be missing: it has %s\n", count(len(documents), "document"))
		return nil
	}
	var last dovetail.ID
	if len(documents) > 0 {
		last = documents[len(documents)-1].ID
	}
	return sum.check(end, at, last)
}

// atLines gives the errors of an import, which count documents, their lines in the file.
func atLines(err error, name string, numbers []int) error {
	for _, part := range parts(err) {
		if part.Code == dovetail.CodeExists {
			part.Remedy = "import into an empty database, or delete it first: an import overwrites nothing"
		}
		if part.Index > 0 && part.Index <= len(numbers) {
			part.Position = dovetail.Position{File: positionName(name), Line: numbers[part.Index-1], Path: part.Position.Path}
		}
	}
	return err
}
