package httpapi_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

func TestViews(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	s.must(200, "PUT", app+"/status", `{"phase":"<ready>"}`)
	for name, path := range map[string]string{
		"view-document":   app + "?view=document",
		"view-references": app + "?view=references",
		"view-referrers":  "/v2/controllers/c1?view=referrers",
		"view-children":   "/v2/projects/p1?view=children",
		"view-tree":       "/v2/projects/p1?view=tree",
		"view-tree-flat":  "/v2/projects/p1?view=tree&depth=1&limit=1",
		"view-graph":      app + "?view=graph&depth=2",
		"view-graph-near": "/v2/controllers/c1?view=graph",
		"view-graph-flat": "/v2/projects/p1?view=graph&depth=0",
		"view-graph-cut":  app + "?view=graph&depth=3&limit=2",
		"view-empty":      app + "?view=referrers",
	} {
		t.Run(name, func(t *testing.T) {
			w := s.must(200, "GET", path, "")
			golden(t, name, hash.ReplaceAll(w.Body.Bytes(), []byte(`"schema":"hash"`)))
		})
	}
	for _, view := range []string{"document", "references", "referrers", "children", "tree", "graph"} {
		s.must(404, "GET", "/v2/projects/p9?view="+view, "")
	}
}

func TestNumbersOfViews(t *testing.T) {
	tests := []struct {
		name, query string
		status      int
		says        string
	}{
		{name: "the deepest tree", query: "view=tree&depth=50&limit=1000", status: 200},
		{name: "a deeper tree", query: "view=tree&depth=51", status: 400, says: "give a number from 0 to 50"},
		{name: "a wider tree", query: "view=tree&limit=1001", status: 400, says: "give a number from 1 to 1000"},
		{name: "a depth that is no number", query: "view=tree&depth=x", status: 400, says: "give a number from 0 to 50"},
		{name: "the largest graph", query: "view=graph&depth=5&limit=1000", status: 200},
		{name: "a deeper graph", query: "view=graph&depth=6", status: 400, says: "give a number from 0 to 5"},
		{name: "a larger graph", query: "view=graph&limit=1001", status: 400, says: "give a number from 1 to 1000"},
		{name: "an empty graph", query: "view=graph&limit=0", status: 400, says: "give a number from 1 to 1000"},
		{name: "a depth of a graph that is no number", query: "view=graph&depth=x", status: 400, says: "give a number from 0 to 5"},
		{name: "pages of children longer than they get", query: "view=children&limit=1001", status: 200},
		{name: "a number that no computer counts to", query: "view=children&limit=99999999999999999999", status: 400, says: "give a number from 1 to 1000"},
	}
	s := newServer(t, httpapi.Options{})
	s.seed()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if w := s.must(tt.status, "GET", app+"?"+tt.query, ""); !strings.Contains(w.Body.String(), tt.says) {
				t.Errorf("got %s, want %q in it", w.Body, tt.says)
			}
		})
	}
}

// The envelope is what encoding/json makes of a document, and the etag.
func TestEnvelope(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	s.must(200, "PUT", app+"/status", `{"phase":"ready"}`)
	check(t, s.sendForm("PUT", app, file{name: "metadata", data: `{"spec":{"controller":"c1"}}`}, file{name: "file", filename: "f", data: "abc"}), 200, nil, "")
	doc, err := s.store.Get(t.Context(), "project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(s.must(200, "GET", app+"?view=document&content=true", "").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want["etag"] = doc.ETag().String()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	var without dovetail.Document
	if err := json.Unmarshal(s.must(200, "GET", app+"?view=document", "").Body.Bytes(), &without); err != nil {
		t.Fatal(err)
	}
	if len(without.Content) != 1 || without.Content[0].Filename != "f" || without.Content[0].Data != nil {
		t.Errorf("content without data: %v", without.Content)
	}
}

func TestReferrersPages(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	for i := range 5 {
		s.must(201, "POST", "/v2/projects/p1/composite-apps/CA/v3/apps", fmt.Sprintf(`{"metadata":{"name":"a%d"},"spec":{"controller":"c1"}}`, i))
	}
	for _, path := range []string{"/v2/controllers/c1?view=referrers&limit=4", "/v2/projects/p1/composite-apps/CA/v3?view=children&limit=4"} {
		var first, second struct {
			Items    []struct{ ID, Path string }
			Continue string
		}
		if err := json.Unmarshal(s.must(200, "GET", path, "").Body.Bytes(), &first); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(s.must(200, "GET", path+"&continue="+first.Continue, "").Body.Bytes(), &second); err != nil {
			t.Fatal(err)
		}
		if len(first.Items) != 4 || len(second.Items) != 2 || second.Continue != "" {
			t.Errorf("%s: %v, %v", path, first, second)
		}
		for _, item := range append(first.Items, second.Items...) {
			s.must(200, "GET", item.Path, "")
		}
	}
}
