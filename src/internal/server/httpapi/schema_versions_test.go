package httpapi_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
)

// TestSchemaVersions reads the ref-schemas that were in force, by their number and by a moment.
func TestSchemaVersions(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	first := s.store.Model().Hash()
	source, err := schema.ReadFile("testdata/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	source.Data = append(source.Data, "  - name: planet\n"...)
	model, err := schema.Compile([]schema.Source{source})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.SetModel(t.Context(), model); err != nil {
		t.Fatal(err)
	}
	var list struct {
		Items []struct {
			Version int
			Time    time.Time
			Hash    string
		}
	}
	if err := json.Unmarshal(s.must(200, "GET", "/v2/schema/versions", "").Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 2 {
		t.Fatalf("there are %d versions, want 2", len(list.Items))
	}
	for _, test := range []struct {
		name, query string
		code        int
		hash        string // of the answer, or else what its error says
	}{
		{"the first", "version=1", 200, first},
		{"the second", "version=2", 200, model.Hash()},
		{"the moment of now", "at=" + url.QueryEscape(time.Now().Add(time.Hour).Format(time.RFC3339)), 200, model.Hash()},
		{"one that there never was", "version=7", 404, "7"},
		{"no number", "version=last", 400, "version"},
		{"both", "version=1&at=2026-01-01", 400, "version and at are both given"},
		{"before all", "at=2001-01-01", 404, ""},
		{"a misspelt parameter", "vresion=1", 400, `did you mean`},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := s.must(test.code, "GET", "/v2/schema?"+test.query, "").Body.Bytes()
			if test.code != 200 {
				if !strings.Contains(string(body), test.hash) {
					t.Errorf("%s", body)
				}
				return
			}
			var view struct {
				Hash    string
				Kinds   []schema.Description
				Sources []struct{ Name, Text string }
			}
			if err := json.Unmarshal(body, &view); err != nil {
				t.Fatal(err)
			}
			var sources []schema.Source
			for _, source := range view.Sources {
				sources = append(sources, schema.Source{Name: source.Name, Data: []byte(source.Text)})
			}
			compiled, err := schema.Compile(sources)
			if err != nil {
				t.Fatal(err)
			}
			if view.Hash != test.hash || compiled.Hash() != test.hash || len(view.Kinds) != len(compiled.Kinds()) {
				t.Errorf("the answer has the hash %s and %d kinds, and its sources %s and %d, want %s", view.Hash, len(view.Kinds),
					compiled.Hash(), len(compiled.Kinds()), test.hash)
			}
		})
	}
}
