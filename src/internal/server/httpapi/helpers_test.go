package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// server is an API on a store of its own.
type server struct {
	t     testing.TB
	api   *httpapi.API
	store *store.Store
}

// noon is the time of all writes in tests.
func noon() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) }

func newBackend(t testing.TB) store.Backend {
	t.Helper()
	backend, err := bolt.Open(filepath.Join(memdir.New(t), "test.db"), bolt.Options{Clock: noon})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	return backend
}

func newStore(t testing.TB, model *schema.Model) *store.Store {
	t.Helper()
	return newStoreOn(t, newBackend(t), model)
}

func newStoreOn(t testing.TB, backend store.Backend, model *schema.Model) *store.Store {
	t.Helper()
	var uids atomic.Int64
	s, err := store.Open(t.Context(), backend, model, store.Config{Clock: noon, NewUID: func() string { return fmt.Sprintf("uid%d", uids.Add(1)-1) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newServer(t testing.TB, options httpapi.Options) *server {
	t.Helper()
	return newServerOn(t, newBackend(t), options)
}

func newServerOn(t testing.TB, backend store.Backend, options httpapi.Options) *server {
	t.Helper()
	s := newStoreOn(t, backend, apitest.Compile(t, "testdata/schema.yaml"))
	options.Now = noon
	return &server{t: t, store: s, api: httpapi.New(s, options)}
}

// call is one request and what its answer shall be.
type call struct {
	method, path string
	header       map[string]string
	body         string
}

func (s *server) do(c call) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
	for name, value := range c.header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	return w
}

// must makes a request that shall be answered with the status, and returns the answer.
func (s *server) must(status int, method, path, body string) *httptest.ResponseRecorder {
	s.t.Helper()
	w := s.do(call{method: method, path: path, body: body})
	if w.Code != status {
		s.t.Fatalf("%s %s: got %d, want %d: %s", method, path, w.Code, status, w.Body)
	}
	return w
}

func named(name string) string { return `{"metadata":{"name":"` + name + `"},"spec":{}}` }

// seed creates what most tests stand on.
func (s *server) seed() {
	s.t.Helper()
	s.must(201, "POST", "/v2/projects", named("p1"))
	s.must(201, "POST", "/v2/controllers", named("c1"))
	s.must(201, "POST", "/v2/projects/p1/composite-apps", `{"metadata":{"name":"CA"},"spec":{"compositeAppVersion":"v3"}}`)
	s.must(201, "POST", "/v2/projects/p1/composite-apps/CA/v3/apps", `{"metadata":{"name":"nginx"},"spec":{"controller":"c1"}}`)
}

// golden compares a JSON text, indented, with a file.
func golden(t *testing.T, name string, text []byte) {
	t.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		t.Fatalf("not JSON: %v: %s", err, text)
	}
	indented.WriteByte('\n')
	file := filepath.Join("testdata", "golden", name+".json")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, indented.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(indented.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s", indented.Bytes(), want)
	}
}

// listen serves the API on a port, for what needs a connection.
func (s *server) listen() *httptest.Server {
	s.t.Helper()
	server := httptest.NewUnstartedServer(s.api)
	server.Config = s.api.Server()
	server.Start()
	s.t.Cleanup(func() { s.api.Close(); server.Close() })
	return server
}

func getBy(t testing.TB, client *http.Client, url string) (*http.Response, string) {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}
