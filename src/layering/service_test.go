package layering_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// kind writes a document of example/Kind/v1. more goes into its metadata, and may end with its data.
func kind(name, layer, more string) string {
	return "---\nschema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: " + name + "\n  layeringDefinition:\n    layer: " + layer + "\n" + more
}

const (
	policy = `---
schema: deckhand/LayeringPolicy/v1
metadata:
  schema: metadata/Control/v1
  name: layering-policy
data:
  layerOrder: [global, site]
`
	reads = `  substitutions:
    - src: {schema: example/Kind/v1, name: source, path: .a}
      dest: {path: .b}
data: {c: 1}
`
	inherits = `    parentSelector: {k: v}
    actions: [{method: merge, path: .}]
data: {c: 1}
`
	inherited = "  labels: {k: v}\ndata: {a: 1}\n"
	bucketC   = "/api/v1.0/buckets/c/documents"
	document  = "/v2/layering-buckets/%s/layering-schemas/example%%2FKind%%2Fv1/layering-layers/%s/layered-documents/%s"
)

// messages are those of an error, joined.
func (a answer) messages() string {
	var all []string
	for _, m := range a.documents[0].At("details", "messageList").Items {
		all = append(all, m.Get("message").Text)
	}
	return strings.Join(all, "\n")
}

func TestRemovalsThatBreak(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		for _, test := range []struct {
			name  string
			other string // what stays in bucket b
			gone  string // what goes from bucket a
			says  string // "" when it may go
		}{
			{name: "nothing needs it", other: kind("x", "site", "data: {}\n"), gone: kind("source", "site", "data: {a: 1}\n")},
			{name: "a source", other: kind("x", "site", reads), gone: kind("source", "site", "data: {a: 1}\n"), says: "needs it as its source"},
			{name: "the only parent", other: kind("x", "site", inherits), gone: kind("g", "global", inherited), says: "needs it as its parent"},
			{name: "two that need it", other: kind("x", "site", inherits) + kind("y", "site", inherits), gone: kind("g", "global", inherited), says: "y in site needs it as its parent"},
		} {
			t.Run(test.name, func(t *testing.T) {
				s := newServer(t, open(t))
				s.must(200, "PUT", bucketC, policy)
				s.must(200, "PUT", bucketA, test.gone)
				s.must(200, "PUT", bucketB, test.other)
				if test.says == "" {
					s.must(200, "PUT", bucketA, "")
					return
				}
				for _, query := range []string{"", "?dryRun=true"} {
					a := s.must(409, "PUT", bucketA+query, "")
					if a.class() != layering.ClassDocumentInUse || !strings.Contains(a.messages(), test.says) {
						t.Errorf("refused as %s: %s", a.class(), a.text)
					}
					for _, m := range a.documents[0].At("details", "messageList").Items {
						if len(m.Get("blockedBy").Items) != 1 {
							t.Errorf("blocked by nothing: %s", m.JSON())
						}
					}
				}
				s.must(404, "GET", "/api/v1.0/revisions/4", "")
				if a := s.must(200, "PUT", bucketA+structure, ""); a.one(t).At("status", "revision").Text != "4" {
					t.Errorf("with validate=structure: %s", a.text)
				}
			})
		}
	})
}

func TestRemovalOfThePolicy(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		s.must(200, "PUT", bucketA, policy)
		s.must(200, "PUT", bucketB, kind("x", "site", "data: {}\n"))
		if a := s.must(409, "PUT", bucketA, ""); !strings.Contains(a.messages(), "needs it as its layering policy") {
			t.Error(a.text)
		}
		s.must(200, "PUT", bucketB, "")
		s.must(200, "PUT", bucketA, policy+kind("x", "site", "data: {}\n"))
		if a := s.must(409, "PUT", bucketA, kind("x", "site", "data: {a: 1}\n")); !strings.Contains(a.messages(), "cannot be rendered without a layering policy") {
			t.Error(a.text)
		}
		s.must(200, "PUT", bucketA, "")
	})
}

// TestGraph shows that what rendering reads are references of the store, for its graph and its refusals.
func TestGraph(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		s.must(200, "PUT", bucketC, policy)
		s.must(200, "PUT", bucketA, kind("source", "site", "data: {a: 1}\n")+kind("g", "global", inherited))
		s.must(200, "PUT", bucketB, kind("x", "site", strings.Replace(reads, "data: {c: 1}\n", "", 1)+"data: {}\n")+kind("y", "site", inherits))
		x, y, g, source := fmt.Sprintf(document, "b", "site", "x"), fmt.Sprintf(document, "b", "site", "y"), fmt.Sprintf(document, "a", "global", "g"), fmt.Sprintf(document, "a", "site", "source")
		for of, want := range map[string][]string{
			x: {"layeredDocument/source", "layeredDocument/layering-policy"},
			y: {"layeredDocument/g", "layeredDocument/layering-policy"},
		} {
			text := s.must(200, "GET", of+"?view=references", "").text
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%s refers to %s", of, text)
				}
			}
		}
		for of, want := range map[string]string{source: "layeredDocument/x", g: "layeredDocument/y"} {
			if text := s.must(200, "GET", of+"?view=referrers", "").text; !strings.Contains(text, want) {
				t.Errorf("%s is referred to by %s", of, text)
			}
			s.must(409, "DELETE", of, "")
		}
		// The child gets another parent: the store's references follow.
		s.must(200, "PUT", bucketA, kind("source", "site", "data: {a: 1}\n")+kind("other", "global", inherited))
		if text := s.must(200, "GET", y+"?view=references", "").text; !strings.Contains(text, "layeredDocument/other") {
			t.Errorf("y refers to %s", text)
		}
		s.fsck()
	})
}

// TestWritesPastRevisions refuses to change what revisions are made of: they never change.
func TestWritesPastRevisions(t *testing.T) {
	s := newServer(t, apitest.OpenBolt(t))
	s.must(200, "PUT", bucketA, policy+secretDocument+kind("x", "site", "data: {a: 1}\n"))
	s.must(200, "PUT", bucketA, policy+secretDocument+kind("x", "site", "data: {a: 2}\n"))
	s.must(201, "POST", "/api/v1.0/revisions/1/tags/t", "a: 1\n")
	x := fmt.Sprintf(document, "a", "site", "x")
	for _, write := range []struct{ method, path, body string }{
		{"DELETE", x, ""},
		{"PUT", x, "metadata: {name: x}\nspec: {content: c}\ndocument: {}\n"},
		{"PATCH", x, "document: {data: {a: 3}}\n"},
		{"DELETE", "/v2/layering-revisions/1?cascade=true", ""},
		{"DELETE", "/v2/layering-revisions/1/layering-indexes/index", ""},
		{"DELETE", "/v2/layering-buckets/a?cascade=true", ""},
		{"DELETE", "/v2/layering-heads/head", ""},
		{"PUT", "/v2/secret-keys/k1", "metadata: {name: k1}\nspec: {}\n"},
		{"POST", "/v2/batch", "- {op: delete, id: layeringHead/head}\n"},
	} {
		header := []string{"Content-Type", "application/yaml"}
		if write.method == "PATCH" {
			header = []string{"Content-Type", "application/merge-patch+json"}
			write.body = `{"document":{"data":{"a":3}}}`
		}
		if a := s.must(409, write.method, write.path, write.body, header...); !strings.Contains(a.text, "service") {
			t.Errorf("%s %s: %s", write.method, write.path, a.text)
		}
	}
	s.must(200, "POST", "/v2/batch?managed=true&dryRun=true", "- {op: delete, id: layeringHead/head}\n", "Content-Type", "application/yaml")
	for number, want := range map[string]string{"1": "1", "2": "2"} {
		if d := s.again().must(200, "GET", "/api/v1.0/revisions/"+number+"/rendered-documents?metadata.name=x", "").one(t); d.At("data", "a").Text != want {
			t.Errorf("revision %s has %s", number, d.JSON())
		}
	}
	s.fsck()
}

func TestDryRun(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		s.must(200, "PUT", bucketA, policy+kind("g", "global", inherited)+kind("x", "site", inherits))
		a := s.must(200, "PUT", bucketA+"?dryRun=true", policy+kind("g", "global", strings.Replace(inherited, "1", "2", 1))+kind("x", "site", inherits)+kind("z", "site", "data: {}\n"))
		want := `{"dryRun":true,"bucket":"a","revision":2,"changes":[{"schema":"example/Kind/v1","name":"g","change":"changed","layer":"global","values":[{"path":"/data/a","old":1,"new":2}]},` +
			`{"schema":"example/Kind/v1","name":"x","change":"changed","layer":"site","values":[{"path":"/data/a","old":1,"new":2}]},{"schema":"example/Kind/v1","name":"z","change":"added","layer":"site"}]}`
		if got := string(a.one(t).JSON()); got != want {
			t.Errorf("the dry run says\n%s\nwant\n%s", got, want)
		}
		s.must(404, "GET", "/api/v1.0/revisions/2", "")
		if a := s.must(400, "PUT", bucketA+"?dryrun=true", ""); a.class() != "HTTPBadRequest" {
			t.Error(a.text)
		}
	})
}

func TestContinue(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		body := policy
		for i := range 25 {
			body += kind("x"+strconv.Itoa(i), "site", "data: {i: "+strconv.Itoa(i)+"}\n")
		}
		s.must(200, "PUT", bucketA, body)
		for _, what := range []string{"documents", "rendered-documents"} {
			const query = "?schema=example&sort=metadata.name&order=desc&limit=10"
			path := "/api/v1.0/revisions/1/" + what
			var names []string
			next := ""
			for n := range 3 {
				a := s.must(200, "GET", path+query+next, "")
				for _, d := range a.documents {
					names = append(names, d.At("metadata", "name").Text)
				}
				token := a.header.Get("Dovetail-Continue")
				if (token == "") != (n == 2) {
					t.Fatalf("part %d has the token %q", n, token)
				}
				next = "&continue=" + url.QueryEscape(token)
				if n == 0 {
					if a := s.must(400, "GET", path+"?limit=10"+next, ""); a.class() != layering.ClassInvalidParam {
						t.Errorf("a token of another list: %s", a.text)
					}
				}
			}
			if len(names) != 25 || names[0] != "x9" || names[24] != "x0" {
				t.Errorf("the parts have %v", names)
			}
		}
		for _, query := range []string{"?continue=x", "?sort=data", "?metadata.label=x", "?limit=-1"} {
			if a := s.must(400, "GET", "/api/v1.0/revisions/1/documents"+query, ""); a.class() != layering.ClassInvalidParam {
				t.Errorf("%s: %s", query, a.text)
			}
		}
	})
}

// TestWhatIsPutComesBack puts what was answered: status is passed over, and nothing changes.
func TestWhatIsPutComesBack(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		s.must(200, "PUT", bucketA, policy+kind("x", "site", "data: {a: [1, 1.50, ~, \"y\"]}\n"))
		text := s.must(200, "GET", "/api/v1.0/revisions/1/documents", "").text
		if a := s.must(200, "PUT", bucketA, text); a.documents[0].At("status", "revision").Text != "1" {
			t.Errorf("it made a revision: %s", a.text)
		}
		if again := s.again().must(200, "GET", "/api/v1.0/revisions/1/documents", "").text; again != text {
			t.Errorf("it became\n%s", again)
		}
	})
}

// TestManyRevisions reads old revisions from whole and partial indexes, in a process that has seen none of them.
func TestManyRevisions(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		const revisions = 140
		s := newServer(t, open(t))
		body := func(i int) string {
			return policy + kind("stays", "site", "data: {}\n") + kind("x"+strconv.Itoa(i%7), "site", "data: {i: "+strconv.Itoa(i)+"}\n")
		}
		for i := range revisions {
			s.must(200, "PUT", bucketA, body(i))
		}
		again := s.again()
		for _, number := range []int{1, 2, 63, 64, 65, 66, 128, 129, 130, revisions} {
			a := again.must(200, "GET", "/api/v1.0/revisions/"+strconv.Itoa(number)+"/rendered-documents?metadata.name=x"+strconv.Itoa((number-1)%7), "")
			if got := a.one(t).At("data", "i").Text; got != strconv.Itoa(number-1) {
				t.Errorf("revision %d has %s", number, got)
			}
			if a := again.must(200, "GET", "/api/v1.0/revisions/"+strconv.Itoa(number)+"/documents?metadata.name=stays", ""); a.one(t).At("status", "revision").Text != "1" {
				t.Errorf("revision %d: %s", number, a.text)
			}
		}
		s.fsck()
		list := again.must(200, "GET", "/api/v1.0/revisions?order=desc&limit=2&offset=1", "").one(t)
		if list.Get("count").Text != "140" || len(list.Get("results").Items) != 2 || list.Get("results").Items[0].Get("id").Text != "139" {
			t.Errorf("the list is %s", list.JSON())
		}
	})
}

// TestWritersCompete has many writers put buckets of their own at the same time, through two processes: each gets a revision of
// its own, and nothing is lost.
func TestWritersCompete(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		const writers, rounds = 6, 4
		one := newServer(t, open(t))
		two := one.again()
		one.must(200, "PUT", bucketC, policy)
		var all sync.WaitGroup
		for w := range writers {
			s := []*server{one, two}[w%2]
			all.Go(func() {
				for round := range rounds {
					bucket := "/api/v1.0/buckets/w" + strconv.Itoa(w) + "/documents"
					if a := s.send("PUT", bucket, kind("x"+strconv.Itoa(w), "site", "data: {round: "+strconv.Itoa(round)+"}\n")); a.status != 200 {
						t.Errorf("%d: %s", a.status, a.text)
					}
				}
			})
		}
		all.Wait()
		const last = 1 + writers*rounds
		documents := one.again().must(200, "GET", "/api/v1.0/revisions/"+strconv.Itoa(last)+"/rendered-documents?schema=example", "").documents
		if len(documents) != writers {
			t.Fatalf("%d documents", len(documents))
		}
		for _, d := range documents {
			if d.At("data", "round").Text != strconv.Itoa(rounds-1) {
				t.Errorf("lost: %s", d.JSON())
			}
		}
		one.must(404, "GET", "/api/v1.0/revisions/"+strconv.Itoa(last+1), "")
		one.fsck()
	})
}

func TestRequests(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		s.must(200, "PUT", bucketA, policy+kind("x", "site", "data: {}\n")+`---
schema: deckhand/ValidationPolicy/v1
metadata:
  schema: metadata/Control/v1
  name: deploys
data:
  validations: [{name: smoke}]
`)
		for _, test := range []struct {
			name, method, path, body string
			status                   int
			class                    string
		}{
			{name: "versions", method: "GET", path: "/versions", status: 200},
			{name: "health", method: "GET", path: "/api/v1.0/health", status: 204},
			{name: "revision 0", method: "GET", path: "/api/v1.0/revisions/0", status: 404, class: layering.ClassRevisionNotFound},
			{name: "no number", method: "GET", path: "/api/v1.0/revisions/first/tags", status: 400, class: layering.ClassInvalidInput},
			{name: "negative", method: "POST", path: "/api/v1.0/rollback/-1", status: 400, class: layering.ClassInvalidInput},
			{name: "rollback to the same", method: "POST", path: "/api/v1.0/rollback/1", status: 201},
			{name: "tag that is a list", method: "POST", path: "/api/v1.0/revisions/1/tags/t", body: "[]", status: 400, class: layering.ClassTagBadFormat},
			{name: "tag of two documents", method: "POST", path: "/api/v1.0/revisions/1/tags/t", body: "a: 1\n---\nb: 1\n", status: 400, class: "HTTPBadRequest"},
			{name: "tag of no revision", method: "POST", path: "/api/v1.0/revisions/7/tags/t", status: 404, class: layering.ClassRevisionNotFound},
			{name: "removed tag", method: "DELETE", path: "/api/v1.0/revisions/1/tags/t", status: 404, class: layering.ClassTagNotFound},
			{name: "no validation", method: "GET", path: "/api/v1.0/revisions/1/validations/none", status: 404, class: layering.ClassValidationNotFound},
			{name: "report without status", method: "POST", path: "/api/v1.0/revisions/1/validations/v", body: "validator: {}", status: 400, class: "HTTPBadRequest"},
			{name: "report without body", method: "POST", path: "/api/v1.0/revisions/1/validations/v", status: 400, class: "HTTPBadRequest"},
			{name: "offset", method: "GET", path: "/api/v1.0/revisions?offset=x", status: 400, class: layering.ClassInvalidParam},
			{name: "a bucket that no key can name", method: "PUT", path: "/api/v1.0/buckets/..%2f" + strings.Repeat("x", 300) + "/documents", status: 400, class: "HTTPBadRequest"},
			{name: "a name that no key can have", method: "PUT", path: bucketA, body: kind(strings.Repeat("x", 300), "site", "data: {}\n"), status: 400, class: "InvalidDocumentFormat"},
			{name: "another verb", method: "POST", path: "/api/v1.0/revisions/1/documents", status: 405, class: "HTTPMethodNotAllowed"},
		} {
			t.Run(test.name, func(t *testing.T) {
				s := s.with(t)
				a := s.must(test.status, test.method, test.path, test.body)
				if test.class == "" {
					return
				}
				if a.class() != test.class || a.one(t).Get("kind").Text != "Status" || a.one(t).At("details", "errorCount").Text != "1" {
					t.Errorf("answer: %s", a.text)
				}
			})
		}
		wanted := func(status string) {
			t.Helper()
			if got := s.must(200, "GET", "/api/v1.0/revisions/1", "").one(t).At("validationPolicies", "deploys", "status"); got.Text != status {
				t.Errorf("the policy says %s, want %s", got.Text, status)
			}
		}
		wanted("failure")
		s.must(201, "POST", "/api/v1.0/revisions/1/validations/smoke", "status: success\nvalidator: {name: s}\n")
		wanted("success")
		detail := s.must(200, "GET", "/api/v1.0/revisions/1/validations/detail", "").one(t)
		if detail.Get("count").Text != "1" || detail.Get("results").Items[0].Get("name").Text != "smoke" {
			t.Errorf("detail: %s", detail.JSON())
		}
	})
}

// TestErrorsTogether reports everything that is wrong with a payload at once.
func TestErrorsTogether(t *testing.T) {
	s := newServer(t, apitest.OpenBolt(t))
	s.must(200, "PUT", bucketA, policy+kind("x", "site", "data: {}\n"))
	a := s.must(409, "PUT", bucketB, kind("x", "site", "data: {}\n")+strings.ReplaceAll(policy, "layering-policy", "other"))
	if a.one(t).At("details", "errorCount").Text != "2" || !strings.Contains(a.messages(), "is a document of the bucket a") || !strings.Contains(a.messages(), "there is a layering policy already") {
		t.Error(a.text)
	}
	if a := s.must(400, "PUT", bucketB, "a: 1\n"); a.class() != "InvalidDocumentFormat" || strings.Contains(a.text, "documents:") {
		t.Errorf("about a document that has no name: %s", a.text)
	}
	a = s.must(400, "PUT", bucketB, kind("p", "nowhere", "data: {}\n")+kind("q", "nowhere", "data: {}\n"))
	if list := a.one(t).At("details", "messageList").Items; len(list) != 2 || list[0].Get("documents") == nil || a.class() != "InvalidDocumentLayer" {
		t.Error(a.text)
	}
}

func TestStoreFails(t *testing.T) {
	backend := apitest.OpenBolt(t)
	s := newServer(t, backend)
	s.must(200, "PUT", bucketA, policy)
	doc, err := s.store.Get(t.Context(), "layeringHead/head")
	if err != nil {
		t.Fatal(err)
	}
	data := value.NewMap(value.Member{Name: "spec", Value: value.NewMap()})
	if _, err := s.store.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: doc.ID, Data: data}}, store.Options{Managed: true}); err != nil {
		t.Fatal(err)
	}
	if a := s.must(500, "PUT", bucketA, ""); a.class() != "HTTPInternalServerError" || a.one(t).Get("retry").Text != "true" {
		t.Error(a.text)
	}
}
