package app

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// Prometheus needs no token: /metrics has an address of its own, where nothing else is.
func TestMetricsListen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "access.yaml")
	writeFile(t, file, "bindings: []\ntokens: []\n")
	server := start(t, map[string]string{"access": file, "metrics-listen": "127.0.0.1:0"})
	if status, body := server.call(t, "GET", "/metrics", ""); status != http.StatusUnauthorized {
		t.Errorf("without a token at the address of the API: %d %s", status, body)
	}
	at := "http://" + server.metricsAt.String()
	for _, tt := range []struct {
		name, method, path string
		status             int
		text               string
	}{
		{"metrics", "GET", "/metrics", 200, "dovetail_http_requests_total"},
		{"no documents", "GET", "/v2/clusters", 404, ""},
		{"no health", "GET", "/livez", 404, ""},
		{"no profiles", "GET", "/debug/pprof/", 404, ""},
		{"no writes", "POST", "/metrics", 405, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), tt.method, at+tt.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if status, _, body := roundTrip(t, request); status != tt.status || !strings.Contains(body, tt.text) {
				t.Errorf("got %d %s", status, body)
			}
		})
	}
	t.Run("address in use", func(t *testing.T) {
		config, err := Load(map[string]string{"listen": "127.0.0.1:0", "store": "bolt:" + filepath.Join(t.TempDir(), "d.db"), "metrics-listen": server.metricsAt.String()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Start(t.Context(), config, &apptest.Logs{}); dovetail.CodeOf(err) != dovetail.CodeUnavailable || !strings.Contains(err.Error(), "--metrics-listen") {
			t.Errorf("got %v", err)
		}
	})
}
