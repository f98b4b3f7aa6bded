package artifact_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/artifact"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/value"
)

// A credential of a file that SOPS encrypted is opened by the metadata of the file, and sent in plaintext or not at all.
func TestCredentialOfSOPS(t *testing.T) {
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("..", "..", "secret", "sops", "testdata", "real", name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	keys := func(name string) *ciphertext.Keys {
		of, err := ciphertext.ParseKeys(name, read(name))
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	for _, name := range []string{"credentials.yml", "credentials-data.yml"} {
		values, err := yaml.Parse(name, read(name), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		credential, metadata := string(values[0].Get("registry").JSON()), string(values[0].Get("sops").JSON())
		for _, test := range []struct {
			name       string
			keys       *ciphertext.Keys
			credential string
			metadata   string
			reason     string
		}{
			{name: "the key", keys: keys("first.key"), credential: credential, metadata: metadata},
			{name: "another key", keys: keys("other.key"), credential: credential, metadata: metadata, reason: artifact.ReasonEncrypted},
			{name: "no key", credential: credential, metadata: metadata, reason: artifact.ReasonEncrypted},
			{name: "no metadata", keys: keys("first.key"), credential: credential, reason: artifact.ReasonEncrypted},
			{name: "of another name", keys: keys("first.key"), credential: string(values[0].Get("cluster-token").JSON()), metadata: metadata, reason: artifact.ReasonEncrypted},
		} {
			r := newRegistry(t, map[string]string{"release/" + base + "1.0/the-solution-1.0.json": oneApplication})
			r.password = "sesame-of-the-registry"
			defined := r.definitions()
			delete(defined, "credential/cred")
			for id, text := range defined {
				defined[id] = strings.ReplaceAll(text, `"cred"`, `"registry"`)
			}
			defined["credential/registry"] = test.credential
			if test.metadata != "" {
				defined["credential/sops"] = test.metadata
			}
			_, _, err := artifact.NewMaven(artifact.Stored{Documents: defined, Keys: test.keys}, artifact.MavenOptions{Policy: loopback(t)}).Fetch(t.Context(), sd.Artifact{Application: "solution", Version: "1.0"})
			if e := dovetail.AsError(err); (err == nil) != (test.reason == "") || err != nil && (e.Reason != test.reason || strings.Contains(err.Error(), "sesame") || len(r.asked) > 0) {
				t.Errorf("%s, %s: %v", name, test.name, err)
			}
		}
	}
}
