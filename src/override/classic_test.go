package override_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/value"
)

// baseFiles are the repository that the cases of package effectiveset have in common.
func baseFiles(t *testing.T) map[string]string {
	t.Helper()
	const name = "effectiveset/testdata/cases.yaml"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	read, err := yaml.Parse(name, text, value.Limits{Bytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, m := range read[0].Get("base").Members {
		files[m.Name] = m.Value.Text
	}
	return files
}

// TestCalculatedSetReadsAsGenerate: what a server calculates from documents is what is calculated from the files, whatever YAML 1.1 makes of words and numbers in them.
func TestCalculatedSetReadsAsGenerate(t *testing.T) {
	const (
		root        = "environments/c1/e1/"
		credentials = root + "Credentials/credentials.yml"
		external    = "token:\n  type: external\n  secretStore: default_store\n  remoteRefPath: a/b\nup:\n  type: external\n  secretStore: default_store\n  remoteRefPath: a/b\n"
	)
	for _, word := range []string{"yes", "Off", "012", "1:30", "0x1F", "1_000", "0o17", "08", "1e3", "2027-01-02", "'012'", "~"} {
		for _, tt := range []struct {
			name  string
			files map[string]string // WORD is replaced
		}{
			{"credentials", map[string]string{
				credentials:                            "token: {type: secret, data: {secret: WORD}}\nup: {type: usernamePassword, data: {username: WORD, password: WORD}}\n",
				root + "Namespaces/core/namespace.yml": "name: e1-core\ndeployParameters:\n  A: '${creds.get(\"up\").username}'\n  B: '${creds.get(\"up\").password}'\n  C: '${creds.get(\"token\").secret}'\n",
			}},
			{"the solution descriptor", map[string]string{
				root + "Inventory/solution-descriptor/sd.yaml": "version: WORD\ntype: WORD\napplications:\n- {version: 'app-a:1.0', deployPostfix: WORD}\n",
				root + "Namespaces/true/namespace.yml":         "name: e1-true\n", root + "Namespaces/false/namespace.yml": "name: e1-false\n", root + "Namespaces/10/namespace.yml": "name: e1-10\n",
				root + "Namespaces/90/namespace.yml": "name: e1-90\n", root + "Namespaces/1000/namespace.yml": "name: e1-1000\n", root + "Namespaces/31/namespace.yml": "name: e1-31\n",
				root + "Namespaces/08/namespace.yml": "name: e1-08\n", root + "Namespaces/012/namespace.yml": "name: e1-012\n", root + "Namespaces/0o17/namespace.yml": "name: e1-0o17\n",
			}},
			{"the registry", map[string]string{"configuration/registry.yml": "reg:\n  mavenConfig:\n    repositoryDomainName: WORD\n    fullRepositoryUrl: WORD\n    targetRelease: WORD\n    targetSnapshot: WORD\n    targetStaging: WORD\n"}},
			{"the secret stores", map[string]string{
				credentials:                            external,
				"configuration/secret-stores.yml":      "default_store:\n  type: vault\n  url: WORD\n  mountPath: WORD\n",
				root + "Namespaces/core/namespace.yml": "name: e1-core\ndeployParameters:\n  A: {$type: credRef, credId: up}\n",
			}},
		} {
			t.Run(tt.name+"/"+word, func(t *testing.T) {
				files := baseFiles(t)
				for name, text := range tt.files {
					files[name] = strings.ReplaceAll(text, "WORD", word)
				}
				repo := fstest.MapFS{}
				for name, text := range files {
					repo[name] = &fstest.MapFile{Data: []byte(text)}
					if strings.HasPrefix(name, "sboms/") {
						delete(files, name)
					}
				}
				sboms, err := fs.Sub(repo, "sboms")
				if err != nil {
					t.Fatal(err)
				}
				of, failed := effectiveset.Calculate(effectiveset.Input{Repo: repo, Cluster: "c1", Name: "e1", SBOMs: sboms, Session: "s"})
				if of == nil {
					t.Fatal(failed)
				}
				c := newClient(t, override.Stored{Store: newStore(t, apitest.OpenBolt(t), files)}, override.Options{Repository: repositoryOf, SBOMs: sboms})
				for _, name := range []string{"pipeline", "topology", "cleanup", "deployment", "runtime"} {
					set := calculate(t, c, "environmentId=c1/e1&session=s&context="+name)
					if set.Complete != (failed == nil) {
						t.Errorf("%s: complete is %t: %v; of the files: %v", name, set.Complete, set.Findings, failed)
					}
					for _, f := range set.Files {
						if want := string(of.Files[f.Path]); f.Content != want {
							t.Errorf("%s differs from the set of the files: %s", f.Path, firstDifference(f.Content, want))
						}
						delete(of.Files, f.Path)
					}
				}
				for name := range of.Files {
					if !strings.HasPrefix(name, "external-credential") {
						t.Errorf("%s is not answered", name)
					}
				}
			})
		}
	}
}
