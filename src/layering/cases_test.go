package layering_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/layering/layeringtest"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// vectors are the conformance cases; their README explains the fields.
const vectors = "rendering/testdata/deckhand"

const (
	renderedDocuments = "/api/v1.0/revisions/1/rendered-documents?cleartext-secrets=true"
	bucketA           = "/api/v1.0/buckets/a/documents"
	bucketB           = "/api/v1.0/buckets/b/documents"
	structure         = "?validate=structure"
)

// asOlder are the options of the policy under which the cases hold in which the older system does not do as its
// documentation says.
var asOlder = map[string]value.Member{
	"015-index-merge-element":              {Name: "arrayIndex", Value: value.NewString("element")},
	"016-index-merge-keeps-other-elements": {Name: "arrayIndex", Value: value.NewString("element")},
	"058-err-parent-other-schema":          {Name: "strictParents", Value: value.NewBool(true)},
	"059-err-parent-same-layer":            {Name: "strictParents", Value: value.NewBool(true)},
}

// noStoragePolicy is refused by the older system, and lets pass here: such documents are kept in plaintext.
const noStoragePolicy = "108-err-no-storage-policy"

// TestCases puts the documents of each case and renders them. What is refused is refused at PUT, and, with
// validate=structure, where and how the older system refuses it.
func TestCases(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		eachCase(t, func(t *testing.T, c *value.Value) {
			s.with(t).answers(c, caseDocuments(t, c))
		})
	})
}

func eachCase(t *testing.T, run func(t *testing.T, c *value.Value)) {
	t.Helper()
	cases := readYAML(t, filepath.Join(vectors, "cases.yaml"))[0].Get("cases").Items
	if len(cases) != 111 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Get("id").Text, func(t *testing.T) { run(t, c) })
	}
}

// answers puts the documents of a case into an empty store, and wants what the case says.
func (s *server) answers(c *value.Value, documents []*value.Value) {
	s.t.Helper()
	s.must(204, "DELETE", "/api/v1.0/revisions", "")
	body := string(yaml.Marshal(documents...))
	if refusal := c.Get("expected_error"); refusal != nil && c.Get("id").Text != noStoragePolicy {
		s.refuses(refusal, body)
		return
	}
	s.must(200, "PUT", bucketA, body)
	s.renders(renderedDocuments, expected(s.t, c))
}

// caseDocuments reads the documents of a case, with the options that it needs.
func caseDocuments(t *testing.T, c *value.Value) []*value.Value {
	t.Helper()
	id := c.Get("id").Text
	documents := readYAML(t, filepath.Join(vectors, "cases", id, "documents.yaml"))
	if option, is := asOlder[id]; is {
		for _, d := range documents {
			if d.Get("schema").Text == rendering.PolicySchema {
				d.Get("data").Set(option.Name, option.Value)
			}
		}
	}
	return documents
}

func expected(t testing.TB, c *value.Value) []*value.Value {
	t.Helper()
	if file := c.Get("expected"); file != nil {
		return readYAML(t, filepath.Join(vectors, "cases", file.Text))
	}
	return layeringtest.Applications(readYAML(t, filepath.Join(vectors, "cases", c.Get("id").Text, "documents.yaml")))
}

// renders compares the application documents of an answer with the wanted ones.
func (s *server) renders(path string, want []*value.Value) {
	t := s.t
	t.Helper()
	got := layeringtest.Applications(s.must(200, "GET", path, "").documents)
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
	if class != rendering.ClassLayeringPolicyNotFound {
		if a := s.must(status, "PUT", bucketA, body); a.class() != class {
			t.Errorf("PUT answers %s, want %s: %s", a.class(), class, a.text)
		}
		s.must(404, "GET", renderedDocuments, "")
	}
	if !late {
		if a := s.must(status, "PUT", bucketA+structure, body); a.class() != class {
			t.Errorf("PUT with validate=structure answers %s, want %s: %s", a.class(), class, a.text)
		}
		return
	}
	s.must(200, "PUT", bucketA+structure, body)
	if a := s.must(status, "GET", renderedDocuments, ""); a.class() != class {
		t.Errorf("GET answers %s, want %s: %s", a.class(), class, a.text)
	}
}

// engine renders documents as the command line does it.
func engine(body []byte) (*rendering.Rendering, error) {
	documents, err := rendering.Parse("", body)
	if err != nil {
		return nil, err
	}
	return rendering.Render(documents, rendering.Options{})
}

// wholes are the rendered application documents, with their data as it shows.
func wholes(rendered *rendering.Rendering, show func(*rendering.Rendered) *value.Value) []*value.Value {
	var all []*value.Value
	for _, r := range rendered.Documents {
		all = append(all, r.Whole(show(r)))
	}
	return layeringtest.Applications(all)
}

// TestSites puts two complete sites; that the engine renders them as it should is tested beside it.
func TestSites(t *testing.T) {
	for _, site := range []string{"airskiff", "airsloop"} {
		documents := readYAML(t, filepath.Join(vectors, "real-sites", site, "documents.yaml"))
		body := yaml.Marshal(documents...)
		rendered, err := engine(body)
		if err != nil {
			t.Fatal(err)
		}
		open, redacted := wholes(rendered, (*rendering.Rendered).Data), wholes(rendered, (*rendering.Rendered).Redacted)
		t.Run(site, func(t *testing.T) {
			mongotest.Each(t, func(t *testing.T, backend func(testing.TB) store.Backend) {
				s := newServer(t, backend(t))
				put := s.must(200, "PUT", bucketA, string(body))
				if site == "airsloop" && strings.Count(put.text, "\ndata: REDACTED\n") < 70 {
					t.Errorf("the answer of the PUT shows secrets")
				}
				s.renders(renderedDocuments, open)
				s.renders("/api/v1.0/revisions/1/rendered-documents", redacted)
				// The same from what is stored.
				s.again().renders(renderedDocuments, open)
				s.fsck()
			})
		})
		t.Run(site+" in any order", func(t *testing.T) {
			s := newServer(t, apitest.OpenBolt(t))
			tried, most := 0, rounds.Of(3, 100) // package rendering's tests take all
			for documents := range layeringtest.Orders(documents) {
				if tried++; tried > most {
					break
				}
				s.put(string(yaml.Marshal(documents...)))
			}
			s.renders(renderedDocuments, open)
			s.must(404, "GET", "/api/v1.0/revisions/2", "") // the order makes no difference
		})
	}
}
