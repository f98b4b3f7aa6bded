package httpapi_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
)

// TestChangeSetRefused sends what cannot be served in a change set.
func TestChangeSetRefused(t *testing.T) {
	plain := newServer(t, httpapi.Options{})
	s := newServer(t, httpapi.Options{ChangeSet: func(context.Context, string, bool) (*httpapi.View, error) {
		return nil, dovetail.Errorf(dovetail.CodeNotFound, "the change set does not exist")
	}})
	for _, server := range []*server{plain, s} {
		server.seed()
	}
	tests := []struct {
		name, method, path string
		status             int
		says               string
	}{
		{"one that does not exist", "GET", project + "?changeSet=c", 404, "does not exist"},
		{"a write to one that does not exist", "DELETE", project + "?changeSet=c", 404, "does not exist"},
		{"no name", "GET", project + "?changeSet=", 400, "is empty"},
		{"with a position", "GET", project + "?changeSet=c&at=2030-01-01", 400, "at its base"},
		{"a write with a position", "PUT", project + "?changeSet=c&at=2030-01-01", 400, "at its base"},
		{"a watch", "GET", project + "?changeSet=c&watch=true", 400, "watched"},
		{"the watch of everything", "GET", "/v2/watch?changeSet=c", 400, "leave out changeSet"},
		{"a wait", "PUT", project + "?changeSet=c&wait=1s", 400, "leave out wait"},
		{"a history", "GET", project + "?view=history&changeSet=c", 400, "leave out changeSet"},
		{"an export", "GET", "/v2/documents?sealed=true&changeSet=c", 400, "leave out changeSet"},
		{"an import", "POST", "/v2/documents?changeSet=c", 400, "leave out changeSet"},
		{"a backup", "GET", "/v2/backup?changeSet=c", 400, "leave out changeSet"},
		{"the ref-schema", "GET", "/v2/schema?changeSet=c", 400, "leave out changeSet"},
		{"the transactions", "GET", "/v2/transactions?changeSet=c", 400, "leave out changeSet"},
		{"the rights", "GET", "/v2/access?changeSet=c", 400, "leave out changeSet"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := s.do(call{method: tt.method, path: tt.path, body: named("p1")})
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w := plain.do(call{method: tt.method, path: tt.path, body: named("p1")}); w.Code != 400 {
				t.Errorf("where there are no change sets: %d %s", w.Code, w.Body)
			}
		})
	}
}
