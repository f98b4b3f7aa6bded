package app

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/store"
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
		{"a view", "/v2/credentials/db?reveal=true&view=history", 400, "reveal applies to a document"},
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

// TestRevealInViews shows that the record says so, too, of what is revealed in a change set and of the past.
func TestRevealInViews(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "audit.yaml")
	writeFile(t, policy, "rules: [{level: metadata, kinds: [credential], verbs: [read]}]\n")
	server := start(t, map[string]string{"audit": "keep", "audit-policy": policy})
	server.as(t, "", "POST", "/v2/credentials", `{"metadata":{"name":"db"},"spec":{"type":"secret","data":{"secret":"swordfish"}}}`)
	_, _, text := server.as(t, "", "POST", "/api/change-sets", `{"name":"c"}`)
	var set struct{ Base string }
	decode(t, text, &set)
	server.as(t, "", "PUT", "/v2/credentials/db?changeSet=c", `{"metadata":{"name":"db"},"spec":{"type":"secret","data":{"secret":"staged"}}}`)
	for query, says := range map[string]string{"?changeSet=c": "staged", "?at=" + set.Base: "swordfish"} {
		if status, _, text := server.as(t, "", "GET", "/v2/credentials/db"+query+"&reveal=true", ""); status != 200 || !strings.Contains(text, says) {
			t.Errorf("%s: %d %s", query, status, text)
		}
	}
	_, _, text = server.as(t, "", "GET", "/v2/audit", "")
	var page struct{ Items []store.AuditRecord }
	decode(t, text, &page)
	revealed := slices.DeleteFunc(page.Items, func(r store.AuditRecord) bool {
		return r.Event != store.AuditReveal || r.Operations[0].ID != "credential/db"
	})
	if len(revealed) != 2 {
		t.Errorf("%d records of two revelations: %s", len(revealed), text)
	}
}
