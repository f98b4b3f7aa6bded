package app

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone/keystonetest"
)

// TestDeckhandPolicy lets users of Keystone do what a policy file of Deckhand says, and nothing else.
func TestDeckhandPolicy(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`"admin_api": "role:admin and project_id:p-service"
"viewer_api": "rule:admin_api or role:viewer"
"deckhand:create_cleartext_documents": "rule:admin_api or role:writer or role:sealer"
"deckhand:create_encrypted_documents": "rule:admin_api or role:sealer"
"deckhand:list_cleartext_documents": "rule:viewer_api"
"deckhand:list_encrypted_documents": "rule:admin_api or role:opener"
"deckhand:list_revisions": "rule:viewer_api"
"deckhand:show_revision": "rule:viewer_api"
"deckhand:show_revision_diff": "rule:viewer_api"
"deckhand:create_tag": "rule:admin_api or role:tagger"
"deckhand:show_tag": "@"
"deckhand:delete_tag": "!"
`)
	tokens := keystonetest.New(t)
	for _, role := range []string{"admin", "viewer", "writer", "sealer", "tagger", "opener"} {
		tokens.Give(role, role, role)
	}
	tokens.Give("viewer-opener", "both", "viewer", "opener")
	tokens.GiveOn("stranger", "stranger", `"project":{"id":"p2","name":"other","domain":{"id":"default","name":"Default"}}`, "admin")
	file, own := accessFile(t, "bindings: [{role: editor, users: [root]}]", "root")
	server := start(t, map[string]string{"access": file, "keystone": tokens.Account(t), "layering-profile": "deckhand", "deckhand-policy": policy, "encryption-key-file": newMainKey(t), "log-level": "error"})
	send := func(token, method, path, body string) (int, string) {
		t.Helper()
		request := server.request(t, method, path, body)
		request.Header.Set("X-Auth-Token", token)
		request.Header.Set("Content-Type", "application/x-yaml")
		status, _, text := roundTrip(t, request)
		return status, text
	}
	const (
		layers = `{schema: deckhand/LayeringPolicy/v1, metadata: {schema: metadata/Control/v1, name: layering-policy}, data: {layerOrder: [site]}}`
		plain  = `{schema: example/Kind/v1, metadata: {schema: metadata/Document/v1, name: plain, storagePolicy: cleartext, layeringDefinition: {layer: site}}, data: {a: 1}}`
		secret = `{schema: deckhand/Passphrase/v1, metadata: {schema: metadata/Document/v1, name: secret, storagePolicy: encrypted, layeringDefinition: {layer: site}}, data: swordfish}`
		site   = layers + "\n---\n" + plain + "\n---\n" + secret
	)
	const bucket = "/api/v1.0/buckets/site/documents"
	revision := func(rest string) string { return "/api/v1.0/revisions/1" + rest }
	for _, c := range []struct {
		name, token, method, path, body string
		status                          int
		has, lacks                      string
	}{
		{name: "the rule of another project", token: "stranger", method: "PUT", path: bucket, body: site, status: 403},
		{name: "a writer encrypts nothing", token: "writer", method: "PUT", path: bucket, body: site, status: 403},
		{name: "a sealer does", token: "sealer", method: "PUT", path: bucket, body: site, status: 200},
		{name: "and sees nothing", token: "sealer", method: "GET", path: revision("/documents"), status: 403, lacks: "plain"},
		{name: "nor in a dry run", token: "sealer", method: "PUT", path: bucket + "?dryRun=true", body: layers + "\n---\n" + strings.Replace(plain, "a: 1", "a: 2", 1), status: 403},
		{name: "a viewer lists revisions", token: "viewer", method: "GET", path: "/api/v1.0/revisions", status: 200, has: "- site"},
		{name: "describes one", token: "viewer", method: "GET", path: revision(""), status: 200, has: "- site"},
		{name: "sees documents, but not encrypted ones", token: "viewer", method: "GET", path: revision("/documents"), status: 200, has: "name: plain", lacks: "name: secret"},
		{name: "sees rendered ones", token: "viewer", method: "GET", path: revision("/rendered-documents"), status: 200, has: "name: plain", lacks: "name: secret"},
		{name: "no secrets", token: "viewer", method: "GET", path: revision("/documents?cleartext-secrets=true"), status: 403, lacks: "swordfish"},
		{name: "who may see both sees secrets", token: "viewer-opener", method: "GET", path: revision("/rendered-documents?cleartext-secrets=true"), status: 200, has: "swordfish"},
		{name: "who may see encrypted ones only sees none", token: "opener", method: "GET", path: revision("/documents"), status: 403, lacks: "swordfish"},
		{name: "an administrator sees all", token: "admin", method: "GET", path: revision("/documents?cleartext-secrets=true"), status: 200, has: "swordfish"},
		{name: "a viewer changes nothing", token: "viewer", method: "PUT", path: bucket, body: plain, status: 403},
		{name: "deletes nothing", token: "viewer", method: "DELETE", path: "/api/v1.0/revisions", status: 403},
		{name: "and compares", token: "viewer", method: "GET", path: "/api/v1.0/revisions/0/diff/1", status: 200, has: "site: created"},
		{name: "but not deeply, which is the default", token: "viewer", method: "GET", path: "/api/v1.0/revisions/0/deepdiff/1", status: 403, lacks: "plain"},
		{name: "an administrator does", token: "admin", method: "GET", path: "/api/v1.0/revisions/0/deepdiff/1", status: 200, has: "site: created", lacks: "swordfish"},
		{name: "a tag", token: "tagger", method: "POST", path: revision("/tags/good"), status: 201},
		{name: "any user may see it", token: "writer", method: "GET", path: revision("/tags/good"), status: 200, has: "good"},
		{name: "but not list them", token: "writer", method: "GET", path: revision("/tags"), status: 403, lacks: "good"},
		{name: "no user may remove it", token: "admin", method: "DELETE", path: revision("/tags/good"), status: 403},
		{name: "but by the access policy", token: own["root"], method: "DELETE", path: revision("/tags/good"), status: 204},
		{name: "a report of an administrator", token: "admin", method: "POST", path: revision("/validations/smoke"), body: "{status: success, validator: {name: v, version: '1'}}", status: 201},
		{name: "a writer rolls back nothing that is encrypted", token: "writer", method: "POST", path: "/api/v1.0/rollback/1", status: 403},
		{name: "a sealer does so", token: "sealer", method: "POST", path: "/api/v1.0/rollback/1", status: 201},
		{name: "other APIs know nothing of the file", token: "admin", method: "GET", path: "/v2/layering-revisions/1", status: 403, lacks: "site"},
		{name: "the health", token: "tagger", method: "GET", path: "/api/v1.0/health", status: 204},
		{name: "a writer writes", token: "writer", method: "PUT", path: bucket, body: layers + "\n---\n" + plain, status: 200},
		{name: "an administrator deletes all", token: "admin", method: "DELETE", path: "/api/v1.0/revisions", status: 204},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, text := send(c.token, c.method, c.path, c.body)
			if status != c.status || !strings.Contains(text, c.has) || c.lacks != "" && strings.Contains(text, c.lacks) {
				t.Errorf("got %d, want %d with %q and without %q: %s", status, c.status, c.has, c.lacks, text)
			}
		})
	}
	write(`"deckhand:list_revision": "@"`)
	eventually(t, "the refusal of a wrong file", func() bool {
		_, text := send(own["root"], "GET", "/readyz?verbose", "")
		return strings.Contains(text, "the file as it is now is refused")
	})
	write(`"deckhand:list_revisions": "role:tagger"`)
	eventually(t, "the changed file", func() bool {
		status, _ := send("tagger", "GET", "/api/v1.0/revisions", "")
		return status == http.StatusOK
	})
}
