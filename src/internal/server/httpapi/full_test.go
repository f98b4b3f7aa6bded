package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// fullDisk is a backend whose disk is full: it reads and deletes only.
type fullDisk struct{ store.Backend }

func full() error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Reason: dovetail.ReasonDiskFull, Message: "the store cannot write: the disk is full", Remedy: "free space"}
}

func (fullDisk) Ping(context.Context) error { return full() }

func (b fullDisk) Commit(ctx context.Context, txn store.Txn) error {
	if len(txn.Puts) > 0 {
		return full()
	}
	return b.Backend.Commit(ctx, txn)
}

// TestFullDisk: the process stays in service, says what is wrong, and refuses writes only.
func TestFullDisk(t *testing.T) {
	backend := newBackend(t)
	newServerOn(t, backend, httpapi.Options{}).seed()
	s := newServerOn(t, fullDisk{backend}, httpapi.Options{})
	ready := s.must(200, "GET", "/readyz", "").Body.String()
	for _, want := range []string{`{"status":"degraded"`, `"name":"store","status":"degraded"`, "writes are refused", "the disk is full", "free space"} {
		if !strings.Contains(ready, want) {
			t.Errorf("/readyz does not say %s: %s", want, ready)
		}
	}
	s.must(200, "GET", app, "")
	refused := s.must(503, "PUT", app, named("nginx")).Body.String()
	if !strings.Contains(refused, `"reason":"disk-full"`) || !strings.Contains(refused, `"remedy"`) {
		t.Errorf("a write is answered %s", refused)
	}
	s.must(204, "DELETE", app, "")
}

// TestFailedCheckBesideFullDisk: what else is wrong still takes the process out of service.
func TestFailedCheckBesideFullDisk(t *testing.T) {
	broken := httpapi.Check{Name: "other", Run: func(context.Context) (string, error) {
		return "", &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "it is broken"}
	}}
	backend := newBackend(t)
	newServerOn(t, backend, httpapi.Options{}).seed()
	s := newServerOn(t, fullDisk{backend}, httpapi.Options{Checks: []httpapi.Check{broken}})
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	if w.Code != 503 || !strings.Contains(w.Body.String(), `{"status":"failed"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
