package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

type importOptions struct {
	target
}

func newImportCommand(s *session) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Store the documents of an export",
		Long: `Store documents as "dovetail export" wrote them, with their uid, revision, times, status and files, in
one transaction. Parents and references are checked as ever. Nothing is overwritten: if one of the
documents exists, nothing is stored.`,
		Example: `  dovetail import backup.jsonl --store bolt:./data/dovetail.db`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, s, args[0]) },
	}
	o.target.flags(cmd)
	cmd.AddCommand(newImportCatalogCommand(s), newImportRepoCommand(s))
	return cmd
}

func (o *importOptions) run(cmd *cobra.Command, s *session, name string) error {
	if err := s.only(cmd, formatName, formatJSON, formatYAML); err != nil {
		return err
	}
	ctx := cmd.Context()
	st, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	defer release(st)
	documents, numbers, err := s.readExport(name)
	if err != nil {
		return err
	}
	result, err := st.Import(ctx, documents)
	if err != nil {
		return atLines(err, name, numbers)
	}
	if s.output == formatTable {
		fmt.Fprintf(s.Out, "%s imported\n", count(len(result.Outcomes), "document"))
		return nil
	}
	return s.showResult(result, false)
}

// readExport reads documents, one a line, and the numbers of these lines. What is wrong with any of
// them is reported at once.
func (s *session) readExport(name string) (documents []*dovetail.Document, numbers []int, err error) {
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
	var errs []*dovetail.Error
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			doc := new(dovetail.Document)
			if bad := json.Unmarshal(line, doc); bad != nil {
				errs = append(errs, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the line is not a document as export writes it",
					Remedy:   "import what `dovetail export` wrote",
					Position: dovetail.Position{File: positionName(name), Line: number}, Err: bad})
			}
			documents = append(documents, doc)
			numbers = append(numbers, number)
			p.step()
		}
		switch {
		case errors.Is(err, io.EOF):
			return documents, numbers, dovetail.Join("nothing was imported", errs)
		case err != nil:
			return nil, nil, unreadable(positionName(name), err)
		}
	}
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
