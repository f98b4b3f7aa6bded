package app

import (
	"net/http"
	"strings"
	"testing"
)

const flowRoles = `roles:
- {name: definer, rules: [{kinds: [registryDefinition], verbs: [read, create, update]}]}
- {name: user, rules: [{kinds: [credential], verbs: [use]}]}
- {name: writer, rules: [{kinds: [cluster], verbs: [create, update, delete]}]}
bindings:
- {role: editor, users: [root]}
- {role: definer, users: [ann, bob]}
- {role: user, users: [bob], on: [credential/open]}
- {role: writer, users: [eve]}
- {role: metrics, users: [prometheus]}`

// TestFlow tries to learn by requests that are allowed what may not be read.
func TestFlow(t *testing.T) {
	file, tokens := accessFile(t, flowRoles, "root", "ann", "bob", "eve", "prometheus")
	server := start(t, map[string]string{"access": file, "log-level": "error"})
	secret := `{"metadata":{"name":"NAME"},"spec":{"type":"secret","data":{"secret":"marker"}}}`
	definition := `{"metadata":{"name":"NAME"},"spec":{"credentialsId":"CREDENTIAL","mavenConfig":{"repositoryDomainName":"https://evil.example"}}}`
	fill := func(text, name, credential string) string {
		return strings.NewReplacer("NAME", name, "CREDENTIAL", credential).Replace(text)
	}
	steps := []struct {
		name                    string
		who, method, path, body string
		key                     string
		status                  int
		says, hides             string
	}{
		{name: "a credential", who: "root", method: "POST", path: "/v2/credentials", body: fill(secret, "open", ""), status: 201},
		{name: "another one", who: "root", method: "POST", path: "/v2/credentials", body: fill(secret, "closed", ""), status: 201},
		{name: "refer to it without any right", who: "ann", method: "POST", path: "/v2/registry-definitions", body: fill(definition, "r", "closed"), status: 403,
			says: "ann may not refer from registryDefinition/r to credential/closed"},
		{name: "refer to none", who: "ann", method: "POST", path: "/v2/registry-definitions", body: fill(definition, "r", "none"), status: 403,
			says: "ann may not refer from registryDefinition/r to credential/none"},
		{name: "refer to it with the right to use another one", who: "bob", method: "PUT", path: "/v2/registry-definitions/r", body: fill(definition, "r", "closed"), status: 403},
		{name: "refer to it in a batch", who: "ann", method: "POST", path: "/v2/batch", body: `[{"kind":"registryDefinition","metadata":{"name":"r"},"spec":{"credentialsId":"closed"}}]`, status: 403},
		{name: "use", who: "bob", method: "POST", path: "/v2/registry-definitions", body: fill(definition, "r", "open"), status: 201, hides: "marker"},
		{name: "to use is not to read", who: "bob", method: "GET", path: "/v2/credentials/open", status: 403, hides: "marker"},
		{name: "what is used stays", who: "ann", method: "PATCH", path: "/v2/registry-definitions/r", body: `{"metadata":{"description":"x"}}`, status: 200},
		{name: "and what it is used for", who: "ann", method: "PATCH", path: "/v2/registry-definitions/r", body: `{"spec":{"mavenConfig":{"repositoryDomainName":"example.com"}}}`, status: 403},
		{name: "may use", who: "bob", method: "GET", path: "/v2/access?right=use&id=credential/open", status: 200, says: `"allowed":true`},
		{name: "may not use", who: "bob", method: "GET", path: "/v2/access?right=use&id=credential/closed", status: 200, says: `"allowed":false`},

		{name: "a cluster", who: "root", method: "POST", path: "/v2/clusters", body: `{"metadata":{"name":"c"},"spec":{"secret":"marker"}}`, status: 201},
		{name: "below it", who: "root", method: "POST", path: "/v2/clusters/c/environments", body: named("hidden"), status: 201},
		{name: "patch unseen", who: "eve", method: "PATCH", path: "/v2/clusters/c", body: `{"spec":{"x":1}}`, status: 403, says: "eve may not read cluster/c", hides: "marker"},
		{name: "put of another version", who: "eve", method: "PUT", path: "/v2/clusters/c", body: named("c"), status: 412, hides: "marker"},
		{name: "create again", who: "eve", method: "POST", path: "/v2/clusters", body: named("c"), status: 409, hides: "marker"},
		{name: "delete", who: "eve", method: "DELETE", path: "/v2/clusters/c", status: 409, says: "cluster/c is in use by documents that you may not read", hides: "hidden"},
		{name: "plan of a cascade", who: "eve", method: "DELETE", path: "/v2/clusters/c?cascade=plan", status: 403, says: "eve may not delete everything that is deleted with cluster/c", hides: "hidden"},
		{name: "cascade", who: "eve", method: "DELETE", path: "/v2/clusters/c?cascade=true", status: 403, hides: "hidden"},
		{name: "put unseen", who: "eve", method: "PUT", path: "/v2/clusters/c", body: `{"metadata":{"name":"c"},"spec":{"secret":"guess"}}`, status: 200, says: `{"id":"cluster/c","kind":"cluster","etag":`, hides: "guess"},
		{name: "the same again", who: "eve", method: "PUT", path: "/v2/clusters/c", body: `{"metadata":{"name":"c"},"spec":{"secret":"guess"}}`, status: 200, says: `-3\""}`, hides: "guess"},

		{name: "a key", who: "root", method: "POST", path: "/v2/clusters", body: named("k"), key: "key", status: 201},
		{name: "the key of another user", who: "eve", method: "POST", path: "/v2/clusters", body: named("l"), key: "key", status: 201},

		{name: "metrics without a right", who: "ann", method: "GET", path: "/metrics", status: 403, says: "ann may not see the metrics", hides: "dovetail_"},
		{name: "metrics", who: "prometheus", method: "GET", path: "/metrics", status: 200, says: "dovetail_http_requests_total"},
		{name: "metrics only", who: "prometheus", method: "GET", path: "/v2/documents", status: 200, says: `"items":[]`},
		{name: "metrics for who reads everything", who: "root", method: "GET", path: "/metrics", status: 200},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			request := server.request(t, step.method, step.path, step.body)
			request.Header.Set("Authorization", "Bearer "+tokens[step.who])
			if step.key != "" {
				request.Header.Set("Idempotency-Key", step.key)
			}
			if step.status == http.StatusPreconditionFailed {
				request.Header.Set("If-Match", `"other-7"`)
			}
			status, _, text := roundTrip(t, request)
			if status != step.status || !strings.Contains(text, step.says) {
				t.Errorf("got %d %s, want %d with %s", status, text, step.status, step.says)
			}
			if step.hides != "" && strings.Contains(text, step.hides) {
				t.Errorf("%s tells of %s", text, step.hides)
			}
		})
	}
}
