package layering_test

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/internal/envelope"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/yaml"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/mongo"
	"github.com/dovetail-store/dovetail/src/value"
)

// mongoVariable names the MongoDB server to test on, as a connection string.
const mongoVariable = "DOVETAIL_TEST_MONGO_URI"

// onBackends runs a test on the embedded store, and on MongoDB where there is a server.
func onBackends(t *testing.T, run func(t *testing.T, open func(t testing.TB) store.Backend)) {
	t.Run("bolt", func(t *testing.T) { run(t, openBolt) })
	t.Run("mongo", func(t *testing.T) {
		if os.Getenv(mongoVariable) == "" {
			t.Skip(mongoVariable + " names no MongoDB server to test on")
		}
		run(t, openMongo)
	})
}

func openBolt(t testing.TB) store.Backend {
	t.Helper()
	backend, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// openMongo opens a database that is not there yet, and is dropped afterwards.
func openMongo(t testing.TB) store.Backend {
	t.Helper()
	uri, err := url.Parse(os.Getenv(mongoVariable))
	if err != nil {
		t.Fatal(err)
	}
	name := "dovetail_test_" + strings.ToLower(rand.Text())
	client, err := driver.Connect(options.Client().ApplyURI(uri.String()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Database(name).Drop(context.Background())
		_ = client.Disconnect(context.Background())
	})
	uri.Path = "/" + name
	backend, err := mongo.Open(t.Context(), uri.String(), mongo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// newStore opens a store on a backend, which is closed when the test ends.
func newStore(t testing.TB, backend store.Backend) *store.Store {
	t.Helper()
	s := newStoreOn(t, backend)
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newStoreOn(t testing.TB, backend store.Backend) *store.Store {
	t.Helper()
	return newStoreWith(t, backend, store.Config{})
}

func newStoreWith(t testing.TB, backend store.Backend, config store.Config) *store.Store {
	t.Helper()
	var sources []schema.Source
	for _, file := range []string{"ref-schemas/v1.yaml", "../internal/keyring/ref-schemas/v1.yaml"} {
		source, err := schema.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), backend, model, config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// server is the API on a store of its own.
type server struct {
	t     testing.TB
	store *store.Store
	http  *httptest.Server
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

// patience is how long a request may take, on a slow machine and with the race detector.
const patience = 10 * time.Minute

func serve(t testing.TB, s *store.Store, o layering.Options) *server {
	t.Helper()
	api := httpapi.New(s, httpapi.Options{Limits: httpapi.Limits{Request: patience}, Services: []httpapi.Service{layering.New(s, o).Service()}})
	srv := &server{t: t, store: s, http: httptest.NewServer(api), keys: o.Keys}
	t.Cleanup(func() { api.Close(); srv.http.Close() })
	return srv
}

// with is the same server, of which failures belong to another test.
func (s *server) with(t testing.TB) *server {
	c := *s
	c.t = t
	return &c
}

// again serves the same store anew: nothing is in memory.
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
	request, err := http.NewRequestWithContext(context.Background(), method, s.http.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-yaml")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{Timeout: patience}
	response, err := client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{status: response.StatusCode, header: response.Header, text: string(text)}
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
