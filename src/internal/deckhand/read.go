package deckhand

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/layering/history"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The problems of findings.
const (
	UnknownTable    = "unknown-table"     // it is left out
	UnknownColumn   = "unknown-column"    // it is left out
	OtherVersion    = "other-version"     // of the tables: they may mean something else
	Unreadable      = "unreadable"        // a row that is left out
	Orphan          = "orphan"            // a row of a revision or bucket that is not there; it is left out
	Duplicate       = "duplicate"         // a second row for one thing; it is left out
	Deleted         = "deleted"           // a row that is marked as deleted where Deckhand deletes rows; it is left out
	OddValue        = "odd-value"         // what Deckhand does not store
	OddOrder        = "odd-order"         // times and numbers of revisions have different orders
	MissingSecret   = "missing-secret"    // the document has the URL of its secret as data
	BadSecret       = "unreadable-secret" // the same
	ForbiddenSecret = "forbidden-secret"  // the same
)

// Read makes a history of the tables. What is not understood, and what cannot be taken over, is reported. The error is for tables
// without which there is nothing to take over.
func Read(tables []*Table, secrets Secrets) (*history.History, []store.Finding, error) {
	r := &reader{tables: make(map[string]*Table), secrets: secrets, buckets: make(map[int]string), at: make(map[int]int), history: &history.History{}}
	for _, t := range tables {
		r.tables[t.Name] = t
	}
	if err := r.check(tables); err != nil {
		return nil, nil, err
	}
	r.readBuckets()
	r.readRevisions()
	r.readDocuments()
	r.readTags()
	r.readReports()
	return r.history, r.findings, nil
}

// reader is a reading on its way.
type reader struct {
	tables   map[string]*Table
	secrets  Secrets
	buckets  map[int]string // names by their id
	at       map[int]int    // where a revision stands in the history, by its number
	history  *history.History
	findings []store.Finding
}

func (r *reader) find(problem, format string, args ...any) {
	r.findings = append(r.findings, store.Finding{Problem: problem, Message: fmt.Sprintf(format, args...)})
}

// check compares the tables with those that are understood.
func (r *reader) check(tables []*Table) error {
	for _, name := range Tables {
		if r.tables[name] == nil && name != versionTable {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the table " + name + " is missing", Remedy: "dump all tables of the database: " + strings.Join(Tables, ", ")}
		}
	}
	for _, t := range tables {
		if !slices.Contains(Tables, t.Name) {
			r.find(UnknownTable, "the table %s is none of Deckhand's and is left out%s", t.Name, meant(t.Name))
			continue
		}
		if t.Name == versionTable {
			r.checkVersion(t)
			continue
		}
		for _, column := range slices.Concat(commonColumns, columns[t.Name]) {
			if !slices.Contains(t.Columns, column) {
				return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the table " + t.Name + " has no column " + column, Remedy: "dump the whole table, with a header"}
			}
		}
		for _, column := range t.Columns {
			if !slices.Contains(commonColumns, column) && !slices.Contains(columns[t.Name], column) {
				r.find(UnknownColumn, "the column %s of %s is not known and is left out", column, t.Name)
			}
		}
	}
	return nil
}

// meant asks whether another table was meant.
func meant(name string) string {
	if nearest := suggest.Nearest(name, Tables); nearest != "" {
		return "; did you mean " + nearest + "?"
	}
	return ""
}

func (r *reader) checkVersion(t *Table) {
	for _, row := range t.records() {
		if version := row.text("version_num"); version != knownVersion {
			r.find(OtherVersion, "the tables are of version %s; only %s is known", version, knownVersion)
		}
	}
}

// rows are those of a table in the order of their ids, without those that are marked as deleted unless deletions are rows.
func (r *reader) rows(table string, deletions bool) []record {
	all := r.tables[table].records()
	slices.SortStableFunc(all, func(a, b record) int { return a.number("id") - b.number("id") })
	return slices.DeleteFunc(all, func(row record) bool {
		if row.number("id") <= 0 {
			r.find(Unreadable, "%s has no number and is left out", row.name())
			return true
		}
		if !deletions && row.deleted() {
			r.find(Deleted, "%s is marked as deleted and is left out", row.name())
			return true
		}
		return false
	})
}

// created is when a row was made.
func (r *reader) created(row record) time.Time {
	for _, layout := range []string{"2006-01-02 15:04:05.999999", "2006-01-02 15:04:05.999999Z07", time.RFC3339Nano} {
		if at, err := time.Parse(layout, row.text("created_at")); err == nil {
			return at.UTC()
		}
	}
	r.find(OddValue, "%s has the time %q; the beginning of 1970 is taken", row.name(), row.text("created_at"))
	return time.Unix(0, 0).UTC()
}

func (r *reader) readBuckets() {
	for _, row := range r.rows("buckets", false) {
		name := row.text("name")
		if why := dovetail.CheckValue(name); why != "" {
			r.find(Unreadable, "%s is left out: the name %q %s", row.name(), name, why)
			continue
		}
		r.buckets[row.number("id")] = name
		r.history.Buckets = append(r.history.Buckets, history.Bucket{Name: name, Created: r.created(row)})
	}
}

func (r *reader) readRevisions() {
	for _, row := range r.rows("revisions", false) {
		of := history.Revision{Number: row.number("id"), Created: r.created(row)}
		if n := len(r.history.Revisions); n > 0 && of.Created.Before(r.history.Revisions[n-1].Created) {
			r.find(OddOrder, "revision %d is older than revision %d; the numbers are taken as the order", of.Number, r.history.Revisions[n-1].Number)
		}
		r.at[of.Number] = len(r.history.Revisions)
		r.history.Revisions = append(r.history.Revisions, of)
	}
}

// revision is the one that a row belongs to; nil, with a finding, if there is none.
func (r *reader) revision(row record) *history.Revision {
	at, is := r.at[row.number("revision_id")]
	if !is {
		r.find(Orphan, "%s is left out: revision %s is not there", row.name(), row.text("revision_id"))
		return nil
	}
	return &r.history.Revisions[at]
}

// json reads the JSON of a column; otherwise is for null.
func (r *reader) json(row record, column string, otherwise *value.Value) (*value.Value, bool) {
	if row.values[column] == nil {
		return otherwise, true
	}
	v, err := value.ParseJSON([]byte(row.text(column)), value.Limits{})
	if err != nil {
		r.find(Unreadable, "%s is left out: its %s is no JSON: %v", row.name(), column, err)
		return nil, false
	}
	return v, true
}

func (r *reader) readTags() {
	for _, row := range r.rows("revision_tags", false) {
		of := r.revision(row)
		if of == nil {
			continue
		}
		name := row.text("tag")
		data, ok := r.json(row, "data", value.NewMap())
		why := dovetail.CheckValue(name)
		switch {
		case !ok:
		case why != "":
			r.find(Unreadable, "%s is left out: the tag %q %s", row.name(), name, why)
		case data.Kind != value.Map && data.Kind != value.Null:
			r.find(OddValue, "%s is left out: the data of the tag %s is a %s, not a map", row.name(), name, data.Kind)
		case slices.ContainsFunc(of.Tags, func(t history.Tag) bool { return t.Name == name }):
			r.find(Duplicate, "%s is left out: revision %d has the tag %s already", row.name(), of.Number, name)
		default:
			if data.Kind == value.Null {
				data = value.NewMap()
			}
			of.Tags = append(of.Tags, history.Tag{Name: name, Data: data, Created: r.created(row)})
		}
	}
}

func (r *reader) readReports() {
	for _, row := range r.rows("validations", false) {
		of := r.revision(row)
		if of == nil {
			continue
		}
		validator, ok := r.json(row, "validator", value.NullValue())
		errs, also := r.json(row, "errors", value.NewList())
		if !ok || !also {
			continue
		}
		name, status := row.text("name"), row.text("status")
		if why := dovetail.CheckValue(name); why != "" {
			r.find(Unreadable, "%s is left out: the name %q %s", row.name(), name, why)
			continue
		}
		if status != "success" && status != "failure" {
			r.find(OddValue, "%s has the status %q, which is neither success nor failure", row.name(), status)
		}
		of.Reports = append(of.Reports, history.Report{Name: name, Created: r.created(row), Result: value.NewMap(value.Member{Name: "status", Value: value.NewString(status)},
			value.Member{Name: "validator", Value: validator}, value.Member{Name: "errors", Value: errs})})
	}
}

func (r *reader) readDocuments() {
	for _, row := range r.rows("documents", true) {
		of := r.revision(row)
		if of == nil {
			continue
		}
		bucket, is := r.buckets[row.number("bucket_id")]
		if !is {
			r.find(Orphan, "%s is left out: its bucket %s is not there", row.name(), row.text("bucket_id"))
			continue
		}
		id := rendering.ID{Schema: row.text("schema"), Name: row.text("name"), Layer: row.text("layer")}
		said := history.Row{Number: row.number("id"), ID: id, Bucket: bucket, Since: cmp.Or(row.number("orig_revision_id"), of.Number),
			Content: row.text("data_hash") + row.text("metadata_hash"), Created: r.created(row)}
		if !row.deleted() {
			if said.Document = r.document(row, id); said.Document == nil {
				continue
			}
		}
		of.Rows = append(of.Rows, said)
	}
}

// document is what a row says; nil, with a finding, where it is none.
func (r *reader) document(row record, id rendering.ID) *rendering.Document {
	metadata, ok := r.json(row, "meta", value.NewMap())
	data, also := r.json(row, "data", value.NullValue())
	if !ok || !also {
		return nil
	}
	if ref, is := reference(metadata, data); is { // otherwise it was stored as it is
		data = r.resolve(row, id, ref, data)
	}
	whole := value.NewMap(value.Member{Name: "schema", Value: value.NewString(id.Schema)}, value.Member{Name: "metadata", Value: metadata},
		value.Member{Name: "data", Value: data})
	d, err := rendering.Restore(whole)
	if err != nil {
		r.find(Unreadable, "%s, %s, is left out: %v", row.name(), id, err)
		return nil
	}
	for _, part := range []struct{ what, text string }{{"schema", id.Schema}, {"name", id.Name}, {"layer", cmp.Or(id.Layer, "-")}} {
		if why := dovetail.CheckValue(part.text); why != "" {
			r.find(Unreadable, "%s, %s, is left out: its %s %s", row.name(), id, part.what, why)
			return nil
		}
	}
	if d.ID != id {
		r.find(Unreadable, "%s is left out: its columns say %s, its metadata %s", row.name(), id, d.ID)
		return nil
	}
	return d
}

// resolve is what the secret says that the data of a document points to. Without it the document keeps the URL.
func (r *reader) resolve(row record, id rendering.ID, ref string, data *value.Value) *value.Value {
	secret, is := r.secrets[ref]
	switch {
	case !is:
		r.find(MissingSecret, "the secret of %s, %s, is missing: the document has its URL %s as data", row.name(), id, ref)
		return data
	case secret.Forbidden:
		r.find(ForbiddenSecret, "the secret of %s, %s, may not be read: %s. The document has its URL %s as data", row.name(), id, secret.Refused, ref)
		return data
	case secret.Refused != "":
		r.find(MissingSecret, "the secret of %s, %s, is missing: %s. The document has its URL %s as data", row.name(), id, secret.Refused, ref)
		return data
	}
	opened, err := secret.data()
	if err != nil {
		r.find(BadSecret, "the secret of %s, %s, cannot be read: the document has its URL %s as data", row.name(), id, ref)
		return data
	}
	return opened
}
