package kubeapi

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// objectData are data of documents, with all that means something else in an object.
var objectData = []struct{ name, data, status string }{
	{"nothing", `{}`, ``},
	{"metadata", `{"metadata":{"name":"web","description":"a \"b\"","labels":{"a":"b"}},"spec":{"n":1.50,"big":12345678901234567890}}`, `{"state":"ready"}`},
	{"metadata that is a list", `{"metadata":[1],"spec":{}}`, ``},
	{"members of objects", `{"kind":"x","apiVersion":"v9","spec":{"kind":"y"}}`, ``},
	{"members of metadata", `{"metadata":{"name":"web","uid":"mine","namespace":"n","finalizers":["x"]}}`, ``},
	{"field managers", `{"metadata":{"name":"web"},"spec":{"n":1}}`, `{"managedFields":[{"manager":"a"}]}`},
	{"field managers in a status", `{"spec":{"n":1}}`, `{"a":1,"managedFields":[{"manager":"a"}],"b":"managedFields"}`},
	{"a status that only looks so", `{"spec":{"n":1}}`, `{"x":["managedFields"]}`},
	{"an escaped name", `{"met\u0061data":{"name":"web"},"x":1}`, ``},
}

// TestObjects: what is made of data is the same in both ways, and gives the data back.
func TestObjects(t *testing.T) {
	source, err := schema.ReadFile("testdata/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile([]schema.Source{source})
	if err != nil {
		t.Fatal(err)
	}
	r := newCatalog(model).kinds["app"]
	for _, tt := range objectData {
		t.Run(tt.name, func(t *testing.T) {
			doc := &dovetail.Document{ID: "project/p1/app/web", Kind: "app", Data: json.RawMessage(tt.data), Status: json.RawMessage(tt.status), UID: "u", Revision: 3,
				Created: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
			object, err := r.object(doc)
			if err != nil {
				t.Fatal(err)
			}
			if text, ok := r.appendObject(nil, doc); ok && string(text) != string(object.JSON()) {
				t.Errorf("%s, want %s", text, object.JSON())
			}
			if err := r.check(object, "p1", "web"); err != nil {
				t.Error(err)
			}
			data, err := value.DataOf(doc, nil)
			if err != nil {
				t.Fatal(err)
			}
			back, err := r.data(object, data, "web")
			if err != nil || !value.Equal(back, data) {
				t.Errorf("%s %v, want %s", back.JSON(), err, data.JSON())
			}
		})
	}
}
