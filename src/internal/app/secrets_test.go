package app

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

const layeredSecret = `---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [site]}
---
schema: deckhand/Passphrase/v1
metadata:
  schema: metadata/Document/v1
  name: password
  storagePolicy: encrypted
  layeringDefinition: {layer: site}
data: swordfish
`

// The main key of a server that runs is replaced, and secrets are encrypted again: the old key is not needed any more.
func TestSecretsAreRotated(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before, after := command(t, 0, "", "secrets", "keygen"), command(t, 0, "", "secrets", "keygen")
	write("main.key", before)
	server := start(t, map[string]string{"encryption-key-file": "main.key"})
	put, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL()+"/api/v1.0/buckets/a/documents", strings.NewReader(layeredSecret))
	if err != nil {
		t.Fatal(err)
	}
	put.Header.Set("Content-Type", "application/x-yaml")
	answer, err := http.DefaultClient.Do(put)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	const rendered = "/api/v1.0/revisions/1/rendered-documents?cleartext-secrets=true"
	write("main.key", after+before)
	if said := command(t, 0, "", "secrets", "rotate", "--key-file", "main.key", "--server", server.URL()); said != "1 secret encrypted again with the data key k2; deleted: k1\n" {
		t.Errorf("rotated: %s", said)
	}
	write("main.key", after)
	if text := server.must(t, 200, "GET", rendered, ""); !strings.Contains(text, "swordfish") {
		t.Errorf("rendered: %s", text)
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	again := start(t, map[string]string{"store": server.config.Store, "encryption-key-file": "main.key"})
	if text := again.must(t, 200, "GET", rendered, ""); !strings.Contains(text, "swordfish") {
		t.Errorf("rendered: %s", text)
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	if said := command(t, 0, "", "secrets", "rotate", "--key-file", "main.key", "--store", server.config.Store); said != "1 secret encrypted again with the data key k3; deleted: k2\n" {
		t.Errorf("rotated the database: %s", said)
	}
}

// TestRotationUnderOwnSchema rotates the keys of a server whose ref-schema has none of the kinds of services.
func TestRotationUnderOwnSchema(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("schemas", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.key": command(t, 0, "", "secrets", "keygen"), "schemas/own.yaml": "resources: [{name: thing, sensitive: true}]"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := start(t, map[string]string{"encryption-key-file": "main.key", "ref-schemas": "schemas"})
	server.must(t, 201, "PUT", "/v2/things/a", `{"spec":{"x":1}}`)
	if said := command(t, 0, "", "secrets", "rotate", "--key-file", "main.key", "--server", server.URL()); !strings.Contains(said, "1 sensitive record encrypted again") {
		t.Errorf("rotated: %s", said)
	}
}
