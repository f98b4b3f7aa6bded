package descriptor_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// server is the API on a store of its own, with the environment c/e.
type server struct {
	t     testing.TB
	store *store.Store
	http  *httptest.Server
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
	var sources []schema.Source
	for _, name := range []string{"inventory", "descriptor"} {
		source, err := schema.ReadFile("../" + name + "/ref-schemas/v1.yaml")
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := store.Open(t.Context(), backend, model, store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newServer(t testing.TB, options descriptor.Options) *server {
	t.Helper()
	s := newStore(t)
	return serve(t, s, descriptor.New(s, options))
}

func serve(t testing.TB, s *store.Store, solutions *descriptor.Solutions) *server {
	t.Helper()
	api := httpapi.New(s, httpapi.Options{Services: []httpapi.Service{solutions.Service()}})
	srv := &server{t: t, store: s, http: httptest.NewServer(api)}
	t.Cleanup(func() { api.Close(); srv.http.Close() })
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
	request, err := http.NewRequestWithContext(context.Background(), method, s.http.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Error(err)
		return answer{}
	}
	defer response.Body.Close()
	a := answer{status: response.StatusCode, header: response.Header}
	var text strings.Builder
	if err := response.Write(&text); err != nil {
		s.t.Error(err)
	}
	_, a.text, _ = strings.Cut(text.String(), "\r\n\r\n")
	if a.text != "" && strings.Contains(response.Header.Get("Content-Type"), "json") {
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

// keep stores an SD as a document, the way that imports do.
func (s *server) keep(part string, descr *value.Value) {
	s.t.Helper()
	if descr != nil {
		s.must(201, "PUT", documents+part, `{"metadata":{"name":"`+part+`"},"spec":`+string(descr.JSON())+`}`)
	}
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

func readYAML(t testing.TB, file string) *value.Value {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	values, err := yaml.Parse(file, text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return values[0]
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
