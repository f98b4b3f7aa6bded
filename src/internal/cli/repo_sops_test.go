package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
)

// TestRepositoryWithSOPS imports credentials that SOPS encrypted, changes one, and exports them: over the file, into an empty folder, and without a key.
func TestRepositoryWithSOPS(t *testing.T) {
	const written, name = "../secret/sops/testdata/real/", "configuration/credentials/credentials.yml"
	read := func(file string) string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	keys, err := ciphertext.ReadKeys(written + "second.key")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	before := read(written + "credentials.yml")
	writeFile(t, filepath.Join(dir, "repo", name), before)
	for key, code := range map[string]int{"first": 0, "second": 0, "other": 1} {
		out := must(t, newDeps(t, false), code, "check", "instance-repo", dir+"/repo", "--credential-keys", written+key+".key", "-o", "json")
		if strings.Contains(out, "sesame") || strings.Contains(out, "REPO_VALUE_UNOPENED") != (code == 1) {
			t.Errorf("%s: %s", key, out)
		}
	}
	deps := builtIn(t, false)
	must(t, deps, 0, "import", "instance-repo", dir+"/repo", "--fail-on", "error")
	if all := data(t, deps); strings.Contains(all, "sesame") || !strings.Contains(all, "credential/sops") {
		t.Error(all)
	}
	must(t, deps, 0, "export", "instance-repo", dir+"/repo")
	if read(filepath.Join(dir, "repo", name)) != before {
		t.Error("what did not change is written")
	}
	writeFile(t, filepath.Join(dir, "new.yaml"), "kind: credential\nmetadata: {name: new}\nspec: {type: secret, data: {secret: swordfish}}\n")
	must(t, deps, 0, "apply", "-f", dir+"/new.yaml")
	must(t, deps, 1, "export", "instance-repo", dir+"/repo")
	if read(filepath.Join(dir, "repo", name)) != before {
		t.Error("written without a key")
	}
	must(t, deps, 0, "export", "instance-repo", dir+"/repo", "--credential-keys", written+"first.key")
	must(t, deps, 0, "export", "instance-repo", dir+"/empty", "--credential-keys", written+"first.key")
	for _, folder := range []string{"repo", "empty"} {
		text := read(filepath.Join(dir, folder, name))
		plain, err := keys.OpenFile(name, []byte(text))
		if err != nil || plain.At("new", "data", "secret").Text != "swordfish" || plain.At("registry", "data", "password").Text != "sesame-of-the-registry" || strings.Contains(text, "swordfish") {
			t.Errorf("%s: %v\n%s", folder, err, text)
		}
	}
	must(t, deps, 1, "export", "instance-repo", dir+"/without")
	if _, err := os.Stat(filepath.Join(dir, "without", name)); err == nil {
		t.Error("written without a key")
	}
}
