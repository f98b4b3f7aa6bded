package kubeapi

import (
	"mime"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// shape is how objects are shown: whole, as rows of a table, or their metadata alone.
type shape struct {
	table, metadata bool
	include         metav1.IncludeObjectPolicy // of the rows of a table
	now             time.Time
}

// shapeOf reads what the header Accept prefers of what there is; whole objects where it says nothing that is known.
func (a *API) shapeOf(header http.Header, include string) shape {
	s := shape{include: metav1.IncludeMetadata, now: a.now()}
	if policy := metav1.IncludeObjectPolicy(include); policy == metav1.IncludeNone || policy == metav1.IncludeObject {
		s.include = policy
	}
	for _, accepted := range strings.Split(strings.Join(header["Accept"], ","), ",") {
		name, parameters, err := mime.ParseMediaType(accepted)
		if err != nil || name != mediaJSON || parameters["v"] != "" && parameters["v"] != "v1" {
			continue
		}
		switch parameters["as"] {
		case "Table":
			s.table = true
			return s
		case "PartialObjectMetadata", "PartialObjectMetadataList":
			s.metadata = true
			return s
		case "":
			return s
		}
	}
	return s
}

const metaVersion = "meta.k8s.io/v1"

// one shows one document.
func (s shape) one(r *resource, doc *dovetail.Document) ([]byte, error) {
	if !s.table && !s.metadata {
		if text, ok := r.appendObject(nil, doc); ok {
			return text, nil
		}
	}
	object, err := r.object(doc)
	if err != nil {
		return nil, err
	}
	switch {
	case s.table:
		row, err := s.row(r, doc, object)
		return s.rows(r, metav1.ListMeta{ResourceVersion: doc.ETag().Version()}, []metav1.TableRow{row}), err
	case s.metadata:
		return partial(object).JSON(), nil
	}
	return object.JSON(), nil
}

// list shows documents.
func (s shape) list(r *resource, meta metav1.ListMeta, documents []*dovetail.Document) ([]byte, error) {
	if s.table {
		return s.tableOf(r, meta, documents)
	}
	kind, apiVersion := r.kind+"List", r.apiVersion()
	if s.metadata {
		kind, apiVersion = "PartialObjectMetadataList", metaVersion
	}
	const beside = 300 // bytes of an object that are not data
	size := beside
	for _, doc := range documents {
		size += len(doc.Data) + len(doc.Status) + beside
	}
	text := append(append(make([]byte, 0, size), `{"kind":"`...), kind...)
	text = append(append(append(text, `","apiVersion":"`...), apiVersion...), `","metadata":`...)
	text = append(append(text, encode(meta)...), `,"items":[`...)
	for i, doc := range documents {
		if i > 0 {
			text = append(text, ',')
		}
		if !s.metadata {
			if more, ok := r.appendObject(text, doc); ok {
				text = more
				continue
			}
		}
		object, err := r.object(doc)
		if err != nil {
			return nil, err
		}
		if s.metadata {
			object = partial(object)
		}
		text = object.AppendJSON(text)
	}
	return append(text, "]}"...), nil
}

// tableOf shows documents as rows.
func (s shape) tableOf(r *resource, meta metav1.ListMeta, documents []*dovetail.Document) ([]byte, error) {
	rows := make([]metav1.TableRow, len(documents))
	for i, doc := range documents {
		object, err := r.object(doc)
		if err != nil {
			return nil, err
		}
		if rows[i], err = s.row(r, doc, object); err != nil {
			return nil, err
		}
	}
	return s.rows(r, meta, rows), nil
}

// partial is an object without anything but its metadata.
func partial(object *value.Value) *value.Value {
	p := value.NewMap()
	p.Set(memberKind, value.NewString("PartialObjectMetadata"))
	p.Set(memberAPIVersion, value.NewString(metaVersion))
	p.Set(memberMetadata, object.Get(memberMetadata))
	return p
}

// rows is a table.
func (s shape) rows(r *resource, meta metav1.ListMeta, rows []metav1.TableRow) []byte {
	t := metav1.Table{TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: metaVersion}, ListMeta: meta, Rows: rows}
	if rows == nil {
		t.Rows = []metav1.TableRow{}
	}
	column := func(name, format, description string, priority int32) {
		t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string", Format: format, Description: description, Priority: priority})
	}
	column("Name", "name", "the name within the namespace", 0)
	for i := range r.of.Columns {
		c := &r.of.Columns[i]
		priority := int32(0)
		if c.Wide {
			priority = 1
		}
		column(c.Name, "", c.Path.String(), priority)
	}
	column("Age", "", "the time since the document was created", 0)
	return encode(t)
}

// row is a document in a table.
func (s shape) row(r *resource, doc *dovetail.Document, object *value.Value) (metav1.TableRow, error) {
	_, name := r.place(doc.ID)
	row := metav1.TableRow{Cells: []any{name}}
	if len(r.of.Columns) > 0 {
		data, err := value.DataOf(doc, nil)
		if err != nil {
			return row, err
		}
		if status := object.Get(memberStatus); status != nil {
			data.Set(memberStatus, status)
		}
		for i := range r.of.Columns {
			row.Cells = append(row.Cells, r.of.Columns[i].Text(data, s.now))
		}
	}
	age := schema.ColumnNone
	if !doc.Created.IsZero() {
		age = schema.Age(s.now.Sub(doc.Created))
	}
	row.Cells = append(row.Cells, age)
	switch s.include {
	case metav1.IncludeObject:
		row.Object.Raw = object.JSON()
	case metav1.IncludeMetadata:
		row.Object.Raw = partial(object).JSON()
	}
	return row, nil
}
