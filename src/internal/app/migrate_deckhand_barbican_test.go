package app

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone/keystonetest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
)

// keyManager is a Barbican by the documentation of its Key Manager API v1.
type keyManager struct {
	*httptest.Server
	keystone *keystonetest.Server

	mu       sync.Mutex
	secrets  map[string]keptSecret // by their ids
	statuses map[string]int        // in place of what there is
	form     string                // content type of opaque secrets
	refuses  string                // a token that is not accepted
	asked    int
}

type keptSecret struct {
	kind    string
	payload []byte
}

// newKeyManager starts one with the secrets of the given database, of which opaque ones hold what Deckhand wrote.
func newKeyManager(t *testing.T) *keyManager {
	t.Helper()
	k := &keyManager{keystone: keystonetest.New(t), secrets: make(map[string]keptSecret), statuses: make(map[string]int), form: "application/octet-stream"}
	text, err := os.ReadFile(deckhandDatabase + "barbican.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Ref, Payload string
		Type         string `json:"secret_type"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		payload, err := base64.StdEncoding.DecodeString(s.Payload)
		if err != nil {
			t.Fatal(err)
		}
		k.secrets[filepath.Base(s.Ref)] = keptSecret{s.Type, payload}
	}
	k.Server = httptest.NewServer(http.HandlerFunc(k.serve))
	t.Cleanup(k.Close)
	return k
}

func (k *keyManager) serve(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked++
	id, payload := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/v1/secrets/"), "/payload")
	s, known := k.secrets[id]
	form := "text/plain"
	if s.kind == "opaque" {
		form = k.form
	}
	token := r.Header.Get("X-Auth-Token")
	switch status := k.statuses[id]; {
	case token == "" || token == k.refuses || !strings.HasPrefix(token, "own-"):
		w.WriteHeader(http.StatusUnauthorized)
	case status != 0:
		w.WriteHeader(status)
	case !known:
		w.WriteHeader(http.StatusNotFound)
	case payload && r.Header.Get("Accept") != form:
		w.WriteHeader(http.StatusNotAcceptable)
	case payload:
		w.Header().Set("Content-Type", form)
		_, _ = w.Write(s.payload)
	case r.Header.Get("Accept") != "application/json":
		w.WriteHeader(http.StatusNotAcceptable)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"status":"ACTIVE","secret_type":%q,"content_types":{"default":%q},"secret_ref":"http://barbican/v1/secrets/%s"}`, s.kind, form, id)
	}
}

// TestMigrateDeckhandFromBarbican migrates with secrets that Barbican has.
func TestMigrateDeckhandFromBarbican(t *testing.T) {
	const one = "763377d4-a74e-450f-88cb-4274185f75ae"
	tests := []struct {
		name    string
		prepare func(k *keyManager)
		code    int
		says    []string
		logins  int
	}{
		{name: "all secrets", logins: 1},
		{name: "as texts in base64", logins: 1, prepare: func(k *keyManager) {
			k.form = "text/plain"
			for id, s := range k.secrets {
				k.secrets[id] = keptSecret{s.kind, []byte(base64.StdEncoding.EncodeToString(s.payload))}
			}
		}},
		{name: "a token that ends early", logins: 2, prepare: func(k *keyManager) { k.refuses = "own-1" }},
		{name: "a secret that is gone", code: 1, logins: 1, says: []string{"missing-secret", "db-root", "Barbican answers 404 Not Found", one}, prepare: func(k *keyManager) { delete(k.secrets, one) }},
		{name: "a forbidden secret", code: 1, logins: 1, says: []string{"forbidden-secret", "db-root", "Barbican answers 403 Forbidden", one},
			prepare: func(k *keyManager) { k.statuses[one] = http.StatusForbidden }},
		{name: "a Barbican out of order", code: cli.ExitUnavailable, logins: 1, prepare: func(k *keyManager) { k.statuses[one] = http.StatusInternalServerError }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := newKeyManager(t)
			if tt.prepare != nil {
				tt.prepare(k)
			}
			location, key := "bolt:"+filepath.Join(memdir.New(t), "deckhand.db"), newMainKey(t)
			text := command(t, tt.code, "", "migrate", "deckhand", deckhandDatabase, "--barbican", k.URL, "--keystone", k.keystone.Account(t), "--encryption-key-file", key, "--store", location)
			for _, says := range tt.says {
				if !strings.Contains(text, says) {
					t.Errorf("%s does not say %s", text, says)
				}
			}
			if logins, _ := k.keystone.Counts(); logins != tt.logins {
				t.Errorf("%d logins at Keystone, want %d", logins, tt.logins)
			}
			if tt.code == 0 {
				s := start(t, map[string]string{"store": location, "encryption-key-file": key, "layering-profile": "deckhand"})
				compareDeckhandAnswers(t, s)
			}
		})
	}
	command(t, 2, "", "migrate", "deckhand", deckhandDatabase, "--barbican", "http://127.0.0.1:1", "--store", "bolt:x")
	command(t, 2, "", "migrate", "deckhand", deckhandDatabase, "--keystone", "keystone.yaml", "--store", "bolt:x")
}
