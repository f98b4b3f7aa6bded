package deckhand_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
	"github.com/dovetail-store/dovetail/src/yaml"
)

// vectors are the conformance cases; their README explains the fields.
const vectors = "../layering/testdata/deckhand"

const (
	rendered  = "/api/v1.0/revisions/1/rendered-documents?cleartext-secrets=true"
	bucketA   = "/api/v1.0/buckets/a/documents"
	bucketB   = "/api/v1.0/buckets/b/documents"
	structure = "?validate=structure"
)

// asOlder are the options of the policy under which the cases hold in which the older system does not do as its
// documentation says.
var asOlder = map[string]value.Member{
	"015-index-merge-element":              {Name: "arrayIndex", Value: value.NewString("element")},
	"016-index-merge-keeps-other-elements": {Name: "arrayIndex", Value: value.NewString("element")},
	"058-err-parent-other-schema":          {Name: "strictParents", Value: value.NewBool(true)},
	"059-err-parent-same-layer":            {Name: "strictParents", Value: value.NewBool(true)},
}

// noStoragePolicy is refused by the older system, and lets pass here: such documents are kept in clear.
const noStoragePolicy = "108-err-no-storage-policy"

// TestCases puts the documents of each case and renders them. What is refused is refused at PUT, and, with
// validate=structure, where and how the older system refuses it.
func TestCases(t *testing.T) {
	cases := readYAML(t, filepath.Join(vectors, "cases.yaml"))[0].Get("cases").Items
	if len(cases) != 111 {
		t.Fatalf("%d cases", len(cases))
	}
	onBackends(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		for _, c := range cases {
			id := c.Get("id").Text
			t.Run(id, func(t *testing.T) {
				s := &server{t, s.store, s.http, s.keys}
				s.must(204, "DELETE", "/api/v1.0/revisions", "")
				body := payload(readYAML(t, filepath.Join(vectors, "cases", id, "documents.yaml")), id)
				refusal := c.Get("expected_error")
				if id == noStoragePolicy {
					refusal = nil
				}
				if refusal == nil {
					s.must(200, "PUT", bucketA, body)
					s.renders(t, rendered, expected(t, c))
					return
				}
				s.refuses(refusal, body)
			})
		}
	})
}

// payload writes the documents of a case, with the options that it needs.
func payload(documents []*value.Value, id string) string {
	if option, is := asOlder[id]; is {
		for _, d := range documents {
			if d.Get("schema").Text == layering.PolicySchema {
				d.Get("data").Set(option.Name, option.Value)
			}
		}
	}
	return string(yaml.Marshal(documents...))
}

func expected(t *testing.T, c *value.Value) []*value.Value {
	t.Helper()
	if file := c.Get("expected"); file != nil {
		return readYAML(t, filepath.Join(vectors, "cases", file.Text))
	}
	return applications(readYAML(t, filepath.Join(vectors, "cases", c.Get("id").Text, "documents.yaml")))
}

func applications(documents []*value.Value) []*value.Value {
	return slices.DeleteFunc(slices.Clone(documents), func(v *value.Value) bool {
		return strings.HasPrefix(v.At("metadata", "schema").Text, "metadata/Control/")
	})
}

// renders compares the application documents of an answer with the wanted ones.
func (s *server) renders(t *testing.T, path string, want []*value.Value) {
	t.Helper()
	got := applications(s.must(200, "GET", path, "").documents)
	if len(got) != len(want) {
		t.Errorf("%d rendered documents, want %d", len(got), len(want))
	}
	for _, w := range want {
		i := slices.IndexFunc(got, func(g *value.Value) bool {
			layer := w.At("metadata", "layeringDefinition", "layer")
			return value.Equal(g.Get("schema"), w.Get("schema")) && value.Equal(g.At("metadata", "name"), w.At("metadata", "name")) &&
				(layer == nil || value.Equal(g.At("metadata", "layeringDefinition", "layer"), layer))
		})
		switch {
		case i < 0:
			t.Errorf("%s is not there", w.Get("metadata").JSON())
		case !value.Equal(got[i].Get("data"), w.Get("data")):
			t.Errorf("%s is\n%swant\n%s", w.Get("metadata").JSON(), yaml.Marshal(got[i].Get("data")), yaml.Marshal(w.Get("data")))
		}
	}
}

// refuses wants a PUT to be refused, and, where the older system refuses only to render, a PUT of
// validate=structure to pass and rendering to be refused.
func (s *server) refuses(refusal *value.Value, body string) {
	t := s.t
	t.Helper()
	class, status := refusal.Get("error").Text, 400
	if refusal.Get("http_status").Text == "409" {
		status = 409
	}
	late := refusal.Get("stage").Text == "render"
	// Without a policy a site cannot be checked: it may come in another bucket.
	if class != layering.ClassLayeringPolicyNotFound {
		if a := s.must(status, "PUT", bucketA, body); a.class() != class {
			t.Errorf("PUT answers %s, want %s: %s", a.class(), class, a.text)
		}
		s.must(404, "GET", rendered, "")
	}
	if !late {
		if a := s.must(status, "PUT", bucketA+structure, body); a.class() != class {
			t.Errorf("PUT with validate=structure answers %s, want %s: %s", a.class(), class, a.text)
		}
		return
	}
	s.must(200, "PUT", bucketA+structure, body)
	if a := s.must(status, "GET", rendered, ""); a.class() != class {
		t.Errorf("GET answers %s, want %s: %s", a.class(), class, a.text)
	}
}

// TestSites puts two complete sites; that the engine renders them as it should is tested beside it.
func TestSites(t *testing.T) {
	for _, site := range []string{"airskiff", "airsloop"} {
		t.Run(site, func(t *testing.T) {
			documents := readYAML(t, filepath.Join(vectors, "real-sites", site, "documents.yaml"))
			body := yaml.Marshal(documents...)
			read, err := layering.Parse("", body)
			if err != nil {
				t.Fatal(err)
			}
			rendering, err := layering.Render(read, layering.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var open, redacted []*value.Value
			secrets := 0
			for _, d := range rendering.Documents {
				open, redacted = append(open, d.Whole(d.Data())), append(redacted, d.Whole(d.Redacted()))
				if d.Secret() {
					secrets++
				}
			}
			if site == "airsloop" && secrets < 70 {
				t.Errorf("%d documents hold secrets", secrets)
			}
			s := newServer(t, openBolt(t))
			s.must(200, "PUT", bucketA, string(body))
			s.renders(t, rendered, applications(open))
			s.renders(t, "/api/v1.0/revisions/1/rendered-documents", applications(redacted))
			// The same from what is stored.
			s.again().renders(t, rendered, applications(open))
		})
	}
}

// seed is the worked example of the source document: a child layers on the region, and, when that is gone, on the
// global document. Its documents have no storage policy.
const seed = `---
schema: deckhand/LayeringPolicy/v1
metadata:
  schema: metadata/Control/v1
  name: layering-policy
data:
  layerOrder:
    - global
    - region
    - site
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: global-1234
  labels:
    key1: value1
  layeringDefinition:
    abstract: true
    layer: global
data:
  a:
    x: 1
    y: 2
`

const seedRegion = `---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: region-1234
  labels:
    key1: value1
  layeringDefinition:
    abstract: true
    layer: region
    parentSelector:
      key1: value1
    actions:
      - method: replace
        path: .a
data:
  a:
    z: 3
`

const seedSite = `---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: site-1234
  layeringDefinition:
    layer: site
    parentSelector:
      key1: value1
    actions:
      - method: merge
        path: .
data:
  b: 4
`

// What the source document prints.
const (
	withRegion = `---
schema: example/Kind/v1
metadata:
  name: site-1234
data:
  a:
    z: 3
  b: 4
`
	withoutRegion = `---
schema: example/Kind/v1
metadata:
  name: site-1234
data:
  a:
    x: 1
    y: 2
  b: 4
`
)

func TestSeedExample(t *testing.T) {
	onBackends(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		s.must(200, "PUT", bucketA, seed+seedRegion+seedSite)
		want := func(path, printed string) {
			t.Helper()
			documents := applications(s.must(200, "GET", path, "").documents)
			if len(documents) != 1 {
				t.Fatalf("%d documents", len(documents))
			}
			d := documents[0]
			got := value.NewMap(value.Member{Name: "schema", Value: d.Get("schema")},
				value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: "name", Value: d.At("metadata", "name")})},
				value.Member{Name: "data", Value: d.Get("data")})
			read, err := yaml.Parse("", []byte(printed), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.JSON(), read[0].JSON()) { // in this order, too
				t.Errorf("rendered:\n%swant\n%s", yaml.Marshal(got), printed)
			}
		}
		want("/api/v1.0/revisions/1/rendered-documents", withRegion)
		s.must(200, "PUT", bucketA, seed+seedSite)
		want("/api/v1.0/revisions/2/rendered-documents", withoutRegion)
		want("/api/v1.0/revisions/1/rendered-documents", withRegion)
	})
}
