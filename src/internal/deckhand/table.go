package deckhand

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Table is a table as text, as PostgreSQL writes its values.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]*string // nil for null
}

// Tables are the tables of a Deckhand database.
var Tables = []string{"buckets", "revisions", "documents", "revision_tags", "validations", versionTable}

// versionTable says which version the tables are of.
const versionTable = "alembic_version"

// knownVersion is the version of the tables that this package understands.
const knownVersion = "918bbfd28185"

// columns are those of each table that this package understands.
var columns = map[string][]string{
	"buckets":       {"id", "name"},
	"revisions":     {"id"},
	"documents":     {"id", "name", "schema", "layer", "meta", "data", "data_hash", "metadata_hash", "bucket_id", "revision_id", "orig_revision_id"},
	"revision_tags": {"id", "tag", "data", "revision_id"},
	"validations":   {"id", "name", "status", "validator", "errors", "revision_id"},
}

// commonColumns are those of every table but that of the version.
var commonColumns = []string{"created_at", "updated_at", "deleted_at", "deleted"}

// ReadCSV reads a table with a header as COPY writes it with FORMAT csv, HEADER and NULL '\N'.
func ReadCSV(name, file string, from io.Reader) (*Table, error) {
	t := &Table{Name: name}
	lines := csv.NewReader(from)
	for {
		record, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, badCSV(file, err)
		}
		if t.Columns == nil {
			t.Columns = record
			continue
		}
		row := make([]*string, len(record))
		for i := range record {
			if record[i] != `\N` {
				row[i] = &record[i]
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if t.Columns == nil {
		return nil, badCSV(file, errors.New("it has no header"))
	}
	return t, nil
}

func badCSV(file string, err error) error {
	e := &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the dump cannot be read: " + err.Error(), Position: dovetail.Position{File: file}, Err: err,
		Remedy: `dump each table with \copy TABLE to 'TABLE.csv' (format csv, header, null '\N')`}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		e.Position.Line, e.Position.Column = parse.Line, parse.Column
		e.Message = "the dump cannot be read: " + parse.Err.Error()
	}
	return e
}

// record is a row by the names of its columns.
type record struct {
	table  string
	values map[string]*string
}

func (t *Table) records() []record {
	all := make([]record, len(t.Rows))
	for i, row := range t.Rows {
		all[i] = record{t.Name, make(map[string]*string, len(row))}
		for j, v := range row {
			all[i].values[t.Columns[j]] = v
		}
	}
	return all
}

// text is the value of a column, "" for null.
func (r record) text(column string) string {
	if v := r.values[column]; v != nil {
		return *v
	}
	return ""
}

// number is the value of a column, 0 for null and what is no number.
func (r record) number(column string) int {
	n, err := strconv.Atoi(r.text(column))
	if err != nil {
		return 0
	}
	return n
}

func (r record) deleted() bool { return r.text("deleted") == "t" || r.text("deleted") == "true" }

// name is what a row is called in findings.
func (r record) name() string { return fmt.Sprintf("row %s of %s", r.text("id"), r.table) }
