package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// No document of the sample repository holds a value of one of its credentials in plaintext, in whatever file it is: of
// credentials, of a cloud passport or of an effective set.
func TestSampleIsEncrypted(t *testing.T) {
	t.Parallel()
	secrets := sampleSecrets(t)
	for _, test := range []struct {
		name     string
		sealed   bool
		attached bool
	}{
		{"imported", true, false},
		{"imported, without a key file", false, false},
		{"attached", true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			given := map[string]string{"store": "bolt:" + filepath.Join(dir, "x.db")}
			if test.sealed {
				given["encryption-key-file"] = filepath.Join(t.TempDir(), "main.key")
				if err := os.WriteFile(given["encryption-key-file"], []byte(command(t, 0, "", "secrets", "keygen")), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			server := startSample(t, test.attached, given)
			if err := server.stop(); err != nil {
				t.Fatal(err)
			}
			if !test.sealed {
				for _, secret := range secrets {
					if !inFiles(t, dir, secret) {
						t.Errorf("%q is not in the database, so that this test shows nothing", secret)
					}
				}
				return
			}
			for _, secret := range secrets {
				if inFiles(t, dir, secret) {
					t.Errorf("%q is in the files of the database", secret)
				}
			}
			b, err := openBackend(t.Context(), given["store"], Config{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			for doc, err := range b.List(t.Context(), store.Query{}) {
				if err != nil {
					t.Fatal(err)
				}
				for _, secret := range secrets {
					if strings.Contains(string(doc.Data)+string(doc.Status), secret) {
						t.Errorf("%s holds %q", doc.ID, secret)
					}
				}
			}
		})
	}
}

// sampleSecrets are the passwords and secrets of all credentials in the files of the sample, without those of a few letters
// and words, which may stand anywhere.
func sampleSecrets(t *testing.T) []string {
	t.Helper()
	const minLength = 6
	found := make(map[string]bool)
	for name, text := range filesOf(t, sampleRepository) {
		if base := strings.ToLower(filepath.Base(name)); !strings.Contains(base, "creds") && !strings.Contains(base, "credentials") {
			continue
		}
		documents, err := yaml.Parse(name, []byte(text), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range documents {
			for _, credential := range document.Members {
				for _, member := range []string{"password", "secret"} {
					if secret, ok := credential.Value.Get("data").Get(member).Str(); ok && len(secret) >= minLength && secret != member {
						found[secret] = true
					}
				}
			}
		}
	}
	var all []string
	for secret := range found {
		all = append(all, secret)
	}
	slices.Sort(all)
	t.Logf("%d secrets: %q", len(all), all)
	if len(all) < 3 {
		t.Fatal("the sample has no secrets")
	}
	return all
}
