package resolution_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/value"
)

// server is the API on a store of its own, without a controller.
type server struct {
	t    *testing.T
	http *apitest.Server
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := openStore(t, openBackend(t))
	return &server{t, apitest.Serve(t, s, httpapi.Options{Services: []httpapi.Service{resolution.New(s, resolution.Options{}).Service()}})}
}

func (s *server) must(status int, method, path, body string) string {
	s.t.Helper()
	return s.http.Must(status, method, path, body, "Content-Type", "application/json").Text
}

func TestWholeSources(t *testing.T) {
	s := newServer(t)
	expect := func(want, got string) {
		t.Helper()
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	const first = `{"priority":7,"packages":[{"name":"p","defaultChannel":"main","versions":[{"version":"1.0.0","channels":["main"]},{"version":"2.0.0+b/1","channels":["main"],"image":"i"}]}]}`
	s.must(404, "GET", "/api/sources/cat", "")
	expect(`{"source":"cat","dryRun":true,"created":4,"updated":0,"unchanged":0,"deleted":0,"impact":{"resolutions":[],"total":0}}`, s.must(200, "PUT", "/api/sources/cat?dryRun=true", first))
	expect(`{"source":"cat","created":4,"updated":0,"unchanged":0,"deleted":0}`, s.must(200, "PUT", "/api/sources/cat", first))
	expect(`{"name":"cat",`+first[1:], s.must(200, "GET", "/api/sources/cat", ""))
	expect(`{"source":"cat","created":0,"updated":1,"unchanged":2,"deleted":1}`, s.must(200, "PUT", "/api/sources/cat",
		`{"name":"cat","packages":[{"name":"p","defaultChannel":"main","versions":[{"version":"1.0.0","channels":["main"]}]}]}`))
	s.must(200, "GET", "/v2/sources/cat/packages/p/versions/1.0.0", "")
	s.must(404, "GET", "/v2/sources/cat/packages/p/versions/2.0.0+b%2F1", "")
	s.must(200, "PUT", "/api/sources/c%2Fd", `{}`)
	expect(`{"name":"c/d","packages":[]}`, s.must(200, "GET", "/api/sources/c%2Fd", ""))

	catalog, err := os.ReadFile("catalog/testdata/catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	request := value.NewMap(value.Member{Name: "priority", Value: value.NewNumber(3)}, value.Member{Name: "files", Value: value.NewList(
		value.NewMap(value.Member{Name: "name", Value: value.NewString("catalog.yaml")}, value.Member{Name: "text", Value: value.NewString(string(catalog))}))})
	s.must(200, "PUT", "/api/sources/operators/catalog", string(request.JSON()))
	if got := s.must(200, "GET", "/api/sources/operators", ""); !strings.HasPrefix(got, `{"name":"operators","priority":3,"packages":[`) || !strings.Contains(got, `"image":"quay.io/etcd:v1.1.0"`) {
		t.Error(got)
	}
	request.Delete("priority")
	expect(`{"source":"operators","created":0,"updated":0,"unchanged":4,"deleted":0}`, s.must(200, "PUT", "/api/sources/operators/catalog", string(request.JSON())))
	if got := s.must(200, "GET", "/v2/sources/operators", ""); !strings.Contains(got, `"priority":3`) {
		t.Errorf("the priority is gone: %s", got)
	}
}

func TestRefusals(t *testing.T) {
	s := newServer(t)
	s.must(200, "PUT", "/api/sources/bad", `{"packages":[{"name":"p","versions":[{"version":"1.0","channels":["c"]}]}]}`)
	s.must(200, "PUT", "/api/sources/good", `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["c"]}]}]}`)
	tests := []struct {
		name, method, path, body string
		status                   int
		says                     []string
	}{
		{name: "a source that is no object", method: "PUT", path: "/api/sources/x", body: `[]`, status: 400, says: []string{"must be an object"}},
		{name: "parts without names", method: "PUT", path: "/api/sources/x", body: `{"packages":[{},{"name":"a","versions":[{}]}]}`, status: 400,
			says: []string{`"path":"/packages/0"`, `"path":"/packages/1/versions/0"`}},
		{name: "data that breaks its schema", method: "PUT", path: "/api/sources/x", body: `{"priority":"high","packages":[{"name":"a","versions":[{"version":"1.0.0"}]}]}`, status: 422,
			says: []string{`priority`, `channels`}},
		{name: "a catalog without files", method: "PUT", path: "/api/sources/x/catalog", body: `{}`, status: 400, says: []string{"files must be a list"}},
		{name: "a catalog of too many files", method: "PUT", path: "/api/sources/x/catalog", body: `{"files":[` + strings.Repeat("0,", 10_000) + `0]}`, status: 413, says: []string{"there are 10001 files"}},
		{name: "a catalog without packages", method: "PUT", path: "/api/sources/x/catalog", body: `{"files":[]}`, status: 400, says: []string{"the catalog has no packages"}},
		{name: "a file without text", method: "PUT", path: "/api/sources/x/catalog", body: `{"files":[{"name":"a"}],"priority":"x"}`, status: 400, says: []string{"/files/0", "/priority"}},
		{name: "a catalog that is none", method: "PUT", path: "/api/sources/x/catalog", body: `{"files":[{"name":"a.yaml","text":"schema: olm.channel\nname: c\n"}]}`, status: 400, says: []string{"a.yaml"}},
		{name: "a request that is no object", method: "POST", path: "/api/resolve", body: `[]`, status: 400, says: []string{"must be an object"}},
		{name: "sources that are no list", method: "POST", path: "/api/resolve", body: `{"spec":{"constraints":[]},"sources":{}}`, status: 400, says: []string{"/sources"}},
		{name: "a request without constraints", method: "POST", path: "/api/resolve", body: `{"spec":{}}`, status: 400, says: []string{"/spec/constraints"}},
		{name: "an invalid stored source", method: "POST", path: "/api/resolve", body: `{"spec":{"sources":["bad"],"constraints":[]}}`, status: 400, says: []string{`"reason":"InvalidSource"`, `"index":0`, `"errors":[{"code":"invalid"`, `source \"bad\": p 1.0: \"1.0\" is not a version`}},
		{name: "constraints that are none", method: "POST", path: "/api/resolve", body: `{"spec":{"sources":["good"],"constraints":["required(\"p\")",{"wanted":1},"("]}}`, status: 400,
			says: []string{`"reason":"InvalidConstraint"`, `"index":1`, `"path":"/spec/constraints/1`, `"path":"/spec/constraints/2`}},
		{name: "explain as nothing", method: "POST", path: "/api/resolve?explain=maybe", body: `{}`, status: 400, says: []string{"explain"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := s.must(test.status, test.method, test.path, test.body)
			for _, text := range test.says {
				if !strings.Contains(got, text) {
					t.Errorf("%s does not say %s", got, text)
				}
			}
		})
	}
	s.must(404, "GET", "/v2/sources/x", "")
}

func TestResolveExplains(t *testing.T) {
	s := newServer(t)
	const request = `{"spec":{"constraints":["required(\"p\", \"<2.0.0\")"]},"sources":[{"name":"s","packages":[{"name":"p","versions":[` +
		`{"version":"1.0.0","channels":["c"],"image":"i"},{"version":"2.0.0","channels":["c"]}]}]}]}`
	plain, explained := s.must(200, "POST", "/api/resolve", request), s.must(200, "POST", "/api/resolve?explain=true", request)
	if !strings.HasPrefix(plain, `{"selections":["s:p:1.0.0:c"],"message":"selected 1 package for 1 constraint","inputDigest":"sha256:`) {
		t.Error(plain)
	}
	if !strings.Contains(explained, `"explanation":[{"source":"s","package":"p","version":"1.0.0","channel":"c","image":"i","why":{`) {
		t.Error(explained)
	}
	if got := s.must(200, "POST", "/api/resolve", `{"spec":{"constraints":[]},"sources":[]}`); !strings.HasPrefix(got, `{"selections":[],`) {
		t.Error(got)
	}
	if got := s.must(200, "POST", "/api/resolve", `{"spec":{"constraints":["required(\"p\")"]}}`); !strings.HasPrefix(got, `{"unsat":{"core":[0],`) {
		t.Error(got)
	}
}
