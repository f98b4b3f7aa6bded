package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/client"
)

const schemaText = `
resources:
  - name: project
  - name: app
    parent: project
  - name: controllerGroup.controller
    collections:
      - {path: controllers, fixed: {controllerGroup: orchestrator}}
      - {path: dtc-controllers, fixed: {controllerGroup: dtc}}
`

// fake is a server that answers each request from a list, in turn; the last one stays.
type fake struct {
	mu       sync.Mutex
	answers  map[string][]http.HandlerFunc // by "METHOD /path"
	requests []string                      // what was asked for, with the query
	bodies   []string
}

func newFake(t *testing.T) (*fake, *client.Client) {
	t.Helper()
	f := &fake{answers: make(map[string][]http.HandlerFunc)}
	text, err := json.Marshal(map[string]any{"sources": []any{map[string]string{"name": "test.yaml", "text": schemaText}}})
	if err != nil {
		t.Fatal(err)
	}
	f.on("GET /v2/schema", answer(200, string(text)))
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, client.Options{Backoff: time.Microsecond, UserAgent: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return f, c
}

func (f *fake) on(request string, answers ...http.HandlerFunc) { f.answers[request] = answers }

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := new(strings.Builder)
	_, _ = fmt.Fprint(body, readAll(r))
	f.mu.Lock()
	name := r.Method + " " + r.URL.EscapedPath()
	if name != "GET /v2/schema" {
		f.requests = append(f.requests, r.Method+" "+r.URL.RequestURI())
		f.bodies = append(f.bodies, body.String())
	}
	answers := f.answers[name]
	if len(answers) > 1 {
		f.answers[name] = answers[1:]
	}
	f.mu.Unlock()
	if len(answers) == 0 {
		problem(404, `{"code":"not-found","detail":"nothing is served here"}`)(w, r)
		return
	}
	answers[0](w, r)
}

func readAll(r *http.Request) string {
	var b strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := r.Body.Read(buffer)
		b.Write(buffer[:n])
		if err != nil {
			return b.String()
		}
	}
}

func (f *fake) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.requests...)
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}
}

func problem(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}
}

func page(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}
}

// toJSON writes a value, and sameJSON reads one, so that texts are compared by what they say.
func toJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func sameJSON(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
