package app

import (
	"strings"
	"testing"
)

// TestRevealRefused shows of what secrets cannot be revealed, so that no record is missing silently.
func TestRevealRefused(t *testing.T) {
	server := start(t, nil)
	server.as(t, "", "POST", "/v2/clusters", named("c1"))
	server.as(t, "", "POST", "/v2/credentials", `{"metadata":{"name":"db"},"spec":{"type":"secret","data":{"secret":"swordfish"}}}`)
	for _, tt := range []struct {
		name, path string
		status     int
		says       string
	}{
		{"a document with secrets", "/v2/credentials/db?reveal=true", 200, "swordfish"},
		{"not asked", "/v2/clusters/c1?reveal=false", 200, "c1"},
		{"a kind without secrets", "/v2/clusters/c1?reveal=true", 400, "a cluster has no sensitive values"},
		{"a view", "/v2/credentials/db?reveal=true&view=history", 400, "reveal is of a document"},
		{"many documents", "/v2/credentials?reveal=true", 400, `unknown query parameter \"reveal\"`},
		{"a stream", "/v2/credentials/db?reveal=true&watch=true", 400, "reveal"},
		{"no answer", "/v2/credentials/db?reveal=maybe", 400, "reveal"},
		{"a document that is not there", "/v2/credentials/none?reveal=true", 404, "credential/none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if status, _, text := server.as(t, "", "GET", tt.path, ""); status != tt.status || !strings.Contains(text, tt.says) {
				t.Errorf("got %d %s, want %d and %q", status, text, tt.status, tt.says)
			}
		})
	}
}
