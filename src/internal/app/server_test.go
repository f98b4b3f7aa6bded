package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/store"
)

// running is a server of a test with what it logged.
type running struct {
	*Server
	logs *apptest.Logs
	stop func() error
}

// start runs a server with the settings, as flags, on a free port until the test ends or stop.
func start(t testing.TB, given map[string]string) *running {
	t.Helper()
	config, err := Load(apptest.ServerFlags(t, given), nil)
	if err != nil {
		t.Fatal(err)
	}
	logs := &apptest.Logs{}
	server, err := Start(t.Context(), config, logs)
	if err != nil {
		t.Fatal(err)
	}
	return &running{server, logs, apptest.Run(t, server.Run)}
}

// call sends a request and returns status and body. Path is below the server's URL.
func (r *running) call(t testing.TB, method, path, body string) (int, string) {
	t.Helper()
	status, _, text := roundTrip(t, r.request(t, method, path, body))
	return status, text
}

func (r *running) request(t testing.TB, method, path, body string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

// roundTrip sends a request and returns status, header and body.
func roundTrip(t testing.TB, request *http.Request) (int, http.Header, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

// must is call that fails the test when the status is another one.
func (r *running) must(t testing.TB, status int, method, path, body string) string {
	t.Helper()
	got, text := r.call(t, method, path, body)
	if got != status {
		t.Fatalf("%s %s: status %d, want %d: %s", method, path, got, status, text)
	}
	return text
}

func named(name string) string { return fmt.Sprintf(`{"metadata":{"name":%q}}`, name) }

// fsck stops the server and checks its store.
func (r *running) fsck(t testing.TB) {
	t.Helper()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	db, err := OpenDatabase(t.Context(), r.config.Store, "", store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for f, err := range db.Check(t.Context(), false) {
		t.Errorf("fsck: %+v %v", f, err)
	}
}

func TestServeKeepsWhatItAcknowledged(t *testing.T) {
	file := map[string]string{"store": "bolt:" + filepath.Join(t.TempDir(), "new", "folder", "dovetail.db")}
	first := start(t, file)
	first.must(t, 201, "POST", "/v2/clusters", named("c1"))
	first.must(t, 201, "POST", "/v2/clusters/c1/environments", named("dev"))
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	second := start(t, file)
	second.must(t, 200, "GET", "/v2/clusters/c1/environments/dev", "")
	second.must(t, 409, "DELETE", "/v2/clusters/c1", "")
	second.must(t, 200, "GET", "/readyz", "")
	second.fsck(t)
}

func TestGreetNamesTheURLs(t *testing.T) {
	server := start(t, nil)
	var text bytes.Buffer
	server.Greet(&text)
	for _, path := range []string{"/v2", "/openapi.json", "/metrics"} {
		if !strings.Contains(text.String(), server.URL()+path) {
			t.Errorf("the greeting does not name %s:\n%s", path, text.String())
		}
		if path != "/v2" {
			server.must(t, 200, "GET", path, "")
		}
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	busy := start(t, nil)
	invalid := t.TempDir()
	writeFile(t, filepath.Join(invalid, "bad.yaml"), "resources:\n  - name: a\n    parent: b\n")
	folder := t.TempDir()
	garbage := filepath.Join(t.TempDir(), "garbage.db")
	writeFile(t, garbage, strings.Repeat("no database at all\n", 1000))
	tests := []struct {
		name  string
		given map[string]string
		code  dovetail.Code
		says  string
	}{
		{name: "address in use", given: map[string]string{"listen": busy.listener.Addr().String()}, code: dovetail.CodeUnavailable, says: "address already in use"},
		{name: "store in use", given: map[string]string{"store": busy.config.Store}, code: dovetail.CodeUnavailable, says: "in use by another process"},
		{name: "store is a folder", given: map[string]string{"store": "bolt:" + folder}, code: dovetail.CodeInvalid, says: "is a folder"},
		{name: "store is garbage", given: map[string]string{"store": "bolt:" + garbage}, code: dovetail.CodeCorrupt, says: garbage},
		{name: "unknown store", given: map[string]string{"store": "sqlite:x"}, code: dovetail.CodeInvalid, says: "unknown store"},
		{name: "invalid schema", given: map[string]string{"ref-schemas": invalid}, code: dovetail.CodeSchema, says: "bad.yaml:3:13"},
		{name: "no schema", given: map[string]string{"ref-schemas": filepath.Join(invalid, "none")}, code: dovetail.CodeSchema, says: "none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			given := map[string]string{"listen": "127.0.0.1:0", "store": "bolt:" + filepath.Join(t.TempDir(), "x.db")}
			for name, text := range test.given {
				given[name] = text
			}
			config, err := Load(given, nil)
			if err != nil {
				t.Fatal(err)
			}
			server, err := Start(t.Context(), config, io.Discard)
			if err == nil {
				ended, end := context.WithCancel(t.Context())
				end()
				t.Fatalf("it started; ended: %v", server.Run(ended))
			}
			if dovetail.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %s: %v", dovetail.CodeOf(err), err)
			}
		})
	}
	if text, err := os.ReadFile(garbage); err != nil || !strings.HasPrefix(string(text), "no database at all\n") || len(text) != 19000 {
		t.Error("the file that is no database was changed")
	}
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func eventually(t testing.TB, condition string, holds func() bool) {
	t.Helper()
	apptest.Eventually(t, condition, holds)
}

func TestShutdownEndsWatches(t *testing.T) {
	server := start(t, nil)
	response, err := http.Get(server.URL() + "/v2/clusters?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, response.Body)
		ended <- err
	}()
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the stream broke off: %v", err)
	}
	if strings.Contains(server.logs.String(), "cut off") {
		t.Errorf("the watch had to be cut off: %s", server.logs)
	}
}

func decode(t testing.TB, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}
