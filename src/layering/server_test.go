package layering_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// newStore opens a store on a backend, which is closed when the test ends.
func newStore(t testing.TB, backend store.Backend) *store.Store {
	t.Helper()
	return newStoreOn(t, apitest.Closing(t, backend))
}

func newStoreOn(t testing.TB, backend store.Backend) *store.Store {
	t.Helper()
	return newStoreWith(t, backend, store.Config{})
}

func newStoreWith(t testing.TB, backend store.Backend, config store.Config) *store.Store {
	t.Helper()
	return apitest.NewStore(t, backend, config, "ref-schemas/v1.yaml", "../internal/secret/keyring/ref-schemas/v1.yaml")
}

// server is the API on a store of its own.
type server struct {
	t     testing.TB
	store *store.Store
	http  *apitest.Server
	keys  envelope.Wrapper
}

func newKeys(t testing.TB) *envelope.KeyFile {
	t.Helper()
	text, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := envelope.ParseKeyFile("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func newServer(t testing.TB, backend store.Backend) *server {
	t.Helper()
	return serve(t, newStore(t, backend), layering.Options{Keys: newKeys(t)})
}

func serve(t testing.TB, s *store.Store, o layering.Options) *server {
	t.Helper()
	return serveWith(t, s, o, httpapi.Options{})
}

func serveWith(t testing.TB, s *store.Store, o layering.Options, options httpapi.Options) *server {
	t.Helper()
	options.Services = []httpapi.Service{layering.New(s, o).Service()}
	return &server{t: t, store: s, http: apitest.Serve(t, s, options), keys: o.Keys}
}

// with is the same server, of which failures belong to another test.
func (s *server) with(t testing.TB) *server {
	c := *s
	c.t, c.http = t, s.http.With(t)
	return &c
}

// again serves the same store again: nothing is in memory.
func (s *server) again() *server {
	s.t.Helper()
	return serve(s.t, s.store, layering.Options{Keys: s.keys})
}

// fsck checks all that is stored: parents, references, data.
func (s *server) fsck() {
	s.t.Helper()
	for finding, err := range s.store.Check(context.Background(), false) {
		s.t.Errorf("fsck: %+v %v", finding, err)
	}
}

// answer is what came back.
type answer struct {
	status    int
	header    http.Header
	text      string
	documents []*value.Value // of YAML
}

// send sends a request and returns the answer with its text.
func (s *server) send(method, path, body string, header ...string) answer {
	s.t.Helper()
	a := s.http.Send(method, path, body, append([]string{"Content-Type", "application/x-yaml"}, header...)...)
	return answer{status: a.Status, header: a.Header, text: a.Text}
}

// do is send that reads the answer, too.
func (s *server) do(method, path, body string, header ...string) answer {
	s.t.Helper()
	a := s.send(method, path, body, header...)
	if kind := a.header.Get("Content-Type"); strings.Contains(kind, "yaml") || strings.Contains(kind, "json") {
		var err error
		if a.documents, err = yaml.Parse("", []byte(a.text), value.Limits{}); err != nil {
			s.t.Fatalf("%v: %s", err, a.text)
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

// one is the only document of the answer.
func (a answer) one(t testing.TB) *value.Value {
	t.Helper()
	if len(a.documents) != 1 {
		t.Fatalf("%d documents: %s", len(a.documents), a.text)
	}
	return a.documents[0]
}

// class is the class of an error that was answered.
func (a answer) class() string {
	if len(a.documents) != 1 {
		return ""
	}
	class, _ := a.documents[0].At("details", "errorType").Str()
	return class
}

func readYAML(t testing.TB, file string) []*value.Value {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	values, err := yaml.Parse(file, text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return values
}
