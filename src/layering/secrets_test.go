package layering_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store"
)

const (
	secretDocument = `---
schema: deckhand/Passphrase/v1
metadata:
  schema: metadata/Document/v1
  name: password
  storagePolicy: encrypted
  layeringDefinition: {layer: site}
data: swordfish
`
	usesSecret = `  substitutions:
    - src: {schema: deckhand/Passphrase/v1, name: password, path: .}
      dest: {path: .password}
data: {user: admin}
`
)

// stored is everything in the store as text.
func (s *server) stored() string {
	s.t.Helper()
	var all strings.Builder
	for doc, err := range s.store.Documents(s.t.Context(), store.ListQuery{}) {
		if err != nil {
			s.t.Fatal(err)
		}
		all.WriteString(string(doc.ID) + " " + string(doc.Data) + "\n")
	}
	return all.String()
}

func TestSecrets(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		body := policy + secretDocument + kind("x", "site", usesSecret)
		put := s.must(200, "PUT", bucketA, body)
		for _, again := range []*server{s, s.again()} {
			for path, open := range map[string]bool{
				"documents": false, "rendered-documents": false, "rendered-documents?cleartext-secrets=false": false,
				"documents?cleartext-secrets=true": true, "rendered-documents?cleartext-secrets=true": true,
			} {
				if text := again.must(200, "GET", "/api/v1.0/revisions/1/"+path, "").text; strings.Contains(text, "swordfish") != open {
					t.Errorf("%s: %s", path, text)
				}
			}
			// Rendered, the substituted secret shows only when it is asked for.
			d := again.must(200, "GET", renderedDocuments+"&metadata.name=x", "").one(t)
			if d.At("data", "password").Text != "swordfish" {
				t.Errorf("rendered %s", d.JSON())
			}
		}
		if stored := s.stored(); strings.Contains(stored, "swordfish") || strings.Contains(put.text, "swordfish") {
			t.Errorf("in clear: %s%s", stored, put.text)
		}
		// Put again it is unchanged, though it is never sealed twice alike.
		if a := s.again().must(200, "PUT", bucketA, body); a.documents[0].At("status", "revision").Text != "1" {
			t.Errorf("made a revision: %s", a.text)
		}
		s.must(200, "PUT", bucketA, strings.ReplaceAll(body, "swordfish", "marlin"))
		for number, secret := range map[string]string{"1": "swordfish", "2": "marlin"} {
			if d := s.again().must(200, "GET", "/api/v1.0/revisions/"+number+"/rendered-documents?cleartext-secrets=true&metadata.name=x", "").one(t); d.At("data", "password").Text != secret {
				t.Errorf("revision %s: %s", number, d.JSON())
			}
		}
		if text := s.must(200, "GET", "/api/v1.0/revisions/1/deepdiff/2", "").text; strings.Contains(text, "swordfish") || strings.Contains(text, "marlin") || !strings.Contains(text, "encrypted: true") {
			t.Errorf("the diff shows %s", text)
		}
		if text := s.must(200, "PUT", bucketA+"?dryRun=true", body).text; strings.Contains(text, "swordfish") || strings.Contains(text, "marlin") || !strings.Contains(text, "password") {
			t.Errorf("the dry run shows %s", text)
		}
		if stored := s.stored(); strings.Contains(stored, "swordfish") || strings.Contains(stored, "marlin") {
			t.Errorf("in clear: %s", stored)
		}
		s.must(409, "DELETE", "/v2/secret-keys/k1", "")
		s.fsck()
	})
}

func TestSecretsWithoutKey(t *testing.T) {
	s := serve(t, newStore(t, apitest.OpenBolt(t)), layering.Options{})
	if a := s.must(409, "PUT", bucketA, policy+secretDocument); a.class() != keyring.ReasonNoKey {
		t.Error(a.text)
	}
	s.must(404, "GET", "/api/v1.0/revisions/1", "")
	s.must(200, "PUT", bucketA, policy)
}

// TestRotation replaces the main key and rotates: the old one is not needed any more, by old revisions neither.
func TestRotation(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		first, second := keyText(t), keyText(t)
		s := serve(t, newStore(t, open(t)), layering.Options{Keys: parseKeys(t, first)})
		body := policy + secretDocument + kind("x", "site", usesSecret)
		s.must(200, "PUT", bucketA, body)
		s.must(200, "PUT", bucketA, strings.ReplaceAll(body, "swordfish", "marlin"))
		alone := serve(t, s.store, layering.Options{Keys: parseKeys(t, second)})
		alone.must(503, "GET", renderedDocuments, "")
		r, err := keyring.New(s.store, parseKeys(t, second+first), rand.Reader).Rotate(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Key != "k2" || len(r.Retired) != 1 || r.Secrets != 2 {
			t.Errorf("rotated: %+v", r)
		}
		alone = serve(t, s.store, layering.Options{Keys: parseKeys(t, second)})
		for number, secret := range map[string]string{"1": "swordfish", "2": "marlin"} {
			if d := alone.must(200, "GET", "/api/v1.0/revisions/"+number+"/rendered-documents?cleartext-secrets=true&metadata.name=x", "").one(t); d.At("data", "password").Text != secret {
				t.Errorf("revision %s: %s", number, d.JSON())
			}
		}
		alone.must(404, "GET", "/v2/secret-keys/k1", "")
		s.fsck()
		serve(t, s.store, layering.Options{Keys: parseKeys(t, first)}).must(503, "GET", renderedDocuments, "")
	})
}

func keyText(t *testing.T) string {
	t.Helper()
	text, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func parseKeys(t *testing.T, text string) *envelope.KeyFile {
	t.Helper()
	keys, err := envelope.ParseKeyFile("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}
