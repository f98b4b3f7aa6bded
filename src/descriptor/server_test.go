package descriptor_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// server is the API on a store of its own, with the environment c/e.
type server struct {
	t     testing.TB
	store *store.Store
	http  *apitest.Server
}

const (
	query     = "?environmentId=c/e"
	process   = "/api/sd/process" + query
	fullPath  = "/api/sd" + query + "&kind=full"
	deltaPath = "/api/sd" + query + "&kind=delta"
	documents = "/v2/clusters/c/environments/e/solution-descriptors/"
)

func newStore(t testing.TB) *store.Store {
	t.Helper()
	return apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}, "../inventory/ref-schemas/v1.yaml", "ref-schemas/v1.yaml")
}

func newServer(t testing.TB, options descriptor.Options) *server {
	t.Helper()
	s := newStore(t)
	return serve(t, s, descriptor.New(s, options))
}

func serve(t testing.TB, s *store.Store, solutions *descriptor.Solutions) *server {
	t.Helper()
	srv := &server{t: t, store: s, http: apitest.Serve(t, s, httpapi.Options{Services: []httpapi.Service{solutions.Service()}})}
	srv.must(201, "POST", "/v2/clusters", `{"metadata":{"name":"c"}}`)
	srv.must(201, "POST", "/v2/clusters/c/environments", `{"metadata":{"name":"e"}}`)
	return srv
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   *value.Value // of JSON; nil without any
	text   string
}

func (s *server) do(method, path, body string, header ...string) answer {
	s.t.Helper()
	got := s.http.Send(method, path, body, header...)
	a := answer{status: got.Status, header: got.Header, text: got.Text}
	if a.text != "" && strings.Contains(a.header.Get("Content-Type"), "json") {
		var err error
		if a.body, err = value.ParseJSON([]byte(a.text), value.Limits{}); err != nil {
			s.t.Errorf("%v: %s", err, a.text)
		}
	}
	return a
}

func (s *server) must(status int, method, path, body string, header ...string) answer {
	s.t.Helper()
	a := s.do(method, path, body, header...)
	if a.status != status {
		s.t.Fatalf("%s %s: %d, want %d: %s", method, path, a.status, status, a.text)
	}
	return a
}

func (s *server) head() store.Cursor {
	s.t.Helper()
	head, err := s.store.Head(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return head
}

// sd returns a stored SD as JSON, "" when there is none.
func (s *server) sd(path string) string {
	s.t.Helper()
	a := s.do("GET", path, "")
	if a.status != 200 && a.status != 404 {
		s.t.Fatalf("%d: %s", a.status, a.text)
	}
	if a.status == 404 {
		return ""
	}
	return a.text
}

// reasons are those of a problem, at the top and of its parts.
func reasons(problem *value.Value) (all []string) {
	all = append(all, problem.Get("reason").Text)
	for _, part := range problem.Get("errors").Items {
		all = append(all, part.Get("reason").Text)
	}
	return all
}

// published are artifacts by application:version.
type published map[string]*value.Value

// Fetch returns an artifact.
func (p published) Fetch(_ context.Context, a sd.Artifact) (source string, text []byte, err error) {
	v, ok := p[a.String()]
	if !ok {
		return "", nil, a.NotFound("the test")
	}
	return a.String(), yaml.Marshal(v), nil
}
